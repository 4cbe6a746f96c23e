// What the widgets share: elements, controls tied to the model, and one way to draw.
// Data reaches the page as text nodes and attributes, never as HTML.

import { define } from "anywidget_static/define.mjs";
import { at_rest } from "anywidget_static/pace.mjs";
import "./ui.css";

const PICTURE = "http://www.w3.org/2000/svg";
const SVG = new Set(["svg", "g", "circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text", "title"]);

// `name` is a tag and classes of the style: "p.note" is a <p> of the class "attn-note". Attributes may be left out.
export function element(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  const node = SVG.has(tag) ? document.createElementNS(PICTURE, tag) : document.createElement(tag);
  set(node, attributes);
  if (classes[0]) node.classList.add(...classes.map((name) => `attn-${name}`));
  node.append(...children);
  return node;
}

// Attributes by name: true stands for an empty one, null and false for none. What stands there already is left, since
// each write costs the page a little.
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

// The values of a model, to be taken by name: const { tokens, points } = values(model).
export const values = (model) => new Proxy(model, { get: (_, name) => model.get(name) });

export function number(x, digits = 2) {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Whether something can be pointed at without being pressed.
export const has_hover = () => !matchMedia("(hover: none)").matches;

// Change a field, given its name and value; or several, given as an object, with one event.
export function change(model, ...given) {
  model.set(...given);
  model.save_changes();
}

// While an input moves, pictures follow it, and the numbers of its control and of tables. What is read as a sentence
// waits until it rests: to lay out a line of text costs a page more than a whole picture.
const follows = ({ namespaceURI, localName }) => namespaceURI === PICTURE || /^(output|td)$/.test(localName);

// As for attributes: what shows the text already is left as it is. A text that changes costs less than a new one.
// What is read aloud is new as a whole.
export function write(node, text) {
  const now = () => {
    if (node.textContent === text) return;
    const [only, more] = node.childNodes;
    if (text !== "" && only?.nodeType === Node.TEXT_NODE && !more && !node.ariaLive) only.data = text;
    else node.textContent = text;
  };
  if (follows(node)) now();
  else at_rest(node, now);
}

export function vary(node, property, value) {
  if (node.style.getPropertyValue(property) !== value) node.style.setProperty(property, value);
}

// Give a node children, as replaceChildren does, but keep those that are alike, and change of others what differs. A
// live region is replaced as a whole, so that it is read as a whole. Not for children that listen to events. A function
// makes the children when they are written.
export function refill(node, ...children) {
  const now = () => {
    const next = document.createDocumentFragment();
    next.append(...(typeof children[0] === "function" ? children[0]() : children));
    patch(node, next);
  };
  if (follows(node)) now();
  else at_rest(node, now);
}

function patch(node, next) {
  const [old, fresh] = [node, next].map(({ childNodes }) => [...childNodes]);
  if (node.ariaLive) {
    if (old.length !== fresh.length || fresh.some((child, at) => !child.isEqualNode(old[at])))
      node.replaceChildren(...fresh);
    return;
  }
  fresh.forEach((child, at) => {
    const there = old[at];
    if (!there) node.append(child);
    else if (there.isEqualNode(child)) return;
    else if (there.nodeName !== child.nodeName) there.replaceWith(child);
    else if (child.nodeType === Node.TEXT_NODE) {
      if (there.data !== child.data) there.data = child.data;
    } else {
      for (const { name } of [...there.attributes]) if (!child.hasAttribute(name)) there.removeAttribute(name);
      for (const { name, value } of child.attributes) set(there, { [name]: value });
      patch(there, child);
    }
  });
  for (const extra of old.slice(fresh.length)) extra.remove();
}

// A function that remembers its last result, for as long as it is given the same.
export function memoize(compute) {
  let last = null;
  return (...given) => {
    if (!last || given.some((value, i) => value !== last.given[i])) last = { given, value: compute(...given) };
    return last.value;
  };
}

const format = /* @__PURE__ */ new Intl.NumberFormat("en"); // made once: toLocaleString makes one for each number
export const whole = (x) => format.format(x);

// Three digits and the largest unit that fits, from pairs of a unit's size and its name: as attnlib/formatting.py does.
const NAMES = ["", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion"];
// A page without these numbers leaves them out: what is marked pure does nothing but make a value.
const COUNT = /* @__PURE__ */ NAMES.map((name, i) => [1000 ** i, name && ` ${name}`]);
export const BYTES = /* @__PURE__ */ [" B", " kB", " MB", " GB", " TB", " PB", " EB"].map((name, i) => [
  1000 ** i,
  name,
]);

export function large(x, units = COUNT) {
  const digits = (size) => (x / size).toPrecision(3);
  const [size, name] = units.findLast(([size]) => Number(digits(size)) >= 1) ?? units[0];
  const shown = digits(size);
  if (Number(shown) >= 1000) return whole(Number(shown)) + name;
  return (size === 1 && Number.isInteger(x) ? x : shown) + name;
}

// What sliders offer: lengths in quarters of an octave, and the widths that models have.
export const LENGTHS = /* @__PURE__ */ Array.from({ length: 65 }, (_, i) => Math.round(2 ** (4 + i / 4)));
export const WIDTHS = [
  16, 32, 64, 128, 256, 512, 768, 1024, 1280, 1600, 2048, 2560, 3072, 4096, 5120, 6144, 8192, 12288, 16384,
];

// The tokens in a field, as many as there are entries in the field `name`.
export function tokens_of(model, name, what = name, field = "tokens") {
  const tokens = model.get(field);
  const { length } = model.get(name);
  if (tokens.length !== length) throw new Error(`${tokens.length} tokens for ${length} ${what}`);
  return tokens;
}

export function check_range(what, value, last, first = 0) {
  if (Number.isInteger(value) && value >= first && value <= last) return;
  throw new Error(`${what} ${value} is outside ${first} … ${last}`);
}

// Raise when there is more to show than fits a screen and a reader.
export function at_most(what, count, most) {
  if (count > most) throw new Error(`${count} ${what} are more than the ${most} that can be shown`);
}

// A slider that tells `put` where it is moved, and shows what `set` is told.
export function range(label, { min, max, step }, put) {
  const input = element("input", { type: "range", min, max, step });
  const output = element("output");
  input.addEventListener("input", () => put(Number(input.value)));
  const show = (value, text) => {
    if (input.value !== String(value)) input.value = value;
    set(input, { "aria-valuetext": text });
    write(output, text);
  };
  return { node: element("label.control", label, input, output), set: show };
}

// A slider of a field, as far as its bounds reach or `limits` says.
export function slider(model, name, label, { digits = 1, ...limits }) {
  const { node, set } = range(label, { ...model.get("_bounds")[name], ...limits }, (value) =>
    change(model, name, value),
  );
  return { node, draw: () => set(model.get(name), number(model.get(name), digits)) };
}

// A slider over the list that `values()` gives, which may change. It stands at the last that is not above the model's.
export function list_slider(model, name, label, values, options = {}) {
  const { put = (value) => change(model, name, value), write = whole } = options;
  const { node, set } = range(label, { min: 0, max: values().length - 1, step: 1 }, (index) => put(values()[index]));
  const draw = () => {
    const last = values().findLastIndex((value) => value <= model.get(name));
    node.querySelector("input").max = values().length - 1;
    set(Math.max(0, last), write(model.get(name)));
  };
  return { node, draw };
}

export function toggle(model, name, label) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => change(model, name, input.checked));
  return { node: element("label.control", input, label), draw: () => (input.checked = model.get(name)) };
}

