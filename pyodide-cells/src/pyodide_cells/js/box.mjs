// A box of code in a page: the editor that takes its place, what the reader changed, its tools, and what it puts out.

import { button, keep_focus, make } from "./dom.mjs";
import { Outputs } from "./outputs.mjs";

const DEBOUNCE = 300; // milliseconds from the last key until a change is kept
const FAILED = new Set(["error", "failed", "stopped", "died"]);

const OLDER = "The book’s code here is not the one that you changed.";
const LOST = "The editor could not be loaded. Is there a connection? Another click tries again.";
let tries = 0;
// The editor's module, which lies beside this one in a site. A browser may remember that an address has failed.
export async function bring_editor() {
  try {
    return await (tries ? import(new URL(`editor.js?${tries}`, import.meta.url)) : import("./editor.mjs"));
  } catch (error) {
    tries++;
    throw error;
  }
}

export const failed = ({ status }) => FAILED.has(status);

export class Box {
  mine; // the source as it stands there now
  busy = false;
  older = null; // a change of other code, which waits for the reader
  #editor = null;
  #opening = null;
  #saving = 0;

  // In `holder` `element` holds the code, `pre`, and `home` what it puts out. `key` is where the browser keeps changes.
  constructor(page, { holder, element, pre, home, book, key, name, title = name, id, cell, verb }) {
    Object.assign(this, { page, holder, element, pre, book, key, name, title, id, cell, mine: book });
    this.nodes = [...pre.childNodes];
    this.start = element.querySelector(".cell-run");
    this.start.setAttribute("aria-label", `${verb} ${name}`);
    this.opener = button("Edit", () => this.edit({ focus: true }), "cell-edit");
    this.opener.setAttribute("aria-label", `Edit ${name}`);
    this.start.after(this.opener);
    this.state = make("span", { className: "cell-state" });
    this.resetter = button("Reset", () => {
      this.reset();
      (this.#editor ?? this.start).focus();
    });
    this.resetter.setAttribute("aria-label", `Reset ${name}`);
    this.stopper = button("Stop", () => page.stop());
    this.stopper.setAttribute("aria-label", `Stop ${name}`);
    this.tools = make(
      "div",
      { className: "cell-tools", hidden: true },
      make("span", { textContent: title }),
      make("span", { className: "cell-doing" }, this.state, this.stopper), // no other button comes to where it was
    );
    this.tools.setAttribute("role", "group");
    this.tools.setAttribute("aria-label", title);
    this.tools.append(...this.extra(), this.resetter);
    this.says = make("p", { className: "cell-says", hidden: true });
    element.append(this.tools, this.says);
    const mount = (place, model) => page.python.mount(place, model);
    this.outputs = new Outputs(home, { name, mount, updatable: page.updatable });
    pre.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.edit({ focus: true });
    });
    addEventListener("pagehide", () => this.#saving && this.#keep());
    this.#mark();
    this.#recall();
  }

  // More buttons of a kind of box.
  extra() {
    return [];
  }

  get changed() {
    return this.mine !== this.book;
  }

  // Open the editor, with the caret at a place of the text.
  async edit({ at = 0, focus = false } = {}) {
    if (focus) this.#uncover();
    this.#opening ??= this.#open(at);
    try {
      await this.#opening;
    } catch {
      this.#opening = null;
      this.say(LOST);
      return;
    }
    if (this.says.textContent === LOST) this.say("");
    this.tools.hidden = false;
    if (focus) this.#editor.focus();
  }

