// A grid of weights as one small image: for many heads, or many tokens.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./heat.css";

const cache = new Map(); // colours as red, green and blue

// A canvas with a text equivalent, to be filled by `paint`.
export function map(label) {
  return element("canvas.map", { role: "img", "aria-label": label });
}

// Rows of weights between 0 and 1, or null where a cell is masked. The colour is the canvas's own, from ui.css, once
// it is in the page: until then it is tried again, for a second. What it shows already is not painted again.
export function paint(canvas, rows, tries = 60) {
  if (!canvas.isConnected && tries) requestAnimationFrame(() => paint(canvas, rows, tries - 1));
  if (!canvas.isConnected) return;
  const { color } = getComputedStyle(canvas),
    [n_q, n_k] = [rows.length, rows[0].length];
  if (canvas.rows === rows && canvas.color === color) return;
  Object.assign(canvas, { rows, color });
  if (canvas.width !== n_k) canvas.width = n_k;
  if (canvas.height !== n_q) canvas.height = n_q;
  const context = canvas.getContext("2d", { willReadFrequently: true }); // the processor writes its pixels
  const image = context.createImageData(n_k, n_q),
    pixels = new Uint32Array(image.data.buffer), // opacity, blue, green, red
    [red, green, blue] = rgb(context, color);
  const shade = (blue << 16) | (green << 8) | red;
  rows.flat().forEach((weight, at) => {
    pixels[at] = (Math.round(255 * weight) << 24) | shade; // null counts as 0
  });
  context.putImageData(image, 0, 0);
}

// A small picture of each head, which is a button that tells `press`: `counts` heads in the layers, one after another.
// `mark` presses those for which it is true.
export function gallery(counts, press, name = (layer, head) => `Layer ${layer + 1}, head ${head + 1}`) {
  const tile = (layer, head) => {
    const canvas = map(name(layer, head));
    const node = ui.button("", () => press(layer, head));
    node.append(canvas, element("span", { "aria-hidden": "true" }, `head ${head + 1}`));
    return { node, canvas, layer, head };
  };
  const rows = counts.map((count, layer) => Array.from({ length: count }, (_, head) => tile(layer, head)));
  const group = (row, layer) => {
    const label = { role: "group", "aria-label": `layer ${layer + 1}` };
    return element("div.layer", label, element("span", `Layer ${layer + 1}`), ...row.map(({ node }) => node));
  };
  const tiles = rows.flat();
  const mark = (chosen) =>
    tiles.forEach(({ node, layer, head }) => ui.set(node, { "aria-pressed": `${chosen(layer, head)}` }));
  return { nodes: rows.map(group), tiles, mark };
}

// A colour in whatever notation the style has, drawn and read back.
export function rgb(context, colour) {
  if (!cache.has(colour)) {
    context.fillStyle = colour;
    context.globalAlpha = 1;
    context.clearRect(0, 0, 1, 1);
    context.fillRect(0, 0, 1, 1);
    cache.set(colour, context.getImageData(0, 0, 1, 1).data);
  }
  return cache.get(colour);
}
