// ThreeSpaces: tokens, their queries and keys, their values and outputs, and the three matrices between.

import * as grid from "./grid.mjs";
import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { coordinates, to_picture } from "./plane.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./three_spaces.css";

const LARGEST = 3; // what can be typed into a matrix
const ZOOM = 1.4; // the three planes are small: what they show is drawn larger
const REACH = 2.1; // where a token can be dragged
const NEAR = 16; // marks that would cover one another …
const ASIDE = 10; // … stand aside of where they belong
const PRESETS = { identity: "1 0 0 1", "rotate 90°": "0 1 -1 0", "swap axes": "0 1 1 0", project: "0.5 0.5 0.5 0.5" };
PRESETS["ignore axis 2"] = "1 0 0 0";
const HINT = "Change one matrix, or drag a token: here it says what moved with it and what did not.";
const CAPTION =
  "each token is one vector (left), and plays three roles by three matrices. Lines are as thick as the weights " +
  "of who asks; arrows lead to the other token that each one reads most. " +
  "Training changes parameters (square frames); activations (round frames) are computed anew for each sentence.";

function build(model, figure) {
  const matrices = ["w_q", "w_k", "w_v"].map((name) => matrix(model, name, name.toUpperCase()));
  const [w_q, w_k, w_v] = matrices.map(({ node }) => node);
  const names = ["Input space", "Attention space", "Output space"];
  const pictures = names.map((name) => plane.picture(name.toLowerCase()));
  const asks = element("div");
  const legends = ["● tokens X", "△ queries, ■ keys", "◆ values, ○ outputs"];
  const below = [asks, element("div.matrices", w_q, w_k), element("div.matrices", w_v)];
  const spaces = pictures.map((picture, at) => {
    const said = element("p", legends[at], " ", tag("activation"));
    return element("div.frame", element("p.pair", names[at]), said, picture, below[at]);
  });
  const [moved, mutual, table] = [ui.live(), element("p"), ui.scroll("weights and vectors")];
  figure.classList.add("attn-spaces");
  figure.append(element("div.columns", ...spaces), moved, mutual, table);
  const scene_of = ui.memoize((tokens) => draw_scene(model, pictures, asks, tokens));
  let [before, says] = [null, HINT];

  return () => {
    const tokens = ui.tokens_of(model, "points");
    const { selected } = ui.values(model);
    ui.check_range("selected token", selected, tokens.length - 1);
    const now = compute(model);
    scene_of(tokens)(now, selected);
    for (const matrix of matrices) matrix.draw();
    ui.caption(model, figure, CAPTION);
    says = (before && what_moved(before, now)) ?? says;
    ui.write(moved, says);
    before = now;
    ui.refill(mutual, () => is_mutual(tokens, now.scores));
    ui.refill(table, () => [rows(tokens, selected, now)]);
  };
}

// Everything that is shown, from the inputs; its names are those of the page.
function compute(model) {
  const { points, w_q, w_k, w_v } = ui.values(model);
  const matrices = { W_Q: w_q, W_K: w_k, W_V: w_v };
  for (const [label, w] of Object.entries(matrices))
    if (w.length !== 2 || w.some((row) => row.length !== 2)) throw new Error(`${label} must be 2 × 2`);
  const [queries, keys, values] = [w_q, w_k, w_v].map((w) => math.project(points, w));
  const weights = math.attention_weights(queries, keys, null, 1);
  const outputs = math.attention(queries, keys, values, null, 1);
  const scores = math.attention_scores(queries, keys, 1);
  return { inputs: { "a token": points, ...matrices }, scores, effects: { queries, keys, weights, values, outputs } };
}

function what_moved(before, now) {
  const apart = (a, b) => b.some((row, i) => row.some((entry, j) => !(Math.abs(entry - a[i]?.[j]) < 1e-9)));
  const differ = (a, b) => Object.keys(b).filter((name) => apart(a[name], b[name]));
  const changed = differ(before.inputs, now.inputs);
  if (!changed.length) return null;
  const moved = differ(before.effects, now.effects);
  const stayed = Object.keys(now.effects).filter((name) => !moved.includes(name));
  const list = (names) => names.join(", ") || "nothing";
  return `Changed: ${list(changed)}. Moved: ${list(moved)}. Stayed: ${list(stayed)}.`;
}

