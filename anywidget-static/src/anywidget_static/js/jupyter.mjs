// In Jupyter each widget of a library loads this, and all else from the one model that carries the library (library.mjs).
async function library({ model }) {
  const key = model.get("_library");
  await model.widget_manager.get_model(key); // an error where it was not saved
  const found = () => globalThis[Symbol.for("anywidget-static")]?.[key];
  if (!found()) await new Promise((done) => addEventListener(`anywidget-static:${key}`, done, { once: true }));
  return found();
}
export default {
  initialize: async (given) => (await library(given)).initialize(given),
  render: async (given) => (await library(given)).render(given),
};
