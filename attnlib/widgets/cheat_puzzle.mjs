// CheatPuzzle: what a guard erases after the softmax still tells a coin; −∞ before the softmax does not.

import * as math from "./math.mjs";
import * as puzzle from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, number, set } from "./ui.mjs";
import "./cheat_puzzle.css";

const SIDES = ["heads", "tails"];
const GOAL = 10;
const DIGITS = [0, 0, 3, 3, 3, 0, 3]; // of what the table shows, line by line
const CAPTION = "a cheat guesses a coin from its own output. It knows what you set.";
const NOTE = "Dashed: the cheat's threshold. Hatched: wrong guesses.";
const LEFT = " What is left is the weight on itself, 1/(1 + eˢ): the coin's score s is still in it.";
const ONE = " One factor for both leaves them apart.";
const WON = " exp(−∞) is 0: nothing of the coin is in the softmax's sum.";

function build(model, figure) {
  const { scores: given, values, coins } = model.get("constants");
  const hand = puzzle.hand_over(model, {
    handed: () => model.get("handed"),
    hand: { handed: true, masked: false },
    take: { handed: false, masked: false },
  });
  const named = (control, name) => {
    set(control.node.querySelector("input"), { "aria-label": name });
    return control;
  };
  const mask = named(ui.toggle(model, "masked", "set to −∞"), "set to −∞: the score on coin");
  const weight = named(ui.toggle(model, "erase_weight", "erase"), "erase: the weight on coin");
  const factor = named(ui.slider(model, "factor", "×", { step: 0.1 }), "×: one factor for both outputs");
  const cells = Array.from({ length: 7 }, () => SIDES.map(() => element("td")));
  const control = (at) => element("td.does", at.node);
  const names = ["score on itself", "score on coin", "weight on itself", "weight on coin", "their sum"];
  const rows = [...names, "coin's value", "output"].map((name, i) => [name, ...cells[i]]);
  for (const [i, at] of Object.entries({ 1: mask, 3: weight, 6: factor })) rows[i].push(control(at));
  rows.splice(2, 0, [element("th.between", { colspan: 4, scope: "colgroup" }, "↓ softmax")]);
  const table = ui.table(["", ...SIDES, element("td")], rows, ".cheat");
  const [line, meter, told] = [draw_line(), puzzle.meter(), ui.live("p.share")];
  const sides = Array.from(coins, (coin) => element("span", coin));
  const seen = element(
    "div.frame",
    element("p.pair", "What the cheat sees"),
    line.node,
    element("div.coins", { "aria-hidden": "true" }, ...sides),
    element("p.note", NOTE),
    meter.node,
    told,
  );
  figure.append(element("div.columns", element("div", ui.scroll("from scores to outputs", table), hand.node), seen));

  return () => {
    const { erase_weight, factor: times, handed, masked } = ui.values(model);
    const blocked = handed && masked;
    const scores = given.map((score) => [0, blocked ? Number.NEGATIVE_INFINITY : score]);
    const weights = scores.map((row) => math.softmax(row)).map(([own, coin]) => [own, erase_weight ? 0 : coin]);
    const outputs = weights.map(([own, coin], i) => (own + coin * values[i]) * times);
    const guess = read(outputs);
    const right = [...coins].filter((coin) => guess(coin) === coin).length;
    weights.forEach(([own, coin], i) => {
      const shown = [0, scores[i][1], own, coin, own + coin, values[i], outputs[i]];
      shown.forEach((entry, at) => ui.write(cells[at][i], at === 1 && blocked ? "−∞" : number(entry, DIGITS[at])));
      for (const at of [2, 3]) cells[at][i].style.setProperty("--w", shown[at].toFixed(3));
    });
    sides.forEach((node, i) => node.classList.toggle("attn-missed", guess(coins[i]) !== coins[i]));
    line.draw(outputs);
    ui.caption(model, figure, CAPTION);
    const why = blocked ? WON : (erase_weight ? LEFT : "") + (times === 1 ? "" : ONE);
    ui.write(told, `${verdict(outputs, right, coins.length)}${why}`);
    meter.draw(right / coins.length, GOAL / coins.length, `${right} of ${coins.length}, goal: ${GOAL}`);
    mask.node.hidden = !handed;
    for (const one of [hand, mask, weight, factor]) one.draw();
  };
}

// What the cheat guesses of a coin: the side whose output it sees, or heads where both are the same.
function read([heads, tails]) {
  const [low, high] = heads < tails ? "HT" : "TH";
  return (coin) => {
    if (heads === tails) return "H";
    return (coin === "H" ? heads : tails) < (heads + tails) / 2 ? low : high;
  };
}

function verdict([heads, tails], right, count) {
  const of = `${right} of ${count} are right`;
  if (heads === tails)
    return `Heads and tails both give ${number(heads, 3)}. With one guess for all, ${of}. The goal is reached.`;
  const rule = `${heads < tails ? "below" : "above"} ${number((heads + tails) / 2, 3)}`;
  const measured = `Heads gives ${number(heads, 3)}, tails ${number(tails, 3)}. The cheat says heads ${rule}`;
  return `${measured}: ${of}. The goal is ${GOAL} at most.`;
}

// A line from 0 to 2 with both outputs, and between them the threshold of the cheat.
function draw_line() {
  const at = (x) => 20 + 140 * x;
  const name = (text, x, y) => element("text", { x, y, "text-anchor": "middle" }, text);
  const ticks = [0, 1, 2].flatMap((x) => [element("path", { d: `M${at(x)} 28v8` }), name(String(x), at(x), 67)]);
  const threshold = element("path.threshold");
  const dots = [..."HT"].map((side, i) => element("g", element("circle", { r: 6 }), name(side, 0, i ? 19 : -10)));
  const label = "line from 0 to 2 with the outputs for heads and tails, and the threshold between them";
  const node = element("svg.line", { viewBox: "0 0 320 70", role: "img", "aria-label": label });
  node.append(element("path", { d: "M8 32H312" }), ...ticks, threshold, ...dots);
  const draw = ([heads, tails]) => {
    [heads, tails].forEach((output, i) => set(dots[i], { transform: `translate(${at(output)} 32)` }));
    set(threshold, { d: heads === tails ? "" : `M${at((heads + tails) / 2)} 6v48` });
  };
  return { node, draw };
}

export default ui.widget(build);
