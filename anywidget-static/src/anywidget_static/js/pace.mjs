// When a widget draws: not while it is out of sight. While an input moves, that is while a pointer is held down on it, a
// key repeats or a text is typed, it draws at most twice in a frame, and may paint what is seen and write what is read
// when that rests.

const REST = 120; // milliseconds after the last input
const SLICE = 2; // milliseconds of writing in a frame
const NEAR = "200px"; // of the screen: as good as seen
const CALM = "(prefers-reduced-motion: reduce), (forced-colors: active)"; // wanted by a reader: nothing is painted
const paces = new WeakMap(); // by the element of the widget
const pace_of = (node) => paces.get(node.closest("[data-paced]"));

// Whether an input of the widget around a node moves.
export const is_moving = (node) => pace_of(node)?.is_moving() ?? false;

// Write a node: at once, or while an input moves when it rests, where the last that was given counts.
export function at_rest(node, write) {
  const pace = pace_of(node);
  if (pace?.is_moving()) pace.wait(node, write);
  else {
    pace?.forget(node);
    write();
  }
}

// Gives `el` a pace. Returns what asks for a drawing, and what ends it all.
export function pace(el, draw) {
  let [is_seen, rests] = [true, true];
  let [has_drawn, is_due, is_printed, is_held, repeats, types] = [];
  let [timer, frame] = [0, 0];
  const stopped = new AbortController();
  const calm = matchMedia(CALM);
  const waiting = new Map(); // by node, what writes it
  const may_move = () => is_held || repeats || types;
  const moves = () => may_move() && !rests && !calm.matches;
  const now = () => {
    is_due = false;
    draw();
  };
  const request = () => {
    is_due = true;
    if (!(is_seen || is_printed)) return;
    if (may_move()) {
      if (has_drawn) return;
      has_drawn = true;
      requestAnimationFrame(() => {
        has_drawn = false;
        if (is_due) request();
      });
    }
    now();
  };
  const go_on = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  const rest = () => {
    go_on();
    rests = true; // though a pointer may be held down still
    repeats = types = false;
    if (is_due) now();
    settle();
  };
  // A few nodes in a frame, so that no task is long.
  const settle = () => {
    const until = performance.now() + SLICE;
    for (const node of waiting.keys()) {
      if (moves()) return;
      write(node);
      if (performance.now() > until) break;
    }
    if (waiting.size) frame = requestAnimationFrame(settle);
  };
  const write = (node) => {
    const last = waiting.get(node);
    forget(node);
    last?.();
  };
  const wait = (node, last) => {
    waiting.set(node, last);
    el.dataset.paced = "waiting";
  };
  const forget = (node) => {
    waiting.delete(node);
    if (!waiting.size && el.dataset.paced) el.dataset.paced = "";
  };
  const on = (target, name, hear) =>
    target.addEventListener(name, hear, { capture: true, passive: true, signal: stopped.signal });
  // An input that waits behind a slow frame comes before the next frame's callbacks: then nothing rests yet.
  const moved = () => {
    if (!may_move()) return;
    go_on();
    rests = false;
    timer = setTimeout(() => (frame = requestAnimationFrame(rest)), REST);
  };
  const end = () => {
    if (!may_move()) return;
    is_held = false;
    rest();
  };
  on(el, "pointerdown", () => {
    end();
    is_held = true;
  });
  for (const name of ["pointerup", "pointercancel"]) on(window, name, end);
  on(window, "blur", ({ target }) => target === window && end()); // of the window, not of what had the focus in it
  on(window, "pointermove", ({ buttons, isTrusted }) => is_held && isTrusted && !buttons && end()); // its end was lost
  on(el, "keydown", ({ repeat, key }) => {
    if (types && /^(Enter|Tab|Escape|Arrow)/.test(key)) end(); // the text is done
    repeats = repeat;
    moved();
  });
  on(el, "keyup", () => repeats && rest());
  on(el, "change", () => types && end());
  on(el, "input", ({ inputType }) => {
    types ||= Boolean(inputType); // only what is typed, pasted or dropped has one
    moved();
  });
  on(el, "pointermove", moved);
  on(window, "beforeprint", () => {
    is_printed = true;
    rest();
    for (const node of waiting.keys()) write(node);
  });
  on(window, "afterprint", () => (is_printed = false));
  const seen = new IntersectionObserver(
    (entries) => {
      is_seen = entries.at(-1).isIntersecting;
      if (is_seen && is_due) request();
    },
    { rootMargin: NEAR },
  );
  seen.observe(el);
  el.dataset.paced = "";
  paces.set(el, { wait, forget, is_moving: moves });
  const stop = () => {
    stopped.abort();
    seen.disconnect();
    go_on();
    delete el.dataset.paced;
  };
  return { request, stop };
}
