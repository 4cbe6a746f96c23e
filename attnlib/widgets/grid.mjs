// A table of cells with names at its rows and columns, walked with the arrow keys. It is one stop for the Tab key.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./grid.css";

// `ends` names columns behind the cells; their cells are `ends[i][e]`. The Tab key enters at the cell `entry`.
export function table(label, rows, columns, ends = [], entry = [0, 0]) {
  const node = element("table.table", { role: "grid", "aria-label": label });
  const head = columns.map((name) => element("th", { scope: "col", dir: "auto" }, name));
  const tails = ends.map((name) => element("th.sum", { scope: "col" }, name));
  node.append(element("thead", element("tr", element("td.corner", "query \\ key"), ...head, ...tails)));
  const cell = (i, j) => element("td", { role: "gridcell", "data-cell": `${i},${j}` });
  const cells = rows.map((_, i) => columns.map((_, j) => cell(i, j)));
  const sides = rows.map((name) => element("th", { scope: "row", dir: "auto" }, name));
  const last = rows.map(() => ends.map(() => element("td.sum")));
  node.append(element("tbody", ...rows.map((_, i) => element("tr", sides[i], ...cells[i], ...last[i]))));
  walk(node, cells, cells[entry[0]][entry[1]]);
  return { node, cells, head, sides, ends: last };
}

// Let the arrow keys, Home and End move the focus in `rows` of elements, of which one is in the order of the Tab key.
// Returns what makes another element this one.
export function walk(node, rows, entry = rows[0][0]) {
  const all = rows.flat();
  for (const item of all) item.tabIndex = item === entry ? 0 : -1;
  const enter = (item) => {
    entry.tabIndex = -1;
    entry = item;
    entry.tabIndex = 0;
  };
  node.addEventListener("focusin", ({ target }) => all.includes(target) && enter(target));
  node.addEventListener("keydown", (event) => {
    const i = rows.findIndex((row) => row.includes(event.target));
    const j = rows[i]?.indexOf(event.target);
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -j] };
    const [down, right] = { ...step, End: [0, Infinity] }[event.key] ?? [];
    if (i < 0 || right === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const near = (list, at) => list[Math.max(0, Math.min(at, list.length - 1))];
    near(near(rows, i + down), j + right).focus();
  });
  return enter;
}

// The cell of the table below a point of the screen: [row, column], or null.
export function below(node, { clientX, clientY }) {
  const cell = node.getRootNode().elementFromPoint(clientX, clientY)?.closest("[data-cell]");
  return cell && node.contains(cell) ? cell_of(cell) : null;
}

export function cell_of(target) {
  return target.closest("[data-cell]")?.dataset.cell.split(",").map(Number) ?? null;
}

// The weights, null where a mask blocks a cell.
export function masked(weights, mask) {
  return mask ? weights.map((row, i) => row.map((weight, j) => (mask[i][j] ? weight : null))) : weights;
}

// Show weights in cells, null as blocked, and none below `least`; `told(i, j)` names a cell. `show` is `film` where a
// slider moves them.
export function fill(cells, weights, told, { least = 0, show = at_once } = {}) {
  const look = (i, j) => {
    const share = ui.number(weights[i][j] ?? 0);
    return weights[i][j] >= least
      ? { share, text: share, said: share }
      : { share: 0, text: "", said: `${share}, not drawn` };
  };
  show(cells)(
    (i, j) => (weights[i][j] === null ? null : look(i, j)),
    (i) => weights[i].forEach((weight, j) => fill_cell(cells[i][j], weight === null, look(i, j), told(i, j))),
  );
}

const at_once = (cells) => (_, write) => cells.forEach((_, i) => write(i));

// To two digits: the eye tells no more shades apart. What shows it already is left as it is, since each write costs the
// page a little.
function fill_cell(cell, blocked, { share, text, said }, label) {
  const told = `${label}: ${blocked ? "blocked" : said}`;
  if (cell.told === told) return;
  cell.told = told;
  cell.textContent = blocked ? "–" : text;
  cell.classList.toggle("attn-blocked", blocked);
  cell.style.setProperty("--w", blocked ? 0 : share);
  cell.setAttribute("aria-label", told);
}
