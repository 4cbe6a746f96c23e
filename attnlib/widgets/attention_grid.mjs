// AttentionGrid: one cell for each query (row) and key (column), with the arithmetic behind any of them.

import * as grid from "./grid.mjs";
import * as large_grid from "./large_grid.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { compact, element, equals, number } from "./ui.mjs";
import "./attention_grid.css";

const MOST = 64; // tokens
const NUMBERS = 24; // keys: beyond, the grid shows shades alone
const HINT = "Point at a cell, or move to it with the arrow keys, to see its arithmetic.";

function build(model, figure) {
  const dials = {
    temperature: ui.slider(model, "temperature", "temperature", { min: 0.1, max: 5, step: 0.1 }),
    scaled: ui.toggle(model, "scaled", "divide by √d"),
    masked: ui.toggle(model, "masked", "mask"),
  };
  const scroll = element("div.scroll");
  const arithmetic = ui.live("div.arithmetic");
  const controls = ui.controls(...Object.values(dials));
  figure.append(scroll, controls.node, arithmetic);
  let view = null; // rebuilt when the tokens change
  let hovered = null;
  const weights_of = ui.memoize(compute);

  const point = (cell) => {
    if (String(cell) === String(hovered)) return;
    hovered = cell;
    explain();
  };
  const choose = (cell) => {
    hovered = null;
    ui.change(model, "selected", cell);
  };
  const explain = () => {
    const shown = hovered ?? model.get("selected");
    view.mark(hovered, shown);
    arithmetic.replaceChildren(...(shown ? steps(model, shown) : [element("p", HINT)]));
  };

  return () => {
    const { query, key, masked, mask, scaled, temperature, bias, selected } = ui.values(model);
    ui.at_most("tokens", Math.max(query.length, key.length), MOST);
    const weights = weights_of(query, key, masked, mask, scaled, temperature, bias, model);
    const { query_tokens: rows, key_tokens: columns } = ui.values(model);
    const [n_q, n_k] = [weights.length, weights[0].length];
    if (rows.length !== n_q || columns.length !== n_k)
      throw new Error(`${rows.length} query and ${columns.length} key tokens for ${n_q} × ${n_k} weights`);
    if (selected && weights[selected[0]]?.[selected[1]] === undefined)
      throw new Error(`cell ${[selected].flat().join(", ")} is outside the ${n_q} × ${n_k} grid`);
    const tokens = JSON.stringify([rows, columns]);
    if (view?.tokens !== tokens) {
      view = table(rows, columns, selected ?? [0, 0], { point, choose });
      view.tokens = tokens;
      hovered = null;
      scroll.replaceChildren(view.node);
    }
    ui.caption(model, figure, "query (row) reads from key (column).");
    view.fill(weights);
    for (const [name, { node }] of Object.entries(dials)) node.hidden = !model.get("controls").includes(name);
    controls.draw();
    explain();
  };
}

function scale_of(model) {
  return (model.get("scaled") ? model.get("key")[0].length ** -0.5 : 1) / model.get("temperature");
}

function allowed(model) {
  if (!model.get("masked")) return null;
  return model.get("mask") ?? math.causal_mask(model.get("query").length, model.get("key").length);
}

// The weights, null where a cell is masked. Its first arguments are what they depend on.
function compute(query, key, ...others) {
  const model = others.at(-1);
  const mask = allowed(model);
  return grid.masked(math.attention_weights(query, key, mask, scale_of(model), bias_of(model)), mask);
}

function bias_of(model) {
  return model.get("bias")?.map((row) => row.map((bias) => bias / model.get("temperature"))) ?? null;
}

function table(rows, columns, entry, { point, choose }) {
  const made = grid.table("attention weights", rows, columns, ["sum"], entry);
  const { node, cells: all, ends } = made;
  const told = (i, j) => `${rows[i]} reads from ${columns[j]}`;
  const shade = columns.length > NUMBERS && large_grid.behind(made, told);
  const lines = [...node.tBodies[0].rows];
  let selected = null;
  let before = ""; // a mouse at rest moves nothing, though the page may move under it
  const at = (event) => grid.cell_of(event.target);
  node.addEventListener("pointermove", (event) => {
    const here = `${event.clientX},${event.clientY}`;
    if (event.pointerType !== "touch" && here !== before) point(at(event));
    before = here;
  });
  node.addEventListener("pointerleave", () => point(null));
  node.addEventListener("click", (event) => at(event) && event.target.focus());
  node.addEventListener("focusin", (event) => at(event) && choose(at(event)));
  node.addEventListener("focusout", (event) => node.contains(event.relatedTarget) || point(null));

  return {
    node,
    fill(weights) {
      if (shade) shade(weights);
      else grid.fill(all, weights, told);
      weights.forEach((row, i) => ui.write(ends[i][0], number(row.reduce((total, weight) => total + weight, 0))));
    },
    mark(hovered, shown) {
      const active = hovered ?? (node.contains(document.activeElement) ? shown : null);
      if (!shade) lines.forEach((line, i) => line.classList.toggle("attn-dim", active !== null && active[0] !== i));
      const chosen = shown && all[shown[0]][shown[1]];
      if (chosen === selected) return;
      selected?.setAttribute("aria-selected", false);
      chosen?.setAttribute("aria-selected", true);
      selected = chosen;
    },
  };
}

