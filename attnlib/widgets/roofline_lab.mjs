// RooflineLab: a point on a machine's roofline, moved by how many queries share the bytes of a key.

import * as ui from "./ui.mjs";
import { element, large, number, set } from "./ui.mjs";
import "./roofline_lab.css";

const QUERIES = [...new Set(Array.from({ length: 41 }, (_, i) => Math.round(2 ** (i / 4))))]; // quarters of an octave
const [FEW, MANY] = [0.25, 256]; // multiply–adds for each byte
const [SLOW, FAST] = [1e11, 1e14]; // of them, a second
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 312, 8, 128];
const CAPTION =
  "multiply–adds a second, at best, by how many of them each byte serves. On the slope work waits for bytes, on the " +
  "flat part for the processor. Move how many queries share a key and its value.";

function build(model, figure) {
  const { peak, bandwidth, products, bytes, whole, machine } = model.get("constants");
  const along = (low, high, from, to) => (value) =>
    (from + (Math.log(value / low) / Math.log(high / low)) * (to - from)).toFixed(1);
  const [x, y] = [along(FEW, MANY, LEFT, RIGHT), along(SLOW, FAST, BOTTOM, TOP)];
  const rate_of = (intensity) => Math.min(peak, bandwidth * intensity);
  const ridge = peak / bandwidth;
  const roof = [FEW, ridge, MANY].map((intensity) => `${x(intensity)} ${y(rate_of(intensity))}`);
  const label = (text, at) => element("text", at, text);
  const below = ["1/4", "1", "4", "16", "64", "256"].map((text, i) =>
    label(text, { x: x(FEW * 4 ** i), y: BOTTOM + 13, "text-anchor": "middle" }),
  );
  const beside = [1e11, 1e12, 1e13, 1e14].map((rate) =>
    label(number(rate / 1e12, rate < 1e12 ? 1 : 0), { x: LEFT - 5, y: Number(y(rate)) + 3, "text-anchor": "end" }),
  );
  const ways = Object.entries({ "whole grids": whole, "64 rows": 64 / bytes, tiles: 256 / bytes });
  const marks = ways.flatMap(([name, at]) => {
    const [cx, cy] = [x(at), y(rate_of(at))];
    return [element("circle.grids", { cx, cy, r: 4 }), label(name, { x: Number(cx) + 7, y: Number(cy) + 11 })];
  });
  const point = element("circle.first", { r: 6 });
  const picture = element(
    "svg.roof",
    { viewBox: "0 0 320 158", role: "img", "aria-label": `the roofline of one ${machine}` },
    element("line", { x1: x(ridge), x2: x(ridge), y1: y(peak), y2: BOTTOM }),
    element("path", { d: `M${roof.join("L")}` }),
    ...beside,
    ...below,
    label("multiply–adds for each byte", { x: RIGHT, y: BOTTOM + 26, "text-anchor": "end" }),
    label("trillions a second", { x: LEFT + 3, y: TOP + 3 }),
    ...marks,
    point,
  );
  const slider = ui.list_slider(model, "queries", "queries that share a key", () => QUERIES);
  const [controls, told] = [ui.controls(slider), ui.live("p.result")];
  figure.append(element("div.roofline", picture, controls.node, told));

  return () => {
    const queries = model.get("queries");
    const intensity = queries / bytes;
    const rate = rate_of(intensity);
    set(point, { cx: x(intensity), cy: y(rate) });
    const waits = intensity < ridge ? "bytes" : "the processor";
    const seconds = products / rate;
    const each = `${Number(intensity.toPrecision(3))} multiply–adds for each byte, ${large(rate)} a second at best`;
    const text = `${Number(seconds.toPrecision(3))}\u00a0s for the attention of the text`;
    ui.write(
      told,
      `${ui.whole(queries)} ${queries === 1 ? "query" : "queries"}: ${each}, ${text}. It waits for ${waits}.`,
    );
    ui.caption(model, figure, CAPTION);
    controls.draw();
  };
}

export default ui.widget(build);
