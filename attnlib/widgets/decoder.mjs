// attnlib.decoder, for the page: every head's weights, and the scores of all next words.

import { check_matrix } from "./checks.mjs";
import { attention_weights, causal_mask, merge_heads, project, split_heads } from "./math.mjs";

export function rms_norm(x, epsilon = 1e-6) {
  check_matrix("x", x);
  return x.map((row) => {
    const size = Math.sqrt(row.reduce((sum, entry) => sum + entry * entry, 0) / row.length + epsilon);
    return row.map((entry) => entry / size);
  });
}

// The rows from `first` on.
export function distance_bias(table, n, first = 0) {
  return Array.from({ length: n - first }, (_, i) =>
    Array.from({ length: n }, (_, j) => table[Math.min(Math.max(first + i - j, 0), table.length - 1)]),
  );
}

export function decoder_weights(parameters, tokens) {
  return run_decoder(parameters, tokens).weights;
}

export function decoder_logits(parameters, tokens) {
  const { embedding, unembedding = Array.from(embedding[0], (_, c) => embedding.map((word) => word[c])) } = parameters;
  const { stream, logits } = run_decoder(parameters, tokens);
  const left = stream.slice(logits.length);
  if (left.length) logits.push(...project(rms_norm(left), unembedding));
  return logits;
}

export function silence_head(w_o, layer, head, num_heads) {
  const width = w_o[0].length / num_heads;
  if (!Number.isInteger(width)) throw new Error(`${w_o[0].length} rows of W_O do not divide into ${num_heads} heads`);
  if (!(layer in w_o && head >= 0 && head < num_heads)) throw new Error(`there is no head ${head} in layer ${layer}`);
  return w_o.map((rows, l) =>
    rows.map((row, r) => (l === layer && Math.floor(r / width) === head ? row.map(() => 0) : row)),
  );
}

// The last run of each model, so that its weights and its logits together cost one. A token sees none after it: what a
// run has in common with the last from its start is not computed again.
const runs = new WeakMap();

function run_decoder(parameters, tokens) {
  check_matrix("embedding", parameters.embedding);
  const outside = tokens.find((token) => !parameters.embedding[token]);
  if (!tokens.length || outside !== undefined)
    throw new Error(`token ${outside} is none of the ${parameters.embedding.length} words`);
  const last = runs.get(parameters) ?? { tokens: [], stream: [], logits: [] };
  const other = tokens.findIndex((token, i) => token !== last.tokens[i]);
  const common = other < 0 ? tokens.length : other;
  if (common === Math.max(tokens.length, last.tokens.length)) return last;
  const known = Math.min(common, tokens.length - 1);
  const run = { tokens: [...tokens], logits: last.logits.slice(0, known), ...forward(parameters, tokens, known, last) };
  runs.set(parameters, run);
  return run;
}

// From the token `known` on, with what the last run has of those before it.
function forward({ embedding, w_q, w_k, w_v, w_o, bias }, tokens, known, past) {
  const n = tokens.length;
  const mask = causal_mask(n - known, n, known);
  const after = (rows = [], more) => [...rows.slice(0, known), ...more];
  const fit = (row, i) => (row.length === n ? row : Array.from({ length: n }, (_, j) => (j > i ? 0 : row[j])));
  let stream = tokens.slice(known).map((token) => Array.from(embedding[token]));
  const layers = bias.map((tables, layer) => {
    const x = rms_norm(stream);
    const [query, ...read] = [w_q, w_k, w_v].map((w) => split_heads(project(x, w[layer]), tables.length));
    const [keys, values] = read.map((heads, r) => heads.map((rows, a) => after(past.layers?.[layer][r][a], rows)));
    const rows = tables.map((table, a) =>
      attention_weights(query[a], keys[a], mask, null, distance_bias(table, n, known)),
    );
    const added = project(merge_heads(rows.map((rows, a) => project(rows, values[a]))), w_o[layer]);
    stream = stream.map((row, i) => row.map((entry, c) => entry + added[i][c]));
    const all = rows.map((rows, a) => after(past.layers?.[layer][2][a].slice(0, known).map(fit), rows));
    return [keys, values, all];
  });
  return { layers, weights: layers.map(([, , grids]) => grids), stream: after(past.stream, stream) };
}
