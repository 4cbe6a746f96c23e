// CyclePuzzle: three tokens in a circle, what their places reach, and one map of every bound.

import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { REACH, SIZE } from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./metric_ellipse.css";
import "./cycle_puzzle.css";

const GOAL = 0.45;
const EDGE = 4; // of the map: both differences from −4 to 4
// Lines of one loss each.
const LINES = { 3: "3", 2: "2", [Math.log(3)]: "ln 3", [Math.log(2)]: "ln 2", 0.2: "0.2" };
const CAPTION =
  "each token should read from the one that it beats: the arrows, and the framed cells. A score is a dot product, " +
  "and the weights are the softmax of each row. Drag the tokens.";
const WALL =
  " That is the wall: of points alone this share is a third at most, and only where they lie on one another.";
const HALF =
  " Symmetric scores get no further than a half: " +
  "on average, the one that you beat and the one that beats you score the same.";
const MAP = [
  "Each line of the map has one value of the bound ln(1 + eˣ + eʸ).",
  "x, across: the mean own score less the mean right one. y, up: the mean wrong score less the mean right one.",
  "Symmetric scores have y = 0: the dashed line. Those of points alone have x ≥ 0 besides: its thick half.",
];

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, own: 0 },
    take: { handed: false, own: 0 },
  });
  const own_slider = ui.slider(model, "own", "added to one's own score", { step: 0.1 });
  const controls = ui.controls(hand, own_slider);
  const [picture, grids, note] = [plane.picture("plane of tokens"), element("div.pairs"), element("p.note")];
  const [meter, told, map] = [puzzle.meter(), ui.live("p.share"), draw_map()];
  const below = element(
    "div.columns",
    element("div.frame", map.node),
    element("div.legend", ...MAP.map((text) => element("p.note", text)), note),
  );
  const bounds = element("div.bounds", element("p.pair", "One map of all bounds"), below);
  figure.append(
    element("div.columns.cycle", element("div.frame", picture, controls.node, meter.node, told), grids),
    bounds,
  );
  const scene_of = ui.memoize((tokens) => draw_scene(model, picture, grids, tokens));

  return () => {
    const { tokens, points, handed, own } = ui.values(model);
    puzzle.check_entries("points", points, 3, REACH);
    const added = handed ? own : 0;
    const scores = math.attention_scores(points, points, 1).map((row, i) => row.with(i, row[i] + added));
    const loss = lab.cycle_loss(scores);
    const [a, right, wrong] = lab.cycle_means(scores);
    const [x, y] = [a - right, wrong - right];
    scene_of(tokens)(points, scores);
    map.draw(x, y);
    ui.caption(model, figure, CAPTION);
    ui.write(note, place(x, y, loss));
    ui.write(told, verdict(loss, handed).replaceAll(" %", "\u00a0%")); // no line begins with a %
    meter.draw(Math.exp(-loss), GOAL, `${puzzle.below_half(Math.exp(-loss))}, goal: ${puzzle.percent(GOAL)}`);
    own_slider.node.hidden = !handed;
    bounds.hidden = !model.get("bounds");
    controls.draw();
  };
}

function verdict(loss, handed) {
  const hundredths = Math.round(100 * Math.exp(-loss)); // as it is shown
  const share = puzzle.below_half(Math.exp(-loss));
  const measured = `Share read from the one that is beaten: ${share}, loss ${number(loss)}.`;
  if (hundredths >= 100 * GOAL) return `${measured} The goal is passed.${hundredths >= 49 ? HALF : ""}`;
  return `${measured} The goal is ${puzzle.percent(GOAL)}.${!handed && hundredths >= 33 ? WALL : ""}`;
}

function place(x, y, loss) {
  const beyond = Math.abs(x) > EDGE ? ` It lies beyond the ${x > 0 ? "right" : "left"} edge.` : "";
  const [bound, now] = [lab.cycle_bound(x, y), loss].map((one) => number(one));
  return `The dot: x = ${number(x)}, y = ${number(y)}.${beyond} There the loss is at least ${bound}; it is ${now}.`;
}

