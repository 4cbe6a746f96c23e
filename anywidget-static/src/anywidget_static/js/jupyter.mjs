// What a widget of a library loads in Jupyter: its module, from the one model that carries the whole library's modules.
// When that is built anew, each widget is drawn anew.

const ready = (key) => `anywidget-static:${key}`;

async function widget_of(model) {
  const key = model.get("_library");
  await model.widget_manager.get_model(key); // an error where the library was not saved
  const found = () => globalThis[Symbol.for("anywidget-static")]?.[key];
  if (!found()) await new Promise((done) => addEventListener(ready(key), done, { once: true }));
  const module = found()[model.get("_module")];
  const given = module.default ?? module;
  return typeof given === "function" ? given() : given;
}

async function initialize(given) {
  return (await widget_of(given.model)).initialize?.(given);
}

async function render(given) {
  const ended = new AbortController();
  let clean = null;
  const draw = async () => {
    clean?.();
    given.el.replaceChildren();
    clean = await (await widget_of(given.model)).render?.(given);
  };
  await draw();
  addEventListener(ready(given.model.get("_library")), draw, { signal: ended.signal });
  return () => {
    ended.abort();
    clean?.();
  };
}

export default { initialize, render };
