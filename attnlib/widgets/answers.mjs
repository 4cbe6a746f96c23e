// What questions share: a little markup, numbers that readers type, and a frame that says what an answer was.
// attnlib/questions does the same in Python, and holds every sentence: the model brings them as `sentences`.

import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./answers.css";

const LONGEST = 40; // characters of a number
const MARK = /`([^`]+)`|(?<!\w)\*([^ *](?:[^*]*[^ *])?)\*(?!\w)|(?<=\b[A-Za-z])_(\w+)/g;
const TOKEN = /(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|sqrt|ln|log|exp|\S/g;
const FUNCTIONS = { sqrt: Math.sqrt, "√": Math.sqrt, ln: Math.log, log: Math.log, exp: Math.exp };
const SUMS = { "+": (a, b) => a + b, "-": (a, b) => a - b };
const PRODUCTS = { "*": (a, b) => a * b, "/": (a, b) => a / b };

// `code`, *emphasis* and the index of W_Q as elements, everything else as text.
export function marked(text) {
  const nodes = [];
  let end = 0;
  for (const mark of text.matchAll(MARK)) {
    const [all, code, em, index] = mark;
    const node = (code && element("code", code)) || (em && element("em", em)) || element("sub", index);
    nodes.push(text.slice(end, mark.index), node);
    end = mark.index + all.length;
  }
  return [...nodes, text.slice(end)];
}

// The same as one line of text, for names that are read aloud.
export function plain(text) {
  return text.replace(MARK, (all, code, em) => code ?? em ?? all);
}

// A sentence with its {names} filled in.
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The number that was typed, or null, and what there is to say about it.
export function read_number(text, sentences) {
  let typed = text.trim().replace(/[−–]/g, "-").replace(/[×·]/g, "*").replaceAll("**", "^");
  if (!typed) return [null, sentences.empty];
  if (typed.length > LONGEST) return [null, sentences.long];
  if (/^[-+]?[1-9][0-9]{0,2},[0-9]{3}$/.test(typed)) return [null, sentences.ambiguous];
  if (/^[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$/.test(typed)) typed = typed.replaceAll(",", ""); // of thousands
  const comma = /^[-+]?[0-9]*,[0-9]+$/.test(typed);
  if (comma) typed = typed.replace(",", ".");
  const value = calculate(typed.toLowerCase().match(TOKEN));
  if (Number.isNaN(value)) return [null, sentences.unreadable];
  if (!Number.isFinite(value)) return [null, sentences.infinite];
  if (comma) return [value, fill(sentences.comma, { value: typed.replace("-", "−") })];
  return [value, /[√^lsx]/i.test(typed) ? fill(sentences.value, { value: ui.compact(value) }) : ""];
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
    if (tokens[0] !== "^") return base;
    tokens.shift();
    return base ** power();
  };
  const atom = () => {
    const token = tokens.shift();
    if (token in FUNCTIONS) return FUNCTIONS[token](atom());
    const constant = token === "e" ? Math.E : Number(token);
    const value = token === "(" ? sum() : constant;
    if (Number.isNaN(value) || (token === "(" && tokens.shift() !== ")")) tokens = [""]; // nothing can follow
    return value;
  };
  const value = sum();
  return tokens.length ? NaN : value;
}

// Whether a plain number was typed that is `right` rounded to its digits, and not more than a tenth away.
export function rounded(typed, value, right) {
  const plain = /^[-+−–]?[0-9]*[.,]?([0-9]*)$/.exec(typed.trim());
  return plain !== null && near(value, right, Math.min(0.5 * 10 ** -plain[1].length, 0.1 * Math.abs(right)));
}

// Whether two numbers differ by no more than `tolerance`, give or take what rounding adds.
export function near(value, target, tolerance) {
  return Math.abs(value - target) <= tolerance * (1 + 1e-9);
}

// A question's figure: `draw` says the verdict (true, false, or null for none yet), and reveals what may be seen.
export function frame(model, figure, ...controls) {
  const reply = ui.live("p.reply");
  const reveal = element("p.reveal");
  figure.classList.add("attn-question");
  figure.append(...controls, reply, reveal);
  let said = "";
  return (verdict, sentence, revealed, answer = "") => {
    const { prompt, provenance, sentences } = ui.values(model);
    const origin = provenance ? element("small", ` Numbers: ${provenance}.`) : "";
    figure.firstChild.replaceChildren(...marked(prompt), origin);
    const opening = verdict === null ? [] : [element("strong", `${sentences[verdict ? "right" : "wrong"]} `)];
    const now = `${verdict} ${sentence} ${answer}`;
    if (said !== now) reply.replaceChildren(...opening, ...marked(sentence)); // read aloud for each answer
    said = now;
    reply.classList.toggle("attn-right", verdict === true);
    reply.classList.toggle("attn-wrong", verdict === false);
    reveal.hidden = !revealed;
    reveal.replaceChildren(...marked(revealed));
    if (verdict !== null) figure.dispatchEvent(new CustomEvent("guess", { bubbles: true })); // a page may wait for it
  };
}

// The mark beside an option or a step: its sentence says the same in words.
export function mark(verdict) {
  return { true: "✓", false: "✗" }[verdict] ?? "";
}
