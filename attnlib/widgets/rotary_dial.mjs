// RotaryDial: each pair of columns is a dial, with a hand of the query and a hand of the key that their positions turn.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./rotary_dial.css";

const LAST = 32; // position
const MOST = 16; // columns
const R = 50; // of a dial
const [WIDTH, HEIGHT] = [360, 190]; // of the curve's picture
const DISTANCES = Array.from({ length: 2 * LAST + 1 }, (_, i) => i - LAST);
const STARTS = [0, 8, 16, 24, 32]; // key positions whose curves are compared

function build(model, figure) {
  const both = ui.range("move both", { min: 0, max: LAST, step: 1 }, (start) => {
    const by = start - Math.min(...positions(model));
    const { query_position, key_position } = ui.values(model);
    ui.change_all(model, { query_position: query_position + by, key_position: key_position + by });
  });
  const steps = { min: 0, max: LAST, step: 1, digits: 0 };
  const layouts = ["half", "interleaved"].map((layout) => [layout, layout]);
  const controls = ui.controls(
    both,
    ui.slider(model, "query_position", "query’s position", steps),
    ui.slider(model, "key_position", "key’s position", steps),
    ui.select(model, "query_layout", "query’s layout", layouts),
    ui.select(model, "key_layout", "key’s layout", layouts),
  );
  const [told, note] = [ui.live(), element("p.note")];
  const [dials, columns] = [element("div.dials"), element("div")];
  const curve = element("svg.curve", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  figure.append(controls.node, told, dials, element("div.columns", curve, element("div.readout", columns, note)));

  return () => {
    const [query, key] = [turned(model, "query"), turned(model, "key")];
    const d = query[0].length;
    ui.at_most("columns", d, MOST);
    const [i, j] = positions(model);
    for (const position of [i, j]) ui.check_range("position", position, LAST);
    const score = score_of(query, key);
    const next = score_of(turned(model, "query", 1), turned(model, "key", 1));
    const [asks, read] = ["query_token", "key_token"].map((name) => element("bdi", model.get(name)));
    ui.caption(model, figure, ui.sentence`${asks} at ${i} (query) reads from ${read} at ${j} (key).`);
    const distance = number(i - j, 0);
    told.textContent = `Score ${number(score)} at distance ${distance}. With both one position on: ${number(next)}.`;
    dials.replaceChildren(...draw_dials(model, query, key));
    columns.replaceChildren(table(model, query, key, score));
    note.textContent =
      "Under each dial: how far one position turns it, and the columns that are its pair. An interleaved vector " +
      `becomes one in halves when its columns are put in the order ${math.rotary_permutation(d).join(", ")}.`;
    draw_curve(model, curve, score);
    controls.draw();
    both.node.querySelector("input").max = LAST - Math.abs(i - j);
    both.set(Math.min(i, j), `to ${i} and ${j}`);
  };
}

function positions(model) {
  return [model.get("query_position"), model.get("key_position")];
}

function turned(model, name, shift = 0) {
  const { [name]: rows, [`${name}_position`]: position, [`${name}_layout`]: layout, base } = ui.values(model);
  return math.rotary_embedding(rows, [position + shift], layout, base);
}

function score_of(query, key) {
  return math.attention_scores(query, key, 1)[0][0];
}

// For each pair its two columns.
function pairs(d, layout) {
  const order = layout === "half" ? [...Array(d).keys()] : math.rotary_permutation(d);
  return order.slice(0, d / 2).map((first, c) => [first, order[c + d / 2]]);
}

function draw_dials(model, [query], [key]) {
  const d = query.length;
  const hand = (name, vector) => ({ name, vector, columns: pairs(d, model.get(`${name}_layout`)) });
  const hands = [hand("query", query), hand("key", key)];
  const ends = hands.flatMap(({ vector, columns }) => columns.map(([a, b]) => Math.hypot(vector[a], vector[b])));
  const longest = Math.max(...ends) || 1;
  const drawn = ({ name, vector, columns }, c) => {
    const [x, y] = columns[c].map((column) => (vector[column] / longest) * (R - 4));
    const end = element("circle", { cx: x, cy: -y, r: 4 });
    return element(`g.hand-${name}`, element("path", { d: `M0 0L${x} ${-y}` }), end);
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
  const pair_of = (name) => {
    const columns = pairs(query.length, model.get(`${name}_layout`));
    return query.map((_, column) => columns.findIndex((pair) => pair.includes(column)));
  };
  const texts = (vector) => vector.map((x) => number(x));
  const rows = [
    ["query’s pair", ...pair_of("query"), ""],
    ["query, turned", ...texts(query), ""],
    ["key’s pair", ...pair_of("key"), ""],
    ["key, turned", ...texts(key), ""],
    ["product", ...texts(query.map((q, c) => q * key[c])), number(score)],
  ];
  return ui.scroll("column by column", ui.table(["", ...query.map((_, c) => String(c)), "sum"], rows));
}

// Score against distance: a curve for each of several key positions, and one for the present.
// Where the layouts agree they are one curve.
function draw_curve(model, picture, score) {
  const {
    query: [query],
    key: [key],
    query_layout,
    key_layout,
    base,
  } = ui.values(model);
  const most = Math.hypot(...query) * Math.hypot(...key) || 1;
  const [i, j] = positions(model);
  const to_x = (distance) => 34 + ((distance + LAST) / (2 * LAST)) * (WIDTH - 46);
  const to_y = (value) => 80 - (value / most) * 72;
  const line = (start, name, dotted) => {
    const ahead = DISTANCES.map((distance) => start + distance);
    const repeated = ahead.map(() => query);
    const queries = math.rotary_embedding(repeated, ahead, query_layout, base);
    const scores = math.attention_scores(queries, math.rotary_embedding([key], [start], key_layout, base), 1);
    const points = scores.map(([value], at) => `${to_x(DISTANCES[at]).toFixed(1)} ${to_y(value).toFixed(1)}`);
    return element(`path.${name}`, { d: dotted ? `M${points.join("h0M")}h0` : `M${points.join("L")}` });
  };
  const label = (text, x, y, anchor = "middle") => element("text", { x, y, "text-anchor": anchor }, text);
  const same = query_layout === key_layout;
  picture.replaceChildren(
    element("path.axis", { d: `M${to_x(-LAST)} ${to_y(0)}H${to_x(LAST)}M${to_x(0)} 8V152` }),
    ...STARTS.map((start) => line(start, "other")),
    line(j, "present"),
    line(j, "dots", true),
    element("circle", { cx: to_x(i - j), cy: to_y(score), r: 5 }),
    ...[-LAST, -LAST / 2, 0, LAST / 2, LAST].map((distance) => label(number(distance, 0), to_x(distance), 167)),
    ...[-1, 0, 1].map((at) => label(number(at * most, 1), 29, to_y(at * most) + 4, "end")),
    label("score", to_x(0) + 5, 14, "start"),
    ...(same ? [] : [label("grey: the same distances, key elsewhere", WIDTH - 4, 149, "end")]),
    label("distance: query − key", WIDTH / 2, 184),
  );
  const curves = same ? "one curve for all" : "a different curve for each";
  const now = `Now ${number(score)} at distance ${number(i - j, 0)}.`;
  set(picture, { "aria-label": `Score against distance for key positions ${STARTS.join(", ")}: ${curves}. ${now}` });
}

export default ui.widget(build);
