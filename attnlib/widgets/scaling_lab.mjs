// ScalingLab: how wide random scores get with d_k, what the softmax makes of them, and what √dₖ mends or does not.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";

const MOST = 1024; // scores, so that a phone draws them within a frame
const SIZES = Array.from({ length: 13 }, (_, power) => 2 ** power);
const SEEDS = 2 ** 31;
const END = 10; // the histogram's last score; what lies beyond is in the outer bars
const ASSUMPTIONS = [
  ["none", "nothing: mean 0, variance 1, independent", "Var(q·k) = dₖ, so division by √dₖ makes it 1."],
  ["variance", "variance 4: of all components", "Var(q·k) = 4 · 4 · dₖ, which is 16 after the division."],
  ["mean", "mean 1: of all components", "Var(q·k) = 3 dₖ, and the mean is dₖ. A softmax takes no notice of the mean."],
  [
    "copies",
    "equal: the components of a vector",
    "Var(q·k) = dₖ², since nothing averages out. After the division it still grows with dₖ.",
  ],
  [
    "sign",
    "q or −q: each is half of the keys",
    "Var(q·k) = dₖ² + 0.8 dₖ, though no component of k is correlated with one of q. The keys equal to q tie, and share all the weight.",
  ],
  [
    "unit",
    "length 1: every vector",
    "Var(q·k) = 1/dₖ was never too large. After the division it is 1/dₖ², and all keys weigh nearly the same.",
  ],
];
const changes = ["d_k", "scaled", "broken", "seed"];

function build(model, figure) {
  const controls = ui.controls(
    ui.choice(model, "d_k", "width dₖ", () => SIZES, { write: String }),
    ui.toggle(model, "scaled", "divide by √dₖ"),
    ui.select(model, "broken", "break", ASSUMPTIONS),
    ui.button("Draw other vectors", () => ui.change(model, "seed", (model.get("seed") + 1) % SEEDS)),
  );
  const picture = histogram();
  const measures = table();
  const news = ui.live();
  const note = element("p"),
    drawing = element("p.note");
  figure.append(
    controls.node,
    news,
    element("div.columns", element("div.frame", picture.node, drawing), element("div.readout", measures.node, note)),
  );
  let drawn = {}; // kept while only √dₖ changes

  return () => {
    const [d_k, scaled, broken, seed, n_q, n_k] = ["d_k", "scaled", "broken", "seed", "n_q", "n_k"].map((name) =>
      model.get(name),
    );
    check(d_k, broken, seed, n_q, n_k);
    const key = [d_k, broken, seed, n_q, n_k].join();
    if (drawn.key !== key) drawn = { key, scores: math.draw_scores(n_q, n_k, d_k, broken, seed) };
    const by = scaled ? Math.sqrt(d_k) : 1;
    const scores = drawn.scores.map((row) => row.map((score) => score / by));
    const [mean, variance, largest, entropy, jacobian] = math.saturation(scores);
    const beyond = picture.fill(scores.flat());
    measures.fill({
      variance,
      predicted: math.score_variance(d_k, broken) / by ** 2,
      rule: d_k / by ** 2,
      largest,
      entropy,
      jacobian,
      n_k,
    });
    ui.caption(
      model,
      figure,
      `${n_q} queries (rows) read from ${n_k} keys (columns); the bars show where their ${n_q * n_k} scores lie. Move dₖ, with the box ticked and not.`,
      `, seed ${seed}`,
    );
    news.textContent = `Scores q·k${scaled ? ` / √${d_k}` : ""} have mean ${compact(mean)} and variance ${compact(variance)}; ${number(100 * beyond, 0)} % lie beyond ±${END}, in the outer bars. Averaged over the rows, the largest weight is ${number(largest)}.`;
    drawing.textContent = `The components are drawn evenly (uniform) between −√3 and √3${broken === "none" ? "" : ", then changed as “break” says"}.`;
    note.textContent = ASSUMPTIONS.find(([name]) => name === broken)[2];
    controls.draw();
  };
}

