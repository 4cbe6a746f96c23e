// HeadBrowser: a sentence is typed, a decoder reads it in the page, and every head's grid is seen at once.

import { decoder_logits, decoder_weights, silence_head } from "./decoder.mjs";
import * as float16 from "./float16.mjs";
import * as heat from "./heat.mjs";
import { softmax } from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./head_browser.css";

const LONGEST = 32; // words of a sentence
const WRITTEN = 8; // of these with a number in each cell
const SPACES = /[ \t\n\r\u00a0]+/;
const EDGES = ".,;:!?()\"'“”‘’…";
const LIKELIEST = 3; // next words of each sentence
const MOST_READ = 3; // tokens named in the sentence about a query
let count = 0; // of browsers in the page: a note needs an id of its own

function build(model, figure) {
  const note = element("div.remarks", { id: `attn-remarks-${count++}` });
  const typing = { type: "text", maxlength: 400, autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  const field = element("input", { ...typing, "aria-describedby": note.id });
  const words = element("p");
  const dictionary = element("details", element("summary"), words);
  const gallery = element("div.gallery");
  const chips = element("div.chips", { role: "group", "aria-label": "query" });
  const about = element("p.pair");
  const large = element("div.large");
  const line = ui.live();
  const next = element("p.pair");
  const chances = element("div");
  const silence = ui.toggle(model, "silenced", "Silence this head");
  const swap = swapper(model);
  const rows = ui.scroll("what the query reads in every head");
  const picture = ui.scroll("one head, large", large);
  const columns = element("div.columns", element("div.side", picture), element("div.side", about, rows));
  const shown = element("div", gallery, chips, line, columns, ui.controls(silence, ...swap.nodes).node, next, chances);
  figure.classList.add("attn-browser");
  figure.append(element("label.sentence", "Sentence", field), note, dictionary, shown);
  field.addEventListener("input", () => ui.change(model, "sentence", field.value));

  let [decoder, heads, now, drawn] = [null, null, null, null];
  const replace = (piece, word) => {
    const words = model.get("sentence").split(SPACES);
    ui.change(model, "sentence", words.map((other) => (other === piece ? word : other)).join(" "));
    field.focus();
  };

  return () => {
    if (decoder?.source !== model.get("parameters")) {
      decoder = load(model);
      words.textContent = decoder.vocabulary.join(" ");
      dictionary.firstChild.textContent = `The ${decoder.vocabulary.length} words it knows`;
      heads = thumbnails(decoder, (layer, head) => ui.change_all(model, { layer, head }));
      gallery.replaceChildren(...heads.nodes);
      drawn = null;
    }
    const { sentence, layer, head, token: asked } = ui.values(model);
    const { ids, unknown, more } = understand(sentence, decoder);
    if (!decoder.parameters.bias[layer]?.[head]) throw new Error(`there is no head ${head} in layer ${layer}`);
    if (field.value !== sentence) field.value = sentence;
    ui.caption(model, figure, "query (row) reads from key (column).");
    note.replaceChildren(...remarks(ids, unknown, more, decoder, replace));
    shown.hidden = !ids.length;
    if (!ids.length) return;

    now = decode(model, decoder, ids, now);
    const query = Number.isInteger(asked) ? Math.max(0, Math.min(asked, ids.length - 1)) : ids.length - 1;
    const word = (id) => decoder.vocabulary[id];
    silence.draw();
    swap.draw(ids.map(word), decoder.vocabulary, now.other);
    const { weights } = now.after;
    const tokens = now.after.ids.map(word);
    const colour = getComputedStyle(figure).color;
    const chosen = [layer, head, query].join();
    const same = drawn?.now === now && drawn.colour === colour;
    if (same && drawn.chosen === chosen) return; // a letter that changes no word
    if (!same) {
      heads.paint(weights);
      chips.replaceChildren("Query", ...tokens.map((token, i) => ui.button(token, () => ui.change(model, "token", i))));
    }
    drawn = { now, colour, chosen };
    heads.mark(layer, head);
    [...chips.children].forEach((chip, i) => chip.setAttribute("aria-pressed", i === query));
    const name = `Layer ${layer + 1}, head ${head + 1}`;
    const asks = () => element("bdi", tokens[query]);
    about.replaceChildren("What ", asks(), " reads, in every head");
    draw_large(large, name, tokens, weights[layer][head], query);
    const most = largest(weights[layer][head][query].slice(0, query + 1), MOST_READ);
    const reads = ui.listed(most, ([weight, j]) => ["“", element("bdi", tokens[j]), `” ${number(weight)}`]);
    const silenced = now.silenced ? ", silenced" : "";
    line.replaceChildren(...ui.sentence`${name}${silenced}: ${asks()} reads most from ${reads}.`);
    next.replaceChildren("The next word after ", asks());
    chances.replaceChildren(expected(now, query, decoder.vocabulary));
    rows.replaceChildren(table(tokens.slice(0, query + 1), weights, query));
  };
}

// The sentence as it stands, and with a head silenced or a word swapped. What is the same as in the last run is kept.
function decode(model, decoder, ids, last) {
  const { layer, head, swapped, silenced: silences, other: name } = ui.values(model);
  const silenced = silences === true;
  const other = decoder.known.get(String(name).toLowerCase());
  const swaps = other !== undefined && ids[swapped] !== undefined;
  const key = [ids.join(), silenced && [layer, head], swaps && swapped, other].join(" ");
  const kept = last?.decoder === decoder ? last : null;
  if (kept?.key === key) return kept;
  const { parameters } = decoder;
  const before = kept?.before.ids.join() === ids.join() ? kept.before : run(parameters, ids);
  const heads = parameters.bias[layer].length;
  const heard = silenced ? { ...parameters, w_o: silence_head(parameters.w_o, layer, head, heads) } : parameters;
  const read = swaps ? ids.with(swapped, other) : ids;
  return { key, decoder, silenced, other, before, after: silenced || swaps ? run(heard, read) : before };
}

// The largest numbers of a row, each with its index.
function largest(row, count) {
  const all = Array.from(row, (value, i) => [value, i]);
  return all.sort(([a], [b]) => b - a).slice(0, count);
}

// What the decoder makes of a sentence.
function run(parameters, ids) {
  return { ids, weights: decoder_weights(parameters, ids), logits: decoder_logits(parameters, ids) };
}

// Which token is swapped, and for which word: two menus whose options follow the sentence and the vocabulary.
function swapper(model) {
  const menu = (label, put) => {
    const node = element("select", { "aria-label": label });
    node.addEventListener("change", put);
    return node;
  };
  const token = menu("Swap this token", () =>
    ui.change(model, "swapped", token.selectedIndex ? token.selectedIndex - 1 : null),
  );
  const word = menu("for this word", () => ui.change(model, "other", word.selectedIndex ? word.value : ""));
  const fill = (menu, words) => {
    const key = words.join(" ");
    if (menu.dataset.words === key) return;
    menu.dataset.words = key;
    menu.replaceChildren(...["–", ...words].map((text) => element("option", text)));
  };
  const draw = (tokens, vocabulary, other) => {
    const { swapped } = ui.values(model);
    fill(token, tokens);
    fill(word, vocabulary);
    token.selectedIndex = tokens[swapped] === undefined ? 0 : swapped + 1;
    word.selectedIndex = (other ?? -1) + 1;
  };
  return { nodes: [element("label.control", "Swap", token), element("label.control", "for", word)], draw };
}

// The likeliest next words, and when something was changed, how likely each was before.
function expected({ before, after }, query, vocabulary) {
  const changed = before !== after;
  const chances = (changed ? [before, after] : [after]).map(({ logits }) => softmax(logits[query]));
  const likeliest = chances.flatMap((row) => largest(row, LIKELIEST).map(([, id]) => id));
  const cell = (share) => {
    const node = element("td");
    ui.bar(node, share, number(share));
    return node;
  };
  const rows = [...new Set(likeliest)].map((id) => [vocabulary[id], ...chances.map((row) => cell(row[id]))]);
  return ui.scroll("the next word", ui.table(["", ...(changed ? ["before", "after"] : ["probability"])], rows));
}

// The vocabulary and the arrays of the model's state.
function load(model) {
  const { parameters: source, vocabulary } = ui.values(model);
  const unpacked = Object.entries(source).map(([name, entry]) => [name, float16.unpack(name, entry)]);
  const parameters = Object.fromEntries(unpacked);
  for (const name of ["embedding", "w_q", "w_k", "w_v", "w_o", "bias"])
    if (!parameters[name]) throw new Error(`the decoder lacks ${name}`);
  if (parameters.embedding.length !== vocabulary.length)
    throw new Error(`${vocabulary.length} words for ${parameters.embedding.length} rows of the embedding`);
  return { source, vocabulary, parameters, known: new Map(vocabulary.map((word, id) => [word.toLowerCase(), id])) };
}

// The known words as numbers, the unknown pieces as they stand, and how many words are too many: attnlib.vocabulary.
function understand(sentence, { known }) {
  const [ids, unknown] = [[], []];
  for (const piece of sentence.split(SPACES)) {
    const whole = piece.toLowerCase();
    const word = known.has(whole) ? whole : strip(whole);
    const start = whole.indexOf(word);
    for (const part of [...whole.slice(0, start), word, ...whole.slice(start + word.length)]) {
      if (known.has(part)) ids.push(known.get(part));
      else if (part && part === word) unknown.push(piece);
    }
  }
  return { ids: ids.slice(0, LONGEST), unknown, more: ids.length - LONGEST };
}

function strip(word) {
  let [from, to] = [0, word.length];
  while (from < to && EDGES.includes(word[from])) from++;
  while (to > from && EDGES.includes(word[to - 1])) to--;
  return word.slice(from, to);
}

// What there is to say about words that are not read.
function remarks(ids, unknown, more, decoder, replace) {
  const said = [];
  if (more > 0) said.push(element("p", `Only the first ${LONGEST} words are read.`));
  if (!ids.length && !unknown.length) {
    const known = element("bdi", decoder.vocabulary[0]);
    said.push(element("p", ...ui.sentence`Type a word that it knows, such as “${known}”.`));
  }
  if (!unknown.length) return said;
  const [piece] = unknown;
  const word = element("bdi", piece.length > 30 ? `${piece.slice(0, 30)}…` : piece);
  const count = unknown.length - 1;
  const others = count ? ` Nor ${count === 1 ? "is 1 other" : `are ${count} others`}.` : "";
  const near = nearest(strip(piece.toLowerCase()), decoder.vocabulary);
  const choices = near.map((word) => ui.button(word, () => replace(piece, word)));
  const sentence = ui.sentence`“${word}” is not a word that it knows, and is left out.${others} Nearest: ${choices}`;
  return [...said, element("p", ...sentence)];
}

// The three words that take the fewest letters typed, dropped or replaced.
function nearest(word, vocabulary) {
  const far = vocabulary.map((other) => [distance(word.slice(0, 30), other.toLowerCase()), other]);
  const three = far.sort(([a], [b]) => a - b).slice(0, 3);
  return three.map(([, other]) => other);
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1] + (a[i - 1] !== b[j - 1]);
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, replaced);
    }
  }
  return row[b.length];
}

