// MaskPainter: paint who may read whom, replace a token, and see which outputs move.

import * as grid from "./grid.mjs";
import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import { size_slider } from "./presets.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./mask_painter.css";

const PRESETS = { window: "sliding window", painted: "painted by you" };
const REFUSED = " keeps this key: with none left, a query has nothing to share its weight among.";
const APIS = {
  scaled_dot_product_attention: "this book and torch’s scaled_dot_product_attention",
  MultiheadAttention: "torch’s MultiheadAttention",
};

function build(model, figure) {
  const preset = ui.select(model, "preset", "mask", PRESETS);
  const size = size_slider(model, () => model.get("x").length);
  const leaky = ui.toggle(model, "leaky", "zero after the softmax");
  const api = ui.select(model, "api", "print it for", APIS);
  const [scroll, pokes] = [element("div.scroll"), element("div.controls", { role: "group" })];
  const result = ui.live("p.result");
  const printed = element("pre.scroll", { tabindex: 0, role: "group", "aria-label": "the mask as a matrix" });
  const controls = [ui.controls(preset, size, leaky), ui.controls(api)];
  figure.append(controls[0].node, scroll, pokes, result, controls[1].node, printed);
  let refused = null; // the row that would have lost its last key

  const { moved: least } = model.get("constants");
  const table_of = ui.memoize((tokens, other) => {
    const made = grid.table("attention weights: paint to block or allow", tokens, tokens, ["sum", "output moves"]);
    paintable(model, made.node, (row, at_once) => {
      refused = row;
      if (at_once) draw();
    });
    const poke = (i) => ui.change(model, "replaced", String(model.get("replaced")) === String(i) ? [] : [i]);
    const buttons = tokens.map((token, i) => ui.button(token, () => poke(i)));
    for (const button of buttons) button.dir = "auto";
    pokes.replaceChildren(element("span", "Replace with ", element("bdi", other), ":"), ...buttons);
    pokes.setAttribute("aria-label", `the token to replace with ${other}`);
    scroll.replaceChildren(made.node);
    return { ...made, buttons };
  });
  const draw = () => {
    const tokens = ui.tokens_of(model, "x", "rows of x");
    const { replaced, other_token: other } = ui.values(model);
    const allowed = allowed_of(model);
    const { weights, moved } = compute(model, allowed);
    const table = table_of(tokens, other);
    const names = tokens.map((token, i) => (replaced.includes(i) ? other : token));
    names.forEach((name, i) => {
      const [sum, moves] = table.ends[i];
      for (const node of [table.head[i], table.sides[i]]) {
        node.textContent = name;
        node.classList.toggle("attn-changed", replaced.includes(i));
      }
      table.buttons[i].setAttribute("aria-pressed", replaced.includes(i));
      sum.textContent = number(weights[i].reduce((sum, weight) => sum + weight, 0));
      moves.textContent = size_of(moved[i], least);
      moves.classList.toggle("attn-changed", moved[i] > least);
    });
    grid.fill(table.cells, grid.masked(weights, allowed), (i, j) => `${names[i]} reads from ${names[j]}`);
    ui.caption(model, figure, "query (row) reads from key (column). Click or drag to block and allow, or press space.");
    ui.refill(result, ...(refused === null ? effect(model, moved) : [element("bdi", tokens[refused]), REFUSED]));
    refused = null;
    printed.textContent = print(math.as_torch_reads(allowed, model.get("api")), model.get("api"));
    for (const row of controls) row.draw();
    const offered = ui.offered(model, { preset, leaky, api });
    size.node.hidden ||= !offered("preset");
    printed.hidden = !offered("api");
  };
  return draw;
}

// The mask as torch takes it.
function print(mask, api) {
  const rows = mask.map((row) => `[${row.map((entry) => (entry ? " True" : "False")).join(", ")}]`);
  return `# True = ${api === "MultiheadAttention" ? "blocked" : "may attend"}\nattn_mask =\n[${rows.join(",\n ")}]`;
}

// Who may attend, from the preset or the painting.
function allowed_of(model) {
  const { x, size, preset, mask } = ui.values(model);
  const n = x.length;
  ui.check_range("size", size, n, 1);
  return preset === "painted" ? (mask ?? math.padding_mask(n, n)) : lab.preset_mask(preset, n, size);
}

