// The cells of a page, and its exercises: a click into one brings Python or an editor.
//
// The page says where Python lies (<html data-python>), and marks its cells (data-cell) and exercises (data-exercise).

import "./cells.css";

import { Box, bring_editor, failed } from "./box.mjs";
import { bring_style, button, make } from "./dom.mjs";
import { ask_first, Exercise } from "./exercises.mjs";
import { changed } from "./notebook.mjs";
import { follow_colours } from "./outputs.mjs";
import { Python } from "./python.mjs";
import { Strip } from "./strip.mjs";

const KEYS =
  "Shift-Enter runs it and goes on to the next, Control-Enter runs it and stays. Escape, then Tab leaves the editor.";
const STALE = "The book has changed since this page was loaded: load the page again.";
const UNKEPT = "This browser keeps nothing: take your changes away as a notebook.";

let page = null;

// What a click asks for. `how` is "run", "edit" or "solution"; x and y are where it was.
export default async function act({ root, target, how, x, y }) {
  const at = how === "edit" ? offset(target, x, y) : 0;
  page ??= new Page(root);
  const { python, ready } = page;
  if (how === "run") python.start().catch(() => {}); // who waits for the run hears of it
  if (how === "edit") bring_editor().catch(() => {}); // the same
  try {
    await ready;
  } catch (error) {
    python.stop();
    if (page?.python === python) page = null; // the next click tries again
    throw error;
  }
  if (how === "solution") return ask_first(target.closest("details"));
  const box = page.boxes.find(({ element }) => element.contains(target));
  if (how === "edit") return box?.edit({ at, focus: true });
  return box && page.run([box]);
}

// Where in its text a point of some code is.
function offset(pre, x, y) {
  const found = document.caretPositionFromPoint?.(x, y);
  const range = document.createRange();
  range.selectNodeContents(pre);
  if (found && pre.contains(found.offsetNode)) range.setEnd(found.offsetNode, found.offset);
  else {
    const other = document.caretRangeFromPoint?.(x, y);
    if (!other || !pre.contains(other.startContainer)) return 0;
    range.setEnd(other.startContainer, other.startOffset);
  }
  return range.toString().length;
}

class Page {
  live = make("div", { className: "cells-live", ariaLive: "polite" });
  current = null; // the box that runs, or ran last
  boxes = []; // all that a reader can run, as the page shows it
  cells = []; // all cells of the book's page, those too that are not shown
  updatable = new Map();
  #trail = []; // the cells that ran since Python started, each with its source
  #turn = Promise.resolve();
  #stops = 0;
  #heard = new Map(); // whose outputs an id are
  #unkept = false;
  #forget_failed = () => {}; // takes back what a box says of another that has failed

  constructor(root) {
    this.root = root;
    const { python, page: name } = root.documentElement.dataset;
    this.base = new URL(python, root.baseURI).href;
    this.name = name ?? location.pathname;
    this.store = globalThis.store ?? { get: () => null, set() {} };
    this.python = new Python(this.base, this.name);
    this.strip = this.#make_strip();
    this.#listen();
    this.ready = this.#make();
  }

  async #make() {
    await Promise.all([this.python.load(), bring_style(`${this.base}cells.css`)]);
    if (!this.#same_build()) throw new Error(STALE);
    const { root } = this;
    this.keys = make("p", { id: "cells-keys", hidden: true, textContent: KEYS });
    root.body.append(this.strip.element, this.keys, this.live);
    this.#make_boxes();
    this.changed();
    follow_colours(root);
  }

