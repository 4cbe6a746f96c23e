// HeadMixer: several heads side by side, what each adds to the output, and what they cost when they share keys.

import { bytes_of } from "anywidget_static/base85.mjs";
import * as cost from "./cost.mjs";
import { film } from "./film.mjs";
import * as grid from "./grid.mjs";
import * as heat from "./heat.mjs";
import * as lab from "./lab.mjs";
import * as large_grid from "./large_grid.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./head_mixer.css";

const MOST = { tokens: 64, heads: 256, computed: 32 };
const NUMBERS = 12; // tokens: beyond, the grid shows shades alone, and the output its first rows
const NAMED = 32; // heads: beyond, their names are seen one at a time

function build(model, figure) {
  const [given, heads, output] = [unpack, compute, mix].map(ui.memoize);
  let scene = null; // rebuilt when the tokens or the heads change
  return () => {
    const sizes = check(model);
    const [h, n] = [sizes.heads.length, sizes.tokens.length];
    const { packed, query, key, value, mask, num_kv_heads, mixed, w_o, zeroed } = ui.values(model);
    const now = packed ? { weights: given(packed, h, n) } : heads(query, key, value, mask, num_kv_heads, h, n);
    if (!packed) Object.assign(now, output(now.heads, mixed, w_o, zeroed));
    const drawn = JSON.stringify([packed === "", sizes]);
    if (scene?.drawn !== drawn) scene = { drawn, draw: draw_scene(model, figure) };
    scene.draw(now);
  };
}

// What decides how many tiles, columns and cells there are, if they can be drawn.
function check(model) {
  const { heads, tokens, axes, columns, selected, zeroed } = ui.values(model);
  ui.at_most("tokens", tokens.length, MOST.tokens);
  ui.at_most("heads", heads.length, MOST.heads);
  if (!tokens.length || !heads.length) throw new Error(`there are ${heads.length} heads and ${tokens.length} tokens`);
  for (const a of [selected, ...zeroed]) ui.check_range("head", a, heads.length - 1);
  return { heads, tokens, axes, columns };
}

// Weights given as bytes, 255 for the weight 1: h grids of n × n, or only their lower triangles.
function unpack(packed, h, n) {
  const bytes = bytes_of(packed, "packed");
  const lower = bytes.length === (h * n * (n + 1)) / 2;
  if (!lower && bytes.length !== h * n * n) throw new Error(`${bytes.length} weights for ${h} heads of ${n} tokens`);
  let at = 0;
  const row = (i) => Array.from({ length: n }, (_, j) => (lower && j > i ? null : bytes[at++] / 255));
  return Array.from({ length: h }, () => Array.from({ length: n }, (_, i) => row(i)));
}

// The grids, null where a cell is masked, and what each head gives.
function compute(query, key, value, mask, groups, h, n) {
  ui.at_most("heads", h, MOST.computed);
  for (const [name, heads] of Object.entries({ query, key, value }))
    if (heads.length !== h || heads.some((rows) => rows.length !== n))
      throw new Error(`${name} does not have ${n} rows for each of ${h} heads`);
  const [keys, values] = [key, value].map((heads) => math.pool_heads(heads, groups));
  const shared = (heads, a) => heads[Math.floor((a * groups) / h)];
  const weights = query.map((rows, a) => math.attention_weights(rows, shared(keys, a), mask));
  const heads = query.map((rows, a) => math.attention(rows, shared(keys, a), shared(values, a), mask));
  return { weights: weights.map((rows) => grid.masked(rows, mask)), heads };
}

// The output with the heads left on, and how far its columns are from those of all heads.
function mix(heads, mixed, w_o, zeroed) {
  const merged = (parts) => (mixed ? math.project(math.merge_heads(parts), w_o) : math.merge_heads(parts));
  const all = merged(heads);
  const out = merged(heads.map((rows, a) => (zeroed.includes(a) ? rows.map((row) => row.map(() => 0)) : rows)));
  const change = all[0].map((_, c) => Math.max(...all.map((row, i) => Math.abs(row[c] - out[i][c]))));
  return { out, change };
}

