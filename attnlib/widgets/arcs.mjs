// One head large, as arcs between two lines of text, wider for more weight. A token pointed at shows its own. The arcs
// of other heads lie over them, each head's in its colour; the sentence and the tokens' shades are the large one's.

import * as grid from "./grid.mjs";
import { chosen, told } from "./picture.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const MOST = 3000; // arcs drawn at once: the strongest
const NAMED = 3; // tokens in the sentence about one
const TALLEST = 16000; // pixels of a canvas
const SMALLEST = 2; // of 255: what two decimals do not call 0.00
const HINT = ui.has_hover()
  ? "Point at a word; press it to keep it. Press it again to let it go."
  : "Press a word to keep it. Press it again to let it go.";

export function arcs(model, recording) {
  const { n_q, n_k, tokens, key_tokens } = recording;
  const token = (text) => element("button.arc-token", { type: "button" }, element("bdi", text));
  const queries = tokens.map(token);
  const keys = key_tokens.map(token);
  const canvas = element("canvas.arc-lines", { "aria-hidden": "true" });
  const column = (label, buttons) => element("div.arc-tokens", { role: "group", "aria-label": label }, ...buttons);
  const middle = element("div.arc-middle", canvas);
  const board = element("div.arcs", column("queries", queries), middle, column("keys", keys));
  const heads = element(
    "div.arc-heads",
    { "aria-hidden": "true" },
    element("span", "reads"),
    element("span", "is read"),
  );
  const line = ui.live("p.result");
  const node = element("div", element("p.pointed", HINT), line, heads, board);
  const rows = Array.from({ length: Math.max(n_q, n_k) }, (_, i) => [
    queries.at(i) ?? queries.at(-1),
    keys[i] ?? keys.at(-1),
  ]);
  grid.walk(board, rows);
  let [shown, all, pointed, wide, tinted] = [null, [], null, 0, []];

  const find = ({ target }) => {
    const button = target.closest("button");
    const [i, j] = [queries.indexOf(button), keys.indexOf(button)];
    if (i >= 0) return { query: i };
    return j >= 0 ? { key: j } : null;
  };
  const point = (next) => {
    if (pointed?.query === next?.query && pointed?.key === next?.key) return;
    pointed = next;
    paint();
  };
  for (const event of ["pointerover", "focusin"]) board.addEventListener(event, (event) => point(find(event)));
  for (const event of ["pointerleave", "focusout"]) board.addEventListener(event, () => point(null));
  board.addEventListener("click", (event) => {
    const [[field, at] = []] = Object.entries(find(event) ?? {});
    if (!field) return;
    const kept = model.get(field) === at;
    if (kept) pointed = null;
    ui.change(model, field, kept ? null : at);
  });
  board.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    pointed = null;
    ui.change(model, { query: null, key: null });
    paint();
  });

  // What is drawn: the arcs of one token, of the chosen pair, or all.
  const wanted = () => {
    if (pointed) return pointed;
    const { query, key } = ui.values(model);
    const at = {};
    if (query !== null) at.query = Math.min(query, n_q - 1);
    if (key !== null) at.key = Math.min(key, n_k - 1);
    return at;
  };
  const tint = (button, share) => {
    button.style.setProperty("--w", share.toFixed(3));
    tinted.push(button);
  };
  const paint = () => {
    if (!shown || !wide || !canvas.isConnected) return;
    const { query, key } = wanted();
    const least = Math.max(SMALLEST, 255 * model.get("least"));
    const found = [];
    for (const button of tinted.splice(0)) button.style.removeProperty("--w");
    const [from, to] = query === undefined ? [0, n_q] : [query, query + 1];
    const [left, right] = key === undefined ? [0, n_k] : [key, key + 1];
    all.forEach(({ cells }, n) => {
      for (let i = from; i < to; i++)
        for (let j = left; j < right; j++) if (cells[i * n_k + j] >= least) found.push([cells[i * n_k + j], i, j, n]);
    });
    if (found.length > 1) found.sort(([a], [b]) => b - a);
    const count = found.length;
    found.length = Math.min(count, MOST);
    stroke(found);
    if ((query === undefined) === (key === undefined)) {
      const more = count > MOST ? ` The ${ui.whole(MOST)} strongest of ${ui.whole(count)} arcs.` : "";
      ui.refill(line, ...told(recording, shown, ...chosen(model, shown)), more);
      return;
    }
    const own = found.filter(([, , , n]) => !n);
    for (const [q, i, j] of own) tint(query === undefined ? queries[i] : keys[j], q / 255);
    const asks = element("bdi", query === undefined ? key_tokens[key] : tokens[query]);
    const named = ui.listed(own.slice(0, NAMED), ([q, i, j]) => [
      element("bdi", query === undefined ? tokens[i] : key_tokens[j]),
      ` ${number(q / 255)}`,
    ]);
    const verb = query === undefined ? " is read most by " : " reads most from ";
    ui.refill(line, asks, ...(own.length ? [verb, ...named, "."] : [": no arc is drawn."]));
  };
  const stroke = (found) => {
    const height = middle.clientHeight;
    const ratio = Math.min(2, devicePixelRatio || 1, TALLEST / height);
    const [w, h] = [Math.round(wide * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, w, h);
    const colours = all.map((_, n) => {
      canvas.style.setProperty("--head", n);
      return getComputedStyle(canvas).color;
    });
    const step = h / rows.length;
    for (const [q, i, j, n] of found.toReversed()) {
      context.strokeStyle = colours[n];
      const [y, z] = [(i + 0.5) * step, (j + 0.5) * step];
      context.globalAlpha = 0.15 + (0.85 * q) / 255;
      context.lineWidth = ratio * (0.4 + (4.6 * q) / 255);
      context.beginPath();
      context.moveTo(0, y);
      context.bezierCurveTo(w * 0.4, y, w * 0.6, z, w, z);
      context.stroke();
    }
  };
  const size = new ResizeObserver(([{ contentRect }]) => {
    wide = contentRect.width;
    paint();
  });
  size.observe(middle);
  const draw = (grids) => {
    [shown] = all = grids;
    canvas.classList.toggle("attn-hued", all.length > 1);
    wide = middle.clientWidth;
    const { query, key } = ui.values(model);
    queries.forEach((button, i) => ui.set(button, { "aria-pressed": `${i === query}` }));
    keys.forEach((button, j) => ui.set(button, { "aria-pressed": `${j === key}` }));
    paint();
  };
  return { node, draw };
}
