// A grid of weights as one small image: for many heads, or many tokens.

import * as ui from "./ui.mjs";

const { element } = ui;

// A canvas of n_q × n_k cells with a text equivalent, to be filled by `paint`.
export function map(label) {
  return element("canvas", { class: "attn-map", role: "img", "aria-label": label });
}

// `weight(i, j)` lies between 0 and 1, or is null where a cell is masked. The colour is the canvas's own, from the style.
export function paint(canvas, n_q, n_k, weight) {
  if (canvas.width !== n_k) canvas.width = n_k;
  if (canvas.height !== n_q) canvas.height = n_q;
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(canvas).color; // as the style writes it, so that any notation is understood
  context.globalAlpha = 1;
  context.clearRect(0, 0, 1, 1);
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
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
