// Number: a question whose answer is a number, and a sentence for each number that a misconception gives.

import * as answers from "./answers.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./number_question.css";

function build(model, figure) {
  const verbatim = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  const input = element("input", { type: "text", maxlength: 80, ...verbatim });
  const unit = element("span");
  const label = element("label.control", "Your answer", input, unit);
  const form = element("form.answer", label, element("button.button", "Check"));
  const say = answers.frame(model, figure, form);
  let shown = null; // what is being typed stays until the model changes
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ui.change(model, "answer", input.value.trim() || " "); // an empty answer is one too, and gets a sentence
  });

  return () => {
    const { answer, unit: text, explanation } = ui.values(model);
    const [right, sentence] = judge(ui.values(model));
    if (answer !== shown) input.value = answer.trim();
    shown = answer;
    unit.replaceChildren(...answers.marked(text));
    input.setAttribute("aria-invalid", answer !== "" && right === null);
    say(right, sentence, right ? explanation : "", answer);
  };
}

// The verdict, null for what cannot be judged, and the sentence that goes with it.
function judge({ answer, sentences, right, wrong, tolerance, relative, unit: behind }) {
  const broken = wrong.findIndex(([value, tolerance]) => ![value, tolerance].every(Number.isFinite));
  if (broken >= 0) throw new Error(`wrong[${broken}] must hold finite numbers`);
  if (answer === "") return [null, ""];
  const [text, unit] = [answer.trim(), answers.plain(behind)];
  const typed = unit && text.endsWith(unit) ? text.slice(0, -unit.length) : text;
  const [value, note] = answers.read_number(typed, sentences);
  if (value === null) return [null, note];
  if (answers.near(value, right, Math.max(tolerance, relative * Math.abs(right)))) return [true, note];
  const known = wrong.find(([other, tolerance]) => answers.near(value, other, tolerance));
  const other = answers.rounded(typed, value, right) ? sentences.rounded : sentences.other;
  return [false, [known?.[2] ?? other, note].filter(Boolean).join(" ")];
}

export default ui.widget(build);
