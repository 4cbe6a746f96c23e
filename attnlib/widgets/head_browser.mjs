// HeadBrowser: a sentence is typed, a decoder reads it in the page, and every head's grid is seen at once.

import * as half from "./half.mjs";
import * as heat from "./heat.mjs";
import * as math from "./math.mjs";
import * as ui from "./ui.mjs";
import { element, number } from "./ui.mjs";

const LONGEST = 32; // words of a sentence
const WRITTEN = 8; // of these with a number in each cell
const SPACES = /[ \t\n\r\u00a0]+/;
const EDGES = ".,;:!?()\"'“”‘’…";
const changes = ["sentence", "layer", "head", "token", "silenced", "swapped", "other"];
const LIKELIEST = 3; // next words of each reading
let count = 0; // of browsers in the page: a note needs an id of its own

function build(model, figure) {
  const note = element("div.remarks", { id: `attn-remarks-${count++}` });
  const field = element("input", {
    type: "text",
    maxlength: 400,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": note.id,
  });
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
  const rows = ui.scroll("what the query reads in every head"),
    picture = ui.scroll("one head, large", large);
  const columns = element("div.columns", element("div.side", picture), element("div.side", about, rows));
  const shown = element("div", gallery, chips, line, columns, ui.controls(silence, ...swap.nodes).node, next, chances);
  figure.classList.add("attn-browser");
  figure.append(element("label.sentence", "Sentence", field), note, dictionary, shown);
  field.addEventListener("input", () => ui.change(model, "sentence", field.value));

  let decoder = null,
    heads = null,
    read = null,
    drawn = null;
  const replace = (piece, word) => {
    ui.change(
      model,
      "sentence",
      model
        .get("sentence")
        .split(SPACES)
        .map((other) => (other === piece ? word : other))
        .join(" "),
    );
    field.focus();
  };
  const pick = (layer, head) => {
    model.set("layer", layer);
    ui.change(model, "head", head);
  };

  return () => {
    if (decoder?.source !== model.get("parameters")) {
      decoder = load(model);
      words.textContent = decoder.vocabulary.join(" ");
      dictionary.firstChild.textContent = `The ${decoder.vocabulary.length} words it knows`;
      heads = thumbnails(decoder, pick);
      gallery.replaceChildren(...heads.nodes);
      drawn = null;
    }
    const { ids, unknown, more } = understand(model.get("sentence"), decoder);
    const layer = model.get("layer"),
      head = model.get("head");
    if (!decoder.parameters.bias[layer]?.[head]) throw new Error(`there is no head ${head} in layer ${layer}`);
    if (field.value !== model.get("sentence")) field.value = model.get("sentence");
    ui.caption(model, figure, "query (row) reads from key (column).");
    note.replaceChildren(...remarks(ids, unknown, more, decoder, replace));
    shown.hidden = !ids.length;
    if (!ids.length) return;

    const last = ids.length - 1,
      asked = model.get("token"),
      query = Number.isInteger(asked) ? Math.max(0, Math.min(asked, last)) : last;
    const silenced = model.get("silenced") === true,
      other = decoder.known.get(String(model.get("other")).toLowerCase());
    const place_of_swap = other !== undefined && ids[model.get("swapped")] !== undefined ? model.get("swapped") : null;
    const key = [ids.join(), silenced && [layer, head], place_of_swap, other].join(" ");
    if (read?.key !== key || read.decoder !== decoder) {
      const before =
        read?.decoder === decoder && read.before.ids.join() === ids.join() ? read.before : run(decoder.parameters, ids);
      const heard = silenced
        ? {
            ...decoder.parameters,
            w_o: math.silence_head(decoder.parameters.w_o, layer, head, decoder.parameters.bias[layer].length),
          }
        : decoder.parameters;
      const changed = silenced || place_of_swap !== null;
      read = {
        key,
        decoder,
        before,
        after: changed
          ? run(
              heard,
              ids.map((id, i) => (i === place_of_swap ? other : id)),
            )
          : before,
      };
    }
    silence.draw();
    swap.draw(
      ids.map((id) => decoder.vocabulary[id]),
      decoder.vocabulary,
      other,
    );
    const { weights } = read.after,
      tokens = read.after.ids.map((id) => decoder.vocabulary[id]);
    const colour = getComputedStyle(figure).color,
      choice = [layer, head, query].join();
    if (drawn?.read === read && drawn.colour === colour && drawn.choice === choice) return; // a letter that changes no word
    if (drawn?.read !== read || drawn.colour !== colour) {
      heads.paint(weights);
      chips.replaceChildren("Query", ...tokens.map((token, i) => ui.button(token, () => ui.change(model, "token", i))));
    }
    drawn = { read, colour, choice };
    heads.mark(layer, head);
    [...chips.children].forEach((chip, i) => chip.setAttribute("aria-pressed", i === query));
    const place = `Layer ${layer + 1}, head ${head + 1}`;
    about.replaceChildren("What ", element("bdi", tokens[query]), " reads, in every head");
    draw_large(large, place, tokens, weights[layer][head], query);
    const most = weights[layer][head][query]
      .map((weight, j) => [weight, tokens[j]])
      .slice(0, query + 1)
      .sort(([a], [b]) => b - a)
      .slice(0, 3);
    line.replaceChildren(
      `${place}${silenced ? ", silenced" : ""}: `,
      element("bdi", tokens[query]),
      " reads most from ",
      ...ui.listed(most, ([weight, token]) => ["“", element("bdi", token), `” ${number(weight)}`]),
      ".",
    );
    next.replaceChildren("The next word after ", element("bdi", tokens[query]));
    chances.replaceChildren(expected(read, query, decoder.vocabulary));
    rows.replaceChildren(table(tokens.slice(0, query + 1), weights, query));
  };
}

