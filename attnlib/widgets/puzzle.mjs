// What the puzzles share: a meter with its goal, a grid with the wanted cells framed, a check of what is moved, and the
// button that hands over the control that is missing.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./puzzle.css";

export const percent = (share) => `${Math.round(100 * share)} %`;

// A share that never reaches a half, as a text.
export const below_half = (share) => (percent(share) === "50 %" ? "just under 50 %" : percent(share));

// Raise for an entry outside its bounds, or for another size than `count` × 2.
export function check_entries(name, rows, count, high, low = -high) {
  if (rows?.length !== count || rows.some((row) => row?.length !== 2)) throw new Error(`${name} must be ${count} × 2`);
  for (const [i, row] of rows.entries())
    for (const [j, entry] of row.entries())
      if (!(Number.isFinite(entry) && entry >= low && entry <= high))
        throw new Error(`${name}[${i}, ${j}] is ${entry}, outside ${low} to ${high}`.replaceAll("-", "−"));
}

// A grid with a title, in row i the cell of column wanted[i] framed; `fill` shows numbers, null as a cell without one.
export function grid(title, tokens, wanted) {
  const cells = tokens.map((_, i) => tokens.map((_, j) => element(j === wanted[i] ? "td.marked" : "td")));
  const rows = tokens.map((token, i) => [token, ...cells[i]]);
  const table = ui.table([element("td.corner", "query \\ key"), ...tokens], rows);
  const fill = (matrix, shade = (weight) => weight) => {
    for (const [i, row] of cells.entries())
      for (const [j, cell] of row.entries()) {
        const entry = matrix[i][j];
        ui.write(cell, entry === null ? "–" : ui.number(entry));
        if (entry === null) cell.classList.add("attn-plain");
        else cell.style.setProperty("--w", shade(entry).toFixed(3));
      }
  };
  return { node: element("div", element("p.pair", title), ui.scroll(title, table)), fill };
}

// What was tried, and more of it, each once.
export const union = (tried, more) => [...new Set([...tried, ...more])];

// Raise for what was tried and is no whole number from 0 to `last`.
export function check_tried(tried, last) {
  const wrong = tried.findIndex((one) => !(Number.isInteger(one) && one >= 0 && one <= last));
  if (wrong >= 0) throw new Error(`tried[${wrong}] is ${tried[wrong]}, outside 0 to ${last}`);
}

// The place of the largest score, −1 where two share it.
export function leader(scores) {
  const top = Math.max(...scores);
  return scores.filter((score) => score > top - 1e-9).length === 1 ? scores.indexOf(top) : -1;
}

// A bar that fills up to a goal, both shares of 1; its text says what is measured.
// Where that stands in it `alone`, it is read aloud.
export function meter({ alone = false } = {}) {
  const node = element("div.meter", alone ? {} : { "aria-hidden": "true" });
  const draw = (share, goal, text) => {
    node.style.setProperty("--w", Math.max(0, Math.min(1, share)).toFixed(4));
    node.style.setProperty("--goal", goal);
    ui.write(node, text);
  };
  return { node, draw };
}

// The button: `handed(model)` says whether the control is there; `hand` and `take` are what a press changes.
export function hand_over(model, { handed, hand, take }) {
  const node = ui.button("", () => ui.change(model, handed(model) ? take : hand));
  const draw = () => {
    ui.write(node, handed(model) ? "Take it away again" : "Hand me what is missing");
    node.setAttribute("aria-expanded", handed(model));
  };
  return { node, draw };
}
