// BudgetPuzzle: what reading a long text takes, on four meters, and what can be changed about it.

import * as cost from "./cost.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { BYTES, element, large, whole } from "./ui.mjs";
import "./budget_puzzle.css";

const TEXT = 100_000; // tokens
const MEMORY = 24e9;
const WINDOW = 4096;
const SHARED = 8; // query heads that share one head of keys and values
const READERS = {
  small: { d: 768, num_layers: 12, num_heads: 12, expansion: 4 },
  "7B": { d: 4096, num_layers: 32, num_heads: 32, expansion: 4.03125 },
};
const TOKENS = [
  1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000, 25_000, 32_000, 40_000,
  50_000, 63_000, 80_000, 100_000,
];
const ITEMSIZES = { 4: "4 (float32)", 2: "2 (float16)", 1: "1 (int8)" };
const REMEDIES = {
  tiles: "tiles: the grid in pieces",
  shared: `shared keys: ${SHARED} query heads to one`,
  window: `window: the last ${whole(WINDOW)} tokens`,
  linearised: "linearised: a state, no grid",
};
const OFFERED = { small: ["tiles"], "7B": Object.keys(REMEDIES) };
const PARTS = {
  parameters: "parameters",
  keys_and_values: "keys and values",
  stream: "the tokens’ vectors",
  grids: "grids of one layer",
};

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, tiles: false }, // so nothing jumps
    take: { handed: false },
  });
  const taking = { get: (name) => model.get(name), set: (name, on) => take(model, name, on), save_changes() {} };
  const toggles = Object.entries(REMEDIES).map(([name, label]) => ({ name, ...ui.toggle(taking, name, label) }));
  const controls = ui.controls(
    ui.list_slider(model, "tokens", "tokens that are kept", () => TOKENS),
    ui.select(model, "itemsize", "bytes of a number", ITEMSIZES),
    ...toggles,
    hand,
  );
  const meters = {
    held: scale("held at once", 1e8, 1e13, (bytes) => large(bytes, BYTES)),
    multiply_adds: scale("multiply–adds", 1e11, 1e16, (adds) => large(adds)),
    seconds: scale("seconds at best", 1e-3, 1e3, seconds),
    looked_up: scale("tokens that the last one can look up", 10, TEXT, whole),
  };
  const told = ui.live("p.share");
  const cells = Object.keys(PARTS).map(() => element("td"));
  const parts = ui.table(
    ["held at once", "bytes"],
    Object.values(PARTS).map((name, i) => [name, cells[i]]),
  );
  const shown = element("div.frame", ...Object.values(meters).map(({ node }) => node));
  figure.append(controls.node, element("div.columns.budget", shown, element("div.frame", parts, told)));

  return () => {
    const offered = model.get("model") !== "small" || model.get("handed") ? OFFERED[model.get("model")] : [];
    const taken = offered.filter((name) => model.get(name));
    const reading = count(model, taken);
    const held = Object.keys(PARTS).map((part) => reading[part]);
    const together = held.reduce((sum, bytes) => sum + bytes, 0);
    held.forEach((bytes, i) => ui.bar(cells[i], bytes / together, large(bytes, BYTES)));
    for (const [name, meter] of Object.entries(meters)) meter.draw({ held: together, ...reading }[name]);
    for (const { name, node } of toggles) node.hidden = !offered.includes(name);
    hand.node.hidden = model.get("model") !== "small";
    ui.caption(model, figure, "read it.");
    ui.write(told, "");
    controls.draw();
  };
}

function take(model, name, on) {
  const others = name === "linearised" ? { tiles: false, window: false } : { linearised: false };
  ui.change(model, { ...(on && name !== "shared" ? others : {}), [name]: on });
}

function count(model, taken) {
  const { d, num_layers, num_heads, expansion } = READERS[model.get("model")];
  const { tokens, itemsize } = ui.values(model);
  const groups = num_heads / (taken.includes("shared") ? SHARED : 1);
  const window = taken.includes("window") ? WINDOW : tokens;
  const [tiles, linearised] = ["tiles", "linearised"].map((name) => taken.includes(name));
  return cost.reading_cost(tokens, d, num_layers, num_heads, groups, expansion, itemsize, tiles, window, linearised);
}

const seconds = (time) => `${Number(time.toPrecision(3))} s`;

// A meter from `low` to `high`, in powers of ten.
function scale(label, low, high, write) {
  const meter = puzzle.meter();
  const draw = (value) => {
    meter.draw(Math.log(value / low) / Math.log(high / low), -1, `${label}: ${write(value)}`);
  };
  return { node: meter.node, draw };
}

export default ui.widget(build);
