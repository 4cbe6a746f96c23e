// LayersPuzzle: the heads of a model as a board, two cosines without one of them, and how near each came to the goal.

import * as grid from "./grid.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./layers_puzzle.css";

const NOTE = "Coloured: tried. The stronger the colour, the nearer to the goal. Orange line: the first number.";

function build(model, figure) {
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true },
    take: { handed: false, off: 0 },
  });
  const [board, whole] = [element("div"), element("div.whole", { role: "group", "aria-label": "whole layers" })];
  const [first, second] = [puzzle.meter({ alone: true }), puzzle.meter({ alone: true })];
  const [told, tally] = [ui.live("p.share"), element("p.result")];
  figure.append(
    element(
      "div.columns.layered",
      element("div.frame", board, element("p.note", NOTE), hand.node, whole),
      element("div.frame", first.node, second.node, told, tally),
    ),
  );
  const shown = () => union(model.get("tried"), model.get("silenced")); // also a head that Python or a link silenced
  const press = (head) => {
    const silenced = !layers_of(model) && model.get("silenced") === head ? -1 : head;
    ui.change(model, { silenced, off: 0, tried: union(shown(), head) });
  };
  const switch_layer = (bit) => ui.change(model, { silenced: -1, off: model.get("off") ^ bit, tried: shown() });
  const built = ui.memoize((count, width) => {
    const [heads, node] = draw_board(count, width, press);
    board.replaceChildren(ui.scroll("heads, a row for each layer", node));
    const layers = Array.from({ length: count }, (_, layer) => {
      const one = ui.button(layer + 1, () => switch_layer(bit_of(layer, count)));
      set(one, { "aria-label": `layer ${layer + 1}` });
      return one;
    });
    whole.replaceChildren(element("span", "silence layer"), ...layers);
    return { heads, layers };
  });

  return () => {
    const { heads, layers, texts, silenced, handed, tried } = ui.values(model);
    check(model, heads, layers);
    const [count, width] = [heads.length, heads[0].length];
    const [off, all, rows] = [layers_of(model), union(tried, silenced), heads.flat()];
    const nodes = built(count, width);
    const start = apart(layers[0]);
    nodes.heads.forEach((node, at) => {
      const seen = all.includes(at);
      const left = `${named(at, width)}, ${seen ? told_apart(rows[at]) : "not tried"}`;
      const pressed = off ? Boolean(off & bit_of(Math.floor(at / width), count)) : at === silenced;
      set(node, { "aria-label": left, "aria-pressed": `${pressed}` });
      node.classList.toggle("attn-tried", seen);
      node.style.setProperty("--w", Math.max(0, Math.min(1, 1 - apart(rows[at]) / start)).toFixed(3));
    });
    nodes.layers.forEach((node, layer) => {
      set(node, { "aria-pressed": `${Boolean(off & bit_of(layer, count))}` });
      node.disabled = !handed;
    });
    const shown = off || silenced < 0 ? layers[off] : rows[silenced];
    [first, second].forEach((meter, i) =>
      meter.draw(shown[i], Math.max(0, Math.min(1, shown[0])), `${number(shown[i], 3)} · ${texts[i + 1]}`),
    );
    ui.write(told, verdict(silenced, heads, off, shown, all));
    ui.write(tally, summary(all, rows, width));
    const sentence = element("i", element("bdi", texts[0].replace(/\.$/, "")));
    const compared = ui.sentence`a model compares ${sentence} with two other sentences. `;
    ui.caption(model, figure, [...compared, "Silence a head, so that the second cosine is the greater one."]);
    whole.classList.toggle("attn-missing", !handed);
    hand.draw();
  };
}

// A row of buttons for each layer.
function draw_board(count, width, press) {
  const button = (_, at) => ui.button(named(at, width), () => press(at));
  const heads = Array.from({ length: count * width }, button);
  const rows = Array.from({ length: count }, (_, layer) => heads.slice(layer * width, (layer + 1) * width));
  const group = (row, layer) => element("div", { role: "group", "aria-label": `heads of layer ${layer + 1}` }, ...row);
  const node = element("div.headboard", { style: `--n:${width}` }, ...rows.map(group));
  grid.walk(node, rows);
  return [heads, node];
}

const bit_of = (layer, count) => 1 << (count - 1 - layer);
const layers_of = (model) => (model.get("handed") ? model.get("off") : 0);
const union = (tried, head) => [...new Set(head < 0 ? tried : [...tried, head])];
const named = (head, width) => `${Math.floor(head / width) + 1}.${(head % width) + 1}`;
const apart = ([first, second]) => first - second;
const told_apart = (pair) => (apart(pair) < 0 ? "the goal is reached" : `apart by ${number(apart(pair), 3)}`);

function verdict(silenced, heads, off, shown, all) {
  const [count, width] = [heads.length, heads[0].length];
  const layers = heads.map((_, layer) => layer + 1).filter((layer) => off & bit_of(layer - 1, count));
  const one = silenced < 0 ? "" : `Without ${named(silenced, width)}`;
  const what = off ? `Without layer${layers.length > 1 ? "s" : ""} ${layers.join(", ")}` : one;
  const both = `${what || "Nothing is silenced"}: ${number(shown[0], 3)} and ${number(shown[1], 3)}`;
  const least = (pairs) => Math.min(...pairs.map(apart));
  const alone = layers.length === 1 ? least(heads[layers[0] - 1]) : -1;
  if (apart(shown) < 0) {
    const each = ` Alone, each of its ${width} heads leaves the first greater, by ${number(alone, 3)} or more.`;
    return `${both}. The goal is reached: the second is greater.${alone > 0 ? each : ""}`;
  }
  const wall = !off && all.length === count * width && least(heads.flat()) >= 0;
  const none = wall ? ` All ${all.length} are tried: no head alone is enough.` : "";
  return `${both}, apart by ${number(apart(shown), 3)}. The goal: the second is greater.${none}`;
}

function summary(all, rows, width) {
  const count = `Tried: ${all.length} of ${rows.length} heads.`;
  if (!all.length) return count;
  const nearest = all.reduce((best, head) => (apart(rows[head]) < apart(rows[best]) ? head : best));
  return `${count} The nearest: ${named(nearest, width)}, ${told_apart(rows[nearest])}.`;
}

function check(model, heads, layers) {
  const { silenced, off, tried } = ui.values(model);
  const [count, width] = [heads.length, heads[0].length];
  const { most_heads } = model.get("constants");
  if (width > most_heads) throw new Error(`heads has ${width} heads in a layer, more than ${most_heads}`);
  if (layers.length !== 2 ** count)
    throw new Error(`${count} layers have ${2 ** count} sets, layers has ${layers.length} rows`);
  heads.forEach((rows, layer) => puzzle.check_entries(`heads[${layer}]`, rows, width, 1));
  puzzle.check_entries("layers", layers, 2 ** count, 1);
  const [first, second] = layers[0];
  if (!(first > second))
    throw new Error(`layers[0] is ${first} and ${second}: the goal is reached before anything is silenced`);
  if (silenced >= 0) ui.check_range("silenced", silenced, count * width - 1);
  ui.check_range("off", off, 2 ** count - 1);
  tried.forEach((head, i) => ui.check_range(`tried[${i}]`, head, count * width - 1));
}

export default ui.widget(build);
