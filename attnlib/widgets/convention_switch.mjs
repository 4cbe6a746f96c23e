// ConventionSwitch: a formula with tokens as rows, and its mirror image with tokens as columns.

import { check_matrix } from "./checks.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./convention_switch.css";

const SIZES = ["n", "n_z", "d", "d_k", "d_v"];
const HEADS = 3;

// For tokens as rows: the result, and the products whose sum it is. A matrix is written as its name, rows and columns.
// `act` makes the result of the sum.
const matrices = (text) => text.split(", ").map((one) => one.split(" "));
const formula = (left, right, rest) => ({ left: matrices(left)[0], right: right.map(matrices), ...rest });
const softmax = { before: "softmax(", after: ")", act: (row) => math.softmax(row) };
const scaled = { after: " / √d_k", act: (row, { d_k }) => row.map((score) => score / Math.sqrt(d_k)) };
const FORMULAS = {
  projection: formula("Q n d_k", ["X n d, W_Q d d_k"]),
  scores: formula("S n n_z", ["Q n d_k, Kᵀ d_k n_z"], scaled),
  weights: formula("A n n_z", ["S n n_z"], softmax),
  output: formula("Y n d_v", ["A n n_z, V n_z d_v"]),
  "several heads": formula("Y n d", ["Concat n 3d_v, W_O 3d_v d"]),
  bias: formula("Q n d_k", ["X n d, W_Q d d_k", "1 n 1, bᵀ 1 d_k"]),
};
const OTHER = { rows: "columns", columns: "rows" };
const WRITTEN = { Concat: "Concat(Y_1, Y_2, Y_3)" };
const MIRRORED = { W_Q: "W_q", W_O: "W_o", 1: "1ᵀ", bᵀ: "b" }; // the names that change

function build(model, figure) {
  const names = Object.keys(FORMULAS).map((name) => [name, name]);
  const choice = ui.select(model, "formula", "formula", names);
  const flip = ui.button("", () => ui.change(model, "convention", OTHER[model.get("convention")]));
  const label = (name) => element("span", ...ui.formula(name));
  const sliders = SIZES.map((name) => ui.slider(model, name, label(name), { step: 1, digits: 0 }));
  const line = ui.live();
  const picture = element("div.formula", { role: "group" });
  const tables = element("div.columns");
  figure.append(ui.controls(flip, choice).node, picture, ui.controls(...sliders).node, line, tables);

  return () => {
    const { formula: name, convention, numbers } = ui.values(model);
    const sizes = Object.fromEntries(SIZES.map((size) => [size, model.get(size)]));
    const other = OTHER[convention];
    const both = { rows: FORMULAS[name], columns: mirror(FORMULAS[name]) };
    const shown = both[convention];
    const results = compute(FORMULAS[name], sizes, numbers);
    const apart = results.rows.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - results.columns[j][i])));
    const difference = Math.max(...apart);

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
    ui.refill(line, ...ui.formula(sentences.join(" ")));
    const result = (way) => {
      const [name, rows, columns] = both[way].left;
      const title = element("p", ...ui.formula(`Tokens are ${way}: ${name} is ${rows} × ${columns}`));
      return element("div", title, grid(results[way], way));
    };
    tables.replaceChildren(result(convention), result(other));
  };
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

// The result for tokens as rows and as columns, each from its own products.
function compute({ right, act = (row) => row }, sizes, numbers) {
  check_matrix("numbers", [numbers]);
  const given = matrices_of(sizes, numbers);
  const sum = (products) => products.reduce((a, b) => a.map((row, i) => row.map((entry, j) => entry + b[i][j])));
  const multiplied = (product) => product.reduce((a, b) => math.project(a, b));
  const products = right.map((product) => product.map(([name]) => given[name]));
  const flipped = products.map((product) => product.map(flip).reverse());
  const done = (rows) => rows.map((row) => act(row, sizes));
  return { rows: done(sum(products.map(multiplied))), columns: flip(done(flip(sum(flipped.map(multiplied))))) };
}

// The matrices by name, for tokens as rows, each filled from its own place in the numbers.
function matrices_of({ n, n_z, d, d_k, d_v }, numbers) {
  const fill = (at, rows, columns) => {
    const entry = (i, j) => numbers[(11 * at + i * columns + j) % numbers.length];
    return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => entry(i, j)));
  };
  const [S, Y] = [fill(4, n, n_z), fill(6, HEADS * n, d_v)];
  const heads = [0, 1, 2].map((a) => Y.slice(a * n, (a + 1) * n));
  return {
    ...{ X: fill(0, n, d), W_Q: fill(1, d, d_k), Q: fill(2, n, d_k), Kᵀ: flip(fill(3, n_z, d_k)), S },
    ...{ A: S.map((row) => math.softmax(row)), V: fill(5, n_z, d_v), Concat: math.merge_heads(heads) },
    ...{ W_O: fill(7, HEADS * d_v, d), bᵀ: fill(8, 1, d_k), 1: Array(n).fill([1]) },
  };
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
