// CostCalculator: the multiply–adds and the memory of a transformer, by part, as its sizes change.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number, whole, large, BYTES } from "./ui.mjs";

const SIZES = ["n", "d", "num_heads", "num_kv_heads", "num_layers"];
const changes = [...SIZES, "itemsize", "expansion", "chosen"];
const ITEMSIZES = [
  [8, "8 (float64)"],
  [4, "4 (float32)"],
  [2, "2 (float16)"],
  [1, "1 (int8)"],
];
const LAYERS = Array.from({ length: 128 }, (_, i) => i + 1);

function build(model, figure) {
  const set = (sizes) => {
    for (const [name, size] of Object.entries(sizes)) model.set(name, size);
    model.save_changes();
  };
  // Heads that divide: as many as now, or the next fewer; and as many key and value heads as query heads, where it was so.
  const set_width = (d, heads = model.get("num_heads")) => {
    const num_heads = divisors(d).findLast((h) => h <= heads);
    const shared = model.get("num_kv_heads") < model.get("num_heads");
    const num_kv_heads = shared ? divisors(num_heads).findLast((g) => g <= model.get("num_kv_heads")) : num_heads;
    set({ d, num_heads, num_kv_heads });
  };
  const models = model.get("models");
  if (!Array.isArray(models)) throw new Error("there is no list of models");
  const choose = ({ name, source, n, ...sizes }) => set({ ...sizes, chosen: name, n: n ?? model.get("n") });
  const menu = ui.select(
    { get: () => models.indexOf(present(model)), set: (_, i) => choose(models[i]), save_changes: () => {} },
    "model",
    "model",
    [...models.map((preset, i) => [i, preset.name]), [-1, "sizes of your own"]],
  );
  menu.node.querySelector("option:last-child").disabled = true;
  const controls = ui.controls(
    menu,
    ui.choice(model, "n", "tokens n", () => ui.LENGTHS),
    ui.choice(model, "d", "width d", () => ui.WIDTHS, { put: set_width }),
    ui.choice(model, "num_heads", "heads", () => divisors(model.get("d")), {
      put: (heads) => set_width(model.get("d"), heads),
    }),
    ui.choice(model, "num_kv_heads", "key and value heads", () => divisors(model.get("num_heads"))),
    ui.choice(model, "num_layers", "layers", () => LAYERS),
    ui.select(model, "itemsize", "bytes of a number", ITEMSIZES),
    ui.button("Go where the grid is half", () => ui.change(model, "n", crossover(model))),
  );
  const note = element("p.note"),
    told = ui.live();
  const work = element("div.readout"),
    memory = element("div.readout");
  figure.append(controls.node, note, told, element("div.columns", work, memory));

  return () => {
    const { n, d } = ui.sizes(model, SIZES),
      half = crossover(model);
    if (!ITEMSIZES.some(([size]) => size === model.get("itemsize")))
      throw new Error(`a number cannot have ${model.get("itemsize")} bytes`);
    const { grid, projections, feed_forward, scores, tiles, cache, parameters } = count(model);
    const all = grid + projections + feed_forward,
      rest = cache + parameters;
    const share = (part, total) => `${number((100 * part) / total, 1)} %`;
    ui.caption(model, figure, `one pass over ${whole(n)} tokens.`);
    note.textContent = about(present(model));
    work.replaceChildren(
      element("p.pair", `Work: ${large(all)} multiply–adds`),
      element(
        "p.half",
        `half of the work: n = ${whole(half)} ${half % d ? `≈ ${number(half / d)}` : `= ${half / d}`} d`,
      ),
      bar([grid, projections, feed_forward], all),
      ui.scroll(
        "work by part",
        ui.table(
          ["", "multiply–adds", "share"],
          named(
            ["n × n grid of attention", "projections", "feed-forward layers"],
            [grid, projections, feed_forward].map((part) => [large(part), share(part, all)]),
          ),
        ),
      ),
    );
    const held = [scores, cache, parameters],
      streamed = [tiles, cache, parameters];
    const both = held.map((part, i) => [large(part, BYTES), large(streamed[i], BYTES)]);
    memory.replaceChildren(
      element("p.pair", `Memory with all scores at once: ${large(scores + rest, BYTES)}`),
      bar(held, scores + rest),
      element("p.pair", `The same, tile by tile: ${large(tiles + rest, BYTES)}`),
      bar(streamed, scores + rest),
      ui.scroll(
        "memory by part",
        ui.table(
          ["", "all at once", "tile by tile"],
          [
            ...named(["grids and output of one layer", "key–value cache", "parameters"], both),
            ["together", large(scores + rest, BYTES), large(tiles + rest, BYTES)],
          ],
        ),
      ),
    );
    told.textContent = `The n × n grid is ${share(grid, all)} of the work. Held at once, one layer’s grids are ${share(scores, scores + rest)} of the memory; tile by tile ${share(tiles, tiles + rest)}.${grouped(model, cache, all)}`;
    controls.draw();
  };
}

