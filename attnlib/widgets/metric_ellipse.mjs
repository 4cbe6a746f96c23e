// MetricEllipse: drag the ellipse of the metric UUᵀ; scores, weights, and who reads whom follow.

import { film } from "./film.mjs";
import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { REACH, SIZE, VIEW } from "./plane.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./metric_ellipse.css";

const STRETCHES = ["along", "across"];
const CAPTION =
  "drag ① and ②. Where the ring is long, U shrinks the plane, and that direction counts little. " +
  "Small circles: the tokens after U. Query (row) reads from key (column).";

function build(model, figure) {
  const sliders = [
    ...STRETCHES.map((name) => ui.slider(model, name, element("span"), { step: 0.01, digits: 2 })),
    ui.slider(model, "angle", "turn ① and ②, degrees", { min: -180, max: 180, step: 5, digits: 0 }),
  ];
  const controls = ui.controls(...sliders);
  const picture = plane.picture("plane of tokens with the ellipse of U");
  const [grids, matrix, arrows, line] = [element("div.pairs.signed"), element("span.control"), element("p"), ui.live()];
  figure.append(element("div.columns", element("div.frame", picture, controls.node, matrix), grids), arrows, line);
  const scene_of = ui.memoize((tokens, axes) => draw_scene(model, picture, grids, tokens, axes));

  return () => {
    const tokens = ui.tokens_of(model, "points");
    const { points, axes, along, across, angle } = ui.values(model);
    const u = lab.stretch_matrix(along, across, angle);
    const stretched = math.project(points, u);
    const scores = math.attention_scores(stretched, stretched, 1);
    const weights = math.attention_weights(stretched, stretched, null, 1);
    const most = lab.most_read(weights);
    const pair = lab.most_unequal_pair(weights);
    scene_of(tokens, axes)({ points, stretched, scores, weights, most, pair });
    ui.caption(model, figure, CAPTION);
    ui.write(matrix, `U = [${u.map((row) => row.map((entry) => number(entry)).join(" ")).join("; ")}]`);
    controls.draw();
    const turned = angle % 180 ? axes.toReversed() : axes;
    ["①", "②"].forEach((sign, c) => {
      const name = angle % 90 === 0 && turned[c] ? ` (${turned[c]})` : "";
      ui.write(sliders[c].node.firstChild, `stretch ${sign}${name}`);
    });
    ui.refill(arrows, () => {
      const reads = ui.listed(tokens, (token, i) => [element("bdi", token), " → ", element("bdi", tokens[most[i]])]);
      return ["The arrows, from each token to the other that it reads most: ", ...reads, "."];
    });
    ui.refill(line, () => describe(tokens, scores, weights, pair));
  };
}

