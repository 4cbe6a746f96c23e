// HeadTiles: the numbers of X as tiles that are split into heads and merged again, and what each is computed from.

import * as grid from "./grid.mjs";
import * as lab from "./lab.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./head_tiles.css";

const NAMES = ["X", "Q, K, V", "split", "weights", "heads’ outputs", "merged", "output"];
const PLACES = { split: "in the split", merge: "in the merge", both: "in both" };
const NONE = { at: -1, tile: 0 }; // no tile is chosen
const WIDE = 12; // columns of a stage: with more, its heads stand below each other on a phone
const MOVED = { duration: 700, easing: "ease-in-out" };
const CAPTION =
  "press a square. What it is computed from lights up, and what is computed from it. " +
  "Orange diamonds: a later token, read by an earlier one.";

// What each stage does, given the sizes and whether it forgets swapaxes.
const SAYS = [
  ({ n, d }) => `${n} tokens with ${d} numbers each. A square is a number: 2B is that of token 2 in column B.`,
  ({ n, d }) =>
    `X times W_Q, W_K, W_V: ${n} × ${d} each. One picture stands for all three. Here 2B is a new number. ` +
    "Each shade is for the columns of one head.",
  ({ n, h, width }, forgets) =>
    forgets
      ? `Reshape straight to (h, n, d_h) = (${h}, ${n}, ${width}). No error comes. ` +
        "But row 2 of head 1 is a piece of token 1."
      : `Reshape to (n, h, d_h) = (${n}, ${h}, ${width}), then swapaxes to (${h}, ${n}, ${width}). ` +
        "Each head gets its own columns of every token.",
  ({ n }) =>
    `In each head a grid of ${n} × ${n} weights, causal: row i reads rows 1 to i of its head. ` +
    "The number in a cell is the token whose piece it reads.",
  ({ width }) => `Each row blends value pieces, ${width} numbers wide. It keeps the name of the piece that asked.`,
  ({ n, h, width, d }, forgets) =>
    forgets
      ? `Reshape straight to (n, d) = (${n}, ${d}): the rows of head 1 end to end, then those of the next.`
      : `swapaxes to (n, h, d_h) = (${n}, ${h}, ${width}), then reshape to (${n}, ${d}): ` +
        "row i of every head, side by side.",
  (flow) => `Times W_O: each number is a sum over its whole row, over all heads. ${sum_up(flow)}`,
];

function build(model, figure) {
  const { stages } = model.get("constants");
  const go = (stage) => {
    const { at } = ui.values(model);
    if (stages[stage]) ui.change(model, at > stage ? { stage, ...NONE } : { stage });
  };
  const steps = ["Back", "Next"].map((name, i) => ui.button(name, () => go(model.get("stage") + 2 * i - 1)));
  const controls = ui.controls(...steps, ui.select(model, "forgotten", "swapaxes forgotten", PLACES));
  const [says, told] = [ui.live("p.says"), ui.live("p.result")];
  const board = element("div.tiles", { role: "group", "aria-label": "squares, stage by stage" });
  figure.append(controls.node, says, board, told);
  const flow_of = ui.memoize((...sizes) => make_flow(stages, ...sizes));
  const scene_of = ui.memoize((tokens, d, h) =>
    draw_scene(model, board, tokens, make_flow(stages, tokens.length, d, h)),
  );
  let before = model.get("stage");

  return () => {
    const { tokens, d, num_heads, forgotten, stage, at, tile } = ui.values(model);
    if (d % num_heads) throw new Error(`num_heads must divide d = ${d}, got ${num_heads}`);
    if (at > stage) throw new Error(`the tile is of stage ${at}, and stages are shown up to ${stage}`);
    const flow = flow_of(tokens.length, d, num_heads, forgotten);
    ui.check_range("tile", tile, flow.tiles[Math.max(at, 0)].length - 1);
    const cone = cone_of(flow, at, tile);
    const scene = scene_of(tokens, d, num_heads);
    scene.light(flow, cone);
    if (stage === before + 1 && /split|merge/.test(stages[stage])) scene.carry(stage, flow.parents[stage]);
    before = stage;
    ui.caption(model, figure, CAPTION);
    const text = SAYS[stage](flow, [stages[stage], "both"].includes(forgotten));
    const name = element("b", `${stage + 1} of ${stages.length}, ${NAMES[stage]}. `);
    ui.refill(says, name, ...ui.formula(text));
    ui.refill(told, ...(at < 0 ? ["No square is chosen."] : tell(model, flow, cone)));
    ui.set(steps[0], { "aria-disabled": String(stage === 0) });
    ui.set(steps[1], { "aria-disabled": String(stage === stages.length - 1) });
    controls.draw();
  };
}

