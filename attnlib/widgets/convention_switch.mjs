// ConventionSwitch: a formula with tokens as rows, and its mirror image with tokens as columns.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./convention_switch.css";

const SIZES = ["n", "n_z", "d", "d_k", "d_v"];
const LARGEST = 8;
const HEADS = 3;

// For tokens as rows: the result, and the products whose sum it is. A matrix is written as its name, rows and columns.
const matrices = (text) => text.split(", ").map((one) => one.split(" "));
const formula = (left, right, rest) => ({ left: matrices(left)[0], right: right.map(matrices), ...rest });
const FORMULAS = {
  projection: formula("Q n d_k", ["X n d, W_Q d d_k"]),
  scores: formula("S n n_z", ["Q n d_k, Kᵀ d_k n_z"], { after: " / √d_k" }),
  weights: formula("A n n_z", ["S n n_z"], { before: "softmax(", after: ")" }),
  output: formula("Y n d_v", ["A n n_z, V n_z d_v"]),
  "several heads": formula("O n d", ["Concat n 3d_v, W_O 3d_v d"]),
  bias: formula("Q n d_k", ["X n d, W_Q d d_k", "1 n 1, bᵀ 1 d_k"]),
};
const OTHER = { rows: "columns", columns: "rows" };
const WRITTEN = { Concat: "Concat(Y_1, Y_2, Y_3)" };
const MIRRORED = { W_Q: "W_q", W_O: "W_o", 1: "1ᵀ", bᵀ: "b" }; // the names that change

function build(model, figure) {
  const names = Object.keys(FORMULAS).map((name) => [name, name]);
  const choice = ui.select(model, "formula", "formula", names);
  const flip = ui.button("", () => ui.change(model, "convention", OTHER[model.get("convention")]));
  const sliders = SIZES.map((name) => {
    const slider = ui.slider(model, name, "", { min: 1, max: LARGEST, step: 1, digits: 0 });
    slider.node.prepend(element("span", ...ui.formula(name)));
    return slider;
  });
  const line = ui.live();
  const picture = element("div.formula", { role: "group" });
  const results = element("div.columns");
  figure.append(ui.controls(flip, choice).node, picture, ui.controls(...sliders).node, line, results);

  return () => {
    const { formula: name, convention, ...sizes } = check(model);
    const other = OTHER[convention];
    const both = { rows: FORMULAS[name], columns: mirror(FORMULAS[name]) };
    const shown = both[convention];
    const numbers = compute(name, sizes, model.get("numbers"));
    const apart = numbers.rows.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - numbers.columns[j][i])));
    const difference = Math.max(...apart);
    if (!Number.isFinite(difference)) throw new Error("the numbers are too large to be multiplied");

    ui.caption(model, figure, "a rectangle's sides are the sizes of its matrix, and one token is shaded darker.");
    choice.draw();
    flip.textContent = `Flip: tokens as ${other}`;
    const parts = [shown.left, ...shown.right.flat()].flat().map((part) => part.replace("3", ""));
    sliders.forEach((slider, i) => {
      slider.node.hidden = !parts.includes(SIZES[i]);
      slider.draw();
    });
    picture.setAttribute("aria-label", written(shown));
    picture.replaceChildren(...draw(shown, { ...sizes, 1: 1, "3d_v": HEADS * sizes.d_v }));
    const sentences = [
      `Tokens are ${convention}: ${written(shown)}. Tokens as ${other}: ${written(both[other])}.`,
      ...(name === "weights" ? [`Each of the ${convention} adds up to 1.`] : []),
      `The same numbers, transposed: the largest difference is ${difference ? ui.compact(difference) : 0}.`,
    ];
    line.replaceChildren(...ui.formula(sentences.join(" ")));
    const result = (way) => {
      const [name, rows, columns] = both[way].left;
      const title = element("p", ...ui.formula(`Tokens are ${way}: ${name} is ${rows} × ${columns}`));
      return element("div", title, grid(numbers[way], way));
    };
    results.replaceChildren(result(convention), result(other));
  };
}

// What the model holds, if there is such a formula and each size can be drawn.
function check(model) {
  const now = Object.fromEntries(["formula", "convention", ...SIZES].map((name) => [name, model.get(name)]));
  for (const size of SIZES)
    if (!(Number.isInteger(now[size]) && now[size] >= 1 && now[size] <= LARGEST))
      throw new Error(`${size} must lie between 1 and ${LARGEST}, got ${now[size]}`);
  if (!Object.hasOwn(FORMULAS, now.formula) || !Object.hasOwn(OTHER, now.convention))
    throw new Error(`there is no formula “${now.formula}” for ${now.convention}`);
  return now;
}

// Transposing a product reverses it: (A B)ᵀ = Bᵀ Aᵀ.
function mirror({ left, right, ...rest }) {
  const transpose = ([name, rows, columns]) => [MIRRORED[name] ?? name, columns, rows];
  return { left: transpose(left), right: right.map((product) => product.map(transpose).reverse()), ...rest };
}

function written({ left, right, before = "", after = "" }) {
  const products = right.map((product) => product.map(([name]) => WRITTEN[name] ?? name).join(" "));
  return `${left[0]} = ${before}${products.join(" + ")}${after}`;
}

