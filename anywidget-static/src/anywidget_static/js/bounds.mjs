// The bounds of a widget's fields, declared on its traits in Python, which come as the field `_bounds`:
// { field: { type, min, max, values, nullable, link, on_demand } }, where all are optional.

const KINDS = {
  int: [Number.isInteger, "an integer"],
  float: [Number.isFinite, "a number"],
  list: [Array.isArray, "a list"], // whose length is bounded
};

// What is wrong with a value, as a sentence, or "".
export function fault(name, value, { type, min = -Infinity, max = Infinity, values, nullable }) {
  if (nullable && value === null) return "";
  if (values) return values.includes(value) ? "" : `${name} must be one of ${values.join(", ")}, got ${value}`;
  const [fits, kind] = KINDS[type] ?? [];
  if (fits && !fits(value)) return `${name} must be ${kind}, got ${value}`;
  const size = type === "list" ? value.length : value;
  if (!(size < min || size > max)) return "";
  const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`;
  return `${name} must ${type === "list" ? `have ${range} entries` : `be ${range}`}, got ${size}`;
}

// Raise for the first field of a model outside its bounds.
export function check(model) {
  for (const [name, bounds] of Object.entries(model.get("_bounds") ?? {})) {
    const wrong = fault(name, model.get(name), bounds);
    if (wrong) throw new Error(wrong);
  }
}

// The fields that a reader can change: a link carries them, and a reset puts them back.
export function linked(bounds = {}) {
  return Object.keys(bounds).filter((name) => bounds[name].link);
}
