// AxesPuzzle: four words, two questions, one grid of weights; and the control that weighs the axes for each question.

import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { SIZE } from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./metric_ellipse.css";
import "./axes_puzzle.css";

const GOAL = 0.6;
const LARGEST = 12; // of an entry of a point: the reach, in the smallest unit
const ONES = [
  [1, 1],
  [1, 1],
];
const AXES = ["kind", "size"];
const QUESTIONS = AXES.map((axis) => `Who is of my ${axis}?`);
const PARTNERS = [
  [1, 0, 3, 2],
  [2, 3, 0, 1],
];
const CAPTION =
  "each word should read most from its framed partner. The weights are the softmax of the dot products, without the " +
  "word itself. Drag the words, change the factor on size, or standardise the axes.";

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, factors: ONES },
    take: { handed: false, factors: ONES },
  });
  const controls = ui.controls(
    ui.slider(model, "unit", "factor on size", { step: 0.25, digits: 2 }),
    ui.toggle(model, "standardise", "standardise"),
    hand,
  );
  const picture = plane.picture("plane of words");
  const [grids, note, told] = [element("div.pairs.questions"), element("p.note"), ui.live("p.share")];
  figure.append(element("div.columns", element("div.frame", picture, controls.node, told), grids));
  const scene_of = ui.memoize((tokens) => draw_scene(model, picture, grids, note, tokens));

  return () => {
    const { tokens, points, unit, handed, factors } = ui.values(model);
    puzzle.check_entries("points", points, 4, LARGEST);
    puzzle.check_entries("factors", factors, 2, 3, 0);
    const places = in_unit(points, unit);
    const placed = model.get("standardise") ? lab.standardise(places) : places;
    const weights = (handed ? factors : ONES).map((row) => weigh(placed, row));
    const shares = weights.map((grid, q) => lab.partner_share(grid, PARTNERS[q]));
    const one = !handed || String(factors[0]) === String(factors[1]);
    scene_of(tokens)({ placed, weights, shares, handed, factors });
    ui.caption(model, figure, CAPTION);
    ui.write(note, one ? "Both questions see one grid." : "Each question sees a grid of its own.");
    ui.write(told, verdict(shares, one).replaceAll(" %", "\u00a0%")); // no line begins with a %
    controls.draw();
  };
}

const in_unit = (points, unit) => points.map(([kind, size]) => [kind, size * unit]);

// Each axis counts by its factor, and no word reads from itself.
function weigh(points, factors) {
  const x = points.map((point) => point.map((entry, c) => entry * factors[c]));
  const others = x.map((_, i) => x.map((_, j) => i !== j));
  return math.attention_weights(x, x, others, 1);
}

function verdict(shares, one) {
  const passed = shares.map((share) => Math.round(100 * share) >= 100 * GOAL); // as it is shown
  const measured = `Kind: ${percent(shares[0])}, size: ${percent(shares[1])}.`;
  if (passed.every(Boolean)) return `${measured} Both goals are passed.`;
  const together = one ? ` Together: ${percent(shares[0] + shares[1])}.` : "";
  return `${measured}${together} The goal is ${percent(GOAL)} for each.`;
}

// Returns what shows the numbers of one state.
function draw_scene(model, picture, grids, note, tokens) {
  const place = (i) => in_unit(model.get("points"), model.get("unit"))[i];
  const put = (i, [kind, size]) => {
    const stored = [kind, size / model.get("unit")].map((entry) => Math.round(1e4 * entry) / 1e4);
    ui.change(model, { points: model.get("points").with(i, stored), standardise: false });
  };
  const handles = tokens.map((token, i) =>
    plane.handle(picture, token, {
      at: () => place(i),
      put: (point) => put(i, point),
      nudge(step) {
        const moved = place(i).map((x, c) => (step[c] ? plane.clamp(plane.clamp(x) + step[c]) : x));
        put(i, moved);
      },
    }),
  );
  const name = (text, x, y, anchor) => element("text.name", { x, y, "text-anchor": anchor }, text);
  const names = [
    name("animal", SIZE - 5, SIZE / 2 - 9, "end"),
    name("vehicle", 5, SIZE / 2 - 9, "start"),
    name("large", SIZE / 2 + 5, 17, "start"),
    name("small", SIZE / 2 + 5, SIZE - 8, "start"),
  ];
  picture.replaceChildren(...plane.axes(), ...names, ...handles);
  const parts = QUESTIONS.map((question, q) => draw_question(model, tokens, question, q));
  grids.replaceChildren(...parts.map(({ node }) => node), note);
  return (now) => {
    now.placed.forEach((point, i) => {
      plane.move(handles[i], point.map(plane.clamp), false);
      set(handles[i], { "aria-valuetext": plane.coordinates(point) }); // where it is, though that be beyond the edge
    });
    for (const { fill } of parts) fill(now);
  };
}

// One question: its grid, its meter, and the sliders that are handed over; `fill` shows a state.
function draw_question(model, tokens, question, q) {
  const grid = puzzle.grid(question, tokens, PARTNERS[q]);
  const meter = puzzle.meter();
  const sliders = AXES.map((axis, c) => {
    const label = `${axis} counts ×`;
    const slider = ui.range(label, { min: 0, max: 3, step: 0.1 }, (value) => {
      const factors = model.get("factors");
      ui.change(model, "factors", factors.with(q, factors[q].with(c, value)));
    });
    set(slider.node.querySelector("input"), { "aria-label": `${label}, ${question}` });
    return slider;
  });
  const extra = element("div", ui.controls(...sliders).node);
  grid.node.append(meter.node, extra);
  const fill = ({ weights, shares, handed, factors }) => {
    grid.fill(weights[q].map((row, i) => row.with(i, null)));
    meter.draw(shares[q], GOAL, `${percent(shares[q])}, goal: ${percent(GOAL)}`);
    extra.hidden = !handed;
    sliders.forEach((slider, c) => slider.set(factors[q][c], number(factors[q][c], 1)));
  };
  return { node: grid.node, fill };
}

export default ui.widget(build);