// The tiles of every stage, row by row and head by head, and what each is computed from in the stage before.
function make_flow(stages, n, d, h, forgotten) {
  const width = d / h;
  const parents = stages.map((stage, k) => k && lab.tile_parents(stage, n, d, h, forgotten));
  const columns = [d, d, width, n, width, d, d];
  const tiles = [];
  for (const [k, count] of columns.entries()) {
    const heads = k > 1 && k < 5 ? h : 1;
    tiles[k] = Array.from({ length: heads * n * count }, (_, t) => {
      const [at, column] = [Math.floor(t / count), t % count];
      const [head, row] = [Math.floor(at / n), at % n];
      const from = k ? tiles[k - 1].filter((_, f) => parents[k][t][f]) : [];
      const piece = () => tiles[2][(head * n + column) * width]; // that a weight reads
      const named = [t, t, from[0]?.name, k === 3 && piece().name, k === 4 && tiles[2][t].name, from[0]?.name, t];
      const last = Math.max(k ? -1 : row, ...from.map((tile) => tile.last)); // of the tokens that it is made from
      return { head, heads, row, column, last, name: named[k], is_blocked: k > 0 && !from.length };
    });
  }
  return { n, d, h, width, forgotten, parents, columns, tiles };
}

// Stage by stage, what a tile is computed from, itself, and what is computed from it.
function cone_of({ parents, tiles }, at, tile) {
  const cone = tiles.map((stage, k) => stage.map((_, t) => k === at && t === tile));
  for (let k = at; k > 0; k--)
    cone[k - 1] = cone[k - 1].map((_, f) => cone[k].some((lit, t) => lit && parents[k][t][f]));
  for (let k = at + 1; at >= 0 && k < tiles.length; k++)
    cone[k] = parents[k].map((row) => row.some((made, f) => made && cone[k - 1][f]));
  return cone;
}

// Returns what lights the tiles, and what lets those of a stage come from where they stood in the stage before.
function draw_scene(model, board, tokens, { d, h, width, columns, tiles: places }) {
  const { letters } = model.get("constants");
  const press = (at, tile) => () => {
    const { stage, at: old, tile: chosen } = ui.values(model);
    ui.change(model, at === old && tile === chosen ? NONE : { at, tile, stage: Math.max(at, stage) });
  };
  const buttons = places.map((stage, k) => stage.map((_, t) => ui.button("", press(k, t))));
  const walked = places.flatMap((stage, k) => tokens.map((_, i) => buttons[k].filter((_, t) => stage[t].row === i)));
  const stages = places.map((stage, k) => {
    const [{ heads }, count] = [stage[0], columns[k]];
    const parts = Array.from({ length: heads }, (_, head) => {
      const ticks = head === 0 || heads * count > WIDE;
      const tick = (i) => element("bdi.tick", k ? `${i + 1}` : `${i + 1} ${tokens[i]}`);
      const cells = (i) => buttons[k].filter((_, t) => stage[t].row === i && stage[t].head === head);
      const rows = tokens.flatMap((_, i) => [...(ticks ? [tick(i)] : []), ...cells(i)]);
      const style = `grid-template-columns: ${ticks ? "auto" : ""} repeat(${count}, var(--tile))`;
      const name = heads > 1 ? [element("span.note", `head ${head + 1}`)] : [];
      return element("div", ...name, element("div.block", { style }, ...rows));
    });
    const group = { role: "group", "aria-label": NAMES[k] };
    return element("div", group, element("p.pair", `${k + 1} ${NAMES[k]}`), element("div.blocks", ...parts));
  });
  board.replaceChildren(...stages);
  grid.walk(board, walked, buttons[Math.max(0, model.get("at"))][model.get("tile")]);
  // Of the head that should get the column; X and the output belong to no head.
  const shade = (k, column) => (k % 6 ? 0.6 - (0.35 * Math.floor(column / width)) / (h - 1) : 0.45);

  const show_tile = (tile, k, button, { shown, lit, late, here, side }) => {
    const [token, column] = [Math.floor(tile.name / d), tile.name % d];
    const text = tile.is_blocked ? "–" : `${token + 1}${k === 3 ? "" : letters[column]}`;
    const pale = side !== null && !lit;
    const states = { pale, blocked: tile.is_blocked, pending: !shown, lit, late };
    button.className = ["tile", ...Object.keys(states).filter((name) => states[name])]
      .map((name) => `attn-${name}`)
      .join(" ");
    ui.write(button, shown ? text : "");
    const place = `${NAMES[k]}${tile.heads > 1 ? `, head ${tile.head + 1}` : ""}, row ${tile.row + 1}`;
    const cell = `column ${tile.column + 1}, ${tile.is_blocked ? "blocked" : `token ${text}`}`;
    const what = k === 3 ? cell : text;
    const said = lit ? { "-1": ": source", 1: ": made from it" }[side] : "";
    ui.set(button, {
      style: `--hue: var(--token-${token}); --s: ${shade(k, column).toFixed(2)}`,
      "aria-label": `${place}, ${shown ? what : "not computed yet"}${said ?? ""}${late ? ", future" : ""}`,
      "aria-pressed": String(here),
    });
  };
  const light = ({ tiles }, cone) => {
    const { stage, at, tile: number } = ui.values(model);
    const chosen = tiles[at]?.[number];
    buttons.forEach((row, k) => {
      ui.set(stages[k], { "aria-current": k === stage ? "step" : "false" });
      row.forEach((button, t) => {
        const [tile, shown] = [tiles[k][t], k <= stage];
        const lit = shown && cone[k][t];
        const late = lit && (k <= at ? tile.last > chosen.row : chosen.last > tile.row);
        const side = chosen ? Math.sign(k - at) : null;
        show_tile(tile, k, button, { shown, lit, late, here: tile === chosen, side });
      });
    });
  };
  const carry = (k, parents) => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    buttons[k].forEach((button, t) => {
      const source = buttons[k - 1][parents[t].indexOf(true)];
      const [from, to] = [source, button].map((node) => node.getBoundingClientRect());
      button.animate([{ translate: `${from.x - to.x}px ${from.y - to.y}px` }, { translate: "0 0" }], MOVED);
    });
  };
  return { light, carry };
}

