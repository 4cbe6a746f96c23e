// A grid of weights as one small image: for many heads, or many tokens.

import * as ui from "./ui.mjs";

const { element } = ui;
const known = new Map(); // colours as red, green and blue

// A canvas of n_q × n_k cells with a text equivalent, to be filled by `paint`.
export function map(label) {
  return element("canvas.map", { role: "img", "aria-label": label });
}

// `weight(i, j)` lies between 0 and 1, or is null where a cell is masked. The colour is the canvas's own, from the style,
// which it has once it is in the page: until then it is tried again, for a second.
export function paint(canvas, n_q, n_k, weight, tries = 60) {
  if (!canvas.isConnected && tries) requestAnimationFrame(() => paint(canvas, n_q, n_k, weight, tries - 1));
  if (!canvas.isConnected) return;
  if (canvas.width !== n_k) canvas.width = n_k;
  if (canvas.height !== n_q) canvas.height = n_q;
  const context = canvas.getContext("2d");
  const [red, green, blue] = rgb(context, getComputedStyle(canvas).color);
  const image = context.createImageData(n_k, n_q);
  for (let i = 0, at = 0; i < n_q; i++) {
    for (let j = 0; j < n_k; j++, at += 4) {
      image.data[at] = red;
      image.data[at + 1] = green;
      image.data[at + 2] = blue;
      image.data[at + 3] = 255 * (weight(i, j) ?? 0);
    }
  }
  context.putImageData(image, 0, 0);
}

// A colour in whatever notation the style has, drawn and read back.
function rgb(context, colour) {
  if (!known.has(colour)) {
    context.fillStyle = colour;
    context.globalAlpha = 1;
    context.clearRect(0, 0, 1, 1);
    context.fillRect(0, 0, 1, 1);
    known.set(colour, context.getImageData(0, 0, 1, 1).data);
  }
  return known.get(colour);
}
