// AttentionGrid: one cell for each query (row) and key (column), with the arithmetic behind any of them.

import * as grid from "./grid.mjs";
import * as math from "./math.mjs";
import * as shades from "./shades.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number, equals } from "./ui.mjs";

const MOST = 64; // tokens
const NUMBERS = 24; // keys: beyond, the grid shows shades alone
const changes = ["temperature", "scaled", "masked", "selected"];

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
  const weights_of = ui.memo(compute);

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
    arithmetic.replaceChildren(
      ...(shown
        ? steps(model, shown)
        : [element("p", "Point at a cell, or move to it with the arrow keys, to see its arithmetic.")]),
    );
  };

  return () => {
    ui.at_most("tokens", Math.max(model.get("query").length, model.get("key").length), MOST);
    const weights = weights_of(
      ...["query", "key", "masked", "mask", "scaled", "temperature", "bias"].map((name) => model.get(name)),
      model,
    );
    const rows = model.get("query_tokens"),
      columns = model.get("key_tokens");
    if (rows.length !== weights.length || columns.length !== weights[0].length)
      throw new Error(
        `${rows.length} query and ${columns.length} key tokens for ${weights.length} × ${weights[0].length} weights`,
      );
    const chosen = model.get("selected");
    if (chosen && weights[chosen[0]]?.[chosen[1]] === undefined)
      throw new Error(`cell ${[chosen].flat().join(", ")} is outside the ${rows.length} × ${columns.length} grid`);
    const tokens = JSON.stringify([rows, columns]);
    if (view?.tokens !== tokens) {
      view = table(rows, columns, model.get("selected") ?? [0, 0], { point, choose });
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
  const model = others.at(-1),
    mask = allowed(model);
  const weights = math.attention_weights(query, key, mask, scale_of(model), bias_of(model));
  return mask ? weights.map((row, i) => row.map((weight, j) => (mask[i][j] ? weight : null))) : weights;
}

function bias_of(model) {
  return model.get("bias")?.map((row) => row.map((bias) => bias / model.get("temperature"))) ?? null;
}

function table(rows, columns, entry, { point, choose }) {
  const made = grid.table("attention weights", rows, columns, ["sum"], entry),
    { node, cells: all, ends } = made;
  const told = (i, j) => `${rows[i]} reads from ${columns[j]}`;
  const shade = columns.length > NUMBERS && shades.behind(made, told);
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
      else
        weights.forEach((row, i) =>
          row.forEach((weight, j) => grid.fill(all[i][j], weight ?? 0, weight === null, told(i, j))),
        );
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
  const query = model.get("query")[i],
    key = model.get("key")[j];
  const names = model.get("axes");
  const width = query.length,
    temperature = model.get("temperature");
  const terms = query
    .map((q, c) => ({ q, k: key[c], name: names[c] ? `${names[c]} ` : "" }))
    .filter(({ q, k }) => q * k !== 0);
  const shown = terms.slice(0, 6).map(({ q, k, name }) => `${name}${number(q)}×${number(k)}`);
  if (terms.length > 6) shown.push(`${terms.length - 6} more`);
  const [[product]] = math.attention_scores([query], [key], 1);
  const lines = [
    [
      "q·k",
      `${shown.join(" + ") || "no axis in common"} ${equals(product, ...terms.flatMap(({ q, k }) => [q, k]))} ${number(product)}`,
    ],
  ];
  let score = product;
  if (model.get("scaled"))
    lines.push([`÷ √${width}`, `${number(score)} / ${number(Math.sqrt(width))} ≈ ${number((score *= width ** -0.5))}`]);
  const bias = model.get("bias")?.[i][j];
  if (bias !== undefined)
    lines.push([
      "+ bias",
      `${number(score)} ${bias < 0 ? "−" : "+"} ${number(Math.abs(bias))} ${equals(score + bias, score, bias)} ${number((score += bias))}`,
    ]);
  if (temperature !== 1)
    lines.push([
      `÷ ${number(temperature, 1)}`,
      `${number(score)} / ${number(temperature, 1)} ${equals(score, temperature, score / temperature)} ${number((score /= temperature))}`,
    ]);
  lines.push(["softmax", softmax_line(model, i, j)]);
  const title = element(
    "p.pair",
    element("bdi", model.get("query_tokens")[i]),
    " reads from ",
    element("bdi", model.get("key_tokens")[j]),
  );
  return [title, element("dl", ...lines.flatMap(([name, text]) => [element("dt", name), element("dd", text)]))];
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
  const shift = Math.abs(largest) > 20 ? largest : 0; // exp of such a score tells nobody anything: show it relative to the largest
  const power = (digits) => Math.exp(Number(scores[j].toFixed(digits)) - Number(shift.toFixed(digits)));
  let digits = 2; // as many as give, to a reader who checks, the power that is written
  while (digits < 9 && written(power(digits)) !== written(Math.exp(scores[j] - shift))) digits++;
  const [score, less] = [scores[j], shift].map((x) => number(x, digits));
  const top = shift ? `exp(${score} − ${shift < 0 ? `(${less})` : less})` : `exp(${score})`;
  const total = read.reduce((sum, score) => sum + Math.exp(score - shift), 0);
  return `${top} / sum over the row ≈ ${written(Math.exp(scores[j] - shift))} / ${written(total)} ≈ ${number(weights[j])}`;
}

function written(power) {
  return power >= 100 && power < 1e4 ? number(power, 0) : compact(power);
}

export default ui.widget(changes, build);
