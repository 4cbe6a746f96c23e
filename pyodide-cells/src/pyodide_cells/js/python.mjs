// The page's side of Python: it starts the worker, asks it to run cells, and keeps the widgets that they make.

import { definition, Model, unpacked } from "anywidget_static/model.mjs";
import { bring_style } from "./dom.mjs";

const FOREIGN =
  "This widget brings a script of its own, and a page runs no script but the book's. " +
  "The book's widgets work here; this one does in Jupyter, and its Python object in the cells.";
const STOPPED = "Python was stopped: what ran before is gone, and can be run again.";

export class Python extends EventTarget {
  state = "off"; // "loading", "ready", "running"
  cells = [];
  ran = new Set(); // the cells that ran, or whose results were handed on, since Python started
  #base;
  #page;
  #worker = null;
  #started = null;
  #ended = new AbortController(); // for a start that is under way when all is ended
  #calls = new Map(); // what is awaited of the worker, by number
  #number = 0;
  #models = new Map();
  #widgets = null; // the promise of all that one may be
  #lost = 0; // how often that failed

  constructor(base, page) {
    super();
    this.#base = new URL(base, location.href).href;
    this.#page = `${this.#base}pages/${page.replaceAll("/", "-")}`;
  }

  // The page's cells, as the book has them.
  async load() {
    if (!this.cells.length) this.cells = (await this.#json(`${this.#page}.json`)).cells;
  }

  start() {
    if (!this.#started) {
      this.#ended = new AbortController();
      const { signal } = this.#ended;
      const started = Promise.race([this.#start(signal), aborted(signal)]);
      this.#started = started;
      started.catch((error) => this.#started === started && this.#end(error.message));
    }
    return this.#started;
  }

  async #start(signal) {
    this.#set("loading");
    await this.load();
    signal.throwIfAborted();
    const manifest = await this.#json(`${this.#base}manifest.json`);
    signal.throwIfAborted();
    await offline(new URL("../../sw.js", this.#base), manifest.version);
    signal.throwIfAborted();
    this.#worker = new Worker(`${this.#base}worker.js`, { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#hear(data ?? {});
    this.#worker.onerror = (event) => {
      if (this.state !== "loading") return; // a cell's own, in what it gave to the browser: the console has it
      event.preventDefault();
      this.#end(`Python could not be started: ${event.message ?? "its worker did not load"}.`);
    };
    await this.#ask({ type: "start", base: this.#base, manifest });
    this.#set("ready");
    keep(this.#base, this.#page);
  }

  // Run a cell. `cell` is its number where the source is that of a cell of the book, perhaps changed.
  async run(id, source, cell) {
    try {
      await this.start();
      const original = this.cells[cell]?.source;
      const call = this.#ask({ type: "run", id: `${id}`, source, cell, original, page: this.#page });
      this.#set("running");
      const ended = await call;
      if (cell !== undefined && (ended.status === "ok" || ended.handed)) this.ran.add(cell);
      return ended;
    } catch (error) {
      return { status: error.status ?? "failed", message: error.message };
    } finally {
      if (this.state === "running" && !this.#calls.size) this.#set("ready");
    }
  }

  // End the worker, whatever it does.
  stop() {
    this.#end(STOPPED, "stopped");
  }

  // Show a widget of Python's in an element. Returns what ends it.
  async mount(element, id) {
    const { model, module } = this.#models.get(id) ?? {};
    const { widgets = {} } = (module && (await this.#library())) || {};
    const given = Object.hasOwn(widgets, module) && widgets[module];
    if (!given) throw new Error(FOREIGN);
    const ended = new AbortController();
    const cannot = async () => {
      throw new Error("This needs Jupyter.");
    };
    const widget = await definition(given);
    const shared = { model: unpacked(model), signal: ended.signal, experimental: { invoke: cannot } };
    const cleans = [await widget.initialize?.(shared)];
    cleans.push(await widget.render?.({ ...shared, el: element, host: { getModel: cannot, getWidget: cannot } }));
    return () => {
      ended.abort();
      for (const clean of cleans) clean?.();
    };
  }

  // All that a widget of Python's may be, with its style: the page brings those of its own alone.
  #library() {
    const there = `${this.#base}widgets/widgets`;
    const again = this.#lost ? `?${this.#lost}` : ""; // a browser may remember that an address has failed
    this.#widgets ??= Promise.all([import(`${there}.js${again}`), bring_style(`${there}.css`)]).then(
      ([found]) => found,
      () => {
        this.#widgets = null;
        this.#lost++;
        throw new Error("This widget could not be loaded. Is there a connection? Run its cell again.");
      },
    );
    return this.#widgets;
  }

  #set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      const call = ++this.#number;
      this.#calls.set(call, { resolve, reject });
      this.#worker.postMessage({ ...message, call });
    });
  }

  #hear({ type, call, result, message, ...rest }) {
    const answer = this.#calls.get(call);
    if (type === "done" || type === "failed") this.#calls.delete(call);
    if (type === "done") answer?.resolve(result);
    else if (type === "failed") answer?.reject(new Error(message));
    else if (type === "died") this.#end(message, "died");
    else if (type === "comm") this.#hear_comm(rest);
    else if (type === "progress" || rest.output?.type) this.#tell(type, rest); // a cell can post anything
  }

  // The worker is ended; all that waits for it hears why, and the next run starts anew.
  #end(message, status = "failed") {
    this.#worker?.terminate();
    this.#worker = this.#started = null;
    const error = () => Object.assign(new Error(message), { status });
    this.#ended.abort(error());
    this.ran.clear();
    this.#models.clear();
    const waiting = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of waiting) reject(error());
    this.#set("off");
  }

