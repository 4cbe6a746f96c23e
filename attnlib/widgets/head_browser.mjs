// HeadBrowser: a sentence is typed, a decoder reads it in the page, and every head's grid is seen at once.

import { at_rest } from "anywidget_static/pace.mjs";
import { decoder_logits, decoder_weights, silence_head } from "./decoder.mjs";
import * as heat from "./heat.mjs";
import { softmax } from "./math.mjs";
import { dequantize } from "./quantized.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";
import "./head_browser.css";

const LONGEST = 32; // words of a sentence
const WRITTEN = 8; // of these with a number in each cell
const SPACES = /[ \t\n\r\u00a0]+/;
const EDGES = /^[.,;:!?()"'“”‘’…]+|[.,;:!?()"'“”‘’…]+$/g; // what may stand right before and after a word
const LIKELIEST = 3; // next words of each sentence
const MOST_READ = 3; // tokens named in the sentence about a query
let count = 0; // of browsers in the page: a note needs an id of its own

function build(model, figure) {
  const note = element("div.remarks", { id: `attn-remarks-${count++}` });
  const typing = { type: "text", maxlength: 400, autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  const field = element("input", { ...typing, "aria-describedby": note.id });
  const words = element("p");
  const dictionary = element("details", element("summary"), words);
  const chips = element("div.chips", { role: "group", "aria-label": "query" });
  const [gallery, large, chances] = ["div.gallery", "div.large", "div"].map((name) => element(name));
  const [about, next, line] = [element("p.pair"), element("p.pair"), ui.live()];
  const silence = ui.toggle(model, "silenced", "Silence this head");
  const swap = swapper(model);
  const rows = ui.scroll("what the query reads in every head");
  const picture = ui.scroll("one head, large", large);
  const columns = element("div.columns", element("div.side", picture), element("div.side", about, rows));
  const shown = element("div", gallery, chips, line, columns, ui.controls(silence, ...swap.nodes).node, next, chances);
  figure.classList.add("attn-browser");
  figure.append(element("label.sentence", "Sentence", field), note, dictionary, shown);
  field.addEventListener("input", () => ui.change(model, "sentence", field.value));

  const read = (parameters, key) => run(parameters, key.split(" ").map(Number));
  const [loaded, silenced, before_of, after_of] = [load, without, read, read].map(ui.memoize);
  const choose = (_, i) => ui.button("", () => ui.change(model, "token", i));
  const fill_chips = ui.memoize((length) => chips.replaceChildren("Query", ...Array.from({ length }, choose)));
  let [decoder, heads, drawn, lines] = [null, null, {}, []];
  const replace = (piece, word) => {
    const { known } = loaded(model.get("parameters"), model.get("vocabulary"));
    const bare = piece.replace(EDGES, "");
    const at = piece.indexOf(bare);
    const read = (edge) => [...edge].filter((sign) => known.has(sign)).join(""); // a full stop is a word of its own
    const whole = read(piece.slice(0, at)) + word + read(piece.slice(at + bare.length));
    const words = model.get("sentence").split(SPACES);
    ui.change(model, "sentence", words.map((other) => (other === piece ? whole : other)).join(" "));
    field.focus();
  };

  return () => {
    const { parameters: source, vocabulary, sentence, layer, head, token, silenced: silences } = ui.values(model);
    const { parameters, known } = loaded(source, vocabulary);
    if (decoder !== parameters) {
      decoder = parameters;
      words.textContent = vocabulary.join(" ");
      dictionary.firstChild.textContent = `The ${vocabulary.length} words it knows`;
      const counts = parameters.bias.map((tables) => tables.length);
      heads = heat.gallery(counts, (layer, head) => ui.change(model, { layer, head }));
      gallery.replaceChildren(...heads.nodes);
      const names = heads.tiles.map(({ layer, head }) => [`${layer + 1}.${head + 1}`]);
      rows.replaceChildren(ui.table([element("td.corner", "head")], names));
      lines = [...rows.querySelectorAll("tr")];
    }
    const { ids, unknown, more } = understand(sentence, known);
    if (!parameters.bias[layer]?.[head]) throw new Error(`there is no head ${head} in layer ${layer}`);
    if (field.value !== sentence) field.value = sentence;
    ui.caption(model, figure, "query (row) reads from key (column).");
    at_rest(note, () => note.replaceChildren(...remarks(ids, unknown, more, vocabulary, replace)));
    shown.hidden = !ids.length;
    if (!ids.length) return;

    const swapped = swap.draw(ids, known, vocabulary);
    const before = before_of(parameters, ids.join(" "));
    const heard = silences ? silenced(parameters, layer, head) : parameters;
    const after = silences || swapped ? after_of(heard, (swapped ?? ids).join(" ")) : before;
    silence.draw();
    const query = Math.min(token ?? LONGEST, ids.length - 1);
    const { weights } = after;
    const tokens = after.ids.map((id) => vocabulary[id]);
    const colour = getComputedStyle(figure).color;
    const chosen = [layer, head, query].join();
    const same = drawn.before === before && drawn.after === after && drawn.colour === colour;
    if (same && drawn.chosen === chosen) return; // a letter that changes no word
    if (!same) heads.tiles.forEach(({ canvas }, i) => heat.paint(canvas, weights.flat()[i]));
    drawn = { before, after, colour, chosen };
    heads.mark((l, h) => l === layer && h === head);
    // While a sentence is typed the heads are painted, and the rest waits.
    at_rest(chips, () => {
      fill_chips(tokens.length);
      [...chips.children].forEach((chip, i) => {
        ui.write(chip, tokens[i]);
        ui.set(chip, { "aria-pressed": `${i === query}` });
      });
    });
    const name = `Layer ${layer + 1}, head ${head + 1}`;
    const asks = () => element("bdi", tokens[query]);
    at_rest(large, () => draw_large(large, name, tokens, weights[layer][head], query));
    const reads = () => {
      const most = largest(weights[layer][head][query].slice(0, query + 1), MOST_READ);
      return ui.listed(most, ([weight, j]) => ["“", element("bdi", tokens[j]), `” ${number(weight)}`]);
    };
    const is_silenced = silences ? ", silenced" : "";
    ui.refill(about, () => ["What ", asks(), " reads, in every head"]);
    ui.refill(line, () => ui.sentence`${name}${is_silenced}: ${asks()} reads most from ${reads()}.`);
    ui.refill(next, () => ["The next word after ", asks()]);
    ui.refill(chances, () => [expected(before, after, query, vocabulary)]);
    // Each row by itself: no task is long.
    const keys = tokens.slice(0, query + 1);
    const read = [keys, ...weights.flat().map((grid) => [...grid[query].slice(0, query + 1)])];
    lines.forEach((line, at) => {
      const cell = (one) => (at ? ui.shaded(one) : element("th", { scope: "col", dir: "auto" }, one));
      ui.refill(line, () => [line.firstChild.cloneNode(true), ...read[at].map(cell)]);
    });
  };
}

// The parameters with one head silenced.
function without(parameters, layer, head) {
  const { w_o, bias } = parameters;
  return { ...parameters, w_o: silence_head(w_o, layer, head, bias[layer].length) };
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
// `draw` gives the words with one of them swapped, or null.
function swapper(model) {
  const menu = (label, put) => {
    const node = element("select", { "aria-label": label });
    node.addEventListener("change", () => put(node.selectedIndex - 1, node.value));
    const fill = ui.memoize((words) =>
      node.replaceChildren(...["–", ...words.split(" ")].map((text) => element("option", text))),
    );
    const draw = (words, at) =>
      at_rest(node, () => {
        fill(words.join(" "));
        node.selectedIndex = at + 1;
      });
    return { node, draw };
  };
  const token = menu("Swap this token", (at) => ui.change(model, "swapped", at < 0 ? null : at));
  const word = menu("for this word", (at, other) => ui.change(model, "other", at < 0 ? "" : other));
  const draw = (ids, known, vocabulary) => {
    const { swapped, other } = ui.values(model);
    const id = known.get(String(other).toLowerCase());
    const is_there = ids[swapped] !== undefined;
    token.draw(
      ids.map((id) => vocabulary[id]),
      is_there ? swapped : -1,
    );
    word.draw(vocabulary, id ?? -1);
    return is_there && id !== undefined ? ids.with(swapped, id) : null;
  };
  const nodes = [element("label.control", "Swap", token.node), element("label.control", "for", word.node)];
  return { nodes, draw };
}

// The likeliest next words, and when something was changed, how likely each was before.
function expected(before, after, query, vocabulary) {
  const readings = before === after ? { probability: after } : { before, after };
  const chances = Object.values(readings).map(({ logits }) => softmax(logits[query]));
  const likeliest = chances.flatMap((row) => largest(row, LIKELIEST).map(([, id]) => id));
  const cell = (share) => {
    const node = element("td");
    ui.bar(node, share, number(share));
    return node;
  };
  const rows = [...new Set(likeliest)].map((id) => [vocabulary[id], ...chances.map((row) => cell(row[id]))]);
  return ui.scroll("the next word", ui.table(["", ...Object.keys(readings)], rows));
}

// The vocabulary and the arrays of the model's state.
function load(source, vocabulary) {
  const parameters = Object.fromEntries(Object.entries(source).map(([name, entry]) => [name, dequantize(name, entry)]));
  for (const name of ["embedding", "w_q", "w_k", "w_v", "w_o", "bias"])
    if (!parameters[name]) throw new Error(`the decoder lacks ${name}`);
  if (parameters.embedding.length !== vocabulary.length)
    throw new Error(`${vocabulary.length} words for ${parameters.embedding.length} rows of the embedding`);
  return { parameters, known: new Map(vocabulary.map((word, id) => [word.toLowerCase(), id])) };
}

// The known words as numbers, the unknown pieces as they stand, and how many words are too many: attnlib.vocabulary.
function understand(sentence, known) {
  const [ids, unknown] = [[], []];
  for (const piece of sentence.split(SPACES)) {
    const whole = piece.toLowerCase();
    const word = known.has(whole) ? whole : whole.replace(EDGES, "");
    const start = whole.indexOf(word);
    for (const part of [...whole.slice(0, start), word, ...whole.slice(start + word.length)]) {
      if (known.has(part)) ids.push(known.get(part));
      else if (part && part === word) unknown.push(piece);
    }
  }
  return { ids: ids.slice(0, LONGEST), unknown, more: ids.length > LONGEST };
}

// What there is to say about words that are not read.
function remarks(ids, unknown, more, vocabulary, replace) {
  const said = more ? [[`Only the first ${LONGEST} words are read.`]] : [];
  const [piece, ...rest] = unknown;
  if (piece) {
    const word = element("bdi", piece.length > 30 ? `${piece.slice(0, 30)}…` : piece);
    const others = rest.length ? ` Nor ${rest.length === 1 ? "is 1 other" : `are ${rest.length} others`}.` : "";
    const near = nearest(piece.toLowerCase().replace(EDGES, ""), vocabulary);
    const choices = near.map((word) => ui.button(word, () => replace(piece, word)));
    said.push(ui.sentence`“${word}” is not a word that it knows, and is left out.${others} Nearest: ${choices}`);
  } else if (!ids.length) {
    said.push(ui.sentence`Type a word that it knows, such as “${element("bdi", vocabulary[0])}”.`);
  }
  return said.map((parts) => element("p", ...parts));
}

// The three words that take the fewest letters typed, dropped or replaced.
function nearest(word, vocabulary) {
  const far = Float64Array.from(vocabulary, (other) => -distance(word.slice(0, 30), other.toLowerCase()));
  return largest(far, 3).map(([, id]) => vocabulary[id]);
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const above = row;
    row = [i + 1];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter !== b[j - 1]));
  }
  return row[b.length];
}

