// A stand-in for Python: a line of source `out {…}` puts that out, `end {…}` is the result, `wait` waits for release().
export class Python extends EventTarget {
  state = "off";
  cells = [];
  #release = null;
  constructor(base, page) {
    super();
    this.base = base;
    this.page = page;
    globalThis.python = this;
    this.log = [];
  }
  async load() {
    const response = await fetch(`${this.base}pages/${this.page.replaceAll("/", "-")}.json`).catch(() => null);
    if (!response?.ok) throw new Error("Python could not be loaded: there is no network.");
    this.cells = (await response.json()).cells;
  }
  #set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
  async #start() {
    await null; // whoever asked has what it awaits
    this.#set("loading");
    if (globalThis.slow) {
      this.dispatchEvent(new CustomEvent("progress", { detail: { loaded: 3_200_000, total: 9_100_000 } }));
      await new Promise((done) => { globalThis.loaded = done; });
    }
    if (globalThis.fault) {
      this.started = null;
      this.#set("off");
      throw new Error(globalThis.fault);
    }
    this.#set("ready");
  }
  start() {
    return (this.started ??= this.#start());
  }
  async run(id, source, cell) {
    try {
      await this.start();
    } catch (error) {
      return { status: "failed", message: error.message };
    }
    this.log.push([id, source, cell]);
    this.#set("running");
    let result = { status: "ok", ms: 12 };
    for (const line of source.split("\n")) {
      const [what, json] = [line.split(" ")[0], line.slice(line.indexOf(" ") + 1)];
      if (what === "out") this.dispatchEvent(new CustomEvent("output", { detail: { id, output: JSON.parse(json) } }));
      if (what === "end") result = { ms: 1, ...JSON.parse(json) };
      if (what === "wait") {
        const stopped = await new Promise((done) => { this.#release = done; globalThis.release = done; });
        if (stopped) return stopped;
      }
    }
    if (result.status === "died") this.#end();
    else this.#set("ready");
    return result;
  }
  #end() {
    this.started = null;
    this.#set("off");
  }
  stop() {
    this.#release?.({ status: "stopped", message: "Python was stopped." });
    this.#end();
  }
  async mount(element, model) {
    if (model === "none") throw new Error("This widget is none of the book's own: it needs Jupyter.");
    element.textContent = `widget ${model}`;
    return () => { globalThis.ended = model; };
  }
}
