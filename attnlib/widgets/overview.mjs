// All heads of a model as small pictures: one canvas for all of them, and over it a grid of cells to be chosen.

import * as grid from "./grid.mjs";
import * as heat from "./heat.mjs";
import { element, number } from "./ui.mjs";

const [LEAST, MOST, GAP] = [1.5, 5.5, 4]; // of a head: rem that a finger hits, rem that are enough, pixels between
const NAME = 0.9; // rem for the name under a head, where the heads are sorted
const TINY = 3; // rem of a picture that a sign in a box would cover
export const MARKED = 0.5; // a head is marked by what it does with this share of its weight
export const FEWEST = 3; // and if so many queries say it

// For each score its sign, in the order of attnlib.models.scores.SCORES.
export const SIGNS = {
  "previous token": "←",
  "next token": "→",
  itself: "•",
  "first token": "⇤",
  separator: "‖",
  "same token": "=",
  induction: "↻",
};

export const name_of = (layer, head) => `${layer + 1}.${head + 1}`;

// What a head does most, if that is half of its weight or more, and several queries say so.
export function habit({ scores, cases }, layer, head) {
  const known = Object.keys(SIGNS).filter((name) => !(cases[name] < FEWEST));
  const all = known.map((name) => [scores[name]?.[layer]?.[head] ?? 0, name]);
  const [share, name] = all.reduce((most, one) => (one[0] > most[0] ? one : most), [0, null]);
  return share >= MARKED ? name : null;
}

// What there is to say about a head in a few words.
export function describe(recording, layer, head, sort = "layer") {
  const { scores, cases } = recording;
  const found = new Set([habit(recording, layer, head), scores[sort] && sort].filter(Boolean));
  const few = (name) => (cases[name] < FEWEST ? ` (${cases[name] > 1 ? `${cases[name]} queries` : "1 query"})` : "");
  const told = Array.from(found, (name) => `${name} ${number(scores[name][layer][head])}${few(name)}`);
  return [name_of(layer, head), ...told].join(", ");
}

// All heads, [layer, head], layer by layer or by a score, the largest first.
export function ordered({ num_layers, num_heads, scores }, sort) {
  const heads = Array.from({ length: num_layers * num_heads }, (_, i) => [Math.floor(i / num_heads), i % num_heads]);
  const score = ([layer, head]) => scores[sort][layer][head];
  return scores[sort] ? heads.sort((a, b) => score(b) - score(a)) : heads;
}

