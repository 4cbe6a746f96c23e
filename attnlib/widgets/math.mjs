// The mathematics of attnlib, for the page: the same names and the same results as in Python.
// tests/unit/test_parity.py feeds both the same inputs. Matrices are arrays of rows; scale = null means 1/√d_k.

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
  return query.map((q) =>
    key.map((k) => {
      let sum = 0; // a loop, since a decoder does this for every head at each key that is pressed
      for (let c = 0; c < width; c++) sum += q[c] * factor * k[c];
      return sum;
    }),
  );
}

export function cosine_similarity(query, key) {
  check_matrix("query", query);
  check_matrix("key", key);
  const directions = [query, key].map((rows, which) =>
    rows.map((row, i) => {
      const length = Math.hypot(...row);
      if (length === 0) throw new Error(`${["query", "key"][which]} ${i} is a row of zeros: it has no direction`);
      return row.map((component) => component / length);
    }),
  );
  return attention_scores(...directions, 1).map((row) => row.map((cosine) => Math.max(-1, Math.min(1, cosine))));
}

export function attention_weights(query, key, mask = null, scale = null, bias = null) {
  const scores = attention_scores(query, key, scale);
  if (bias && (bias.length !== query.length || bias.some((row) => row.length !== key.length)))
    throw new Error(
      `bias has ${bias.length} × ${bias[0]?.length ?? 0} cells, the scores ${query.length} × ${key.length}`,
    );
  if (mask && (mask.length !== query.length || mask.some((row) => row.length !== key.length)))
    throw new Error(
      `mask has ${mask.length} × ${mask[0]?.length ?? 0} cells, the scores ${query.length} × ${key.length}`,
    );
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
  const order = points
    .map((_, i) => i)
    .sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1] || a - b);
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

// Where a token stands.

export function rotary_permutation(d) {
  if (!(d >= 2) || d % 2) throw new Error(`the width must be even and positive, since columns go in pairs: got ${d}`);
  return Array.from({ length: d }, (_, c) => (c < d / 2 ? 2 * c : 2 * c - d + 1));
}

export function rotary_embedding(x, positions, layout, base = 10000) {
  check_matrix("x", x);
  const d = x[0].length,
    interleaved = rotary_permutation(d);
  if (!["half", "interleaved"].includes(layout))
    throw new Error(`layout must be one of half, interleaved, got ${layout}`);
  if (!(base > 0 && Number.isFinite(base))) throw new Error(`base must be above 0 and finite, got ${base}`);
  if (positions.length !== x.length || !positions.every(Number.isInteger))
    throw new Error(`positions need one whole number for each of ${x.length} rows`);
  const column = (c) => (layout === "half" ? c : interleaved[c]); // pair c is columns c and c + d/2 of the half layout
  return x.map((row, i) => {
    const out = [...row];
    for (let c = 0; c < d / 2; c++) {
      const angle = positions[i] * base ** ((-2 * c) / d),
        first = column(c),
        second = column(c + d / 2);
      out[first] = row[first] * Math.cos(angle) - row[second] * Math.sin(angle);
      out[second] = row[first] * Math.sin(angle) + row[second] * Math.cos(angle);
    }
    return out;
  });
}

// What attnlib.cost counts. `itemsize` is the bytes of a number.

const ROWS = 256,
  COLUMNS = 512,
  FEWEST_ROWS = 128; // of streaming_attention's tiles

export function attention_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  check_sizes({ n_q, n_k, d_k, d_v, num_heads, itemsize });
  const grid = n_q * n_k;
  const [adds, moved] = products([n_q, d_k, n_k], [n_q, n_k, d_v]);
  return cost(adds, moved + 2 * grid, 2 * grid + n_q * d_v, num_heads, itemsize);
}

export function streaming_cost(n_q, n_k, d_k, d_v, num_heads = 1, itemsize = 4) {
  check_sizes({ n_q, n_k, d_k, d_v, num_heads, itemsize });
  const rows = Math.min(n_q, ROWS);
  const columns = Math.min(n_k, Math.max(COLUMNS, Math.floor((FEWEST_ROWS * COLUMNS) / rows)));
  const together = Math.max(1, Math.floor((ROWS * COLUMNS) / (rows * columns)));
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
  check_sizes({ n, d, num_heads, num_kv_heads: groups, n_z: length, itemsize });
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
  check_sizes({ n, d, d_v });
  return n * d * n * d_v;
}

