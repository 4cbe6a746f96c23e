// SoftmaxSliders: a slider for each score, one constant for all; the weights, and which properties this φ leaves them.

import * as lab from "./lab.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";
import "./softmax_sliders.css";

function build(model, figure) {
  const controls = ui.controls(
    ui.slider(model, "constant", "add to every score", { step: 0.5 }),
    ui.select(model, "phi", "φ", model.get("labels")),
    ui.slider(model, "temperature", "temperature", { step: 0.1 }),
  );
  const [scroll, news, list] = [element("div.scroll"), ui.live(), element("ul.properties")];
  figure.append(controls.node, scroll, news, list);
  const fill_of = ui.memoize((tokens) => table(model, tokens, scroll));

  return () => {
    const tokens = ui.tokens_of(model, "scores");
    const { scores, constant, temperature, phi, reach } = ui.values(model);
    const beyond = scores.findIndex((score) => !Number.isFinite(score) || Math.abs(score) > reach);
    if (beyond >= 0) throw new Error(`score ${beyond} is ${scores[beyond]}, beyond the slider's ±${reach}`);
    const [s, before] = [constant, 0].map((added) => scores.map((score) => (score + added) / temperature));
    const [weights, was] = [s, before].map((row) => lab.positive_weights(row, phi));
    const measured = properties(s, phi, constant, temperature);
    const shown = "the query reads from each token with the weight φ(s) / sum of φ(s), where s = (score + constant)";
    ui.caption(model, figure, `${shown} / temperature.`);
    fill_of(tokens)(s, lab.positive_function(s, phi), weights, constant ? was : []);
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

// Show a table with a slider for each token; returns what fills it.
function table(model, tokens, scroll) {
  const lines = tokens.map((token, i) => {
    const limits = { min: -model.get("reach"), max: model.get("reach"), step: 0.1 };
    const input = element("input", { type: "range", ...limits, "aria-label": `${token} score` });
    input.addEventListener("input", () => ui.change(model, "scores", model.get("scores").with(i, Number(input.value))));
    return [input, element("td.plain"), element("td.plain"), element("td")];
  });
  const sums = lines[0].map(() => element("td.sum"));
  const rows = [
    ...tokens.map((token, i) => [token, ...lines[i]]),
    [element("th.sum", { scope: "row" }, "sum"), ...sums],
  ];
  scroll.replaceChildren(ui.table(["token", "score", "s", "φ(s)", "weight"], rows, ".sliders"));
  return (s, raised, weights, was) => {
    lines.forEach(([input, shifted, positive, weight], i) => {
      input.value = model.get("scores")[i];
      input.setAttribute("aria-valuetext", `${number(model.get("scores")[i])}, weight ${number(weights[i])}`);
      shifted.textContent = number(s[i]);
      positive.textContent = compact(raised[i]);
      ui.bar(weight, weights[i], number(weights[i]));
      weight.style.setProperty("--was", (was[i] ?? -1).toFixed(3));
    });
    const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
    sums[2].textContent = compact(total(raised));
    sums[3].textContent = number(total(weights));
  };
}

export default ui.widget(build);