function is_mutual(tokens, scores) {
  const [i, j] = lab.most_unequal_pair(scores);
  if (Math.abs(scores[i][j] - scores[j][i]) < 1e-9)
    return ["Scores are mutual: every pair of tokens scores the same both ways."];
  const name = (at) => element("bdi", tokens[at]);
  const asking = (a, b) => [name(a), " asking ", name(b), ` scores ${number(scores[a][b])}`];
  return ["Scores are not mutual: ", ...asking(i, j), ", ", ...asking(j, i), "."];
}

// Returns what moves everything to its place.
function draw_scene(model, [input, attention, output], chooser, tokens) {
  const asks = ui.select(model, "selected", "who asks", [...tokens.entries()]);
  chooser.replaceChildren(asks.node);
  const handles = tokens.map((token, i) =>
    plane.handle(input, token, {
      put: (point) => drag(i, (_, c) => point[c] / ZOOM),
      nudge: (step) => drag(i, (x, c) => x + step[c]),
      choose: () => ui.change(model, "selected", i),
    }),
  );
  const inside = (x) => Math.max(-REACH, Math.min(REACH, Math.round(x * 100) / 100));
  const drag = (i, moved) => {
    const points = model.get("points");
    ui.change(model, "points", points.with(i, points[i].map(moved).map(inside)));
  };
  const mark = (role, kind, d) => (token) => {
    const told = { role: "img", "aria-label": `${role} of ${token}` };
    return element(`g.mark${kind}`, told, element("path", { d }), element("text", (kind && `${role}: `) + token));
  };
  const queries = tokens.map(mark("query", ".hollow", plane.TRIANGLE));
  const keys = tokens.map(mark("key", "", plane.SQUARE));
  const values = tokens.map(mark("value", "", "M0-10L10 0L0 10L-10 0Z"));
  const outputs = tokens.map(mark("output", ".hollow", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0"));
  const reads = [0, 1, 2].map(() => tokens.map(() => element("path.read")));
  const [arrows, hull] = [element("path.arrow"), element("polygon.hull")];
  const one = () => element("text.name", { "text-anchor": "middle", y: -10 }, "1");
  const units = [0, 1, 2].map(() => element("g", element("path.axis", { d: "M0-5V5" }), one()));
  input.replaceChildren(...plane.axes(), units[0], ...reads[0], arrows, ...handles);
  attention.replaceChildren(...plane.axes(), units[1], ...reads[1], ...keys, ...queries);
  output.replaceChildren(...plane.axes(), units[2], hull, ...reads[2], ...values, ...outputs);
  grid.walk(attention, [queries, keys]);
  grid.walk(output, [values, outputs]);
  return (now, selected) => {
    const { queries: q, keys: k, weights, values: v, outputs: y } = now.effects;
    const { points } = ui.values(model);
    const most = lab.most_read(weights);
    const [in_x] = fit(units[0], [points], ZOOM);
    const [in_q, in_k] = fit(units[1], [q, k]);
    const [in_v, in_y] = fit(units[2], [v, y]);
    aside(queries, in_q, keys, in_k);
    aside(outputs, in_y, values, in_v);
    tokens.forEach((_, i) => {
      plane.move(handles[i], in_x[i], i === selected);
      handles[i].setAttribute("aria-valuetext", coordinates(points[i]));
      put(queries[i], in_q[i], i === selected, -18);
      put(keys[i], in_k[i], false, 30);
      put(values[i], in_v[i], false, v[i][1] > 0 ? -16 : 32); // outside the hull
      put(outputs[i], in_y[i], i === selected, y[i][1] > 0 ? 28 : -14); // inside
      const from = [in_x[selected], in_q[selected], in_v[i]];
      const to = [in_x[i], in_k[i], in_y[selected]];
      const width = (16 * weights[selected][i]).toFixed(2);
      reads.forEach((lines, at) => set(lines[i], { d: plane.path([from[at], to[at]]), "stroke-width": width }));
    });
    arrows.setAttribute("d", in_x.map((point, i) => plane.arrow(point, in_x[most[i]], 14)).join(""));
    plane.draw_hull(hull, in_v);
    asks.draw();
  };
}

// The points of a space, drawn as large as fits; `unit` marks where 1 is.
function fit(unit, sets, zoom = Math.min(ZOOM, 2.7 / Math.max(...sets.flat(2).map(Math.abs)))) {
  unit.setAttribute("transform", `translate(${to_picture([zoom, 0]).join(" ")})`);
  return sets.map((points) => points.map((point) => point.map((x) => x * zoom)));
}

// Where marks of the one and the other kind meet, the one goes to the left and the other to the right.
function aside(left, at, right, there) {
  const near = (a) => (b) => Math.hypot(...to_picture(a).map((x, c) => x - to_picture(b)[c])) < NEAR;
  const shift = (mark, x) => {
    mark.firstChild.setAttribute("transform", `translate(${x} 0)`);
    mark.lastChild.setAttribute("x", x);
  };
  left.forEach((mark, i) => shift(mark, there.some(near(at[i])) ? -ASIDE : 0));
  right.forEach((mark, i) => shift(mark, at.some(near(there[i])) ? ASIDE : 0));
}

function put(mark, point, selected, y) {
  const [left, top] = to_picture(point);
  mark.setAttribute("transform", `translate(${left} ${top})`);
  mark.classList.toggle("attn-selected", selected);
  set(mark.lastChild, { y, "text-anchor": plane.anchor(left, 110) });
}

const tag = (kind) => element(`span.tag.${kind}`, kind);

// A 2 × 2 matrix to type into, or to take from the presets.
function matrix(model, name, label) {
  const presets = Object.values(PRESETS);
  const options = Object.keys(PRESETS).map((text) => element("option", text));
  const own = element("option", { disabled: true }, "your own");
  const menu = element("select", { "aria-label": `${label}: a preset` }, ...options, own);
  const put = (entries) => ui.change(model, name, [entries.slice(0, 2), entries.slice(2)]);
  menu.addEventListener("change", () => put(presets[menu.selectedIndex].split(" ").map(Number)));
  const entry = (text) => (text === "" ? NaN : Math.max(-LARGEST, Math.min(LARGEST, Number(text))));
  const entries = () => model.get(name).flat();
  const inputs = [0, 1, 2, 3].map((at) => {
    const told = { "aria-label": `${label}, row ${at < 2 ? 1 : 2}, column ${(at % 2) + 1}` };
    const input = element("input", { type: "number", min: -LARGEST, max: LARGEST, step: 0.1, ...told });
    input.addEventListener("input", () => {
      const typed = entry(input.value);
      if (Number.isFinite(typed)) put(entries().with(at, typed));
    });
    input.addEventListener("change", () => (input.value = entries()[at]));
    return input;
  });
  const draw = () => {
    const at = presets.indexOf(entries().join(" "));
    menu.selectedIndex = at < 0 ? presets.length : at;
    entries().forEach((value, at) => {
      const typed = entry(inputs[at].value);
      if (document.activeElement !== inputs[at] || (typed !== value && Number.isFinite(typed)))
        inputs[at].value = value;
    });
  };
  const legend = element("legend", label, " ", tag("parameter"));
  return { node: element("fieldset.matrix", legend, menu, ...inputs), draw };
}

function rows(tokens, selected, now) {
  const { queries, keys, weights, values, outputs } = now.effects;
  const asks = element("td.corner", element("bdi", tokens[selected]), " reads");
  const lines = tokens.map((token, i) => {
    const vectors = [queries, keys, values, outputs].map((points) => coordinates(points[i]));
    return [token, ui.shaded(weights[selected][i]), number(now.scores[selected][i]), ...vectors];
  });
  return ui.table([asks, "weight", "score", "query", "key", "value", "output"], lines);
}

export default ui.widget(build);
