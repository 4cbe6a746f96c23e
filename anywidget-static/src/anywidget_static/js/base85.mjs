// Bytes as base85.py writes them. A notebook unpacks a library with this very text: page.py.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
const VALUES = new Float32Array(128).fill(NaN);
for (let i = 0; i < 85; i++) VALUES[DIGITS.charCodeAt(i)] = i;

// Five digits for four bytes, at the end fewer for fewer. (Loops: others are slower.)
export function bytes_of(text, name = "a text") {
  const bytes = new Uint8Array(Math.floor(text.length * 0.8));
  for (let i = 0, at = 0; i < text.length; i += 5) {
    let word = 0;
    for (let j = i; j < i + 5; j++) word = word * 85 + (j < text.length ? VALUES[text.charCodeAt(j)] : 84);
    if (Number.isNaN(word)) throw new Error(`${name} is not in base 85`);
    for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = word >>> shift; // what is beyond the end is dropped
  }
  return bytes;
}
