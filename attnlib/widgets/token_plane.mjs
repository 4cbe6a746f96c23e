// TokenPlane: drag tokens in the plane; scores, weights, outputs and the convex hull follow.

import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import * as ui from "./ui.mjs";

const { element, number } = ui;
const { SIZE, place, path, to_picture } = plane;
const MOST = 64; // tokens
const changes = ["points", "steps", "selected"];

function render({ model, el }) {
  return ui.show({ model, el }, changes, (body) => build(model, body));
}

function build(model, body) {
  const steps = ui.slider(model, "steps", "times applied", { min: 1, max: 12, step: 1, digits: 0 });
  const dial = { length: turned(model, "length", 0, 4.2, 0.05), direction: turned(model, "direction", -180, 180, 1) };
  const picture = plane.picture("plane of tokens");
  const readout = element("div", { class: "attn-readout" });
  const caption = element("figcaption");
  body.append(
    element("figure", { class: "attn" }, caption, element("div", { class: "attn-columns" }, picture, readout),
      element("div", { class: "attn-controls" }, steps.node, dial.length.node, dial.direction.node)),
  );
  let scene = null;

  return () => {
    ui.at_most("tokens", model.get("tokens").length, MOST);
    const tokens = model.get("tokens"), points = model.get("points");
    if (tokens.length !== points.length) throw new Error(`${tokens.length} tokens for ${points.length} points`);
    const layers = iterate(points, model.get("steps"));
    if (scene?.tokens !== tokens.join("\n")) scene = draw_scene(model, picture, tokens);
    scene.move(points, layers, model.get("selected"));
    caption.textContent = `${model.get("title")}: drag a token, or focus it and press the arrow keys. Numbers: ${model.get("provenance")}.`;
    readout.replaceChildren(...describe(model, points, layers.at(-1)));
    steps.draw();
    for (const control of Object.values(dial)) control.draw();
  };
}

// A slider for the length or the direction of the selected token, in degrees.
function turned(model, what, min, max, step) {
  const point = () => model.get("points")[model.get("selected")];
  const polar = () => ({ length: Math.hypot(...point()), direction: (Math.atan2(point()[1], point()[0]) * 180) / Math.PI });
  let direction = 0; // a vector of length 0 has none: it keeps the last
  const slider = ui.range(what, { min, max, step }, (value) => {
    const { length, direction: angle } = { ...polar(), ...(Math.hypot(...point()) ? {} : { direction }), [what]: value };
    direction = angle;
    const moved = [Math.cos, Math.sin].map((f) => plane.clamp(length * f((angle * Math.PI) / 180)));
    ui.change(model, "points", model.get("points").map((other, i) => (i === model.get("selected") ? moved : other)));
  });
  return { node: slider.node, draw: () => slider.set(polar()[what], what === "length" ? number(polar().length) : `${number(polar().direction, 0)}°`) };
}

// x, then attention(x, x, x), then attention of that, …
function iterate(points, steps) {
  const layers = [points];
  for (let step = 0; step < steps; step++) layers.push(math.attention(layers.at(-1), layers.at(-1), layers.at(-1), null, 1));
  return layers;
}

function draw_scene(model, picture, tokens) {
  const hull = element("polygon", { class: "attn-hull" });
  const arrow = element("path", { class: "attn-vector" });
  const trails = tokens.map(() => element("path", { class: "attn-trail" }));
  const outputs = tokens.map(() => element("circle", { class: "attn-output", r: 5 }));
  const handles = tokens.map((token, i) => plane.handle(picture, token, {
    at: () => model.get("points")[i],
    put: (point) => ui.change(model, "points", model.get("points").map((other, o) => (o === i ? point : other))),
    choose: () => ui.change(model, "selected", i),
  }));
  picture.replaceChildren(...plane.axes(), hull, arrow, ...trails, ...outputs, ...handles);
  return {
    tokens: tokens.join("\n"),
    move(points, layers, selected) {
      hull.setAttribute("points", math.convex_hull(points).map((i) => to_picture(points[i]).join(",")).join(" "));
      arrow.setAttribute("d", path([[0, 0], points[selected]]));
      points.forEach((point, i) => {
        const y = plane.move(handles[i], point, i === selected);
        const [cx, cy] = to_picture(layers.at(-1)[i]);
        const below = y < 30 || (cy < y && y < SIZE - 30); // the name stands away from the ring
        handles[i].lastChild.setAttribute("y", below ? 26 : -14);
        outputs[i].setAttribute("cx", cx);
        outputs[i].setAttribute("cy", cy);
        trails[i].setAttribute("d", path(layers.map((layer) => layer[i])));
      });
    },
  };
}

function describe(model, points, outputs) {
  const tokens = model.get("tokens"), i = model.get("selected"), steps = model.get("steps");
  const scores = math.attention_scores(points, points, 1);
  const weights = math.attention_weights(points, points, null, 1);
  const lengths = points.map((point) => Math.hypot(...point));
  const angle = (j) => (lengths[i] && lengths[j] ? `${number((Math.acos(math.cosine_similarity([points[i]], [points[j]])[0][0]) * 180) / Math.PI, 0)}°` : "–");
  const plain = (text) => element("td", { class: "attn-plain" }, text);
  const head = ["token", "length", "angle", "score", "reads", "is read"].map((name) => element("th", { scope: "col" }, name));
  const share = (weight) => element("td", { style: `--w:${weight.toFixed(3)}` }, number(weight));
  const rows = tokens.map((token, j) =>
    element("tr", {}, element("th", { scope: "row", dir: "auto" }, token), plain(number(lengths[j])), plain(angle(j)), plain(number(scores[i][j])), share(weights[i][j]), share(weights[j][i])));
  return [
    element("p", { class: "attn-pair" }, element("bdi", {}, tokens[i]), ` at ${place(points[i])}`),
    element("div", { class: "attn-scroll" }, element("table", { class: "attn-table" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))),
    element("p", {}, `A score is ${number(lengths[i])} × the other’s length × the cosine of the angle between them.`),
    element("p", { "aria-live": "polite" }, `Its output${steps > 1 ? ` after ${steps} times` : ""}: ${place(outputs[i])}.${steps > 1 ? " Scores and weights are those of the first time." : ""}`),
  ];
}

export default { render, changes };