// Returns what shows the numbers of one state.
function draw_scene(model, picture, grids, tokens, [across, up]) {
  const ring = element("ellipse.hull", { cx: SIZE / 2, cy: SIZE / 2 });
  const spokes = element("path.vector");
  const trails = element("path.trail");
  const images = tokens.map(() => element("circle.output", { r: 4 }));
  const arrows = element("path.arrow");
  const dots = tokens.map((token) =>
    element("g.dot", element("circle", { r: 6 }), element("text", { "text-anchor": "middle", y: -12 }, token)),
  );
  const direction = (c) => {
    const turn = ((model.get("angle") + 90 * c) * Math.PI) / 180;
    return [Math.cos(turn), Math.sin(turn)];
  };
  const reach = (c) => Math.min(1 / model.get(STRETCHES[c]), REACH);
  const end = (c) => direction(c).map((x) => x * reach(c));
  // A half-axis of length r means a stretch of 1/r; pulled to the rim, 0. Turns go by 5°.
  const put = (c, length, angle) =>
    turn(angle, { [STRETCHES[c]]: length >= REACH ? 0 : Math.min(2, Math.round(100 / length) / 100) });
  const turn = (angle = model.get("angle"), others = {}) =>
    ui.change(model, { ...others, angle: ((Math.round(angle / 5) * 5 + 540) % 360) - 180 });
  const handles = [0, 1].map((c) =>
    plane.handle(picture, "①②"[c], {
      at: () => end(c),
      put: ([x, y]) => put(c, Math.hypot(x, y), (Math.atan2(y, x) * 180) / Math.PI - 90 * c),
      nudge([x, y]) {
        const [e, f] = direction(c);
        const [outward, turned] = [x * e + y * f, y * e - x * f];
        if (Math.abs(outward) > Math.abs(turned)) put(c, Math.max(0.5, reach(c) + outward));
        else turn(model.get("angle") + 50 * turned);
      },
    }),
  );
  for (const handle of handles) handle.classList.add("attn-named");
  const name = (text, x, y, anchor) => element("text.name", { x, y, "text-anchor": anchor }, text);
  const names = [name(`${across} →`, SIZE - 6, SIZE / 2 - 16, "end"), name(`↑ ${up}`, SIZE / 2 + 18, 18, "start")];
  grids.replaceChildren();
  const below = [...plane.axes(), ...names, ring, spokes, trails, ...images];
  picture.replaceChildren(...below, arrows, ...dots, ...handles);
  const fill_scores = grid(grids, "Scores XU(XU)ᵀ: symmetric, whatever U", tokens);
  const fill_weights = grid(grids, "Weights, the softmax of each row: not symmetric", tokens);
  return (now) => {
    const unit = SIZE / 2 / VIEW;
    const { angle } = ui.values(model);
    ["rx", "ry"].forEach((radius, c) => set(ring, { [radius]: unit / Math.max(model.get(STRETCHES[c]), 0.01) }));
    set(ring, { transform: `rotate(${-angle} ${SIZE / 2} ${SIZE / 2})` });
    set(spokes, { d: [0, 1].map((c) => plane.path([[0, 0], end(c)])).join("") });
    handles.forEach((handle, c) => {
      const stretch = model.get(STRETCHES[c]); // what the handle sets, and what it says
      const told = `U stretches by ${number(stretch)} at ${number(angle + 90 * c, 0)}°`;
      const said = { "aria-valuemin": 0, "aria-valuemax": 2, "aria-valuenow": stretch, "aria-valuetext": told };
      plane.move(handle, end(c), true, { y: 0, "text-anchor": "middle" }, said); // its name stands in it
    });
    now.points.forEach((point, i) => {
      set(dots[i], { transform: `translate(${plane.to_picture(point).join(" ")})` });
      const [cx, cy] = plane.to_picture(now.stretched[i]);
      set(images[i], { cx, cy });
    });
    set(trails, { d: now.points.map((point, i) => plane.path([point, now.stretched[i]])).join("") });
    set(arrows, { d: now.points.map((point, i) => plane.arrow(point, now.points[now.most[i]])).join("") });
    const flat = now.scores.flat();
    const least = Math.min(...flat);
    const span = Math.max(...flat) - least || 1;
    fill_scores(now.scores, (score) => (score - least) / span, now.pair);
    fill_weights(now.weights, (weight) => weight, now.pair);
  };
}

// Appends a grid; returns what fills it, with a frame around one pair of cells.
function grid(parent, title, tokens) {
  const cells = tokens.map(() => tokens.map(() => element("td")));
  const rows = tokens.map((token, i) => [token, ...cells[i]]);
  const table = ui.table([element("td.corner", "query \\ key"), ...tokens], rows);
  parent.append(element("div", element("p.pair", title), ui.scroll(title, table)));
  const show = film(cells);
  let framed = [];
  return (matrix, shade, [a, b]) => {
    const look = (i, j) => ({ share: shade(matrix[i][j]).toFixed(3), text: number(matrix[i][j]) });
    const write = (i) =>
      cells[i].forEach((cell, j) => {
        const { share, text } = look(i, j);
        ui.write(cell, text);
        ui.vary(cell, "--w", share);
      });
    const pair = [cells[a][b], cells[b][a]];
    if (pair[0] !== framed[0]) {
      for (const cell of framed) cell.classList.remove("attn-marked");
      for (const cell of pair) cell.classList.add("attn-marked");
      framed = pair;
    }
    show(look, write);
  };
}

function describe(tokens, scores, weights, [i, j]) {
  const name = (token) => element("bdi", tokens[token]);
  const reads = (a, b) => ui.sentence`${name(a)} reads ${number(weights[a][b])} from ${name(b)}`;
  const parts = ui.sentence`Framed: one score, ${number(scores[i][j])}, but ${reads(i, j)} and ${reads(j, i)}.`;
  const others = tokens.map((_, k) => k).filter((k) => k !== i && k !== j);
  if (!others.length) return parts;
  const round = (k) => lab.cycle_product(weights, [i, j, k]);
  const k = others.reduce((best, other) => (round(other) > round(best) ? other : best));
  const product = (cycle) => lab.cycle_product(weights, cycle).toPrecision(2).replace("-", "−");
  const way = ui.listed([i, j, k, i], (token) => [name(token)], " → ");
  const both = `${product([i, j, k])}, backwards ${product([i, k, j])}`;
  return [...parts, ...ui.sentence` Round three tokens the weights multiply to the same both ways: ${way} ${both}.`];
}

export default ui.widget(build);
