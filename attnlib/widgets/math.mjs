// The mathematics of attnlib, for the page: the same names and the same results as in Python, which
// tests/unit/test_parity.py holds. cost.mjs, decoder.mjs and lab.mjs hold what attnlib's modules of these names hold.
// Matrices are arrays of rows; scale = null means 1/√d_k.

import { check_matrix } from "./checks.mjs";

export function softmax(scores, temperature = 1) {
  if (!(temperature > 0 && Number.isFinite(temperature)))
    throw new Error(`temperature must be positive and finite, got ${temperature}`);
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
  const dot = (q, k) => {
    let sum = 0; // a loop, since a decoder does this for every head at each key that is pressed
    for (let c = 0; c < width; c++) sum += q[c] * factor * k[c];
    return sum;
  };
  return query.map((q) => key.map((k) => dot(q, k)));
}

export function cosine_similarity(query, key) {
  check_matrix("query", query);
  check_matrix("key", key);
  const direction = (name) => (row, i) => {
    const length = Math.hypot(...row);
    if (length === 0) throw new Error(`${name} ${i} is a row of zeros: it has no direction`);
    return row.map((component) => component / length);
  };
  return attention_scores(query.map(direction("query")), key.map(direction("key")), 1).map((row) =>
    row.map((cosine) => Math.max(-1, Math.min(1, cosine))),
  );
}

export function attention_weights(query, key, mask = null, scale = null, bias = null) {
  const scores = attention_scores(query, key, scale);
  for (const [name, grid] of Object.entries({ bias, mask })) {
    if (!grid || (grid.length === query.length && [...grid].every((row) => row?.length === key.length))) continue;
    const cells = `${grid.length ?? 0} × ${grid[0]?.length ?? 0} cells`;
    throw new Error(`${name} has ${cells}, the scores ${query.length} × ${key.length}`);
  }
  return scores.map((row, i) => {
    const allowed = row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score + (bias ? bias[i][j] : 0)));
    if (allowed.every((score) => score === -Infinity))
      throw new Error(`query ${i} may attend to no key: its whole row is masked`);
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

export function convex_hull(points) {
  const order = [...points.keys()].sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1] || a - b);
  const lower = half_hull(points, order);
  const corners = [...lower.slice(0, -1), ...half_hull(points, order.reverse()).slice(0, -1)];
  return corners.length ? corners : lower;
}

function half_hull(points, order) {
  const chain = [];
  for (const i of order) {
    if (chain.length && String(points[chain.at(-1)]) === String(points[i])) continue;
    while (chain.length > 1 && turn(points[chain.at(-2)], points[chain.at(-1)], points[i]) <= 0) chain.pop();
    chain.push(i);
  }
  return chain;
}

const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

export function rotary_permutation(d) {
  if (!(d >= 2) || d % 2) throw new Error(`the width must be even and positive, since columns go in pairs: got ${d}`);
  return Array.from({ length: d }, (_, c) => (c < d / 2 ? 2 * c : 2 * c - d + 1));
}

export function rotary_embedding(x, positions, layout, base = 10000) {
  check_matrix("x", x);
  const d = x[0].length;
  const interleaved = rotary_permutation(d);
  const column = (c) => (layout === "half" ? c : interleaved[c]); // pair c is columns c and c + d/2 of the half layout
  return x.map((row, i) => {
    const out = [...row];
    for (let c = 0; c < d / 2; c++) {
      const angle = positions[i] * base ** ((-2 * c) / d);
      const [first, second] = [column(c), column(c + d / 2)];
      out[first] = row[first] * Math.cos(angle) - row[second] * Math.sin(angle);
      out[second] = row[first] * Math.sin(angle) + row[second] * Math.cos(angle);
    }
    return out;
  });
}

export function project(x, w, b = null) {
  check_matrix("x", x);
  check_matrix("w", w);
  if (x[0].length !== w.length) throw new Error(`x has width ${x[0].length}, w has ${w.length} rows`);
  if (b && b.length !== w[0].length) throw new Error(`the bias has ${b.length} entries, w has ${w[0].length} columns`);
  const out = x.map((row) => {
    const sums = b ? [...b] : new Array(w[0].length).fill(0);
    w.forEach((weights, r) => {
      const entry = row[r]; // and a loop: a decoder does this a million times for a word
      for (let c = 0; c < sums.length; c++) sums[c] += entry * weights[c];
    });
    return sums;
  });
  check_matrix("x times w", out);
  return out;
}

export function sliding_window_mask(n_q, n_k = n_q, window, offset = 0) {
  const in_reach = (i) => (_, j) => j <= i + offset && j > i + offset - window;
  return Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, in_reach(i)));
}

// `length` is that of one sequence.
export function padding_mask(length, n_q, n_k = n_q) {
  return Array.from({ length: n_q }, () => Array.from({ length: n_k }, (_, j) => j < length));
}

export function as_torch_reads(mask, api) {
  return mask.map((row) => row.map((may_attend) => Boolean(may_attend) !== (api === "MultiheadAttention")));
}

export const merge_heads = (heads) => heads[0].map((_, i) => heads.flatMap((head) => head[i]));

export function pool_heads(heads, num_kv_heads) {
  const size = heads.length / num_kv_heads;
  if (!Number.isInteger(size) || size < 1)
    throw new Error(`${heads.length} heads do not divide into ${num_kv_heads} groups`);
  return Array.from({ length: num_kv_heads }, (_, g) => {
    const group = heads.slice(g * size, (g + 1) * size);
    return group[0].map((row, i) => row.map((_, c) => group.reduce((sum, head) => sum + head[i][c], 0) / size));
  });
}

export function split_heads(x, num_heads) {
  check_matrix("x", x);
  const width = x[0].length / num_heads;
  if (!(num_heads >= 1 && Number.isInteger(width)))
    throw new Error(`a width of ${x[0].length} does not divide into ${num_heads} heads`);
  return Array.from({ length: num_heads }, (_, a) => x.map((row) => row.slice(a * width, (a + 1) * width)));
}
