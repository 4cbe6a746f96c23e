// SpeedsPuzzle: how much each distance scores by two dials, whose speeds are moved.

import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./speeds_puzzle.css";

const [HIGH, LOW] = [12, -12]; // of a score less that of distance 1
const [LEFT, RIGHT, TOP, BOTTOM] = [26, 314, 6, 132];
const STEP = 10; // distances between two labels
const CAPTION =
  "a letter's score by its distance, less the score of distance 1. The scores are the sum of a fast and a slow dial. " +
  "Move the speeds, in radians a place, until distance 1 leads by 1 or more.";

function build(model, figure) {
  const { query, key, far, goal } = model.get("constants");
  const x = (distance) => LEFT + (distance / far) * (RIGHT - LEFT);
  const y = (score) => TOP + ((HIGH - Math.max(LOW, Math.min(HIGH, score))) / (HIGH - LOW)) * (BOTTOM - TOP);
  const level = (score, kind) => element(kind, { x1: LEFT, x2: RIGHT, y1: y(score), y2: y(score) });
  const label = (text, at) => element("text", at, text);
  const below = Array.from({ length: far / STEP + 1 }, (_, i) =>
    label(String(STEP * i), { x: x(STEP * i), y: BOTTOM + 13, "text-anchor": "middle" }),
  );
  const [curve, dots, first] = [element("path.wave"), element("path.dots"), element("circle.first", { r: 4.5 })];
  const picture = element(
    "svg.speeds",
    { viewBox: "0 0 320 160", role: "img" },
    level(0, "line.own"),
    level(-goal, "line.goal"),
    label("0", { x: LEFT - 6, y: y(0) + 3, "text-anchor": "end" }),
    ...below,
    label("distance", { x: RIGHT, y: BOTTOM + 25, "text-anchor": "end" }),
    curve,
    dots,
    first,
  );
  const sliders = [
    ui.slider(model, "fast", "fast dial", { step: 0.05, digits: 2 }),
    ui.slider(model, "slow", "slow dial", { step: 0.005, digits: 3 }),
  ];
  const [meter, told] = [puzzle.meter(), ui.live("p.share")];
  const controls = ui.controls(...sliders);
  figure.append(element("div.two-speeds", picture, controls.node, meter.node, told));

  return () => {
    const { fast, slow } = ui.values(model);
    const scores = Array.from({ length: far + 1 }, (_, distance) => score(query, key, [fast, slow], distance));
    const above = scores.map((one) => one - scores[1]);
    const others = above.map((one, distance) => (distance === 1 ? -Infinity : one));
    const best = others.indexOf(Math.max(...others));
    const more = above.findIndex((one) => one > 0);
    const points = above.map((one, distance) => `${x(distance).toFixed(1)} ${y(one).toFixed(1)}`);
    curve.setAttribute("d", `M${points.join("L")}`);
    dots.setAttribute("d", points.map((point) => `M${point}h0`).join(""));
    set(first, { cx: x(Math.max(0, more)).toFixed(1), cy: y(above[Math.max(0, more)]).toFixed(1) });
    first.style.display = more < 0 ? "none" : "";
    const lead = Number((-others[best]).toFixed(2)); // as it is shown
    set(picture, { "aria-label": `scores of the distances 0 to ${far}, less that of distance 1` });
    meter.draw(lead / (2 * goal), 0.5, `lead of distance 1: ${number(lead)}, goal: ${number(goal, 0)} or more`);
    ui.write(told, verdict(scores, { best, more, lead, goal }));
    ui.caption(model, figure, CAPTION);
    controls.draw();
  };
}

// Each dial turns its query by its speed for each place; its product with the key counts.
function score(query, key, speeds, distance) {
  return speeds.reduce((sum, speed, dial) => {
    const [[a, b], [c, e]] = [query[dial], key[dial]];
    const [cos, sin] = [Math.cos(speed * distance), Math.sin(speed * distance)];
    return sum + (a * cos - b * sin) * c + (a * sin + b * cos) * e;
  }, 0);
}

function verdict(scores, { best, more, lead, goal }) {
  const own = `Distance 1 scores ${number(scores[1])}.`;
  if (lead >= goal) return `${own} The next is distance ${best}, ${number(lead)} behind. The goal is passed.`;
  if (more < 0) return `${own} Distance ${best} is only ${number(lead)} behind.`;
  const most = `Distance ${best} scores ${best === more ? "most" : `most, ${number(scores[best])}`}.`;
  return `${own} Distance ${more} is the first that scores more: ${number(scores[more])}. ${most}`;
}

export default ui.widget(build);
