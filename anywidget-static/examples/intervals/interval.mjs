import { define } from "anywidget_static/define.mjs";
import "./interval.css";

const make = (tag, parent, fields = {}) => parent.appendChild(Object.assign(document.createElement(tag), fields));

function slider(model, figure, name) {
  const { min, max } = model.get("_bounds")[name];
  const label = make("label", figure, { textContent: `${name} ` });
  const input = make("input", label, { type: "range", min, max, step: 0.5 });
  input.addEventListener("input", () => {
    const ends = { low: model.get("low"), high: model.get("high"), [name]: input.valueAsNumber };
    if (ends.low > ends.high) ends[name === "low" ? "high" : "low"] = input.valueAsNumber; // one end pushes the other
    model.set(ends);
    model.save_changes();
  });
  return () => {
    input.value = model.get(name);
  };
}

function build(model, figure) {
  const draw = ["low", "high"].map((name) => slider(model, figure, name));
  const menu = make("select", make("label", figure, { textContent: "unit " }));
  for (const unit of model.get("_bounds").unit.values) make("option", menu, { textContent: unit });
  menu.addEventListener("change", () => {
    model.set("unit", menu.value);
    model.save_changes();
  });
  const table = make("table", figure);
  const [head, body] = [make("thead", table), make("tbody", table)].map((part) => make("tr", part));
  return () => {
    const [low, high, unit] = ["low", "high", "unit"].map((name) => model.get(name));
    if (low > high) throw new Error(`low is ${low}, above high, which is ${high}`);
    for (const update of draw) update();
    menu.value = unit;
    const width = (high - low) * (unit === "cm" ? 100 : 1);
    const row = (parent, tag, values) => {
      parent.replaceChildren();
      for (const textContent of values) make(tag, parent, { textContent });
    };
    row(head, "th", ["low", "high", `width in ${unit}`]);
    row(body, "td", [low, high, width]);
  };
}

export default define(build);
export const savable = true; // by `save`, without esbuild
