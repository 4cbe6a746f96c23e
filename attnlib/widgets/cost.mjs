// attnlib.cost, for the page: of each cost what the page shows. `itemsize` is the bytes of a number.

const TILE = { rows: 256, columns: 512, fewest_rows: 128 }; // of streaming_attention
const CARD = { bandwidth: 1.008e12, multiply_adds: 165.2e12 };

export function attention_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  return {
    multiply_adds: num_heads * n_q * n_k * (d_k + d_v),
    peak_bytes: num_heads * n_q * (2 * n_k + d_v) * itemsize,
  };
}

export function streaming_cost(n_q, n_k, _d_k, d_v, num_heads = 1, itemsize = 4) {
  const cells = tile_cells(n_q, n_k);
  const together = Math.max(1, Math.floor((TILE.rows * TILE.columns) / cells));
  return { peak_bytes: (num_heads * n_q * d_v + Math.min(together, num_heads) * cells) * itemsize };
}

function tile_cells(n_q, n_k) {
  const rows = Math.min(n_q, TILE.rows);
  return rows * Math.min(n_k, Math.max(TILE.columns, Math.floor((TILE.fewest_rows * TILE.columns) / rows)));
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

export function reading_cost(
  n,
  d,
  num_layers = 1,
  num_heads = 1,
  num_kv_heads = num_heads,
  expansion = 4,
  itemsize = 4,
  tiles = false,
  window = n,
  linearised = false,
) {
  const seen = Math.min(n, window ?? n);
  const [d_head, groups] = [d / num_heads, num_kv_heads ?? num_heads];
  const state = groups * d_head * (d_head + 1);
  const cells = num_heads * n * seen; // of each of the two grids
  const keys = 2 * n * groups * d_head; // and values, of one layer
  const [whole, kept] = linearised ? [false, state] : [!tiles, 2 * seen * groups * d_head];
  const grid = whole ? 2 * cells : tile_cells(n, seen);
  const adds = linearised ? n * (num_heads + groups) * d_head * (d_head + 1) : 2 * n * seen * d;
  const matrices = block_parameters(d, expansion, num_heads, groups);
  const at_best = (adds, moved) => Math.max(adds / CARD.multiply_adds, moved / CARD.bandwidth) * itemsize;
  const moved = keys + 2 * n * d + (whole ? 4 * cells : 0);
  return {
    parameters: num_layers * matrices * itemsize,
    keys_and_values: (keys + (num_layers - 1) * kept) * itemsize,
    stream: n * d * itemsize,
    grids: (linearised ? state : grid) * itemsize,
    multiply_adds: num_layers * (n * matrices + adds),
    seconds: num_layers * (at_best(n * matrices, matrices + 2 * n * d) + at_best(adds, moved)),
    looked_up: linearised ? Math.min(n, d_head) : seen,
  };
}
