// What questions share: a little markup, numbers that readers type, and a frame that says what an answer was.
// attnlib/widgets/answers.py does the same in Python.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";

const MARK = /`([^`]+)`|(?<!\w)\*([^ *](?:[^*]*[^ *])?)\*(?!\w)/g;
const DIGITS = "(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?";
const NUMBER = new RegExp(`^([-+]?${DIGITS})(?: */ *(-?${DIGITS}))?$`);

// `code` and *emphasis* as elements, everything else as text.
export function marked(text) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(MARK)) {
    nodes.push(text.slice(end, found.index), found[1] ? element("code", found[1]) : element("em", found[2]));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
}

// The same as one line of text, for names that are read aloud.
export function plain(text) {
  return text.replace(MARK, "$1$2");
}

// The number that was typed, or null, and what there is to say about it.
export function read_number(text) {
  let typed = text.trim().replace(/[−–]/g, "-");
  if (!typed) return [null, "Type a number first."];
  if (typed.length > 40) return [null, "That is too long for a number."];
  if (/^[-+]?[1-9][0-9]{0,2},[0-9]{3}$/.test(typed)) return [null, "This comma can be read in two ways. Write the number without it, or with a decimal point."];
  const comma = /^[-+]?[0-9]*,[0-9]+$/.test(typed);
  if (comma) typed = typed.replace(",", ".");
  const found = NUMBER.exec(typed);
  if (!found) return [null, "That is not a number. Write it like 0.5, −2, 1/3 or 1e-3."];
  if (Number(found[2] ?? 1) === 0) return [null, "Nothing can be divided by 0."];
  const value = Number(found[1]) / Number(found[2] ?? 1);
  if (!Number.isFinite(value)) return [null, "That number is too large to compare."];
  return [value, comma ? `Read as ${typed.replace("-", "−")}: write a decimal point, not a comma.` : ""];
}

// Whether two numbers differ by no more than `tolerance`, give or take what rounding adds.
export function near(value, target, tolerance) {
  return Math.abs(value - target) <= tolerance * (1 + 1e-9);
}

// A question's figure: `draw` says the verdict (true, false, or null for none yet), and reveals what may be seen by now.
export function frame(model, figure, ...controls) {
  const reply = ui.live("p.reply");
  const reveal = element("p.reveal");
  figure.classList.add("attn-question");
  figure.append(...controls, reply, reveal);
  return (verdict, sentence, revealed) => {
    const origin = model.get("provenance");
    figure.firstChild.replaceChildren(...marked(model.get("prompt")), origin ? element("small", ` Numbers: ${origin}.`) : "");
    const opening = verdict === null ? [] : [element("strong", verdict ? "Yes. " : "Not yet. ")];
    if (reply.dataset.said !== `${verdict}${sentence}`) reply.replaceChildren(...opening, ...marked(sentence)); // said once
    reply.dataset.said = `${verdict}${sentence}`;
    reply.classList.toggle("attn-right", verdict === true);
    reply.classList.toggle("attn-wrong", verdict === false);
    reveal.hidden = !revealed;
    reveal.replaceChildren(...marked(revealed));
  };
}

// The mark beside an option or a step: its sentence says the same in words.
export function mark(verdict) {
  return verdict === null ? "" : verdict ? "✓" : "✗";
}
