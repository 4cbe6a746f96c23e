// While an input moves, the shades and numbers of a table's cells are painted on a canvas over them. The cells are
// written when the input rests, and then the canvas goes: a page lays out text far slower than it paints it.

import { at_rest, is_moving } from "anywidget_static/pace.mjs";
import { element } from "./ui.mjs";
import "./film.css";

const AT_ONCE = 64; // cells that are written in one task

// For rows of cells, what shows them: `look(i, j)` gives a cell's share of the colour and its text, or null where it
// does not change; `write(i)` writes a row.
export function film(cells) {
  if (!films.has(cells)) films.set(cells, make(cells));
  return films.get(cells);
}

const films = new WeakMap();

function make(cells) {
  const table = cells[0][0].closest("table");
  const canvas = element("canvas.film", { "aria-hidden": "true" }, element("i.shade"));
  let [places, look, write, timer] = [null, null, null, 0];
  const show = () => {
    places ??= measure(table, cells, canvas);
    paint(canvas, places, look);
  };
  // What is seen is elsewhere now: other cells, too, than were measured.
  const moved = () => {
    places = null;
    if (is_moving(table)) show();
  };
  let stopped = null;
  const end = () => {
    clearTimeout(timer);
    stopped?.abort();
    canvas.remove();
    places = look = write = stopped = null;
  };
  const begin = () => {
    stopped = new AbortController();
    for (const name of ["scroll", "resize"])
      addEventListener(name, moved, { capture: true, passive: true, signal: stopped.signal });
  };
  const settle = (i = 0) => {
    if (!write) return;
    const next = Math.min(cells.length, i + Math.ceil(AT_ONCE / cells[0].length));
    for (let row = i; row < next; row++) write(row);
    if (next === cells.length) end();
    else timer = setTimeout(settle, 0, next);
    if (i === 0) places = null; // columns may have another width now
  };
  return (look_at, write_row) => {
    clearTimeout(timer);
    if (!is_moving(table)) {
      end();
      cells.forEach((_, i) => write_row(i));
      return;
    }
    [look, write] = [look_at, write_row];
    if (!stopped) begin();
    show();
    at_rest(table, settle);
  };
}

// Lays the canvas over what is seen of a table. Returns the places of the cells on it, and how they are drawn.
function measure(table, cells, canvas) {
  const home = table.parentElement;
  home.classList.add("attn-filmed");
  if (canvas.parentNode !== home) home.append(canvas);
  const ratio = devicePixelRatio || 1;
  const [around, frame] = [home, table].map((node) => node.getBoundingClientRect());
  const left = Math.max(frame.left, around.left, 0);
  const top = Math.floor(Math.max(frame.top, 0) * ratio) / ratio;
  const right = Math.min(frame.right, around.right, innerWidth);
  const bottom = Math.min(frame.bottom, innerHeight);
  const x = Math.floor(left * ratio) / ratio;
  const [w, h] = [right - x, bottom - top].map((size) => Math.max(1, Math.ceil(size * ratio)));
  const style = getComputedStyle(cells[0][0]);
  const { fontStyle, fontWeight, fontSize, fontFamily } = style;
  Object.assign(canvas, { width: w, height: h });
  canvas.style.cssText =
    `left:${x - around.left - home.clientLeft + home.scrollLeft}px;` +
    `top:${top - around.top - home.clientTop + home.scrollTop}px;width:${w / ratio}px;height:${h / ratio}px`;
  const context = canvas.getContext("2d");
  context.translate(-x * ratio, -top * ratio); // in pixels of the screen, in which a page lays out its text too
  const size = parseFloat(fontSize) * ratio;
  Object.assign(context, { font: `${fontStyle} ${fontWeight} ${size}px ${fontFamily}`, textAlign: "center" });
  const ascent = Math.round(context.measureText("0").fontBoundingBoxAscent);
  const snap = (x) => Math.round(x * ratio);
  const text = document.createRange();
  const seen = cells.flatMap((row, i) =>
    row.flatMap((cell, j) => {
      const box = cell.getBoundingClientRect();
      if (box.right <= x || box.left >= right || box.bottom <= top || box.top >= bottom) return [];
      const { color, outlineStyle, outlineColor } = getComputedStyle(cell);
      text.selectNodeContents(cell);
      const [from, above, to, under] = [box.left, box.top, box.right, box.bottom].map(snap);
      const place = [from, above, to - from, under - above];
      const line = text.getBoundingClientRect(); // in the middle of its cell, as exactly as a page lays out text
      const at = [(line.left + line.width / 2) * ratio, snap(line.top) + ascent];
      return [{ i, j, place, at, color, outline: outlineStyle === "none" ? null : outlineColor }];
    }),
  );
  return {
    context,
    seen,
    radius: (parseFloat(style.borderTopLeftRadius) || 0) * ratio,
    ratio,
    shade: shading(canvas.firstChild),
  };
}

// The colour of a share, mixed as the style mixes it.
function shading(probe) {
  const [none, all] = [0, 1].map((share) => {
    probe.style.setProperty("--w", share);
    return getComputedStyle(probe).backgroundColor;
  });
  return (share) => `color-mix(in oklab, ${all} ${100 * share}%, ${none})`;
}

function paint(canvas, { context, seen, radius, ratio, shade }, look) {
  context.save();
  context.resetTransform();
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.restore();
  const shown = seen.map((one) => ({ ...one, ...look(one.i, one.j) })).filter(({ text }) => text !== undefined);
  for (const { share, place } of shown) {
    context.fillStyle = shade(share);
    context.beginPath(); // of one cell: a browser smooths the corners of many in another way
    context.roundRect(...place, radius);
    context.fill();
  }
  for (const { place, at, color, outline, text } of shown) {
    if (outline) {
      context.strokeStyle = outline;
      context.lineWidth = 2 * ratio;
      context.strokeRect(...place);
    }
    if (context.color !== color) context.fillStyle = context.color = color;
    context.fillText(text, ...at);
  }
  context.color = null;
}
