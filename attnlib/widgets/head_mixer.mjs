// HeadMixer: several heads side by side, what each adds to the output, and what they cost when they share keys.

import * as grid from "./grid.mjs";
import * as heat from "./heat.mjs";
import * as math from "./math.mjs";
import * as shades from "./shades.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const MOST = { tokens: 64, heads: 256, computed: 32 };
const NUMBERS = 12; // tokens: beyond, the grid shows shades alone, and the output its first rows
const NAMED = 32; // heads: beyond, their names are seen one at a time
const CHANGED = 1e-12; // less is rounding
const changes = ["selected", "zeroed", "mixed", "num_kv_heads"];

function build(model, figure) {
  const given = ui.memo(unpack),
    heads = ui.memo(compute),
    output = ui.memo(mix);
  let scene = null; // rebuilt when the tokens or the heads change
  return () => {
    check(model);
    const packed = model.get("packed"),
      h = model.get("heads").length,
      n = model.get("tokens").length;
    const get = (...names) => names.map((name) => model.get(name));
    const now = packed
      ? { weights: given(packed, h, n) }
      : heads(...get("query", "key", "value", "mask", "num_kv_heads"), h, n);
    if (!packed) Object.assign(now, output(now.heads, ...get("mixed", "w_o", "zeroed")));
    const key = JSON.stringify([
      packed === "",
      ...["tokens", "heads", "axes", "columns"].map((name) => model.get(name)),
    ]);
    if (scene?.key !== key) scene = { key, draw: draw_scene(model, figure) };
    scene.draw(now);
  };
}

function check(model) {
  const h = model.get("heads").length,
    n = model.get("tokens").length;
  ui.at_most("tokens", n, MOST.tokens);
  ui.at_most("heads", h, MOST.heads);
  if (!n || !h) throw new Error(`there are ${h} heads and ${n} tokens`);
  for (const a of [model.get("selected"), ...model.get("zeroed")]) ui.check_inside("head", a, h - 1);
}

// Weights given as bytes, 255 for the weight 1: h grids of n × n, or only their lower triangles.
function unpack(packed, h, n) {
  if (!/^[\w+/]*=*$/.test(packed) || packed.length % 4) throw new Error("the packed weights are not in base64");
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
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
  return {
    weights: mask
      ? weights.map((rows) => rows.map((row, i) => row.map((weight, j) => (mask[i][j] ? weight : null))))
      : weights,
    heads,
  };
}

// The output with the heads left on, and how far its columns are from those of all heads.
function mix(heads, mixed, w_o, zeroed) {
  const merged = (parts) => (mixed ? math.project(math.merge_heads(parts), w_o) : math.merge_heads(parts));
  const all = merged(heads);
  const out = merged(heads.map((rows, a) => (zeroed.includes(a) ? rows.map((row) => row.map(() => 0)) : rows)));
  return { out, change: all[0].map((_, c) => Math.max(...all.map((row, i) => Math.abs(row[c] - out[i][c])))) };
}

function draw_scene(model, figure) {
  const tokens = model.get("tokens"),
    heads = model.get("heads"),
    computed = model.get("packed") === "",
    h = heads.length;
  const maps = heads.map((name) => heat.map(name));
  const tiles = heads.map((name, a) => {
    const tile = element(
      "button.head",
      { type: "button", title: name, "aria-label": name, dir: "auto" },
      maps[a],
      h > NAMED ? "" : element("span", name),
    );
    for (const event of ["click", "focus"])
      tile.addEventListener(event, () => model.get("selected") === a || ui.change(model, "selected", a));
    return tile;
  });
  const zeros = heads.map((name, a) => {
    const input = element("input", { type: "checkbox", "aria-label": `zero ${name}` });
    const others = () => model.get("zeroed").filter((other) => other !== a);
    input.addEventListener("change", () => ui.change(model, "zeroed", input.checked ? [...others(), a] : others()));
    return input;
  });
  const columns = model.get("columns") || (h > NAMED ? 12 : 0); // 0: as many as fit
  const form = h > NAMED ? " attn-many" : columns ? "" : " attn-wrap";
  const many = element(
    "div",
    { class: `attn-heads${form}`, role: "group", "aria-label": "heads", style: `--n:${columns || Math.min(h, 4)}` },
    ...heads.map((_, a) => element("div", tiles[a], computed ? element("label.control", zeros[a], "zero") : "")),
  );
  grid.walk(many, rows_of(tiles, columns || h), tiles[model.get("selected")]);

  const table = grid.table("attention weights of the head", tokens, tokens);
  const told = (i, j) => `“${tokens[i]}” reads from “${tokens[j]}”`;
  const name = element("p.pair", { dir: "auto" }),
    cell = element("p");
  const shade = tokens.length > NUMBERS && shades.behind(table, told, (text) => (cell.textContent = text));
  if (shade) cell.textContent = "Point at a cell, or move to it with the arrow keys.";
  const large = element("div.part", name, element("div.scroll", table.node), cell);
  const result = ui.live("p.result");

  const mixed = ui.toggle(model, "mixed", "multiply by W_O");
  const sizes = heads.map((_, i) => h - i).filter((groups) => h % groups === 0);
  const share = ui.select(
    model,
    "num_kv_heads",
    "key and value heads",
    sizes.map((groups) => [
      groups,
      `${groups}: ${groups === h ? "one for each head" : groups === 1 ? "one for all (multi-query)" : `one for ${h / groups} heads (grouped)`}`,
    ]),
  );
  const controls = ui.controls(mixed, share),
    cost = element("p");
  const scroll = ui.scroll("output");
  const panel = [
    controls.node,
    result,
    element(
      "p.pair",
      shade ? `Output of the first ${NUMBERS} of ${tokens.length} tokens; the last row is for all of them` : "Output",
    ),
    scroll,
    cost,
  ];
  let output = null; // rebuilt when its columns change
  figure.replaceChildren(figure.firstChild, element("div.columns", many, large), ...(computed ? panel : [result]));

  return (now) => {
    const selected = model.get("selected"),
      chosen = now.weights[selected],
      groups = model.get("num_kv_heads");
    ui.caption(model, figure, "in each grid, query (row) reads from key (column). Choose a head to see it large.");
    now.weights.forEach((rows, a) => heat.paint(maps[a], rows));
    now.weights.forEach((_, a) => {
      tiles[a].setAttribute("aria-pressed", a === selected);
      const label = computed && groups < h ? `${heads[a]}, keys ${Math.floor((a * groups) / h) + 1}` : heads[a];
      tiles[a].setAttribute("aria-label", label);
      if (h <= NAMED) ui.write(tiles[a].lastChild, label);
      tiles[a].classList.toggle("attn-off", computed && model.get("zeroed").includes(a));
      zeros[a].checked = model.get("zeroed").includes(a);
    });
    name.textContent = heads[selected];
    if (shade) shade(chosen);
    else
      chosen.forEach((row, i) =>
        row.forEach((weight, j) => grid.fill(table.cells[i][j], weight ?? 0, weight === null, told(i, j))),
      );
    result.replaceChildren(...(computed ? effect(model, now.change) : habit(heads[selected], chosen)));
    if (!computed) return;
    if (output?.mixed !== model.get("mixed"))
      scroll.replaceChildren((output = output_table(model, now.out[0].length)).node);
    output.fill(now);
    ui.write(cost, costs(model));
    controls.draw();
  };
}

