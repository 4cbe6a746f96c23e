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
  return query.map((q) => key.map((k) => {
    let sum = 0; // a loop, since a decoder does this for every head at each key that is pressed
    for (let c = 0; c < width; c++) sum += q[c] * factor * k[c];
    return sum;
  }));
}

export function attention_weights(query, key, mask = null, scale = null, bias = null) {
  const scores = attention_scores(query, key, scale);
  if (bias && (bias.length !== query.length || bias.some((row) => row.length !== key.length)))
    throw new Error(`bias has ${bias.length} × ${bias[0]?.length ?? 0} cells, the scores ${query.length} × ${key.length}`);
  if (mask && (mask.length !== query.length || mask.some((row) => row.length !== key.length)))
    throw new Error(`mask has ${mask.length} × ${mask[0]?.length ?? 0} cells, the scores ${query.length} × ${key.length}`);
  return scores.map((row, i) => {
    const allowed = row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score + (bias ? bias[i][j] : 0)));
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

// Every row times W, plus the bias. Plain loops: a decoder does this a million times for each key that is pressed.
export function project(x, w, b = null) {
  check_matrix("x", x);
  check_matrix("w", w);
  if (x[0].length !== w.length) throw new Error(`x has width ${x[0].length}, w has ${w.length} rows`);
  const width = w[0].length;
  if (b && b.length !== width) throw new Error(`the bias has ${b.length} entries, w has ${width} columns`);
  return x.map((row) => {
    const out = b ? [...b] : new Array(width).fill(0);
    for (let r = 0; r < row.length; r++) {
      const entry = row[r], weights = w[r];
      for (let c = 0; c < width; c++) out[c] += entry * weights[c];
    }
    return out;
  });
}

export function split_heads(x, num_heads) {
  check_matrix("x", x);
  const width = x[0].length / num_heads;
  if (!(num_heads >= 1 && Number.isInteger(width))) throw new Error(`a width of ${x[0].length} does not divide into ${num_heads} heads`);
  return Array.from({ length: num_heads }, (_, a) => x.map((row) => row.slice(a * width, (a + 1) * width)));
}

export function merge_heads(heads) {
  return heads[0].map((_, i) => heads.flatMap((head) => head[i]));
}

export function rms_norm(x, epsilon = 1e-6) {
  check_matrix("x", x);
  return x.map((row) => {
    const size = Math.sqrt(row.reduce((sum, entry) => sum + entry * entry, 0) / row.length + epsilon);
    return row.map((entry) => entry / size);
  });
}

export function distance_bias(table, n) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => table[Math.min(Math.max(i - j, 0), table.length - 1)]));
}

export function decoder_weights(parameters, tokens) {
  return run_decoder(parameters, tokens).weights;
}

export function decoder_logits(parameters, tokens) {
  const { embedding, unembedding = Array.from(embedding[0], (_, c) => embedding.map((word) => word[c])) } = parameters;
  return project(rms_norm(run_decoder(parameters, tokens).stream), unembedding);
}

const runs = new WeakMap(); // the last run over each array of tokens, so that weights and logits together cost one

function run_decoder(parameters, tokens) {
  const key = tokens.join();
  const last = runs.get(tokens);
  if (last?.parameters === parameters && last.key === key) return last.run;
  const run = forward(parameters, tokens);
  runs.set(tokens, { parameters, key, run });
  return run;
}

function forward({ embedding, w_q, w_k, w_v, w_o, bias }, tokens) {
  check_matrix("embedding", embedding);
  const outside = tokens.find((token) => !embedding[token]);
  if (!tokens.length || outside !== undefined) throw new Error(`token ${outside} is none of the ${embedding.length} words`);
  let stream = tokens.map((token) => Array.from(embedding[token]));
  const mask = causal_mask(tokens.length);
  const weights = bias.map((tables, layer) => {
    const x = rms_norm(stream);
    const [query, key, value] = [w_q, w_k, w_v].map((w) => split_heads(project(x, w[layer]), tables.length));
    const grids = tables.map((table, a) => attention_weights(query[a], key[a], mask, null, distance_bias(table, tokens.length)));
    const found = project(merge_heads(grids.map((grid, a) => project(grid, value[a]))), w_o[layer]);
    stream = stream.map((row, i) => row.map((entry, c) => entry + found[i][c]));
    return grids;
  });
  return { weights, stream };
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
    for (let j = 0; j < row.length; j++) if (!Number.isFinite(row[j])) throw new Error(`${name}[${i}, ${j}] is ${row[j]}`);
  });
}
