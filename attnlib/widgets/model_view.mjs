// ModelView: all heads of a model as small pictures, and one large: as a grid, as arcs, in numbers.

import { arcs } from "./arcs.mjs";
import { numbers } from "./numbers.mjs";
import { describe, FEWEST, MARKED, name_of, ordered, overview, SIGNS } from "./overview.mjs";
import { open } from "./packed.mjs";
import { picture } from "./picture.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./model_view.css";

const FORMS = { grid: picture, arcs, numbers };
const NAMES = { grid: "grid", arcs: "arcs", numbers: "q · k in numbers" };
const HINT = ui.has_hover()
  ? "Point at a head to read what it does; press it to see it large."
  : "Press a head to read what it does and to see it large.";
const LONGEST = 48; // letters of a text in a menu
const opened = new WeakMap(); // recordings by what they came as

function recordings(readings) {
  if (!Array.isArray(readings) || !readings.length) throw new Error("there is no reading");
  return readings.map((given, i) => {
    if (given?.constructor !== Object) throw new Error(`reading ${i} is no recording`);
    if (!opened.has(given)) opened.set(given, given.demand ? { ...given, scores: {} } : open(given));
    return opened.get(given);
  });
}

function build(model, figure) {
  const text = chooser("Reading", (shown) => ui.change(model, { shown, ...fitting(model, shown) }));
  const next_to = chooser("Beside", (beside) => ui.change(model, "beside", beside));
  const sort = sorter(model);
  const meanings = element(
    "details.meanings",
    element("summary", "What the signs and scores mean"),
    definitions(model.get("meanings")),
  );
  const form = radios(model, "form", NAMES);
  const least = ui.slider(model, "least", "Least weight drawn", { digits: 2, step: 0.01, max: 0.5 });
  const silence = ui.toggle(model, "silenced", "");
  const these = element("span");
  silence.node.append(these);
  const [pointed, effects, news] = [element("p.pointed"), element("div.effects"), ui.live()];
  const keep = keeper(model, () => recordings(model.get("readings"))[model.get("shown")]);
  const name = stepper(model, () => recordings(model.get("readings"))[model.get("shown")]);
  const redraw = () => draw();
  const first = side(model, model, pointed);
  const second = side(model, lens(model, redraw), pointed);
  const sides = [first, second];
  const overviews = element("div.columns", ...sides.map((one) => one.overview));
  const larges = element("div.columns", ...sides.map((one) => one.large));
  const above = ui.controls(text.node, next_to.node, sort.node);
  const below = ui.controls(form, least, silence);
  const tokens = ["query", "key"].map((kind) => token_menu(model, kind));
  const chosen = element("div.controls", ...tokens.map(({ node }) => node));
  figure.classList.add("attn-models");
  name.node.append(keep.node);
  figure.append(above.node, news, overviews, pointed, meanings, name.node, below.node, chosen, larges, effects);

  const titled = ui.memoize((readings) => titles_of(recordings(readings)));
  let [drawn, fault] = [{ shown: 0, beside: null }, ""]; // which readings stand there, and why others could not
  const draw = () => {
    const { readings, shown, beside, layer, head, silenced } = ui.values(model);
    const all = recordings(readings);
    const pair = [all[shown], beside === null ? null : all[beside]];
    if (!pair[0] || pair[1] === undefined) throw new Error(`there is no reading ${pair[0] ? beside : shown}`);
    if (layer >= pair[0].num_layers || head >= pair[0].num_heads)
      throw new Error(`head ${layer}, ${head} is outside ${pair[0].num_layers} × ${pair[0].num_heads}`);
    ui.caption(model, figure, "query (row) reads from key (column).");
    const titles = titled(readings);
    text.draw(titles, shown);
    next_to.draw(titles, beside, true);
    const missing = pair.find((one) => one?.demand);
    ui.write(news, missing ? "This reading is on its way." : fault);
    news.hidden = !missing && !fault;
    if (missing) {
      missing.demand().catch(({ message }) => {
        fault = message;
        ui.change(model, drawn);
      });
      return;
    }
    [drawn, fault] = [{ shown, beside }, ""];
    for (const one of [above, below]) one.draw();
    sort.draw(pair[0]);
    for (const { node } of [text, next_to]) node.hidden = all.length < 2;
    for (const menu of tokens) menu.draw(pair[0]);
    ui.write(pointed, HINT);
    const told = pair[1] ? name_of(layer, head) : describe(pair[0], layer, head);
    const has = [shown, beside].map((at, i) => [pair[i], at]).filter(([one, at]) => has_effects(model, one, at));
    name.write(`Head ${told}${silenced && has.length ? ", silenced" : ""}`);
    keep.draw();
    first.draw(pair[0], shown, pair[1] && titles[shown]);
    second.draw(pair[1], beside, titles[beside]);
    silence.node.hidden = !has.length;
    ui.write(these, heads_of(model, pair[0])[1] ? "Silence these heads" : "Silence this head");
    const tables = silenced ? has.map(([one, at]) => changed(model, one, at, pair[1] ? titles[at] : "")) : [];
    effects.replaceChildren(...tables.map((nodes) => element("div", ...nodes)));
  };
  return draw;
}

