// ScalingLab: how wide random scores get with d_k, what the softmax makes of them, and what √dₖ mends or does not.

import * as lab from "./lab.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";
import "./scaling_lab.css";

const END = 10; // the histogram's last score; what lies beyond is in the outer bars
// What the variance becomes, by what is broken.
const NOTES = {
  none: "Var(q·k) = dₖ, so division by √dₖ makes it 1.",
  variance: "Var(q·k) = 4 · 4 · dₖ, which is 16 after the division.",
  mean: "Var(q·k) = 3 dₖ, and the mean is dₖ. A softmax takes no notice of the mean.",
  copies: "Var(q·k) = dₖ², since nothing averages out. After the division it still grows with dₖ.",
  sign:
    "Var(q·k) = dₖ² + 0.8 dₖ, though no component of k is correlated with one of q. " +
    "The keys equal to q tie, and share all the weight.",
  unit: "Var(q·k) = 1/dₖ was never too large. After the division it is 1/dₖ², and all keys weigh nearly the same.",
};

function build(model, figure) {
  const { d_k: widths, seed: seeds, n_q: most } = model.get("_bounds");
  const controls = ui.controls(
    ui.list_slider(model, "d_k", "width dₖ", () => widths.values, { write: String }),
    ui.toggle(model, "scaled", "divide by √dₖ"),
    ui.select(model, "broken", "break", model.get("labels")),
    ui.button("Draw other vectors", () => ui.change(model, "seed", (model.get("seed") + 1) % (seeds.max + 1))),
  );
  const [picture, measures] = [histogram(), table()];
  const [news, note, drawing] = [ui.live(), element("p"), element("p.note")];
  const readout = element("div.readout", measures.node, note);
  figure.append(controls.node, news, element("div.columns", element("div.frame", picture.node, drawing), readout));
  const draw_scores = ui.memoize(lab.draw_scores); // kept while only √dₖ changes

  return () => {
    const { d_k, scaled, broken, seed, n_q, n_k } = ui.values(model);
    ui.at_most("scores", n_q * n_k, most.max);
    const by = scaled ? Math.sqrt(d_k) : 1;
    const scores = draw_scores(n_q, n_k, d_k, broken, seed).map((row) => row.map((score) => score / by));
    const [mean, variance, largest, entropy, jacobian] = lab.saturation(scores);
    const beyond = picture.fill(scores.flat());
    const [predicted, rule] = [lab.score_variance(d_k, broken) / by ** 2, d_k / by ** 2];
    measures.fill({ variance, predicted, rule, largest, entropy, jacobian, n_k });
    const shown =
      `${n_q} queries (rows) read from ${n_k} keys (columns); the bars show where their ${n_q * n_k} scores lie. ` +
      "Move dₖ, with the box ticked and not.";
    ui.caption(model, figure, shown, `, seed ${seed}`);
    const text =
      `Scores q·k${scaled ? ` / √${d_k}` : ""} have mean ${compact(mean)} and variance ${compact(variance)}; ` +
      `${number(100 * beyond, 0)} % lie beyond ±${END}, in the outer bars. ` +
      `Averaged over the rows, the largest weight is ${number(largest)}.`;
    ui.write(news, text);
    const changed = broken === "none" ? "" : ", then changed as “break” says";
    ui.write(drawing, `The components are drawn evenly (uniform) between −√3 and √3${changed}.`);
    ui.write(note, NOTES[broken]);
    controls.draw();
  };
}

// 40 bars of width 1/2 between −10 and 10, and a wider one at each side for what lies beyond.
function histogram() {
  const [floor, x] = [130, (score) => 180 + score * 15];
  const [bars, outer, top] = [element("path"), element("path.beyond"), element("text", { x: 0, y: 14 })];
  const ticks = [-END, -5, 0, 5, END].map((score) =>
    element("text", { x: x(score), y: floor + 18, "text-anchor": "middle" }, number(score, 0)),
  );
  const line = element("line", { x1: 0, x2: 360, y1: floor, y2: floor });
  const node = element("svg.histogram", { viewBox: "0 0 360 154", role: "img" }, bars, outer, line, ...ticks, top);
  return {
    node,
    fill(scores) {
      const counts = new Array(42).fill(0);
      for (const score of scores) counts[Math.max(0, Math.min(41, Math.floor((score + END) * 2) + 1))]++;
      const most = Math.max(...counts);
      const bar = (k) => {
        const [left, right] = [k ? x((k - 1) / 2 - END) : 0, k < 41 ? x(k / 2 - END) : 360];
        return `M${left + 0.5} ${floor}V${floor - (105 * counts[k]) / most}H${right - 0.5}V${floor}Z`;
      };
      ui.set(bars, { d: counts.map((_, k) => (k % 41 ? bar(k) : "")).join("") });
      ui.set(outer, { d: bar(0) + bar(41) });
      const beyond = (counts[0] + counts[41]) / scores.length;
      ui.write(top, `tallest bar: ${number((100 * most) / scores.length, 0)} %`);
      const share = `${number(100 * beyond, 0)} % of them beyond`;
      ui.set(node, { "aria-label": `Histogram of ${scores.length} scores from −${END} to ${END}, ${share}` });
      return beyond;
    },
  };
}

function table() {
  const all = ["variance of the scores", "largest weight", "entropy of the weights", "norm of the softmax's Jacobian"];
  const [words, values] = [all.map(() => element("small")), all.map((_, k) => element(k ? "td" : "td.plain"))];
  const rows = all.map((name, k) => element("tr", element("th", { scope: "row" }, name, words[k]), values[k]));
  return {
    node: element("table.table.measures", element("tbody", ...rows)),
    fill({ variance, predicted, rule, largest, entropy, jacobian, n_k }) {
      ui.write(values[0], compact(variance));
      ui.bar(values[1], largest, number(largest));
      ui.bar(values[2], n_k > 1 ? entropy / Math.log(n_k) : 0, number(entropy));
      ui.bar(values[3], jacobian * 2, number(jacobian));
      const unbroken = predicted === rule ? "" : `; with nothing broken: ${compact(rule)}`;
      ui.write(words[0], `predicted: ${compact(predicted)}${unbroken}`);
      ui.write(words[1], `${number(1 / n_k)}: all weights alike; 1: one key has all`);
      ui.write(words[2], `${number(Math.log(n_k))}: all weights alike; 0: one key has all`);
      ui.write(words[3], "0: no gradient passes; at most 0.5");
    },
  };
}

export default ui.widget(build);
