// In Jupyter each widget of a library loads this, and all else from the model that carries the library (library.mjs).
const step = (name) => async (given) => {
  const key = given.model.get("_library");
  await given.model.widget_manager.get_model(key); // an error where it was not saved
  globalThis[key] ??= Promise.withResolvers();
  return (await globalThis[key].promise)[name](given);
};
export default { initialize: step("initialize"), render: step("render") };
