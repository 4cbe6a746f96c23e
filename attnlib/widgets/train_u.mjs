// TrainU: tokens of two kinds that lie aslant, a factor for each axis, and then a whole matrix U, by hand or trained.

import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { SIZE, to_picture } from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./train_u.css";

const GOAL = 0.9;
const NEAR = 0.02; // of the best share that factors reach: there the reader is told that it is the best
const FACTORS = Array.from({ length: 61 }, (_, i) => i / 20);
const EYE = [
  [1, 0],
  [0, 1],
];
const [ACROSS, HEIGHT] = [360, 110]; // of the picture of the losses
const ROOM = 3.2; // how far from the middle the farthest token is drawn at most
const AXES = ["across", "up"];
const COLUMNS = ["first", "second"];
const CAPTION = "each token should read from its own kind.";
// What is asked, how the three pictures are called, and the axes of the second.
const STAGES = {
  factors: { asks: "Choose how much each axis counts.", titles: ["The tokens", "Weighed", "Weights"], axes: AXES },
  whole: {
    asks: "Each new axis is made of both old ones: choose how much of each goes into it.",
    titles: ["The tokens", "Mixed", "Weights"],
    axes: COLUMNS,
  },
  training: {
    asks: "A token is a row of X, and the weights are softmax(XU(XU)ᵀ). Choose U, or train it.",
    titles: ["X", "XU", "Weights"],
    axes: COLUMNS,
  },
};
const LEGEND =
  "● one kind, ○ the other. In the grid, the token of a row reads from those of the columns; " +
  "a weight of 0.5 or more has the full shade.";
const FULL = 0.5; // the weight of the full shade

function build(model, figure) {
  const { reach } = model.get("constants");
  const { losses: kept_losses, moves: counted } = model.get("_bounds");
  const moved = () => ui.change(model, "moves", Math.min(counted.max, model.get("moves") + 1));
  const entry = (label, at, limits, show = (x) => x) => {
    const [i, j] = at;
    const { node, set } = ui.range(label, { ...limits, step: 0.1 }, (value) => {
      const u = model.get("u");
      ui.change(model, { u: u.with(i, u[i].with(j, value)), losses: [] });
    });
    node.querySelector("input").addEventListener("change", moved);
    return { node, draw: () => set(show(model.get("u")[i][j]), number(show(model.get("u")[i][j]))) };
  };
  const factor = (i) => entry(`${AXES[i]} counts ×`, [i, i], { min: 0, max: reach }, Math.abs);
  const whole = (i, j) => entry(`${AXES[i]} → ${COLUMNS[j]}`, [i, j], { min: -reach, max: reach });
  const factors = ui.controls(factor(0), factor(1));
  const entries = ui.controls(whole(0, 0), whole(0, 1), whole(1, 0), whole(1, 1));
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, u: EYE, turn: 0, moves: 0, losses: [] },
    take: { handed: false, u: EYE, turn: 0, moves: 0, losses: [] },
  });
  const one = ui.button("One step of gradient descent", () => descend(model, 1));
  const twenty = ui.button("Twenty steps", () => descend(model, 20));
  const turn = ui.slider(model, "turn", "turn U by R, degrees", { step: 5, digits: 0 });
  const training = ui.controls(one, twenty, turn);
  const [moves, told, meter] = [element("span.control"), ui.live("p.result"), puzzle.meter()];
  const tables = [draw_table("U", COLUMNS), draw_table("UUᵀ", AXES)];
  const trained = draw_losses();
  const scenes = element("div.columns.trio");
  const below = element("div", element("div.columns", ...tables.map(({ node }) => node), trained.node));
  const buttons = ui.controls(hand, moves);
  const legend = element("p.note", LEGEND);
  const [by_axis, by_entry, by_step] = [factors, entries, training].map(({ node }) => element("div", node));
  const panels = [by_axis, by_entry, buttons.node, by_step, below];
  figure.append(scenes, legend, meter.node, told, ...panels);
  const scene_of = ui.memoize((points, kinds) => draw_scene(scenes, points, kinds));
  const best_of = ui.memoize(best_share);

  return () => {
    const { points, kinds, u, handed, losses } = ui.values(model);
    const stage = stage_of(model);
    check_inputs(model);
    const matrix = in_use(model);
    const projected = math.project(points, matrix);
    const weights = math.attention_weights(projected, projected, null, 1);
    const share = mean(lab.kind_share(weights, kinds));
    const loss = lab.reading_loss(points, matrix, kinds);
    scene_of(points, kinds)(projected, weights, share, stage);
    ui.caption(model, figure, `${CAPTION} ${stage.asks}`);
    meter.draw(share, GOAL, `${percent(share)}, goal: ${percent(GOAL)}`);
    const near = () => share >= best_of(points, kinds) - NEAR;
    const stuck = !handed && u[0][0] !== 1 && u[1][1] !== 1 && near() ? best_of(points, kinds) : null;
    const said = verdict(share, stage === STAGES.training ? loss : null, stuck);
    ui.write(told, said.replaceAll(" %", "\u00a0%")); // no line begins with a %
    ui.write(moves, `moves: ${model.get("moves")}`);
    const history = is_of(losses, loss) ? losses : [loss];
    trained.draw(history);
    for (const button of [one, twenty]) button.disabled = history.length >= kept_losses.max;
    tables[0].draw(matrix, handed && model.get("turn") ? "UR, the matrix in use" : "U, the matrix in use");
    tables[1].draw(math.attention_scores(matrix, matrix, 1), "UUᵀ");
    by_axis.hidden = handed;
    by_entry.hidden = !handed;
    for (const node of [by_step, below]) node.hidden = stage !== STAGES.training;
    for (const control of [factors, entries, buttons, training]) control.draw();
  };
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

