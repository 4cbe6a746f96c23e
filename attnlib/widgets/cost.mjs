// attnlib.cost, for the page. `itemsize` is the bytes of a number.

import { check_whole } from "./checks.mjs";

const TILE = { rows: 256, columns: 512, fewest_rows: 128 }; // of streaming_attention

export function attention_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  check_whole({ n_q, n_k, d_k, d_v, num_heads, itemsize });
  const grid = n_q * n_k;
  const [adds, moved] = products([n_q, d_k, n_k], [n_q, n_k, d_v]);
  return cost(adds, moved + 2 * grid, 2 * grid + n_q * d_v, num_heads, itemsize);
}

export function streaming_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  check_whole({ n_q, n_k, d_k, d_v, num_heads, itemsize });
  const rows = Math.min(n_q, TILE.rows);
  const columns = Math.min(n_k, Math.max(TILE.columns, Math.floor((TILE.fewest_rows * TILE.columns) / rows)));
  const together = Math.max(1, Math.floor((TILE.rows * TILE.columns) / (rows * columns)));
  const total = cost(
    n_q * n_k * (d_k + d_v + 1),
    (n_q + Math.ceil(n_q / rows) * n_k) * (d_k + d_v),
    n_q * d_v,
    num_heads,
    itemsize,
  );
  return { ...total, peak_bytes: total.peak_bytes + Math.min(together, num_heads) * rows * columns * itemsize };
}

export function multi_head_cost(n, d, num_heads, num_kv_heads = null, n_z = null, itemsize = 4) {
  const groups = num_kv_heads ?? num_heads,
    length = n_z ?? n;
  check_whole({ n, d, num_heads, num_kv_heads: groups, n_z: length, itemsize });
  if (d % num_heads || num_heads % groups)
    throw new Error(`d = ${d}, num_heads = ${num_heads} and num_kv_heads = ${groups} do not divide each other`);
  const d_head = d / num_heads,
    shared = groups * d_head;
  const [adds, moved] = products([n, d, d], [length, d, shared], [length, d, shared], [n, d, d]);
  const inner = attention_cost(n, length, d_head, d_head, num_heads, itemsize);
  const held = (n * d + 2 * length * d) * itemsize;
  return {
    multiply_adds: adds + inner.multiply_adds,
    bytes_moved: moved * itemsize + inner.bytes_moved,
    peak_bytes: held + inner.peak_bytes,
  };
}

export function block_multiply_adds(n, d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  if (!(expansion >= 1 && Number.isFinite(expansion))) throw new Error(`expansion must be 1 or more, got ${expansion}`);
  return multi_head_cost(n, d, num_heads, num_kv_heads).multiply_adds + Math.round(2 * expansion * d ** 2) * n;
}

export function block_parameters(d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  return block_multiply_adds(1, d, expansion, num_heads, num_kv_heads) - attention_cost(1, 1, d, d).multiply_adds;
}

export function crossover(d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  return Math.round(block_parameters(d, expansion, num_heads, num_kv_heads) / (2 * d));
}

export function ideal_tensor_parameters(n, d, d_v) {
  check_whole({ n, d, d_v });
  return n * d * n * d_v;
}

export function attention_parameters(d, d_k, d_v) {
  check_whole({ d, d_k, d_v });
  return 2 * d * d_k + d * d_v;
}

export function multi_head_parameters(d, d_k, d_v, num_heads, num_kv_heads = num_heads) {
  return d * (num_heads + num_kv_heads) * (d_k + d_v);
}

export function cache_bytes(n, num_kv_heads, d_head, num_layers = 1, itemsize = 4) {
  check_whole({ n, num_kv_heads, d_head, num_layers, itemsize });
  return 2 * n * num_kv_heads * d_head * num_layers * itemsize;
}

// Multiply–adds, and numbers read and written, of products of m × k with k × n.
function products(...sizes) {
  return sizes.reduce(([adds, moved], [m, k, n]) => [adds + m * k * n, moved + m * k + k * n + m * n], [0, 0]);
}

function cost(adds, moved, peak, num_heads, itemsize) {
  return {
    multiply_adds: num_heads * adds,
    bytes_moved: num_heads * moved * itemsize,
    peak_bytes: num_heads * peak * itemsize,
  };
}