// A menu of `given` pairs of value and text, or of the values that the field may have, which `given` may name.
export function select(model, name, label, given = {}) {
  const values = () => model.get("_bounds")[name].values.map((value) => [value, given[value] ?? value]);
  const options = Array.isArray(given) ? given : values();
  const input = element("select", ...options.map(([value, text]) => element("option", { value }, text)));
  input.addEventListener("change", () => change(model, name, options[input.selectedIndex][0]));
  const draw = () => (input.selectedIndex = options.findIndex(([value]) => value === model.get(name)));
  return { node: element("label.control", label, input), draw };
}

export function button(label, press) {
  const node = element("button.button", { type: "button" }, label);
  node.addEventListener("click", press);
  return node;
}

// A row of controls and other elements, and how to draw the controls.
export function controls(...items) {
  return {
    node: element("div.controls", ...items.map((item) => item.node ?? item)),
    draw: () => items.forEach((item) => item.draw?.()),
  };
}

// Show those of named controls that the model offers, or all where its `controls` is null; whether it offers one.
export function offered(model, named) {
  const wanted = model.get("controls");
  const is_offered = (name) => wanted?.includes(name) ?? true;
  for (const [name, { node }] of Object.entries(named)) node.hidden = !is_offered(name);
  return is_offered;
}

