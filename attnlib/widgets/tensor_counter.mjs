// TensorCounter: the numbers of the ideal tensor against those of attention, as n and the widths change.

import * as cost from "./cost.mjs";
import * as ui from "./ui.mjs";
import { element, large, set, whole } from "./ui.mjs";
import "./tensor_counter.css";

const SIZES = ["n", "d", "d_k", "d_v"];
const STEPS = 8; // of a thousand each, on the scale
const YEAR = 365.25 * 86400;
const TIME = Object.entries({ seconds: 1, minutes: 60, hours: 3600, days: 86400, years: YEAR });
TIME.push(["thousand years", 1e3 * YEAR], ["million years", 1e6 * YEAR], ["billion years", 1e9 * YEAR]);
const TIMES = TIME.map(([name, seconds]) => [seconds, ` ${name}`]);
const SMALL = 12; // a side below which a ring marks the square
const SIDE = 150; // of the picture

function build(model, figure) {
  const controls = ui.controls(
    ui.list_slider(model, "n", "tokens n", () => ui.LENGTHS),
    ui.list_slider(model, "d", "width d", () => ui.WIDTHS),
    ui.list_slider(model, "d_k", width("k", " of query and key"), () => ui.WIDTHS),
    ui.list_slider(model, "d_v", width("v", " of value"), () => ui.WIDTHS),
  );
  const told = ui.live();
  const [note, counts] = [element("p.note"), element("div.readout")];
  const squares = ["rect.ideal", "rect.small"].map((name) => element(name));
  const ring = element("circle.ring");
  const picture = element(
    "svg.squares",
    { viewBox: `-12 -2 ${SIDE + 14} ${SIDE + 14}`, role: "img" },
    ...squares,
    ring,
  );
  const powers = Array.from({ length: STEPS }, (_, i) => element("span", "10", element("sup", 3 * (i + 1))));
  const scale = element("div.scale", { "aria-hidden": "true" }, element("span", "1"), ...powers);
  const why =
    "The three matrices of attention meet one token at a time, so they serve texts of any length. " +
    "The ideal tensor is made for one n and fits no other.";
  const areas = element("div.areas", picture, note);
  figure.append(controls.node, told, element("div.columns", counts, areas), element("p", why));

  return () => {
    const { title, provenance, n, d, d_k, d_v } = ui.sizes(model, SIZES);
    const ideal = cost.ideal_tensor_parameters(n, d, d_v);
    const attention = cost.attention_parameters(d, d_k, d_v);
    const caption = `${title} against attention: how many numbers each has to learn.`;
    figure.firstChild.textContent = `${caption} Numbers: ${provenance}.`;
    told.textContent =
      `At n = ${whole(n)} the ideal tensor has ${large(ideal / attention)} times as many numbers. ` +
      `If you read attention’s in one second, reading the tensor’s would take ${large(ideal / attention, TIMES)}.`;
    const row = (name, count, times) => [name, large(count), large(4 * count, ui.BYTES), `× ${times}`];
    const twice = cost.ideal_tensor_parameters(2 * n, d, d_v) / ideal;
    const rows = [row("ideal tensor", ideal, twice), row("attention", attention, 1)];
    counts.replaceChildren(
      line("ideal tensor", ideal, product(n, d, d_v)),
      bar(ideal, 0),
      line("attention", attention, sum(d, d_k, d_v)),
      bar(attention, 1),
      scale,
      element("p.note", "A logarithmic scale: each step to the right is a thousand times as many."),
      ui.scroll("both counts", ui.table(["", "numbers", "at 4 bytes", "for 2n tokens"], rows)),
    );
    const sides = [ideal, attention].map((count) => SIDE * Math.sqrt(count / Math.max(ideal, attention)));
    squares.forEach((square, i) => set(square, { x: 0, y: SIDE - sides[i], width: sides[i], height: sides[i] }));
    const least = Math.min(...sides);
    set(ring, { cx: least / 2, cy: SIDE - least / 2, r: least < SMALL ? 9 : 0 });
    note.textContent = `As areas, true to scale${least < SMALL ? ": the ring marks the smaller" : ""}.`;
    const marked = least < SMALL ? ", which a ring marks" : "";
    const larger = large(Math.max(...sides) / least);
    set(picture, {
      "aria-label": `Two squares: the side of the larger is ${larger} times that of the smaller${marked}`,
    });
    controls.draw();
  };
}

function product(n, d, d_v) {
  return ui.sentence`n · d · n · d${below("v")} = ${mark(n)} · ${whole(d)} · ${mark(n)} · ${whole(d_v)}`;
}

function sum(d, d_k, d_v) {
  const numbers = `2 · ${whole(d)} · ${whole(d_k)} + ${whole(d)} · ${whole(d_v)}`;
  return ui.sentence`2 · d · d${below("k")} + d · d${below("v")} = ${numbers}`;
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
  const style = `--w:${(Math.log10(count) / (3 * STEPS)).toFixed(4)}`;
  return element("div.stack.log", { "aria-hidden": "true" }, element("span", { "data-part": part, style }));
}

export default ui.widget(build);
