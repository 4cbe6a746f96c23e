// ConventionSwitch: a formula with tokens as rows, and its mirror image with tokens as columns.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const SIZES = ["n", "n_z", "d", "d_k", "d_v"],
  LARGEST = 8,
  HEADS = 3;
const changes = ["formula", "convention", ...SIZES];

// For tokens as rows: the result, and the products whose sum it is. A matrix is its name, rows and columns.
const Q = ["Q", "n", "d_k"],
  S = ["S", "n", "n_z"],
  A = ["A", "n", "n_z"],
  X = ["X", "n", "d"],
  W_Q = ["W_Q", "d", "d_k"];
const FORMULAS = {
  projection: { left: Q, right: [[X, W_Q]] },
  scores: { left: S, right: [[Q, ["Kᵀ", "d_k", "n_z"]]], after: " / √d_k" },
  weights: { left: A, right: [[S]], before: "softmax(", after: ")" },
  output: { left: ["Y", "n", "d_v"], right: [[A, ["V", "n_z", "d_v"]]] },
  "several heads": {
    left: ["O", "n", "d"],
    right: [
      [
        ["Concat(Y_1, Y_2, Y_3)", "n", "3d_v"],
        ["W_O", "3d_v", "d"],
      ],
    ],
  },
  bias: {
    left: Q,
    right: [
      [X, W_Q],
      [
        ["1", "n", "1"],
        ["bᵀ", "1", "d_k"],
      ],
    ],
  },
};
const OTHER = { rows: "columns", columns: "rows" };
const MIRRORED = { W_Q: "W_q", W_O: "W_o", 1: "1ᵀ", bᵀ: "b" }; // the names that change

function build(model, figure) {
  const choice = ui.select(
    model,
    "formula",
    "formula",
    Object.keys(FORMULAS).map((name) => [name, name]),
  );
  const flip = ui.button("", () => ui.change(model, "convention", OTHER[model.get("convention")]));
  const sliders = SIZES.map((name) => {
    const slider = ui.slider(model, name, "", { min: 1, max: LARGEST, step: 1, digits: 0 });
    slider.node.prepend(element("span", ...ui.formula(name)));
    return slider;
  });
  const line = ui.live();
  const picture = element("div.formula", { role: "group" }),
    results = element("div.columns");
  figure.append(ui.controls(flip, choice).node, picture, ui.controls(...sliders).node, line, results);

  return () => {
    const name = model.get("formula"),
      convention = model.get("convention");
    const sizes = Object.fromEntries(SIZES.map((size) => [size, model.get(size)]));
    for (const size of SIZES)
      if (!(Number.isInteger(sizes[size]) && sizes[size] >= 1 && sizes[size] <= LARGEST))
        throw new Error(`${size} must lie between 1 and ${LARGEST}, got ${sizes[size]}`);
    if (!Object.hasOwn(FORMULAS, name) || !Object.hasOwn(OTHER, convention))
      throw new Error(`there is no formula “${name}” for ${convention}`);
    const both = { rows: FORMULAS[name], columns: mirror(FORMULAS[name]) },
      shown = both[convention];
    const numbers = compute(name, sizes, model.get("numbers"));
    const difference = Math.max(
      ...numbers.rows.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - numbers.columns[j][i]))),
    );
    if (!Number.isFinite(difference)) throw new Error("the numbers are too large to be multiplied");

    ui.caption(model, figure, "a rectangle's sides are the sizes of its matrix, and one token is shaded darker.");
    choice.draw();
    flip.textContent = `Flip: tokens as ${OTHER[convention]}`;
    sliders.forEach((slider, i) => {
      slider.node.hidden = ![shown.left, ...shown.right.flat()]
        .flat()
        .some((part) => part.replace("3", "") === SIZES[i]);
      slider.draw();
    });
    picture.setAttribute("aria-label", written(shown));
    picture.replaceChildren(...draw(shown, { ...sizes, 1: 1, "3d_v": HEADS * sizes.d_v }));
    line.replaceChildren(
      ...ui.formula(
        `Tokens are ${convention}: ${written(shown)}. Tokens as ${OTHER[convention]}: ${written(both[OTHER[convention]])}. ${name === "weights" ? `Each of the ${convention} adds up to 1. ` : ""}The same numbers, transposed: the largest difference is ${difference ? ui.compact(difference) : 0}.`,
      ),
    );
    results.replaceChildren(
      ...[convention, OTHER[convention]].map((way) =>
        element(
          "div",
          element(
            "p",
            ...ui.formula(`Tokens are ${way}: ${both[way].left[0]} is ${both[way].left[1]} × ${both[way].left[2]}`),
          ),
          grid(numbers[way], way),
        ),
      ),
    );
  };
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
  const wide = Math.max(
    ...right.flatMap((product) => [1, 2].map((side) => product.reduce((sum, matrix) => sum + sizes[matrix[side]], 0))),
  ); // either way round
  const unit = Math.min(12, Math.floor(240 / wide)); // pixels for a size of 1
  const height = unit * Math.max(...[left, ...right.flat()].map(([, rows]) => sizes[rows]));
  const sign = (text) =>
    text ? [element("span.sign", { style: `height:${height}px` }, element("span", ...ui.formula(text)))] : [];
  const products = right.map((product, at) =>
    element(
      "div.product",
      ...sign(at ? "+" : "="),
      ...sign(before),
      ...product.map((matrix, f) => card(matrix, sizes, unit, height, f > 0, f < product.length - 1)),
      ...sign(after),
    ),
  );
  return [element("div.product", card(left, sizes, unit, height)), ...products];
}

