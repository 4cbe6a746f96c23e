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

let last = {}; // the last run, so that its weights and its logits together cost one

function run_decoder(parameters, tokens) {
  const key = tokens.join();
  if (last.parameters !== parameters || last.key !== key) last = { parameters, key, run: forward(parameters, tokens) };
  return last.run;
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
    const added = project(merge_heads(grids.map((grid, a) => project(grid, value[a]))), w_o[layer]);
    stream = stream.map((row, i) => row.map((entry, c) => entry + added[i][c]));
    return grids;
  });
  return { weights, stream };
}
