// SoftmaxSliders: a slider for each score, one constant for all; the weights, and which properties this φ leaves them.

import * as lab from "./lab.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";
import "./softmax_sliders.css";

const MOST = 16; // tokens
const LIMITS = { score: { min: -5, max: 5 }, constant: { min: -10, max: 10 }, temperature: { min: 0.2, max: 5 } };
const FUNCTIONS = {
  exp: "exp: eˢ",
  softplus: "softplus: ln(1 + eˢ)",
  sigmoid: "sigmoid: 1 / (1 + e⁻ˢ)",
  relu: "ReLU: max(s, 0) + 0.01",
  square: "square: s²",
};

function build(model, figure) {
  const controls = ui.controls(
    ui.slider(model, "constant", "add to every score", { ...LIMITS.constant, step: 0.5 }),
    ui.select(model, "phi", "φ", Object.entries(FUNCTIONS)),
    ui.slider(model, "temperature", "temperature", { ...LIMITS.temperature, step: 0.1 }),
  );
  const scroll = element("div.scroll");
  const news = ui.live();
  const list = element("ul.properties");
  figure.append(controls.node, scroll, news, list);
  let rows = null; // built again when the tokens change

  return () => {
    const tokens = ui.tokens_of(model, "scores");
    ui.at_most("tokens", tokens.length, MOST);
    const { scores, constant, temperature, phi } = ui.values(model);
    check(tokens, scores, constant, temperature);
    const s = scores.map((score) => (score + constant) / temperature);
    const before = scores.map((score) => score / temperature);
    const [weights, was] = [s, before].map((row) => lab.positive_weights(row, phi));
    const raised = lab.positive_function(s, phi);
    const measured = properties(s, phi, constant, temperature);
    if (rows?.names !== tokens.join("\n")) {
      rows = table(model, tokens);
      scroll.replaceChildren(rows.node);
    }
    ui.caption(
      model,
      figure,
      "the query reads from each token with the weight φ(s) / sum of φ(s), where s = (score + constant) / temperature.",
    );
    rows.fill(scores, s, raised, weights, constant ? was : []);
    const top = weights.indexOf(Math.max(...weights));
    const largest = ui.sentence`Largest weight: ${number(weights[top])} for ${element("bdi", tokens[top])}. `;
    news.replaceChildren(...largest, moved(constant, measured[2]));
    const item = ([holds, name, number]) => {
      const verdict = holds ? "holds" : "fails";
      return element("li", element(`b.${verdict}`, verdict), element("span", `${name} (${number})`));
    };
    list.replaceChildren(...measured.map(item));
    controls.draw();
  };
}

function moved(constant, [holds, , measured]) {
  if (!constant) return "Now add a constant to every score.";
  const what = holds ? "no weight" : `weights from where the lines stand (${measured})`;
  return `Adding ${number(constant, 1)} to every score moved ${what}.`;
}

function check(tokens, scores, constant, temperature) {
  if (!tokens.length) throw new Error(`${tokens.length} tokens for ${scores.length} scores`);
  const within = (what, value, { min, max }) => {
    if (!(Number.isFinite(value) && value >= min && value <= max))
      throw new Error(`${what} is ${value}, not between ${number(min, 1)} and ${number(max, 1)}`);
  };
  scores.forEach((score, i) => within(`score ${i}`, score, LIMITS.score));
  within("the constant", constant, LIMITS.constant);
  within("the temperature", temperature, LIMITS.temperature);
}

// For each property: whether it holds for these scores, its name, and the number that decides.
function properties(s, phi, constant, temperature) {
  const [added, raised] = [(-constant || 1) / temperature, 10 / temperature];
  const [smallest, sum, change, wrong, lifted] = lab.weight_properties(s, phi, added, raised);
  const unmoved = change < 1e-9;
  const constant_name = `Adding ${number(constant || 1, 1)} to every score changes nothing`;
  return [
    [smallest > 0, "Every weight is positive", `smallest: ${compact(smallest)}`],
    [Math.abs(sum - 1) < 1e-9, "The weights sum to 1", `sum: ${number(sum)}`],
    [unmoved, constant_name, `largest change: ${unmoved ? "0" : compact(change)}`],
    [wrong === 0, "A higher score gets a higher weight", `pairs that fail: ${wrong}`],
    [lifted >= 0.9, "The highest score, raised by 10, gets 0.9 or more", `it gets: ${number(lifted, 3)}`],
  ];
}

function table(model, tokens) {
  const sliders = tokens.map((token, i) => {
    const input = element("input", { type: "range", ...LIMITS.score, step: 0.1, "aria-label": `${token} score` });
    input.addEventListener("input", () => ui.change(model, "scores", model.get("scores").with(i, Number(input.value))));
    return input;
  });
  const cells = tokens.map(() => [element("td.plain"), element("td.plain"), element("td")]);
  const sums = ["", "", "", ""].map(() => element("td.sum"));
  const rows = tokens.map((token, i) => [token, sliders[i], ...cells[i]]);
  rows.push([element("th.sum", { scope: "row" }, "sum"), ...sums]);
  return {
    names: tokens.join("\n"),
    node: ui.table(["token", "score", "s", "φ(s)", "weight"], rows, ".sliders"),
    fill(scores, s, raised, weights, was) {
      const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
      tokens.forEach((_, i) => {
        sliders[i].value = scores[i];
        sliders[i].setAttribute("aria-valuetext", `${number(scores[i])}, weight ${number(weights[i])}`);
        cells[i][0].textContent = number(s[i]);
        cells[i][1].textContent = compact(raised[i]);
        ui.bar(cells[i][2], weights[i], number(weights[i]));
        cells[i][2].style.setProperty("--was", (was[i] ?? -1).toFixed(3));
      });
      sums[2].textContent = compact(total(raised));
      sums[3].textContent = number(total(weights));
    },
  };
}

export default ui.widget(build);
