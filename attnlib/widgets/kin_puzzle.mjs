// KinPuzzle: the scores of sixty tokens, sorted by kind, under useless axes and remedies against them.

import * as heat from "./heat.mjs";
import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./kin_puzzle.css";

const SPREAD = 4; // standard deviations of the scores, from no colour to all of it
const CAPTION =
  "the scores of sixty tokens with each other, sorted by kind, without a token's score with itself. Where kin find " +
  "each other, four squares stand out. Useless axes hide them. Bring 90 % of the tokens to their kin, with all twelve.";

function build(model, figure) {
  const { tokens, kinds, most, remedies, goal } = model.get("constants");
  const kind_of = (i) => Math.floor((i * kinds) / tokens);
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true },
    take: { handed: false },
  });
  const axes = ui.range("useless axes", { min: 0, max: most, step: 1 }, (useless) => ui.change(model, { useless }));
  const ways = remedies.map((remedy) => ui.button(remedy, () => ui.change(model, { remedy, handed: false })));
  const [picture, meter, told] = [heat.map("scores"), puzzle.meter(), ui.live("p.share")];
  const controls = ui.controls(axes.node, ...ways, hand);
  figure.append(
    element("div.columns.kin", element("div.frame", picture), element("div.frame", controls.node, meter.node, told)),
  );
  const drawn_of = ui.memoize(draw_tokens);
  const scores_of = ui.memoize((drawn, useless, way) => {
    const x = treat(drawn, kinds, useless, way);
    return math.attention_scores(x, x, 1);
  });

  return () => {
    const { useless, remedy, handed, seed } = ui.values(model);
    const scores = scores_of(drawn_of(model.get("constants"), kind_of, seed), useless, handed ? "told" : remedy);
    const found = scores.filter((row, i) => kind_of(best_other(row, i)) === kind_of(i)).length;
    heat.paint(picture, shades(scores));
    const how = handed ? "told which axes count" : remedy;
    picture.setAttribute("aria-label", `scores of ${tokens} tokens, ${how}, ${useless} useless axes`);
    ways.forEach((button, i) => ui.set(button, { "aria-pressed": `${!handed && remedies[i] === remedy}` }));
    axes.set(useless, String(useless));
    const share = found / tokens;
    meter.draw(share, goal, `find their kin: ${percent(share)}, goal: ${percent(goal)}`);
    const passed = share >= goal && useless === most ? " The goal is passed." : "";
    const easy = share >= goal && useless < most ? " Now with all useless axes." : "";
    const name = how[0].toUpperCase() + how.slice(1);
    const axis = useless === 1 ? "axis" : "axes";
    ui.write(told, `${name}, with ${useless} useless ${axis}: ${found} of ${tokens} find their kin.${passed}${easy}`);
    ui.caption(model, figure, CAPTION, `, seed ${seed}`);
    hand.draw();
  };
}

// Rows of noise on all axes, with each kind's number on its axis.
function draw_tokens({ tokens, kinds, most, signal, noise, large }, kind_of, seed) {
  const width = kinds + most;
  const drawn = lab.seeded_uniform(tokens * width, seed);
  return Array.from({ length: tokens }, (_, i) =>
    Array.from(
      { length: width },
      (_, c) => drawn[i * width + c] * (c < kinds ? noise : large) + (c === kind_of(i) ? signal : 0),
    ),
  );
}

function treat(drawn, kinds, useless, way) {
  const x = drawn.map((row) => row.slice(0, kinds + (way === "told" ? 0 : useless)));
  if (way === "as they are") return x;
  if (way !== "of length 1") return lab.standardise(x);
  return x.map((row) => row.map((entry) => entry / Math.hypot(...row)));
}

// Whom a token scores most with, apart from itself.
function best_other(row, i) {
  const others = row.with(i, Number.NEGATIVE_INFINITY);
  return others.indexOf(Math.max(...others));
}

// Scores as shades from 0 to 1, about their mean; none for a token with itself.
function shades(scores) {
  const others = scores.flatMap((row, i) => row.filter((_, j) => j !== i));
  const mean = others.reduce((sum, score) => sum + score, 0) / others.length;
  const spread = Math.sqrt(others.reduce((sum, score) => sum + (score - mean) ** 2, 0) / others.length) || 1;
  const shade = (score) => Math.max(0, Math.min(1, 0.5 + (score - mean) / (SPREAD * spread)));
  return scores.map((row, i) => row.map((score, j) => (i === j ? null : shade(score))));
}

export default ui.widget(build);