// A small picture of each head, which is a button.
function thumbnails({ parameters }, pick) {
  const tile = (layer, head) => {
    const canvas = heat.map(`Layer ${layer + 1}, head ${head + 1}`);
    const node = ui.button("", () => pick(layer, head));
    node.append(canvas, element("span", { "aria-hidden": "true" }, `head ${head + 1}`));
    return { node, canvas, layer, head };
  };
  const layers = parameters.bias.map((tables, layer) => tables.map((_, head) => tile(layer, head)));
  const all = layers.flat();
  const group = (tiles, layer) => {
    const name = element("span", `Layer ${layer + 1}`);
    const nodes = tiles.map(({ node }) => node);
    return element("div.layer", { role: "group", "aria-label": `layer ${layer + 1}` }, name, ...nodes);
  };
  return {
    nodes: layers.map(group),
    paint: (weights) => all.forEach(({ canvas, layer, head }) => heat.paint(canvas, weights[layer][head])),
    mark: (l, h) =>
      all.forEach(({ node, layer, head }) => node.setAttribute("aria-pressed", layer === l && head === h)),
  };
}

// One head large: names beside and above a picture, and a number in each cell while there is room.
function draw_large(node, label, tokens, weights, query) {
  if (node.dataset.tokens !== tokens.join(" ")) lay_out(node, label, tokens);
  const [canvas] = node.children;
  canvas.setAttribute("aria-label", label);
  heat.paint(canvas, weights);
  const numbers = weights.flatMap((row, i) => row.slice(0, i + 1));
  [...node.querySelectorAll(".attn-number")].forEach((cell, at) => (cell.textContent = number(numbers[at])));
  [...node.querySelectorAll(".attn-query")].forEach((cell, i) => cell.classList.toggle("attn-here", i === query));
}

