// QueryStepper: one query token through the figure of scaled dot-product attention, with every sum written out.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, equals, number, vector } from "./ui.mjs";
import "./query_stepper.css";

const MOST = 6; // terms of a sum

// The boxes in the order of the steps: the name, and its centre in the figure.
const BOXES = "Q 36 304, K 104 304, MatMul 70 252, Scale 70 206, Mask 70 160, SoftMax 70 114, V 174 304, MatMul 144 66";
const PLACES = `${BOXES}, Context 144 20`.split(", ").map((box) => box.split(" "));
// The arrows between them: x, from y, to y.
const ARROWS = "36 288 269, 104 288 269, 70 235 223, 70 189 177, 70 143 131, 107 97 83, 174 288 83, 144 49 37";

function build(model, figure) {
  const last = PLACES.length - 1;
  const go = (step) => PLACES[step] && ui.change(model, "step", step);
  const boxes = PLACES.map(([name, x, y], step) => {
    const node = ui.button(`${step + 1} ${name}`, () => go(step));
    const half = name.length === 1 ? 24 : 50; // of the width
    node.setAttribute("style", `left:${x - half}px;top:${y - 17}px;width:${2 * half}px`);
    return node;
  });
  const arrows = ARROWS.replace(/(\d+) (\d+) (\d+)(, )?/g, "M$1 $2V$3m-4 6 4-6 4 6");
  const lines = element("svg", { viewBox: "0 0 200 322", "aria-hidden": "true" }, element("path", { d: arrows }));
  const group = { role: "group", "aria-label": "scaled dot-product attention, from the bottom up" };
  const graph = element("div.graph", group, lines, ...boxes);
  const back = ui.button("Back", () => go(model.get("step") - 1));
  const next = ui.button("Next", () => go(model.get("step") + 1));
  const line = ui.live();
  const [chooser, strip, panel] = ["chooser", "strip", "panel"].map((name) => element(`div.${name}`));
  const switches = ui.controls(chooser, ui.toggle(model, "scaled", "scale"), ui.toggle(model, "masked", "mask"));
  const side = element("div", ui.controls(back, next).node, panel);
  figure.append(switches.node, line, strip, element("div.stepper", graph, side));
  const menu_of = ui.memoize((tokens) => ui.select(model, "selected", "query token", [...tokens.entries()]));

  return () => {
    const now = compute(model);
    const { tokens, weights, mask } = now;
    const { step } = ui.values(model);
    const menu = menu_of(tokens);
    if (chooser.firstChild !== menu.node) chooser.replaceChildren(menu.node);
    menu.draw();
    switches.draw();
    boxes.forEach((box, i) => {
      box.setAttribute("aria-current", i === step && "step");
      box.classList.toggle("attn-off", (i === 3 && !now.scaled) || (i === 4 && !mask));
    });
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === last);
    const kind = `${now.scaled ? "scaled " : ""}dot-product attention`;
    ui.caption(model, figure, `one query through ${kind}, box by box (after Vaswani et al. 2017).`);
    const [title, says, ...content] = STEPS[step](now);
    const heading = element("p.pair", `${step + 1}. `, ...ui.formula(title));
    panel.replaceChildren(heading, element("p", ...ui.formula(says)), ...content);
    const cells = weights.map((weight, j) => (blocked(mask, j) ? element("td.blocked", "–") : ui.shaded(weight)));
    const open = mask ? [["without mask", ...now.open.map(ui.shaded)]] : [];
    strip.replaceChildren(ui.scroll("weights", ui.table(["", ...tokens], [["weight", ...cells], ...open])));
    ui.refill(line, `Step ${step + 1} of ${last + 1}, ${PLACES[step][0]}. The query `, ...summary(now));
  };
}

// Everything that the figure computes for the query token.
function compute(model) {
  const { x, w_q, w_k, w_v, selected: i, scaled, masked } = ui.values(model);
  const [queries, keys, values] = [w_q, w_k, w_v].map((w) => math.project(x, w));
  const tokens = ui.tokens_of(model, "x", "rows of x");
  ui.check_range("selected token", i, x.length - 1);
  const q = queries[i];
  const scale = scaled ? null : 1;
  const mask = masked ? math.causal_mask(x.length)[i] : null;
  const [raw] = math.attention_scores([q], keys, 1);
  const [scores] = math.attention_scores([q], keys, scale);
  const [open] = math.attention_weights([q], keys, null, scale);
  const [weights] = math.attention_weights([q], keys, mask && [mask], scale);
  const [context] = math.attention([q], keys, values, mask && [mask], scale);
  const named = (name, { length }) => {
    const names = model.get(name);
    if (names.length % length) throw new Error(`${names.length} ${name} for ${length} components`);
    return Array.from({ length }, (_, c) => names[c] ?? String(c + 1));
  };
  const [axes, key_axes, value_axes] = [named("axes", x[0]), named("key_axes", q), named("value_axes", values[0])];
  const shown = { tokens, i, x, w_q, w_k, w_v, axes, key_axes, value_axes, q, keys, values };
  return { ...shown, scaled, mask, raw, scores, open, weights, context };
}

const column = (matrix, c) => matrix.map((row) => row[c]);