const has_effects = (model, one, at) => !!(one?.effects || model.get("live")[at]);

// The large head and then the kept ones, [layer, head], as far as a recording has so many.
function heads_of(model, { num_layers, num_heads }) {
  const { layer, head, kept } = ui.values(model);
  const is_head = (at) => Array.isArray(at) && at.length === 2 && at.every((one) => Number.isInteger(one) && one >= 0);
  const wrong = kept.findIndex((at) => !is_head(at));
  if (wrong >= 0) throw new Error(`kept[${wrong}] is ${kept[wrong]}, no layer and head`);
  return each([[layer, head], ...kept], num_layers, num_heads);
}

// Heads as far as a recording has so many, each once.
function each(heads, num_layers, num_heads) {
  const fit = heads.map(([l, h]) => [Math.min(l, num_layers - 1), Math.min(h, num_heads - 1)]);
  return [...new Map(fit.map((at) => [`${at}`, at])).values()];
}

// A button that keeps the large head, and one for each kept head that lets it go.
function keeper(model, shown) {
  const without = (at) => model.get("kept").filter((one) => `${one}` !== `${at}`);
  const { max: most } = model.get("_bounds").kept;
  const large = () => [model.get("layer"), model.get("head")];
  const is_kept = () => model.get("kept").length > without(large()).length;
  const keep = ui.button("Keep this head", () =>
    ui.change(model, "kept", is_kept() ? without(large()) : [...model.get("kept"), large()].slice(-most)),
  );
  const others = element("span");
  const draw = () => {
    ui.set(keep, { "aria-pressed": `${is_kept()}` });
    const [, ...heads] = heads_of(model, shown());
    const chips = heads.map((at, i) => {
      const chip = ui.button(`${name_of(...at)} ×`, () => ui.change(model, "kept", without(at)));
      ui.set(chip, { "aria-label": `let ${name_of(...at)} go`, style: `--head:${i + 1}` });
      return chip;
    });
    others.replaceChildren(...(chips.length ? ["with ", ...chips] : []));
  };
  return { node: element("div.controls.kept-heads", keep, others), draw };
}

// The name of the head that is large, between two buttons to its neighbours, in the order of the overview.
function stepper(model, shown) {
  const step = (by) => {
    const { layer, head, sort } = ui.values(model);
    const order = ordered(shown(), sort);
    const at = order.findIndex(([l, h]) => l === layer && h === head) + by;
    const [next, other] = order.at(at % order.length);
    ui.change(model, { layer: next, head: other });
  };
  const name = element("p.pair");
  const to = (sign, label, by) => {
    const button = ui.button(sign, () => step(by));
    ui.set(button, { "aria-label": label });
    return button;
  };
  const node = element("div.head-steps", to("‹", "previous head", -1), name, to("›", "next head", 1));
  return { node, write: (text) => ui.write(name, text) };
}

// A menu of the scores that a recording has, and of the one that is wanted though it lacks it.
function sorter(model) {
  const input = element("select");
  let names = [];
  const fill = ui.memoize((scores, wanted) => {
    names = [...new Set(["layer", ...Object.keys(scores), wanted])];
    input.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  });
  input.addEventListener("change", () => ui.change(model, "sort", names[input.selectedIndex]));
  const draw = ({ scores }) => {
    fill(scores, model.get("sort"));
    input.selectedIndex = names.indexOf(model.get("sort"));
  };
  return { node: element("label.control", "Sort by", input), draw };
}