// A table from what stands in its head, and rows of a name and cells. A text becomes a cell; what is one stays.
export function table(head, rows, kind = "") {
  const cells = (contents, make) => contents.map((one, at) => (/^t[dh]$/.test(one.localName) ? one : make(one, at)));
  const columns = cells(head, (name, at) =>
    at || name ? element("th", { scope: "col", dir: "auto" }, name) : element("td.corner"),
  );
  const side = (name) => cells([name], () => element("th", { scope: "row", dir: "auto" }, name));
  const plain = (contents) => cells(contents, (content) => element("td.plain", content));
  const lines = rows.map(([name, ...others]) => element("tr", ...side(name), ...plain(others)));
  return element(`table.table${kind}`, element("thead", element("tr", ...columns)), element("tbody", ...lines));
}

// What is wider than the page, to be moved by the keyboard too.
export function scroll(label, ...content) {
  return element("div.scroll", { tabindex: 0, role: "group", "aria-label": label }, ...content);
}

// A paragraph that is read aloud when it changes.
export const live = (name = "p") => element(name, { "aria-live": "polite" });

// Names, or what `write` makes of each item, with something between them.
export function listed(items, write = (item) => [element("bdi", item)], between = ", ") {
  return items.flatMap((item, at) => [at ? between : "", ...write(item, at)]);
}

// The parts of a sentence, texts and nodes: sentence`${token} reads most from ${other}.`
export const sentence = (texts, ...parts) => texts.flatMap((text, at) => [text, ...[parts[at] ?? ""].flat()]);

// The title, what there is to see or to do, and where the numbers come from.
export function caption(model, figure, text, more = "") {
  const { title, provenance } = values(model);
  refill(figure.firstChild, () => [`${title}: `, ...[text].flat(), ` Numbers: ${provenance}${more}.`]);
}

// A widget. The callback `build(model, figure)` fills the figure and returns what draws it.
export const widget = (build) => define(build, { prefix: "attn" });

export const vector = (entries) => `(${entries.map((x) => number(x)).join(", ")})`;

// "=" where the two decimals shown are all there are
export function equals(...values) {
  return values.every((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-9) ? "=" : "≈";
}

// Text in which "_x" stands for the index x, as nodes: W_Q, d_k. What is a node already stays.
export function formula(text) {
  if (typeof text !== "string") return [text];
  return text.split(/_(\w+)/).map((part, i) => (i % 2 ? element("sub", part) : part));
}

// Two decimals, or for numbers far from 1 a power of ten.
export function compact(x) {
  if (x === 0 || (Math.abs(x) >= 0.01 && Math.abs(x) < 1e4)) return number(x);
  const [mantissa, exponent] = x.toExponential(1).split("e");
  const raised = exponent.replace("+", "").replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] ?? "⁻");
  return `${mantissa.replace("-", "−")}×10${raised}`;
}

// A table's cell with a weight as its number and its shade.
export const shaded = (weight) => element("td", { style: `--w:${weight.toFixed(3)}` }, number(weight));

// A table's cell with a bar behind its text, `share` of the cell long.
export function bar(cell, share, text) {
  cell.classList.add("attn-bar");
  vary(cell, "--w", Math.max(0, Math.min(1, share)).toFixed(3));
  write(cell, text);
}

// A bar of parts, by their numbers in the style; `draw` is told which share of it each takes.
export function stack(parts, kind = "") {
  const spans = parts.map((part) => element("span", { "data-part": part }));
  const draw = (shares) => spans.forEach((span, i) => vary(span, "--w", shares[i].toFixed(4)));
  return { node: element(`div.stack${kind}`, { "aria-hidden": "true" }, ...spans), draw };
}
