// What the widgets share: elements, controls tied to the model, and one way to draw.
// Data reaches the page as text nodes and attributes, never as HTML.

const SVG = new Set(["svg", "g", "circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text", "title"]);

export function element(tag, attributes = {}, ...children) {
  const node = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children);
  return node;
}

export function number(x, digits = 2) {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Two decimals, or for numbers far from 1 a power of ten.
export function compact(x) {
  if (x === 0 || (Math.abs(x) >= 0.01 && Math.abs(x) < 1e4)) return number(x);
  const [mantissa, exponent] = x.toExponential(1).split("e");
  const raised = exponent.replace("+", "").replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] ?? "⁻");
  return `${mantissa.replace("-", "−")}×10${raised}`;
}

export function change(model, name, value) {
  model.set(name, value);
  model.save_changes();
}

// Raise when there is more to show than fits a screen and a reader.
export function at_most(what, count, most) {
  if (count > most) throw new Error(`${count} ${what} are more than the ${most} that can be shown`);
}

export function slider(model, name, label, { min, max, step, digits = 1 }) {
  const input = element("input", { type: "range", min, max, step });
  const output = element("output");
  input.addEventListener("input", () => change(model, name, Number(input.value)));
  const draw = () => {
    input.value = model.get(name);
    output.textContent = number(model.get(name), digits);
  };
  return { node: element("label", { class: "attn-control" }, label, input, output), draw };
}

// A slider over a list of numbers, one step for each.
export function ladder(model, name, label, values) {
  const input = element("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
  const output = element("output");
  input.addEventListener("input", () => change(model, name, values[input.value]));
  const draw = () => {
    input.value = values.indexOf(model.get(name));
    output.textContent = model.get(name);
    input.setAttribute("aria-valuetext", model.get(name));
  };
  return { node: element("label", { class: "attn-control" }, label, input, output), draw };
}

// A table's cell with a bar behind its text, `share` of the cell long.
export function bar(cell, share, text) {
  cell.className = "attn-bar";
  cell.style.setProperty("--w", Math.max(0, Math.min(1, share)).toFixed(3));
  cell.textContent = text;
}

export function toggle(model, name, label) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => change(model, name, input.checked));
  return { node: element("label", { class: "attn-control" }, input, label), draw: () => (input.checked = model.get(name)) };
}

// A menu of `options`, pairs of value and text.
export function select(model, name, label, options) {
  const input = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  input.addEventListener("change", () => change(model, name, options[input.selectedIndex][0]));
  const draw = () => (input.selectedIndex = options.findIndex(([value]) => value === model.get(name)));
  return { node: element("label", { class: "attn-control" }, label, input), draw };
}

export function button(label, press) {
  const node = element("button", { type: "button", class: "attn-button" }, label);
  node.addEventListener("click", press);
  return node;
}

// Build once, then draw after every change of the model, and when the colours change. An error becomes a sentence in
// place of the widget. `changes` names what a reader can change: "Start again" puts it back to what it was at first.
export function show({ model, el }, changes, build) {
  const KEYS = /^(Arrow|Home|End|Page|Enter| )/; // JupyterLab would take these from the controls
  const stop = (event) => KEYS.test(event.key) && event.stopPropagation();
  el.addEventListener("keydown", stop);
  const body = element("div");
  const problem = element("p", { class: "attn-problem", role: "alert" });
  const start = changes.map((name) => model.get(name));
  const again = button("Start again", () => {
    changes.forEach((name, i) => model.set(name, start[i]));
    model.save_changes();
  });
  again.classList.add("attn-again");
  el.append(body, problem, again);
  let draw = null;
  const update = () => {
    try {
      draw ??= build(body);
      draw();
      problem.textContent = "";
      body.hidden = false;
    } catch (error) {
      problem.textContent = `This picture cannot be drawn: ${error.message}.`;
      body.hidden = true;
    }
    again.hidden = changes.every((name, i) => JSON.stringify(model.get(name)) === JSON.stringify(start[i]));
  };
  model.on("change", update);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", update);
  const theme = new MutationObserver(update);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  update();
  return () => {
    model.off("change", update);
    dark.removeEventListener("change", update);
    theme.disconnect();
    el.removeEventListener("keydown", stop);
  };
}
