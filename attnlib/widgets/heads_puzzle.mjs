// HeadsPuzzle: one blend of two numbers, the errors of both, and a second blend.

import * as lab from "./lab.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./heads_puzzle.css";

const GOAL = 0.1;
const NUMBERS = ["u", "v"];
const BLENDS = { first: "share of u", second: "share of u, second blend" };
const CAPTION =
  "each token needs two numbers, u of the token one before and v of the token two before. It gets one blend of them. " +
  "Move the share until both errors reach the goal.";
const WALL = " One blend leaves 100 % or more together, whatever the share: that is a wall.";
const ALIKE = " The two blends are too much alike.";
const ERROR = "An error is the mean square that the best linear readout leaves: 100 % is what always guessing 0 costs.";

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: {
      handed: true,
      get second() {
        return model.get("first"); // so nothing jumps
      },
    },
    take: { handed: false },
  });
  const controls = ui.controls(hand);
  const [one, other] = Object.keys(BLENDS).map((name) => draw_blend(model, name));
  const errors = NUMBERS.map(() => ({ meter: puzzle.meter(), readout: element("p.note") }));
  const [told, note, directions] = [ui.live("p.share"), element("p.note"), draw_directions()];
  const meters = errors.flatMap(({ meter, readout }) => [meter.node, readout]);
  figure.append(
    element(
      "div.columns.blends",
      element("div.frame", one.node, controls.node, other.node),
      element("div.frame", directions.node, ...meters, told),
    ),
    note,
  );

  return () => {
    const { first, second, handed, noise } = ui.values(model);
    const shares = handed ? [first, second] : [first];
    const names = handed ? ["y₁", "y₂"] : ["y"];
    const both = lab.blend_errors(shares, noise);
    const readout = lab.blend_readout(shares, noise);
    one.draw(names[0]);
    other.draw(names[1]);
    other.node.hidden = !handed;
    directions.draw(shares, names);
    errors.forEach(({ meter, readout: line }, i) => {
      meter.draw(both[i], GOAL, `error of ${NUMBERS[i]}: ${percent(both[i])}, goal: ${percent(GOAL)} or less`);
      const factors = readout.map((row) => row[i]);
      ui.write(line, `best readout: ${NUMBERS[i]} ≈ ${mixed(factors, names)}`);
    });
    ui.caption(model, figure, CAPTION);
    ui.write(told, verdict(both, handed).replaceAll(" %", "\u00a0%")); // no line begins with a %
    ui.write(note, describe(noise));
    controls.draw();
  };
}

// Numbers times names: "0.60 u + 0.40 v".
function mixed(factors, names) {
  const term = (factor, i) => `${number(factor)} ${names[i]}`;
  return factors.map(term).join(" + ").replaceAll("+ −", "− ");
}

function describe(noise) {
  const added = noise ? ` Each blend has noise of its own, of standard deviation ${noise}.` : "";
  return `u and v are independent, with mean 0 and variance 1.${added} ${ERROR}`;
}

function verdict(both, handed) {
  const [u, v] = both.map((error) => Math.round(100 * error)); // as they are shown, and as a reader adds them up
  const passed = [u, v].map((shown) => shown <= 100 * GOAL);
  const together = handed ? "" : `, together ${u + v} %`;
  const measured = `Error of u: ${u} %, of v: ${v} %${together}.`;
  if (passed.every(Boolean)) return `${measured} Both goals are passed.`;
  const why = passed.some(Boolean) ? WALL : "";
  return `${measured} The goal is ${percent(GOAL)} or less for each.${handed ? ALIKE : why}`;
}

// One blend: six tokens in a row, of which the last reads from the two before it, and the slider of its share.
function draw_blend(model, name) {
  const x = (i) => 60 * i + 30;
  const tokens = [0, 1, 2, 3, 4].map((i) => element("circle", { cx: x(i), cy: 78, r: 16 }));
  const text = (x, y, ...content) => element("text", { x, y }, ...content);
  const [reader, blend] = [text(x(5), 83), text(x(1), 40)];
  const arrows = [arrow(x(5), x(4), 40), arrow(x(5), x(3), 74)];
  const picture = element("svg.reads", { viewBox: "0 0 360 98", role: "img" });
  const last = element("circle.reader", { cx: x(5), cy: 78, r: 17 });
  picture.append(...tokens, last, text(x(3), 83, "v"), text(x(4), 83, "u"), reader, blend);
  picture.append(...arrows.map(({ node }) => node));
  const slider = ui.range("share of u", { min: 0, max: 1, step: 0.05 }, (value) => ui.change(model, name, value));
  set(slider.node.querySelector("input"), { "aria-label": BLENDS[name] });
  const draw = (label) => {
    const shares = [model.get(name), 1 - model.get(name)];
    const [a, b] = shares.map((share) => number(share));
    arrows.forEach((arrow, i) => arrow.draw(shares[i]));
    ui.write(reader, label ?? "");
    ui.write(blend, mixed(shares, NUMBERS));
    slider.set(shares[0], a);
    const told = `six tokens: the last reads ${a} from the token one before and ${b} from the token two before`;
    set(picture, { "aria-label": told });
  };
  return { node: element("div", picture, slider.node), draw };
}

// Each blend as an arrow of length 1, whose parts along u and along v are in the ratio of their shares.
function draw_directions() {
  const [x, y, radius] = [22, 92, 78];
  const text = (at_x, at_y, content) => element("text", { x: at_x, y: at_y }, content);
  const frame = element("path.edge", { d: `M${x} ${y - radius - 6}V${y}H${x + radius + 6}` });
  const arc = element("path.edge", { d: `M${x + radius} ${y}A${radius} ${radius} 0 0 0 ${x} ${y - radius}` });
  const arrows = [0, 1].map(() => ({ line: element("path.way"), name: element("text") }));
  const node = element("svg.directions", { viewBox: "0 0 130 112", role: "img" });
  node.append(frame, arc, text(x + radius, y + 15, "u"), text(x - 10, y - radius + 4, "v"));
  node.append(...arrows.flatMap(({ line, name }) => [line, name]));
  const draw = (shares, names) => {
    arrows.forEach(({ line, name }, i) => {
      const share = shares[i] ?? null;
      const [along, up] =
        share === null ? [0, 0] : [share, 1 - share].map((part) => part / Math.hypot(share, 1 - share));
      line.setAttribute(
        "d",
        share === null ? "" : `M${x} ${y}L${(x + radius * along).toFixed(1)} ${(y - radius * up).toFixed(1)}`,
      );
      set(name, { x: (x + (radius + 12) * along).toFixed(1), y: (y - (radius + 12) * up + 4).toFixed(1) });
      ui.write(name, names[i] ?? "");
    });
    const told = shares.map((share, i) => `${names[i]}: ${number(share)} to ${number(1 - share)}`).join(", ");
    set(node, { "aria-label": `the directions of the blends, u to v: ${told}` });
  };
  return { node, draw };
}

// An arrow over the row, as thick as the share that `draw` is told.
function arrow(from, to, high) {
  const line = element("path.flow", { d: `M${from} 60C${from} ${60 - high} ${to} ${60 - high} ${to} 54` });
  const tip = element("path.tip", { d: `M${to - 7} 52h14l-7 10z` });
  const draw = (share) => {
    set(line, { "stroke-width": (8 * share).toFixed(2) });
    set(tip, { opacity: Math.min(1, 4 * share).toFixed(2) });
  };
  return { node: element("g", line, tip), draw };
}

export default ui.widget(build);
