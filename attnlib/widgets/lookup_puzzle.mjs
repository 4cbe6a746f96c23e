// LookupPuzzle: eight envelopes and eight fixed weights, a meter, and the control that compares names.

import * as lab from "./lab.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./softmax_sliders.css";
import "./lookup_puzzle.css";

const [ITEMS, SIDE, GOAL] = [8, 4, 0.5];
const LETTERS = "ABCDEFGHIJKLMNOP";
const ENVELOPE = /^[A-P][0-9a-f]{4}$/;

function build(model, figure) {
  const step = () => (model.get("rows").length % 11 ? 11 : 13); // it passes every question
  const next = ui.button("Next question", () =>
    ui.change(model, "question", (model.get("question") + step()) % asked()),
  );
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("compares"),
    hand: { compares: true, fixed: Array(ITEMS).fill(1) },
    take: { compares: false, strength: 0 },
  });
  const compare = ui.slider(model, "strength", "compare names", { step: 0.05, digits: 2 });
  const controls = ui.controls(next, hand, compare);
  const [call, scroll, told] = [element("p.call"), element("div.scroll"), ui.live()];
  const meter = puzzle.meter();
  figure.append(call, scroll, controls.node, told, meter.node);
  const asked = () => model.get("rows").length * ITEMS;
  const rows_of = ui.memoize(read);
  const fill_of = ui.memoize((row) => table(model, row, scroll));

  return () => {
    const { rows, fixed, compares, strength, question } = ui.values(model);
    const { names, letters } = rows_of(rows);
    ui.check_range("question", question, asked() - 1);
    if (fixed.length !== ITEMS) throw new Error(`${fixed.length} weights for ${ITEMS} envelopes`);
    const wrong = fixed.findIndex((weight) => !Number.isFinite(weight) || weight < 0 || weight > 1);
    if (wrong >= 0) throw new Error(`fixed[${wrong}] is ${fixed[wrong]}, outside 0 to 1`);
    if (!fixed.some(Boolean)) throw new Error("every weight is 0: nothing is mixed");
    const [row, called] = [Math.floor(question / ITEMS), question % ITEMS];
    const agreement = names[row].map((name) => name.reduce((sum, x, i) => sum + x * names[row][called][i], 0));
    const weights = lab.compared_weights(agreement, fixed, strength);
    const answer = lab.largest_letter(weights, letters[row]);
    ui.caption(
      model,
      figure,
      "a name is called, a square of fields. Which letter has the envelope with this name? " +
        "Your eight weights mix the letters, " +
        "and the letter with the largest total is your answer. The sliders stay as they are for every question.",
    );
    call.replaceChildren("Called: ", seal(names[row][called]), ` The right answer: ${LETTERS[letters[row][called]]}.`);
    fill_of(rows[row])(fixed, weights, agreement, compares, called);
    const share = weights.reduce((sum, weight, i) => (letters[row][i] === answer ? sum + weight : sum), 0);
    const [right, most] = [lab.share_right(names, letters, fixed, strength), lab.most_right(letters)];
    const verdict = answer === letters[row][called] ? "right" : "wrong";
    ui.refill(
      told,
      `Your answer is ${LETTERS[answer]}, with ${number(share)} of the weight: `,
      element(`b.${verdict === "right" ? "holds" : "fails"}`, verdict),
      `. Over all ${asked()} questions you are right in ${percent(right)}. ${comment(right, most, strength)}`,
    );
    meter.draw(right, GOAL, `right: ${percent(right)}, goal: ${percent(GOAL)}`);
    compare.node.hidden = !compares;
    controls.draw();
  };
}

function comment(right, most, strength) {
  if (Math.round(100 * right) >= 100 * GOAL) return "You have passed the goal."; // as it is shown
  if (strength === 0 && right >= most - 1e-9)
    return "That is the most that fixed weights can do here: a row then has one answer, whichever name is called.";
  return `The goal is ${percent(GOAL)}.`;
}

// Rows of envelopes, each a letter and its name in four hexadecimal digits, as numbers.
function read(rows) {
  const read_row = (row, i) => {
    const envelopes = row.split(/\s+/).filter(Boolean); // as Python does
    if (envelopes.length !== ITEMS) throw new Error(`rows[${i}] has ${envelopes.length} envelopes, not ${ITEMS}`);
    const wrong = envelopes.find((one) => !ENVELOPE.test(one));
    if (wrong)
      throw new Error(`rows[${i}]: '${wrong.slice(0, 12)}' is not a letter from A to P and four digits from 0 to f`);
    return envelopes;
  };
  const envelopes = rows.map(read_row);
  const bits = (digits) => [
    ...Number.parseInt(digits, 16)
      .toString(2)
      .padStart(SIDE * SIDE, "0"),
  ];
  return {
    letters: envelopes.map((row) => row.map((one) => LETTERS.indexOf(one[0]))),
    names: envelopes.map((row) => row.map((one) => bits(one.slice(1)).map((bit) => (bit === "1" ? 1 : -1)))),
  };
}

// A name as a square of fields.
function seal(name) {
  const digits = Number.parseInt(name.map((x) => (x > 0 ? 1 : 0)).join(""), 2)
    .toString(16)
    .padStart(4, "0");
  const fields = name.flatMap((x, i) =>
    x > 0 ? [element("rect", { x: i % SIDE, y: Math.floor(i / SIDE), width: 0.94, height: 0.94 })] : [],
  );
  const box = `-0.3 -0.3 ${SIDE + 0.6} ${SIDE + 0.6}`;
  return element("svg.seal", { viewBox: box, role: "img", "aria-label": `name ${digits}` }, ...fields);
}

// Show a row of envelopes with a slider each; returns what fills it.
function table(model, row, scroll) {
  const { names, letters } = read([row]);
  const lines = letters[0].map((letter, i) => {
    const input = element("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.05,
      "aria-label": `weight of envelope ${i + 1}`,
    });
    input.addEventListener("input", () => {
      const fixed = model.get("fixed").with(i, Number(input.value));
      if (fixed.some(Boolean)) ui.change(model, "fixed", fixed);
      else input.value = model.get("fixed")[i]; // something must be mixed
    });
    return {
      input,
      name: element("th", { scope: "row" }, seal(names[0][i])),
      agrees: element("td.plain"),
      share: element("td"),
      letter,
    };
  });
  const head = element("th", { scope: "col" }, "alike − different");
  const body = lines.map((line) => [line.name, LETTERS[line.letter], line.input, line.agrees, line.share]);
  scroll.replaceChildren(ui.table(["name", "letter", "your slider", head, "share"], body, ".sliders.envelopes"));
  return (fixed, weights, agreement, compares, called) => {
    head.hidden = !compares;
    lines.forEach(({ input, name, agrees, share }, i) => {
      input.value = fixed[i];
      input.setAttribute("aria-valuetext", `${number(fixed[i])}, share ${number(weights[i])}`);
      agrees.hidden = !compares;
      agrees.textContent = number(agreement[i], 0);
      ui.bar(share, weights[i], number(weights[i]));
      name.parentNode.classList.toggle("attn-called", compares && i === called);
    });
  };
}

export default ui.widget(build);
