// attnlib.lab, for the page: what only the book's experiments use.

import { check_matrix, check_square } from "./checks.mjs";
import { block_parameters, tile_sizes } from "./cost.mjs";
import { attention_scores, causal_mask, padding_mask, project, sliding_window_mask, softmax } from "./math.mjs";

const CARD = { peak: 41.3e12, bandwidth: 1.008e12 };

export function stretch_matrix(along, across, degrees = 0) {
  const turn = ((degrees % 360) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const mixed = (along - across) * cos * sin;
  return [
    [along * cos ** 2 + across * sin ** 2, mixed],
    [mixed, along * sin ** 2 + across * cos ** 2],
  ];
}

export function distance_scores(query, key) {
  check_matrix("query", query);
  check_matrix("key", key);
  const width = query[0].length;
  if (key[0].length !== width) throw new Error(`query has width ${width}, key has width ${key[0].length}`);
  return query.map((q) => key.map((k) => q.reduce((sum, x, c) => sum - (x - k[c]) ** 2, 0) / 2));
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
  const apart = ([i, j]) => Math.abs(matrix[i][j] - matrix[j][i]);
  const pairs = matrix.flatMap((row, i) => row.slice(i + 1).map((_, k) => [i, i + 1 + k]));
  return pairs.reduce((best, pair) => (apart(pair) > apart(best) ? pair : best));
}

export function cycle_product(weights, cycle) {
  check_square(weights);
  if (!cycle.length) throw new Error("a cycle needs one token or more");
  return cycle.reduce((product, i, at) => product * weights[i][cycle[(at + 1) % cycle.length]], 1);
}

// The mean of −ln A over the cells with j = i − 1.
export function cycle_loss(scores) {
  check_circle(scores);
  const losses = scores.map((row, i) => {
    const top = Math.max(...row);
    const others = row.toSpliced(row.indexOf(top), 1);
    return top - row.at(i - 1) + Math.log1p(others.reduce((sum, score) => sum + Math.exp(score - top), 0));
  });
  return losses.reduce((sum, loss) => sum + loss / losses.length, 0);
}

// The mean own score, the mean right one (j = i − 1), and the mean of the others, the wrong ones.
export function cycle_means(scores) {
  check_circle(scores);
  const n = scores.length;
  const mean = (cells) => cells.reduce((sum, score) => sum + score / cells.length, 0);
  const is_wrong = (i, j) => j !== i && j !== (i + n - 1) % n;
  const wrong = scores.flatMap((row, i) => row.filter((_, j) => is_wrong(i, j)));
  return [mean(scores.map((row, i) => row[i])), mean(scores.map((row, i) => row.at(i - 1))), mean(wrong)];
}

export function cycle_bound(x, y) {
  const [top, ...others] = [0, x, y].sort((a, b) => b - a);
  return top + Math.log1p(others.reduce((sum, one) => sum + Math.exp(one - top), 0));
}

function check_circle(scores) {
  check_square(scores);
  if (scores.length < 3) throw new Error(`3 tokens or more make a circle, got ${scores.length}`);
}

const NO_SPREAD = 1e-12; // of a column's largest entry

export function standardise(x) {
  check_matrix("x", x);
  const mean = (column) => column.reduce((sum, entry) => sum + entry / column.length, 0);
  const columns = x[0].map((_, c) => {
    const column = x.map((row) => row[c]);
    const largest = Math.max(...column.map(Math.abs)) || 1;
    const shares = column.map((entry) => entry / largest);
    const middle = mean(shares);
    const apart = shares.map((share) => share - middle);
    const spread = Math.sqrt(mean(apart.map((entry) => entry ** 2)));
    return apart.map((entry) => (spread < NO_SPREAD ? 0 : entry / spread));
  });
  return x.map((_, i) => columns.map((column) => column[i]));
}

export function partner_share(weights, partners) {
  check_matrix("weights", weights);
  return weights.reduce((sum, row, i) => sum + row[partners[i]], 0) / weights.length;
}

// For blends a·u + (1 − a)·v with noise: a and 1 − a, s², or 1 where all blends are alike, and the determinant.
function blend_terms(shares, noise) {
  const rest = shares.map((a) => 1 - a);
  const sum = (terms) => terms.reduce((total, term) => total + term, 0);
  const distance = sum(shares.flatMap((a) => shares.map((other) => (a - other) ** 2 / 2)));
  const [variance, weight] = [noise ** 2, distance ? noise ** 2 : 1];
  const [u, v] = [shares, rest].map((row) => variance + sum(row.map((a) => a * a)));
  return { rest, weight, u, v, whole: weight * (u + v - variance) + distance };
}

export function blend_errors(shares, noise = 0) {
  const { weight, u, v, whole } = blend_terms(shares, noise);
  return [v, u].map((other) => (weight * other) / whole);
}

// By what the best linear readout multiplies each blend, for u and for v.
export function blend_readout(shares, noise = 0) {
  const { rest, weight, whole } = blend_terms(shares, noise);
  const against = (a, row) => shares.reduce((total, other, i) => total + (a - other) * row[i], 0);
  return shares.map((a, i) =>
    [weight * a + against(a, rest), weight * rest[i] - against(a, shares)].map((term) => term / whole),
  );
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
  const plus = (amount) => {
    const changed = scores.map(amount);
    const some = positive === "exp" || positive_function(changed, positive).some(Boolean);
    return some ? positive_weights(changed, positive) : changed.map(() => 0); // there are no weights
  };
  const moved = plus((score) => score + constant);
  const top = scores.indexOf(Math.max(...scores));
  const lifted = plus((score, i) => (i === top ? score + raised : score));
  const wrong = scores.flatMap((high, i) => scores.filter((low, j) => high > low && weights[i] <= weights[j]));
  return [
    Math.min(...weights),
    weights.reduce((sum, weight) => sum + weight, 0),
    Math.max(...weights.map((weight, i) => Math.abs(moved[i] - weight))),
    wrong.length,
    lifted[top],
  ];
}

export function streamed_softmax(scores, values) {
  if (scores.length !== values.length) throw new Error(`${scores.length} scores for ${values.length} values`);
  let [largest, total, blend] = [Number.NEGATIVE_INFINITY, 0, 0];
  return scores.map((score, j) => {
    const larger = Math.max(largest, score);
    const [shrink, raised] = [Math.exp(largest - larger), Math.exp(score - larger)];
    [largest, total, blend] = [larger, total * shrink + raised, blend * shrink + raised * values[j]];
    return [largest, total, blend];
  });
}

export function entropy(weights) {
  return 0 - weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0);
}

