// One head large, as a grid: a picture with names at its sides where there is room, or a table of numbers.

import * as grid from "./grid.mjs";
import { palette } from "./overview.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const NAMED = 48; // tokens with names at the sides
const WRITTEN = 10; // tokens with a number in each cell
const FAINT = 0x40000000; // the opacity of a pixel that stands back

// The cell that is chosen: the query, or the last; its key, or the one that it reads most.
export function chosen(model, { n_q, n_k, cells }) {
  const { query, key } = ui.values(model);
  const i = Math.min(query ?? n_q - 1, n_q - 1);
  const row = cells.subarray(i * n_k, (i + 1) * n_k);
  return [i, key === null ? row.indexOf(Math.max(...row)) : Math.min(key, n_k - 1)];
}

// Which cells stand back: where a query or a key is chosen, those of neither.
function aside(model, grid) {
  const { query, key } = ui.values(model);
  const [q, k] = chosen(model, grid);
  return (i, j) => (query ?? key) !== null && (query === null || i !== q) && (key === null || j !== k);
}

// Choose a cell; chosen once more, it is let go.
function choose(model, query, key) {
  const kept = model.get("query") === query && model.get("key") === key;
  ui.change(model, kept ? { query: null, key: null } : { query, key });
}

// What a cell says, as nodes.
export function told({ tokens, key_tokens, causal, n_k }, { cells }, i, j) {
  const [asks, read] = [element("bdi", tokens[i]), element("bdi", key_tokens[j])];
  const share = causal && j > i ? "nothing: a later key" : number(cells[i * n_k + j] / 255);
  return ui.sentence`${asks} (query ${i + 1}) reads ${share} from ${read} (key ${j + 1}).`;
}

export function picture(model, recording) {
  return Math.max(recording.n_q, recording.n_k) > WRITTEN ? shades(model, recording) : table(model, recording);
}

// A table with a number in each cell.
function table(model, recording) {
  const { n_q, n_k, tokens, key_tokens, causal } = recording;
  const { node, cells } = grid.table("one head, large", tokens, key_tokens);
  const line = ui.live("p.result");
  const home = element("div", line, ui.scroll("one head, large", node));
  const told_of = (i, j) => `${tokens[i]} reads from ${key_tokens[j]}`;
  let shown = null;
  for (const event of ["pointerover", "focusin"])
    node.addEventListener(event, ({ target }) => {
      const at = grid.cell_of(target);
      if (at) ui.refill(line, ...told(recording, shown, ...at));
    });
  const press = ({ target }) => {
    const at = grid.cell_of(target);
    if (at) choose(model, ...at);
  };
  node.addEventListener("click", press);
  node.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && press(event));
  const draw = ([next]) => {
    shown = next;
    const weight = (i, j) => (causal && j > i ? null : next.cells[i * n_k + j] / 255);
    grid.fill(
      cells,
      Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, (_, j) => weight(i, j))),
      told_of,
      { least: model.get("least") },
    );
    const [query, key] = chosen(model, next);
    const back = aside(model, next);
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        ui.set(cell, { "aria-selected": `${i === query && j === key}` });
        cell.classList.toggle("attn-aside", back(i, j));
      }),
    );
    ui.refill(line, ...told(recording, next, query, key));
  };
  return { node: home, draw };
}

// A picture, with names at its sides where there is room.
function shades(model, recording) {
  const { n_q, n_k, tokens, key_tokens, causal } = recording;
  const named = Math.max(n_q, n_k) <= NAMED;
  const canvas = element("canvas.map", { role: "img" });
  const [row, column, cell] = ["row", "column", "cell"].map((kind) =>
    element(`i.line-${kind}`, { "aria-hidden": "true" }),
  );
  const frame = element("div.large-cells", canvas, row, column, cell);
  const at = (kind, place, token) => element(`span.${kind}`, { dir: "auto", style: place }, token);
  const names = !named
    ? []
    : [
        ...key_tokens.map((token, j) => at("large-key", `grid-area: 1 / ${j + 2}`, token)),
        ...tokens.map((token, i) => at("large-query", `grid-area: ${i + 2} / 1`, token)),
      ];
  const sheet = element(`div.large-sheet${named ? "" : ".large-plain"}`, frame, ...names);
  const line = ui.live("p.result");
  const node = element("div", line, ui.scroll("one head, large", sheet));
  sheet.style.setProperty("--rows", n_q);
  sheet.style.setProperty("--columns", n_k);
  let shown = null;
  const point = (i, j) => {
    row.style.transform = `translateY(${100 * i}%)`;
    column.style.transform = `translateX(${100 * j}%)`;
    cell.style.transform = `translate(${100 * j}%, ${100 * i}%)`;
    ui.refill(line, ...told(recording, shown, i, j));
  };
  const below = ({ offsetX, offsetY }) => [
    Math.max(0, Math.min(n_q - 1, Math.floor((offsetY / canvas.clientHeight) * n_q))),
    Math.max(0, Math.min(n_k - 1, Math.floor((offsetX / canvas.clientWidth) * n_k))),
  ];
  canvas.addEventListener("pointermove", (event) => shown && point(...below(event)));
  canvas.addEventListener("pointerleave", () => shown && point(...chosen(model, shown)));
  canvas.addEventListener("click", (event) => choose(model, ...below(event)));
  const draw = ([grid], layer, head) => {
    shown = grid;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (canvas.width !== n_k || canvas.height !== n_q) [canvas.width, canvas.height] = [n_k, n_q];
    const style = getComputedStyle(canvas);
    const colours = palette(context, style.borderTopColor, style.color);
    const image = context.createImageData(n_k, n_q);
    const pixels = new Uint32Array(image.data.buffer);
    const least = 255 * model.get("least");
    const back = aside(model, grid);
    for (let i = 0, at = 0; i < n_q; i++)
      for (let j = 0; j < n_k; j++, at++) {
        if (causal && j > i) continue;
        const colour = colours[grid.cells[at] < least ? 0 : grid.cells[at]];
        pixels[at] = back(i, j) ? (colour & 0xffffff) | FAINT : colour;
      }
    context.putImageData(image, 0, 0);
    canvas.setAttribute("aria-label", `Head ${layer + 1}.${head + 1} of ${recording.name}, ${n_q} × ${n_k} weights`);
    point(...chosen(model, grid));
  };
  return { node, draw };
}
