// SoftmaxSliders: a slider for each score, one constant for all; the weights, and which properties this φ leaves them.

import * as lab from "./lab.mjs";
import * as ui from "./ui.mjs";
import { compact, element, number } from "./ui.mjs";
import "./softmax_sliders.css";

function build(model, figure) {
  const dials = {
    constant: ui.slider(model, "constant", "add to every score", { step: 0.5 }),
    phi: ui.select(model, "phi", "φ", model.get("labels")),
    temperature: ui.slider(model, "temperature", "temperature", { step: 0.1 }),
    axis: ui.select(model, "axis", "sum over", AXES),
  };
  const controls = ui.controls(...Object.values(dials));
  const [scroll, news, list] = [element("div.scroll"), ui.live(), element("ul.properties")];
  const blended = element("div");
  figure.append(controls.node, scroll, blended, news, list);
  const fill_of = ui.memoize((tokens, hides) => table(model, tokens, hides, scroll));

  return () => {
    const tokens = ui.tokens_of(model, "scores");
    const { scores, constant, temperature, phi, reach } = ui.values(model);
    const beyond = scores.findIndex((score) => !Number.isFinite(score) || Math.abs(score) > reach);
    if (beyond >= 0) throw new Error(`score ${beyond} is ${scores[beyond]}, beyond the slider's ±${reach}`);
    const { hidden, values, others, axis } = ui.values(model);
    check_hidden(hidden, tokens);
    const other = others.find((row) => row.length !== tokens.length);
    if (other) throw new Error(`others has width ${other.length}, for ${tokens.length} tokens`);
    const shown = tokens.map((_, i) => !hidden.includes(i));
    const weigh = (added) => {
      const rows = [scores, ...others].map((row) => row.map((score) => (score + added) / temperature));
      if (axis === "queries") return tokens.map((_, i) => shown[i] && lab.positive_weights(column(rows, i), phi)[0]);
      return spread(lab.positive_weights(kept(rows[0], shown), phi), shown);
    };
    const s = scores.map((score) => (score + constant) / temperature);
    const weights = weigh(constant).map(Number);
    const was = constant ? before(weigh) : [];
    const measured = properties(kept(s, shown), phi, constant, temperature);
    const offered = ui.offered(model, dials);
    const added = offered("constant") || constant;
    const heated = offered("temperature") || temperature !== 1;
    const terms = added ? "score + constant" : "score";
    const divided = added && heated ? `(${terms})` : terms;
    const what = `the weight is φ(s) / sum of φ(s), where s = ${divided}`;
    ui.caption(model, figure, `${what}${heated ? " / temperature" : ""}.`);
    const raised = lab.positive_function(s, phi).map((value, i) => (shown[i] ? value : 0));
    fill_of(tokens, offered("hidden"))(s, raised, weights, was, shown);
    if (values.length) ui.refill(blended, () => [blend(model, weights)]);
    const top = weights.indexOf(Math.max(...weights));
    const largest = ui.sentence`Largest weight: ${number(weights[top])} for ${element("bdi", tokens[top])}. `;
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const over = `Over the queries every column sums to 1, and this row to ${number(sum)}: its blend is no mean.`;
    const told = offered("constant") ? moved(constant, measured[3]) : "";
    ui.refill(news, ...largest, axis === "keys" ? told : over);
    list.hidden = axis !== "keys" || !offered("phi");
    const item = ([holds, name, number]) => {
      const verdict = holds ? "holds" : "fails";
      return element("li", element(`b.${verdict}`, verdict), element("span", `${name} (${number})`));
    };
    ui.refill(list, () => measured.map(item));
    dials.axis.node.hidden ||= !others.length;
    controls.draw();
  };
}

// The weights without the constant; none where φ gives 0 for every score there.
function before(weigh) {
  try {
    return weigh(0).map(Number);
  } catch {
    return [];
  }
}

const AXES = { keys: "the keys: each row", queries: "the queries: each column" };
const kept = (row, shown) => row.filter((_, i) => shown[i]);
const column = (rows, i) => rows.map((row) => row[i]);

// The weights of those that are shown, and 0 for the others.
function spread(weights, shown) {
  const left = weights.values();
  return shown.map((is) => (is ? left.next().value : 0));
}