function rows_of(items, columns) {
  return Array.from({ length: Math.ceil(items.length / columns) }, (_, r) =>
    items.slice(r * columns, (r + 1) * columns),
  );
}

// The output, its columns that changed, and by how much. Thousands of numbers would take a page too long.
function output_table(model, width) {
  const axes = model.get("axes"),
    heads = model.get("heads"),
    tokens = model.get("tokens").slice(0, NUMBERS),
    mixed = model.get("mixed"),
    own = width / heads.length;
  const names = Array.from({ length: width }, (_, c) =>
    mixed ? (axes[c] ?? `${c + 1}`) : `${heads[Math.floor(c / own)]}, ${(c % own) + 1}`,
  );
  const top = names.map((name) => element("th.plain", { scope: "col", dir: "auto" }, name));
  const [last, ...rows] = ["", ...tokens].map(() => names.map(() => element("td.plain")));
  const node = ui.table(["", ...top], [...tokens.map((token, i) => [token, ...rows[i]]), ["changes by", ...last]]);
  const marked = names.map(() => false);
  const fill = ({ out, change }) =>
    change.forEach((size, c) => {
      rows.forEach((row, i) => ui.write(row[c], number(out[i][c])));
      ui.write(last[c], size_of(size));
      if (marked[c] === size > CHANGED) return;
      marked[c] = size > CHANGED;
      for (const cell of [top[c], ...rows.map((row) => row[c]), last[c]])
        cell.classList.toggle("attn-changed", marked[c]);
    });
  return { node, mixed, fill };
}

function size_of(change) {
  return change <= CHANGED ? "0" : change < 0.005 ? "< 0.01" : number(change);
}

// One sentence: which columns change without the heads that are zero.
function effect(model, change) {
  const zeroed = model.get("zeroed"),
    count = change.filter((size) => size > CHANGED).length;
  if (!zeroed.length) return ["Zero a head to see which columns of the output change."];
  const names = ui.listed(zeroed.map((a) => model.get("heads")[a]));
  const why = model.get("mixed")
    ? `those that ${zeroed.length > 1 ? "their" : "its"} rows of W_O write to`
    : "a head’s own, and no other’s";
  return ["Without ", ...names, `, ${count} of ${change.length} columns change: ${why}.`];
}

// One sentence: how far back a head reads.
function habit(name, weights) {
  const rows = weights.map((row) => row.map((weight) => weight ?? 0));
  const [own, one, two] = [0, 1, 2].map((back) => (back < rows.length ? number(math.weight_back(rows, back)) : "0"));
  return [
    element("bdi", name),
    ` puts on average ${own} of its weight on the token itself, ${one} on the one before, ${two} on the second before.`,
  ];
}

function costs(model) {
  const h = model.get("heads").length,
    groups = model.get("num_kv_heads"),
    d = model.get("w_o")[0].length;
  const d_k = model.get("key")[0][0].length,
    d_v = model.get("value")[0][0].length;
  const parameters = (g) => math.multi_head_parameters(d, d_k, d_v, h, g);
  const cached = (g) => math.cache_bytes(1, g, d_k + d_v, 1, 1) / 2; // a key of d_k numbers and a value of d_v
  const fewer = groups < h;
  return `W_Q, W_K, W_V and W_O hold ${parameters(groups)} parameters${fewer ? ` in place of ${parameters(h)}` : ""}, and a token leaves ${cached(groups)} numbers${fewer ? ` in place of ${cached(h)}` : ""} in the cache.`;
}

export default ui.widget(changes, build);
