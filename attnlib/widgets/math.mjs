// The mathematics of attnlib, for the page: the same names and the same results as in Python.
// tests/test_parity.py feeds both the same inputs. Matrices are arrays of rows; scale = null means 1/√d_k.

export function softmax(scores, temperature = 1) {
  if (!(temperature > 0 && Number.isFinite(temperature))) throw new Error(`temperature must be positive and finite, got ${temperature}`);
  if (!scores.length) throw new Error("softmax over an empty axis");
  const wrong = scores.findIndex((score) => Number.isNaN(score) || score === Infinity);
  if (wrong >= 0) throw new Error(`score ${wrong} is ${scores[wrong]}`);
  const largest = Math.max(...scores);
  if (largest === -Infinity) throw new Error("every score is −∞: there is nothing to attend to");
  const raised = scores.map((score) => Math.exp((score - largest) / temperature));
  const total = raised.reduce((sum, term) => sum + term, 0);
  return raised.map((term) => term / total);
}

export function attention_scores(query, key, scale = null) {
  check_matrix("query", query);
  check_matrix("key", key);
  const width = query[0].length;
  if (key[0].length !== width) throw new Error(`query has width ${width}, key has width ${key[0].length}`);
  const factor = scale ?? width ** -0.5;
  return query.map((q) => key.map((k) => q.reduce((sum, component, c) => sum + component * factor * k[c], 0)));
}

export function attention_weights(query, key, mask = null, scale = null) {
  const scores = attention_scores(query, key, scale);
  if (mask && (mask.length !== query.length || mask.some((row) => row.length !== key.length)))
    throw new Error(`mask has ${mask.length} × ${mask[0]?.length ?? 0} cells, the scores ${query.length} × ${key.length}`);
  return scores.map((row, i) => {
    const allowed = row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score));
    if (allowed.every((score) => score === -Infinity)) throw new Error(`query ${i} may attend to no key: its whole row is masked`);
    return softmax(allowed);
  });
}

export function attention(query, key, value, mask = null, scale = null) {
  check_matrix("value", value);
  if (value.length !== key.length) throw new Error(`key has ${key.length} rows, value has ${value.length}`);
  const weights = attention_weights(query, key, mask, scale);
  return weights.map((row) => value[0].map((_, c) => row.reduce((sum, weight, j) => sum + weight * value[j][c], 0)));
}

export function causal_mask(n_q, n_k = n_q, offset = 0) {
  return Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, (_, j) => j <= i + offset));
}

export function sliding_window_mask(n_q, n_k = n_q, window, offset = 0) {
  return Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, (_, j) => j <= i + offset && j > i + offset - window));
}

// `length` is that of one sequence.
export function padding_mask(length, n_q, n_k = n_q) {
  return Array.from({ length: n_q }, () => Array.from({ length: n_k }, (_, j) => j < length));
}

export function to_torch(mask, api) {
  if (api !== "scaled_dot_product_attention" && api !== "MultiheadAttention") throw new Error(`torch has no attention called ${api}`);
  return mask.map((row) => row.map((may_attend) => Boolean(may_attend) !== (api === "MultiheadAttention")));
}

export function project(x, w, b = null) {
  check_matrix("x", x);
  check_matrix("w", w);
  if (x[0].length !== w.length) throw new Error(`x has width ${x[0].length}, w has ${w.length} rows`);
  if (b && b.length !== w[0].length) throw new Error(`b has ${b.length} entries, w has ${w[0].length} columns`);
  return x.map((row) => w[0].map((_, c) => row.reduce((sum, entry, a) => sum + entry * w[a][c], 0) + (b?.[c] ?? 0)));
}

export function merge_heads(heads) {
  return heads[0].map((_, i) => heads.flatMap((head) => head[i]));
}

export function pool_heads(heads, num_kv_heads) {
  const size = heads.length / num_kv_heads;
  if (!Number.isInteger(size) || size < 1) throw new Error(`${heads.length} heads do not divide into ${num_kv_heads} groups`);
  return Array.from({ length: num_kv_heads }, (_, g) => {
    const group = heads.slice(g * size, (g + 1) * size);
    return group[0].map((row, i) => row.map((_, c) => group.reduce((sum, head) => sum + head[i][c], 0) / size));
  });
}

export function weight_back(weights, back) {
  const rows = weights.slice(back);
  return rows.reduce((sum, row, i) => sum + row[i], 0) / rows.length;
}

// attnlib.cost
export function multi_head_parameters(d, d_k, d_v, num_heads, num_kv_heads = num_heads) {
  return d * (num_heads + num_kv_heads) * (d_k + d_v);
}

export function cache_bytes(n, num_kv_heads, d_head, num_layers = 1, itemsize = 4) {
  return 2 * n * num_kv_heads * d_head * num_layers * itemsize;
}

export function convex_hull(points) {
  const order = points.map((_, i) => i).sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1] || a - b);
  const lower = half_hull(points, order);
  const corners = [...lower.slice(0, -1), ...half_hull(points, order.reverse()).slice(0, -1)];
  return corners.length ? corners : lower;
}

function half_hull(points, order) {
  const chain = [];
  for (const i of order) {
    const last = points[chain.at(-1)];
    if (last && last[0] === points[i][0] && last[1] === points[i][1]) continue;
    while (chain.length > 1 && turn(points[chain.at(-2)], points[chain.at(-1)], points[i]) <= 0) chain.pop();
    chain.push(i);
  }
  return chain;
}

function turn(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

function check_matrix(name, rows) {
  if (!Array.isArray(rows) || !rows.length || !rows[0]?.length) throw new Error(`${name} is empty`);
  rows.forEach((row, i) => {
    if (row.length !== rows[0].length) throw new Error(`row ${i} of ${name} has ${row.length} entries, row 0 has ${rows[0].length}`);
    const wrong = row.findIndex((entry) => !Number.isFinite(entry));
    if (wrong >= 0) throw new Error(`${name}[${i}, ${wrong}] is ${row[wrong]}`);
  });
}
