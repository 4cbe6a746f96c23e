// CostCalculator: the multiply–adds and the memory of a transformer, by part, as its sizes change.

import * as cost from "./cost.mjs";
import * as ui from "./ui.mjs";
import { BYTES, element, large, number, whole } from "./ui.mjs";
import "./cost_calculator.css";

const SIZES = ["d", "num_heads", "num_kv_heads", "num_layers", "expansion"]; // of a published model
const ITEMSIZES = { 8: "float64", 4: "float32", 2: "float16", 1: "int8" };
const WORK = ["n × n grid of attention", "projections", "feed-forward layers"];
const MEMORY = ["grids and output of one layer", "key–value cache", "parameters"];

function build(model, figure) {
  // Heads that divide: as many as now, or the next fewer; as many key and value heads as query heads, where it was so.
  const set_width = (d, heads = model.get("num_heads")) => {
    const num_heads = divisors(d).findLast((h) => h <= heads);
    const shared = model.get("num_kv_heads") < model.get("num_heads");
    const num_kv_heads = shared ? divisors(num_heads).findLast((g) => g <= model.get("num_kv_heads")) : num_heads;
    ui.change(model, { d, num_heads, num_kv_heads });
  };
  if (!Array.isArray(model.get("models"))) throw new Error("there is no list of models");
  const home = element("label.control");
  const menu_of = ui.memoize((models) => {
    const select = menu_for(model, models);
    home.replaceChildren(...select.node.childNodes);
    return select;
  });
  const menu = { node: home, draw: () => menu_of(model.get("models")).draw() };
  const put_heads = (heads) => set_width(model.get("d"), heads);
  const to_half = ui.button("Go where the grid is half", () => ui.change(model, "n", crossover(model)));
  const bytes = model.get("_bounds").itemsize.values.map((size) => [size, `${size} (${ITEMSIZES[size]})`]);
  const controls = ui.controls(
    menu,
    ui.list_slider(model, "n", "tokens n", () => ui.LENGTHS),
    ui.list_slider(model, "d", "width d", () => ui.WIDTHS, { put: set_width }),
    ui.list_slider(model, "num_heads", "heads", () => divisors(model.get("d")), { put: put_heads }),
    ui.list_slider(model, "num_kv_heads", "key and value heads", () => divisors(model.get("num_heads"))),
    ui.list_slider(model, "num_layers", "layers", () => divisors(0)),
    ui.select(model, "itemsize", "bytes of a number", bytes),
    to_half,
  );
  const [note, told] = [element("p.note"), ui.live()];
  const [together, half_way, at_once, by_tiles] = ["pair", "half", "pair", "pair"].map((kind) => element(`p.${kind}`));
  const bars = WORK.map(() => ui.stack([0, 1, 2]));
  const [worked, kept] = ["work by part", "memory by part"].map((label) => ui.scroll(label));
  const work = element("div.readout", together, half_way, bars[0].node, worked);
  const memory = element("div.readout", at_once, bars[1].node, by_tiles, bars[2].node, kept);
  figure.append(controls.node, note, told, element("div.columns", work, memory));

  return () => {
    const { n, d } = ui.values(model);
    const half = crossover(model);
    to_half.disabled = half > model.get("_bounds").n.max; // farther than n goes
    const { work: adds, held, tiled } = count(model);
    const [all, most, least] = [adds, held, tiled].map(total);
    ui.caption(model, figure, `one pass over ${whole(n)} tokens.`);
    ui.write(note, about(present(model)));
    bars.forEach((bar, i) => {
      const [parts, of] = [
        [adds, all],
        [held, most],
        [tiled, most],
      ][i];
      bar.draw(parts.map((part) => part / of));
    });
    ui.write(together, `Work: ${large(all)} multiply–adds`);
    ui.write(
      half_way,
      `half of the work: n = ${whole(half)} ${half % d ? `≈ ${number(half / d)}` : `= ${half / d}`} d`,
    );
    ui.refill(worked, () => {
      const shares = adds.map((part) => [large(part), percent(part, all)]);
      return [ui.table(["", "multiply–adds", "share"], named(WORK, shares))];
    });
    ui.write(at_once, `Memory with all scores at once: ${large(most, BYTES)}`);
    ui.write(by_tiles, `The same, tile by tile: ${large(least, BYTES)}`);
    ui.refill(kept, () => {
      const both = [...held, most].map((part, i) => [part, tiled[i] ?? least].map((bytes) => large(bytes, BYTES)));
      return [ui.table(["", "all at once", "tile by tile"], named(MEMORY, both))];
    });
    ui.refill(told, () => [
      `The n × n grid is ${percent(adds[0], all)} of the work. Held at once, one layer’s grids and output are ` +
        `${percent(held[0], most)} of the memory; tile by tile ${percent(tiled[0], least)}.${grouped(model, all)}`,
    ]);
    controls.draw();
  };
}

