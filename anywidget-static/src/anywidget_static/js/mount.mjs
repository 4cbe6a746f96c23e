// Brings the widgets of a static page to life, with the modules that Jupyter uses, each when it comes near the screen.
// A widget stands in the page as <div data-widget="name" id="…">, with what is read where no script runs, and its state
// as JSON. A state may come late, from a script of its own, which `data-state` names; and parts of it in one more, when
// the module asks for them. There is no kernel.

import { fault, linked } from "./bounds.mjs";
import { definition, Model } from "./model.mjs";
import { at_rest } from "./pace.mjs";
import { completed, run, unpacked } from "./state.mjs";

// The link to a widget: its id, and what it shows where that is not the author's state.
const HASH = {
  read() {
    const [id, ...query] = location.hash.slice(1).split("?");
    try {
      return { id: decodeURIComponent(id), query: query.join("?") };
    } catch {
      return { id, query: "" };
    }
  },
  write: (id, query) => `#${id}${query && `?${query}`}`,
};

const OPTIONS = {
  margin: "600px", // how far from the screen a widget starts
  address: HASH,
  storageKey: () => null, // (element, fields) => where the browser's storage keeps a widget's changes, or null
  backend: (home) => home.without_kernel, // see model.mjs
  words: {
    link: "Link to this widget",
    shown: "Link to what this widget shows now",
    kernel: "This needs Python, which does not run in this page.",
    nested: "This widget shows another inside itself, which it can in Jupyter alone.",
    fault: "This widget could not start",
    missing: "This part of the page could not be loaded. Is there a network?",
  },
};

// Start every widget below `root`; `widgets` holds a module, or what anywidget takes for its default export, by name.
// Returns a function that ends them all and puts back what stood in the page.
export function mount(root, widgets, options = {}) {
  const settings = { ...OPTIONS, ...options, words: { ...OPTIONS.words, ...options.words } };
  const stopped = new AbortController();
  const homes = new Map();
  for (const element of root.querySelectorAll("[data-widget]"))
    if (widgets[element.dataset.widget])
      homes.set(element, new Home(element, widgets[element.dataset.widget], settings));
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        homes.get(target).start();
      }
    },
    { rootMargin: settings.margin },
  );
  const follow = async () => {
    const { id, query } = settings.address.read();
    const home = query && [...homes.values()].find(({ element }) => element.id === id);
    if (!home) return;
    if (home.model) home.visit(true);
    else await home.start();
    home.element.scrollIntoView();
  };
  for (const [element, home] of homes) {
    if (!home.late) near.observe(element);
    else
      home.fetch_state(() => {
        if (stopped.signal.aborted) return;
        near.observe(element);
        if (settings.address.read().id === element.id) follow();
      });
  }
  follow();
  addEventListener("hashchange", follow, { signal: stopped.signal });
  addEventListener("beforeprint", () => homes.forEach((home) => home.start()), { signal: stopped.signal });
  return () => {
    stopped.abort();
    near.disconnect();
    for (const home of homes.values()) home.stop();
  };
}

// One widget of a page.
class Home {
  model = null;
  #author; // the state that its author left
  #rest; // the promise of what it leaves out, once that is asked for
  #looks = false; // while a change is what an address says, and not the reader's own
  #stopped = null;
  #before = [];
  #clean = [];

  constructor(element, module, settings) {
    Object.assign(this, { element, module, settings });
  }

