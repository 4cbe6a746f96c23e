// A widget's state as a page holds it: bytes as text, and what is large in scripts of its own. See page.py.

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

// Bytes of a state stand apart, as text (see bytes_of), with the path to their place.
export function unpacked({ _buffers = [], ...state }) {
  for (const { path, data } of _buffers) {
    const parent = path.slice(0, -1).reduce((part, key) => part[key], state);
    parent[path.at(-1)] = new DataView(bytes_of(data).buffer);
  }
  return state;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
const VALUES = new Uint8Array(128);
for (let i = 0; i < 85; i++) VALUES[DIGITS.charCodeAt(i)] = i;

// Base 85 as page.py writes it: five digits for four bytes, at the end fewer for fewer. (Loops: others are slower.)
function bytes_of(text) {
  const bytes = new Uint8Array(Math.floor(text.length * 0.8));
  for (let i = 0, at = 0; i < text.length; i += 5) {
    let word = 0;
    for (let j = i; j < i + 5; j++) word = word * 85 + (j < text.length ? VALUES[text.charCodeAt(j)] : 84);
    for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = word >>> shift; // what is beyond the end is dropped
  }
  return bytes;
}
