// RotaryDial: each pair of columns is a dial, with a hand of the query and a hand of the key that their positions turn.

import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./rotary_dial.css";

const R = 50; // of a dial
const [WIDTH, HEIGHT] = [360, 190]; // of the curve's picture
const STARTS = [0, 8, 16, 24, 32]; // key positions whose curves are compared
const NOTE = "Under each dial: how far one position turns it, and the columns that are its pair.";

function build(model, figure) {
  const { max: last } = model.get("_bounds").query_position;
  const both = ui.range("move both", { min: 0, max: last, step: 1 }, (start) => {
    const [i, j] = positions(model);
    const by = start - Math.min(i, j);
    ui.change(model, { query_position: i + by, key_position: j + by });
  });
  const steps = { step: 1, digits: 0 };
  const layouts = ["query", "key"].map((name) => ui.select(model, `${name}_layout`, `${name}’s layout`));
  const controls = ui.controls(
    both,
    ui.slider(model, "query_position", "query’s position", steps),
    ui.slider(model, "key_position", "key’s position", steps),
    ...layouts,
  );
  const [told, note, dials, columns] = [ui.live(), element("p.note", NOTE), element("div.dials"), element("div")];
  const curve = element("svg.curve", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  figure.append(controls.node, told, dials, element("div.columns", curve, element("div.readout", columns, note)));
  const dials_of = ui.memoize((pairs) => draw_dials(dials, pairs));
  const curve_of = ui.memoize((...fields) => draw_curve(curve, last, ...fields));

  return () => {
    const [query, key] = [turned(model, "query"), turned(model, "key")];
    const d = query[0].length;
    const [i, j] = positions(model);
    const score = score_of(query, key);
    const next = score_of(turned(model, "query", 1), turned(model, "key", 1));
    const [asks, read] = ["query_token", "key_token"].map((name) => element("bdi", model.get(name)));
    ui.caption(model, figure, ui.sentence`${asks} at ${i} (query) reads from ${read} at ${j} (key).`);
    const now = `${number(score)} at distance ${number(i - j, 0)}.`;
    ui.write(told, `Score ${now} With both one position on: ${number(next)}.`);
    dials_of(d / 2)(model, query, key);
    ui.refill(columns, () => [table(model, query, key, score)]);
    const { query_layout, key_layout, base, choose_layouts } = ui.values(model);
    for (const { node } of layouts) node.hidden = !choose_layouts;
    curve_of(model.get("query"), model.get("key"))(i, j, score, now, [query_layout, key_layout, base]);
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

// Returns what turns the hands.
function draw_dials(parent, count) {
  const view = `-${R + 2} -${R + 2} ${2 * R + 4} ${2 * R + 4}`;
  const dials = Array.from({ length: count }, (_, c) => {
    const rim = [element("circle.rim", { r: R }), element("path.rim", { d: `M0 0H${R}` })];
    const hands = ["query", "key"].map((name) => {
      const [line, tip, columns] = [element("path"), element("circle", { r: 4 }), element(`span.key-${name}`)];
      return { name, line, tip, columns, node: element(`g.hand-${name}`, line, tip) };
    });
    const picture = element("svg", { viewBox: view, "aria-hidden": "true" }, ...rim, ...hands.map(({ node }) => node));
    const turn = element("span");
    const texts = [element("b", `pair ${c}`), turn, ...hands.map(({ columns }) => columns)];
    return { node: element("div.dial", picture, ...texts), hands, turn };
  });
  parent.replaceChildren(...dials.map(({ node }) => node));
  return (model, [query], [key]) => {
    const d = query.length;
    const of = Object.entries({ query, key }).map(([name, vector]) => {
      const columns = pairs(d, model.get(`${name}_layout`));
      return { columns, ends: columns.map((pair) => pair.map((column) => vector[column])) };
    });
    const longest = Math.max(...of.flatMap(({ ends }) => ends.map((end) => Math.hypot(...end)))) || 1;
    dials.forEach(({ hands, turn }, c) => {
      const degrees = (model.get("base") ** ((-2 * c) / d) * 180) / Math.PI;
      ui.write(turn, `${number(degrees, 1)}° a position`);
      hands.forEach(({ name, line, tip, columns }, at) => {
        const [x, y] = of[at].ends[c];
        const [cx, cy] = [x, -y].map((entry) => (entry / longest) * (R - 4));
        set(line, { d: `M0 0L${cx} ${cy}` });
        set(tip, { cx, cy });
        ui.write(columns, `${name}: ${of[at].columns[c].join(", ")}`);
      });
    });
  };
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

// Score against distance: a curve for each of several key positions, and one for the present, which what is returned
// shows. Where the layouts agree they are one curve.
function draw_curve(picture, last, query, key) {
  const most = Math.hypot(...query) * Math.hypot(...key) || 1;
  const distances = Array.from({ length: 2 * last + 1 }, (_, at) => at - last);
  const to_x = (distance) => 34 + ((distance + last) / (2 * last)) * (WIDTH - 46);
  const to_y = (value) => 80 - (value / most) * 72;
  const points_of = (start, query_layout, key_layout, base) => {
    const ahead = distances.map((distance) => start + distance);
    const repeated = ahead.map(() => query);
    const queries = math.rotary_embedding(repeated, ahead, query_layout, base);
    const scores = math.attention_scores(queries, math.rotary_embedding([key], [start], key_layout, base), 1);
    return scores.map(([value], at) => `${to_x(distances[at]).toFixed(1)} ${to_y(value).toFixed(1)}`);
  };
  const line = (points) => `M${points.join("L")}`;
  const label = (text, x, y, anchor = "middle") => element("text", { x, y, "text-anchor": anchor }, text);
  const others = STARTS.map(() => element("path.other"));
  const below = label("", WIDTH / 2, 184);
  const present = [element("path.present"), element("path.dots"), element("circle", { r: 5 })];
  picture.replaceChildren(
    element("path.axis", { d: `M${to_x(-last)} ${to_y(0)}H${to_x(last)}M${to_x(0)} 8V152` }),
    ...others,
    ...present,
    ...[-last, -last / 2, 0, last / 2, last].map((distance) => label(number(distance, 0), to_x(distance), 167)),
    ...[-1, 0, 1].map((at) => label(number(at * most, 1), 29, to_y(at * most) + 4, "end")),
    label("score", to_x(0) + 5, 14, "start"),
    below,
  );
  const compare = ui.memoize((...layout) => {
    others.forEach((path, at) => set(path, { d: line(points_of(STARTS[at], ...layout)) }));
    const same = layout[0] === layout[1];
    ui.write(below, `distance: query − key${same ? "" : " (grey: the key elsewhere)"}`);
    return same ? "one curve for all" : "a different curve for each";
  });
  return (i, j, score, now, layout) => {
    const curves = compare(...layout);
    const points = points_of(j, ...layout);
    set(present[0], { d: line(points) });
    set(present[1], { d: `M${points.join("h0M")}h0` });
    set(present[2], { cx: to_x(i - j), cy: to_y(score) });
    const told = `Score against distance for key positions ${STARTS.join(", ")}: ${curves}. Now ${now}`;
    set(picture, { "aria-label": told });
  };
}

export default ui.widget(build);