  get #script() {
    return this.element.querySelector(":scope > script[type='application/json']");
  }

  get late() {
    return this.#script?.dataset.state;
  }

  // A state beside the page: the page itself comes first.
  fetch_state(onload) {
    const load = () => run(this.late).then(onload, () => {});
    if (document.readyState === "complete") load();
    else addEventListener("load", load, { once: true });
  }

  // Entries of lists that lack what their bounds call `on_demand` have `demand()`: it loads that, and the fields change.
  #mark(model) {
    const script = this.element.querySelector(":scope > script[data-rest]");
    for (const [name, { on_demand }] of Object.entries(model.get("_bounds") ?? {}))
      if (script && on_demand)
        for (const one of model.get(name).slice(1))
          one.demand = () => {
            this.#rest ??= run(script.dataset.state).then(
              () => model.receive(completed(model, unpacked(JSON.parse(script.textContent)))),
              () => {
                this.#rest = null;
                throw new Error(this.settings.words.missing);
              },
            );
            return this.#rest;
          };
  }

  async start() {
    const written = !this.#stopped && this.#script?.textContent;
    if (!written) return; // it runs, or its state is still on the way
    this.#stopped = new AbortController();
    const { element } = this;
    const { signal } = this.#stopped;
    const el = document.createElement("div");
    this.#before = [...element.childNodes];
    try {
      this.#author = unpacked(JSON.parse(written));
      const model = new Model({ ...this.#author }, this.settings.backend(this));
      this.#mark(model);
      element.append(el); // in the page before it draws, so that it has a style
      const widget = await definition(this.module);
      const given = { model, signal, experimental: { invoke: async () => this.#cannot("kernel") } };
      const other = async () => this.#cannot("nested");
      this.#clean.push(await widget.initialize?.(given));
      this.#clean.push(await widget.render?.({ ...given, el, host: { getModel: other, getWidget: other } }));
      if (signal.aborted) return this.#tidy();
      this.model = model;
      model.on("change", () => {
        const own = !this.#looks;
        at_rest(el, () => this.share(own));
      });
      this.visit();
      const { activeElement } = document;
      const focused = activeElement !== this.#link && element.contains(activeElement);
      for (const node of this.#before) if (node.localName !== "script" && node !== this.#link) node.remove();
      if (focused) el.querySelector("[tabindex='0'], input, button")?.focus(); // the table that had it is gone
      element.dataset.widgetMounted = "true";
    } catch (error) {
      this.#tidy();
      el.remove(); // what stood there stays
      console.error(`widget ${element.dataset.widget}:`, error);
      if (!element.querySelector("figure, table, p")) this.say(`${this.settings.words.fault}: ${error.message}`);
    }
  }

  stop() {
    if (!this.#stopped) return;
    this.#stopped.abort();
    this.#tidy();
    this.element.replaceChildren(...this.#before);
    delete this.element.dataset.widgetMounted;
    this.#stopped = this.model = this.#rest = null;
  }

  #tidy() {
    for (const clean of this.#clean.splice(0)) clean?.();
  }

  // A sentence below the widget, once.
  say(sentence) {
    if ([...this.element.children].some((node) => node.textContent === sentence)) return;
    const node = Object.assign(document.createElement("p"), { className: "widget-says", textContent: sentence });
    node.setAttribute("role", "status");
    this.element.append(node);
  }

  #cannot(what) {
    this.say(this.settings.words[what]);
    throw new Error(this.settings.words[what]);
  }

  without_kernel = {
    send: () => this.say(this.settings.words.kernel),
    widget_manager: { get_model: async () => this.#cannot("nested") },
  };

  get #link() {
    return this.element.querySelector(":scope > a[data-link]");
  }

  // What a link to the widget carries: name=value&…, for each field that a reader can change and that is not as the
  // author left it, the value serialized as JSON.
  serialize() {
    const values = linked(this.#author._bounds).map((name) => [name, JSON.stringify(this.model.get(name))]);
    return String(new URLSearchParams(values.filter(([name, value]) => value !== JSON.stringify(this.#author[name]))));
  }

  // What such a link says: only what a reader can change is taken, in the form that it has, within its bounds.
  parse(query) {
    const changes = {};
    const bounds = this.#author._bounds ?? {};
    for (const [name, text] of new URLSearchParams(query)) {
      try {
        const value = JSON.parse(text, finite);
        const none = value === null && text === "null" && bounds[name]?.nullable;
        const fits = none || this.#author[name] === null || kind(value) === kind(this.#author[name]);
        if (fits && bounds[name]?.link && !fault(name, value, bounds[name])) changes[name] = value;
      } catch {
        /* not JSON: as if it were not there */
      }
    }
    return changes;
  }

  // Show what the address says, if it speaks of this widget, or else what this browser remembers of it.
  // A widget that lives takes back the author's values first: a link names only what differs from them.
  visit(lives = false) {
    const { id, query } = this.settings.address.read();
    const names = lives ? linked(this.#author._bounds) : [];
    const start = Object.fromEntries(names.map((name) => [name, this.#author[name]]));
    const shared = id === this.element.id && query;
    this.#looks = Boolean(shared);
    try {
      this.model.set({ ...start, ...this.parse(shared || this.#remembered()) });
    } finally {
      this.#looks = false;
    }
    this.model.save_changes();
  }

  // The link beside a widget leads to what it shows now; the browser's storage keeps that, if the page wants it and it
  // is the reader's own.
  share(own) {
    const query = this.serialize();
    this.#link?.setAttribute("href", this.settings.address.write(this.element.id, query));
    this.#link?.setAttribute("aria-label", query ? this.settings.words.shown : this.settings.words.link);
    const key = this.#storage_key();
    if (key === null || !own) return;
    try {
      if (query) localStorage.setItem(key, JSON.stringify([JSON.stringify(this.#author), query]));
      else localStorage.removeItem(key);
    } catch {
      /* switched off, or full */
    }
  }

  #storage_key() {
    return this.settings.storageKey(this.element, linked(this.#author._bounds));
  }

  #remembered() {
    try {
      const [author, query] = JSON.parse(localStorage.getItem(this.#storage_key()));
      return author === JSON.stringify(this.#author) ? query : "";
    } catch {
      return ""; // nothing there, switched off, or not ours
    }
  }
}

// A module that is a text. It may need code from other sites, which are named when it cannot be loaded.
export async function from_text(text, sites) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await import(address);
  } catch (error) {
    const missing = sites.length && error instanceof TypeError; // what an import raises
    throw missing ? new Error(`it needs ${sites.join(" and ")}`, { cause: error }) : error;
  } finally {
    URL.revokeObjectURL(address);
  }
}

// 1e999 is JSON, but what it stands for is not.
function finite(_, value) {
  return value === Infinity || value === -Infinity ? null : value;
}

function kind(value) {
  return Array.isArray(value) ? "array" : typeof value;
}