// The weights with the tokens replaced, and the largest change in each output.
function compute(model, allowed) {
  const { x, other, replaced, leaky } = ui.values(model);
  for (const i of replaced) ui.check_range("replaced token", i, x.length - 1);
  const attend = (rows) => {
    const [query, key, value] = ["w_q", "w_k", "w_v"].map((name) => math.project(rows, model.get(name)));
    const kept = math.attention_weights(query, key, allowed);
    const keep = (row, i) => row.map((weight, j) => (allowed[i][j] ? weight : 0));
    const weights = leaky ? math.attention_weights(query, key).map(keep) : kept;
    return { weights, out: math.project(weights, value) };
  };
  const before = attend(x);
  const after = attend(x.map((row, i) => (replaced.includes(i) ? other : row)));
  const change = (row, i) => Math.max(...row.map((entry, c) => Math.abs(entry - before.out[i][c])));
  return { weights: after.weights, moved: after.out.map(change) };
}

function size_of(change, least) {
  if (change <= least) return "no";
  return change < 0.005 ? "< 0.01" : number(change);
}

// One sentence: what moved, and why that may surprise.
function effect(model, moved) {
  const { tokens, replaced, other_token, constants } = ui.values(model);
  if (!replaced.length) return ["Replace a token to see which outputs move."];
  const moving = [...moved.keys()].filter((i) => moved[i] > constants.moved);
  const names = ui.listed(replaced.map((i) => tokens[i]));
  const count = `${moving.length} of ${moved.length} outputs move${moving.length === 1 ? "s" : ""}`;
  const why = surprise(moving, replaced, allowed_of(model));
  return ui.sentence`With ${element("bdi", other_token)} in place of ${names}, ${count}.${why}`;
}

function surprise(moving, replaced, allowed) {
  if (moving.some((i) => !replaced.includes(i) && !replaced.some((j) => allowed[i][j])))
    return " Some read nothing from it: the softmax had divided by a sum with its score before the zeros came.";
  return moving.some((i) => i < Math.min(...replaced)) ? " Earlier ones among them read the future." : "";
}

// Click, drag and the keys paint. A stroke blocks or allows throughout, as its first cell decides.
function paintable(model, node, refuse) {
  let stroke = null; // { allow, last, refused }
  const paint = ([i, j], allow, kept = null) => {
    const mask = allowed_of(model);
    if (Boolean(mask[i][j]) === allow) return null;
    if (!allow && mask[i].filter(Boolean).length === 1) {
      refuse(i, true);
      return i;
    }
    refuse(kept); // said for the rest of the stroke
    const painted = (row, r) => row.map((may_attend, c) => (r === i && c === j ? allow : Boolean(may_attend)));
    ui.change(model, { mask: mask.map(painted), preset: "painted" });
    return kept;
  };
  const other = ([i, j]) => !allowed_of(model)[i][j];
  const go = (event) => {
    const cell = grid.below(node, event);
    if (!stroke || !cell || String(cell) === stroke.last) return;
    stroke.last = String(cell);
    stroke.refused = paint(cell, stroke.allow, stroke.refused) ?? stroke.refused;
  };
  node.classList.add("attn-paint");
  node.addEventListener("pointerdown", (event) => {
    const cell = grid.cell_of(event.target);
    if (!cell || event.button !== 0) return;
    event.preventDefault(); // selects no text
    event.target.focus();
    node.setPointerCapture(event.pointerId);
    stroke = { allow: other(cell), last: "", refused: null };
    go(event);
  });
  node.addEventListener("pointermove", go);
  node.addEventListener("lostpointercapture", () => (stroke = null));
  const press = (event, pressed) => {
    const cell = pressed && grid.cell_of(event.target);
    if (!cell) return;
    event.preventDefault();
    paint(cell, other(cell));
  };
  node.addEventListener("click", (event) => press(event, event.detail === 0)); // a screen reader's
  node.addEventListener("keydown", (event) => press(event, event.key === " " || event.key === "Enter"));
}

export default ui.widget(build);