function lay_out(node, label, tokens) {
  const n = tokens.length;
  node.dataset.tokens = tokens.join(" ");
  node.classList.toggle("attn-dense", n > WRITTEN);
  node.style.setProperty("--n", n);
  const at = (row, column, rest = "") => `grid-area: ${row + 2} / ${column + 2}${rest}`;
  const name = (kind, token, style) => element(`span.${kind}`, { dir: "auto", style }, token);
  const cell = (kind, style) => element(`span.${kind}`, { "aria-hidden": "true", style });
  const cells = (i) => Array.from({ length: i + 1 }, (_, j) => cell("number", at(i, j)));
  node.replaceChildren(
    heat.map(label),
    ...tokens.map((token, j) => name("key", token, at(-1, j))),
    ...tokens.map((token, i) => name("query", token, at(i, -1))),
    ...tokens.slice(1).map((_, i) => cell("masked", at(i, i + 1, " / auto / -1"))),
    ...(n > WRITTEN ? [] : tokens.flatMap((_, i) => cells(i))),
  );
}

// What one query reads in every head.
function table(keys, weights, query) {
  const row = (grid, layer, h) => [`${layer + 1}.${h + 1}`, ...keys.map((_, j) => ui.shaded(grid[query][j]))];
  const rows = weights.flatMap((heads, layer) => heads.map((grid, h) => row(grid, layer, h)));
  return ui.table([element("td.corner", "head"), ...keys], rows);
}

export default ui.widget(build);
