// ThreeSpaces: tokens, their queries and keys, their values and outputs, and the three matrices between.

import * as grid from "./grid.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { place, to_picture } from "./plane.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const MOST = 12; // tokens
const LARGEST = 3; // what can be typed into a matrix
const ZOOM = 1.4; // the three planes are small: what they show is drawn larger
const REACH = 2.1; // where a token can be dragged
const NEAR = 16,
  ASIDE = 10; // marks that would cover one another stand aside of where they belong
const MATRICES = { w_q: "W_Q", w_k: "W_K", w_v: "W_V" };
const PRESETS = [
  [
    "identity",
    [
      [1, 0],
      [0, 1],
    ],
  ],
  [
    "rotate 90°",
    [
      [0, 1],
      [-1, 0],
    ],
  ],
  [
    "swap axes",
    [
      [0, 1],
      [1, 0],
    ],
  ],
  [
    "project",
    [
      [0.5, 0.5],
      [0.5, 0.5],
    ],
  ],
  [
    "ignore axis 2",
    [
      [1, 0],
      [0, 0],
    ],
  ],
];
const changes = ["points", ...Object.keys(MATRICES), "selected"];

function build(model, figure) {
  const matrices = Object.entries(MATRICES).map(([name, label]) => matrix(model, name, label));
  const [w_q, w_k, w_v] = matrices.map(({ node }) => node);
  const pictures = ["input space", "attention space", "output space"].map(plane.picture);
  const asks = element("div");
  const space = (at, title, legend, ...below) =>
    element(
      "div.frame",
      element("p.pair", title),
      element("p", legend, " ", tag("activation")),
      pictures[at],
      ...below,
    );
  const moved = ui.live(),
    mutual = element("p"),
    table = ui.scroll("weights and vectors");
  figure.classList.add("attn-spaces");
  figure.append(
    element(
      "div.columns",
      space(0, "Input space", "● tokens X", asks),
      space(1, "Attention space", "△ queries, ■ keys", element("div.matrices", w_q, w_k)),
      space(2, "Output space", "◆ values, ○ outputs", element("div.matrices", w_v)),
    ),
    moved,
    mutual,
    table,
  );
  let scene = null,
    before = null;

  return () => {
    const tokens = ui.tokens_of(model, MOST, "points"),
      selected = model.get("selected");
    if (tokens[selected] === undefined) throw new Error(`there is no token ${selected} among ${tokens.length}`);
    const now = compute(model);
    const names = JSON.stringify(tokens);
    if (scene?.names !== names) {
      scene = { names, ...draw_scene(model, pictures, tokens) };
      asks.replaceChildren(scene.asks.node);
    }
    scene.move(now, selected);
    matrices.forEach((matrix) => matrix.draw());
    ui.caption(
      model,
      figure,
      `each token is one vector (left), and plays three roles by three matrices. Lines are as thick as the weights of who asks; arrows lead to the other token that each one reads most. Training changes parameters (square frames); activations (round frames) are computed anew for each sentence.`,
    );
    moved.textContent =
      what_moved(before, now) ??
      (moved.textContent || "Change one matrix, or drag a token: here it says what moved with it and what did not.");
    before = now;
    mutual.replaceChildren(...is_mutual(tokens, now.scores));
    table.replaceChildren(rows(tokens, selected, now));
  };
}

// Everything that is shown, from the inputs; its names are those of the page.
function compute(model) {
  const points = model.get("points");
  const inputs = { "a token": points };
  for (const [name, label] of Object.entries(MATRICES)) {
    inputs[label] = model.get(name);
    if (inputs[label].length !== 2 || inputs[label].some((row) => row.length !== 2))
      throw new Error(`${label} must be 2 × 2`);
  }
  const [queries, keys, values] = Object.values(MATRICES).map((label) => math.project(points, inputs[label]));
  const weights = math.attention_weights(queries, keys, null, 1),
    outputs = math.attention(queries, keys, values, null, 1);
  return {
    inputs,
    scores: math.attention_scores(queries, keys, 1),
    effects: { queries, keys, weights, values, outputs },
  };
}

