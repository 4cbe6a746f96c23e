// What stands at the bottom of the window once Python was asked for: what it does, and what can be done with all of it.

import { button, keep_focus, make } from "./dom.mjs";

const MEGA = 1e6;
const STATES = {
  off: "Python is off.",
  loading: "Python is on its way.",
  ready: "Python is ready.",
  running: "Python runs.",
};

export class Strip {
  // `acts` are what its buttons do: stop, again, keep (or null), forget.
  constructor(acts) {
    this.text = make("span", { className: "strip-text" });
    this.bar = make("progress", { max: 1, value: 0, hidden: true, ariaLabel: "Loading Python" });
    this.stop = button("Stop", acts.stop);
    this.again = button("Start again", acts.again);
    this.note = make("span", { className: "strip-note", hidden: true });
    this.forget = button("Forget my changes", () => this.#forget(acts.forget));
    this.forget.addEventListener("blur", () => this.#ask(false));
    const more = make("span", { className: "strip-more" });
    if (acts.keep) more.append(button("Keep as notebook", acts.keep));
    more.append(this.forget);
    this.toggle = button("More", () =>
      this.toggle.setAttribute("aria-expanded", this.element.classList.toggle("open")),
    );
    this.toggle.className = "strip-toggle";
    this.toggle.setAttribute("aria-expanded", "false");
    const parts = [this.text, this.bar, this.note, this.stop, this.again, this.toggle, more];
    this.element = make("section", { className: "python-strip", ariaLabel: "Python in this page" }, ...parts);
    this.state("off");
    this.element.hidden = true;
  }

  state(state, runs = "") {
    this.element.hidden = false;
    this.text.textContent = state === "running" && runs ? `${runs} runs.` : STATES[state];
    this.bar.hidden = state !== "loading";
    this.bar.removeAttribute("value"); // how far is not known yet
    this.again.textContent = state === "off" ? "Start Python" : "Start again";
    this.#keep_focus(() => {
      this.stop.hidden = state !== "running" && state !== "loading";
      this.again.hidden = state === "loading";
    });
  }

  progress(loaded, total) {
    const all = loaded >= total;
    const size = `${(loaded / MEGA).toFixed(1)} of ${(total / MEGA).toFixed(1)} MB`;
    this.text.textContent = all ? "Python is here, and starts." : `Python is on its way: ${size}.`;
    this.bar.value = Math.min(1, loaded / total);
  }

  // A sentence beside the state, or none.
  say(sentence) {
    this.element.hidden &&= !sentence;
    this.note.textContent = sentence;
    this.note.hidden = !sentence;
  }

  changes(some) {
    this.element.hidden &&= !some;
    this.#keep_focus(() => {
      this.forget.hidden = !some;
    });
  }

  #keep_focus(act) {
    keep_focus(this.element, () => (this.again.hidden ? this.stop : this.again), act);
  }

  // The first press asks, the second does it.
  #forget(act) {
    const asked = Boolean(this.forget.dataset.asks);
    this.#ask(!asked); // before the act, which hides the button
    if (asked) act();
  }

  #ask(asks) {
    if (asks) this.forget.dataset.asks = "yes";
    else delete this.forget.dataset.asks;
    this.forget.textContent = asks ? "Really forget them" : "Forget my changes";
  }
}
