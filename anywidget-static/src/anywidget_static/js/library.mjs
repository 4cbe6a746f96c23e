// How a library's modules become known to its widgets in Jupyter: see jupyter.mjs.
export function library(widgets) {
  return {
    initialize({ model }) {
      const key = model.get("key");
      globalThis[Symbol.for("anywidget-static")] ??= {};
      globalThis[Symbol.for("anywidget-static")][key] = widgets;
      dispatchEvent(new Event(`anywidget-static:${key}`));
    },
    render() {},
  };
}