  // Whether the page shows the code that it was told of.
  #same_build() {
    const plain = (text = "") => text.replace(/\s+/g, " ").trim();
    return [...this.root.querySelectorAll(".cell[data-cell]:has(.cell-run)")].every((cell) => {
      const { source } = this.python.cells[cell.dataset.cell] ?? {};
      return plain(source) === plain(cell.querySelector(".cell_input pre").textContent);
    });
  }

  // A build may count its cells anew: what was kept goes with the code that was changed.
  #renumber() {
    const { cells, store } = this;
    const at = (cell) => store.get(this.key(cell));
    const strays = Array.from({ length: cells.length + 99 }, (_, cell) => [cell, at(cell)]).filter(
      ([cell, kept]) => kept && kept.book !== cells[cell]?.book && cells.some(({ book }) => book === kept.book),
    );
    for (const [cell] of strays) store.set(this.key(cell), null);
    for (const [, kept] of strays) {
      const places = [...cells.keys()].filter((cell) => cells[cell].book === kept.book);
      const to = places.find((cell) => !at(cell)) ?? places[0];
      const there = at(to);
      store.set(this.key(to), there?.book === kept.book ? with_older(there, kept) : with_older(kept, there));
    }
  }

  #make_strip() {
    const notebook = this.root.querySelector('a[download][href$=".ipynb"]');
    return new Strip({
      stop: () => this.stop(),
      again: () => this.again(),
      keep: notebook && (() => this.keep_notebook(notebook)),
      forget: () => this.forget(),
    });
  }

  #listen() {
    const { python, strip } = this;
    python.addEventListener("output", ({ detail: { id, output } }) => this.#heard.get(id)?.hear(output));
    python.addEventListener("progress", ({ detail: { loaded, total } }) => strip.progress(loaded, total));
    python.addEventListener("state", () => this.#follow());
  }

  #make_boxes() {
    this.cells = this.python.cells.map(({ source }, cell) => new Hidden(this, source, cell));
    this.#renumber();
    let shown = 0;
    let above = 0; // the number of cells before an exercise
    for (const element of this.root.querySelectorAll(".cell[data-cell], [data-exercise]")) {
      const cell = Number(element.dataset.cell);
      let box = null;
      if (element.matches("[data-exercise]"))
        box = element.querySelector("[data-stub]") && new Exercise(this, element, above);
      else {
        above = cell + 1;
        if (!element.querySelector(".cell-run") || !this.cells[cell]) continue;
        box = this.cells[cell] = new Cell(this, element, cell, ++shown);
      }
      if (!box) continue;
      this.boxes.push(box);
      this.#heard.set(box.id, box);
    }
  }

  key(name) {
    return `code:${this.name}#${name}`;
  }

  above(box) {
    return this.cells.slice(0, box.cell ?? box.above);
  }

  // Whether a cell above speaks of a name that is not known.
  made_above(box, name) {
    return this.above(box).some(({ mine }) => mine.match(/[\p{L}\p{N}_]+/gu)?.includes(name));
  }

  // Whether a cell further down has run, since Python started and since the page's first cell ran.
  ran_below({ cell }) {
    const first = this.#trail.findLastIndex(([other]) => other === 0);
    return this.#trail.slice(first + 1).some(([other]) => other > cell);
  }

  // Run boxes one after the other, when all that was asked for before is done; an error ends the row. `asked` is the one
  // whose button was pressed. Boxes that wait already are not asked for twice; but a row of several runs whole, if one of
  // them does not wait.
  async run(boxes, asked = boxes.at(-1)) {
    let row = this.#left(boxes).filter(({ busy }) => !busy);
    const { stops, turn } = { stops: this.#stops, turn: this.#turn };
    let done;
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    for (const box of row) box.wait();
    this.#forget_failed();
    this.#hush();
    await turn;
    try {
      if (stops === this.#stops) {
        if (boxes.length > 1 && row.length) row = [...this.#left(boxes)];
        for (const box of row) if (!box.busy) box.wait();
      }
      while (row.length && stops === this.#stops) {
        const box = row.shift();
        const { cell, mine } = box;
        this.current = box;
        const result = await box.execute();
        if (failed(result) && !this.#passed_over(box, result)) {
          if (cell !== undefined && result.line > 1) this.#trail.push([cell, null]); // its first lines did run
          return this.#broke(box, result, asked);
        }
        if (cell !== undefined) this.#trail.push([cell, mine]);
      }
    } finally {
      for (const box of row) box.idle();
      done();
    }
  }

  // What of a row that begins with the page's first cell has yet to run: what ran so far may be the beginning of it.
  #left(boxes) {
    const before = this.#trail.length;
    const begun = boxes.length > 1 && boxes.length > before;
    const same = begun && this.#trail.every(([cell, source], i) => boxes[i].cell === cell && boxes[i].mine === source);
    return same && boxes[0].cell === 0 ? boxes.slice(before) : boxes;
  }

  // Whether a cell that the page does not show has held a change to the book's numbers: no reader can mend that.
  #passed_over(box, { error }) {
    return !box.says && error === "AssertionError" && this.above(box).some(({ changed }) => changed);
  }

  // What is said where a row has ended before its last cell, at the place where the reader is.
  #broke(box, result, asked) {
    if (!box.says) this.strip.say(result.message ?? `A cell that the page does not show has failed: ${result.error}.`);
    if (box === asked || result.status === "stopped") return;
    const way = box.show ? [`Show ${box.name}`, () => box.show()] : [];
    const said = `${box.title} has failed, and what is below it did not run.`;
    asked.say(said, ...way);
    this.#forget_failed = () => asked.says.textContent.startsWith(said) && asked.say("");
  }

  async run_and_go(box) {
    const next = this.boxes
      .slice(this.boxes.indexOf(box) + 1)
      .find(({ element }) => element.checkVisibility() && !element.closest("details:not([open])"));
    void this.run([box]);
    await next?.edit({ focus: true });
  }

  // Give source to Python. A fault of any kind is a result.
  async ask(id, source, cell) {
    try {
      return await this.python.run(id, source, cell);
    } catch (error) {
      return { status: "died", message: error.message };
    }
  }

  stop() {
    this.#stops++;
    this.python.stop();
  }

  async again() {
    if (this.python.state !== "off") this.stop();
    this.#hush();
    try {
      await this.python.start();
    } catch (error) {
      this.strip.say(error.message);
    }
  }

  #follow() {
    const { state } = this.python;
    if (state === "off") {
      this.#stops++;
      const ran = new Set(this.#trail.splice(0).map(([cell]) => this.cells[cell]));
      for (const box of this.boxes) if (ran.has(box) || box.outputs.live) box.forgotten();
    }
    this.strip.state(state, this.current?.title);
    if (state === "running") this.current?.running();
    if (state === "loading") this.announce("Python is on its way");
  }

  announce(sentence) {
    this.live.textContent = sentence;
  }

  // Something was changed, or is again as in the book.
  changed(lost = false) {
    const some = this.boxes.some(({ changed, older }) => changed || older);
    this.strip.changes(some);
    if (!some) return;
    this.#unkept ||= lost;
    this.#hush();
  }

  // What the strip says beside the state, where nothing is wrong.
  #hush() {
    this.strip.say(this.#unkept ? UNKEPT : "");
  }

  forget() {
    for (const box of this.boxes) if (box.changed || box.older) box.reset(true);
    this.announce("All code is as in the book");
  }

  async keep_notebook(link) {
    try {
      const response = await fetch(link.href);
      if (!response.ok) throw new Error(`${response.status}`);
      const pieces = this.boxes.map(({ book, mine }) => ({ book, mine }));
      const text = JSON.stringify(changed(await response.json(), pieces), null, 1);
      const href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
      make("a", { href, download: link.pathname.split("/").at(-1) }).click();
      setTimeout(() => URL.revokeObjectURL(href), 10_000); // not every browser has read it by now
    } catch {
      this.strip.say("The notebook could not be had. Is there a connection? What you changed is kept here.");
    }
  }

  // The most points of each exercise, and how many are done: what the contents show.
  points() {
    return this.store.get("exercises")?.[this.name]?.points ?? {};
  }

  keep_points(id, points) {
    const before = this.points();
    const all = { ...before, [id]: better(before[id], points) };
    const here = [...this.root.querySelectorAll("[data-exercise]")].map((box) => box.dataset.exercise);
    const done = here.filter((name) => all[name] && all[name][0] === all[name][1]).length;
    const mine = { done, of: here.length, points: all };
    this.store.set("exercises", { ...this.store.get("exercises"), [this.name]: mine });
  }
}

