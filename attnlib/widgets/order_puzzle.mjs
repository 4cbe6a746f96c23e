// OrderPuzzle: two sentences of the same words, whose weights are the same; then a number that is added for each place.

import { softmax } from "./math.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./order_puzzle.css";

const PARTS = { dog: 0, man: 1 }; // the colours
const GOAL = 0.9;
const CAPTION =
  "the bars are the weights of “bites” in two sentences. It should read the word before it, in both: on average with " +
  `at least ${percent(GOAL)} of its weight.`;
const WALL =
  " Each word has the same score in both sentences, so the same weight. Those of dog and man sum to at most 100 %.";
const WON = " The added number goes with the place, whichever word stands there.";

function build(model, figure) {
  const { sentences, places } = model.get("constants");
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, before: 0, after: 0 },
    take: { handed: false, before: 0, after: 0 },
  });
  const slider = (name, label, part) => {
    const made = ui.slider(model, name, label, { step: 0.5 });
    if (part !== undefined) set(made.node, { "data-part": part });
    return made;
  };
  const scores = [
    ...Object.entries(PARTS).map(([word, part]) => slider(word, `score for ${word}`, part)),
    slider("itself", "score for itself"),
  ];
  const added = [slider("before", `added ${places[0]}`), slider("after", `added ${places[2]}`)];
  const pictures = sentences.map((words) => draw_sentence(words, places));
  const [meter, told] = [puzzle.meter(), ui.live("p.share")];
  const heads = element("div.places", { "aria-hidden": "true" }, ...places.map((place) => element("span", place)));
  const handed_over = element("div", ...added.map(({ node }) => node));
  const sliders = element("div.scores", ...scores.map(({ node }) => node), hand.node, handed_over);
  figure.append(
    element(
      "div.columns.orders",
      element("div.frame", heads, pictures[0].node, crossing(), pictures[1].node),
      element("div.frame", sliders, meter.node, told),
    ),
  );

  return () => {
    const { dog, man, itself, handed, before, after } = ui.values(model);
    const own = { dog, man, bites: itself };
    const more = handed ? [before, 0, after] : [0, 0, 0];
    const weights = sentences.map((words) => softmax(words.map((word, i) => own[word] + more[i])));
    const share = (weights[0][0] + weights[1][0]) / 2;
    pictures.forEach(({ draw }, i) =>
      draw(
        weights[i],
        sentences[i].map((word, j) => written(own[word], handed && j !== 1 ? more[j] : null)),
      ),
    );
    const mean = handed ? percent(share) : puzzle.below_half(share);
    meter.draw(share, GOAL, `mean: ${mean}, goal: ${percent(GOAL)}`);
    ui.caption(model, figure, CAPTION);
    ui.write(told, verdict(weights, share, mean, handed).replaceAll(" %", "\u00a0%")); // no line begins with a %
    handed_over.hidden = !handed;
    for (const one of [...scores, ...added, hand]) one.draw();
  };
}

// A score, and what is added to it.
function written(score, more) {
  const sum = more === null ? "" : ` + ${number(more, 1)}`.replace("+ −", "− ");
  return `score ${number(score, 1)}${sum}`;
}

function verdict(weights, share, mean, handed) {
  const [one, other] = weights.map(([before]) => percent(before));
  const measured = `Weight on the word before: ${one} and ${other}, mean ${mean}.`;
  if (Math.round(100 * share) >= 100 * GOAL) return `${measured} The goal is passed.${WON}`;
  return `${measured} The goal is ${percent(GOAL)}.${!handed && share > 0.45 ? WALL : ""}`;
}

// A sentence: over each word a bar, as high as its weight; the one that should be full is framed.
function draw_sentence(words, places) {
  const slots = words.map((word, i) => {
    const [bar, share, score] = [element("span.column"), element("span"), element("span.note")];
    if (word in PARTS) set(bar, { "data-part": PARTS[word] });
    if (i === 0) bar.classList.add("attn-wanted");
    return { bar, share, score, node: element("div", bar, share, element("b", word), score) };
  });
  const node = element("div.order", { role: "img" }, ...slots.map((slot) => slot.node));
  const draw = (weights, scores) => {
    slots.forEach(({ bar, share, score }, i) => {
      bar.style.setProperty("--w", weights[i].toFixed(4));
      ui.write(share, percent(weights[i]));
      ui.write(score, scores[i]);
    });
    const parts = words.map((word, i) => `${percent(weights[i])} on ${word}, ${places[i]} (${scores[i]})`);
    set(node, { "aria-label": `${words.join(" ")}: weights of bites: ${parts.join("; ")}` });
  };
  return { node, draw };
}

// Lines from each word to itself in the other sentence.
function crossing() {
  const line = (from, to, part) => {
    const path = element("path", { d: `M${from} 0L${to} 20` });
    if (part !== undefined) set(path, { "data-part": part });
    return path;
  };
  const box = { viewBox: "0 0 60 20", preserveAspectRatio: "none", "aria-hidden": "true" };
  return element("svg.crossing", box, line(30, 30), line(10, 50, PARTS.dog), line(50, 10, PARTS.man));
}

export default ui.widget(build);
