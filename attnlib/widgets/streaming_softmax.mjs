// StreamingSoftmax: keys come one by one, and three numbers are all that is kept of them.

import * as lab from "./lab.mjs";
import { softmax } from "./math.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number, set } from "./ui.mjs";
import "./streaming_softmax.css";

const LARGEST = 1000; // of a score and of a value
const KEPT = ["largest", "total", "blend"];
const CAPTION =
  "pale bars are drawn for you alone: those keys are forgotten. The three numbers in the boxes are all that is " +
  "remembered. The total is the sum of the bars.";

function build(model, figure) {
  const count = () => model.get("scores").length;
  const step = (by) => () => {
    const to = model.get("seen") + by;
    if (to >= 0 && to <= count()) ui.change(model, "seen", to);
  };
  const [back, next] = [ui.button("Back", step(-1)), ui.button("Next key", step(1))];
  const seen = ui.slider(model, "seen", "keys seen", { step: 1, digits: 0 });
  const board = element("div.scroll", { tabindex: 0, role: "group", "aria-label": "keys, their scores and bars" });
  const boxes = KEPT.map(() => element("dd"));
  const kept = element("dl.kept", ...KEPT.map((name, k) => element("div", element("dt", name), boxes[k])));
  const [told, answer] = [ui.live("div.passing"), element("p.answer-so-far")];
  const side = element("div.frame", element("p.pair", "Remembered"), kept, answer, told);
  figure.append(element("div.controls.next-key", back, next, seen.node), element("div.columns", board, side));
  const rows_of = ui.memoize((n) => draw_rows(model, n, board));

  return () => {
    const { scores, values, seen: k } = ui.values(model);
    if (scores.length !== values.length) throw new Error(`${scores.length} scores for ${values.length} values`);
    for (const [name, row] of Object.entries({ scores, values })) check(name, row);
    if (k > count()) throw new Error(`seen is ${k}, of ${count()} keys`);
    const states = [[Number.NEGATIVE_INFINITY, 0, 0], ...lab.streamed_softmax(scores, values)];
    const [largest, total, blend] = states[k];
    seen.node.querySelector("input").max = count();
    seen.draw();
    set(back, { "aria-disabled": String(k === 0) });
    set(next, { "aria-disabled": String(k === count()) });
    ui.caption(model, figure, CAPTION);
    rows_of(count())(scores, values, k, largest);
    [k ? given(largest) : "−∞", fine(total), fine(blend)].forEach((text, at) => ui.write(boxes[at], text));
    ui.refill(answer, () => say_answer(scores, values, k, blend / total));
    ui.refill(told, () => say_step(scores, values, k, states).map((line) => element("p", ...line)));
  };
}

function check(name, row) {
  const wrong = row.findIndex((entry) => !(Number.isFinite(entry) && Math.abs(entry) <= LARGEST));
  if (wrong < 0) return;
  throw new Error(`${name}[${wrong}] is ${row[wrong]}, outside ${-LARGEST} to ${LARGEST}`.replaceAll("-", "−"));
}