// A matrix: its rectangle, name, shape, and what it is. Where it meets a neighbour, the side and the size are marked.
function card([name, rows, columns], sizes, unit, area, meets_left, meets_right) {
  const height = unit * sizes[rows],
    width = unit * sizes[columns];
  const kind = /^[Wb]/.test(name) ? "parameter" : /^1/.test(name) ? "constant" : "activation";
  const token =
    rows === "n" || (rows === "n_z" && columns !== "n") ? [width, unit] : kind !== "parameter" && [unit, height];
  const lines =
    [...Array(sizes[rows] + 1).keys()].map((i) => `M0 ${i * unit}h${width}`).join("") +
    [...Array(sizes[columns] + 1).keys()].map((j) => `M${j * unit} 0v${height}`).join("");
  const parts =
    name[0] === "C"
      ? [1, 2]
          .map((a) =>
            columns === "3d_v" ? `M${(a * width) / HEADS} 0v${height}` : `M0 ${(a * height) / HEADS}h${width}`,
          )
          .join("")
      : "";
  const size = (text, meets) =>
    element("span", { class: meets && "attn-meets" }, ...ui.formula(text), element("br"), String(sizes[text]));
  return element(
    `div.sized.${kind}`,
    element(
      "div.sign",
      { style: `height:${area}px` },
      element(
        "svg",
        { width: width + 4, height: height + 4, viewBox: `-2 -2 ${width + 4} ${height + 4}`, "aria-hidden": "true" },
        element("rect", { width, height }),
        ...(token ? [element("rect.token", { width: token[0], height: token[1] })] : []),
        element("path", { d: lines }),
        element("path.parts", { d: parts }),
        element("path.meets", {
          d: (meets_left ? `M0 0v${height}` : "") + (meets_right ? `M0 ${height}h${width}` : ""),
        }),
      ),
    ),
    element("strong", ...ui.formula(name)),
    element("div.shape", size(rows, meets_left), " × ", size(columns, meets_right)),
    element("small", kind),
  );
}

// The result for tokens as rows and as columns, each computed in its own way.
function compute(name, { n, n_z, d, d_k, d_v }, numbers) {
  const wrong = numbers.findIndex((entry) => !Number.isFinite(entry));
  if (!numbers.length || wrong >= 0)
    throw new Error(numbers.length ? `numbers[${wrong}] is ${numbers[wrong]}` : "numbers is empty");
  const fill = (place, rows, columns) =>
    Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, j) => numbers[(11 * place + i * columns + j) % numbers.length]),
    );
  const softmax = (rows) => rows.map((row) => math.softmax(row));
  const down = (matrix) => flip(softmax(flip(matrix))); // softmax over axis 0
  const x = fill(0, n, d),
    w_q = fill(1, d, d_k),
    q = fill(2, n, d_k),
    k = fill(3, n_z, d_k),
    s = fill(4, n, n_z),
    v = fill(5, n_z, d_v),
    w_o = fill(7, HEADS * d_v, d),
    [b] = fill(8, 1, d_k);
  const y = fill(6, HEADS * n, d_v),
    heads = [0, 1, 2].map((a) => y.slice(a * n, (a + 1) * n));
  return {
    projection: () => ({ rows: math.project(x, w_q), columns: math.project(flip(w_q), flip(x)) }),
    scores: () => ({
      rows: math.attention_scores(q, k),
      columns: math.project(k, flip(q)).map((row) => row.map((score) => score / Math.sqrt(d_k))),
    }),
    weights: () => ({ rows: softmax(s), columns: down(flip(s)) }),
    output: () => ({ rows: math.project(softmax(s), v), columns: math.project(flip(v), down(flip(s))) }),
    "several heads": () => ({
      rows: math.project(
        x.map((_, i) => heads.flatMap((head) => head[i])),
        w_o,
      ),
      columns: math.project(flip(w_o), heads.flatMap(flip)),
    }),
    bias: () => ({
      rows: math.project(x, w_q, b),
      columns: math.project(flip(w_q), flip(x)).map((row, c) => row.map((entry) => entry + b[c])),
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

export default ui.widget(changes, build);