function check_hidden(hidden, tokens) {
  const wrong = hidden.find((i) => !Number.isInteger(i) || i < 0 || i >= tokens.length);
  if (wrong !== undefined) throw new Error(`hidden token ${wrong} is outside 0 … ${tokens.length - 1}`);
  if (tokens.every((_, i) => hidden.includes(i))) throw new Error("every token is hidden: there is nothing to share");
}

// The values, blended by the weights, as a table with bars.
function blend(model, weights) {
  const { values, value_axes: axes, tokens } = ui.values(model);
  if (values.length !== weights.length) throw new Error(`${weights.length} tokens for ${values.length} rows of values`);
  const width = values[0].length;
  if (axes.length !== width) throw new Error(`${axes.length} value_axes for values of width ${width}`);
  const cells = axes.map((_, k) => {
    const cell = element("td");
    const sum = weights.reduce((total, weight, i) => total + weight * values[i][k], 0);
    ui.bar(cell, sum, number(sum));
    return cell;
  });
  const rows = tokens.map((token, i) => [token, ...values[i].map((value) => number(value))]);
  return ui.scroll(
    "the values and their blend",
    ui.table(["value", ...axes], [...rows, ["blend", ...cells]], ".blend"),
  );
}

function moved(constant, [holds, , measured]) {
  if (!constant) return "Now add a constant to every score.";
  const what = holds ? "no weight" : `weights from where the lines stand (${measured})`;
  return `Adding ${number(constant, 1)} to every score moved ${what}.`;
}

// For each property: whether it holds for these scores, its name, and the number that decides.
function properties(s, phi, constant, temperature) {
  const [smallest, sum, change, wrong] = lab.weight_properties(s, phi, (-constant || 1) / temperature);
  const unmoved = change < 1e-9;
  const constant_name = `Adding ${number(constant || 1, 1)} to every score changes nothing`;
  return [
    [Math.abs(sum - 1) < 1e-9, "The weights sum to 1", `sum: ${number(sum)}`],
    [smallest > 0, "Every weight is positive", `smallest: ${compact(smallest)}`],
    [wrong === 0, "A higher score gets a higher weight", `pairs that fail: ${wrong}`],
    [unmoved, constant_name, `largest change: ${unmoved ? "0" : compact(change)}`],
  ];
}

// Show a table with a slider for each token, and a box where it can be hidden; returns what fills it.
function table(model, tokens, hides, scroll) {
  const lines = tokens.map((token, i) => {
    const limits = { min: -model.get("reach"), max: model.get("reach"), step: 0.1 };
    const input = element("input", { type: "range", ...limits, "aria-label": `${token} score` });
    input.addEventListener("input", () => ui.change(model, "scores", model.get("scores").with(i, Number(input.value))));
    const hide = element("input", { type: "checkbox", "aria-label": `${token} has the score −∞` });
    hide.addEventListener("change", () => {
      const others = model.get("hidden").filter((one) => one !== i);
      ui.change(model, "hidden", hide.checked ? [...others, i].sort((a, b) => a - b) : others);
    });
    return [input, hide, element("td.plain"), element("td.plain"), element("td")];
  });
  const sums = lines[0].map(() => element("td.sum"));
  const rows = [
    ...tokens.map((token, i) => [token, ...lines[i]]),
    [element("th.sum", { scope: "row" }, "sum"), ...sums],
  ];
  const named = [["token", "score", "−∞", "s", "φ(s)", "weight"], ...rows];
  const [head, ...body] = hides ? named : named.map((row) => row.toSpliced(2, 1));
  scroll.replaceChildren(ui.table(head, body, ".sliders"));
  return (s, raised, weights, was, shown) => {
    lines.forEach(([input, hide, shifted, positive, weight], i) => {
      hide.checked = !shown[i];
      hide.disabled = shown[i] && shown.filter(Boolean).length === 1; // something must be left to share
      input.disabled = !shown[i];
      if (input.value !== String(model.get("scores")[i])) input.value = model.get("scores")[i];
      ui.set(input, { "aria-valuetext": `${number(model.get("scores")[i])}, weight ${number(weights[i])}` });
      ui.write(shifted, shown[i] ? number(s[i]) : "−∞");
      ui.write(positive, compact(raised[i]));
      ui.bar(weight, weights[i], number(weights[i]));
      ui.vary(weight, "--was", (was[i] ?? 2).toFixed(3));
    });
    const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);
    ui.write(sums[3], compact(total(raised)));
    ui.write(sums[4], number(total(weights)));
  };
}

export default ui.widget(build);
