// TensorCounter: the numbers of the ideal tensor against those of attention, as n and the widths change.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, whole, large } from "./ui.mjs";

const SIZES = ["n", "d", "d_k", "d_v"];
const changes = SIZES;
const STEPS = 8; // of a thousand each, on the scale
const TIME = [
  [1, " seconds"],
  [60, " minutes"],
  [3600, " hours"],
  [86400, " days"],
  [31557600, " years"],
  [31557600e3, " thousand years"],
  [31557600e6, " million years"],
  [31557600e9, " billion years"],
];
const SIDE = 150; // of the picture

function build(model, figure) {
  const controls = ui.controls(
    ...[
      ["n", "tokens n", ui.LENGTHS],
      ["d", "width d", ui.WIDTHS],
      ["d_k", width("k", " of query and key"), ui.WIDTHS],
      ["d_v", width("v", " of value"), ui.WIDTHS],
    ].map(([name, label, list]) => ui.choice(model, name, label, () => list)),
  );
  const told = ui.live();
  const note = element("p.note");
  const counts = element("div.readout");
  const squares = ["rect.ideal", "rect.small"].map((name) => element(name)),
    ring = element("circle.ring");
  const picture = element(
    "svg.squares",
    { viewBox: `-12 -2 ${SIDE + 14} ${SIDE + 14}`, role: "img" },
    ...squares,
    ring,
  );
  const scale = element(
    "div.scale",
    { "aria-hidden": "true" },
    ...Array.from({ length: STEPS + 1 }, (_, i) => element("span", ...(i ? ["10", element("sup", 3 * i)] : ["1"]))),
  );
  figure.append(
    controls.node,
    told,
    element("div.columns", counts, element("div.areas", picture, note)),
    element(
      "p",
      "The three matrices of attention meet one token at a time, so they serve texts of any length. The ideal tensor is made for one n and fits no other.",
    ),
  );

  return () => {
    const { n, d, d_k, d_v } = ui.sizes(model, SIZES);
    const ideal = math.ideal_tensor_parameters(n, d, d_v),
      attention = math.attention_parameters(d, d_k, d_v);
    const twice = math.ideal_tensor_parameters(2 * n, d, d_v) / ideal;
    figure.firstChild.textContent = `${model.get("title")} against attention: how many numbers each has to learn. Numbers: ${model.get("provenance")}.`;
    told.textContent = `At n = ${whole(n)} the ideal tensor has ${large(ideal / attention)} times as many numbers. If you read attention’s in one second, reading the tensor’s would take ${large(ideal / attention, TIME)}.`;
    counts.replaceChildren(
      line("ideal tensor", ideal, [
        "n · d · n · d",
        below("v"),
        " = ",
        mark(n),
        ` · ${whole(d)} · `,
        mark(n),
        ` · ${whole(d_v)}`,
      ]),
      bar(ideal, 0),
      line("attention", attention, [
        "2 · d · d",
        below("k"),
        " + d · d",
        below("v"),
        ` = 2 · ${whole(d)} · ${whole(d_k)} + ${whole(d)} · ${whole(d_v)}`,
      ]),
      bar(attention, 1),
      scale,
      element("p.note", "A logarithmic scale: each step to the right is a thousand times as many."),
      ui.scroll(
        "both counts",
        ui.table(
          ["", "numbers", "at 4 bytes", "for 2n tokens"],
          [
            ["ideal tensor", ideal, twice],
            ["attention", attention, 1],
          ].map(([name, count, times]) => [name, large(count), large(4 * count, ui.BYTES), `× ${times}`]),
        ),
      ),
    );
    const most = Math.max(ideal, attention),
      sides = [ideal, attention].map((count) => SIDE * Math.sqrt(count / most));
    squares.forEach((square, i) => {
      for (const [name, value] of Object.entries({ x: 0, y: SIDE - sides[i], width: sides[i], height: sides[i] }))
        square.setAttribute(name, value);
    });
    const least = Math.min(...sides);
    for (const [name, value] of Object.entries({ cx: least / 2, cy: SIDE - least / 2, r: least < 12 ? 9 : 0 }))
      ring.setAttribute(name, value);
    note.textContent = `As areas, true to scale${least < 12 ? ": the ring marks the smaller" : ""}.`;
    picture.setAttribute(
      "aria-label",
      `Two squares: the side of the larger is ${large(Math.max(...sides) / least)} times that of the smaller${least < 12 ? ", which a ring marks" : ""}`,
    );
    controls.draw();
  };
}

function mark(n) {
  return element("strong", whole(n));
}

function below(letter) {
  return element("sub", letter);
}

function width(letter, of) {
  return element("span", "width d", below(letter), of);
}

function line(name, count, formula) {
  return element("p.count", element("b", `${name}: ${large(count)}`), element("br"), ...formula);
}

function bar(count, part) {
  return element(
    "div.stack.log",
    { "aria-hidden": "true" },
    element("span", { "data-part": part, style: `--w:${(Math.log10(count) / (3 * STEPS)).toFixed(4)}` }),
  );
}

export default ui.widget(changes, build);
