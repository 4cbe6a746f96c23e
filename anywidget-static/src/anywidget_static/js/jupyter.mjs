// In Jupyter each widget of a library loads this, and all else from the model that carries the library (library.mjs).
const step = (name) => async (given) => {
  const key = given.model.get("_library");
  await given.model.widget_manager.get_model(key); // an error where it was not saved
  const there = globalThis[Symbol.for("anywidget-static")]?.[key];
  const library = there ?? (await new Promise((done) => addEventListener(key, done, { once: true }))).detail;
  return library[name](given);
};
export default { initialize: step("initialize"), render: step("render") };
