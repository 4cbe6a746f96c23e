// ConventionSwitch: a formula with tokens as rows, and its mirror image with tokens as columns.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";

const { element, number } = ui;
const SIZES = ["n", "n_z", "d", "d_k", "d_v"], LARGEST = 8, HEADS = 3;
const changes = ["formula", "convention", ...SIZES];

// For tokens as rows: the result, and the products whose sum it is. A matrix is its name, rows and columns.
const Q = ["Q", "n", "d_k"], S = ["S", "n", "n_z"], A = ["A", "n", "n_z"], X = ["X", "n", "d"], W_Q = ["W_Q", "d", "d_k"];
const FORMULAS = {
  projection: { left: Q, right: [[X, W_Q]] },
  scores: { left: S, right: [[Q, ["Kᵀ", "d_k", "n_z"]]], after: " / √d_k" },
  weights: { left: A, right: [[S]], before: "softmax(", after: ")" },
  output: { left: ["Y", "n", "d_v"], right: [[A, ["V", "n_z", "d_v"]]] },
  "several heads": { left: ["O", "n", "d"], right: [[["Concat(Y_1, Y_2, Y_3)", "n", "3d_v"], ["W_O", "3d_v", "d"]]] },
  bias: { left: Q, right: [[X, W_Q], [["1", "n", "1"], ["bᵀ", "1", "d_k"]]] },
};
const MIRRORED = { W_Q: "W_q", W_O: "W_o", 1: "1ᵀ", "bᵀ": "b" }; // the names that change

function render({ model, el }) {
  return ui.show({ model, el }, changes, (body) => build(model, body));
}

function build(model, body) {
  const choice = ui.select(model, "formula", "formula", Object.keys(FORMULAS).map((name) => [name, name]));
  const flip = ui.button("", () => ui.change(model, "convention", other(model.get("convention"))));
  const sliders = SIZES.map((name) => {
    const slider = ui.slider(model, name, "", { min: 1, max: LARGEST, step: 1, digits: 0 });
    slider.node.prepend(element("span", {}, ...ui.formula(name)));
    return slider;
  });
  const caption = element("figcaption"), line = element("p", { "aria-live": "polite" });
  const picture = element("div", { class: "attn-formula", role: "group" }), results = element("div", { class: "attn-columns" });
  body.append(element("figure", { class: "attn" }, caption, element("div", { class: "attn-controls" }, flip, choice.node), picture,
    element("div", { class: "attn-controls" }, ...sliders.map((slider) => slider.node)), line, results));

  return () => {
    const name = model.get("formula"), convention = model.get("convention");
    const sizes = Object.fromEntries(SIZES.map((size) => [size, model.get(size)]));
    for (const size of SIZES) if (!(Number.isInteger(sizes[size]) && sizes[size] >= 1 && sizes[size] <= LARGEST)) throw new Error(`${size} must lie between 1 and ${LARGEST}, got ${sizes[size]}`);
    if (!FORMULAS[name] || !other(convention)) throw new Error(`there is no formula “${name}” for ${convention}`);
    const both = { rows: FORMULAS[name], columns: mirror(FORMULAS[name]) }, shown = both[convention];
    const numbers = compute(name, sizes, model.get("numbers"));
    const difference = Math.max(...numbers.rows.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - numbers.columns[j][i]))));
    if (!Number.isFinite(difference)) throw new Error("the numbers are too large to be multiplied");

    caption.textContent = `${model.get("title")}: a rectangle's sides are the sizes of its matrix, and one token is shaded darker. Numbers: ${model.get("provenance")}.`;
    choice.draw();
    flip.textContent = `Flip: tokens as ${other(convention)}`;
    sliders.forEach((slider, i) => {
      slider.node.hidden = ![shown.left, ...shown.right.flat()].flat().some((part) => part.replace("3", "") === SIZES[i]);
      slider.draw();
    });
    picture.setAttribute("aria-label", written(shown));
    picture.replaceChildren(...draw(shown, { ...sizes, 1: 1, "3d_v": HEADS * sizes.d_v }));
    line.replaceChildren(...ui.formula(`Tokens are ${convention}: ${written(shown)}. Tokens as ${other(convention)}: ${written(both[other(convention)])}. ${name === "weights" ? `Each of the ${convention} adds up to 1. ` : ""}The same numbers, transposed: the largest difference is ${number(difference, 12)}.`));
    results.replaceChildren(...[convention, other(convention)].map((way) => element("div", {},
      element("p", {}, ...ui.formula(`Tokens are ${way}: ${both[way].left[0]} is ${both[way].left[1]} × ${both[way].left[2]}`)), grid(numbers[way], way))));
  };
}

function other(convention) {
  return { rows: "columns", columns: "rows" }[convention];
}

// Transposing a product reverses it: (A B)ᵀ = Bᵀ Aᵀ.
function mirror({ left, right, ...rest }) {
  const transpose = ([name, rows, columns]) => [MIRRORED[name] ?? name, columns, rows];
  return { left: transpose(left), right: right.map((product) => product.map(transpose).reverse()), ...rest };
}

function written({ left, right, before = "", after = "" }) {
  return `${left[0]} = ${before}${right.map((product) => product.map(([name]) => name).join(" ")).join(" + ")}${after}`;
}