export const softmax_jacobian = (weights) => weights.map((a, j) => weights.map((b, k) => (j === k ? a : 0) - a * b));

export function seeded_uniform(count, seed = 0, start = 0) {
  const [first, side] = [Math.imul(seed + 1, 0x9e3779b9) + start, Math.sqrt(3)];
  return Array.from({ length: count }, (_, i) => {
    let x = (first + i) | 0;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (((x ^ (x >>> 15)) >>> 0) + 0.5) * ((2 * side) / 2 ** 32) - side;
  });
}

// One component of every vector at a time, so that no n × d numbers are held.
export function draw_scores(n_q, n_k, d_k, broken = "none", seed = 0) {
  const n = n_q + n_k;
  const copies = broken === "copies";
  const [stretch, offset] = [broken === "variance" ? 2 : 1, broken === "mean" ? 1 : 0];
  const [sums, squares] = [n_q * n_k, n].map((size) => new Float64Array(size));
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
  const square = d_k ** 2;
  const plain = { none: d_k, variance: 16 * d_k, mean: 3 * d_k, unit: 1 / d_k };
  return { ...plain, copies: square, sign: square + 0.8 * d_k }[broken];
}

export function saturation(scores) {
  const weights = scores.map((row) => softmax(row));
  const all = scores.flat();
  const length = (numbers) => Math.sqrt(numbers.reduce((sum, x) => sum + x * x, 0));
  const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const mean = average(all);
  return [
    mean,
    average(all.map((score) => (score - mean) ** 2)),
    average(weights.map((row) => Math.max(...row))),
    average(weights.map(entropy)),
    average(weights.map((row) => length(softmax_jacobian(row).flat()))),
  ];
}

export function weight_back(weights, back) {
  const rows = weights.slice(back);
  return rows.reduce((sum, row, i) => sum + row[i], 0) / rows.length;
}

export function compared_weights(scores, fixed, strength) {
  const s = scores.map((score) => strength * score);
  const top = Math.max(...s.filter((_, i) => fixed[i] > 0));
  if (top === -Infinity) throw new Error("fixed is 0 throughout: nothing is mixed");
  const raised = s.map((score, i) => fixed[i] * Math.exp(Math.min(score - top, 0)));
  const total = raised.reduce((sum, term) => sum + term, 0);
  return raised.map((term) => term / total);
}

