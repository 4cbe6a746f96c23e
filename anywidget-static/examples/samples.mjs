// The definition itself may take time, as when it loads a library; `initialize` runs once for all views of a model.
export default async () => {
  const means = new Map();
  return {
    initialize({ model }) {
      const bytes = model.get("data");
      let total = 0;
      for (let at = bytes.byteLength - 1; at >= 0; at--) {
        total += bytes.getUint8(at);
        means.set(at, total / (bytes.byteLength - at));
      }
      return () => means.clear();
    },
    render({ model, el }) {
      const label = Object.assign(document.createElement("label"), { textContent: "from byte " });
      const input = Object.assign(document.createElement("input"), { type: "range", min: 0, max: means.size - 1 });
      const mean = document.createElement("p");
      label.append(input);
      el.append(mean, label);
      const update = () => {
        const start = model.get("start");
        input.value = start;
        mean.textContent = `mean ${means.get(start).toFixed(2)} of ${means.size - start}`;
      };
      input.addEventListener("input", () => {
        model.set("start", input.valueAsNumber);
        model.save_changes();
      });
      model.on("change:start", update);
      update();
      return () => model.off("change:start", update);
    },
  };
};
