// A library's modules in Jupyter: what its one model exports, and what each of its widgets does with it (jupyter.mjs).

import { definition, unpacked } from "./model.mjs";

export function library(widgets) {
  const widget = ({ model }) => definition(widgets[model.get("_module")]);
  const values = (given) => ({ ...given, model: unpacked(given.model) });
  const initialize = async (given) => (await widget(given)).initialize?.(values(given));

  // When the library is built anew, each widget is drawn anew by its new modules.
  const render = async (given) => {
    const key = given.model.get("_library");
    let clean = await (await widget(given)).render?.(values(given));
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
      const detail = { initialize, render };
      globalThis[key] ??= Promise.withResolvers(); // which each of its widgets awaits
      globalThis[key].resolve(detail);
      globalThis[key].promise = Promise.resolve(detail); // built anew
      dispatchEvent(new CustomEvent(key, { detail }));
    },
    render() {},
  };
}
