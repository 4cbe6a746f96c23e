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

// The φ that a name stands for.
const POSITIVE = {
  exp: Math.exp,
  softplus: (s) => Math.max(s, 0) + Math.log1p(Math.exp(-Math.abs(s))),
  sigmoid: (s) => 1 / (1 + Math.exp(-s)),
  relu: (s) => Math.max(s, 0) + 0.01,
  square: (s) => s * s,
};

export function positive_function(x, name) {
  if (!Object.hasOwn(POSITIVE, name)) throw new Error(`no positive function is called ${name}`);
  const raised = x.map(POSITIVE[name]);
  const wrong = raised.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) throw new Error(`φ(${x[wrong]}) is ${raised[wrong]}`);
  return raised;
}

export function positive_weights(scores, positive) {
  if (positive === "exp") return softmax(scores);
  const raised = positive_function(scores, positive);
  const total = raised.reduce((sum, term) => sum + term, 0);
  if (total === 0) throw new Error("φ gives 0 for every score, so there is nothing to divide by");
  return raised.map((term) => term / total);
}

export function weight_properties(scores, positive, constant = 1, raised = 10) {
  const weights = positive_weights(scores, positive);
  const moved = positive_weights(scores.map((score) => score + constant), positive);
  const top = scores.indexOf(Math.max(...scores));
  const lifted = positive_weights(scores.map((score, i) => (i === top ? score + raised : score)), positive);
  const wrong = scores.flatMap((high, i) => scores.filter((low, j) => high > low && weights[i] <= weights[j]));
  return [
    Math.min(...weights),
    weights.reduce((sum, weight) => sum + weight, 0),
    Math.max(...weights.map((weight, i) => Math.abs(moved[i] - weight))),
    wrong.length,
    lifted[top],
  ];
}

export function entropy(weights) {
  return 0 - weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
}

export function softmax_jacobian(weights) {
  return weights.map((a, j) => weights.map((b, k) => (j === k ? a : 0) - a * b));
}

export function seeded_uniform(count, seed = 0, start = 0) {
  const first = Math.imul(seed + 1, 0x9e3779b9) + start, side = Math.sqrt(3), step = (2 * side) / 2 ** 32;
  const draws = [];
  for (let i = 0; i < count; i++) {
    let x = (first + i) | 0;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    draws.push((((x ^ (x >>> 15)) >>> 0) + 0.5) * step - side);
  }
  return draws;
}

// One component of every vector at a time, so that no n × d numbers are held.
export function draw_scores(n_q, n_k, d_k, broken = "none", seed = 0) {
  if (!Number.isFinite(score_variance(d_k, broken))) throw new Error(`d_k must be finite, got ${d_k}`);
  const n = n_q + n_k, copies = broken === "copies", stretch = broken === "variance" ? 2 : 1, offset = broken === "mean" ? 1 : 0;
  const sums = new Float64Array(n_q * n_k), squares = new Float64Array(n);
  for (let c = 0; c < (copies ? 1 : d_k); c++) {
    const vectors = seeded_uniform(n, seed, c * n);
    for (let i = 0; i < n; i++) {
      vectors[i] = vectors[i] * stretch + offset;
      squares[i] += vectors[i] * vectors[i];
    }
    for (let i = 0, at = 0; i < n_q; i++) {
      const component = vectors[i];
      for (let j = n_q; j < n; j++, at++) sums[at] += component * vectors[j];
    }
  }
  const score = (i, j) => {
    const sum = sums[i * n_k + j];
    if (broken === "sign") return squares[i] * (1 - 2 * (j % 2));
    if (broken === "unit") return sum / Math.sqrt(squares[i] * squares[n_q + j]);
    return copies ? sum * d_k : sum;
  };
  return Array.from({ length: n_q }, (_, i) => Array.from({ length: n_k }, (_, j) => score(i, j)));
}

export function score_variance(d_k, broken = "none") {
  const variances = { none: d_k, variance: 16 * d_k, mean: 3 * d_k, copies: d_k ** 2, sign: d_k ** 2 + 0.8 * d_k, unit: 1 / d_k };
  if (!(d_k >= 1) || !Object.hasOwn(variances, broken)) throw new Error(`no scores for d_k = ${d_k} and the assumption ${broken}`);
  return variances[broken];
}

export function saturation(scores) {
  const weights = scores.map((row) => softmax(row)), all = scores.flat();
  const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const mean = average(all);
  return [
    mean,
    average(all.map((score) => (score - mean) ** 2)),
    average(weights.map((row) => Math.max(...row))),
    average(weights.map(entropy)),
    average(weights.map((row) => Math.sqrt(softmax_jacobian(row).flat().reduce((sum, entry) => sum + entry * entry, 0)))),
  ];
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
