// A recording as a page takes it, bytes to weights, a head at a time. attnlib/models/packing.py packs it.

import { halves } from "./float16.mjs";

export const SIDE = 32; // rows and columns of a small picture
const MOST = 250_000_000; // bytes of all weights
const SCORE = 1000; // a score of 1, as it is kept
const BLOCKED = -60_000; // as a bias: the query may not read the key

// A recording that can be drawn: its sizes checked, `small(layer, head)` at once or, where it must be inflated first,
// when `ready` is kept; `grid(layer, head)` promises all weights of a head. Both are { n_q, n_k, cells: 0 … 255 }.
export function open(given) {
  const { tokens, num_layers, num_heads, causal, heads } = given;
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
  const score_of = ([name, view]) => [name, scores_of(name, view, num_layers, num_heads)];
  const scores = Object.fromEntries(Object.entries(given.scores ?? {}).map(score_of));
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
  // A head's queries, keys and what else makes its weights, from `sent` where the recording itself has none.
  const pair = (layer, head, sent) => {
    const found = vectors_of(given.vectors, n_q, n_k, layer, head) ?? vectors_of(sent, n_q, n_k, layer, head);
    const { scales, softcaps, sinks } = given;
    return found && { ...found, scale: scales[layer], softcap: softcaps[layer], sink: sinks?.[layer]?.[head] ?? null };
  };
  const cases = given.cases ?? {};
  return { ...given, cases, scores, key_tokens, n_q, n_k, ready, is_ready: () => all !== null, small, grid, pair };
}

const count_of = (n_q, n_k, causal) => (causal ? (n_q * (n_q + 1)) / 2 : n_q * n_k);

// `size` bytes: those that are given, if they are as many, or else deflated ones.
async function inflate(what, given, size) {
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

// A score of each head, layer by layer.
function scores_of(name, view, num_layers, num_heads) {
  const size = view?.byteLength ?? 0;
  if (size !== 2 * num_layers * num_heads)
    throw new Error(`the score ${name} has ${size} bytes for ${num_layers} × ${num_heads} heads`);
  const score = (layer) => (_, head) => view.getUint16(2 * (layer * num_heads + head), true) / SCORE;
  return Array.from({ length: num_layers }, (_, layer) => Array.from({ length: num_heads }, score(layer)));
}

// The weights of a head, row by row, with 0 where a triangle was left out.
export function square(bytes, n_q, n_k, causal) {
  if (!causal) return { n_q, n_k, cells: bytes };
  const cells = new Uint8Array(n_q * n_k);
  for (let i = 0, at = 0; i < n_q; at += ++i) cells.set(bytes.subarray(at, at + i + 1), i * n_k);
  return { n_q, n_k, cells };
}

// Queries, keys and perhaps a bias of a head, row by row; null when they were not recorded.
function vectors_of(vectors, n_q, n_k, layer, head) {
  let start = 0;
  for (const [l, h, width, number] of vectors?.heads ?? []) {
    const [q, size] = [n_q * width, (n_q + n_k) * width];
    if (l === layer && h === head) {
      const values = halves_of("vectors", vectors.data, start, size);
      const bias = number === null ? null : halves_of("a bias", vectors.biases[number], 0, n_q * n_k);
      return { width, queries: values.subarray(0, q), keys: values.subarray(q), bias };
    }
    start += size;
  }
  return null;
}

function halves_of(what, { buffer, byteOffset, byteLength }, start, size) {
  if (byteLength < 2 * (start + size)) throw new Error(`${what} has ${byteLength} bytes, too few`);
  return halves(new DataView(buffer, byteOffset + 2 * start, 2 * size));
}

// The arithmetic of the row of query i: the products with key j, and of every key the score, its e^ and its weight. The
// score of a key that the query may not read is −∞. A sink, a key without a token, takes its part of the sum.
export function arithmetic({ width, queries, keys, bias, scale, softcap, sink }, { n_k, causal }, i, j) {
  const product = (k) => (c) => queries[i * width + c] * keys[k * width + c];
  const products = Float64Array.from({ length: width }, (_, c) => product(j)(c));
  const raw = Float64Array.from({ length: n_k }, (_, k) => {
    let sum = 0;
    for (let c = 0; c < width; c++) sum += product(k)(c);
    return sum;
  });
  const bent = (s) => (softcap ? softcap * Math.tanh(s / softcap) : s);
  const added = (k) => (bias ? bias[i * n_k + k] : 0);
  const blocked = (k) => (causal && k > i) || added(k) <= BLOCKED;
  const scores = raw.map((s, k) => (blocked(k) ? -Infinity : bent(s * scale) + added(k)));
  const top = Math.max(-Number.MAX_VALUE, sink ?? -Infinity, ...scores);
  const powers = scores.map((s) => Math.exp(s - top));
  const spilt = sink === null ? 0 : Math.exp(sink - top);
  const total = powers.reduce((sum, one) => sum + one, spilt);
  return { products, raw, scores, powers, spilt, total, weights: powers.map((one) => one / (total || 1)) };
}