// The model for the second side: `query` and `key` are places of the first text, and stand for a place of the second
// where both have the same token. What is chosen in the second stays there, and is the first's where it has that token.
function lens(model, redraw) {
  const own = {};
  const both = () => {
    const all = recordings(model.get("readings"));
    return [all[model.get("shown")], all[model.get("beside")]];
  };
  const shared = (field, at) => {
    const [one, other] = both().map((each) => (field === "query" ? each.tokens : each.key_tokens));
    return at !== null && one[at] === other[at] ? at : null;
  };
  const stamp = (field) => JSON.stringify(["shown", "beside", field].map((name) => model.get(name)));
  const get = (field) => {
    if (field !== "query" && field !== "key") return model.get(field);
    if (own[field]?.stamp !== stamp(field)) delete own[field]; // what the first side chose since then is for both
    return own[field] ? own[field].at : shared(field, model.get(field));
  };
  const set = (...given) => {
    const fields = given.length > 1 ? { [given[0]]: given[1] } : given[0];
    const [{ num_layers: layer, num_heads: head }] = both(); // the first side may have fewer
    const most = { layer, head };
    for (const [field, at] of Object.entries(fields)) {
      const mine = field === "query" || field === "key";
      model.set(field, mine ? shared(field, at) : Math.min(at, most[field] - 1));
      if (mine) own[field] = { at, stamp: stamp(field) };
    }
  };
  const save_changes = () => {
    model.save_changes();
    redraw();
  };
  return { get, set, save_changes };
}

// What tells the readings apart: their texts, shortened in the middle, and their models where these differ.
function titles_of(all) {
  const one_model = all.every(({ name }) => name === all[0].name);
  return all.map(({ name, tokens, special }) => {
    const said = tokens.filter((_, i) => !(one_model && special[i])).join(" ");
    const letters = Array.from(said.replaceAll(" ##", "").replaceAll(" ␣", " "));
    const half = LONGEST / 2;
    const text =
      letters.length > LONGEST
        ? `${letters.slice(0, half).join("")} … ${letters.slice(-half).join("")}`
        : letters.join("");
    return one_model && text ? text : `${name}: ${text}`;
  });
}

// The chosen heads and tokens, where another recording has fewer.
function fitting(model, shown) {
  const { num_layers, num_heads, tokens, key_tokens = tokens } = model.get("readings")[shown];
  const { layer, head, kept, query, key } = ui.values(model);
  const [[l, h]] = each([[layer, head]], num_layers, num_heads);
  const place = (at, { length }) => at && Math.min(at, length - 1);
  return {
    layer: l,
    head: h,
    kept: each(kept, num_layers, num_heads),
    query: place(query, tokens),
    key: place(key, key_tokens),
  };
}

// One recording: its overview, and a head of it large. `mine` is the model as this side sees it.
function side(model, mine, pointed) {
  const choose = (layer, head) => ui.change(mine, { layer, head });
  let recording = null;
  const heads = overview("all heads: rows are layers", choose, (layer, head) =>
    ui.write(pointed, `Head ${describe(recording, layer, head, model.get("sort"))}`),
  );
  const [title, again] = [element("p.pair"), element("p.pair")];
  const [top, large] = [element("div.one"), element("div.one")];
  let [shown, form, turn, drawn] = [null, null, 0, null]; // drawn: the grids unpacked last, and whose they are
  const draw = (next, at, text) => {
    for (const node of [top, large]) node.hidden = !next;
    if (next && !recording) top.append(title, heads.node); // attached once, or the focus would be lost
    recording = next;
    if (!next) {
      turn++; // what is still on its way is for nobody
      [shown, form, drawn] = [null, null, null];
      for (const node of [top, large]) node.replaceChildren();
      return;
    }
    const { sort, form: kind, silenced } = ui.values(model);
    const every = heads_of(model, next);
    const [[l, h]] = every;
    title.replaceChildren(element("bdi", text ?? next.name));
    again.replaceChildren(`Head ${describe(next, l, h)}: `, element("bdi", text ?? ""));
    again.hidden = !text;
    heads.draw(next, sort, every, silenced && has_effects(model, next, at));
    if (shown !== next || form?.kind !== kind) {
      [shown, form] = [next, { kind, ...FORMS[kind](mine, next, at) }];
      large.replaceChildren(again, form.node);
    }
    const wanted = kind === "arcs" ? every : [every[0]];
    const now = ++turn;
    const show = (grids) => {
      if (now !== turn) return;
      drawn = { next, name: `${wanted}`, grids };
      form.draw(grids, l, h);
    };
    if (drawn?.next === next && drawn.name === `${wanted}`) show(drawn.grids);
    else
      Promise.all(wanted.map((one) => next.grid(...one))).then(show, (error) =>
        form.node.replaceChildren(element("p", `${error.message}.`)),
      );
  };
  return { overview: top, large, draw };
}