// The places of the tokens with a lit number among those of X, or of the output.
const tokens_in = (lit, d) => new Set(lit.flatMap((one, t) => (one ? [Math.floor(t / d)] : [])));

// What the outputs can read.
function sum_up(flow) {
  const { n, d } = flow;
  const read = Array.from({ length: n }, (_, i) => tokens_in(cone_of(flow, 6, i * d)[0], d));
  const leaks = read.filter((tokens, i) => Math.max(...tokens) > i).length;
  const lost = read.filter((tokens, i) => [...tokens].filter((j) => j <= i).length <= i).length;
  const future = leaks ? `${leaks} of ${n} outputs can read their future` : "No output can read its future";
  return `${future}${lost ? `, ${leaks ? "and" : "but"} ${lost} of ${n} cannot read all tokens up to their own` : ""}.`;
}

// What the chosen tile is computed from; for a number of X, which outputs it reaches.
function tell(model, { d, tiles, forgotten }, cone) {
  const { tokens, stage, at, tile } = ui.values(model);
  const { row, last, is_blocked } = tiles[at][tile];
  if (is_blocked) return ["The mask blocks this cell: its weight is 0, and is computed from nothing."];
  const own = () => element("bdi", tokens[row]);
  const named = (found) => ui.listed(tokens.filter((_, i) => found(i)));
  const [read, reached] = [cone[0], cone[6]].map((lit) => tokens_in(lit, d));
  if (at === 0) {
    if (stage < 6) return ui.sentence`A number of ${own()}, given.`;
    const early = named((i) => reached.has(i) && i < row);
    const before = early.length ? ui.sentence` Before it: ${early}. Each of these can read its future.` : [NOT_BEFORE];
    return [...ui.sentence`A number of ${own()} reaches the outputs of ${named((i) => reached.has(i))}.`, ...before];
  }
  const parts = ui.sentence`This square stands in row ${row + 1}, that of ${own()}. It is computed from squares of `;
  parts.push(...named((i) => read.has(i)), ".");
  const later = named((i) => read.has(i) && i > row);
  if (last > row) {
    const why = at < 5 || forgotten === "split" ? CUT : MERGED;
    parts.push(...ui.sentence` From the future of ${own()}: ${later}.`, why);
  } else if (at > 2) parts.push(" None is from its future.");
  const lost = named((i) => !read.has(i) && i <= row);
  return at === 6 && lost.length ? [...parts, ...ui.sentence` It cannot read ${lost}.`] : parts;
}

const NOT_BEFORE = " None comes before it.";
const CUT = " The mask compares rows, and rows of a wrongly cut head are not tokens.";
const MERGED = " The mask did its work in each head. The wrong merge then put a later row here.";

export default ui.widget(build);