function total(parts) {
  return parts.reduce((sum, part) => sum + part, 0);
}

function percent(part, all) {
  return `${number((100 * part) / all, 1)} %`;
}

// The model chosen, if it still has its sizes; n may be any.
function present(model) {
  const now = ui.values(model);
  const same = (preset) => SIZES.every((name) => preset[name] === now[name]);
  return now.models.find((preset) => preset.name === now.chosen && same(preset));
}

function about(preset) {
  const longest = preset?.n ? ` It was made for texts of at most ${whole(preset.n)} tokens.` : "";
  const sizes = preset ? `Sizes of ${preset.name}: ${preset.source}.${longest} ` : "";
  return `${sizes}Embeddings, biases and norms are left out.`;
}

// Up to 128; of 0 all.
function divisors(x) {
  return Array.from({ length: 128 }, (_, i) => i + 1).filter((i) => x % i === 0);
}

function menu_for(model, models) {
  const choose = (_, i) => {
    const { name = "", source, n, ...sizes } = models[i] ?? {}; // -1 keeps the sizes
    ui.change(model, { ...sizes, chosen: name, n: n ?? model.get("n") });
  };
  const presets = { get: () => models.indexOf(present(model)), set: choose, save_changes() {} };
  const names = [...models.map((preset, i) => [i, preset.name]), [-1, "sizes of your own"]];
  const menu = ui.select(presets, "model", "model", names);
  menu.node.querySelector("option:last-child").disabled = true;
  return menu;
}

function crossover(model) {
  const { d, expansion, num_heads, num_kv_heads } = ui.values(model);
  return cost.crossover(d, expansion, num_heads, num_kv_heads);
}

// By part, in all layers; the scores are those of one layer, since the next one uses their memory.
function count(model, num_kv_heads = model.get("num_kv_heads")) {
  const { n, d, num_heads: h, num_layers: layers, itemsize, expansion } = ui.values(model);
  const attention = cost.multi_head_cost(n, d, h, num_kv_heads).multiply_adds;
  const grid = cost.attention_cost(n, n, d / h, d / h, h, itemsize);
  const block = cost.block_multiply_adds(n, d, expansion, h, num_kv_heads);
  const { peak_bytes } = cost.streaming_cost(n, n, d / h, d / h, h, itemsize);
  const cache = cost.cache_bytes(n, num_kv_heads, d / h, layers, itemsize);
  const kept = [cache, layers * cost.block_parameters(d, expansion, h, num_kv_heads) * itemsize];
  const work = [grid.multiply_adds, attention - grid.multiply_adds, block - attention].map((adds) => layers * adds);
  return { work, held: [grid.peak_bytes, ...kept], tiled: [peak_bytes, ...kept] };
}

// What fewer key and value heads save: of the cache, and of the work.
function grouped(model, all) {
  const { num_heads: heads, num_kv_heads: groups } = ui.values(model);
  if (groups === heads) return "";
  const saved = `${percent(groups, heads)} of the cache is left, and ${percent(all, total(count(model, heads).work))}`;
  return ` With ${groups} key and value head${groups > 1 ? "s" : ""} for ${heads} queries, ${saved} of the work.`;
}

function named(names, rows) {
  return rows.map((cells, i) => [names[i] ? element("span", { "data-part": i }, names[i]) : "together", ...cells]);
}

export default ui.widget(build);
