// LightCones: layers of attention under one mask, and what an output can have read through them.

import * as grid from "./grid.mjs";
import * as lab from "./lab.mjs";
import { size_slider } from "./presets.mjs";
import * as ui from "./ui.mjs";
import { element } from "./ui.mjs";
import "./light_cones.css";

const PRESETS = { "off by one": "off by one: j ≤ i + 1", window: "sliding window" };
const CAPTION =
  "press a dot. Below it lights up what it can have read, above it what can have read it. " +
  "Orange diamonds: a later place, read by an earlier one.";

function build(model, figure) {
  const { layers: bounds } = model.get("_bounds");
  const numbers = Array.from({ length: bounds.max }, (_, k) => k + 1);
  const put = (layers) => {
    const { layer, layers: before } = ui.values(model);
    ui.change(model, { layers, layer: layer === before ? layers : Math.min(layer, layers) }); // the top stays the top
  };
  const controls = ui.controls(
    ui.select(model, "preset", "mask", PRESETS),
    size_slider(model, () => model.get("tokens").length),
    ui.list_slider(model, "layers", "layers", () => numbers, { put }),
  );
  const [board, told] = [element("div.cones", { role: "group", "aria-label": "layers of dots" }), ui.live("p.result")];
  figure.append(controls.node, board, told);
  const scene_of = ui.memoize((tokens, layers) => draw_scene(model, board, tokens, layers));

  return () => {
    const { tokens, layers, preset, size, layer, selected } = ui.values(model);
    ui.check_range("size", size, tokens.length, 1);
    ui.check_range("layer", layer, layers);
    ui.check_range("selected token", selected, tokens.length - 1);
    const mask = lab.preset_mask(preset, tokens.length, size);
    const cone = Array.from({ length: layers + 1 }, (_, k) => {
      const reach = lab.mask_reach(mask, Math.abs(layer - k));
      return k <= layer ? reach[selected] : reach.map((row) => row[selected]);
    });
    scene_of(tokens, layers)(mask, cone, layer, selected);
    ui.caption(model, figure, CAPTION);
    ui.refill(told, () => (layer ? past(model, cone) : future(model, cone)));
    controls.draw();
  };
}

// Returns what lights the dots and lines of one cone.
function draw_scene(model, board, tokens, layers) {
  const name = (k) => (k ? `layer ${k}` : "tokens");
  const dots = Array.from({ length: layers + 1 }, (_, k) =>
    tokens.map((_, i) => ui.button("", () => ui.change(model, { layer: k, selected: i }))),
  );
  const lines = ["", ".lit", ".late"].map((kind) => element(`path${kind}`));
  const view = { viewBox: `0 0 ${tokens.length} ${layers + 1}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const rows = dots.map((row, k) => [element("span.tick", name(k)), ...row]).reverse();
  const names = tokens.map((token) => element("bdi.name", token));
  board.setAttribute("style", `--n: ${tokens.length}; --rows: ${layers + 1}`);
  board.replaceChildren(element("svg", view, ...lines), ...rows.flat(), element("span"), ...names);
  grid.walk(board, dots.toReversed(), dots[model.get("layer")][model.get("selected")]);

  return (mask, cone, layer, selected) => {
    const is_late = (k, i) => (k <= layer ? i > selected : i < selected);
    dots.forEach((row, k) =>
      row.forEach((dot, i) => {
        const late = cone[k][i] && is_late(k, i);
        const said = ["", k < layer ? ": read" : ": reads it"][Number(cone[k][i] && k !== layer)];
        dot.className = `attn-dot${cone[k][i] ? " attn-lit" : ""}${late ? " attn-late" : ""}`;
        ui.set(dot, {
          "aria-label": `${name(k)}, ${tokens[i]}${said}${late ? ", future" : ""}`,
          "aria-pressed": String(k === layer && i === selected),
        });
      }),
    );
    const paths = lines.map(() => "");
    for (let k = 1; k <= layers; k++)
      mask.forEach((row, i) =>
        row.forEach((may_attend, j) => {
          if (!may_attend) return;
          const lit = k <= layer ? cone[k][i] : cone[k - 1][j];
          const late = k <= layer ? is_late(k - 1, j) : is_late(k, i);
          const [x, y] = [i + 0.5, layers - k + 0.5];
          paths[lit ? 1 + Number(late) : 0] += `M${x} ${y}L${j + 0.5} ${y + 1}`;
        }),
      );
    lines.forEach((line, kind) => line.setAttribute("d", paths[kind]));
  };
}

const through = (layers) => `Through ${layers === 1 ? "1 layer" : `${layers} layers`}`;
const named = (tokens, found) => ui.listed(tokens.filter((_, i) => found(i)));

// What the chosen output can have read, and what it may be asked for.
function past(model, cone) {
  const { tokens, layers, layer, selected: i } = ui.values(model);
  const [here, next] = [i, i + 1].map((j) => element("bdi", tokens[j] ?? ""));
  const asked = ["the next token", ...(i + 1 < tokens.length ? [", ", next] : [])];
  const later = named(tokens, (j) => cone[0][j] && j > i);
  const read = [`${count(cone[0])} tokens: `, ...named(tokens, (j) => cone[0][j])];
  return [
    ...ui.sentence`${through(layer)}, the output at ${here} can have read ${read}.`,
    ...(later.length
      ? ui.sentence` From its future: ${later}. Asked for ${asked}, it may have read the answer.`
      : ui.sentence` None is from its future: it may be asked for ${asked}.`),
    growth(model),
    layer < layers ? ` Above it, ${count(cone[layers])} outputs of layer ${layers} can have read it.` : "",
  ];
}

// What more layers do under this mask.
function growth(model) {
  const { preset, size, layer } = ui.values(model);
  const sum = `${layer} · ${size - 1} + 1 = ${layer * (size - 1) + 1}`;
  if (preset === "window") return ` Each layer adds ${size - 1}: ${through(layer).toLowerCase()}, up to ${sum} tokens.`;
  if (preset === "prefix")
    return ` The first ${size} keys are open to all: say, a question that is there from the start, and not asked for.`;
  if (preset === "off by one") return ` Each layer leaks 1 place: ${through(layer).toLowerCase()}, up to ${layer}.`;
  return layer > 1 ? " One layer alone reads the same tokens." : "";
}

// Which outputs the chosen token can reach.
function future(model, cone) {
  const { tokens, layers, selected: j } = ui.values(model);
  const early = named(tokens, (i) => cone[layers][i] && i < j);
  const reached = [`${count(cone[layers])} outputs: `, ...named(tokens, (i) => cone[layers][i])];
  return [
    ...ui.sentence`${through(layers)}, the token ${element("bdi", tokens[j])} can reach ${reached}.`,
    ...(early.length
      ? ui.sentence` Before it: ${early}. Each of these can have read its future.`
      : [" None of them comes before it."]),
  ];
}

const count = (row) => `${row.filter(Boolean).length} of ${row.length}`;

export default ui.widget(build);