function draw_scene(model, figure) {
  const { tokens, heads, packed } = ui.values(model);
  const [computed, h] = [packed === "", heads.length];
  const { maps, tiles, zeros, node: many } = draw_tiles(model, computed);
  const table = grid.table("attention weights of the head", tokens, tokens);
  const told = (i, j) => `“${tokens[i]}” reads from “${tokens[j]}”`;
  const [name, cell] = [element("p.pair", { dir: "auto" }), element("p")];
  const shade = tokens.length > NUMBERS && large_grid.behind(table, told, (text) => (cell.textContent = text));
  if (shade) cell.textContent = "Point at a cell, or move to it with the arrow keys.";
  const large = element("div.part", name, element("div.scroll", table.node), cell);
  const result = ui.live("p.result");

  const groups = heads.map((_, i) => h - i).filter((groups) => h % groups === 0);
  const options = groups.map((groups) => [groups, `${groups}: ${shared_by(h, groups)}`]);
  const share = ui.select(model, "num_kv_heads", "key and value heads", options);
  const controls = ui.controls(ui.toggle(model, "mixed", "multiply by W_O"), share);
  const [costs, named, scroll] = [element("p"), element("p.pair"), ui.scroll("output")];
  const first = shade ? ` of the first ${NUMBERS} of ${tokens.length} tokens; the last row is for all of them` : "";
  const panel = [controls.node, result, named, scroll, costs];
  let output = null; // rebuilt when its columns change
  figure.replaceChildren(figure.firstChild, element("div.columns", many, large), ...(computed ? panel : [result]));

  return (now) => {
    const { selected, num_kv_heads: groups, zeroed, mixed, sharing } = ui.values(model);
    const chosen = now.weights[selected];
    ui.caption(model, figure, "in each grid, query (row) reads from key (column). Choose a head to see it large.");
    now.weights.forEach((rows, a) => heat.paint(maps[a], rows));
    tiles.forEach((tile, a) => {
      const label = computed && groups < h ? `${heads[a]}, keys ${Math.floor((a * groups) / h) + 1}` : heads[a];
      ui.set(tile, { "aria-pressed": `${a === selected}`, "aria-label": label });
      if (h <= NAMED) ui.write(tile.lastChild, label);
      tile.classList.toggle("attn-off", computed && zeroed.includes(a));
      zeros[a].checked = zeroed.includes(a);
    });
    name.textContent = heads[selected];
    if (shade) shade(chosen);
    else grid.fill(table.cells, chosen, told, { show: film });
    ui.refill(result, ...(computed ? effect(model, now.change) : habit(heads[selected], chosen)));
    if (!computed) return;
    const width = now.out[0].length;
    if (output?.mixed !== mixed || output.width !== width) {
      output = output_table(model, width);
      scroll.replaceChildren(output.node);
    }
    output.fill(now);
    ui.write(named, `${mixed ? "Output" : "Heads side by side"}${first}`);
    ui.write(costs, costs_of(model));
    share.node.hidden = costs.hidden = !sharing;
    controls.draw();
  };
}

// A tile for each head, a picture and its name, and where outputs are computed a box to zero it.
function draw_tiles(model, computed) {
  const { heads, columns: given, selected } = ui.values(model);
  const named = heads.length <= NAMED;
  const columns = given || (named ? 0 : 12); // 0: as many as fit
  const maps = heads.map((name) => heat.map(name));
  const tiles = heads.map((name, a) => {
    const tile = element("button.head", { type: "button", title: name, "aria-label": name, dir: "auto" }, maps[a]);
    tile.append(named ? element("span", name) : "");
    const choose = () => model.get("selected") === a || ui.change(model, "selected", a);
    for (const event of ["click", "focus"]) tile.addEventListener(event, choose);
    return tile;
  });
  const zeros = heads.map((name, a) => {
    const input = element("input", { type: "checkbox", "aria-label": `zero ${name}` });
    const others = () => model.get("zeroed").filter((other) => other !== a);
    input.addEventListener("change", () => ui.change(model, "zeroed", input.checked ? [...others(), a] : others()));
    return input;
  });
  const node = element("div.heads", { role: "group", "aria-label": "heads" });
  node.style.setProperty("--n", columns || Math.min(heads.length, 4));
  node.classList.toggle("attn-many", !named);
  node.classList.toggle("attn-wrap", !columns);
  const zero = (a) => (computed ? element("label.control", zeros[a], "zero") : "");
  node.append(...tiles.map((tile, a) => element("div", tile, zero(a))));
  const wide = columns || heads.length;
  const lines = Array.from({ length: Math.ceil(tiles.length / wide) }, (_, r) => tiles.slice(r * wide, (r + 1) * wide));
  grid.walk(node, lines, tiles[selected]);
  return { maps, tiles, zeros, node };
}

