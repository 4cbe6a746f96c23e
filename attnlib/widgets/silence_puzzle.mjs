// SilencePuzzle: eight heads, the share of right answers without some of them, and what has been tried.

import * as heat from "./heat.mjs";
import * as puzzle from "./puzzle.mjs";
import { percent } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./silence_puzzle.css";

const GOAL = 0.35;
const LOWEST = 3; // sets of several heads that stay in sight
const NOTE =
  "The meter: the share of right habits after he, she and it in fresh texts. " +
  "Dotted: a guess among six habits, 17\u00a0%. Below each head: this share without it alone. " +
  "Grids: of the whole model.";

function build(model, figure) {
  const { heads: all_heads } = model.get("constants");
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true },
    take: { handed: false, silenced: 0 },
  });
  const press = (layer, head) => {
    const bit = 1 << (4 * layer + head);
    const now = row_of(model);
    const silenced = model.get("handed") ? now ^ bit : bit * (now !== bit);
    ui.change(model, { silenced, tried: union(model.get("tried"), now, silenced) });
  };
  const heads = heat.gallery([4, 4], press, (layer, head) => `silence ${all_heads[4 * layer + head]}`);
  const left = heads.tiles.map(({ node }, i) => {
    const text = element("span");
    node.querySelector("span").textContent = all_heads[i];
    node.append(element("span.wanted", { "aria-hidden": "true" }), text);
    return text;
  });
  const [meter, told, together] = [puzzle.meter(), ui.live("p.share"), element("p.note.together")];
  const [asked, bars] = [element("p.pair"), element("div")];
  figure.append(
    element(
      "div.columns.silences",
      element("div.frame", ...heads.nodes, hand.node),
      element("div.frame", meter.node, told, asked, bars),
    ),
    element("p.note", NOTE),
    element("div.frame", together),
  );
  const cells_of = ui.memoize((given) => {
    const habits = [...given, "another"];
    const cells = habits.map(() => element("td"));
    const rows = habits.map((habit, i) => [habit, cells[i]]);
    bars.replaceChildren(ui.scroll("the next word", ui.table(["next word", "probability"], rows)));
    return cells;
  });

  return () => {
    const { shares, said, grids, tokens, habits, handed, tried } = ui.values(model);
    check(shares, said, grids, tried);
    const row = row_of(model);
    const all = union(tried, row);
    grids.forEach((grid, i) => heat.paint(heads.tiles[i].canvas, grid));
    heads.mark((layer, head) => Boolean(row & (1 << (4 * layer + head))));
    left.forEach((node, i) => ui.write(node, all.includes(1 << i) ? percent(shares[1 << i]) : "not tried"));
    ui.write(together, list(all_heads, all, shares, handed));
    meter.draw(shares[row], GOAL, `right: ${percent(shares[row])}, goal: ${percent(GOAL)} or less`);
    ui.write(told, verdict(all_heads, shares, row, all, handed).replaceAll(" %", "\u00a0%")); // no line begins with a %
    const sentence = () => element("i", ...ui.listed(tokens, (token) => [element("bdi", token)], " "));
    asked.replaceChildren("What comes after ", sentence(), "?");
    const chances = [...said[row], Math.max(0, 1 - said[row].reduce((sum, chance) => sum + chance, 0))];
    cells_of(habits).forEach((cell, i) => ui.bar(cell, chances[i], number(chances[i])));
    ui.caption(model, figure, caption(tokens, habits));
    hand.draw();
  };
}

// The heads that are silenced, head i as 2^i: before more are handed over, the first one alone.
function row_of(model) {
  const silenced = model.get("silenced");
  return model.get("handed") ? silenced : silenced & -silenced;
}

const union = (tried, ...rows) => puzzle.union(tried, rows.filter(Boolean));
const named = (every, row) => every.filter((_, i) => row & (1 << i));

function caption(tokens, habits) {
  const [query, key, habit] = [tokens[4], tokens[2], habits[0]].map((text) => element("i", element("bdi", text)));
  const framed = ui.sentence`Framed: what ${query} reads from ${key}, who ${habit}. `;
  const before = "eight heads read a sentence, query (row) from key (column). ";
  return [before, ...framed, "Silence a head, so that the model gets few such habits right."];
}

function verdict(every, shares, row, tried, handed) {
  const goal = ` The goal is ${percent(GOAL)} or less.`;
  if (!row) return `Nothing is silenced: ${percent(shares[0])} are right.${goal}`;
  const heads = named(every, row);
  const measured = `Without ${heads.join(", ")}: ${percent(shares[row])} are right.`;
  const each = heads.map((head) => `${head} leaves ${percent(shares[1 << every.indexOf(head)])}`);
  const alone = heads.length === 2 || heads.length === 3 ? ` Alone, ${each.join(", ")}.` : "";
  if (Math.round(100 * shares[row]) <= 100 * GOAL) return `${measured} The goal is passed.${alone}`;
  const singles = tried.filter((one) => named(every, one).length === 1);
  const wall = !handed && singles.length === every.length ? " All eight are tried: one head is not enough." : "";
  return `${measured}${goal}${alone}${wall}`;
}

function list(every, tried, shares, handed) {
  const sets = tried.map((row) => [named(every, row), shares[row]]);
  const several = sets.filter(([heads]) => heads.length > 1).sort(([, a], [, b]) => a - b);
  const best = several.slice(0, LOWEST).map(([heads, share]) => `${short(every, heads)}: ${percent(share)}`);
  const single = `Tried alone: ${sets.filter(([heads]) => heads.length === 1).length} of ${every.length} heads.`;
  if (!handed) return single;
  return `${single} Together, the lowest of ${several.length}: ${best.join("; ") || "–"}.`;
}

// A set of heads, by what is left where that is less.
function short(every, heads) {
  if (heads.length <= every.length / 2) return heads.join(" + ");
  const left = every.filter((head) => !heads.includes(head));
  return left.length ? `all but ${left.join(", ")}` : "all";
}

function check(shares, said, grids, tried) {
  const share = (x) => Number.isFinite(x) && x >= 0 && x <= 1;
  const wrong = shares.findIndex((x) => !share(x));
  if (shares.length !== 256 || wrong >= 0) throw new Error(`shares must be 256 numbers from 0 to 1`);
  if (said.length !== 256 || said.some((row) => row?.length !== 6 || !row.every(share)))
    throw new Error("said must be 256 × 6 numbers from 0 to 1");
  if (grids.length !== 8 || grids.some((rows) => rows?.length !== 5 || rows.some((row) => !row?.every(share))))
    throw new Error("grids must be 8 × 5 × 5 numbers from 0 to 1");
  puzzle.check_tried(tried, 255);
}

export default ui.widget(build);
