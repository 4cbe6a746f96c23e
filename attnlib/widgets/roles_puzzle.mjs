// RolesPuzzle: each word should read from another, by one place for each; then by one to ask and one to be asked.

import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, set } from "./ui.mjs";
import "./metric_ellipse.css";
import "./roles_puzzle.css";

const GOAL = 0.6;
const NEAR = 0.45; // of two words that should read from each other: there the reader is told of the wall
const CAPTION =
  "each word should read from the one that its arrow leads to, in a frame. A score is a dot product, and the " +
  "weights are the softmax of each row. Drag the words.";
const WALL = "While each word has one place, they cannot both reach 50\u00a0%: that is a wall.";
const LEGEND = "△ is where a word asks, ■ is where it is asked. A score is the dot product of △ (row) and ■ (column).";

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: {
      handed: true,
      get asked() {
        return model.get("points"); // so nothing jumps
      },
    },
    take: { handed: false },
  });
  const controls = ui.controls(hand);
  const [picture, grids, meter] = [plane.picture("plane of words"), element("div.pairs"), puzzle.meter()];
  const [legend, told] = [element("p.note", LEGEND), ui.live("p.share")];
  figure.append(
    element("div.columns.roles", element("div.frame", picture, meter.node, controls.node, legend, told), grids),
  );
  const scene_of = ui.memoize((...given) => draw_scene(model, picture, grids, ...given));

  return () => {
    const { points, targets, handed } = ui.values(model);
    const tokens = check_inputs(model);
    const asked = handed ? model.get("asked") : points;
    const weights = math.attention_weights(points, asked, null, 1);
    const shares = weights.map((row, i) => row[targets[i]]);
    const least = Math.min(...shares);
    scene_of(tokens, targets, handed)(points, asked, weights);
    ui.caption(model, figure, CAPTION);
    ui.refill(told, ...verdict(tokens, targets, shares, handed));
    const smallest = handed ? percent(least) : puzzle.below_half(least); // in a circle of words not all reach a half
    meter.draw(least, GOAL, `smallest: ${smallest}, goal: ${percent(GOAL)}`);
    legend.hidden = !handed;
    controls.draw();
  };
}

function check_inputs(model) {
  const { points, targets, asked } = ui.values(model);
  const tokens = ui.tokens_of(model, "targets");
  const n = tokens.length;
  for (const [i, at] of targets.entries())
    if (!(Number.isInteger(at) && at >= 0 && at < n) || at === i)
      throw new Error(`targets[${i}] is ${at}, none of the other words, 0 … ${n - 1}`.replaceAll("-", "−"));
  puzzle.check_entries("points", points, n, plane.REACH);
  puzzle.check_entries("asked", asked, n, plane.REACH);
  return tokens;
}

function verdict(tokens, targets, shares, handed) {
  const name = (i) => element("bdi", tokens[i]);
  const share = (i) => percent(shares[i]).replace(" ", "\u00a0"); // no line begins with a %
  const read = (at, i) => ui.sentence`${name(i)} reads ${share(i)} from ${name(at)}`;
  const goal = percent(GOAL).replace(" ", "\u00a0");
  const passed = Math.round(100 * Math.min(...shares)) >= 100 * GOAL; // as it is shown
  const end = passed ? ". The goal is passed." : `. The goal is ${goal} for each.`;
  const one = targets.findIndex((at, i) => targets[at] === i && Math.min(shares[i], shares[at]) > NEAR);
  const pair = () => ui.sentence` ${name(one)} and ${name(targets[one])} should read from each other. `;
  const wall = handed || one < 0 ? [] : [...pair(), WALL];
  return [...ui.listed(targets, read), end, ...wall];
}

// Returns what shows the points and the weights of one state.
function draw_scene(model, picture, grids, tokens, targets, handed) {
  const movable = (name, role, d) =>
    tokens.map((token, i) => {
      const handle = plane.handle(picture, token, {
        at: () => model.get(name)[i],
        put: (point) => ui.change(model, name, model.get(name).with(i, point)),
        mark: d && element("path", { d }),
      });
      set(handle, { "aria-label": token + role });
      return handle;
    });
  const askers = handed ? movable("points", " asks", plane.TRIANGLE) : movable("points", "");
  const keys = handed ? movable("asked", " is asked", plane.SQUARE) : [];
  if (handed) for (const handle of askers) handle.classList.add("attn-hollow");
  const arrows = element("path.arrow");
  const weight_grid = puzzle.grid("Weights", tokens, targets);
  picture.replaceChildren(...plane.axes(), arrows, ...keys, ...askers);
  grids.replaceChildren(weight_grid.node);
  return (points, asked, weights) => {
    const handles = [...keys, ...askers];
    const places = handed ? [...asked, ...points] : points;
    handles.forEach((handle, i) => plane.move(handle, places[i], false));
    keys.forEach((key, i) => key.classList.toggle("attn-covered", String(asked[i]) === String(points[i])));
    plane.place_names(handles, places, handed ? (_, i) => i >= keys.length : undefined);
    arrows.setAttribute("d", points.map((point, i) => plane.arrow(point, asked[targets[i]])).join(""));
    weight_grid.fill(weights);
  };
}

export default ui.widget(build);