function stage_of(model) {
  if (!model.get("handed")) return STAGES.factors;
  return model.get("training") ? STAGES.training : STAGES.whole;
}

// Until the whole is handed over, a factor for each axis; then UR.
function in_use(model) {
  const { u, handed } = ui.values(model);
  if (!handed) return u.map((row, i) => row.map((entry, j) => (i === j ? Math.abs(entry) : 0)));
  const turn = (model.get("turn") * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return math.project(u, [
    [cos, sin],
    [-sin, cos],
  ]);
}

// A link carries the losses, so they are kept to five digits.
const kept = (loss) => Number(loss.toPrecision(5));

// Do the losses end at this U? A program may set U and not the losses.
const is_of = (losses, loss) => losses.length > 0 && kept(losses.at(-1)) === kept(loss);

function descend(model, count) {
  const { points, kinds, rate, losses } = ui.values(model);
  const { reach } = model.get("constants");
  const most = model.get("_bounds").losses.max;
  const held = (x) => Math.max(-reach, Math.min(reach, x));
  let u = model.get("u");
  const first = lab.reading_loss(points, u, kinds);
  const history = is_of(losses, first) ? [...losses] : [kept(first)];
  for (let step = 0; step < count && history.length < most; step++) {
    const gradient = lab.reading_gradient(points, u, kinds);
    u = u.map((row, i) => row.map((entry, j) => held(entry - rate * gradient[i][j])));
    history.push(kept(lab.reading_loss(points, u, kinds)));
  }
  ui.change(model, { u, losses: history });
}

function verdict(share, loss, best) {
  const measured = `Read from one’s own kind: ${percent(share)}${loss === null ? "" : `, loss ${number(loss)}`}.`;
  if (Math.round(100 * share) >= 100 * GOAL) return `${measured} The goal of ${percent(GOAL)} is passed.`; // as shown
  const why = best === null ? "" : ` A factor for each axis gets no further than ${percent(best)} here.`;
  return `${measured} The goal is ${percent(GOAL)}.${why}`;
}

// The largest share that factors for the axes reach.
function best_share(points, kinds) {
  const shares = FACTORS.flatMap((across) =>
    FACTORS.map((up) => {
      const x = points.map(([a, b]) => [a * across, b * up]);
      return mean(lab.kind_share(math.attention_weights(x, x, null, 1), kinds));
    }),
  );
  return Math.max(...shares);
}

function check_inputs(model) {
  const { points, kinds, u, losses } = ui.values(model);
  const { reach, least } = model.get("constants");
  if (kinds.length !== points.length) throw new Error(`${kinds.length} kinds for ${points.length} points`);
  if (points.length < least) throw new Error(`${points.length} points are fewer than the ${least} that are needed`);
  for (const [i, kind] of kinds.entries())
    if (kind !== 0 && kind !== 1) throw new Error(`kinds[${i}] is ${kind}, not 0 or 1`.replaceAll("-", "−"));
  for (const kind of [0, 1]) {
    const count = kinds.filter((one) => one === kind).length;
    if (count < 2) throw new Error(`kinds has ${count} of the kind ${kind}: two or more are needed`);
  }
  puzzle.check_entries("points", points, points.length, reach);
  puzzle.check_entries("u", u, 2, reach);
  for (const [i, loss] of losses.entries())
    if (!(Number.isFinite(loss) && loss >= 0)) throw new Error(`losses[${i}] is ${loss}, not a number of 0 or more`);
}

const kind_mark = (kind, r) => element(kind ? "circle.filled" : "circle.open", { r });

// Returns what shows the numbers of one state.
function draw_scene(parent, points, kinds) {
  const order = [1, 0].flatMap((kind) => [...kinds.keys()].filter((i) => kinds[i] === kind));
  const counts = [1, 0].map((kind) => kinds.filter((one) => one === kind).length);
  const tokens = `${counts[0]} filled and ${counts[1]} open dots`;
  const [before, after] = [0, 1].map(() => kinds.map((kind) => kind_mark(kind, 6)));
  const name = (x, y, anchor) => element("text.name", { x, y, "text-anchor": anchor });
  const names = () => [name(SIZE - 8, SIZE - 10, "end"), name(8, 22, "start")];
  const unit = () =>
    element(
      "g",
      element("path.axis", { d: "M-5 0H5" }),
      element("text.name", { x: -9, y: 4, "text-anchor": "end" }, "−1"),
    );
  const labels = [0, 1].map(names);
  const units = [0, 1].map(unit);
  const [x, xu] = [`plane of X: ${tokens}`, `plane of XU: the same ${tokens}`].map((label, at) => {
    const node = plane.picture(label);
    const lines = plane.axes().filter(({ localName }) => localName === "path");
    node.append(...lines, units[at], ...labels[at], ...[before, after][at]);
    set(node, { role: "img" });
    return node;
  });
  const grid = draw_grid(order, kinds, counts[0]);
  const titles = [0, 1, 2].map(() => element("p.pair"));
  parent.replaceChildren(...[x, xu, grid.node].map((node, at) => element("div.frame", titles[at], node)));
  const show = (rows, marks, tick) => {
    const zoom = Math.min(1, ROOM / (Math.max(...rows.map((row) => Math.hypot(...row))) || 1));
    const scaled = rows.map((row) => row.map((entry) => entry * zoom));
    put(marks, scaled);
    set(tick, { transform: `translate(${to_picture([0, -zoom]).join(" ")})` });
  };
  show(points, before, units[0]);
  return (projected, weights, share, stage) => {
    show(projected, after, units[1]);
    for (const [at, [right, top]] of [AXES, stage.axes].entries()) {
      ui.write(labels[at][0], `${right} →`);
      ui.write(labels[at][1], `↑ ${top}`);
    }
    for (const [at, title] of titles.entries()) ui.write(title, stage.titles[at]);
    grid.fill(weights);
    const shown = `weights of ${kinds.length} tokens, sorted by kind: ${percent(share)} lies on the own kind`;
    set(grid.node, { "aria-label": shown });
  };
}

function put(marks, points) {
  marks.forEach((mark, i) => {
    const [cx, cy] = to_picture(points[i]);
    set(mark, { cx, cy });
  });
}

// The weights as shades, rows and columns in the given order, with a gap behind the `split` tokens of the first kind.
function draw_grid(order, kinds, split) {
  const gap = 0.5;
  const side = SIZE / (order.length + 1 + gap);
  const at = (place) => side * (1 + place + (place < split ? 0 : gap));
  const middle = (place) => at(place) + side / 2;
  const mark = (i, cx, cy) => {
    const node = kind_mark(kinds[i], Math.min(6, side / 3));
    set(node, { cx, cy });
    return node;
  };
  const marks = order.flatMap((i, place) => [mark(i, middle(place), side / 2), mark(i, side / 2, middle(place))]);
  const inner = side * 0.94;
  const cells = order.map((_, row) =>
    order.map((_, column) => element("rect", { x: at(column), y: at(row), width: inner, height: inner })),
  );
  const node = element("svg.kinds", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, ...marks, ...cells.flat());
  const fill = (weights) =>
    order.forEach((i, row) => {
      order.forEach((j, column) =>
        cells[row][column].style.setProperty("--w", Math.min(1, weights[i][j] / FULL).toFixed(3)),
      );
    });
  return { node, fill };
}

// A small table of a 2 × 2 matrix, whose rows are those of X's axes.
function draw_table(name, columns) {
  const cells = AXES.map(() => columns.map(() => element("td.plain")));
  const title = element("p.pair", name);
  const table = ui.table(
    ["", ...columns],
    AXES.map((axis, i) => [axis, ...cells[i]]),
  );
  const draw = (matrix, text) => {
    ui.write(title, text);
    cells.forEach((row, i) => {
      row.forEach((cell, j) => ui.write(cell, number(matrix[i][j])));
    });
  };
  return { node: element("div.matrix2", title, ui.scroll(name, table)), draw };
}

// The losses over the steps as a line, from 0 at the bottom to the largest at the top.
function draw_losses() {
  const line = element("polyline.course");
  const [last, most, ground] = [
    element("circle.filled", { r: 5 }),
    element("text.name", { x: 6, y: 16 }),
    element("path.axis", { d: `M0 ${HEIGHT - 10}H${ACROSS}` }),
  ];
  const picture = element("svg.losses", { viewBox: `0 0 ${ACROSS} ${HEIGHT}`, role: "img" }, ground, line, last, most);
  const told = element("p.note");
  const draw = (losses) => {
    const [steps, top] = [losses.length - 1, Math.max(...losses) || 1];
    const places = losses.map((loss, step) => [
      8 + ((ACROSS - 16) * step) / Math.max(20, steps),
      HEIGHT - 10 - ((HEIGHT - 36) * loss) / top,
    ]);
    line.setAttribute("points", places.map((place) => place.map((x) => x.toFixed(1)).join(",")).join(" "));
    const [cx, cy] = places.at(-1);
    set(last, { cx, cy });
    ui.write(most, `loss: ${number(top)}`);
    const after = `After ${steps} ${steps === 1 ? "step" : "steps"} of gradient descent: `;
    const course = `the loss went from ${number(losses[0])} to ${number(losses.at(-1))}.`;
    const text = steps ? after + course : "No step of gradient descent has been taken from this U.";
    ui.write(told, text);
    picture.setAttribute("aria-label", text);
  };
  return { node: element("div.frame", element("p.pair", "Loss, step by step"), picture, told), draw };
}

export default ui.widget(build);
