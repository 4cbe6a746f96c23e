// QueryStepper: one query token through the figure of scaled dot-product attention, with every sum written out.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number, vector, equals } from "./ui.mjs";

const TOKENS = 24,
  COMPONENTS = 12,
  TERMS = 6; // the most that are shown
const changes = ["step", "selected", "scaled", "masked"];

// The boxes in the order of the steps: name, the centre and half width in the figure, and how far below its arrow starts.
const BOXES = [
  ["Q", 36, 304, 24],
  ["K", 104, 304, 24],
  ["MatMul", 70, 252, 50],
  ["Scale", 70, 206, 50],
  ["Mask", 70, 160, 50],
  ["SoftMax", 70, 114, 50],
  ["V", 174, 304, 24],
  ["MatMul", 144, 66, 50],
  ["Context", 144, 20, 50],
];
const ARROWS = [
  [36, 288, 269],
  [104, 288, 269],
  [70, 235, 223],
  [70, 189, 177],
  [70, 143, 131],
  [107, 97, 83],
  [174, 288, 83],
  [144, 49, 37],
]; // x, from y, to y

function build(model, figure) {
  const last = BOXES.length - 1;
  const go = (step) => BOXES[step] && ui.change(model, "step", step);
  const boxes = BOXES.map(([name, x, y, half], step) => {
    const node = ui.button(`${step + 1} ${name}`, () => go(step));
    node.setAttribute("style", `left:${x - half}px;top:${y - 17}px;width:${2 * half}px`);
    return node;
  });
  const arrows = ARROWS.map(([x, from, to]) => `M${x} ${from}V${to}m-4 6 4-6 4 6`).join("");
  const graph = element(
    "div.graph",
    { role: "group", "aria-label": "scaled dot-product attention, from the bottom up" },
    element("svg", { viewBox: "0 0 200 322", "aria-hidden": "true" }, element("path", { d: arrows })),
    ...boxes,
  );
  const back = ui.button("Back", () => go(model.get("step") - 1)),
    next = ui.button("Next", () => go(model.get("step") + 1));
  const scaled = ui.toggle(model, "scaled", "scale"),
    masked = ui.toggle(model, "masked", "mask");
  const line = ui.live();
  const [chooser, strip, panel] = ["chooser", "strip", "panel"].map((name) => element(`div.${name}`));
  const switches = ui.controls(chooser, scaled, masked);
  figure.append(
    switches.node,
    line,
    strip,
    element("div.stepper", graph, element("div", ui.controls(back, next).node, panel)),
  );
  let choice = null; // rebuilt when the tokens change

  return () => {
    const now = compute(model),
      { tokens } = now,
      step = model.get("step");
    ui.check_inside("step", step, last);
    if (String(choice?.tokens) !== String(tokens)) {
      choice = {
        tokens,
        ...ui.select(
          model,
          "selected",
          "query token",
          tokens.map((token, i) => [i, token]),
        ),
      };
      chooser.replaceChildren(choice.node);
    }
    choice.draw();
    switches.draw();
    boxes.forEach((box, i) => {
      box.setAttribute("aria-current", i === step && "step");
      box.classList.toggle("attn-off", (i === 3 && !now.scaled) || (i === 4 && !now.mask));
    });
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === last);
    ui.caption(
      model,
      figure,
      `one query through ${now.scaled ? "scaled " : ""}dot-product attention, box by box (after Vaswani et al. 2017).`,
    );
    const [title, says, ...content] = STEPS[step](now);
    panel.replaceChildren(
      element("p.pair", `${step + 1}. `, ...ui.formula(title)),
      element("p", ...ui.formula(says)),
      ...content,
    );
    const rows = [["weight", now.weights, now.mask], ...(now.mask ? [["without mask", now.open]] : [])];
    strip.replaceChildren(
      ui.scroll(
        "weights",
        ui.table(
          ["", ...tokens],
          rows.map(([label, weights, mask]) => [
            label,
            ...weights.map((weight, j) => (blocked(mask, j) ? element("td.blocked", "–") : ui.shaded(weight))),
          ]),
        ),
      ),
    );
    line.replaceChildren(`Step ${step + 1} of ${last + 1}, ${BOXES[step][0]}. The query `, ...summary(now));
  };
}

// Everything that the figure computes for the query token.
function compute(model) {
  const [x, w_q, w_k, w_v, i, scaled] = ["x", "w_q", "w_k", "w_v", "selected", "scaled"].map((name) => model.get(name));
  const [queries, keys, values] = [w_q, w_k, w_v].map((w) => math.project(x, w));
  const tokens = ui.tokens_of(model, TOKENS, "x", "rows of x");
  ui.check_inside("selected token", i, x.length - 1);
  const [axes, key_axes, value_axes] = Object.entries({ axes: x, key_axes: keys, value_axes: values }).map(
    ([name, [row]]) => {
      ui.at_most("components", row.length, COMPONENTS);
      const names = model.get(name);
      if (names.length && names.length !== row.length)
        throw new Error(`${names.length} ${name} for ${row.length} components`);
      return row.map((_, c) => names[c] ?? String(c + 1));
    },
  );
  const q = queries[i],
    scale = scaled ? null : 1,
    mask = model.get("masked") ? math.causal_mask(x.length)[i] : null;
  const [raw] = math.attention_scores([q], keys, 1),
    [scores] = math.attention_scores([q], keys, scale);
  const [open] = math.attention_weights([q], keys, null, scale),
    [weights] = math.attention_weights([q], keys, mask && [mask], scale);
  const [context] = math.attention([q], keys, values, mask && [mask], scale);
  return {
    tokens,
    i,
    x,
    w_q,
    w_k,
    w_v,
    axes,
    key_axes,
    value_axes,
    q,
    keys,
    values,
    scaled,
    mask,
    raw,
    scores,
    open,
    weights,
    context,
  };
}

