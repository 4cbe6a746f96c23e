// attnlib.cost, for the page: of each cost what the page shows. `itemsize` is the bytes of a number.

const TILE = { rows: 256, columns: 512, causal_rows: 128 }; // of streaming_attention

export function attention_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  return {
    multiply_adds: num_heads * n_q * n_k * (d_k + d_v),
    peak_bytes: num_heads * n_q * (2 * n_k + d_v) * itemsize,
  };
}

export function streaming_cost(n_q, n_k, _d_k, d_v, num_heads = 1, itemsize = 4) {
  const [rows, columns, together] = tile_sizes(n_q, n_k, false);
  return { peak_bytes: (num_heads * n_q * d_v + Math.min(together, num_heads) * rows * columns) * itemsize };
}

// Queries, keys and heads in a tile, as in attnlib.streaming.
export function tile_sizes(n_q, n_k, causal) {
  const rows = Math.min(n_q, causal ? TILE.causal_rows : TILE.rows);
  const columns = Math.min(n_k, Math.max(TILE.columns, Math.floor((TILE.causal_rows * TILE.columns) / rows)));
  return [rows, columns, Math.max(1, Math.floor((TILE.rows * TILE.columns) / (rows * columns)))];
}

export function multi_head_cost(n, d, num_heads, num_kv_heads = null) {
  const groups = num_kv_heads ?? num_heads;
  if (d % num_heads || num_heads % groups)
    throw new Error(`d = ${d}, num_heads = ${num_heads} and num_kv_heads = ${groups} do not divide each other`);
  return { multiply_adds: 2 * n * d * (d + (groups * d) / num_heads + n) }; // W_Q and W_O, W_K and W_V, the grid twice
}

export function block_multiply_adds(n, d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  return multi_head_cost(n, d, num_heads, num_kv_heads).multiply_adds + Math.round(2 * expansion * d ** 2) * n;
}

export function block_parameters(d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  return block_multiply_adds(1, d, expansion, num_heads, num_kv_heads) - attention_cost(1, 1, d, d).multiply_adds;
}

export function crossover(d, expansion = 4, num_heads = 1, num_kv_heads = null) {
  return Math.round(block_parameters(d, expansion, num_heads, num_kv_heads) / (2 * d));
}

export function ideal_tensor_parameters(n, d, d_v) {
  return n * d * n * d_v;
}

export function attention_parameters(d, d_k, d_v) {
  return 2 * d * d_k + d * d_v;
}

export function multi_head_parameters(d, d_k, d_v, num_heads, num_kv_heads = num_heads) {
  return d * (num_heads + num_kv_heads) * (d_k + d_v);
}

export function cache_bytes(n, num_kv_heads, d_head, num_layers = 1, itemsize = 4) {
  return 2 * n * num_kv_heads * d_head * num_layers * itemsize;
}
