// A widget that is drawn anew after every change, with a sentence in place of an error and a button that starts again.

import { check, linked } from "./bounds.mjs";
import { pace } from "./pace.mjs";

// `build(model, figure)` fills the figure and returns what draws it. Names of classes begin with `prefix`.
export function define(
  build,
  { prefix = "widget", again = "Start again", wrong = "This picture cannot be drawn" } = {},
) {
  return { render: ({ model, el }) => show(model, el, { build, prefix, again, wrong }) };
}

function show(model, el, { build, prefix, again, wrong }) {
  const make = (tag, className, ...children) => {
    const node = Object.assign(document.createElement(tag), { className });
    node.append(...children);
    return node;
  };
  const figure = make("figure", prefix, make("figcaption", "", model.get("title") ?? ""));
  const problem = make("p", `${prefix}-problem`);
  problem.setAttribute("role", "alert");
  const reset = make("button", `${prefix}-button`, again);
  reset.type = "button";
  const changes = linked(model.get("_bounds"));
  const start = Object.fromEntries(changes.map((name) => [name, model.get(name)]));
  reset.addEventListener("click", () => {
    model.set(start);
    model.save_changes();
  });
  // JupyterLab would take these from the controls.
  const keys = (event) => /^(Arrow|Home|End|Page|Enter| )/.test(event.key) && event.stopPropagation();
  el.addEventListener("keydown", keys);
  el.append(figure, problem, make("div", `${prefix} ${prefix}-foot`, reset));
  let draw = null;
  const update = () => {
    try {
      check(model);
      draw ??= build(model, figure);
      draw();
      problem.textContent = "";
      figure.hidden = false;
    } catch (error) {
      problem.textContent = `${wrong}: ${error.message}.`;
      figure.hidden = true;
    }
    reset.hidden = changes.every((name) => JSON.stringify(model.get(name)) === JSON.stringify(start[name]));
  };
  const { request, stop } = pace(el, update);
  model.on("change", request);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", request);
  const theme = new MutationObserver(request);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] }); // JupyterLab's
  update();
  return () => {
    stop();
    model.off("change", request);
    dark.removeEventListener("change", request);
    theme.disconnect();
    el.removeEventListener("keydown", keys);
  };
}