// Returns what shows the points and the scores of one state.
function draw_scene(model, picture, grids, tokens) {
  const arrows = element("path.arrow");
  const handles = tokens.map((token, i) =>
    plane.handle(picture, token, {
      at: () => model.get("points")[i],
      put: (point) => ui.change(model, { points: model.get("points").with(i, point) }),
    }),
  );
  picture.replaceChildren(...plane.axes(), arrows, ...handles);
  const beaten = [2, 0, 1];
  const score_grid = puzzle.grid("Scores: symmetric, wherever the points lie", tokens, beaten);
  const weight_grid = puzzle.grid("Weights: the softmax of each row", tokens, beaten);
  grids.replaceChildren(score_grid.node, weight_grid.node);
  return (points, scores) => {
    points.forEach((point, i) => plane.move(handles[i], point, false));
    plane.place_names(handles, points);
    arrows.setAttribute("d", points.map((point, i) => plane.arrow(point, points.at(i - 1))).join(""));
    const least = Math.min(...scores.flat());
    const span = Math.max(...scores.flat()) - least || 1;
    score_grid.fill(scores, (score) => (score - least) / span);
    weight_grid.fill(scores.map((row) => math.softmax(row)));
  };
}

const on_map = ([x, y]) => [(SIZE / 2) * (1 + x / EDGE), (SIZE / 2) * (1 - y / EDGE)];
const map_path = (points) => `M${points.map((point) => on_map(point).join(" ")).join("L")}`;

// Where ln(1 + eˣ + eʸ) is the loss, from the left edge to the lower one: eˣ + eʸ = k, shared out by t.
function contour(loss) {
  const k = Math.log(Math.expm1(loss));
  const most = Math.log(Math.expm1(k + EDGE));
  const softplus = (t) => Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));
  return Array.from({ length: 121 }, (_, i) => (most * (i - 60)) / 60).map((t) => [k - softplus(-t), k - softplus(t)]);
}

function draw_map() {
  const lines = Object.entries(LINES).flatMap(([loss, name]) => {
    const points = contour(Number(loss));
    const kind = name.startsWith("ln") ? "limit" : "contour";
    const y = on_map(points[0])[1] + 11;
    return [element(`path.${kind}`, { d: map_path(points) }), element(`text.${kind}`, { x: 5, y }, name)];
  });
  const name = (text, x, y, anchor) => element("text.name", { x, y, "text-anchor": anchor }, text);
  const [middle, low] = [SIZE / 2, SIZE - 12];
  const names = [
    name("symmetric scores", 36, middle - 9, "start"),
    name("through U", SIZE - 5, middle - 9, "end"),
    name("x →", SIZE - 5, middle + 17, "end"),
    name("↑ y", middle + 6, 16, "start"),
    name("scores that need", 12, low - 18, "start"),
    name("not be symmetric", 12, low, "start"),
  ];
  const axis = element("path.axis", { d: `M${middle} 0V${SIZE}` });
  const symmetric = element("path.symmetric", { d: `M0 ${middle}H${middle}` });
  const through = element("path.through", { d: `M${middle} ${middle}H${SIZE}` });
  const dot = element("circle.state", { r: 7 });
  const label = "map of the bounds: lines of equal loss, and a dot for these scores";
  const node = element("svg.plane", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": label });
  const shapes = lines.filter((line) => line.localName === "path");
  const values = lines.filter((line) => line.localName === "text");
  node.append(axis, ...shapes, symmetric, through, ...values, ...names, dot);
  const draw = (x, y) => {
    const [cx, cy] = on_map([x, y].map((at) => Math.max(-EDGE, Math.min(EDGE, at))));
    set(dot, { cx, cy });
  };
  return { node, draw };
}

export default ui.widget(build);
