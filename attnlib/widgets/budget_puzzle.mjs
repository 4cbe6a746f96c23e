// BudgetPuzzle: what it takes to read a long text, on four meters, and what can be changed about it.

import { block_parameters } from "./cost.mjs";
import { reading_cost } from "./lab.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { BYTES, element, large, whole } from "./ui.mjs";
import "./budget_puzzle.css";

const TOKENS = [
  1000, 1250, 1600, 2000, 2500, 3200, 4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000, 25_000, 32_000, 40_000,
  50_000, 63_000, 80_000, 100_000,
];
const REMEDIES = { tiles: "tiles", shared: "shared keys", window: "window", linearised: "linearised" };
const OFFERED = { small: ["tiles"], "7B": Object.keys(REMEDIES) };
const PARTS = {
  parameters: "parameters",
  keys_and_values: "keys and values",
  stream: "the tokens’ vectors",
  grids: "grids of one layer",
};
const INSTEAD = { tiles: "one tile", linearised: "state of one layer" }; // of grids
const TRAINED = "another function, for which a model has to be trained";
const changes_of = ({ shared, window }) => ({
  tiles: "Tiles: the same function up to rounding, and without a mask as many products.",
  shared: `Shared keys: ${shared} query heads read the same keys and values. It is ${TRAINED}.`,
  window: `Window: in a layer a token reads itself and the ${whole(window - 1)} tokens before it. It is ${TRAINED}.`,
  linearised: `Linearised: a state of fixed size in place of the grid. It is ${TRAINED}.`,
});
const ROUNDED = {
  2: "Two bytes a number (float16): about three decimal digits.",
  1: "One byte a number (float8): at most 256 different numbers. How well the model then answers has to be measured.",
};
const BOUND =
  "From mark to mark a bar is ten times as much. Seconds at best: for each part of a layer, what its products take " +
  "at the published rate, or what its bytes take at the published bandwidth, whichever is longer. The rate is 165.2 " +
  "trillion multiply–adds a second, divided by the bytes of a number; the bandwidth is 1,008 GB a second.";
const WALL = " One byte a number is the least here. With the whole grids of all heads that is a wall.";

function build(model, figure) {
  const constants = model.get("constants");
  const { text, memory, readers } = constants;
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, tiles: false }, // so nothing jumps
    take: { handed: false },
  });
  const taking = { get: (name) => model.get(name), set: (name, on) => take(model, name, on), save_changes() {} };
  const toggles = Object.entries(REMEDIES).map(([name, label]) => ({ name, ...ui.toggle(taking, name, label) }));
  const controls = ui.controls(
    ui.list_slider(model, "tokens", "tokens kept", () => TOKENS),
    ui.select(model, "itemsize", "bytes of a number"),
    hand,
    ...toggles,
  );
  const meters = {
    held: scale({ "0.1 GB": 1e8, "10,000 GB": 1e13 }, memory),
    multiply_adds: scale({ "100 billion": 1e11, "10 quadrillion": 1e16 }),
    seconds: scale({ "0.0001 s": 1e-4, "1,000 s": 1e3 }),
    looked_up: scale({ 10: 10, [whole(text)]: text }, text),
  };
  const told = ui.live("p.share");
  const cells = Object.keys(PARTS).map(() => element("td"));
  const names = Object.values(PARTS).map((name) => element("span", name));
  const parts = ui.table(
    ["held at once", "bytes"],
    names.map((name, i) => [name, cells[i]]),
  );
  const changes = element("ul.changes");
  const explained = changes_of(constants);
  const shown = Object.values(meters).map(({ node }) => node);
  const held_by = element("div.frame", told, ui.scroll("what is held at once", parts));
  figure.append(
    controls.node,
    element("div.columns.budget", element("div.frame", ...shown), held_by),
    changes,
    element("p.note", BOUND),
  );

  return () => {
    const { tokens, itemsize, handed } = ui.values(model);
    const without = ["tiles", "window"].find((name) => model.get(name));
    if (model.get("linearised") && without) throw new Error(`linearised goes without ${without}`);
    const small = model.get("model") === "small";
    const offered = handed || !small ? OFFERED[model.get("model")] : [];
    const taken = offered.filter((name) => model.get(name));
    const reading = count(model, taken);
    const { multiply_adds, seconds, looked_up } = reading;
    const instead = INSTEAD[taken.find((name) => name in INSTEAD)];
    const named = { ...PARTS, ...(instead && { grids: instead }) };
    const held = Object.keys(PARTS).map((part) => reading[part]);
    const together = held.reduce((sum, bytes) => sum + bytes, 0);
    held.forEach((bytes, i) => ui.bar(cells[i], bytes / together, bytes_of(bytes)));
    Object.values(named).forEach((name, i) => ui.write(names[i], name));
    meters.held.draw(together, `held at once: ${bytes_of(together)}, goal: 24 GB or less`);
    meters.multiply_adds.draw(multiply_adds, `multiply–adds: ${large(multiply_adds)}`);
    meters.seconds.draw(seconds, `seconds at best: ${Number(seconds.toPrecision(3))} s`);
    meters.looked_up.draw(looked_up, `kept for the last token: ${whole(looked_up)}, goal: all`);
    for (const { name, node } of toggles) node.hidden = !offered.includes(name);
    hand.node.hidden = !small;
    ui.caption(model, figure, kept_together(describe(readers[model.get("model")], text)));
    const wall = small && !handed && itemsize === 1 && tokens === text;
    const say = verdict(constants, Object.values(named), held, together, taken, reading);
    ui.write(told, kept_together(say + (wall ? WALL : "")));
    const cut = tokens < text && `${whole(text - tokens)} tokens are cut off: it is another text.`;
    const lines = [cut, ROUNDED[itemsize], ...taken.map((name) => explained[name])].filter(Boolean);
    changes.replaceChildren(...lines.map((line) => element("li", line)));
    controls.draw();
  };
}

