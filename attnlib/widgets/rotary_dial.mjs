// RotaryDial: each pair of columns is a dial, with a hand of the query and a hand of the key that their positions turn.

import { at_rest } from "anywidget_static/pace.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./rotary_dial.css";

const R = 50; // of a dial
const [WIDTH, HEIGHT] = [360, 190]; // of the curve's picture
const STARTS = [0, 8, 16, 24, 32]; // key positions whose curves are compared

function build(model, figure) {
  const { max: last } = model.get("_bounds").query_position;
  const both = ui.range("move both", { min: 0, max: last, step: 1 }, (start) => {
    const [i, j] = positions(model);
    const by = start - Math.min(i, j);
    ui.change(model, { query_position: i + by, key_position: j + by });
  });
  const steps = { step: 1, digits: 0 };
  const controls = ui.controls(
    both,
    ui.slider(model, "query_position", "query’s position", steps),
    ui.slider(model, "key_position", "key’s position", steps),
    ui.select(model, "query_layout", "query’s layout"),
    ui.select(model, "key_layout", "key’s layout"),
  );
  const [told, note, dials, columns] = [ui.live(), element("p.note"), element("div.dials"), element("div")];
  const curve = element("svg.curve", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  figure.append(controls.node, told, dials, element("div.columns", curve, element("div.readout", columns, note)));

  return () => {
    const [query, key] = [turned(model, "query"), turned(model, "key")];
    const d = query[0].length;
    const [i, j] = positions(model);
    const score = score_of(query, key);
    const next = score_of(turned(model, "query", 1), turned(model, "key", 1));
    const [asks, read] = ["query_token", "key_token"].map((name) => element("bdi", model.get(name)));
    ui.caption(model, figure, ui.sentence`${asks} at ${i} (query) reads from ${read} at ${j} (key).`);
    const now = `${number(score)} at distance ${number(i - j, 0)}.`;
    at_rest(told, () => ui.write(told, `Score ${now} With both one position on: ${number(next)}.`));
    ui.refill(dials, ...draw_dials(model, query, key));
    at_rest(columns, () => ui.refill(columns, table(model, query, key, score)));
    const order = math.rotary_permutation(d).join(", ");
    ui.write(
      note,
      "Under each dial: how far one position turns it, and the columns that are its pair. An interleaved vector " +
        `becomes one in halves when its columns are put in the order ${order}.`,
    );
    draw_curve(model, curve, { last, score, now });
    controls.draw();
    both.node.querySelector("input").max = last - Math.abs(i - j);
    both.set(Math.min(i, j), `to ${i} and ${j}`);
  };
}

const positions = (model) => [model.get("query_position"), model.get("key_position")];

function turned(model, name, shift = 0) {
  const { [name]: vector, [`${name}_position`]: position, [`${name}_layout`]: layout, base } = ui.values(model);
  return math.rotary_embedding([vector], [position + shift], layout, base);
}

const score_of = (query, key) => math.attention_scores(query, key, 1)[0][0];

// For each pair its two columns.
function pairs(d, layout) {
  const order = layout === "half" ? [...Array(d).keys()] : math.rotary_permutation(d);
  return order.slice(0, d / 2).map((first, c) => [first, order[c + d / 2]]);
}

function draw_dials(model, [query], [key]) {
  const d = query.length;
  const hands = Object.entries({ query, key }).map(([name, vector]) => {
    const columns = pairs(d, model.get(`${name}_layout`));
    return { name, columns, ends: columns.map((pair) => pair.map((column) => vector[column])) };
  });
  const longest = Math.max(...hands.flatMap(({ ends }) => ends.map((end) => Math.hypot(...end)))) || 1;
  const drawn = ({ name, ends }, c) => {
    const [cx, cy] = [ends[c][0], -ends[c][1]].map((x) => (x / longest) * (R - 4));
    return element(`g.hand-${name}`, element("path", { d: `M0 0L${cx} ${cy}` }), element("circle", { cx, cy, r: 4 }));
  };
  const view = `-${R + 2} -${R + 2} ${2 * R + 4} ${2 * R + 4}`;
  return Array.from({ length: d / 2 }, (_, c) => {
    const rim = [element("circle.rim", { r: R }), element("path.rim", { d: `M0 0H${R}` })];
    const degrees = (model.get("base") ** ((-2 * c) / d) * 180) / Math.PI;
    return element(
      "div.dial",
      element("svg", { viewBox: view, "aria-hidden": "true" }, ...rim, ...hands.map((hand) => drawn(hand, c))),
      element("b", `pair ${c}`),
      element("span", `${number(degrees, 1)}° a position`),
      ...hands.map(({ name, columns }) => element(`span.key-${name}`, `${name}: ${columns[c].join(", ")}`)),
    );
  });
}

function table(model, [query], [key], score) {
  const texts = (vector) => vector.map((x) => number(x));
  const rows_of = (name, vector) => {
    const columns = pairs(vector.length, model.get(`${name}_layout`));
    const pair_of = (_, column) => columns.findIndex((pair) => pair.includes(column));
    return [
      [`${name}’s pair`, ...vector.map(pair_of), ""],
      [`${name}, turned`, ...texts(vector), ""],
    ];
  };
  const product = texts(query.map((q, c) => q * key[c]));
  const rows = [...rows_of("query", query), ...rows_of("key", key), ["product", ...product, number(score)]];
  return ui.scroll("column by column", ui.table(["", ...query.map((_, c) => String(c)), "sum"], rows));
}

// Score against distance: a curve for each of several key positions, and one for the present.
// Where the layouts agree they are one curve.
function draw_curve(model, picture, { last, score, now }) {
  const { query, key, query_layout, key_layout, base } = ui.values(model);
  const most = Math.hypot(...query) * Math.hypot(...key) || 1;
  const [i, j] = positions(model);
  const distances = Array.from({ length: 2 * last + 1 }, (_, at) => at - last);
  const to_x = (distance) => 34 + ((distance + last) / (2 * last)) * (WIDTH - 46);
  const to_y = (value) => 80 - (value / most) * 72;
  const line = (start, name, dotted) => {
    const ahead = distances.map((distance) => start + distance);
    const repeated = ahead.map(() => query);
    const queries = math.rotary_embedding(repeated, ahead, query_layout, base);
    const scores = math.attention_scores(queries, math.rotary_embedding([key], [start], key_layout, base), 1);
    const points = scores.map(([value], at) => `${to_x(distances[at]).toFixed(1)} ${to_y(value).toFixed(1)}`);
    return element(`path.${name}`, { d: dotted ? `M${points.join("h0M")}h0` : `M${points.join("L")}` });
  };
  const label = (text, x, y, anchor = "middle") => element("text", { x, y, "text-anchor": anchor }, text);
  const same = query_layout === key_layout;
  ui.refill(
    picture,
    element("path.axis", { d: `M${to_x(-last)} ${to_y(0)}H${to_x(last)}M${to_x(0)} 8V152` }),
    ...STARTS.map((start) => line(start, "other")),
    line(j, "present"),
    line(j, "dots", true),
    element("circle", { cx: to_x(i - j), cy: to_y(score), r: 5 }),
    ...[-last, -last / 2, 0, last / 2, last].map((distance) => label(number(distance, 0), to_x(distance), 167)),
    ...[-1, 0, 1].map((at) => label(number(at * most, 1), 29, to_y(at * most) + 4, "end")),
    label("score", to_x(0) + 5, 14, "start"),
    ...(same ? [] : [label("grey: the same distances, key elsewhere", WIDTH - 4, 149, "end")]),
    label("distance: query − key", WIDTH / 2, 184),
  );
  const curves = same ? "one curve for all" : "a different curve for each";
  const label_of = `Score against distance for key positions ${STARTS.join(", ")}: ${curves}. Now ${now}`;
  set(picture, { "aria-label": label_of });
}

export default ui.widget(build);