  async #json(url) {
    const response = await fetch(url, { cache: "no-cache" }).catch(() => null); // they say what is of this build
    if (!response) throw new Error("Python could not be loaded: there is no network.");
    if (!response.ok) throw new Error(`Python could not be loaded: this site has no ${url.split("/").at(-1)}.`);
    return response.json();
  }

  // A widget's model speaks to Python in Jupyter's own words.
  #hear_comm({ kind, id, data, buffers }) {
    if (kind === "comm_close") this.#models.delete(id);
    else if (kind === "comm_open") {
      const send = (content, sent = []) =>
        this.#worker?.postMessage({ type: "comm", comm: id, content, buffers: sent });
      const backend = {
        save: (state) => Object.keys(state).length && send({ method: "update", state, buffer_paths: [] }),
        send: (content, sent) => send({ method: "custom", content }, sent),
      };
      const state = filled(data.state, data.buffer_paths, buffers);
      this.#models.set(id, { model: new Model(state, backend), module: state._module });
    } else if (data.method === "update")
      this.#models.get(id)?.model.receive(filled(data.state, data.buffer_paths, buffers));
    else if (data.method === "custom") this.#models.get(id)?.model.emit("msg:custom", data.content, buffers);
  }
}

// Rejects when a signal says so, with its reason.
const aborted = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

// Bytes in their places in a state.
function filled(state, paths = [], buffers = []) {
  paths.forEach((path, i) => {
    const own = (part, key) => (Object.hasOwn(part, key) ? part[key] : {}); // never what all objects share
    const parent = path.slice(0, -1).reduce(own, state);
    parent[path.at(-1)] = new DataView(buffers[i].buffer, buffers[i].byteOffset, buffers[i].byteLength);
  });
  return state;
}

// A service worker keeps what Python is made of, and the pages that were read, for when there is no network.
async function offline(url, version) {
  try {
    const { active } = await navigator.serviceWorker.register(url);
    if (!navigator.serviceWorker.controller)
      await new Promise((done) => {
        navigator.serviceWorker.addEventListener("controllerchange", done, { once: true });
        setTimeout(done, 2000); // then without it
        active?.postMessage("claim");
      });
    navigator.serviceWorker.controller?.postMessage({ version });
  } catch {
    /* a private window, or a site without a certificate: Python comes over the network each time */
  }
}

// What this page was made of came before the service worker did; what is loaded on demand may come later. On a slow
// machine the worker, too, may come later than Python.
async function keep(base, page) {
  const unused = ["editor.js", "widgets/widgets.js", "widgets/widgets.css"].map((name) => base + name);
  const later = [...document.querySelectorAll("[data-rest]")].map(
    ({ dataset }) => new URL(dataset.state, location).href,
  );
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const urls = [...later, ...unused, `${page}.values`, ...loaded];
  const { active } = (await navigator.serviceWorker?.ready) ?? {};
  active?.postMessage({ keep: [location.href.split("#")[0], ...urls].filter((url) => url.startsWith(origin)) });
}