// What the decoder makes of a sentence.
function run(parameters, ids) {
  return { ids, weights: math.decoder_weights(parameters, ids), logits: math.decoder_logits(parameters, ids) };
}

// Which token is swapped, and for which word: two menus whose options follow the sentence and the vocabulary.
function swapper(model) {
  const place = element("select", { "aria-label": "Swap this token" }),
    word = element("select", { "aria-label": "for this word" });
  place.addEventListener("change", () =>
    ui.change(model, "swapped", place.selectedIndex ? place.selectedIndex - 1 : null),
  );
  word.addEventListener("change", () => ui.change(model, "other", word.selectedIndex ? word.value : ""));
  const fill = (menu, words) => {
    const key = words.join(" ");
    if (menu.dataset.words === key) return;
    menu.dataset.words = key;
    menu.replaceChildren(...["–", ...words].map((text) => element("option", text)));
  };
  const draw = (tokens, vocabulary, other) => {
    fill(place, tokens);
    fill(word, vocabulary);
    place.selectedIndex = tokens[model.get("swapped")] === undefined ? 0 : model.get("swapped") + 1;
    word.selectedIndex = (other ?? -1) + 1;
  };
  return {
    nodes: [
      ["Swap", place],
      ["for", word],
    ].map(([label, menu]) => element("label.control", label, menu)),
    draw,
  };
}

// The likeliest next words, and when something was changed, how likely each was before.
function expected({ before, after }, query, vocabulary) {
  const readings = before === after ? [after] : [before, after];
  const chances = readings.map(({ logits }) => math.softmax(logits[query]));
  const rank = (row) =>
    row
      .map((_, id) => id)
      .sort((a, b) => row[b] - row[a])
      .slice(0, LIKELIEST);
  const rows = [...new Set(chances.flatMap(rank))].map((id) => [
    vocabulary[id],
    ...chances.map((row) => {
      const cell = element("td");
      ui.bar(cell, row[id], number(row[id]));
      return cell;
    }),
  ]);
  return ui.scroll(
    "the next word",
    ui.table(["", ...(readings.length === 1 ? ["probability"] : ["before", "after"])], rows),
  );
}

// The vocabulary and the arrays of the model's state.
function load(model) {
  const source = model.get("parameters"),
    vocabulary = model.get("vocabulary");
  const parameters = Object.fromEntries(
    Object.entries(source).map(([name, entry]) => [name, half.unpack(name, entry)]),
  );
  for (const name of ["embedding", "w_q", "w_k", "w_v", "w_o", "bias"])
    if (!parameters[name]) throw new Error(`the decoder lacks ${name}`);
  if (parameters.embedding.length !== vocabulary.length)
    throw new Error(`${vocabulary.length} words for ${parameters.embedding.length} rows of the embedding`);
  return { source, vocabulary, parameters, known: new Map(vocabulary.map((word, id) => [word.toLowerCase(), id])) };
}

// The known words as numbers, the unknown pieces as they stand, and how many words are too many: `read_words` of attnlib.
function understand(sentence, { known }) {
  const ids = [],
    unknown = [];
  for (const piece of sentence.split(SPACES)) {
    const whole = piece.toLowerCase(),
      word = known.has(whole) ? whole : strip(whole),
      start = whole.indexOf(word);
    for (const part of [...whole.slice(0, start), word, ...whole.slice(start + word.length)]) {
      if (known.has(part)) ids.push(known.get(part));
      else if (part && part === word) unknown.push(piece);
    }
  }
  return { ids: ids.slice(0, LONGEST), unknown, more: ids.length - LONGEST };
}

