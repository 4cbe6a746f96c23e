// Mounts every widget of a static page, with the module that Jupyter uses, when it comes near the screen.
// The state lives in the page, or, when it is large, in a script beside it: there is no kernel.

class PageModel {
  #state;
  #listeners = new Map();
  #pending = false;
  constructor(state) {
    this.#state = state;
  }
  get(name) {
    return this.#state[name];
  }
  set(name, value) {
    if (Object.is(this.#state[name], value)) return;
    this.#state[name] = value;
    this.#emit(`change:${name}`);
    this.#pending = true;
  }
  save_changes() {
    if (!this.#pending) return;
    this.#pending = false;
    this.#emit("change");
  }
  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }
  off(name, listener) {
    this.#listeners.set(
      name,
      (this.#listeners.get(name) ?? []).filter((other) => other !== listener),
    );
  }
  #emit(name) {
    for (const listener of this.#listeners.get(name) ?? []) listener();
  }
}

// What a shared address says of a widget: #id?name=value&…, each value as JSON. Only what a reader can change is taken,
// and only in the form that it has.
function address() {
  const [id, ...query] = location.hash.slice(1).split("?");
  try {
    return { id: decodeURIComponent(id), query: query.join("?") };
  } catch {
    return { id, query: "" };
  }
}

function shared(root, state) {
  const { id, query } = address();
  const taken = {};
  for (const [name, text] of new URLSearchParams(id === root.id && query ? query : remembered(root, state))) {
    try {
      const value = JSON.parse(text, finite);
      if (
        widgets[root.dataset.widget].changes.includes(name) &&
        (state[name] === null || kind(value) === kind(state[name]))
      )
        taken[name] = value;
    } catch {
      /* not JSON: as if it were not there */
    }
  }
  return taken;
}

// 1e999 is JSON, but what it stands for is not.
function finite(_, value) {
  return value === Infinity || value === -Infinity ? null : value;
}

function kind(value) {
  return Array.isArray(value) ? "array" : typeof value;
}

// An answer to a question stays in this browser, as the query of a link to it, beside the question that it answers.
const place = (root) => `attention-book:${document.documentElement.dataset.page ?? location.pathname}#${root.id}`;
const asks = (root) => widgets[root.dataset.widget].changes.includes("answer");

function remembered(root, state) {
  if (!asks(root)) return "";
  try {
    const [asked, query] = JSON.parse(localStorage.getItem(place(root))) ?? [];
    return asked === JSON.stringify(state) ? query : "";
  } catch {
    return ""; // switched off, or not ours
  }
}

function remember(root, state, query) {
  try {
    if (query) localStorage.setItem(place(root), JSON.stringify([JSON.stringify(state), query]));
    else localStorage.removeItem(place(root));
  } catch {
    /* switched off */
  }
}

// The link beside a widget leads to what it shows now.
function share(root, model, state) {
  const link = root.querySelector(":scope > .headerlink");
  const changed = widgets[root.dataset.widget].changes.filter(
    (name) => JSON.stringify(model.get(name)) !== JSON.stringify(state[name]),
  );
  const query = new URLSearchParams(changed.map((name) => [name, JSON.stringify(model.get(name))]));
  link?.setAttribute("href", `#${root.id}${changed.length ? `?${query}` : ""}`);
  link?.setAttribute("aria-label", changed.length ? "Link to what this widget shows now" : "Link to this widget");
  if (asks(root)) remember(root, state, `${query}`);
}

const models = new Map();
const stateOf = (root) => root.querySelector("script[type='application/json']");

function mount(root) {
  const written = !root.dataset.widgetMounted && stateOf(root).textContent;
  if (!written) return; // it is there, or its state still on the way
  root.dataset.widgetMounted = "true";
  const el = document.createElement("div");
  try {
    const state = JSON.parse(written);
    const model = new PageModel({ ...state });
    models.set(root, { model, state });
    root.append(el); // in the page before it draws, so that it has a style
    widgets[root.dataset.widget].render({ model, el });
    model.on("change", () => share(root, model, state));
    visit(root);
    const focused = root.contains(document.activeElement);
    root.replaceChildren(...root.querySelectorAll(":scope > .headerlink"), el);
    if (focused) el.querySelector("[tabindex='0'], input, button")?.focus(); // the table that had it is gone
  } catch (error) {
    el.remove(); // the table stays
    console.error(`widget ${root.dataset.widget}:`, error);
  }
}

// Show what the address says, if it speaks of this widget. "Start again" still leads back to the author's state.
function visit(root) {
  const { model, state } = models.get(root);
  for (const [name, value] of Object.entries(shared(root, state))) model.set(name, value);
  model.save_changes();
}

function follow() {
  const { id, query } = address();
  const root = query && roots.find((root) => root.id === id);
  if (!root) return;
  if (root.dataset.widgetMounted) visit(root);
  else mount(root);
  root.scrollIntoView();
}

const roots = [...document.querySelectorAll("[data-widget]")];
const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        near.unobserve(entry.target);
        mount(entry.target);
      }
  },
  { rootMargin: "600px" },
);
for (const root of roots) {
  const { state } = stateOf(root).dataset;
  if (!state) near.observe(root);
  else
    addEventListener("load", () => {
      // the page itself comes first
      const script = document.createElement("script");
      script.src = state;
      script.onload = () => {
        near.observe(root);
        if (address().id === root.id) follow();
      };
      document.head.append(script);
    });
}
follow();
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => roots.forEach(mount));