function chooser(label, put) {
  const input = element("select");
  let values = [];
  const fill = ui.memoize((titles, none) => {
    values = [...(none ? [null] : []), ...titles.keys()];
    input.replaceChildren(...[...(none ? ["–"] : []), ...titles].map((text) => element("option", text)));
  });
  input.addEventListener("change", () => put(values[input.selectedIndex]));
  const draw = (titles, value, none = false) => {
    fill(titles, none);
    input.selectedIndex = values.indexOf(value);
  };
  return { node: element("label.control", label, input), draw };
}

// Buttons of which one is pressed, each with its name.
function radios(model, field, names) {
  const values = Object.keys(names);
  const buttons = values.map((value) => ui.button(names[value], () => ui.change(model, field, value)));
  const node = element("div.forms", { role: "group", "aria-label": "how the head is drawn" }, ...buttons);
  const draw = () => buttons.forEach((one, i) => ui.set(one, { "aria-pressed": `${values[i] === model.get(field)}` }));
  return { node, draw };
}

// A menu of tokens, for a query or a key.
function token_menu(model, kind) {
  const input = element("select");
  const fill = ui.memoize((tokens, none) => {
    const options = tokens.map((token, i) => element("option", `${i + 1} ${token}`));
    input.replaceChildren(element("option", none), ...options);
  });
  input.addEventListener("change", () => ui.change(model, kind, input.selectedIndex ? input.selectedIndex - 1 : null));
  const draw = (recording) => {
    const tokens = kind === "query" ? recording.tokens : recording.key_tokens;
    const none = kind === "query" ? "last" : "strongest";
    fill(tokens, model.get("form") === "numbers" ? none : "all");
    const at = model.get(kind);
    input.selectedIndex = at === null ? 0 : Math.min(at, tokens.length - 1) + 1;
  };
  return { node: element("label.control", kind === "query" ? "Query" : "Key", input), draw };
}

// What the signs and scores mean, as attnlib.models.scores says it.
function definitions({ "": choice, ...meanings }) {
  const entry = ([name, text]) => [element("dt", SIGNS[name] ? `${SIGNS[name]} ${name}` : name), element("dd", text)];
  const least = `${MARKED} or more over ${FEWEST} queries or more`;
  const signs = `A head with ${least} has a sign, that of its largest score.`;
  const said = `${choice} ${signs} The entropy has none: it says how many keys are read, and not which.`;
  return element("div", element("p", said), element("dl", ...Object.entries(meanings).flatMap(entry)));
}

const ASKED = "Python computes what changes, where it runs. A page without it shows effects that were recorded.";
const ALONE = "What each head alone changes was recorded: let the kept ones go.";

// What silencing the heads changes in one reading: as the kernel says, or as it was recorded of one head.
function changed(model, recording, at, title) {
  const heads = heads_of(model, recording);
  const now = model.get("effects_now").find((one) => one.shown === at && `${one.heads}` === `${heads}`);
  const [[layer, head], second] = heads;
  const recorded = !second && recording.effects;
  const names = `head${second ? "s" : ""} ${heads.map((one) => name_of(...one)).join(", ")}`;
  const caption = element("p.pair", `With and without ${names}`, ...(title ? [": ", element("bdi", title)] : []));
  if (!now && !recorded) return [caption, element("p", model.get("live")[at] ? ASKED : ALONE)];
  const { what, labels, before, after } = now ?? { ...recorded, after: recorded.after[layer]?.[head] ?? [] };
  const cell = (value) => {
    const node = element("td");
    ui.bar(node, value, number(value, 3));
    return node;
  };
  const rows = labels.map((label, i) => [label, cell(before[i]), cell(after[i])]);
  const measured = element("th.measured", { scope: "col" }, what);
  const head_row = [measured, ...(second ? ["with them", "without them"] : ["with it", "without it"])];
  return [caption, ui.scroll("what silencing changes", ui.table(head_row, rows))];
}

export default ui.widget(build);
export const savable = true; // by `save`, without esbuild