function strip(word) {
  let from = 0,
    to = word.length;
  while (from < to && EDGES.includes(word[from])) from++;
  while (to > from && EDGES.includes(word[to - 1])) to--;
  return word.slice(from, to);
}

// What there is to say about words that are not read.
function remarks(ids, unknown, more, decoder, replace) {
  const said = [];
  if (more > 0) said.push(element("p", `Only the first ${LONGEST} words are read.`));
  if (unknown.length) {
    const piece = unknown[0],
      others =
        unknown.length > 1 ? ` Nor ${unknown.length === 2 ? "is 1 other" : `are ${unknown.length - 1} others`}.` : "";
    said.push(
      element(
        "p",
        "“",
        element("bdi", piece.length > 30 ? `${piece.slice(0, 30)}…` : piece),
        `” is not a word that it knows, and is left out.${others} Nearest: `,
        ...nearest(strip(piece.toLowerCase()), decoder.vocabulary).map((word) =>
          ui.button(word, () => replace(piece, word)),
        ),
      ),
    );
  } else if (!ids.length)
    said.push(element("p", "Type a word that it knows, such as “", element("bdi", decoder.vocabulary[0]), "”."));
  return said;
}

// The three words that take the fewest letters typed, dropped or replaced.
function nearest(word, vocabulary) {
  const far = vocabulary.map((other) => [distance(word.slice(0, 30), other.toLowerCase()), other]);
  return far
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, other]) => other);
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] !== b[j - 1]));
  }
  return row[b.length];
}

// A small picture of each head, which is a button.
function thumbnails({ parameters }, pick) {
  const all = parameters.bias.map((tables, layer) =>
    tables.map((_, head) => {
      const label = `Layer ${layer + 1}, head ${head + 1}`,
        canvas = heat.map(label);
      const node = ui.button("", () => pick(layer, head));
      node.append(canvas, element("span", { "aria-hidden": "true" }, `head ${head + 1}`));
      return { node, canvas };
    }),
  );
  return {
    nodes: all.map((heads, layer) =>
      element(
        "div.layer",
        { role: "group", "aria-label": `layer ${layer + 1}` },
        element("span", `Layer ${layer + 1}`),
        ...heads.map(({ node }) => node),
      ),
    ),
    paint: (weights) =>
      all.forEach((heads, layer) => heads.forEach(({ canvas }, head) => heat.paint(canvas, weights[layer][head]))),
    mark: (layer, head) =>
      all.forEach((heads, l) =>
        heads.forEach(({ node }, h) => node.setAttribute("aria-pressed", l === layer && h === head)),
      ),
  };
}

// One head large: names beside and above a picture, and a number in each cell while there is room.
function draw_large(node, label, tokens, weights, query) {
  const n = tokens.length,
    key = tokens.join(" ");
  if (node.dataset.tokens !== key) {
    node.dataset.tokens = key;
    node.classList.toggle("attn-dense", n > WRITTEN);
    node.style.setProperty("--n", n);
    const at = (row, column) => `grid-area: ${row + 2} / ${column + 2}`;
    const cells =
      n > WRITTEN
        ? []
        : weights.flatMap((row, i) =>
            row.slice(0, i + 1).map((_, j) => element("span.number", { "aria-hidden": "true", style: at(i, j) })),
          );
    node.replaceChildren(
      heat.map(label),
      ...tokens.map((token, j) => element("span.key", { dir: "auto", style: at(-1, j) }, token)),
      ...tokens.map((token, i) => element("span.query", { dir: "auto", style: at(i, -1) }, token)),
      ...tokens
        .slice(1)
        .map((_, i) =>
          element("span.masked", { "aria-hidden": "true", style: `grid-area: ${i + 2} / ${i + 3} / auto / -1` }),
        ),
      ...cells,
    );
  }
  const [canvas] = node.children;
  canvas.setAttribute("aria-label", label);
  heat.paint(canvas, weights);
  const numbers = weights.flatMap((row, i) => row.slice(0, i + 1));
  [...node.querySelectorAll(".attn-number")].forEach((cell, at) => (cell.textContent = number(numbers[at])));
  [...node.querySelectorAll(".attn-query")].forEach((cell, i) => cell.classList.toggle("attn-here", i === query));
}

// What one query reads in every head.
function table(keys, weights, query) {
  const rows = weights.flatMap((heads, layer) =>
    heads.map((grid, h) => [`${layer + 1}.${h + 1}`, ...keys.map((_, j) => ui.shaded(grid[query][j]))]),
  );
  return ui.table([element("td.corner", "head"), ...keys], rows);
}

export default ui.widget(changes, build);
