// TokenPlane: drag tokens in the plane; scores, weights, outputs and the convex hull follow.

import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { SIZE, place, path, to_picture } from "./plane.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const MOST = 64; // tokens
const STEPS = 12; // times applied
const changes = ["points", "steps", "selected"];

function build(model, figure) {
  const steps = ui.slider(model, "steps", "times applied", { min: 1, max: STEPS, step: 1, digits: 0 });
  const controls = ui.controls(steps, turned(model, "length", 0, 4.2, 0.05), turned(model, "direction", -180, 180, 1));
  const picture = plane.picture("plane of tokens");
  const readout = element("div.readout");
  figure.append(element("div.columns", picture, readout), controls.node);
  let scene = null;

  return () => {
    const tokens = ui.tokens_of(model, MOST, "points"),
      points = model.get("points");
    ui.check_inside("steps", model.get("steps"), STEPS, 1);
    const layers = iterate(points, model.get("steps"));
    if (points[0].length !== 2) throw new Error(`points have width ${points[0].length}, a plane has 2`);
    ui.check_inside("selected token", model.get("selected"), points.length - 1);
    if (scene?.tokens !== tokens.join("\n")) scene = draw_scene(model, picture, tokens);
    scene.move(points, layers, model.get("selected"));
    ui.caption(model, figure, "drag a token, or focus it and press the arrow keys.");
    readout.replaceChildren(...describe(model, points, layers.at(-1)));
    controls.draw();
  };
}

// A slider for the length or the direction of the selected token, in degrees.
function turned(model, what, min, max, step) {
  const point = () => model.get("points")[model.get("selected")];
  const polar = () => ({
    length: Math.hypot(...point()),
    direction: (Math.atan2(point()[1], point()[0]) * 180) / Math.PI,
  });
  let direction = 0; // a vector of length 0 has none: it keeps the last
  const slider = ui.range(what, { min, max, step }, (value) => {
    const { length, direction: angle } = {
      ...polar(),
      ...(Math.hypot(...point()) ? {} : { direction }),
      [what]: value,
    };
    direction = angle;
    const moved = [Math.cos, Math.sin].map((f) => plane.clamp(length * f((angle * Math.PI) / 180)));
    ui.change(model, "points", model.get("points").with(model.get("selected"), moved));
  });
  return {
    node: slider.node,
    draw: () =>
      slider.set(polar()[what], what === "length" ? number(polar().length) : `${number(polar().direction, 0)}°`),
  };
}

// x, then attention(x, x, x), then attention of that, …
function iterate(points, steps) {
  const layers = [points];
  for (let step = 0; step < steps; step++)
    layers.push(math.attention(layers.at(-1), layers.at(-1), layers.at(-1), null, 1));
  return layers;
}

function draw_scene(model, picture, tokens) {
  const hull = element("polygon.hull");
  const arrow = element("path.vector");
  const trails = tokens.map(() => element("path.trail"));
  const outputs = tokens.map(() => element("circle.output", { r: 5 }));
  const handles = tokens.map((token, i) =>
    plane.handle(picture, token, {
      at: () => model.get("points")[i],
      put: (point) => ui.change(model, "points", model.get("points").with(i, point)),
      choose: () => ui.change(model, "selected", i),
    }),
  );
  picture.replaceChildren(...plane.axes(), hull, arrow, ...trails, ...outputs, ...handles);
  return {
    tokens: tokens.join("\n"),
    move(points, layers, selected) {
      hull.setAttribute(
        "points",
        math
          .convex_hull(points)
          .map((i) => to_picture(points[i]).join(","))
          .join(" "),
      );
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
  const tokens = model.get("tokens"),
    i = model.get("selected"),
    steps = model.get("steps");
  const scores = math.attention_scores(points, points, 1);
  const weights = math.attention_weights(points, points, null, 1);
  const lengths = points.map((point) => Math.hypot(...point));
  const angle = (j) =>
    lengths[i] && lengths[j]
      ? `${number((Math.acos(math.cosine_similarity([points[i]], [points[j]])[0][0]) * 180) / Math.PI, 0)}°`
      : "–";
  const rows = tokens.map((token, j) => [
    token,
    number(lengths[j]),
    angle(j),
    number(scores[i][j]),
    ui.shaded(weights[i][j]),
    ui.shaded(weights[j][i]),
  ]);
  return [
    element("p.pair", element("bdi", tokens[i]), ` at ${place(points[i])}`),
    element("div.scroll", ui.table(["token", "length", "angle", "score", "reads", "is read"], rows)),
    element("p", `A score is ${number(lengths[i])} × the other’s length × the cosine of the angle between them.`),
    element(
      "p",
      { "aria-live": "polite" },
      `Its output${steps > 1 ? ` after ${steps} times` : ""}: ${place(outputs[i])}.${steps > 1 ? " Scores and weights are those of the first time." : ""}`,
    ),
  ];
}

export default ui.widget(changes, build);
