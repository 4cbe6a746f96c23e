// A recording as a page takes it, bytes to weights, a head at a time. attnlib/models/packing.py packs it.

import { halves } from "./float16.mjs";

export const SIDE = 32; // rows and columns of a small picture
const MOST = 250_000_000; // bytes of all weights

// A recording that can be drawn: its sizes checked, `small(layer, head)` at once or, where it must be inflated first,
// when `ready` is kept; `grid(layer, head)` promises all weights of a head. Both are { n_q, n_k, cells: 0 … 255 }.
export function open(given) {
  const { tokens, num_layers, num_heads, causal, heads, vectors } = given;
  const key_tokens = given.key_tokens ?? tokens;
  const [n_q, n_k, count] = [tokens?.length, key_tokens?.length, num_layers * num_heads];
  if (!(Number.isInteger(count) && count > 0 && n_q && n_k && Array.isArray(heads)))
    throw new Error(`the recording has ${num_layers} × ${num_heads} heads of ${n_q} × ${n_k} tokens`);
  const size = count_of(n_q, n_k, causal);
  const pooled = [Math.min(n_q, SIDE), Math.min(n_k, SIDE)];
  const step = count_of(...pooled, causal);
  if (count * size > MOST) throw new Error(`${count} heads of ${n_q} × ${n_k} weights are too many`);
  const long = Math.max(n_q, n_k) > SIDE;
  if (heads.length !== (long ? count : 0))
    throw new Error(`${heads.length} heads of their own for ${count} heads of ${n_q} × ${n_k} tokens`);
  const [pictures, known] = [new Array(count), new Map()];
  let all = null;
  const ready = inflate("small", given.small, step * count).then((bytes) => (all = bytes));
  const small = (layer, head) => {
    const at = layer * num_heads + head;
    pictures[at] ??= square(all.subarray(at * step, (at + 1) * step), ...pooled, causal);
    return pictures[at];
  };
  const decode = async (layer, head) => {
    await ready;
    if (!long) return small(layer, head);
    const bytes = await inflate(`head ${layer}, ${head}`, heads[layer * num_heads + head], size);
    return square(bytes, n_q, n_k, causal);
  };
  const grid = (layer, head) => {
    const at = layer * num_heads + head;
    if (!known.has(at)) {
      if (known.size > 7) known.delete(known.keys().next().value); // the one looked at longest ago
      known.set(at, decode(layer, head));
    }
    return known.get(at);
  };
  const pair = (layer, head) => vectors_of(vectors, n_q, n_k, layer, head);
  const cases = given.cases ?? {};
  return { ...given, cases, key_tokens, n_q, n_k, ready, is_ready: () => all !== null, small, grid, pair };
}

const count_of = (n_q, n_k, causal) => (causal ? (n_q * (n_q + 1)) / 2 : n_q * n_k);

// `size` bytes: those that are given, if they are as many, or else deflated ones.
export async function inflate(what, given, size) {
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  if (bytes.length === size) return bytes;
  let found = null;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    found = new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {}
  if (found?.length === size) return found;
  throw new Error(`${what} has ${bytes.length} bytes, which do not unpack to its ${size} weights`);
}

// The weights of a head, row by row, with 0 where a triangle was left out.
export function square(bytes, n_q, n_k, causal) {
  if (!causal) return { n_q, n_k, cells: bytes };
  const cells = new Uint8Array(n_q * n_k);
  for (let i = 0, at = 0; i < n_q; at += ++i) cells.set(bytes.subarray(at, at + i + 1), i * n_k);
  return { n_q, n_k, cells };
}

// Queries, keys and perhaps a bias of a head, row by row; null when they were not recorded.
export function vectors_of(vectors, n_q, n_k, layer, head) {
  const at = vectors?.heads.findIndex(([l, h]) => l === layer && h === head) ?? -1;
  if (at < 0) return null;
  const { width, bias, data } = vectors;
  const size = (n_q + n_k) * width + (bias ? n_q * n_k : 0);
  if (data.byteLength !== 2 * size * vectors.heads.length)
    throw new Error(`vectors have ${data.byteLength} bytes, for ${vectors.heads.length} heads of ${2 * size}`);
  const values = halves(new DataView(data.buffer, data.byteOffset + 2 * at * size, 2 * size));
  const [q, k] = [n_q * width, (n_q + n_k) * width];
  return { width, queries: values.subarray(0, q), keys: values.subarray(q, k), bias: bias && values.subarray(k) };
}

// The arithmetic of the row of query i: the products with key j, and of every key the score, its e^ and its weight.
export function arithmetic({ width, queries, keys, bias }, { n_k, causal, scale, softcap }, i, j) {
  const product = (k) => (c) => queries[i * width + c] * keys[k * width + c];
  const products = Float64Array.from({ length: width }, (_, c) => product(j)(c));
  const raw = Float64Array.from({ length: n_k }, (_, k) => {
    let sum = 0;
    for (let c = 0; c < width; c++) sum += product(k)(c);
    return sum;
  });
  const bent = (s) => (softcap ? softcap * Math.tanh(s / softcap) : s);
  const scores = raw.map((s, k) => (causal && k > i ? -Infinity : bent(s * scale) + (bias ? bias[i * n_k + k] : 0)));
  const top = Math.max(...scores);
  const powers = scores.map((s) => Math.exp(s - top));
  const total = powers.reduce((sum, one) => sum + one, 0);
  return { products, raw, scores, top, powers, total, weights: powers.map((one) => one / total) };
}
