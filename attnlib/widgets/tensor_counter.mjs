// TensorCounter: the numbers of the ideal tensor against those of attention, as n and the widths change.

import * as cost from "./cost.mjs";
import * as ui from "./ui.mjs";
import { element, large, set, whole } from "./ui.mjs";
import "./tensor_counter.css";

const LABELS = { n: "tokens n", d: "width d", d_k: "width d_k of query and key", d_v: "width d_v of value" };
const STEPS = 8; // of a thousand each, on the scale
const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86400 };
const TIMES = Object.entries(UNITS).map(([name, seconds]) => [seconds, ` ${name}`]);
TIMES.push(
  ...["", "thousand ", "million ", "billion "].map((name, i) => [365.25 * 86400 * 1000 ** i, ` ${name}years`]),
);
const SMALL = 12; // a side below which a ring marks the square
const SIDE = 150; // of the picture

function build(model, figure) {
  const lists = Object.entries(LABELS).map(([name, label]) =>
    ui.list_slider(model, name, element("span", ...ui.formula(label)), () => (name === "n" ? ui.LENGTHS : ui.WIDTHS)),
  );
  const controls = ui.controls(...lists);
  const told = ui.live();
  const [note, counts] = [element("p.note"), element("div.readout")];
  const squares = ["rect.ideal", "rect.small"].map((name) => element(name));
  const ring = element("circle.ring");
  const drawn = element("svg.squares", { viewBox: `-12 -2 ${SIDE + 14} ${SIDE + 14}`, role: "img" }, ...squares, ring);
  const powers = Array.from({ length: STEPS }, (_, i) => element("span", "10", element("sup", 3 * (i + 1))));
  const scale = element("div.scale", { "aria-hidden": "true" }, element("span", "1"), ...powers);
  const why =
    "The three matrices of attention meet one token at a time, so they serve texts of any length. " +
    "The ideal tensor is made for one n, and has no cells for more tokens.";
  const names = ["ideal tensor", "attention"];
  const said = names.map(() => element("p.count"));
  const bars = names.map((_, part) => ui.stack([part], ".log"));
  const both = ui.scroll("both counts");
  const unit = element("p.note", "A logarithmic scale: each step to the right is a thousand times as many.");
  counts.append(...names.flatMap((_, i) => [said[i], bars[i].node]), scale, unit, both);
  const areas = element("div.areas", drawn, note);
  figure.append(controls.node, told, element("div.columns", counts, areas), element("p", why));

  return () => {
    const { title, provenance, n, d, d_k, d_v } = ui.values(model);
    const ideal = cost.ideal_tensor_parameters(n, d, d_v);
    const attention = cost.attention_parameters(d, d_k, d_v);
    const caption = `${title} against attention: how many numbers each has to learn.`;
    ui.write(figure.firstChild, `${caption} Numbers: ${provenance}.`);
    const text =
      `At n = ${whole(n)} the ideal tensor has ${large(ideal / attention)} times as many numbers. ` +
      `If you read attention’s in one second, reading the tensor’s would take ${large(ideal / attention, TIMES)}.`;
    ui.write(told, text);
    const pair = [ideal, attention];
    pair.forEach((count, i) => bars[i].draw([Math.log10(count) / (3 * STEPS)]));
    const formula = ui.formula("n · d · n · d_v");
    const formulas = [
      () => ui.sentence`${formula} = ${mark(n)} · ${whole(d)} · ${mark(n)} · ${whole(d_v)}`,
      () => ui.formula(`2 · d · d_k + d · d_v = 2 · ${whole(d)} · ${whole(d_k)} + ${whole(d)} · ${whole(d_v)}`),
    ];
    said.forEach((line, i) =>
      ui.refill(line, () => [element("b", `${names[i]}: ${large(pair[i])}`), element("br"), ...formulas[i]()]),
    );
    ui.refill(both, () => {
      const times = [cost.ideal_tensor_parameters(2 * n, d, d_v) / ideal, 1];
      const row = (count, i) => [names[i], large(count), large(4 * count, ui.BYTES), `× ${times[i]}`];
      return [ui.table(["", "numbers", "at 4 bytes", "for 2n tokens"], pair.map(row))];
    });
    const sides = pair.map((count) => SIDE * Math.sqrt(count / Math.max(ideal, attention)));
    squares.forEach((square, i) => set(square, { x: 0, y: SIDE - sides[i], width: sides[i], height: sides[i] }));
    const least = Math.min(...sides);
    set(ring, { cx: least / 2, cy: SIDE - least / 2, r: least < SMALL ? 9 : 0 });
    ui.write(note, `As areas, true to scale${least < SMALL ? ": the ring marks the smaller" : ""}.`);
    const label = `the side of the larger is ${large(Math.max(...sides) / least)} times that of the smaller`;
    const marked = least < SMALL ? ", which a ring marks" : "";
    set(drawn, { "aria-label": `Two squares: ${label}${marked}` });
    controls.draw();
  };
}

function mark(n) {
  return element("strong", whole(n));
}

export default ui.widget(build);
