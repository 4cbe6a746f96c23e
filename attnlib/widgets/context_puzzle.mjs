// ContextPuzzle: words that can be taken away from a sentence, and what its last word reads and takes.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./context_puzzle.css";

function build(model, figure) {
  const [words, told] = [element("div.controls.words"), ui.live("p.result")];
  const [read, taken] = [element("div.frame"), element("div.frame")];
  figure.append(words, element("div.columns.context", read, taken), told);

  const parts_of = ui.memoize((tokens, axes) => {
    const away = (i) => {
      const absent = model.get("absent");
      ui.change(model, "absent", absent.includes(i) ? absent.filter((one) => one !== i) : [...absent, i]);
    };
    const before = tokens.slice(0, -1).map((token, i) => {
      const node = ui.button("", () => away(i));
      node.append(element("bdi", token));
      return node;
    });
    words.replaceChildren(...before, element("bdi.asks", tokens.at(-1)));
    const cells = tokens.map(() => [element("td.plain"), element("td")]);
    const rows = tokens.map((token, i) => [token, ...cells[i]]);
    const table = ui.table(["word", "score", "weight"], rows);
    read.replaceChildren(ui.scroll("scores and weights", table));
    const bars = axes.map(() => element("td"));
    const blend = ui.table(
      ["taken", "blend"],
      axes.map((axis, i) => [axis, bars[i]]),
    );
    taken.replaceChildren(ui.scroll("the blend", blend));
    return { before, cells, bars, lines: [...table.tBodies[0].rows] };
  });

  return () => {
    const { x, w_q, w_k, w_v, value_axes: axes, absent } = ui.values(model);
    const tokens = ui.tokens_of(model, "x", "rows of x");
    check(tokens, absent);
    const parts = parts_of(tokens, axes);
    const here = tokens.map((_, i) => !absent.includes(i));
    const [query] = math.project([x.at(-1)], w_q);
    const values = math.project(x, w_v);
    if (axes.length !== values[0].length)
      throw new Error(`${axes.length} value_axes for values of width ${values[0].length}`);
    const keys = math.project(x, w_k);
    const [scores] = math.attention_scores([query], keys, 1);
    const [weights] = math.attention_weights([query], keys, [here], 1);
    const blend = axes.map((_, c) => weights.reduce((sum, weight, i) => sum + weight * values[i][c], 0));
    const longest = Math.max(...values.flat().map(Math.abs)) || 1;
    parts.before.forEach((button, i) => ui.set(button, { "aria-pressed": `${here[i]}` }));
    parts.cells.forEach(([score, weight], i) => {
      parts.lines[i].classList.toggle("attn-away", !here[i]);
      ui.write(score, here[i] ? number(scores[i]) : "–");
      ui.bar(weight, here[i] ? weights[i] : 0, here[i] ? number(weights[i]) : "away");
    });
    parts.bars.forEach((cell, c) => ui.bar(cell, Math.abs(blend[c]) / longest, number(blend[c])));
    const most = weights.indexOf(Math.max(...weights));
    const largest = blend.indexOf(Math.max(...blend));
    const [last, word, axis] = [tokens.at(-1), tokens[most], axes[largest]].map((text) => element("bdi", text));
    ui.refill(
      told,
      ...ui.sentence`${last} reads most from ${word}, ${number(weights[most])}. The blend has most of ${axis}.`,
    );
    const asks = element("i", element("bdi", tokens.at(-1)));
    const said = ui.sentence`the query of ${asks} against the keys of the words that are there. `;
    ui.caption(model, figure, [...said, "Press a word to take it away or to put it back."]);
  };
}

function check(tokens, absent) {
  const last = tokens.length - 2;
  const wrong = absent.findIndex((place) => !(Number.isInteger(place) && place >= 0 && place <= last));
  if (wrong < 0) return;
  throw new Error(`absent[${wrong}] is ${absent[wrong]}, outside 0 to ${last}: the last word stays`);
}

export default ui.widget(build);
