// QueryPuzzle: turn and lengthen a query until each key in turn is read most; lines, or circles, of equal score.

import * as lab from "./lab.mjs";
import * as math from "./math.mjs";
import * as plane from "./plane.mjs";
import { SIZE, to_picture, VIEW } from "./plane.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./query_puzzle.css";

function build(model, figure) {
  const put = (query) => {
    const measure = model.get("measure");
    const before = marked(model, model.get("query"), measure);
    ui.change(model, { query, won: marked(model, query, measure).map((mark, i) => mark || before[i]) });
  };
  const turn = plane.polar(() => model.get("query"), put);
  const to = (measure) => ({
    measure,
    get won() {
      return marked(model, model.get("query"), model.get("measure")); // so far, by the other measure
    },
  });
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("measure") === "distance",
    hand: to("distance"),
    take: to("dot product"),
  });
  const controls = ui.controls(turn("length"), turn("direction"), hand);
  const [picture, table, told, meter] = [plane.picture("query and keys"), element("div"), ui.live(), puzzle.meter()];
  figure.append(element("div.columns", picture, element("div.readout", table, told)), controls.node, meter.node);
  const scene_of = ui.memoize((tokens) => draw_scene(model, picture, tokens, put));

  return () => {
    const { query, points: keys, measure, won } = ui.values(model);
    const tokens = ui.tokens_of(model, "points", "keys");
    if (won.length !== tokens.length)
      throw new Error(`${tokens.length} tokens for ${won.length} marks of what was won`);
    const scores = measured(query, keys, measure);
    const weights = math.softmax(scores);
    const first = puzzle.leader(scores);
    const all = marked(model, query, measure);
    scene_of(tokens)(query, keys, measure, first, is_over(model, all));
    ui.caption(
      model,
      figure,
      `${tokens.length} keys lie still. Turn the query, lengthen or shorten it, until each has been read most once.`,
    );
    const head = ["key", "length", measure === "distance" ? "−½ distance²" : "score", "weight", "won"];
    const rows = keys.map((key, i) => [
      tokens[i],
      number(Math.hypot(...key)),
      number(scores[i]),
      ui.shaded(weights[i]),
      all[i] ? "✓" : "–",
    ]);
    table.replaceChildren(ui.scroll("scores and weights", ui.table(head, rows)));
    const count = all.filter(Boolean).length;
    const tied = scores.filter((score) => score > Math.max(...scores) - 1e-9).length;
    const read =
      first < 0 ? [`${tied} keys share the lead.`] : ui.sentence`${element("bdi", tokens[first])} is read most.`;
    ui.refill(told, ...read, ` ${comment(model, all)}`);
    meter.draw(count / tokens.length, 1, `won: ${count} of ${tokens.length}`);
    controls.draw();
  };
}

const measured = (query, keys, measure) =>
  measure === "distance" ? lab.distance_scores([query], keys)[0] : math.attention_scores([query], keys, 1)[0];

// What was won before, and what this query wins.
function marked(model, query, measure) {
  const first = puzzle.leader(measured(query, model.get("points"), measure));
  return model.get("won").map((mark, i) => (mark || i === first ? 1 : 0));
}

// Are only keys left that no query reads most by the dot product: no corners of the hull, or not alone there?
function is_over(model, won) {
  if (model.get("measure") === "distance") return false;
  const corners = new Set(plane.lone_corners(model.get("points")));
  return won.every((mark, i) => mark || !corners.has(i));
}

function comment(model, won) {
  const { tokens } = ui.values(model);
  if (won.every(Boolean)) return "Every key was read most once.";
  const left = tokens.filter((_, i) => !won[i]);
  if (!is_over(model, won)) return `Still to win: ${left.join(", ")}.`;
  return `Still to win: ${left.join(", ")}. No query does that here, however it points and however long it is.`;
}

function draw_scene(model, picture, tokens, put) {
  const [arrow, hull] = [element("path.vector"), element("polygon.hull")];
  const lines = tokens.map(() => element("path.level"));
  const dots = tokens.map((token) => element("g.key", element("circle", { r: 6 }), element("text", { y: -12 }, token)));
  const handle = plane.handle(picture, "query", { at: () => model.get("query"), put });
  picture.replaceChildren(...plane.axes(), hull, ...lines, arrow, ...dots, handle);
  return (query, keys, measure, first, is_over) => {
    keys.forEach((key, i) => {
      const [x, y] = to_picture(key);
      set(dots[i], { transform: `translate(${x} ${y})` });
      set(dots[i].lastChild, { "text-anchor": plane.anchor(x, SIZE / 4) });
      lines[i].setAttribute("d", measure === "distance" ? circle(query, key) : line(query, key));
      for (const node of [dots[i], lines[i]]) node.classList.toggle("attn-first", i === first);
    });
    if (is_over) plane.draw_hull(hull, keys);
    else hull.setAttribute("points", "");
    arrow.setAttribute("d", plane.path([[0, 0], query]));
    plane.move(handle, query, true);
    handle.lastChild.setAttribute("y", to_picture(query)[1] > SIZE - 30 ? -14 : 26); // the keys' names stand above
  };
}

// The points that score as much as a key does lie on a line at a right angle to the query.
function line(query, key) {
  const length = Math.hypot(...query);
  if (!length) return "";
  const along = [-query[1] / length, query[0] / length].map((x) => x * 3 * VIEW);
  return plane.path([-1, 1].map((way) => key.map((x, c) => x + way * along[c])));
}

// By distance, on a circle round the query.
function circle(query, key) {
  const [x, y] = to_picture(query);
  const r = (Math.hypot(query[0] - key[0], query[1] - key[1]) * SIZE) / 2 / VIEW;
  return r ? `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0` : "";
}

export default ui.widget(build);
