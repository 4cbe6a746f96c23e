// A library's modules in Jupyter: what its one model exports, and what each of its widgets does with it (jupyter.mjs).

import { definition } from "./model.mjs";

const ALL = Symbol.for("anywidget-static"); // the libraries of a page, by their keys

export function library(widgets) {
  const widget = ({ model }) => definition(widgets[model.get("_module")]);
  const initialize = async (given) => (await widget(given)).initialize?.(given);

  // When the library is built anew, each widget is drawn anew by its new modules.
  const render = async (given) => {
    const key = given.model.get("_library");
    let clean = await (await widget(given)).render?.(given);
    const renew = async ({ detail }) => {
      clean?.();
      given.el.replaceChildren();
      clean = await detail.render(given);
    };
    addEventListener(key, renew, { once: true });
    return () => {
      removeEventListener(key, renew);
      clean?.();
    };
  };

  return {
    initialize({ model }) {
      const key = model.get("key");
      globalThis[ALL] ??= {};
      globalThis[ALL][key] = { initialize, render };
      dispatchEvent(new CustomEvent(key, { detail: globalThis[ALL][key] }));
    },
    render() {},
  };
}