function what_moved(before, now) {
  if (!before) return null;
  const differ = (a, b) =>
    Object.keys(b).filter((name) =>
      b[name].some((row, i) => row.some((entry, j) => !(Math.abs(entry - a[name][i]?.[j]) < 1e-9))),
    );
  const changed = differ(before.inputs, now.inputs);
  if (!changed.length) return null;
  const moved = differ(before.effects, now.effects),
    stayed = Object.keys(now.effects).filter((name) => !moved.includes(name));
  return `Changed: ${changed.join(", ")}. Moved: ${moved.join(", ") || "nothing"}. Stayed: ${stayed.join(", ") || "nothing"}.`;
}

function is_mutual(tokens, scores) {
  const [i, j] = math.most_unequal_pair(scores),
    name = (token) => element("bdi", tokens[token]);
  if (Math.abs(scores[i][j] - scores[j][i]) < 1e-9)
    return ["Scores are mutual: every pair of tokens scores the same both ways."];
  return [
    "Scores are not mutual: ",
    name(i),
    ` asking `,
    name(j),
    ` scores ${number(scores[i][j])}, `,
    name(j),
    " asking ",
    name(i),
    ` scores ${number(scores[j][i])}.`,
  ];
}

function draw_scene(model, [input, attention, output], tokens) {
  const asks = ui.select(
    model,
    "selected",
    "who asks",
    tokens.map((token, i) => [i, token]),
  );
  const handles = tokens.map((token, i) =>
    plane.handle(input, token, {
      put: (point) =>
        drag(
          i,
          point.map((x) => x / ZOOM),
        ),
      nudge: (step) =>
        drag(
          i,
          model.get("points")[i].map((x, c) => x + step[c]),
        ),
      choose: () => ui.change(model, "selected", i),
    }),
  );
  const drag = (i, point) => {
    const there = point.map((x) => Math.max(-REACH, Math.min(REACH, Math.round(x * 100) / 100)));
    ui.change(model, "points", model.get("points").with(i, there));
  };
  const marks = (role, kind, shape) =>
    tokens.map((token) =>
      element(
        `g.mark${kind}`,
        { role: "img", "aria-label": `${role} of ${token}` },
        shape(),
        element("text", (kind && `${role}: `) + token),
      ),
    );
  const queries = marks("query", ".hollow", () => element("path", { d: "M0-12L11 8H-11Z" })),
    keys = marks("key", "", () => element("rect", { x: -7, y: -7, width: 14, height: 14 }));
  const values = marks("value", "", () => element("path", { d: "M0-10L10 0L0 10L-10 0Z" })),
    outputs = marks("output", ".hollow", () => element("circle", { r: 8 }));
  const reads = [0, 1, 2].map(() => tokens.map(() => element("path.read")));
  const arrows = element("path.arrow"),
    hull = element("polygon.hull");
  const units = [0, 1, 2].map(() =>
    element("g", element("path.axis", { d: "M0-5V5" }), element("text.name", { "text-anchor": "middle", y: -10 }, "1")),
  );
  input.replaceChildren(...plane.axes(), units[0], ...reads[0], arrows, ...handles);
  attention.replaceChildren(...plane.axes(), units[1], ...reads[1], ...keys, ...queries);
  output.replaceChildren(...plane.axes(), units[2], hull, ...reads[2], ...values, ...outputs);
  grid.walk(attention, [queries, keys]);
  grid.walk(output, [values, outputs]);
  return {
    asks,
    move(now, selected) {
      const { queries: q, keys: k, weights, values: v, outputs: y } = now.effects;
      const points = model.get("points"),
        most = math.most_read(weights);
      const [in_x] = fit(units[0], [points], ZOOM),
        [in_q, in_k] = fit(units[1], [q, k]),
        [in_v, in_y] = fit(units[2], [v, y]);
      aside(queries, in_q, keys, in_k);
      aside(outputs, in_y, values, in_v);
      tokens.forEach((_, i) => {
        plane.move(handles[i], in_x[i], i === selected);
        handles[i].setAttribute("aria-valuetext", place(points[i]));
        put(queries[i], in_q[i], i === selected, -18);
        put(keys[i], in_k[i], false, 30);
        put(values[i], in_v[i], false, v[i][1] > 0 ? -16 : 32); // outside the hull
        put(outputs[i], in_y[i], i === selected, y[i][1] > 0 ? 28 : -14); // inside
        [
          [in_x[selected], in_x[i]],
          [in_q[selected], in_k[i]],
          [in_v[i], in_y[selected]],
        ].forEach((ends, at) => {
          reads[at][i].setAttribute("d", plane.path(ends));
          reads[at][i].setAttribute("stroke-width", (16 * weights[selected][i]).toFixed(2));
        });
      });
      arrows.setAttribute("d", in_x.map((point, i) => plane.arrow(point, in_x[most[i]], 14)).join(""));
      hull.setAttribute(
        "points",
        math
          .convex_hull(in_v)
          .map((i) => to_picture(in_v[i]).join(","))
          .join(" "),
      );
      asks.draw();
    },
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
  mark.lastChild.setAttribute("y", y);
  mark.lastChild.setAttribute("text-anchor", left < 110 ? "start" : left > 250 ? "end" : "middle");
}

function tag(kind) {
  return element(`span.tag.${kind}`, kind);
}

// A 2 × 2 matrix to type into, or to take from the presets.
function matrix(model, name, label) {
  const menu = element(
    "select",
    { "aria-label": `${label}: a preset` },
    ...PRESETS.map(([text]) => element("option", text)),
    element("option", { disabled: true }, "your own"),
  );
  menu.addEventListener("change", () => ui.change(model, name, PRESETS[menu.selectedIndex][1]));
  const entry = (text) => (text === "" ? NaN : Math.max(-LARGEST, Math.min(LARGEST, Number(text))));
  const inputs = [0, 1].map((r) =>
    [0, 1].map((c) => {
      const input = element("input", {
        type: "number",
        min: -LARGEST,
        max: LARGEST,
        step: 0.1,
        "aria-label": `${label}, row ${r + 1}, column ${c + 1}`,
      });
      input.addEventListener("input", () => {
        const typed = entry(input.value);
        if (Number.isFinite(typed))
          ui.change(
            model,
            name,
            model.get(name).map((row, i) => row.map((old, j) => (i === r && j === c ? typed : old))),
          );
      });
      input.addEventListener("change", () => (input.value = model.get(name)[r][c]));
      return input;
    }),
  );
  const draw = () => {
    const w = model.get(name),
      at = PRESETS.findIndex(([, preset]) => String(preset) === String(w));
    menu.selectedIndex = at < 0 ? PRESETS.length : at;
    inputs.forEach((row, r) =>
      row.forEach((input, c) => {
        const typing =
          document.activeElement === input && (entry(input.value) === w[r][c] || !Number.isFinite(entry(input.value)));
        if (!typing) input.value = w[r][c];
      }),
    );
  };
  return {
    node: element("fieldset.matrix", element("legend", label, " ", tag("parameter")), menu, ...inputs.flat()),
    draw,
  };
}

function rows(tokens, selected, now) {
  const { queries, keys, weights, values, outputs } = now.effects;
  const head = [
    element("td.corner", element("bdi", tokens[selected]), " reads"),
    "weight",
    "score",
    "query",
    "key",
    "value",
    "output",
  ];
  return ui.table(
    head,
    tokens.map((token, i) => [
      token,
      ui.shaded(weights[selected][i]),
      number(now.scores[selected][i]),
      ...[queries, keys, values, outputs].map((points) => place(points[i])),
    ]),
  );
}

export default ui.widget(changes, build);
