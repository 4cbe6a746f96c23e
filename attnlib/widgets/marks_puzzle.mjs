// MarksPuzzle: a query to turn, and sixteen keys that are sums of four rows, until no other can be read most.

import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { to_picture, VIEW } from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, set } from "./ui.mjs";
import "./marks_puzzle.css";

const CAPTION =
  "each key is a sum of the four rows of W_K, each times 1 or −1: a token's marks are these signs. The query reads " +
  "the key most that lies farthest along it. Light up as many keys as you can: turn the query, then move the rows, " +
  "too. (Keys are drawn at half their length.)";
const DRAWN = 0.5; // of a key's length, so that all stay in the picture
const FINEST = 1e-6; // what is nearer to each other stands on one place

function build(model, figure) {
  const { count, largest, radius } = model.get("constants");
  const signs = Array.from({ length: count }, (_, i) => [0, 1, 2, 3].map((mark) => ((i >> mark) & 1 ? 1 : -1)));
  const circle = signs.map((_, i) => [Math.cos, Math.sin].map((f) => radius * f((2 * Math.PI * i) / count)));
  const name = (i) => signs[i].map((sign) => (sign > 0 ? "+" : "−")).join(" ");
  const sums = (rows) =>
    signs.map((marks) => [0, 1].map((c) => rows.reduce((sum, row, i) => sum + marks[i] * row[c], 0)));
  const keys_of = (handed, rows) => (handed ? circle : sums(rows));
  const now = () => keys_of(model.get("handed"), model.get("rows"));

  const lit_by = (...queries) => queries.reduce((seen, query) => add(seen, leader(now(), query)), model.get("seen"));
  const put = (query) => ui.change(model, { query, seen: lit_by(model.get("query"), query) });
  const put_row = (i, row) => {
    const rows = model.get("rows").with(
      i,
      row.map((x) => Math.max(-largest, Math.min(largest, x))),
    );
    ui.change(model, { rows, seen: 0 });
  };
  const turn = plane.polar(() => model.get("query"), put);
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, seen: 0 },
    take: { handed: false, seen: 0 },
  });
  const controls = ui.controls(turn("direction"), hand);
  const [picture, meter, told] = [plane.picture("query and keys"), puzzle.meter({ alone: true }), ui.live("p.share")];
  figure.append(
    element("div.columns.marks", element("div.frame", picture), element("div.frame", controls.node, meter.node, told)),
  );
  const scene = draw_scene(model, picture, { count, largest, put, put_row });

  return () => {
    const { rows, query, seen, handed } = ui.values(model);
    check(rows, largest);
    const keys = keys_of(handed, rows);
    const first = leader(keys, query);
    const corners = plane.lone_corners(keys.map((key) => key.map((x) => Math.round(x / FINEST) + 0)));
    const all = add(seen & corners.reduce(add, 0), first);
    const lit = signs.filter((_, i) => (all >> i) & 1).length;
    const over = corners.every((i) => (all >> i) & 1);
    scene({ keys, rows, query, first, all, over, handed });
    meter.draw(lit / count, 1, `read most so far: ${lit} of ${count}`);
    const lead = first < 0 ? "Two keys share the lead." : `The key ${name(first)} is read most.`;
    const wall = over && lit < count ? " No query reads another of these keys most." : "";
    ui.write(told, lit === count ? `${lead} Every key was read most once.` : `${lead}${wall}`);
    ui.caption(model, figure, ui.formula(CAPTION));
    controls.draw();
  };
}

const add = (seen, first) => (first < 0 ? seen : seen | (1 << first));

// The key farthest along the query, −1 where two share the lead.
function leader(keys, query) {
  return puzzle.leader(math.attention_scores([query], keys, 1)[0]);
}

function draw_scene(model, picture, { count, largest, put, put_row }) {
  const [hull, arrow] = [element("polygon.hull"), element("path.vector")];
  const edges = [0, 1, 2, 3].map(() => element("path.level"));
  const dots = Array.from({ length: count }, () => element("circle.made", { r: 5 }));
  const handles = edges.map((_, i) =>
    plane.handle(picture, `row ${i + 1}`, {
      at: () => model.get("rows")[i],
      put: (row) => put_row(i, row),
      mark: element("path", { d: plane.SQUARE }),
    }),
  );
  const query = plane.handle(picture, "query", {
    at: () => model.get("query"),
    put,
    mark: element("path", { d: plane.TRIANGLE }),
  });
  for (const handle of handles) set(handle, { "aria-valuemin": -largest, "aria-valuemax": largest });
  picture.replaceChildren(...plane.axes(), hull, ...edges, arrow, ...dots, ...handles, query);
  return (shown) => {
    const drawn = shown.keys.map((key) => key.map((x) => DRAWN * x));
    edges.forEach((edge, i) => edge.setAttribute("d", shown.handed ? "" : across(shown.rows[i])));
    dots.forEach((dot, i) => {
      const [cx, cy] = to_picture(drawn[i]);
      set(dot, { cx, cy });
      dot.classList.toggle("attn-lit", Boolean((shown.all >> i) & 1));
      dot.classList.toggle("attn-first", i === shown.first);
    });
    if (shown.over) plane.draw_hull(hull, drawn);
    else hull.setAttribute("points", "");
    arrow.setAttribute("d", plane.path([[0, 0], shown.query]));
    plane.move(query, shown.query, true);
    handles.forEach((handle, i) => {
      handle.style.display = shown.handed ? "none" : "";
      plane.move(handle, shown.rows[i], false);
    });
  };
}

// Where the query's product with a row is 0: a line through the origin, at a right angle to the row.
function across(row) {
  const length = Math.hypot(...row);
  if (!length) return "";
  const along = [-row[1], row[0]].map((x) => (x / length) * 2 * VIEW);
  return plane.path([along, along.map((x) => -x)]);
}

function check(rows, largest) {
  puzzle.check_entries("rows", rows, 4, largest);
}

export default ui.widget(build);