export function attention_parameters(d, d_k, d_v) {
  check_sizes({ d, d_k, d_v });
  return 2 * d * d_k + d * d_v;
}

export function cache_bytes(n, num_kv_heads, d_head, num_layers = 1, itemsize = 4) {
  check_sizes({ n, num_kv_heads, d_head, num_layers, itemsize });
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

function check_sizes(sizes) {
  for (const [name, size] of Object.entries(sizes))
    if (!(Number.isInteger(size) && size >= 1))
      throw new Error(`${name} must be a whole number of 1 or more, got ${size}`);
}

function check_matrix(name, rows) {
  if (!Array.isArray(rows) || !rows.length || !rows[0]?.length) throw new Error(`${name} is empty`);
  rows.forEach((row, i) => {
    if (row.length !== rows[0].length)
      throw new Error(`row ${i} of ${name} has ${row.length} entries, row 0 has ${rows[0].length}`);
    for (let j = 0; j < row.length; j++)
      if (!Number.isFinite(row[j])) throw new Error(`${name}[${i}, ${j}] is ${row[j]}`);
  });
}

export function stretch_matrix(along, across, degrees = 0) {
  if (![along, across, degrees].every(Number.isFinite))
    throw new Error(`stretches and angle must be finite, got ${along}, ${across} and ${degrees}`);
  const turn = ((degrees % 360) * Math.PI) / 180;
  const cos = Math.cos(turn),
    sin = Math.sin(turn),
    mixed = (along - across) * cos * sin;
  return [
    [along * cos ** 2 + across * sin ** 2, mixed],
    [mixed, along * sin ** 2 + across * cos ** 2],
  ];
}

export function project(x, w, b = null) {
  check_matrix("x", x);
  check_matrix("w", w);
  if (x[0].length !== w.length) throw new Error(`x has width ${x[0].length}, w has ${w.length} rows`);
  if (b && b.length !== w[0].length) throw new Error(`the bias has ${b.length} entries, w has ${w[0].length} columns`);
  const out = x.map((row) => {
    const sums = b ? [...b] : new Array(w[0].length).fill(0);
    for (let r = 0; r < row.length; r++) {
      // loops: a decoder does this a million times for a word
      const entry = row[r],
        weights = w[r];
      for (let c = 0; c < sums.length; c++) sums[c] += entry * weights[c];
    }
    return sums;
  });
  check_matrix("x times w", out);
  return out;
}

export function most_read(weights) {
  check_square(weights);
  return weights.map((row, i) => {
    const others = row.map((weight, j) => (j === i ? -Infinity : weight));
    return others.indexOf(Math.max(...others));
  });
}

export function most_unequal_pair(matrix) {
  check_square(matrix);
  const pairs = matrix
    .flatMap((row, i) => row.map((entry, j) => [Math.abs(entry - matrix[j][i]), i, j]))
    .filter(([, i, j]) => i < j);
  return pairs.reduce((best, pair) => (pair[0] > best[0] ? pair : best)).slice(1);
}

export function cycle_product(weights, cycle) {
  check_square(weights);
  if (!cycle.length) throw new Error("a cycle needs one token or more");
  return cycle.reduce((product, i, at) => product * weights[i][cycle[(at + 1) % cycle.length]], 1);
}

function check_square(rows) {
  check_matrix("grid", rows);
  if (rows.length !== rows[0].length || rows.length < 2)
    throw new Error(`a square grid of 2 rows or more is needed, got ${rows.length} × ${rows[0].length}`);
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
  const moved = positive_weights(
    scores.map((score) => score + constant),
    positive,
  );
  const top = scores.indexOf(Math.max(...scores));
  const lifted = positive_weights(
    scores.map((score, i) => (i === top ? score + raised : score)),
    positive,
  );
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
  const first = Math.imul(seed + 1, 0x9e3779b9) + start,
    side = Math.sqrt(3),
    step = (2 * side) / 2 ** 32;
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
  const n = n_q + n_k,
    copies = broken === "copies",
    stretch = broken === "variance" ? 2 : 1,
    offset = broken === "mean" ? 1 : 0;
  const sums = new Float64Array(n_q * n_k),
    squares = new Float64Array(n);
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
  const variances = {
    none: d_k,
    variance: 16 * d_k,
    mean: 3 * d_k,
    copies: d_k ** 2,
    sign: d_k ** 2 + 0.8 * d_k,
    unit: 1 / d_k,
  };
  if (!(d_k >= 1) || !Object.hasOwn(variances, broken))
    throw new Error(`no scores for d_k = ${d_k} and the assumption ${broken}`);
  return variances[broken];
}

export function saturation(scores) {
  const weights = scores.map((row) => softmax(row)),
    all = scores.flat();
  const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const mean = average(all);
  return [
    mean,
    average(all.map((score) => (score - mean) ** 2)),
    average(weights.map((row) => Math.max(...row))),
    average(weights.map(entropy)),
    average(
      weights.map((row) =>
        Math.sqrt(
          softmax_jacobian(row)
            .flat()
            .reduce((sum, entry) => sum + entry * entry, 0),
        ),
      ),
    ),
  ];
}

export function sliding_window_mask(n_q, n_k = n_q, window, offset = 0) {
  return Array.from({ length: n_q }, (_, i) =>
    Array.from({ length: n_k }, (_, j) => j <= i + offset && j > i + offset - window),
  );
}

// `length` is that of one sequence.
export function padding_mask(length, n_q, n_k = n_q) {
  return Array.from({ length: n_q }, () => Array.from({ length: n_k }, (_, j) => j < length));
}

export function to_torch(mask, api) {
  if (api !== "scaled_dot_product_attention" && api !== "MultiheadAttention")
    throw new Error(`torch has no attention called ${api}`);
  return mask.map((row) => row.map((may_attend) => Boolean(may_attend) !== (api === "MultiheadAttention")));
}

export function merge_heads(heads) {
  return heads[0].map((_, i) => heads.flatMap((head) => head[i]));
}

export function pool_heads(heads, num_kv_heads) {
  const size = heads.length / num_kv_heads;
  if (!Number.isInteger(size) || size < 1)
    throw new Error(`${heads.length} heads do not divide into ${num_kv_heads} groups`);
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

export function split_heads(x, num_heads) {
  check_matrix("x", x);
  const width = x[0].length / num_heads;
  if (!(num_heads >= 1 && Number.isInteger(width)))
    throw new Error(`a width of ${x[0].length} does not divide into ${num_heads} heads`);
  return Array.from({ length: num_heads }, (_, a) => x.map((row) => row.slice(a * width, (a + 1) * width)));
}

export function rms_norm(x, epsilon = 1e-6) {
  check_matrix("x", x);
  return x.map((row) => {
    const size = Math.sqrt(row.reduce((sum, entry) => sum + entry * entry, 0) / row.length + epsilon);
    return row.map((entry) => entry / size);
  });
}

export function distance_bias(table, n) {
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => table[Math.min(Math.max(i - j, 0), table.length - 1)]),
  );
}

