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

export function vector(entries) {
  return `(${entries.map((x) => number(x)).join(", ")})`;
}

// "=" where the two decimals shown are all there are
export function equals(...values) {
  return values.every((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9) ? "=" : "≈";
}

// Text in which "_x" stands for the index x, as nodes: W_Q, d_k. What is a node already stays.
export function formula(text) {
  return typeof text === "string" ? text.split(/_(\w+)/).map((part, i) => (i % 2 ? element("sub", {}, part) : part)) : [text];
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

// A table with the names of its columns, and for each row a name and its cells.
export function table(columns, rows) {
  const head = (scope, names) => names.map((name) => element("th", { scope, dir: "auto" }, name));
  return element("table", { class: "attn-table" }, element("thead", {}, element("tr", {}, element("td"), ...head("col", columns))),
    element("tbody", {}, ...rows.map(([name, cells]) => element("tr", {}, ...head("row", [name]), ...cells))));
}

// Something wide, to be scrolled sideways in its own box.
export function scroll(label, content) {
  return element("div", { class: "attn-scroll", tabindex: 0, role: "group", "aria-label": label }, content);
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