// One head large: names beside and above a picture, and a number in each cell while there is room.
function draw_large(node, label, tokens, weights, query) {
  if (node.dataset.n !== `${tokens.length}`) lay_out(node, tokens.length);
  const all = (kind) => [...node.querySelectorAll(`.attn-${kind}`)];
  for (const kind of ["key", "query"]) all(kind).forEach((name, i) => ui.write(name, tokens[i]));
  all("query").forEach((name, i) => name.classList.toggle("attn-here", i === query));
  const numbers = weights.flatMap((row, i) => [...row.slice(0, i + 1)]);
  all("number").forEach((cell, at) => ui.write(cell, number(numbers[at])));
  ui.set(node.firstChild, { "aria-label": label });
  heat.paint(node.firstChild, weights);
}

function lay_out(node, n) {
  node.dataset.n = n;
  node.classList.toggle("attn-dense", n > WRITTEN);
  node.style.setProperty("--n", n);
  const at = (row, column, rest = "") => ({ style: `grid-area: ${row + 2} / ${column + 2}${rest}` });
  const name = (kind, place) => element(`span.${kind}`, { dir: "auto", ...place });
  const cell = (kind, place) => element(`span.${kind}`, { "aria-hidden": "true", ...place });
  const each = Array.from({ length: n }, (_, i) => i);
  node.replaceChildren(
    heat.map(""),
    ...each.map((j) => name("key", at(-1, j))),
    ...each.map((i) => name("query", at(i, -1))),
    ...each.slice(1).map((i) => cell("masked", at(i - 1, i, " / auto / -1"))),
    ...(n > WRITTEN ? [] : each.flatMap((i) => each.slice(0, i + 1).map((j) => cell("number", at(i, j))))),
  );
}

export default ui.widget(build);