// The keys with their fields and bars; returns what fills them.
function draw_rows(model, n, board) {
  const field = (name, what, j) => {
    const label = `${what} of key ${j + 1}`;
    const input = element("input", { type: "number", min: -LARGEST, max: LARGEST, step: "any", "aria-label": label });
    const typed = () => (input.value === "" ? Number.NaN : Math.max(-LARGEST, Math.min(LARGEST, Number(input.value))));
    input.addEventListener("input", () => {
      if (Number.isFinite(typed())) ui.change(model, name, model.get(name).with(j, typed()));
    });
    input.addEventListener("change", () => (input.value = model.get(name)[j]));
    // What is being typed stays as it is.
    const draw = (value) => {
      const same = typed() === value || Number.isNaN(typed());
      if (document.activeElement !== input || !same) input.value = value;
    };
    return { input, draw };
  };
  const lines = Array.from({ length: n }, (_, j) => {
    const [score, value] = [field("scores", "score", j), field("values", "value", j)];
    const [bar, text] = [element("span.pour", { "aria-hidden": "true" }), element("span.poured")];
    return { score, value, bar, text, cell: element("td.plain.glass", bar, text) };
  });
  const exponential = element("th", { scope: "col" }, "e", element("sup", "score − largest"));
  const rows = lines.map(({ score, value, cell }, j) => [`key ${j + 1}`, score.input, value.input, cell]);
  board.replaceChildren(ui.table(["key", "score", "value", exponential], rows, ".stream"));
  return (scores, values, k, largest) => {
    lines.forEach(({ score, value, bar, text, cell }, j) => {
      score.draw(scores[j]);
      value.draw(values[j]);
      const height = j < k ? Math.exp(scores[j] - largest) : 0;
      bar.style.setProperty("--w", height.toFixed(4));
      bar.classList.toggle("attn-gone", j < k - 1);
      cell.parentNode.classList.toggle("attn-to-come", j >= k);
      ui.write(text, j < k ? fine(height) : "");
      set(cell.parentNode, { "aria-current": j === k - 1 ? "step" : "false" });
    });
  };
}

const power = (high, low) => ["e", element("sup", low === undefined ? high : `${high} − ${bracketed(low)}`)];
const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);

// A number of the reader as it was typed, and one that was computed, with three decimals at most.
const given = (x) => String(Number(x.toPrecision(9))).replace("-", "−");
const fine = (x) => (x !== 0 && Math.abs(x) < 0.001 ? compact(x) : number(x, 3));

function say_answer(scores, values, k, answer) {
  if (!k) return ["Answer so far = blend / total. No key has been seen yet."];
  const weights = softmax(scores.slice(0, k));
  const whole = weights.reduce((sum, weight, j) => sum + weight * values[j], 0);
  const keys = k === 1 ? "one key" : `${k} keys`;
  const [streamed, at_once] = [answer, whole].map((x) => element("strong", number(x, 3)));
  const compared = ui.sentence` The softmax over the ${keys} with all scores at hand: ${at_once}.`;
  return [...ui.sentence`Answer so far = blend / total = ${streamed}.`, ...compared];
}

// What the key at hand did to the three numbers.
function say_step(scores, values, k, states) {
  if (!k) return [["Press “Next key”."]];
  const [[before, old_total, old_blend], [largest, total, blend]] = [states[k - 1], states[k]];
  const [score, high, low] = [given(scores[k - 1]), given(largest), given(before)];
  const [raised, shrink] = [Math.exp(scores[k - 1] - largest), Math.exp(before - largest)];
  const name = `Key ${k} has the score ${score}`;
  const kept = (old) => (k === 1 ? "" : `${fine(old)}${shrink < 1 ? ` · ${fine(shrink)}` : ""} + `);
  const opening = () => {
    if (k === 1) return [`${name}, the largest so far. Its bar is e⁰ = 1.`];
    if (shrink < 1)
      return ui.sentence`${name}, above ${low}: all that is kept shrinks by ${power(low, high)} = ${fine(shrink)}.`;
    return ui.sentence`${name}, not above ${low}: nothing shrinks. Its bar is ${power(score, high)} = ${fine(raised)}.`;
  };
  const lines = [
    opening(),
    [`total = ${k === 1 ? "" : `${kept(old_total)}${fine(raised)} = `}${fine(total)}`],
    [`blend = ${kept(old_blend)}${fine(raised)} · ${bracketed(given(values[k - 1]))} = ${fine(blend)}`],
  ];
  if (Math.exp(scores[k - 1]) === Number.POSITIVE_INFINITY)
    lines.push(ui.sentence`${power(score)} alone is too large for float64. No exponent here is above 0.`);
  return lines;
}

export default ui.widget(build);