// Of equals, to ten decimals, the first.
export function largest_letter(weights, letters) {
  const shares = Array(Math.max(...letters) + 1).fill(0);
  letters.forEach((letter, i) => (shares[letter] += weights[i]));
  const top = Math.max(...shares);
  return shares.findIndex((share) => share >= top - 1e-10);
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

export function share_right(names, letters, fixed, strength) {
  const found = letters.flatMap((row, r) =>
    row.map((letter, called) => {
      const scores = names[r].map((name) => dot(name, names[r][called]));
      return largest_letter(compared_weights(scores, fixed, strength), row) === letter;
    }),
  );
  return found.filter(Boolean).length / found.length;
}

export function most_right(letters) {
  const commonest = letters.map((row) => Math.max(...row.map((one) => row.filter((other) => other === one).length)));
  return commonest.reduce((sum, count) => sum + count, 0) / letters.flat().length;
}

const mean_of = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

export function kind_share(weights, kinds) {
  check_matrix("weights", weights);
  return weights.map((row, i) => row.reduce((sum, weight, j) => (kinds[i] === kinds[j] ? sum + weight : sum), 0));
}

export function reading_loss(x, u, kinds) {
  const [, scores, own] = scored(x, u, kinds);
  return Math.max(0, mean_of(scores.map((row, i) => log_sum(row) - log_sum(own[i]))));
}

export function reading_gradient(x, u, kinds) {
  const [projected, scores, own] = scored(x, u, kinds);
  const [all, kept] = [scores, own].map((grid) => grid.map((row) => softmax(row)));
  const g = all.map((row, i) => row.map((weight, j) => (weight - kept[i][j]) / x.length));
  const both = g.map((row, i) => row.map((one, j) => one + g[j][i]));
  const columns = x[0].map((_, c) => x.map((row) => row[c]));
  return project(columns, project(both, projected));
}

// XU, the scores XU(XU)ᵀ, and those scores with −∞ where the kinds differ.
function scored(x, u, kinds) {
  const projected = project(x, u);
  const scores = attention_scores(projected, projected, 1);
  const own = scores.map((row, i) => row.map((score, j) => (kinds[i] === kinds[j] ? score : -Infinity)));
  return [projected, scores, own];
}

function log_sum(scores) {
  const top = Math.max(...scores);
  return top + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - top), 0));
}

// A mask by its name, of n tokens; `size` is a length or a width.
export function preset_mask(preset, n, size = 1) {
  const opened = padding_mask(size, n);
  const causal = causal_mask(n, n, preset === "off by one" ? 1 : 0);
  const masks = {
    none: () => padding_mask(n, n),
    padding: () => opened,
    window: () => sliding_window_mask(n, n, size),
    prefix: () => causal.map((row, i) => row.map((may_attend, j) => may_attend || opened[i][j])),
  };
  return masks[preset]?.() ?? causal;
}

// Where output i of the last layer can have read token j: the mask's power, with "or" for + and "and" for ×. A place
// carries its own token along.
export function mask_reach(mask, layers) {
  const own = mask.map((_, i) => mask.map((_, j) => i === j));
  const pass = (reach) => mask.map((row, i) => own.map((_, j) => reach.some((r, k) => (row[k] || k === i) && r[j])));
  return Array.from({ length: layers }).reduce(pass, own);
}

// Where a tile of a stage is computed from a tile of the stage before, each counted row by row.
export function tile_parents(stage, n, d, num_heads, forgotten = "nowhere") {
  const counted = (...sizes) =>
    sizes.reduce((all, size) => all.flatMap((at) => Array.from({ length: size }, (_, i) => [...at, i])), [[]]);
  const width = d / num_heads;
  const [rows, heads, grids] = [counted(n, d), counted(num_heads, n, width), counted(num_heads, n, n)];
  const in_row = ([i], [k]) => i === k;
  const in_cut = ([i, column], [a, k, c]) => i === k && column === a * width + c;
  const [tiles, before, is_made_from] = {
    project: [rows, rows, in_row],
    split: [heads, rows, (tile, from) => in_cut(from, tile)],
    weights: [grids, heads, ([a, i, j], [b, k]) => a === b && j <= i && k <= i],
    heads: [heads, grids, ([a, i], [b, k, j]) => a === b && j <= i && k === i],
    merge: [rows, heads, in_cut],
    output: [rows, rows, in_row],
  }[stage];
  const straight = forgotten === stage || (forgotten === "both" && /split|merge/.test(stage)); // cut without swapaxes
  return tiles.map((tile, t) => before.map((from, f) => (straight ? t === f : is_made_from(tile, from))));
}

// What n tokens of width d take to be read at once, on CARD; without a window it is null.
export function reading_cost(n, d, options) {
  const { num_layers, num_heads, num_kv_heads, expansion, itemsize, tiles, window, linearised } = options;
  const seen = Math.min(n, window ?? n);
  const d_head = d / num_heads;
  const state = num_kv_heads * d_head * (d_head + 1);
  const cells = num_heads * n * seen; // of each of the two grids
  const keys = 2 * n * num_kv_heads * d_head; // and values, of one layer
  const [whole, kept] = linearised ? [false, state] : [!tiles, 2 * seen * num_kv_heads * d_head];
  const [rows, columns] = tile_sizes(n, seen, false);
  const grid = whole ? 2 * cells : rows * columns;
  const adds = linearised ? n * (num_heads + num_kv_heads) * d_head * (d_head + 1) : 2 * n * seen * d;
  const matrices = block_parameters(d, expansion, num_heads, num_kv_heads);
  const at_best = (adds, moved) => Math.max(adds / (4 * CARD.peak), moved / CARD.bandwidth) * itemsize;
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
