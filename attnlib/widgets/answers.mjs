// What questions share: a little markup, numbers that readers type, and a frame that says what an answer was.
// attnlib/widgets/answers.py does the same in Python.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";

const MARK = /`([^`]+)`|(?<!\w)\*([^ *](?:[^*]*[^ *])?)\*(?!\w)/g;
const TOKEN = /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|sqrt|ln|log|exp|\S/g;
const FUNCTIONS = { sqrt: Math.sqrt, "√": Math.sqrt, ln: Math.log, log: Math.log, exp: Math.exp };
const SUMS = { "+": (a, b) => a + b, "-": (a, b) => a - b };
const PRODUCTS = { "*": (a, b) => a * b, "/": (a, b) => a / b };

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
  let typed = text.trim().replace(/[−–]/g, "-").replace(/[×·]/g, "*").replaceAll("**", "^");
  if (!typed) return [null, "Type a number first."];
  if (typed.length > 40) return [null, "That is too long for a number."];
  if (/^[-+]?[1-9][0-9]{0,2},[0-9]{3}$/.test(typed)) return [null, "This comma can be read in two ways. Write the number without it, or with a decimal point."];
  if (/^[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$/.test(typed)) typed = typed.replaceAll(",", ""); // of thousands
  const comma = /^[-+]?[0-9]*,[0-9]+$/.test(typed);
  if (comma) typed = typed.replace(",", ".");
  const value = calculate(typed.toLowerCase().match(TOKEN));
  if (Number.isNaN(value)) return [null, "That is not a number. Write it like 0.5, −2, 1/3, 1e-3, sqrt(2) or ln(2)."];
  if (!Number.isFinite(value)) return [null, "That is infinite, or too large to compare."];
  if (comma) return [value, `Read as ${typed.replace("-", "−")}: write a decimal point, not a comma.`];
  return [value, /[√^lsx]/i.test(typed) ? `Read as ${ui.compact(value)}.` : ""];
}

// The value of a sum, product, power or function, with brackets; NaN for anything else.
function calculate(tokens) {
  const chain = (part, signs) => {
    let value = part();
    while (tokens[0] in signs) value = signs[tokens.shift()](value, part());
    return value;
  };
  const sum = () => chain(() => chain(power, PRODUCTS), SUMS);
  const power = () => {
    if (tokens[0] in SUMS) return SUMS[tokens.shift()](0, power());
    const base = atom();
    return tokens[0] === "^" ? base ** (tokens.shift(), power()) : base;
  };
  const atom = () => {
    const token = tokens.shift();
    if (token in FUNCTIONS) return FUNCTIONS[token](atom());
    const value = token === "e" ? Math.E : token === "(" ? sum() : Number(token);
    if (Number.isNaN(value) || (token === "(" && tokens.shift() !== ")")) tokens = [""]; // nothing can follow
    return value;
  };
  const value = sum();
  return tokens.length ? NaN : value;
}

// Whether a plain number was typed that is `right` rounded to its digits, and not more than a tenth away.
export function rounded(typed, value, right) {
  const found = /^[-+−–]?[0-9]*[.,]?([0-9]*)$/.exec(typed.trim());
  return found !== null && near(value, right, Math.min(0.5 * 10 ** -found[1].length, 0.1 * Math.abs(right)));
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
