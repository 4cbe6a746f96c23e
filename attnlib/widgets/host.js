// Mounts every widget of a static page, with the module that Jupyter uses, when it comes near the screen.
// The state lives in the page: there is no kernel, and nothing is fetched.

class PageModel {
  #state;
  #listeners = new Map();
  #pending = false;
  constructor(state) { this.#state = state; }
  get(name) { return this.#state[name]; }
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
  on(name, listener) { this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]); }
  off(name, listener) { this.#listeners.set(name, (this.#listeners.get(name) ?? []).filter((other) => other !== listener)); }
  #emit(name) { for (const listener of this.#listeners.get(name) ?? []) listener(); }
}

function mount(root) {
  if (root.dataset.widgetMounted) return;
  root.dataset.widgetMounted = "true";
  const el = document.createElement("div");
  try {
    const state = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    widgets[root.dataset.widget].render({ model: new PageModel(state), el });
    const focused = root.contains(document.activeElement);
    root.replaceChildren(...root.querySelectorAll(":scope > .headerlink"), el);
    if (focused) el.querySelector("[tabindex='0'], input, button")?.focus(); // the table that had it is gone
  } catch (error) {
    console.error(`widget ${root.dataset.widget}:`, error); // the table stays
  }
}

const roots = [...document.querySelectorAll("[data-widget]")];
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) {
    near.unobserve(entry.target);
    mount(entry.target);
  }
}, { rootMargin: "600px" });
roots.forEach((root) => near.observe(root));
addEventListener("beforeprint", () => roots.forEach(mount));