function draw({ left, right, before, after }, sizes) {
  const width = (product, side) => product.reduce((sum, matrix) => sum + sizes[matrix[side]], 0);
  const wide = Math.max(...right.flatMap((product) => [width(product, 1), width(product, 2)])); // either way round
  const unit = Math.min(12, Math.floor(240 / wide)); // pixels for a size of 1
  const height = unit * Math.max(...[left, ...right.flat()].map(([, rows]) => sizes[rows]));
  const style = `height:${height}px`;
  const sign = (text) => (text ? [element("span.sign", { style }, element("span", ...ui.formula(text)))] : []);
  const products = right.map((product, at) => {
    const cards = product.map((matrix, f) => card(matrix, sizes, unit, height, f > 0, f < product.length - 1));
    return element("div.product", ...sign(at ? "+" : "="), ...sign(before), ...cards, ...sign(after));
  });
  return [element("div.product", card(left, sizes, unit, height)), ...products];
}

// A matrix: its rectangle, name, shape, and what it is. Where it meets a neighbour, the side and the size are marked.
function card([name, rows, columns], sizes, unit, area, meets_left, meets_right) {
  const kind = kind_of(name);
  const size = (text, meets) =>
    element("span", { class: meets && "attn-meets" }, ...ui.formula(text), element("br"), String(sizes[text]));
  const [width, height] = [unit * sizes[columns], unit * sizes[rows]];
  const across = (y) => `M0 ${y}h${width}`;
  const down = (x) => `M${x} 0v${height}`;
  const steps = (count, line) => Array.from({ length: count + 1 }, (_, i) => line(i * unit)).join("");
  const lines = [1, 2].map((a) => (columns === "3d_v" ? down((a * width) / HEADS) : across((a * height) / HEADS)));
  const in_rows = rows === "n" || (rows === "n_z" && columns !== "n");
  const token = element("rect.token", in_rows ? { width, height: unit } : { width: unit, height });
  const picture = element(
    "svg",
    { width: width + 4, height: height + 4, viewBox: `-2 -2 ${width + 4} ${height + 4}`, "aria-hidden": "true" },
    element("rect", { width, height }),
    in_rows || kind !== "parameter" ? token : "",
    element("path", { d: steps(sizes[rows], across) + steps(sizes[columns], down) }),
    element("path.parts", { d: name === "Concat" ? lines.join("") : "" }),
    element("path.meets", { d: (meets_left ? down(0) : "") + (meets_right ? across(height) : "") }),
  );
  return element(
    `div.sized.${kind}`,
    element("div.sign", { style: `height:${area}px` }, picture),
    element("strong", ...ui.formula(WRITTEN[name] ?? name)),
    element("div.shape", size(rows, meets_left), " × ", size(columns, meets_right)),
    element("small", kind),
  );
}

function kind_of(name) {
  if (/^[Wb]/.test(name)) return "parameter";
  return name[0] === "1" ? "constant" : "activation";
}

// The result for tokens as rows and as columns, each computed in its own way.
function compute(name, { n, n_z, d, d_k, d_v }, numbers) {
  const wrong = numbers.findIndex((entry) => !Number.isFinite(entry));
  if (!numbers.length) throw new Error("numbers is empty");
  if (wrong >= 0) throw new Error(`numbers[${wrong}] is ${numbers[wrong]}`);
  const fill = (at, rows, columns) => {
    const entry = (i, j) => numbers[(11 * at + i * columns + j) % numbers.length];
    return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => entry(i, j)));
  };
  const softmax = (rows) => rows.map((row) => math.softmax(row));
  const down = (matrix) => flip(softmax(flip(matrix))); // softmax over axis 0
  const [x, w_q, q] = [fill(0, n, d), fill(1, d, d_k), fill(2, n, d_k)];
  const [k, s, v] = [fill(3, n_z, d_k), fill(4, n, n_z), fill(5, n_z, d_v)];
  const [y, w_o, [b]] = [fill(6, HEADS * n, d_v), fill(7, HEADS * d_v, d), fill(8, 1, d_k)];
  const heads = [0, 1, 2].map((a) => y.slice(a * n, (a + 1) * n));
  const flipped = (a, b) => math.project(flip(b), flip(a));
  return {
    projection: () => ({ rows: math.project(x, w_q), columns: flipped(x, w_q) }),
    scores: () => ({
      rows: math.attention_scores(q, k),
      columns: math.project(k, flip(q)).map((row) => row.map((score) => score / Math.sqrt(d_k))),
    }),
    weights: () => ({ rows: softmax(s), columns: down(flip(s)) }),
    output: () => ({ rows: math.project(softmax(s), v), columns: math.project(flip(v), down(flip(s))) }),
    "several heads": () => ({
      rows: math.project(math.merge_heads(heads), w_o),
      columns: math.project(flip(w_o), heads.flatMap(flip)),
    }),
    bias: () => ({
      rows: math.project(x, w_q, b),
      columns: flipped(x, w_q).map((row, c) => row.map((entry) => entry + b[c])),
    }),
  }[name]();
}

function flip(matrix) {
  return matrix[0].map((_, j) => matrix.map((row) => row[j]));
}

function grid(matrix, way) {
  const rows = matrix.map((row, i) => [
    `${i + 1}`,
    ...row.map((entry, j) => element((way === "rows" ? i : j) ? "td.plain" : "td", { style: "--w:.4" }, number(entry))),
  ]);
  return ui.scroll(`tokens are ${way}`, ui.table(["", ...matrix[0].map((_, j) => `${j + 1}`)], rows));
}

export default ui.widget(build);