// A linearised layer has no grid that could be cut.
function take(model, name, on) {
  const others = name === "linearised" ? { tiles: false, window: false } : { linearised: false };
  ui.change(model, { ...(on && name !== "shared" ? others : {}), [name]: on });
}

function count(model, taken) {
  const { readers, ...constants } = model.get("constants");
  const { d, ...sizes } = readers[model.get("model")];
  const { tokens, itemsize } = ui.values(model);
  const num_kv_heads = sizes.num_heads / (taken.includes("shared") ? constants.shared : 1);
  const window = taken.includes("window") ? constants.window : null;
  const [tiles, linearised] = ["tiles", "linearised"].map((name) => taken.includes(name));
  return reading_cost(tokens, d, { ...sizes, num_kv_heads, itemsize, tiles, window, linearised });
}

function describe({ d, num_layers, num_heads, expansion }, text) {
  const parameters = large(num_layers * block_parameters(d, expansion));
  const gated = expansion === 4 ? "" : " (feed-forward layers as Llama 2’s)";
  return (
    `hold 24 GB or less, all heads of a layer at once, and keep all ${whole(text)} tokens for writing on. ` +
    `${num_layers} blocks of width ${whole(d)}, ${num_heads} heads, ${parameters} parameters in the blocks${gated}.`
  );
}

function verdict({ text, memory }, names, held, together, taken, { looked_up }) {
  const most = Math.max(...held);
  const fits = together <= memory;
  const ratio = together / memory;
  const times = Number(ratio.toPrecision(ratio < 1.1 ? 3 : 2));
  const over = fits ? "" : `, ${times > 1 ? times : "just over 1"} times the goal`;
  const part = `${2 * most > together ? "Most of it" : "The largest part"}: ${names[held.indexOf(most)]}`;
  const linearised = taken.includes("linearised");
  const seen = looked_up === text ? "all" : `${linearised ? "at most " : ""}${whole(looked_up)} of the`;
  const shown =
    `Held at once: ${bytes_of(together)}${over}. ${part}, ${bytes_of(most)}. ` +
    `For a look-up by the last token, one head keeps ${seen} ${whole(text)} tokens` +
    (linearised ? ": the rank of its grid is d_k at most." : ".");
  if (!fits) return shown;
  return looked_up === text ? `${shown} Both goals are reached.` : `${shown} It fits, but the second goal is missed.`;
}

const kept_together = (text) => text.replaceAll(" GB", "\u00a0GB"); // no line begins with a GB
const bytes_of = (bytes) => large(bytes, BYTES.slice(0, 4)); // GB at most

// A meter in powers of ten, between two ends that are named; a goal is marked.
function scale(ends, goal = null) {
  const [low, high] = Object.values(ends);
  const share = (value) => Math.log(value / low) / Math.log(high / low);
  const meter = puzzle.meter({ alone: true }); // products and seconds
  const names = Object.keys(ends).map((name) => element("span", name));
  const node = element("div.decades", meter.node, element("div.ends", { "aria-hidden": "true" }, ...names));
  node.style.setProperty("--decade", 1 / Math.round(Math.log10(high / low)));
  return { node, draw: (value, text) => meter.draw(share(value), goal ? share(goal) : 2, text) };
}

export default ui.widget(build);