// What each step shows: a title, a sentence, and the numbers.
const STEPS = [
  ({ x, i, w_q, axes, key_axes, q }) => [
    "the query, q = x W_Q",
    "What does the token look for? Each component of q is a sum over the components of x. Terms that are 0 are left out.",
    row(axes, "x", x[i]),
    sums(key_axes, (c) =>
      sum(
        axes,
        x[i],
        w_q.map((row) => row[c]),
        q[c],
      ),
    ),
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
  ({ tokens, q, scaled, raw, scores }) => [
    `scale by √d_k = √${q.length}`,
    scaled
      ? `Divide each score by √${q.length} ${equals(q.length ** 0.5)} ${number(q.length ** 0.5)}.`
      : "Scaling is off: each score stays as it is.",
    sums(tokens, (j) =>
      scaled
        ? [`${number(raw[j])} / ${number(q.length ** 0.5)} ${equals(raw[j], scores[j])} `, scores[j]]
        : ["", raw[j]],
    ),
  ],
  ({ tokens, mask, scores }) => [
    "mask",
    mask ? "No token after the query may be read: its score becomes −∞." : "The mask is off: every token may be read.",
    sums(tokens, (j) => (blocked(mask, j) ? [`${number(scores[j])} → `, "−∞"] : ["", scores[j]])),
  ],
  ({ tokens, mask, scores, weights }) => {
    const largest = Math.max(...scores.filter((_, j) => !blocked(mask, j))),
      shift = Math.abs(largest) > 20 ? largest : 0; // exp of more tells nobody anything
    const raised = scores.map((score, j) => (blocked(mask, j) ? 0 : Math.exp(score - shift)));
    const total = number(raised.reduce((sum, term) => sum + term, 0));
    const inside = (j) => (blocked(mask, j) ? "−∞" : `${number(scores[j])}${shift ? ` − (${number(shift)})` : ""}`);
    return [
      "softmax",
      `Raise e to each score${shift ? ", less the largest," : ""} and divide by the sum of them all, ${total}. The weights add up to 1.`,
      sums(tokens, (j) => [`exp(${inside(j)}) / ${total} ≈ ${number(raised[j])} / ${total} ≈ `, weights[j]]),
    ];
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
    "Add the weighted values, component by component. This weighted sum of the values is what attention gives for the query.",
    sums(value_axes, (c) =>
      sum(
        tokens,
        weights,
        values.map((row) => row[c]),
        context[c],
      ),
    ),
    row(value_axes, "context", context),
  ],
];

// One line for each label; `write(at)` gives its nodes, and last the result.
function sums(labels, write) {
  return element(
    "dl.sums",
    ...labels.flatMap((label, at) => {
      const nodes = write(at),
        result = nodes.pop();
      const shown = typeof result === "number" ? number(result) : Array.isArray(result) ? vector(result) : result;
      return [element("dt", { dir: "auto" }, label), element("dd", ...nodes, element("strong", shown))];
    }),
  );
}

// The sum of a[c] × b[c], written out, where b[c] may be a vector. Terms that are 0 are left out.
function sum(names, a, b, total) {
  const there = names.map((_, c) => c).filter((c) => [b[c]].flat().some((entry) => a[c] * entry !== 0));
  const exact = equals(...there.flatMap((c) => [a[c], b[c]]).flat(), ...[total].flat());
  const terms = ui.listed(
    there.slice(0, TERMS),
    (c) => [element("bdi", names[c]), ` ${number(a[c])}×${b[c].length ? vector(b[c]) : number(b[c])}`],
    " + ",
  );
  return [
    ...terms,
    there.length > TERMS ? ` + ${there.length - TERMS} more` : there.length ? "" : "every term is 0",
    ` ${exact} `,
    total,
  ];
}

// A vector as a row of numbers under the names of its components.
function row(axes, label, entries) {
  return ui.scroll(label, ui.table(["", ...axes], [[label, ...entries.map((entry) => number(entry))]]));
}

// What the query reads, and what the mask does to it.
function summary({ tokens, i, mask, open, weights }) {
  const most = Math.max(...weights),
    from = tokens.filter((_, j) => most - weights[j] < 1e-9);
  const kept = open.reduce((sum, weight, j) => sum + (blocked(mask, j) ? 0 : weight), 0);
  return [
    element("bdi", tokens[i]),
    " reads most from ",
    ...ui.listed(from),
    `: ${number(most)}${from[1] ? " each" : ""}.`,
    !mask
      ? ""
      : mask.every(Boolean)
        ? " The mask hides nothing from it."
        : ` The mask takes away ${number(1 - kept)}, and every other weight ${kept > 1e-4 ? `becomes ${number(1 / kept)} times as large` : "grows"}.`,
  ];
}

function blocked(mask, j) {
  return Boolean(mask) && !mask[j];
}

export default ui.widget(changes, build);
