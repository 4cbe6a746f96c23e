// AttentionGrid: one cell for each query (row) and key (column), with the arithmetic behind any of them.

import { film } from "./film.mjs";
import * as grid from "./grid.mjs";
import * as large_grid from "./large_grid.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { compact, element, equals, number } from "./ui.mjs";
import "./attention_grid.css";

const MOST = 64; // tokens
const SHOWN = 6; // terms of a dot product
const NUMBERS = 24; // keys: beyond, the grid shows shades alone
const HINT = "Point at a cell, or move to it with the arrow keys, to see its arithmetic.";

function build(model, figure) {
  const dials = {
    temperature: ui.slider(model, "temperature", "temperature", { min: 0.1, max: 10, step: 0.1 }),
    scaled: ui.toggle(model, "scaled", "divide by √d"),
    masked: ui.toggle(model, "masked", "mask"),
  };
  const [scroll, arithmetic] = [element("div.scroll"), ui.live("div.arithmetic")];
  const controls = ui.controls(...Object.values(dials));
  figure.append(scroll, controls.node, arithmetic);
  const weights_of = ui.memoize(compute);
  let [view, weights, hovered] = [null, null, null];
  const view_of = ui.memoize((rows, columns) => {
    const made = table(rows, columns, model.get("selected") ?? [0, 0], { point, choose });
    hovered = null;
    scroll.replaceChildren(made.node);
    return made;
  });
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
    ui.refill(arithmetic, () => (shown ? steps(model, weights, shown) : [element("p", HINT)]));
  };

  return () => {
    const { query, key, masked, mask, scaled, temperature, bias, selected } = ui.values(model);
    const rows = ui.tokens_of(model, "query", "queries", "query_tokens");
    const columns = ui.tokens_of(model, "key", "keys", "key_tokens");
    ui.at_most("tokens", Math.max(rows.length, columns.length), MOST);
    weights = weights_of(query, key, masked, mask, scaled, temperature, bias);
    if (selected && weights[selected[0]]?.[selected[1]] === undefined)
      throw new Error(`cell ${[selected].flat().join(", ")} is outside the ${rows.length} × ${columns.length} grid`);
    view = view_of(rows, columns);
    ui.caption(model, figure, "query (row) reads from key (column).");
    view.fill(weights);
    ui.offered(model, dials);
    controls.draw();
    explain();
  };
}

// The weights, null where a cell is masked.
function compute(query, key, masked, mask, scaled, temperature, bias) {
  const allowed = masked ? (mask ?? math.causal_mask(query.length, key.length)) : null;
  const scale = (scaled ? key[0].length ** -0.5 : 1) / temperature;
  const added = bias?.map((row) => row.map((bias) => bias / temperature));
  return grid.masked(math.attention_weights(query, key, allowed, scale, added), allowed);
}

function table(rows, columns, entry, { point, choose }) {
  const made = grid.table("attention weights", rows, columns, ["sum"], entry);
  const { node, cells: all, ends } = made;
  const told = (i, j) => `${rows[i]} reads from ${columns[j]}`;
  const shade = columns.length > NUMBERS && large_grid.behind(made, told);
  const lines = [...node.tBodies[0].rows];
  let [selected, before] = [null, ""]; // a mouse at rest moves nothing, though the page may move under it
  const at = (event) => grid.cell_of(event.target);
  node.addEventListener("pointermove", (event) => {
    const here = `${event.clientX},${event.clientY}`;
    if (event.pointerType !== "touch" && here !== before) point(at(event));
    before = here;
  });
  node.addEventListener("pointerleave", () => point(null));
  node.addEventListener("click", (event) => at(event) && event.target.focus());
  node.addEventListener("focusin", (event) => at(event) && choose(at(event)));
  node.addEventListener("focusout", (event) => {
    if (node.contains(event.relatedTarget)) return;
    point(null);
    for (const line of lines) line.classList.remove("attn-dim"); // also where no mouse was over a cell
  });

  return {
    node,
    fill(weights) {
      if (shade) shade(weights);
      else grid.fill(all, weights, told, { show: film });
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

// As many as are shown, in their order; of more, those with the largest `size`.
function largest(columns, size) {
  if (columns.length <= SHOWN) return columns;
  return [...columns].sort((a, b) => size(b) - size(a)).slice(0, SHOWN);
}

// The lines from two vectors to one weight. Every number is computed from the same inputs as the grid.
function steps(model, weights, [i, j]) {
  const { axes, scaled, temperature, query_tokens, key_tokens } = ui.values(model);
  const [query, key, bias] = [model.get("query")[i], model.get("key")[j], model.get("bias")?.[i][j]];
  const columns = [...query.keys()].filter((c) => query[c] * key[c] !== 0);
  const term = (c) => `${axes[c] ? `${axes[c]} ` : ""}${number(query[c])}×${number(key[c])}`;
  const shown = largest(columns, (c) => Math.abs(query[c] * key[c])).map(term);
  if (columns.length > SHOWN) shown.push(`${columns.length - SHOWN} smaller ones`);
  let [[score]] = math.attention_scores([query], [key], 1);
  const exact = equals(score, ...columns.flatMap((c) => [query[c], key[c]]));
  const lines = [["q·k", `${shown.join(" + ") || "no axis in common"} ${exact} ${number(score)}`]];
  const step = (name, made, sign, result) => {
    lines.push([name, `${number(score)} ${made} ${sign} ${number(result)}`]);
    score = result;
  };
  const width = query.length;
  if (scaled) step(`÷ √${width}`, `/ ${number(Math.sqrt(width))}`, "≈", score * width ** -0.5);
  if (bias !== undefined) {
    const made = `${bias < 0 ? "−" : "+"} ${number(Math.abs(bias))}`;
    step("+ bias", made, equals(score + bias, score, bias), score + bias);
  }
  if (temperature !== 1) {
    const digits = [1, 2, 3].find((digits) => Number(temperature.toFixed(digits)) === temperature);
    const by = number(temperature, digits ?? 4);
    step(`÷ ${by}`, `/ ${by}`, equals(score, temperature, score / temperature), score / temperature);
  }
  lines.push(["softmax", softmax_line(model, weights[i], i, j)]);
  const pair = ui.sentence`${element("bdi", query_tokens[i])} reads from ${element("bdi", key_tokens[j])}`;
  const parts = lines.flatMap(([name, text]) => [element("dt", name), element("dd", text)]);
  return [element("p.pair", ...pair), element("dl", ...parts)];
}

function softmax_line(model, weights, i, j) {
  if (weights[j] === null) return "masked: the score becomes −∞, so the weight is 0";
  const { query, key, scaled, temperature, bias } = ui.values(model);
  const [products] = math.attention_scores([query[i]], key, scaled ? null : 1);
  const scores = products.map((score, k) => (score + (bias?.[i][k] ?? 0)) / temperature);
  const read = scores.filter((_, k) => weights[k] !== null);
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
