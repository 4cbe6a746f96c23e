// RatesPuzzle: three widths, sixteen learning rates, and three ways to train; what was tried stays in sight.

import * as puzzle from "./puzzle.mjs";
import { union } from "./puzzle.mjs";
import * as ui from "./ui.mjs";
import { element, set, vary } from "./ui.mjs";
import "./rates_puzzle.css";

const LABELLED = [2, 5, 8, 11, 14]; // columns with their rate below
const CAPTION =
  "the share of new questions that a look-up gets right after training, in the worst of five seeds. A dot: 90 % or " +
  "more, so the rate is good. Find rates of W_Q and W_K that are good at all three widths.";

function build(model, figure) {
  const { ways, widths, rates } = model.get("constants");
  const code_of = ({ way, shared, rate }) => rates.length * (ways.length * shared + ways.indexOf(way)) + rate;
  const now = () => ({ way: model.get("way"), shared: model.get("shared"), rate: model.get("rate") });
  const go = (changes, more = []) => {
    const codes = [code_of(now()), code_of({ ...now(), ...changes }), ...more];
    ui.change(model, { ...changes, tried: union(model.get("tried"), codes) });
  };

  const trains = ways.map((way) => ui.button(way, () => go({ way })));
  const shared = ui.button("", () => go({ shared: !model.get("shared") }));
  shared.replaceChildren(...ui.formula("W_O learns at this rate too"));
  const every = ui.button("Try every rate", () => {
    const first = code_of({ ...now(), rate: 0 });
    go(
      {},
      rates.map((_, j) => first + j),
    );
  });
  const label = element("span", ...ui.formula("learning rate of W_Q and W_K"));
  const slider = ui.range(label, { min: 0, max: rates.length - 1, step: 1 }, (rate) => go({ rate }));
  const cells = widths.map(() => rates.map(() => element("i.shade")));
  const scale = LABELLED.map((j) => element("small", { style: `grid-column: ${j + 1} / span 3` }, rates[j]));
  const rows = widths.flatMap((width, i) => [element("span", `dₖ\u00a0=\u00a0${width}`), ...cells[i]]);
  const map = element("div.rates", { role: "img" }, ...rows, ...scale);
  const [told, found] = [ui.live("p.result"), ways.map(() => [element("td.plain"), element("td.plain")])];
  const head = ["way to train", "tried", "good at all three widths"];
  const list = ui.table(
    head,
    ways.map((way, i) => [way, ...found[i]]),
    ".tried",
  );
  figure.append(
    element("div.controls", ...trains, shared),
    map,
    element("div.controls", slider.node, every),
    told,
    ui.scroll("what was found", list),
  );

  return () => {
    const { way, rate, tried, shares } = ui.values(model);
    const { good } = model.get("constants");
    check(shares, tried, [2 * ways.length, widths.length, rates.length]);
    const all = union(tried, [code_of(now())]);
    const is_good = (setting, i, j) => shares[setting][i][j] >= good;
    const tried_of = (setting) => rates.flatMap((_, j) => (all.includes(rates.length * setting + j) ? [j] : []));
    const common = (setting) => tried_of(setting).filter((j) => widths.every((_, i) => is_good(setting, i, j)));
    const first = model.get("shared") ? ways.length : 0;
    const here = first + ways.indexOf(way);
    const known = tried_of(here);

    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const seen = known.includes(j);
        vary(cell, "--w", seen ? shares[here][i][j].toFixed(3) : "0");
        cell.classList.toggle("attn-unknown", !seen);
        cell.classList.toggle("attn-good", seen && is_good(here, i, j));
        cell.classList.toggle("attn-now", j === rate);
      }),
    );
    set(map, { "aria-label": `${known.length} of ${rates.length} rates tried` });
    trains.forEach((button, i) => set(button, { "aria-pressed": `${ways[i] === way}` }));
    set(shared, { "aria-pressed": `${first > 0}` });
    slider.set(rate, rates[rate]);
    found.forEach(([count, which], i) => {
      ui.write(count, `${tried_of(first + i).length} of ${rates.length}`);
      const names = common(first + i).map((j) => rates[j]);
      ui.write(which, names.length ? `${names.length}: ${names.join(", ")}` : "none yet");
    });
    const at = widths.map((width, i) => `${percent(shares[here][i][rate])} for dₖ\u00a0=\u00a0${width}`);
    const count = widths.filter((_, i) => is_good(here, i, rate)).length;
    const good_at = `Good at ${count} of ${widths.length} widths. ${known.length} of ${rates.length} rates tried.`;
    ui.write(told, `Rate ${rates[rate]}, ${way}: ${at.join(", ")}. ${good_at}`);
    ui.caption(model, figure, ui.formula(CAPTION));
  };
}

// Not rounded up: 89.6 % is not good.
const percent = (share) => `${Math.floor(100 * share + 1e-9)}\u00a0%`;

function check(shares, tried, [settings, widths, rates]) {
  const fits = (rows, count, each) => rows?.length === count && rows.every(each);
  const share = (x) => Number.isFinite(x) && x >= 0 && x <= 1;
  if (!fits(shares, settings, (rows) => fits(rows, widths, (row) => fits(row, rates, share))))
    throw new Error(`shares must be ${settings} × ${widths} × ${rates} numbers from 0 to 1`);
  puzzle.check_tried(tried, settings * rates - 1);
}

export default ui.widget(build);