// The better result of two, as progress.js has it: by its share, and of equal ones that of more points.
const rank = ([some, of]) => some / of + of / 1e6;
const better = (one, other) => (one && rank(one) >= rank(other) ? one : other);

// A change with an older one behind it, and behind all that waits there already.
const with_older = (kept, older) =>
  kept && older ? { ...kept, older: with_older(kept.older, older) } : (kept ?? older);

// A cell that the page shows. Its number is the one that a reader counts.
class Cell extends Box {
  constructor(page, holder, cell, number) {
    const element = holder.querySelector(".cell_input");
    const pre = element.querySelector("pre");
    const home = holder.querySelector(".cell_output") ?? make("div", { className: "cell_output" });
    if (!home.isConnected) element.after(home);
    const book = page.python.cells[cell].source;
    const key = page.key(cell);
    super(page, {
      holder,
      element,
      pre,
      home,
      book,
      key,
      name: `cell ${number}`,
      title: `Cell ${number}`,
      id: `${number}`,
      cell,
      verb: "Run",
    });
  }

  extra() {
    if (!this.cell) return [];
    const above = button("Run all above", () => this.page.run(this.page.above(this), this));
    above.setAttribute("aria-label", `Run all above ${this.name}`);
    return [above];
  }
}

// A cell that the page does not show. Its output stays as it was built.
class Hidden {
  busy = false;
  title = "A cell that is not shown";

  constructor(page, source, cell) {
    Object.assign(this, { page, cell, book: source, mine: source, id: `hidden-${cell}` });
  }

  wait() {
    this.busy = true;
  }

  running() {}

  idle() {
    this.busy = false;
  }

  async execute() {
    const result = await this.page.ask(this.id, this.mine, this.cell);
    this.busy = false;
    return result;
  }
}
