// One head large, in numbers: how a weight comes from its query and its key, component by component.

import { at_rest } from "anywidget_static/pace.mjs";

import { name_of } from "./overview.mjs";
import { arithmetic } from "./packed.mjs";
import { chosen, told } from "./picture.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";

const ROWS = 8; // keys of the table, the strongest
const OFF = 0.01; // what eight bits and float16 explain of a difference

export function numbers(model, recording, at) {
  const { n_k, key_tokens, causal } = recording;
  const [line, part] = [ui.live("p.result"), element("p.pointed")];
  const [bars, steps, row] = [
    element("div.products", { "aria-hidden": "true" }),
    element("dl.weight-sums"),
    element("div"),
  ];
  const node = element("div", line, bars, part, element("div.columns", steps, row));
  let say = () => {};
  for (const event of ["pointerover", "pointermove"])
    bars.addEventListener(event, ({ target }) => say([...bars.children].indexOf(target)));
  // Where a head without queries and keys sends a reader.
  const missing = () => {
    if (model.get("live")[at]) return ["Queries and keys come from Python here, where it runs."];
    const heads = recording.vectors?.heads ?? [];
    if (!heads.length) return ["Of this text the weights were recorded, without queries and keys."];
    const go = ([layer, head]) => [ui.button(name_of(layer, head), () => ui.change(model, { layer, head }))];
    const last = heads.length - 1;
    const between = (at) => ["", at === last ? " and " : ", "][Math.min(at, 1)];
    return ["Queries and keys are recorded for ", ...heads.flatMap((at, i) => [between(i), ...go(at)]), "."];
  };
  const table = (what, columns, write, weights, i, j) => {
    const least = model.get("least");
    const seen = Array.from({ length: causal ? i + 1 : n_k }, (_, k) => k).filter((k) => weights[k] >= least);
    const best = seen.sort((a, b) => weights[b] - weights[a]).slice(0, ROWS);
    const shown = best.includes(j) ? best : [...best.slice(0, ROWS - 1), j];
    const rows = shown.map((k) => [element("bdi", `${key_tokens[k]} (${k + 1})`), ...write(k)]);
    const name = (bdi) => element("th", { scope: "row" }, bdi);
    const cells = rows.map(([bdi, ...rest]) => [name(bdi), ...rest]);
    row.replaceChildren(ui.scroll(what, ui.table([element("th", { scope: "col" }, "key"), ...columns], cells)));
  };
  const draw = ([grid], layer, head) => {
    const [i, j] = chosen(model, grid);
    ui.refill(line, ...told(recording, grid, i, j));
    const sent = model.get("vectors_now").find(({ shown }) => shown === at);
    const pair = recording.pair(layer, head, sent);
    const read = (k) => grid.cells[i * n_k + k] / 255;
    const sums = pair && arithmetic(pair, recording, i, j);
    const blocked = (causal && j > i) || sums?.scores[j] === -Infinity;
    bars.hidden = !pair || blocked;
    if (bars.hidden) {
      const why = () =>
        blocked ? ["This query may not read this key: its weight is 0 without any arithmetic."] : missing();
      at_rest(part, () => part.replaceChildren(...why())); // behind what waits to be written there
      steps.replaceChildren();
      const weights = Array.from({ length: n_k }, (_, k) => read(k));
      const most = Math.max(...weights);
      const floor = most ? `below ${number(Math.log(0.5 / (255 * most - 0.5)), 1)}` : "–"; // of what was rounded to 0
      const below = (k) => (read(k) ? number(Math.log(read(k) / most)) : floor);
      const columns = ["weight", "score, below the largest: ln (w / largest w)"];
      table("what this query reads", columns, (k) => [ui.shaded(read(k)), below(k)], weights, i, j);
      return;
    }
    const { products, raw, scores, powers, spilt, total, weights } = sums;
    const { scale, softcap, sink } = pair;
    const largest = Math.max(...products.map(Math.abs), 1e-9);
    bars.replaceChildren(
      ...Array.from(products, (p) =>
        element(p < 0 ? "i.minus" : "i", { style: `--p:${(Math.abs(p) / largest).toFixed(3)}` }),
      ),
    );
    const [q, k] = [(c) => pair.queries[i * pair.width + c], (c) => pair.keys[j * pair.width + c]];
    say = (c) => {
      if (c >= 0) ui.write(part, `Component ${c + 1}: q ${number(q(c))} × k ${number(k(c))} = ${number(products[c])}`);
    };
    say(products.indexOf(products.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a))));
    const added = pair.bias ? pair.bias[i * n_k + j] : 0;
    const entries = [
      [`q · k: the sum of ${pair.width} products`, number(raw[j])],
      [`times the scale, ${compact(scale)}`, number(raw[j] * scale)],
      ...(softcap ? [[`squeezed within ±${compact(softcap)}`, number(scores[j] - added)]] : []),
      ...(added ? [["plus the bias: the score", number(scores[j])]] : []),
      ["e to the score, less the row's largest", compact(powers[j])],
      ...(sink === null
        ? []
        : [[`of the learned sink, a key without a token and of score ${number(sink)}`, compact(spilt)]]),
      [`divided by the row's sum, ${compact(total)}: the weight`, number(weights[j], 3)],
    ];
    if (Math.abs(weights[j] - read(j)) > OFF) entries.push(["the weight that was recorded", number(read(j), 3)]);
    steps.replaceChildren(...entries.flatMap(([term, value]) => [element("dt", term), element("dd", value)]));
    const columns = ["score", "exp", "weight"];
    const score = (k) => (Number.isFinite(scores[k]) ? number(scores[k]) : "–");
    table(
      "the row of this query",
      columns,
      (k) => [score(k), compact(powers[k]), ui.shaded(weights[k])],
      weights,
      i,
      j,
    );
  };
  return { node, draw };
}
