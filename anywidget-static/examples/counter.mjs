// A plain anywidget module.
function render({ model, el, signal }) {
  const button = document.createElement("button");
  const shown = document.createElement("p");
  button.textContent = "Count";
  button.addEventListener(
    "click",
    () => {
      if (model.get("count") === 10) return;
      model.set("count", model.get("count") + 1);
      model.save_changes();
    },
    { signal },
  );
  const update = () => {
    shown.textContent = `${model.get("title")}: ${model.get("count")}`;
    button.toggleAttribute("disabled", model.get("count") === 10);
  };
  model.on("change:count", update);
  update();
  el.append(shown, button);
  return () => model.off("change:count", update);
}

export default { render };