// What each step shows: a title, a sentence, and the numbers.
const STEPS = [
  ({ x, i, w_q, axes, key_axes, q }) => [
    "the query, q = x W_Q",
    "What does the token look for? Each component of q is a sum over the components of x. " +
      "Terms that are 0 are left out.",
    row(axes, "x", x[i]),
    sums(key_axes, (c) => sum(axes, x[i], column(w_q, c), q[c])),
    row(key_axes, "q", q),
  ],
  ({ tokens, x, w_k, axes, keys }) => [
    "the keys, k = x W_K",
    "What does each token offer? The same sums with W_K, all components at once.",
    sums(tokens, (j) => sum(axes, x[j], w_k, keys[j])),
  ],
  ({ tokens, key_axes, q, keys, raw }) => [
    "the scores, q·k",
    "Does a key have what the query looks for? Multiply them component by component, and add.",
    row(key_axes, "q", q),
    sums(tokens, (j) => sum(key_axes, q, keys[j], raw[j])),
  ],
  ({ tokens, q, scaled, raw, scores }) => {
    const root = q.length ** 0.5;
    const divided = (j) => [`${number(raw[j])} / ${number(root)} ${equals(raw[j], scores[j])} `, scores[j]];
    const says = `Divide each score by √${q.length} ${equals(root)} ${number(root)}.`;
    const off = ["Scaling is off: each score stays as it is.", sums(tokens, (j) => [scores[j]])];
    return [`scale by √d_k = √${q.length}`, ...(scaled ? [says, sums(tokens, divided)] : off)];
  },
  ({ tokens, mask, scores }) => [
    "mask",
    mask ? "No token after the query may be read: its score becomes −∞." : "The mask is off: every token may be read.",
    sums(tokens, (j) => (blocked(mask, j) ? [`${number(scores[j])} → `, "−∞"] : [scores[j]])),
  ],
  ({ tokens, mask, scores, weights }) => {
    const largest = Math.max(...scores.filter((_, j) => !blocked(mask, j)));
    const shift = largest > 20 || largest < -1 ? largest : 0; // exp of such a score tells nobody anything
    const less = shift ? ` − (${number(shift)})` : "";
    const raised = scores.map((score, j) => (blocked(mask, j) ? 0 : Math.exp(score - shift)));
    const total = number(raised.reduce((sum, term) => sum + term, 0));
    const inside = (j) => (blocked(mask, j) ? "−∞" : number(scores[j]) + less);
    const written = (j) => `exp(${inside(j)}) / ${total} ≈ ${number(raised[j])} / ${total} ≈ `;
    const how = `Raise e to each score${less && ", less the largest,"} and divide by the sum of them all`;
    return ["softmax", `${how}, ${total}. The weights add up to 1.`, sums(tokens, (j) => [written(j), weights[j]])];
  },
  ({ tokens, x, w_v, axes, values }) => [
    "the values, v = x W_V",
    "What does each token pass on? The same sums with W_V.",
    sums(tokens, (j) => sum(axes, x[j], w_v, values[j])),
  ],
  ({ tokens, values, weights }) => [
    "weight × value",
    "Each value counts as much as its weight says.",
    sums(tokens, (j) => [`${number(weights[j])} × ${vector(values[j])} ≈ `, values[j].map((v) => v * weights[j])]),
  ],
  ({ tokens, value_axes, values, weights, context }) => [
    "the context vector, their sum",
    "Add the weighted values, component by component. " +
      "This weighted sum of the values is what attention gives for the query.",
    sums(value_axes, (c) => sum(tokens, weights, column(values, c), context[c])),
    row(value_axes, "context", context),
  ],
];

// One line for each label; `write(at)` gives its nodes, and last the result.
function sums(labels, write) {
  const lines = labels.flatMap((label, at) => {
    const nodes = write(at);
    const result = element("strong", shown(nodes.pop()));
    return [element("dt", { dir: "auto" }, label), element("dd", ...nodes, result)];
  });
  return element("dl.sums", ...lines);
}

// A number or a vector as text; a text as it is.
function shown(value) {
  if (Array.isArray(value)) return vector(value);
  return typeof value === "number" ? number(value) : value;
}

// The sum of a[c] × b[c], written out, where b[c] may be a vector. Terms that are 0 are left out.
function sum(names, a, b, total) {
  const there = names.map((_, c) => c).filter((c) => [b[c]].flat().some((entry) => a[c] * entry !== 0));
  const exact = equals(...there.flatMap((c) => [a[c], b[c]]).flat(), ...[total].flat());
  const term = (c) => [element("bdi", names[c]), ` ${number(a[c])}×${shown(b[c])}`];
  const terms = there.length ? ui.listed(there.slice(0, MOST), term, " + ") : ["every term is 0"];
  return [...terms, there.length > MOST ? ` + ${there.length - MOST} more` : "", ` ${exact} `, total];
}

// A vector as a row of numbers under the names of its components.
const row = (axes, label, entries) => ui.scroll(label, ui.table(["", ...axes], [[label, ...entries.map(shown)]]));

// What the query reads, and what the mask does to it.
function summary({ tokens, i, mask, open, weights }) {
  const most = Math.max(...weights);
  const from = tokens.filter((_, j) => most - weights[j] < 1e-9);
  const each = from[1] ? " each" : "";
  const share = `: ${number(most)}${each}.${hidden(mask, open)}`;
  return [element("bdi", tokens[i]), " reads most from ", ...ui.listed(from), share];
}

// What the mask takes away from the weights without it.
function hidden(mask, open) {
  if (!mask) return "";
  if (mask.every(Boolean)) return " The mask hides nothing from it.";
  const kept = open.reduce((sum, weight, j) => sum + (mask[j] ? weight : 0), 0);
  const grown = kept > 1e-4 ? `becomes ${number(1 / kept)} times as large` : "grows";
  return ` The mask takes away ${number(1 - kept)}, and every other weight ${grown}.`;
}

const blocked = (mask, j) => Boolean(mask) && !mask[j];

export default ui.widget(build);
