// TokenPlane: drag tokens in the plane; scores, weights, outputs and the convex hull follow.

import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { coordinates, path, SIZE, to_picture } from "./plane.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";

function build(model, figure) {
  const chosen = () => model.get("selected");
  const turn = plane.polar(
    () => model.get("points")[chosen()],
    (point) => put(model, chosen(), point),
  );
  const controls = ui.controls(
    ui.slider(model, "steps", "times applied", { step: 1, digits: 0 }),
    turn("length"),
    turn("direction"),
  );
  const picture = plane.picture("plane of tokens");
  const readout = element("div.readout");
  figure.append(element("div.columns", picture, readout), controls.node);
  const scene_of = ui.memoize((tokens) => draw_scene(model, picture, tokens));

  return () => {
    const tokens = ui.tokens_of(model, "points");
    const { points, steps, selected } = ui.values(model);
    ui.check_range("selected token", selected, points.length - 1);
    const layers = iterate(points, steps);
    if (points[0].length !== 2) throw new Error(`points have width ${points[0].length}, a plane has 2`);
    scene_of(tokens)(points, layers, selected);
    ui.caption(model, figure, "drag a token, or focus it and press the arrow keys.");
    ui.refill(readout, () => describe(model, points, layers.at(-1)));
    controls.draw();
  };
}

function put(model, i, point) {
  ui.change(model, "points", model.get("points").with(i, point));
}

// x, then attention(x, x, x), then attention of that, …
function iterate(points, steps) {
  const layers = [points];
  for (let x = points; layers.length <= steps; layers.push(x)) x = math.attention(x, x, x, null, 1);
  return layers;
}

function draw_scene(model, picture, tokens) {
  const hulls = Array.from({ length: model.get("_bounds").steps.max + 1 }, () => element("polygon.hull"));
  const arrow = element("path.vector");
  const trails = element("path.trail");
  const outputs = tokens.map(() => element("circle.output", { r: 5 }));
  const handles = tokens.map((token, i) =>
    plane.handle(picture, token, {
      at: () => model.get("points")[i],
      put: (point) => put(model, i, point),
      choose: () => ui.change(model, "selected", i),
    }),
  );
  picture.replaceChildren(...plane.axes(), ...hulls, arrow, trails, ...outputs, ...handles);
  return (points, layers, selected) => {
    hulls.forEach((hull, at) => {
      if (at < layers.length) plane.draw_hull(hull, layers[at]);
      else set(hull, { points: "" });
    });
    set(arrow, { d: path([[0, 0], points[selected]]) });
    points.forEach((point, i) => {
      const [, y] = to_picture(point);
      const [cx, cy] = to_picture(layers.at(-1)[i]);
      const below = y < 30 || (cy < y && y < SIZE - 30); // the name stands away from the ring
      plane.move(handles[i], point, i === selected, { y: below ? 26 : -14 });
      set(outputs[i], { cx, cy });
    });
    set(trails, { d: points.map((_, i) => path(layers.map((layer) => layer[i]))).join("") });
  };
}

function describe(model, points, outputs) {
  const { tokens, selected: i, steps } = ui.values(model);
  const scores = math.attention_scores(points, points, 1);
  const weights = math.attention_weights(points, points, null, 1);
  const lengths = points.map((point) => Math.hypot(...point));
  const angle = (j) => {
    if (!lengths[i] || !lengths[j]) return "–";
    const [[cosine]] = math.cosine_similarity([points[i]], [points[j]]);
    return `${number((Math.acos(cosine) * 180) / Math.PI, 0)}°`;
  };
  const row = (token, j) => [token, number(lengths[j]), angle(j), number(scores[i][j])];
  const rows = tokens.map((token, j) => [...row(token, j), ui.shaded(weights[i][j]), ui.shaded(weights[j][i])]);
  const [times, note] = [` after ${steps} times`, " Scores and weights are those of the first time."];
  const output = ui.live();
  output.append(`Its output${steps > 1 ? times : ""}: ${coordinates(outputs[i])}.${steps > 1 ? note : ""}`);
  return [
    element("p.pair", element("bdi", tokens[i]), ` at ${coordinates(points[i])}`),
    ui.scroll("scores and weights", ui.table(["token", "length", "angle", "score", "reads", "is read"], rows)),
    element("p", `A score is ${number(lengths[i])} × the other’s length × the cosine of the angle between them.`),
    output,
  ];
}

export default ui.widget(build);