  async #open(at) {
    const { edit } = await bring_editor();
    const place = make("div", { className: "cell-editor" });
    this.pre.after(place);
    this.#editor = edit(place, {
      text: this.mine,
      at,
      label: `Code of ${this.name}`,
      described: this.page.keys.id,
      changed: (text) => this.#change(text),
      run: () => void this.page.run([this]),
      go: () => void this.page.run_and_go(this),
    });
    this.pre.hidden = true;
    this.opener.hidden = true;
  }

  // Another text in the place of the one that is there.
  put(text) {
    if (this.#editor) this.#editor.replace(text);
    else this.#change(text);
  }

  // With `all`, what waits from an older edition goes too.
  reset(all = false) {
    if (all) this.older = null;
    this.put(this.book);
    this.#keep();
    this.say("");
    this.state.textContent = "";
    this.outputs.restore();
    this.page.announce(`${this.title}: as in the book`);
  }

  #change(text) {
    this.mine = text;
    this.#point(null);
    if (this.changed)
      this.pre.textContent = text; // what the copy button takes
    else this.pre.replaceChildren(...this.nodes);
    this.#mark();
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#keep(), DEBOUNCE);
  }

  #mark() {
    this.#keep_focus(this.tools, () => {
      this.resetter.hidden = !this.changed;
      this.stopper.hidden = !this.busy;
    });
    this.holder.classList.toggle("kept", this.changed);
    this.element.classList.toggle("busy", this.busy);
    this.outputs.element.setAttribute("aria-busy", this.busy);
  }

  #keep() {
    clearTimeout(this.#saving);
    this.#saving = 0;
    const { book, mine, older } = this;
    const { store } = this.page;
    const kept = this.changed ? { book, mine, ...(older && { older }) } : older;
    store.set(this.key, kept);
    this.page.changed(store.get(this.key)?.mine !== kept?.mine);
  }

  // What was changed on an earlier visit stands there again, unless the book's own code is another one by now.
  #recall() {
    const kept = this.page.store.get(this.key);
    if (typeof kept?.mine !== "string") return;
    const same = kept.book === this.book;
    this.older = same ? (kept.older ?? null) : kept;
    if (same) this.#use(kept.mine);
    if (!this.older) return;
    this.tools.hidden = false;
    this.say("");
  }

  #use(text) {
    this.put(text);
    this.say("");
    return this.edit();
  }

  #use_older() {
    const { mine, older = null } = this.older;
    this.older = older;
    return this.#use(mine);
  }

  // A sentence below the code, with what can be done about it. Where there is none, an older change is offered.
  say(sentence, offer = "", act = null) {
    if (!sentence && this.older) return this.say(OLDER, "Put mine in its place", () => this.#use_older());
    this.#keep_focus(this.says, () => {
      this.says.hidden = !sentence && !offer;
      this.says.replaceChildren(sentence, ...(offer ? [" ", button(offer, act)] : []));
    });
  }

  #keep_focus(element, act) {
    keep_focus(element, () => this.start, act);
  }

  // Bring it before the reader, wherever in the page it is.
  show() {
    this.#uncover();
    this.start.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "center" });
  }

  // Open what it is folded away in.
  #uncover() {
    for (let at = this.element; at; at = at.parentElement) {
      if (at.matches("details")) at.open = true;
      if (at.hidden) at.dispatchEvent(new Event("beforematch", { bubbles: true })); // as the browser's search does
      at.hidden = false;
    }
  }

  // Mark a line of the code, or none.
  #point(line) {
    this.element.querySelector(".cell-line")?.remove();
    if (!line) return;
    const mark = make("span", { className: "cell-line" });
    mark.style.setProperty("--line", line);
    mark.setAttribute("aria-hidden", "true"); // it is announced, and stands beside the cell's number
    this.pre.before(mark);
  }

  // It will run, when those before it have.
  wait() {
    this.busy = true;
    this.tools.hidden = false;
    this.state.textContent = "waits";
    this.say("");
    this.#point(null);
    this.#mark();
  }

  running() {
    this.state.textContent = "runs";
  }

  // It will not run after all.
  idle() {
    this.busy = false;
    this.state.textContent = "";
    this.#mark();
  }

  // What it made is gone, with the Python that made it.
  forgotten() {
    this.idle();
    if (this.outputs.live) this.say("This is no longer connected to Python. Run the cell again to connect it.");
  }

  // Run it: `source`, which may be more than the text that stands there, after the `imports` that it needs.
  async execute(source = this.mine, imports = "") {
    const unchanged = !this.changed;
    this.state.textContent = "waits for Python";
    this.outputs.begin(unchanged);
    let result = imports ? await this.page.ask("imports", imports) : { status: "ok" };
    if (result.status === "error" || !failed(result)) result = await this.page.ask(this.id, source, this.cell);
    this.busy = false;
    this.#mark();
    this.#end(result, unchanged);
    return result;
  }

  // An output of its run, or of something that the run has left behind.
  hear(output) {
    this.outputs.add(output);
  }

  #end(result, unchanged) {
    const { status, ms, line, message } = result;
    if (status === "needs") this.outputs.restore();
    else this.outputs.end(status === "ok" || status === "error");
    if (status === "needs") this.say(needs(result, unchanged));
    else if (status !== "error" && message) this.say(message);
    if (status === "error") {
      this.#point(line <= this.mine.split("\n").length ? line : null);
      const error = result.error ?? "error";
      this.state.textContent = line ? `${error} in line ${line}` : error;
    } else this.state.textContent = status === "ok" ? time(ms) : "";
    this.page.announce(`${this.title}: ${this.told(result)}`);
    if (status === "error") this.#explain(result);
    else if ((status === "stopped" || status === "died") && this.page.above(this).length) this.#offer(message);
  }

  // What a reader of the book may not know of an error: where a name is made, and what else a line has to do with.
  #explain({ error, line, unknown }) {
    const failed = error === "AssertionError" && this.mine.split("\n")[line - 1]?.trim();
    const own = failed && this.book.split("\n").some((one) => one.trim() === failed);
    if (own && [...this.page.above(this), this].some(({ changed }) => changed))
      this.say("In the book this line holds. With what you changed, it does not.");
    else if (unknown && this.page.made_above(this, unknown)) this.#offer(`${unknown} comes from a cell above.`);
    else if (!unknown && this.cell && this.page.ran_below(this))
      this.#offer("A cell below has run before, and may have changed what this one uses.");
  }

  #offer(sentence) {
    this.say(sentence, "Run all above, then this", () => this.page.run([...this.page.above(this), this]));
  }

  // What is announced when it has run.
  told({ status, ms, message }) {
    if (status === "ok") return `finished, ${time(ms)}`;
    return status === "error" ? this.state.textContent : (message ?? this.says.textContent);
  }
}

export function needs({ needs: module, handed, lost }, unchanged) {
  const also = handed ? "; the cells below use its results" : "";
  const why = lost ? "did not come over the network (Start again asks for it anew)" : "does not run in this page";
  return (
    `${module} ${why}${unchanged ? "" : ", so a changed cell cannot run here"}. ` +
    `This is what the cell gave when the book was built${also}.`
  );
}

export const time = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