// The lines from two vectors to one weight. Every number is computed from the same inputs as the grid.
function steps(model, [i, j]) {
  const {
    query: queries,
    key: keys,
    axes,
    scaled,
    temperature,
    bias: biases,
    query_tokens,
    key_tokens,
  } = ui.values(model);
  const [query, key, bias] = [queries[i], keys[j], biases?.[i][j]];
  const width = query.length;
  const columns = query.map((_, c) => c).filter((c) => query[c] * key[c] !== 0);
  const term = (c) => `${axes[c] ? `${axes[c]} ` : ""}${number(query[c])}×${number(key[c])}`;
  const shown = columns.slice(0, 6).map(term);
  if (columns.length > 6) shown.push(`${columns.length - 6} more`);
  let [[score]] = math.attention_scores([query], [key], 1);
  const exact = equals(score, ...columns.flatMap((c) => [query[c], key[c]]));
  const lines = [["q·k", `${shown.join(" + ") || "no axis in common"} ${exact} ${number(score)}`]];
  const step = (name, made, sign, result) => {
    lines.push([name, `${number(score)} ${made} ${sign} ${number(result)}`]);
    score = result;
  };
  if (scaled) step(`÷ √${width}`, `/ ${number(Math.sqrt(width))}`, "≈", score * width ** -0.5);
  if (bias !== undefined)
    step(
      "+ bias",
      `${bias < 0 ? "−" : "+"} ${number(Math.abs(bias))}`,
      equals(score + bias, score, bias),
      score + bias,
    );
  if (temperature !== 1) {
    const by = number(temperature, 1);
    step(`÷ ${by}`, `/ ${by}`, equals(score, temperature, score / temperature), score / temperature);
  }
  lines.push(["softmax", softmax_line(model, i, j)]);
  const pair = ui.sentence`${element("bdi", query_tokens[i])} reads from ${element("bdi", key_tokens[j])}`;
  const parts = lines.flatMap(([name, text]) => [element("dt", name), element("dd", text)]);
  return [element("p.pair", ...pair), element("dl", ...parts)];
}

function softmax_line(model, i, j) {
  const mask = allowed(model);
  if (mask && !mask[i][j]) return "masked: the score becomes −∞, so the weight is 0";
  const row = [[model.get("query")[i]], model.get("key")];
  const bias = bias_of(model)?.[i];
  const scores = math.attention_scores(...row, scale_of(model))[0].map((score, k) => score + (bias?.[k] ?? 0));
  const [weights] = math.attention_weights(...row, mask && [mask[i]], scale_of(model), bias && [bias]);
  const read = scores.filter((_, other) => !mask || mask[i][other]);
  const largest = Math.max(...read);
  const shift = Math.abs(largest) > 20 ? largest : 0; // exp of such a score tells nobody anything
  const power = (digits) => Math.exp(Number(scores[j].toFixed(digits)) - Number(shift.toFixed(digits)));
  const exact = Math.exp(scores[j] - shift);
  let digits = 2; // as many as give, to a reader who checks, the power that is written
  while (digits < 9 && written(power(digits)) !== written(exact)) digits++;
  const [score, less] = [scores[j], shift].map((x) => number(x, digits));
  const top = shift ? `exp(${score} − ${shift < 0 ? `(${less})` : less})` : `exp(${score})`;
  const total = read.reduce((sum, score) => sum + Math.exp(score - shift), 0);
  return `${top} / sum over the row ≈ ${written(exact)} / ${written(total)} ≈ ${number(weights[j])}`;
}

function written(power) {
  return power >= 100 && power < 1e4 ? number(power, 0) : compact(power);
}

export default ui.widget(build);
