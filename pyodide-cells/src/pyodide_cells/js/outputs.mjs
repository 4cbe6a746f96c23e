// How what a cell puts out becomes part of the page. Nothing of it becomes HTML of the page itself: text is text, HTML
// stands in a frame without scripts, and drawings are images.

import { make } from "./dom.mjs";

const MOST = 200_000; // characters of one run
const SHOWN = 2_000; // what anything but text counts for
const CUT = `The output is longer than ${MOST.toLocaleString("en")} characters. The rest of it is not shown.`;
const WIDGET = "application/vnd.jupyter.widget-view+json";
const STREAMS = "stream highlight-myst-ansi notranslate";
const ERRORS = "traceback highlight-ipythontb notranslate";
const PLAIN = "text_plain highlight-myst-ansi notranslate";
const INSIDE = "default-src 'none'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:";

// The outputs of one cell, in an element that may hold those of the build. They stay until there are others.
export class Outputs {
  #built;
  #alts;
  #old = true; // what stands there is of an earlier run
  #left = MOST;
  #room = MOST; // for errors
  #full = false;
  #waiting = [];
  #frame = 0;
  #ends = []; // what ends the widgets that stand there

  // `name` says whose outputs they are; `updatable` maps the ids of a page's displays to their places.
  constructor(element, { name, mount, updatable = new Map() }) {
    Object.assign(this, { element, name, mount, updatable });
    this.#built = [...element.childNodes];
    this.#alts = [...element.querySelectorAll(":scope > img")].map((image) => image.alt);
  }

  // A run of the cell begins; where its code is the book's own, its figures are described by the book's words.
  begin(unchanged) {
    this.#flush();
    this.#old = true;
    this.#allow();
    this.alts = unchanged ? [...this.#alts] : [];
  }

  add(output) {
    if (output.type === "clear") {
      this.#waiting = [output];
      this.#allow();
    } else if (output.type === "error" && output.text.length <= this.#room) {
      this.#room -= output.text.length; // what ended a run is said, however much stands before it
      this.#waiting.push(output);
    } else if (!this.#full) this.#take(output);
    this.#frame ||= requestAnimationFrame(() => this.#flush());
  }

  // The run is over. Where it came to its own end, what stands there from before is not its output.
  end(whole) {
    this.#flush();
    if (this.#old && whole) this.#empty();
  }

  // Show what the build left.
  restore() {
    this.#waiting = [];
    this.#empty();
    this.element.replaceChildren(...this.#built);
    this.#old = true;
  }

  // Whether widgets stand there.
  get live() {
    return this.#ends.length > 0;
  }

  #allow() {
    this.#left = this.#room = MOST;
    this.#full = false;
  }

  // What fits into what is left; then one sentence, and nothing more.
  #take(output) {
    const { text } = output;
    const cost = text?.length ?? SHOWN;
    if (cost > this.#left) {
      this.#full = true;
      if (text && this.#left) this.#waiting.push({ ...output, text: text.slice(0, this.#left) });
      this.#waiting.push({ type: "cut" });
    } else {
      this.#left -= cost;
      this.#waiting.push(output);
    }
  }

  #flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (const output of this.#waiting.splice(0)) {
      if (output.type === "clear") this.#old = true;
      else this.#show(output);
    }
    for (const pre of this.element.querySelectorAll("pre")) if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0; // the keyboard reaches what scrolls
  }

  #show(output) {
    const place = output.id && this.updatable.get(output.id);
    if (place?.isConnected) return place.replaceChildren(...this.#parts(output));
    if (this.#old) this.#empty();
    const last = this.element.lastElementChild;
    if (output.type === "stream" && last?.dataset.stream === output.name) last.querySelector("pre").append(output.text);
    else this.element.append(...this.#placed(output));
  }

  #placed(output) {
    const parts = this.#parts(output);
    if (!output.id) return parts;
    const place = make("div", {}, ...parts);
    this.updatable.set(output.id, place);
    return [place];
  }

  #parts({ type, name, text, data = {} }) {
    if (type === "cut") return [make("p", { className: "cell-says", textContent: CUT })];
    if (type === "error") return [box(ERRORS, text)];
    if (type === "stream") {
      const stream = box(name === "stderr" ? `${STREAMS} stderr` : STREAMS, text);
      stream.dataset.stream = name;
      return [stream];
    }
    if (data[WIDGET]) return [this.#widget(data[WIDGET].model_id)];
    if (data["text/html"]) return [frame(data["text/html"], this.name)];
    if (data["image/svg+xml"]) return [this.#figure(data["image/svg+xml"])];
    return [box(PLAIN, data["text/plain"] ?? "")];
  }

  #widget(id) {
    const home = make("div", { className: "output text_html" });
    const started = this.mount(home, id);
    this.#ends.push(() => started.then((end) => end?.()).catch(() => {}));
    started.catch((error) => home.replaceChildren(make("p", { className: "cell-says", textContent: error.message })));
    return home;
  }

  #figure(svg) {
    const alt = this.alts?.shift() ?? `What ${this.name} draws`;
    return make("img", { alt, src: `data:image/svg+xml,${encodeURIComponent(svg)}#.svg` }); // the book's figures end so
  }

  #empty() {
    this.#old = false;
    for (const end of this.#ends.splice(0)) end();
    this.element.replaceChildren();
  }
}

// Text as MyST-NB writes it.
function box(classes, text) {
  const pre = make("pre", {}, text);
  return make("div", { className: `output ${classes}` }, make("div", { className: "highlight" }, pre));
}

// HTML that can do nothing, in the page's own style and as high as it is.
function frame(html, name) {
  const made = make("iframe", { className: "cell-frame", title: `Output of ${name}` });
  made.setAttribute("sandbox", "allow-same-origin"); // for its height to be known; a script does not run in it
  made.srcdoc = documented(
    html,
    [...document.querySelectorAll("link[rel=stylesheet]")].map(({ href }) => href),
    document.documentElement.dataset.theme,
  );
  const fit = () => {
    const body = made.contentDocument?.body;
    if (body) made.style.height = `${Math.ceil(body.getBoundingClientRect().height)}px`;
  };
  made.addEventListener("load", () => {
    fit();
    if (made.contentDocument?.body) new ResizeObserver(fit).observe(made.contentDocument.body);
  });
  return make("div", { className: "output text_html" }, made);
}

// A whole document around the HTML of an output.
export function documented(html, styles, theme) {
  const look = theme ? ` data-theme="${quoted(theme)}"` : "";
  const links = styles.map((href) => `<link rel="stylesheet" href="${quoted(href)}">`).join("");
  return (
    `<!doctype html><html lang="en" class="cell-frame-inside"${look}><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${INSIDE}">` +
    `<base target="_blank"><title>Output</title>${links}` +
    `<body><main class="cell_output"><div class="output text_html">${html}</div></main></body></html>`
  );
}

const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

// The frames of a page take its colours when these change.
export function follow_colours(root) {
  const follow = () => {
    const { theme } = root.documentElement.dataset;
    for (const { contentDocument } of root.querySelectorAll(".cell-frame")) {
      const inside = contentDocument?.documentElement;
      if (theme) inside?.setAttribute("data-theme", theme);
      else inside?.removeAttribute("data-theme");
    }
  };
  new MutationObserver(follow).observe(root.documentElement, { attributeFilter: ["data-theme"] });
}