// `choose(layer, head)` is told which is pressed, `point(layer, head)` which is pointed at.
export function overview(label, choose, point) {
  const canvas = element("canvas.all-heads", { "aria-hidden": "true" });
  const board = element("div.board", { role: "grid", "aria-label": label });
  const node = element("div.overview", canvas, board);
  const scroll = element("div.scroll", node);
  let [recording, sort, cells, order, painted, enter, entry] = [null, null, [], [], "", null, null];
  const at = (target) => order[cells.indexOf(target.closest("[role=gridcell]"))];
  const told = (tell) => (event) => at(event.target) && tell(...at(event.target));
  board.addEventListener("click", told(choose));
  board.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    told(choose)(event);
  });
  for (const name of ["pointerover", "focusin"]) board.addEventListener(name, told(point));

  const lay_out = () => {
    const { num_layers, num_heads, scores } = recording;
    const layered = !scores[sort];
    order = ordered(recording, sort);
    cells = order.map(([layer, head]) => {
      const sign = SIGNS[habit(recording, layer, head)];
      const name = describe(recording, layer, head, sort);
      return element(
        "div.head-cell",
        { role: "gridcell", "aria-label": name },
        ...(sign ? [element("span.head-mark", sign)] : []),
        ...(layered ? [] : [element("span.head-name", name_of(layer, head))]),
      );
    });
    const rows = Array.from({ length: num_layers }, (_, i) => cells.slice(i * num_heads, (i + 1) * num_heads));
    const label = (i) => element("span.head-side", { role: "rowheader" }, layered ? `${i + 1}` : "");
    const top = cells.slice(0, num_heads).map((_, i) => element("span.head-top", layered ? `${i + 1}` : ""));
    const group = element(
      "div",
      { role: "rowgroup" }, // with its listeners it goes when others take its place
      ...rows.map((row, i) => element("div.head-row", { role: "row" }, label(i), ...row)),
    );
    board.replaceChildren(
      element("div.head-row", { "aria-hidden": "true" }, element("span.head-side", ""), ...top),
      group,
    );
    [enter, entry] = [grid.walk(group, rows), cells[0]];
    node.style.setProperty("--across", num_heads);
  };
  const paint = () => {
    if (!recording?.is_ready() || !canvas.isConnected || !scroll.clientWidth) return;
    const { num_layers, num_heads, causal, scores } = recording;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const free = scroll.clientWidth - 6 - board.querySelector("span").clientWidth;
    const wide = Math.max(LEAST * rem, Math.min(MOST * rem, Math.floor(free / num_heads)));
    const ratio = Math.min(2, devicePixelRatio || 1);
    const style = getComputedStyle(canvas);
    const key = [wide, ratio, style.color, style.borderTopColor, sort].join();
    if (painted === key) return;
    painted = key;
    const tall = scores[sort] ? wide + NAME * rem : wide;
    node.style.setProperty("--tile", `${wide}px`);
    node.style.setProperty("--tall", `${tall}px`);
    node.classList.toggle("attn-tiny", wide < TINY * rem);
    const [step, down, side] = [wide, tall, wide - GAP].map((length) => Math.round(length * ratio));
    [canvas.width, canvas.height] = [num_heads * step, num_layers * down];
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const colours = palette(context, style.borderTopColor, style.color);
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const first = recording.small(0, 0);
    const [rows, columns] = [spread(first.n_q, side), spread(first.n_k, side)];
    const inset = Math.round((GAP * ratio) / 2);
    order.forEach(([layer, head], i) => {
      const start = (Math.floor(i / num_heads) * down + inset) * canvas.width + (i % num_heads) * step + inset;
      picture(pixels, start, canvas.width, recording.small(layer, head), rows, columns, colours, causal);
    });
    context.putImageData(image, 0, 0);
  };
  new ResizeObserver(() => requestAnimationFrame(paint)).observe(scroll);
  const draw = (next, by, heads, silent) => {
    if (recording !== next || sort !== by) {
      [recording, sort, painted] = [next, by, ""];
      lay_out();
    }
    const names = heads.map(String);
    order.forEach((at, i) => {
      const n = names.indexOf(`${at}`);
      if (cells[i].ariaSelected !== `${n === 0}`) cells[i].ariaSelected = `${n === 0}`;
      cells[i].classList.toggle("attn-kept", n > 0);
      cells[i].classList.toggle("attn-silent", silent && n >= 0);
      if (n > 0) cells[i].style.setProperty("--head", n);
      if (n || entry === cells[i]) return;
      entry = cells[i];
      enter(entry);
    });
    if (recording.is_ready()) paint();
    else recording.ready.then(paint, () => {});
  };
  return { node: scroll, draw };
}

// For each pixel of a side the cells that it shows: from, to.
function spread(n, side) {
  return Array.from({ length: side }, (_, p) => {
    const from = Math.floor((p * n) / side);
    return [from, Math.max(from + 1, Math.floor(((p + 1) * n) / side))];
  });
}

// 256 shades between two colours, as a canvas holds its pixels.
export function palette(context, low, high) {
  const [from, to] = [low, high].map((colour) => Array.from(heat.rgb(context, colour)));
  const bytes = Uint8ClampedArray.from({ length: 1024 }, (_, i) => {
    const [shade, channel] = [(i >> 2) / 255, i & 3];
    return channel === 3 ? 255 : from[channel] + (to[channel] - from[channel]) * shade;
  });
  return new Uint32Array(bytes.buffer);
}

// One head, from the pixel `start` of rows `width` wide; a pixel for several cells shows the largest. What a causal
// head cannot read stays empty.
function picture(pixels, start, width, { cells, n_k }, rows, columns, colours, causal) {
  const side = columns.length;
  rows.forEach(([top, bottom], y) => {
    const line = start + y * width;
    if (y && rows[y - 1][0] === top && rows[y - 1][1] === bottom) {
      pixels.copyWithin(line, line - width, line - width + side);
      return;
    }
    for (let x = 0; x < side; x++) {
      const [left, right] = columns[x];
      if (causal && left >= bottom) break;
      let most = 0;
      for (let i = top; i < bottom; i++)
        for (let j = left; j < right; j++) if (cells[i * n_k + j] > most) most = cells[i * n_k + j];
      pixels[line + x] = colours[most];
    }
  });
}