// The model chosen, if it still has its sizes; n may be any.
function present(model) {
  return model
    .get("models")
    .find(
      (preset) =>
        preset.name === model.get("chosen") &&
        ["expansion", ...SIZES.slice(1)].every((name) => preset[name] === model.get(name)),
    );
}

function about(preset) {
  if (!preset) return "Embeddings, biases and norms are left out.";
  const longest = preset.n ? ` It was made for texts of at most ${whole(preset.n)} tokens.` : "";
  return `Sizes of ${preset.name}: ${preset.source}.${longest} Embeddings, biases and norms are left out.`;
}

function divisors(x) {
  return Array.from({ length: Math.min(x, 128) }, (_, i) => i + 1).filter((i) => x % i === 0);
}

function heads_of(model) {
  return [model.get("expansion"), model.get("num_heads"), model.get("num_kv_heads")];
}

function crossover(model) {
  return math.crossover(model.get("d"), ...heads_of(model));
}

// By part, in all layers; the scores are those of one layer, since the next one uses their place.
function count(model, num_kv_heads = model.get("num_kv_heads")) {
  const [n, d, h, , layers] = SIZES.map((name) => model.get(name)),
    itemsize = model.get("itemsize"),
    expansion = model.get("expansion");
  const attention = math.multi_head_cost(n, d, h, num_kv_heads).multiply_adds;
  const grid = math.attention_cost(n, n, d / h, d / h, h, itemsize);
  return {
    grid: layers * grid.multiply_adds,
    projections: layers * (attention - grid.multiply_adds),
    feed_forward: layers * (math.block_multiply_adds(n, d, expansion, h, num_kv_heads) - attention),
    scores: grid.peak_bytes,
    tiles: math.streaming_cost(n, n, d / h, d / h, h, itemsize).peak_bytes,
    cache: math.cache_bytes(n, num_kv_heads, d / h, layers, itemsize),
    parameters: layers * math.block_parameters(d, expansion, h, num_kv_heads) * itemsize,
  };
}

// What fewer key and value heads save: of the cache, and of the work.
function grouped(model, cache, all) {
  const [heads, groups] = [model.get("num_heads"), model.get("num_kv_heads")];
  if (groups === heads) return "";
  const full = count(model, heads);
  const part = (now, before) => `${number((100 * now) / before, 1)} %`;
  return ` With ${groups} key and value head${groups > 1 ? "s" : ""} for ${heads} queries, ${part(cache, full.cache)} of the cache is left, and ${part(all, full.grid + full.projections + full.feed_forward)} of the work.`;
}

// Parts of a bar that is `most` wide. The tables below say the same.
function bar(parts, most) {
  return element(
    "div.stack",
    { "aria-hidden": "true" },
    ...parts.map((part, i) => element("span", { "data-part": i, style: `--w:${(part / most).toFixed(4)}` })),
  );
}

function named(names, rows) {
  return rows.map((cells, i) => [element("span", { "data-part": i }, names[i]), ...cells]);
}

export default ui.widget(changes, build);
