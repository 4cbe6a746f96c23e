// Mounts every widget of a static page, with the module that Jupyter uses, when it comes near the screen.
// The state lives in the page, or, when it is large, in a script beside it: there is no kernel.

// The part of a Jupyter model that widgets use.
class PageModel extends EventTarget {
  #state;
  #pending = false;
  constructor(state) {
    super();
    this.#state = state;
  }
  get(name) {
    return this.#state[name];
  }
  set(name, value) {
    if (Object.is(this.#state[name], value)) return;
    this.#state[name] = value;
    this.dispatchEvent(new Event(`change:${name}`));
    this.#pending = true;
  }
  save_changes() {
    const pending = this.#pending;
    this.#pending = false;
    if (pending) this.dispatchEvent(new Event("change"));
  }
  on(name, listener) {
    this.addEventListener(name, listener);
  }
  off(name, listener) {
    this.removeEventListener(name, listener);
  }
}

// What a link to a widget carries: #id?name=value&…, for each of its `changes` that is not as the author left it, the
// value serialized as JSON.
function serialize(root, model, state) {
  const values = changes_of(root).map((name) => [name, JSON.stringify(model.get(name))]);
  return String(new URLSearchParams(values.filter(([name, value]) => value !== JSON.stringify(state[name]))));
}

// What such a link says: only what a reader can change is taken, and only in the form that it has.
function parse(root, query, state) {
  const changes = {};
  for (const [name, text] of new URLSearchParams(query)) {
    try {
      const value = JSON.parse(text, finite);
      const fits = state[name] === null || kind(value) === kind(state[name]);
      if (fits && changes_of(root).includes(name)) changes[name] = value;
    } catch {
      /* not JSON: as if it were not there */
    }
  }
  return changes;
}

function changes_of(root) {
  return widgets[root.dataset.widget].changes;
}

// 1e999 is JSON, but what it stands for is not.
function finite(_, value) {
  return value === Infinity || value === -Infinity ? null : value;
}

function kind(value) {
  return Array.isArray(value) ? "array" : typeof value;
}

function address() {
  const [id, ...query] = location.hash.slice(1).split("?");
  try {
    return { id: decodeURIComponent(id), query: query.join("?") };
  } catch {
    return { id, query: "" };
  }
}

// An answer to a question stays in this browser's storage, as the query of a link to it, beside the question.
const storage_key = (root) => `attention-book:${document.documentElement.dataset.page ?? location.pathname}#${root.id}`;
const is_question = (root) => changes_of(root).includes("answer");

function remembered(root, state) {
  if (!is_question(root)) return "";
  try {
    const [question, query] = JSON.parse(localStorage.getItem(storage_key(root)));
    return question === JSON.stringify(state) ? query : "";
  } catch {
    return ""; // nothing there, switched off, or not ours
  }
}

function remember(root, state, query) {
  try {
    if (query) localStorage.setItem(storage_key(root), JSON.stringify([JSON.stringify(state), query]));
    else localStorage.removeItem(storage_key(root));
  } catch {
    /* switched off */
  }
}

// The link beside a widget leads to what it shows now.
function share(root, model, state) {
  const link = root.querySelector(":scope > .headerlink");
  const query = serialize(root, model, state);
  link?.setAttribute("href", `#${root.id}${query && `?${query}`}`);
  link?.setAttribute("aria-label", query ? "Link to what this widget shows now" : "Link to this widget");
  if (is_question(root)) remember(root, state, query);
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

// Show what the address says, if it speaks of this widget, or else the answer that this browser remembers.
// "Start again" still leads back to the author's state.
function visit(root) {
  const { model, state } = models.get(root);
  const { id, query } = address();
  const changes = parse(root, (id === root.id && query) || remembered(root, state), state);
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
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
const mount_near = (entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    mount(target);
  }
};
const near = new IntersectionObserver(mount_near, { rootMargin: "600px" });
// A state beside the page: the page itself comes first.
const load = (root, src) => {
  const onload = () => {
    near.observe(root);
    if (address().id === root.id) follow();
  };
  document.head.append(Object.assign(document.createElement("script"), { src, onload }));
};
for (const root of roots) {
  const { state } = stateOf(root).dataset;
  if (state) addEventListener("load", () => load(root, state));
  else near.observe(root);
}
follow();
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => roots.forEach(mount));
