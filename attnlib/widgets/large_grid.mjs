// A table of more cells than numbers fit into: one picture behind it shows the weights, and no cell has a colour.

import * as grid from "./grid.mjs";
import * as heat from "./heat.mjs";
import * as ui from "./ui.mjs";
import "./large_grid.css";

const DEBOUNCE = 300; // milliseconds without a change, after which each cell is put into words

// Make a table of grid.mjs such a one. `told(i, j)` names a cell; the callback `read(text)` hears what the cell shows
// that was pointed at last.
export function behind({ node, cells }, told, read = () => {}) {
  const canvas = ui.element("canvas.map", { "aria-hidden": "true" });
  node.classList.add("attn-shades");
  node.style.setProperty("--down", cells.length);
  node.style.setProperty("--across", cells[0].length);
  cells[0][0].classList.add("attn-holder");
  cells[0][0].append(canvas);
  let [shown, here, timer] = [[], null, 0];
  const say = (i, j) => {
    const text = `${told(i, j)}: ${shown[i][j] === null ? "blocked" : ui.number(shown[i][j])}`;
    if (cells[i][j].ariaLabel !== text) cells[i][j].ariaLabel = text;
    return text;
  };
  const say_row = (i) => {
    cells[i].forEach((_, j) => say(i, j));
    if (i + 1 < cells.length) timer = setTimeout(say_row, 0, i + 1);
    else node.removeAttribute("aria-busy");
  };
  for (const event of ["pointerover", "focusin"])
    node.addEventListener(event, ({ target }) => {
      here = grid.cell_of(target) ?? here;
      if (grid.cell_of(target)) read(say(...here));
    });
  // The picture at once; the words of thousands of cells when nothing changes for a while, but the one pointed at now.
  return (weights) => {
    heat.paint(canvas, weights);
    if (weights === shown) return;
    const mark = (blocked, i, j) =>
      blocked === (shown[i]?.[j] === null) || cells[i][j].classList.toggle("attn-blocked", blocked);
    weights.forEach((row, i) => row.forEach((weight, j) => mark(weight === null, i, j)));
    shown = weights;
    if (here) read(say(...here));
    clearTimeout(timer);
    node.setAttribute("aria-busy", "true");
    timer = setTimeout(say_row, DEBOUNCE, 0);
  };
}
