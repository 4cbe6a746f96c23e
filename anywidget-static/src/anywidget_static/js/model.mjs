// The model that a widget is given in a page without Jupyter: anywidget's interface, with Backbone's order of events.

// A back end may have `save(changes)`, for what save_changes sends, `send(content, buffers)`, for custom messages, and
// a `widget_manager`, with the models of other widgets.
// What comes from there goes to `receive(state)` and `emit("msg:custom", content, buffers)`.
export class Model {
  #state;
  #backend;
  #unsaved = {};
  #listeners = new Map(); // by event: [callback, context] each

  constructor(state, backend = {}) {
    this.#state = state;
    this.#backend = backend;
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    const given = typeof name === "string" ? { [name]: value } : name;
    Object.assign(this.#unsaved, given);
    this.receive(given);
  }

  // New values, which are not sent back: an event for each, then one for all.
  receive(given) {
    const changed = Object.entries(given).filter(([name, value]) => !same(this.#state[name], value));
    for (const [name, value] of changed) this.#state[name] = value;
    for (const [name, value] of changed) this.emit(`change:${name}`, this, value);
    if (changed.length) this.emit("change", this);
  }

  // What a widget that shows another inside itself asks for.
  get widget_manager() {
    return this.#backend.widget_manager;
  }

  save_changes() {
    const changes = this.#unsaved;
    this.#unsaved = {};
    this.#backend.save?.(changes);
  }

  send(content, _callbacks, buffers = []) {
    this.#backend.send?.(content, buffers);
  }

  on(names, callback, context) {
    for (const name of names.split(" ")) {
      if (!this.#listeners.has(name)) this.#listeners.set(name, []);
      this.#listeners.get(name).push([callback, context]);
    }
  }

  // What is left out stands for any: off() forgets every listener.
  off(names, callback, context) {
    const goes = ([other, theirs]) => other === (callback ?? other) && theirs === (context ?? theirs);
    for (const name of names?.split(" ") ?? [...this.#listeners.keys()]) {
      const left = (this.#listeners.get(name) ?? []).filter((listener) => !goes(listener));
      this.#listeners.set(name, left);
    }
  }

  emit(name, ...values) {
    for (const [callback, context] of [...(this.#listeners.get(name) ?? [])]) callback.apply(context ?? this, values);
  }
}

// As in Backbone, a list that holds what the old one held is no change: else listeners that set one would never end.
// Bytes are not compared: what holds some is new.
function same(one, other) {
  if (Object.is(one, other)) return true;
  const both = [one, other];
  const plain = both.every((value) => value && typeof value === "object");
  return plain && JSON.stringify(one) === JSON.stringify(other) && !both.some(holds_bytes);
}

function holds_bytes(value) {
  return (
    ArrayBuffer.isView(value) || (value !== null && typeof value === "object" && Object.values(value).some(holds_bytes))
  );
}

const HIDDEN = /^(_(?!bounds$)|tooltip$)/; // page.py has the same rule

// A model whose widget sends texts, lists and objects as JSON (widget.py), with the values that these stand for.
export function unpacked(model) {
  const known = new Map(); // by name: [text, value]
  const get = (name) => {
    const text = model.get(name);
    if (typeof text !== "string" || HIDDEN.test(name)) return text;
    if (known.get(name)?.[0] !== text) known.set(name, [text, JSON.parse(text)]);
    return known.get(name)[1];
  };
  const is_json = (value) => typeof value === "string" || (value === Object(value) && !holds_bytes(value));
  const packed = (name, value) => (is_json(value) && !HIDDEN.test(name) ? JSON.stringify(value) : value);
  const set = (name, value) => {
    const given = typeof name === "string" ? { [name]: value } : name;
    model.set(Object.fromEntries(Object.entries(given).map(([key, one]) => [key, packed(key, one)])));
  };
  const own = (value) => (typeof value === "function" ? value.bind(model) : value);
  return new Proxy(model, { get: (_, name) => ({ get, set })[name] ?? own(model[name]) });
}

// A widget as anywidget takes it: the default export, or a function that makes it, or (older) the module itself. A
// module may come late too: from a function that loads it.
export async function definition(given) {
  const made = await (typeof given === "function" ? given() : given);
  return made.default ? definition(made.default) : made;
}
