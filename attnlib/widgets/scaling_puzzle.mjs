// ScalingPuzzle: four triangles of softmax weights, of four widths, under one divisor; then a divisor for each width.

import * as lab from "./lab.mjs";
import { softmax } from "./math.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, set } from "./ui.mjs";
import "./scaling_puzzle.css";

const WIDTHS = [4, 16, 64, 256];
const KEYS = 3;
const CORNERS = [
  [50, 6],
  [5, 84],
  [95, 84],
];
const [LOW, HIGH] = [0.55, 0.65];
const [SMALLEST, LARGEST] = [1, 64]; // of a divisor
const DIVISORS = Array.from({ length: 25 }, (_, i) => Number((2 ** (i / 4)).toPrecision(2))); // quarters of an octave
const PLACES = { "-1": "middle", 0: "at home", 1: "corners" };
const GOAL = `${Math.round(100 * LOW)} to ${percent(HIGH)}`;
const CAPTION =
  "each dot shows the three weights of a random query on three random keys of width dₖ. At a corner one key has all " +
  `the weight; in the middle all three have the same. Bring all four clouds home: to a mean largest weight of ${GOAL}.`;
const WALL = " A larger divisor draws all four to the middle, a smaller one drives all four to the corners.";

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: {
      handed: true,
      get divisors() {
        return WIDTHS.map(() => model.get("divisor")); // so nothing jumps
      },
    },
    take: { handed: false },
  });
  const one = divisor_slider("divide all scores by", (divisor) => ui.change(model, "divisor", divisor));
  const clouds = WIDTHS.map((width, i) => draw_cloud(model, width, i));
  const told = ui.live("p.share");
  const controls = ui.controls(one, hand);
  figure.append(element("div.clouds", ...clouds.map(({ node }) => node)), controls.node, told);
  const scores_of = ui.memoize(draw_scores); // kept while only the divisors change

  return () => {
    const { divisor, handed, dots, seed } = ui.values(model);
    const each = handed ? check_divisors(model.get("divisors")) : WIDTHS.map(() => divisor);
    const shares = scores_of(dots, seed).map((rows, i) => {
      const weights = rows.map((row) => softmax(row.map((score) => score / each[i])));
      const share = weights.reduce((sum, row) => sum + Math.max(...row), 0) / dots;
      clouds[i].draw(weights, share, each[i], handed);
      return share;
    });
    ui.caption(model, figure, CAPTION, `, seed ${seed}`);
    one.node.hidden = handed;
    one.draw(divisor);
    ui.write(told, verdict(shares, handed).replaceAll(" %", "\u00a0%")); // no line begins with a %
    hand.draw();
  };
}

// For each width a row of scores for each dot: of a query with its keys. A larger width adds to the same vectors.
function draw_scores(dots, seed) {
  const [count, longest] = [1 + KEYS, WIDTHS.at(-1)];
  const drawn = lab.seeded_uniform(dots * count * longest, seed);
  const score = (i, j, width) => {
    const [query, key] = [0, j].map((k) => (i * count + k) * longest);
    let sum = 0;
    for (let c = 0; c < width; c++) sum += drawn[query + c] * drawn[key + c];
    return sum;
  };
  const row = (i, width) => Array.from({ length: KEYS }, (_, j) => score(i, j + 1, width));
  return WIDTHS.map((width) => Array.from({ length: dots }, (_, i) => row(i, width)));
}

function check_divisors(divisors) {
  if (divisors?.length !== WIDTHS.length) throw new Error(`divisors must be ${WIDTHS.length} numbers`);
  const wrong = divisors.findIndex((one) => !(Number.isFinite(one) && one >= SMALLEST && one <= LARGEST));
  if (wrong < 0) return divisors;
  throw new Error(`divisors[${wrong}] is ${divisors[wrong]}, outside ${SMALLEST} to ${LARGEST}`.replaceAll("-", "−"));
}

const d_k = (width) => `dₖ\u00a0=\u00a0${width}`;

// −1: too near to the middle, 0: at home, 1: too near to the corners; as it is shown.
function place_of(share) {
  const hundredths = Math.round(100 * share);
  if (hundredths < Math.round(100 * LOW)) return -1;
  return Number(hundredths > Math.round(100 * HIGH));
}

function verdict(shares, handed) {
  const places = shares.map(place_of);
  const count = places.filter((place) => place === 0).length;
  const measured = WIDTHS.map((width, i) => `${percent(shares[i])} for ${d_k(width)}`).join(", ");
  const home = `At home: ${count} of ${WIDTHS.length}. Mean largest weight: ${measured}.`;
  if (count === WIDTHS.length) return `${home} The goal is passed.`;
  const wall = !handed && places.includes(-1) && places.includes(1) ? WALL : "";
  return `${home} The goal is ${GOAL} for each.${wall}`;
}

// A slider over the divisors; it stands at the last that is not above the given one.
function divisor_slider(label, put, name = label) {
  const { node, set: move } = ui.range(label, { min: 0, max: DIVISORS.length - 1, step: 1 }, (at) => put(DIVISORS[at]));
  set(node.querySelector("input"), { "aria-label": name });
  const draw = (divisor) =>
    move(
      DIVISORS.findLastIndex((one) => one <= divisor),
      String(Number(divisor.toPrecision(3))),
    );
  return { node, draw };
}

// One width: its triangle, its meter, and the slider that is handed over.
function draw_cloud(model, width, i) {
  const [dots, meter, where] = [element("path.dots"), puzzle.meter(), element("span")];
  const triangle = element("polygon", { points: CORNERS.join(" ") });
  const picture = element("svg.triangle", { viewBox: "0 0 100 90", role: "img" }, triangle, dots);
  const put = (divisor) => ui.change(model, "divisors", model.get("divisors").with(i, divisor));
  const slider = divisor_slider("÷", put, `divide the scores for ${d_k(width)} by`);
  const node = element("div.cloud", element("p.pair", d_k(width), where), picture, meter.node, slider.node);
  node.style.setProperty("--top", HIGH);
  const draw = (weights, share, divisor, handed) => {
    const place = place_of(share);
    dots.setAttribute("d", weights.map(dot).join(""));
    set(picture, { "aria-label": `${weights.length} dots for ${d_k(width)}: mean largest weight ${percent(share)}` });
    node.classList.toggle("attn-home", place === 0);
    ui.write(where, PLACES[place]);
    meter.draw(share, LOW, percent(share));
    slider.node.hidden = !handed;
    slider.draw(divisor);
  };
  return { node, draw };
}

// Where three weights lie in the triangle: a line of no length, which the style makes round.
function dot(weights) {
  const [x, y] = [0, 1].map((c) => CORNERS.reduce((sum, corner, j) => sum + weights[j] * corner[c], 0));
  return `M${x.toFixed(2)} ${y.toFixed(2)}h0`;
}

export default ui.widget(build);
