// A widget's state as a page holds it: bytes as text, and what is large in scripts of its own. See page.py.

import { bytes_of } from "./base85.mjs";

// Run a script of the page's own site, which a folder has, too.
export const run = (src) =>
  new Promise((onload, onerror) =>
    document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror })),
  );

// Fields with what their entries lacked.
export const completed = (model, rest) =>
  Object.fromEntries(
    Object.entries(rest).map(([name, parts]) => [
      name,
      model.get(name).map((one, i) => (one.demand ? { ...one, ...parts[i], demand: null } : one)),
    ]),
  );

// Bytes of a state stand apart, as text, with the path to their place.
export function unpacked({ _buffers = [], ...state }) {
  for (const { path, data } of _buffers) {
    const parent = path.slice(0, -1).reduce((part, key) => part[key], state);
    parent[path.at(-1)] = new DataView(bytes_of(data).buffer);
  }
  return state;
}
