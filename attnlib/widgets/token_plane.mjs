// TokenPlane: drag tokens in the plane; scores, weights, outputs and the convex hull follow.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";

const { element, number } = ui;
const SIZE = 360; // the picture's side in its own units
const REACH = 3; // tokens stay within [−3, 3] × [−3, 3]
const VIEW = 3.4; // and a little more is shown

const to_picture = ([x, y]) => [(SIZE / 2) * (1 + x / VIEW), (SIZE / 2) * (1 - y / VIEW)];
const clamp = (x) => Math.max(-REACH, Math.min(REACH, Math.round(x * 100) / 100));
const place = ([x, y]) => `(${number(x)}, ${number(y)})`;

function render({ model, el }) {
  const start = model.get("points");
  return ui.show({ model, el }, (body) => build(model, body, start));
}

function build(model, body, start) {
  const steps = ui.slider(model, "steps", "times applied", { min: 1, max: 12, step: 1, digits: 0 });
  const reset = ui.button("Put the tokens back", () => {
    model.set("points", start);
    ui.change(model, "steps", 1);
  });
  const picture = element("svg", { class: "attn-plane", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": "plane of tokens" });
  const readout = element("div", { class: "attn-readout" });
  const caption = element("figcaption");
  body.append(
    element("figure", { class: "attn" }, caption, element("div", { class: "attn-columns" }, picture, readout),
      element("div", { class: "attn-controls" }, steps.node, reset)),
  );
  let scene = null;

  return () => {
    const tokens = model.get("tokens"), points = model.get("points");
    if (tokens.length !== points.length) throw new Error(`${tokens.length} tokens for ${points.length} points`);
    const layers = iterate(points, model.get("steps"));
    if (scene?.tokens !== tokens.join("\n")) scene = draw_scene(model, picture, tokens);
    scene.move(points, layers, model.get("selected"));
    caption.textContent = `${model.get("title")}: drag a token, or focus it and press the arrow keys. Numbers: ${model.get("provenance")}.`;
    readout.replaceChildren(...describe(model, points, layers.at(-1)));
    steps.draw();
  };
}

// x, then attention(x, x, x), then attention of that, …
function iterate(points, steps) {
  const layers = [points];
  for (let step = 0; step < steps; step++) layers.push(math.attention(layers.at(-1), layers.at(-1), layers.at(-1), null, 1));
  return layers;
}

function draw_scene(model, picture, tokens) {
  const axes = [[[-VIEW, 0], [VIEW, 0]], [[0, -VIEW], [0, VIEW]]].map(([a, b]) => element("path", { class: "attn-axis", d: path([a, b]) }));
  for (const at of [-3, -2, -1, 1, 2, 3]) {
    const [x, zero] = to_picture([at, 0]), [, y] = to_picture([0, at]);
    axes.push(element("text", { class: "attn-tick", x, y: zero + 12, "text-anchor": "middle" }, number(at, 0)));
    axes.push(element("text", { class: "attn-tick", x: zero - 4, y: y + 3, "text-anchor": "end" }, number(at, 0)));
  }
  const hull = element("polygon", { class: "attn-hull" });
  const arrow = element("path", { class: "attn-vector" });
  const trails = tokens.map(() => element("path", { class: "attn-trail" }));
  const outputs = tokens.map(() => element("circle", { class: "attn-output", r: 5 }));
  const handles = tokens.map((token, i) => handle(model, picture, token, i));
  picture.replaceChildren(...axes, hull, arrow, ...trails, ...outputs, ...handles);
  return {
    tokens: tokens.join("\n"),
    move(points, layers, selected) {
      hull.setAttribute("points", math.convex_hull(points).map((i) => to_picture(points[i]).join(",")).join(" "));
      arrow.setAttribute("d", path([[0, 0], points[selected]]));
      points.forEach((point, i) => {
        const [x, y] = to_picture(point);
        handles[i].setAttribute("transform", `translate(${x} ${y})`);
        handles[i].setAttribute("aria-valuenow", point[0]);
        handles[i].setAttribute("aria-valuetext", place(point));
        handles[i].classList.toggle("attn-selected", i === selected);
        handles[i].lastChild.setAttribute("text-anchor", x > SIZE * 0.75 ? "end" : x < SIZE * 0.25 ? "start" : "middle");
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

function path(points) {
  return `M${points.map((point) => to_picture(point).join(" ")).join("L")}`;
}

function handle(model, picture, token, i) {
  const node = element("g", { class: "attn-token", tabindex: 0, role: "slider", "aria-label": token, "aria-valuemin": -REACH, "aria-valuemax": REACH, "aria-orientation": "horizontal" },
    element("circle", { class: "attn-reach", r: 20 }), element("circle", { r: 8 }), element("text", {}, token));
  const put = ([x, y]) => ui.change(model, "points", model.get("points").map((point, other) => (other === i ? [clamp(x), clamp(y)] : point)));
  const here = (event) => {
    const box = picture.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * 2 * VIEW - VIEW, VIEW - ((event.clientY - box.top) / box.height) * 2 * VIEW];
  };
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    node.focus();
    event.preventDefault();
  });
  // A finger on a token drags it; beside the tokens it scrolls the page. (touch-action does nothing inside an SVG.)
  node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  node.addEventListener("pointermove", (event) => node.hasPointerCapture(event.pointerId) && put(here(event)));
  node.addEventListener("focus", () => ui.change(model, "selected", i));
  node.addEventListener("keydown", (event) => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!direction) return;
    event.preventDefault();
    const [x, y] = model.get("points")[i], step = event.shiftKey ? 0.5 : 0.1;
    put([x + direction[0] * step, y + direction[1] * step]);
  });
  return node;
}

function describe(model, points, outputs) {
  const tokens = model.get("tokens"), i = model.get("selected"), steps = model.get("steps");
  const scores = math.attention_scores(points, points, 1);
  const weights = math.attention_weights(points, points, null, 1);
  const head = ["token", "score", "reads from", "is read by"].map((name) => element("th", { scope: "col" }, name));
  const share = (weight) => element("td", { style: `--w:${weight.toFixed(3)}` }, number(weight));
  const rows = tokens.map((token, j) =>
    element("tr", {}, element("th", { scope: "row", dir: "auto" }, token), element("td", { class: "attn-plain" }, number(scores[i][j])), share(weights[i][j]), share(weights[j][i])));
  return [
    element("p", { class: "attn-pair" }, element("bdi", {}, tokens[i]), ` at ${place(points[i])}`),
    element("div", { class: "attn-scroll" }, element("table", { class: "attn-table" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))),
    element("p", { "aria-live": "polite" }, `Its output${steps > 1 ? ` after ${steps} times` : ""}: ${place(outputs[i])}.${steps > 1 ? " Scores and weights are those of the first time." : ""}`),
  ];
}

export default { render };