export function decoder_weights(parameters, tokens) {
  return run_decoder(parameters, tokens).weights;
}

export function decoder_logits(parameters, tokens) {
  const { embedding, unembedding = Array.from(embedding[0], (_, c) => embedding.map((word) => word[c])) } = parameters;
  return project(rms_norm(run_decoder(parameters, tokens).stream), unembedding);
}

export function silence_head(w_o, layer, head, num_heads) {
  const width = w_o[0].length / num_heads;
  if (!Number.isInteger(width)) throw new Error(`${w_o[0].length} rows of W_O do not divide into ${num_heads} heads`);
  if (!(layer in w_o && head >= 0 && head < num_heads)) throw new Error(`there is no head ${head} in layer ${layer}`);
  return w_o.map((rows, l) =>
    rows.map((row, r) => (l === layer && Math.floor(r / width) === head ? row.map(() => 0) : row)),
  );
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
  if (!tokens.length || outside !== undefined)
    throw new Error(`token ${outside} is none of the ${embedding.length} words`);
  let stream = tokens.map((token) => Array.from(embedding[token]));
  const mask = causal_mask(tokens.length);
  const weights = bias.map((tables, layer) => {
    const x = rms_norm(stream);
    const [query, key, value] = [w_q, w_k, w_v].map((w) => split_heads(project(x, w[layer]), tables.length));
    const grids = tables.map((table, a) =>
      attention_weights(query[a], key[a], mask, null, distance_bias(table, tokens.length)),
    );
    const found = project(merge_heads(grids.map((grid, a) => project(grid, value[a]))), w_o[layer]);
    stream = stream.map((row, i) => row.map((entry, c) => entry + found[i][c]));
    return grids;
  });
  return { weights, stream };
}