function draw({ left, right, before, after }, sizes) {
  const wide = Math.max(...right.flatMap((product) => [1, 2].map((side) => product.reduce((sum, matrix) => sum + sizes[matrix[side]], 0)))); // either way round
  const unit = Math.min(12, Math.floor(240 / wide)); // pixels for a size of 1
  const height = unit * Math.max(...[left, ...right.flat()].map(([, rows]) => sizes[rows]));
  const sign = (text) => (text ? [element("span", { class: "attn-sign", style: `height:${height}px` }, element("span", {}, ...ui.formula(text)))] : []);
  const products = right.map((product, at) => element("div", { class: "attn-product" }, ...sign(at ? "+" : "="), ...sign(before),
    ...product.map((matrix, f) => card(matrix, sizes, unit, height, f > 0, f < product.length - 1)), ...sign(after)));
  return [element("div", { class: "attn-product" }, card(left, sizes, unit, height)), ...products];
}

// A matrix: its rectangle, name, shape, and what it is. Where it meets a neighbour, the side and the size are marked.
function card([name, rows, columns], sizes, unit, area, meets_left, meets_right) {
  const height = unit * sizes[rows], width = unit * sizes[columns];
  const kind = /^[Wb]/.test(name) ? "parameter" : /^1/.test(name) ? "constant" : "activation";
  const token = rows === "n" || (rows === "n_z" && columns !== "n") ? [width, unit] : kind !== "parameter" && [unit, height];
  const lines = [...Array(sizes[rows] + 1).keys()].map((i) => `M0 ${i * unit}h${width}`).join("") + [...Array(sizes[columns] + 1).keys()].map((j) => `M${j * unit} 0v${height}`).join("");
  const parts = name[0] === "C" ? [1, 2].map((a) => (columns === "3d_v" ? `M${(a * width) / HEADS} 0v${height}` : `M0 ${(a * height) / HEADS}h${width}`)).join("") : "";
  const size = (text, meets) => element("span", { class: meets && "attn-meets" }, ...ui.formula(text), element("br"), String(sizes[text]));
  return element("div", { class: `attn-sized attn-${kind}` },
    element("div", { class: "attn-sign", style: `height:${area}px` }, element("svg", { width: width + 4, height: height + 4, viewBox: `-2 -2 ${width + 4} ${height + 4}`, "aria-hidden": "true" },
      element("rect", { width, height }), ...(token ? [element("rect", { width: token[0], height: token[1], class: "attn-token" })] : []), element("path", { d: lines }), element("path", { d: parts, class: "attn-parts" }),
      element("path", { class: "attn-meets", d: (meets_left ? `M0 0v${height}` : "") + (meets_right ? `M0 ${height}h${width}` : "") }))),
    element("strong", {}, ...ui.formula(name)), element("div", { class: "attn-shape" }, size(rows, meets_left), " × ", size(columns, meets_right)), element("small", {}, kind));
}

// The result for tokens as rows and as columns, each computed in its own way.
function compute(name, { n, n_z, d, d_k, d_v }, numbers) {
  const wrong = numbers.findIndex((entry) => !Number.isFinite(entry));
  if (!numbers.length || wrong >= 0) throw new Error(numbers.length ? `numbers[${wrong}] is ${numbers[wrong]}` : "numbers is empty");
  const fill = (place, rows, columns) => Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => numbers[(11 * place + i * columns + j) % numbers.length]));
  const softmax = (rows) => rows.map((row) => math.softmax(row));
  const down = (matrix) => flip(softmax(flip(matrix))); // softmax over axis 0
  const x = fill(0, n, d), w_q = fill(1, d, d_k), q = fill(2, n, d_k), k = fill(3, n_z, d_k), s = fill(4, n, n_z), v = fill(5, n_z, d_v), w_o = fill(7, HEADS * d_v, d), [b] = fill(8, 1, d_k);
  const y = fill(6, HEADS * n, d_v), heads = [0, 1, 2].map((a) => y.slice(a * n, (a + 1) * n));
  return {
    projection: () => ({ rows: math.project(x, w_q), columns: math.project(flip(w_q), flip(x)) }),
    scores: () => ({ rows: math.attention_scores(q, k), columns: math.project(k, flip(q)).map((row) => row.map((score) => score / Math.sqrt(d_k))) }),
    weights: () => ({ rows: softmax(s), columns: down(flip(s)) }),
    output: () => ({ rows: math.project(softmax(s), v), columns: math.project(flip(v), down(flip(s))) }),
    "several heads": () => ({ rows: math.project(x.map((_, i) => heads.flatMap((head) => head[i])), w_o), columns: math.project(flip(w_o), heads.flatMap(flip)) }),
    bias: () => ({ rows: math.project(x, w_q, b), columns: math.project(flip(w_q), flip(x)).map((row, c) => row.map((entry) => entry + b[c])) }),
  }[name]();
}

function flip(matrix) {
  return matrix[0].map((_, j) => matrix.map((row) => row[j]));
}

function grid(matrix, way) {
  const rows = matrix.map((row, i) => [`${i + 1}`, ...row.map((entry, j) => element("td", { class: (way === "rows" ? i : j) && "attn-plain", style: "--w:.4" }, number(entry)))]);
  return ui.table(matrix[0].map((_, j) => `${j + 1}`), rows, `tokens are ${way}`);
}

export default { render, changes };