function shared_by(h, groups) {
  if (groups === h) return "one for each head";
  return groups === 1 ? "one for all (multi-query)" : `one for ${h / groups} heads (grouped)`;
}

// The output, its columns that changed, and by how much. Thousands of numbers would take a page too long.
function output_table(model, width) {
  const { axes, heads, mixed, tokens: all } = ui.values(model);
  const { changed } = model.get("constants");
  const tokens = all.slice(0, NUMBERS);
  const own = width / heads.length;
  const beside = (c) => (own > 1 ? `${heads[Math.floor(c / own)]}, ${(c % own) + 1}` : heads[c]);
  const names = Array.from({ length: width }, (_, c) => (mixed ? (axes[c] ?? `${c + 1}`) : beside(c)));
  const top = names.map((name) => element("th.plain", { scope: "col", dir: "auto" }, name));
  const [last, ...rows] = ["", ...tokens].map(() => names.map(() => element("td.plain")));
  const node = ui.table(["", ...top], [...tokens.map((token, i) => [token, ...rows[i]]), ["largest change", ...last]]);
  const fill = ({ out, change }) =>
    change.forEach((size, c) => {
      rows.forEach((row, i) => ui.write(row[c], number(out[i][c])));
      ui.write(last[c], size_of(size, changed));
      if (top[c].matches(".attn-changed") === size > changed) return;
      for (const cell of [top[c], ...rows.map((row) => row[c]), last[c]]) cell.classList.toggle("attn-changed");
    });
  return { node, mixed, width, fill };
}

function size_of(change, changed) {
  if (change <= changed) return "0";
  return change < 0.005 ? "< 0.01" : number(change);
}

// One sentence: which columns change without the heads that are zero.
function effect(model, change) {
  const { zeroed, heads, mixed, constants } = ui.values(model);
  if (!zeroed.length) return ["Zero a head to see which columns of the output change."];
  const count = change.filter((size) => size > constants.changed).length;
  const names = ui.listed(zeroed.map((a) => heads[a]));
  const rows = `those that ${zeroed.length > 1 ? "their" : "its"} rows of W_O write to`;
  const why = mixed ? rows : "a head’s own, and no other’s";
  return ui.sentence`Without ${names}, ${count} of ${change.length} columns change: ${why}.`;
}

// One sentence: how far back a head reads.
function habit(name, weights) {
  const rows = weights.map((row) => row.map((weight) => weight ?? 0));
  const [own, one, two] = [0, 1, 2].map((back) => (back < rows.length ? number(lab.weight_back(rows, back)) : "0"));
  const said = `${own} of its weight on the token itself, ${one} on the one before, ${two} on the second before`;
  return ui.sentence`${element("bdi", name)} puts on average ${said}.`;
}

function costs_of(model) {
  const { heads, num_kv_heads: groups, w_o, key, value } = ui.values(model);
  const h = heads.length;
  const [d, d_k, d_v] = [w_o, key[0], value[0]].map(([row]) => row.length);
  const parameters = (g) => cost.multi_head_parameters(d, d_k, d_v, h, g);
  const cached = (g) => cost.cache_bytes(1, g, d_k + d_v, 1, 1) / 2; // a key of d_k numbers and a value of d_v
  const count = (of, what) => `${of(groups)} ${what}${groups < h ? ` in place of ${of(h)}` : ""}`;
  const held = count(parameters, "parameters");
  return `W_Q, W_K, W_V and W_O hold ${held}, and a token leaves ${count(cached, "numbers")} in the cache.`;
}

export default ui.widget(build);
