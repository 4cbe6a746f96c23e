// While an input moves, the shades and numbers of a table's cells are painted on a canvas over them. The cells are
// written when the input rests, and then the canvas goes: a page lays out text far slower than it paints it.

import { at_rest, is_moving } from "anywidget_static/pace.mjs";
import { element } from "./ui.mjs";
import "./film.css";

const AT_ONCE = 64; // cells that are written in one task
const ENDS = ["--attn-none", "--attn-full"]; // the colours of weights 0 and 1
const MARKS = { subtree: true, attributeFilter: ["class", "aria-selected"] }; // what a cell's style may depend on

// For rows of cells, what shows them: `look(i, j)` gives a cell's share of the colour and its text, or null where it
// does not change; `write(i)` writes a row.
export function film(cells) {
  if (!films.has(cells)) films.set(cells, make(cells));
  return films.get(cells);
}

const films = new WeakMap();

function make(cells) {
  const table = cells[0][0].closest("table");
  const canvas = element("canvas.film", { "aria-hidden": "true" });
  const shade_of = shading(table.parentElement, element("i.shade", { hidden: true }));
  let [places, look, write, timer] = [null, null, null, 0];
  // A cell that is marked looks otherwise; what is marked else may change all.
  const heed = (records) => {
    const marked = new Set(records.map(({ target }) => target));
    if (records.some(({ target }) => target.localName !== "td")) places = null;
    for (const one of places?.seen ?? []) if (marked.has(one.cell)) one.look = places.look_of(one.cell);
  };
  const show = () => {
    heed(marks.takeRecords());
    places ??= measure(table, cells, canvas, shade_of);
    paint(canvas, places, look);
  };
  const again = () => is_moving(table) && show();
  // What is seen is elsewhere now, or other cells than were measured.
  const moved = () => {
    places = null;
    again();
  };
  const marks = new MutationObserver((records) => {
    heed(records);
    again();
  });
  let stopped = null;
  const end = () => {
    clearTimeout(timer);
    stopped?.abort();
    marks.disconnect();
    canvas.remove();
    places = look = write = stopped = null;
  };
  const begin = () => {
    stopped = new AbortController();
    for (const name of ["scroll", "resize"])
      addEventListener(name, moved, { capture: true, passive: true, signal: stopped.signal });
    marks.observe(table, MARKS);
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

// Lays the canvas over what is seen of a table. Returns the places of the cells on it, and how they are drawn. All is
// read before anything is written, so that the page is laid out once.
function measure(table, cells, canvas, shade_of) {
  const home = table.parentElement;
  const ratio = devicePixelRatio || 1;
  const style = getComputedStyle(cells[0][0]);
  const { fontStyle, fontWeight, fontSize, fontFamily } = style;
  const [around, frame] = [home, table].map((node) => node.getBoundingClientRect());
  const left = Math.max(frame.left, around.left, 0);
  const top = Math.floor(Math.max(frame.top, 0) * ratio) / ratio;
  const right = Math.min(frame.right, around.right, innerWidth);
  const bottom = Math.min(frame.bottom, innerHeight);
  const x = Math.floor(left * ratio) / ratio;
  const [w, h] = [right - x, bottom - top].map((size) => Math.max(1, Math.ceil(size * ratio)));
  const snap = (x) => Math.round(x * ratio);
  // The cells of a column and their lines stand below each other, those of a row beside each other.
  const text = document.createRange();
  const places_of = (line) => {
    const cell = line.find(({ textContent }) => textContent) ?? line[0];
    text.selectNodeContents(cell);
    return [cell, text].map((node) => node.getBoundingClientRect());
  };
  const rows = cells.map(places_of);
  const columns = cells[0].map((_, j) => places_of(cells.map((row) => row[j]).reverse())); // the last row has no mask
  canvas.style.cssText =
    `left:${x - around.left - home.clientLeft + home.scrollLeft}px;` +
    `top:${top - around.top - home.clientTop + home.scrollTop}px;width:${w / ratio}px;height:${h / ratio}px`;
  Object.assign(canvas, { width: w, height: h });
  const context = canvas.getContext("2d");
  context.translate(-x * ratio, -top * ratio); // in pixels of the screen, in which a page lays out its text too
  const size = parseFloat(fontSize) * ratio;
  Object.assign(context, { font: `${fontStyle} ${fontWeight} ${size}px ${fontFamily}`, textAlign: "center" });
  const ascent = Math.round(context.measureText("0").fontBoundingBoxAscent);
  const looks = new Map(); // by what a cell's style may depend on: to ask for a style costs more than to paint a cell
  const look_of = (cell) => {
    const kind = [cell.className, cell.ariaSelected, cell.parentNode.className, cell === document.activeElement].join();
    if (!looks.has(kind)) looks.set(kind, read(getComputedStyle(cell)));
    return looks.get(kind);
  };
  const read = (style) => {
    const { color, outlineStyle, outlineColor, outlineOffset, outlineWidth } = style;
    const [wide, offset] = [outlineWidth, outlineOffset].map((length) => parseFloat(length) * ratio);
    const outline = outlineStyle === "none" ? null : { colour: outlineColor, wide, offset };
    return { color, outline, shade: shade_of(style) };
  };
  const seen = rows.flatMap(([box, line], i) => {
    if (box.bottom <= top || box.top >= bottom) return [];
    const [above, under] = [box.top, box.bottom].map(snap);
    return columns.flatMap(([column, word], j) => {
      if (column.right <= x || column.left >= right) return [];
      const [from, to] = [column.left, column.right].map(snap);
      const place = [from, above, to - from, under - above];
      const at = [(word.left + word.width / 2) * ratio, snap(line.top) + ascent]; // as a page lays out text
      return [{ i, j, cell: cells[i][j], place, at, look: look_of(cells[i][j]) }];
    });
  });
  const radius = (parseFloat(style.borderTopLeftRadius) || 0) * ratio;
  home.classList.add("attn-filmed");
  if (canvas.parentNode !== home) home.append(canvas);
  return { context, seen, look_of, radius };
}

// What gives the colour of a share for a cell's style, mixed as the style mixes it.
function shading(home, probe) {
  const known = new Map(); // by the colours that are mixed, and one that says whether the page is dark
  return (style) => {
    const ends = ENDS.map((name) => style.getPropertyValue(name));
    const key = [...ends, style.color].join();
    if (!known.has(key)) {
      home.append(probe);
      ENDS.forEach((name, i) => probe.style.setProperty(name, ends[i]));
      const [none, all] = [0, 1].map((share) => {
        probe.style.setProperty("--w", share);
        return getComputedStyle(probe).backgroundColor;
      });
      probe.remove();
      known.set(key, (share) => `color-mix(in oklab, ${all} ${100 * share}%, ${none})`);
    }
    return known.get(key);
  };
}

function paint(canvas, { context, seen, radius }, look) {
  context.save();
  context.resetTransform();
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.restore();
  const shown = seen.map((one) => ({ ...one, ...look(one.i, one.j) })).filter(({ text }) => text !== undefined);
  for (const { share, place, look } of shown) {
    context.fillStyle = look.shade(share);
    context.beginPath(); // of one cell: a browser smooths the corners of many in another way
    context.roundRect(...place, radius);
    context.fill();
  }
  for (const { place, look } of shown) {
    if (!look.outline) continue;
    const { colour, wide, offset } = look.outline;
    const [x, y, w, h] = place;
    const out = offset + wide / 2; // from the cell's edge to the middle of the line
    Object.assign(context, { strokeStyle: colour, lineWidth: wide });
    context.beginPath();
    context.roundRect(x - out, y - out, w + 2 * out, h + 2 * out, Math.max(0, radius + out));
    context.stroke();
  }
  let colour = null;
  for (const { at, look, text } of shown) {
    if (colour !== look.color) context.fillStyle = colour = look.color;
    context.fillText(text, ...at);
  }
}
