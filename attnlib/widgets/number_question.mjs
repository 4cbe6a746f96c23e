// Number: a question whose answer is a number, and a sentence for each number that a misconception gives.

import * as answers from "./answers.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";

function build(model, figure) {
  const input = element("input", {
    type: "text",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: 80,
  });
  const unit = element("span");
  const form = element(
    "form.answer",
    element("label.control", "Your answer", input, unit),
    element("button.button", "Check"),
  );
  const say = answers.frame(model, figure, form);
  let shown = null; // what is being typed stays until the model changes
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ui.change(model, "answer", input.value.trim() || " "); // an empty answer is one too, and gets a sentence
  });

  return () => {
    check(model);
    const answer = model.get("answer");
    if (answer !== shown) input.value = answer.trim();
    shown = answer;
    unit.replaceChildren(...answers.marked(model.get("unit")));
    const [right, sentence] = judge(model, answer);
    input.setAttribute("aria-invalid", answer !== "" && right === null);
    say(right, sentence, right ? model.get("explanation") : "");
  };
}

// Raise for a state that makes no sense. What is not a number comes as null.
function check(model) {
  for (const name of ["right", "tolerance", "relative"])
    if (!Number.isFinite(model.get(name))) throw new Error(`${name} is no number`);
  model.get("wrong").forEach(([value, tolerance], i) => {
    if (!Number.isFinite(value) || !Number.isFinite(tolerance)) throw new Error(`wrong number ${i} is none`);
  });
}

// The verdict, null for what cannot be judged, and the sentence that goes with it.
function judge(model, answer) {
  if (answer === "") return [null, ""];
  const unit = answers.plain(model.get("unit")),
    text = answer.trim(),
    sentences = model.get("sentences");
  const typed = unit && text.endsWith(unit) ? text.slice(0, -unit.length) : text;
  const [value, note] = answers.read_number(typed, sentences);
  if (value === null) return [null, note];
  const right = model.get("right");
  const known = model.get("wrong").find(([other, tolerance]) => answers.near(value, other, tolerance));
  const verdict = answers.near(value, right, Math.max(model.get("tolerance"), model.get("relative") * Math.abs(right)));
  if (verdict) return [true, note];
  const other = answers.rounded(typed, value, right) ? sentences.rounded : sentences.other;
  return [false, [known?.[2] ?? other, note].filter(Boolean).join(" ")];
}

export default ui.widget(build);