function check(d_k, broken, seed, n_q, n_k) {
  if (!SIZES.includes(d_k)) throw new Error(`d_k is ${d_k}, not a power of two from 1 to ${SIZES.at(-1)}`);
  if (!ASSUMPTIONS.some(([name]) => name === broken)) throw new Error(`no assumption is called ${broken}`);
  if (!(Number.isInteger(seed) && seed >= 0 && seed < SEEDS))
    throw new Error(`the seed is ${seed}, not a whole number from 0 to ${SEEDS - 1}`);
  if (![n_q, n_k].every((n) => Number.isInteger(n) && n >= 1))
    throw new Error(`there are ${n_q} queries and ${n_k} keys`);
  ui.at_most("scores", n_q * n_k, MOST);
}

// 40 bars of width 1/2 between −10 and 10, and a wider one at each side for what lies beyond.
function histogram() {
  const x = (score) => 180 + score * 15,
    floor = 130;
  const bars = element("path"),
    outer = element("path.beyond");
  const ticks = [-END, -5, 0, 5, END].map((score) =>
    element("text", { x: x(score), y: floor + 18, "text-anchor": "middle" }, number(score, 0)),
  );
  const top = element("text", { x: 0, y: 14 });
  const node = element(
    "svg.histogram",
    { viewBox: `0 0 360 ${floor + 24}`, role: "img" },
    bars,
    outer,
    element("line", { x1: 0, x2: 360, y1: floor, y2: floor }),
    ...ticks,
    top,
  );
  return {
    node,
    fill(scores) {
      const counts = new Array(42).fill(0);
      for (const score of scores) counts[Math.max(0, Math.min(41, Math.floor((score + END) * 2) + 1))]++;
      const most = Math.max(...counts);
      const bar = (k) => {
        const left = k ? x((k - 1) / 2 - END) : 0,
          right = k < 41 ? x(k / 2 - END) : 360;
        return `M${left + 0.5} ${floor}V${floor - (105 * counts[k]) / most}H${right - 0.5}V${floor}Z`;
      };
      bars.setAttribute("d", counts.map((_, k) => (k % 41 ? bar(k) : "")).join(""));
      outer.setAttribute("d", bar(0) + bar(41));
      const beyond = (counts[0] + counts[41]) / scores.length;
      top.textContent = `tallest bar: ${number((100 * most) / scores.length, 0)} %`;
      node.setAttribute(
        "aria-label",
        `Histogram of ${scores.length} scores from −${END} to ${END}, ${number(100 * beyond, 0)} % of them beyond`,
      );
      return beyond;
    },
  };
}

function table() {
  const names = [
    "variance of the scores",
    "largest weight",
    "entropy of the weights",
    "norm of the softmax's Jacobian",
  ];
  const values = names.map((_, k) => element(k ? "td" : "td.plain")),
    words = names.map(() => element("small"));
  const rows = names.map((name, k) => element("tr", element("th", { scope: "row" }, name, words[k]), values[k]));
  return {
    node: element("table.table.measures", element("tbody", ...rows)),
    fill({ variance, predicted, rule, largest, entropy, jacobian, n_k }) {
      values[0].textContent = compact(variance);
      ui.bar(values[1], largest, number(largest));
      ui.bar(values[2], n_k > 1 ? entropy / Math.log(n_k) : 0, number(entropy));
      ui.bar(values[3], jacobian * 2, number(jacobian));
      words[0].textContent = `predicted: ${compact(predicted)}${predicted === rule ? "" : `; with nothing broken: ${compact(rule)}`}`;
      words[1].textContent = `${number(1 / n_k)}: all keys alike; 1: one key has all`;
      words[2].textContent = `${number(Math.log(n_k))}: all keys alike; 0: one key has all`;
      words[3].textContent = "0: no gradient passes; at most 0.5";
    },
  };
}

export default ui.widget(changes, build);
