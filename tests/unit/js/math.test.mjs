// The page's mathematics by itself: bad input gives a sentence that names the size or the index.
import assert from "node:assert/strict";
import test from "node:test";
import * as decoder from "../../../attnlib/widgets/decoder.mjs";
import * as lab from "../../../attnlib/widgets/lab.mjs";
import * as math from "../../../attnlib/widgets/math.mjs";

const rows = (...texts) => texts.map((text) => text.split(" ").map(Number));
const square = rows("1 0", "0 1");

test("a softmax of two scores has known weights", () => {
  assert.deepEqual(
    math.softmax([0, Math.log(3)]).map((w) => w.toFixed(12)),
    ["0.250000000000", "0.750000000000"],
  );
});

test("no input is changed", () => {
  const points = rows("3 1", "0 0", "2 2");
  math.convex_hull(points);
  math.attention(points, points, points);
  assert.deepEqual(points, rows("3 1", "0 0", "2 2"));
});

const bad = {
  "a temperature of zero": [() => math.softmax([1, 2], 0), /temperature must be positive and finite, got 0/],
  "no scores": [() => math.softmax([]), /empty axis/],
  NaN: [() => math.softmax([1, NaN]), /score 1 is NaN/],
  "+∞": [() => math.softmax([Infinity, 1]), /score 0 is Infinity/],
  "−∞ throughout": [() => math.softmax([-Infinity, -Infinity]), /nothing to attend to/],
  "widths that differ": [() => math.attention_scores(square, [[1, 2, 3]]), /query has width 2, key has width 3/],
  "an empty sequence": [() => math.attention_weights([], square), /query is empty/],
  "rows that differ": [
    () => math.attention_weights([[1, 2], [3]], square),
    /row 1 of query has 1 entries, row 0 has 2/,
  ],
  "an entry that is not finite": [
    () => math.attention_weights(square, rows("1 0", "0 Infinity")),
    /key\[1, 1\] is Infinity/,
  ],
  "a mask of another size": [
    () => math.attention_weights(square, square, [[true, true]]),
    /mask has 1 × 2 cells, the scores 2 × 2/,
  ],
  "a masked row": [() => math.attention_weights(square, square, rows("1 1", "0 0")), /query 1 may attend to no key/],
  "a bias of another size": [
    () => math.attention_weights(square, square, null, null, [[0, 0]]),
    /bias has 1 × 2 cells, the scores 2 × 2/,
  ],
  "NaN in a bias": [() => math.attention_weights(square, square, null, null, rows("0 NaN", "0 0")), /score 1 is NaN/],
  "a map of another width": [() => math.project(square, [[1, 2, 3]]), /x has width 2, w has 1 rows/],
  "a bias of another width": [() => math.project(square, square, [1]), /the bias has 1 entries, w has 2 columns/],
  "heads that do not divide": [() => math.split_heads(square, 3), /a width of 2 does not divide into 3 heads/],
  "a word outside": [() => decoder.decoder_weights({ embedding: square }, [0, 2]), /token 2 is none of the 2 words/],
  "no words": [() => decoder.decoder_logits({ embedding: square }, []), /none of the 2 words/],
  "values of another length": [() => math.attention(square, square, [[1]]), /key has 2 rows, value has 1/],
  "φ out of range": [() => lab.positive_function([1000], "exp"), /φ\(1000\) is Infinity/],
  "φ of nothing but 0": [() => lab.positive_weights([0, 0], "square"), /φ gives 0 for every score/],
};

for (const [name, [call, message]] of Object.entries(bad)) test(`${name} is named`, () => assert.throws(call, message));

// A decoder of two layers of two heads, whose rows of the embedding tell how many are read.
function a_decoder() {
  let read = 0;
  class Row extends Array {
    [Symbol.iterator]() {
      read++;
      return super[Symbol.iterator]();
    }
  }
  let seed = 1;
  const entry = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  const matrix = (n, m, kind = Array) => Array.from({ length: n }, () => kind.from({ length: m }, entry));
  const both = () => [matrix(4, 4), matrix(4, 4)];
  const embedding = matrix(9, 4, Row);
  read = 0;
  const parameters = {
    embedding,
    unembedding: matrix(4, 9),
    w_q: both(),
    w_k: both(),
    w_v: both(),
    w_o: both(),
    bias: [0, 1].map(() => matrix(2, 5)),
  };
  const reads = (call) => {
    const before = read;
    call();
    return read - before;
  };
  return { parameters, reads };
}

test("a decoder computes only the words that are new, also where it runs with a head silenced in between", () => {
  const { parameters, reads } = a_decoder();
  const silenced = { ...parameters, w_o: decoder.silence_head(parameters.w_o, 0, 1, 2) };
  const both = (...tokens) => {
    for (const each of [parameters, silenced]) {
      decoder.decoder_weights(each, tokens);
      decoder.decoder_logits(each, tokens);
    }
  };
  const count = (tokens, expected) =>
    assert.equal(
      reads(() => both(...tokens)),
      expected,
    ); // a row for each, twice
  count([1, 2, 3], 6);
  count([1, 2, 4], 2);
  count([1, 2, 4, 5], 2);
  count([1, 2], 2);
  count([1, 2], 0);
});

test("what a decoder kept from its last run is what it would compute anew", () => {
  const sentences = [[1, 2, 3], [1, 2, 4], [1, 2, 4, 5], [1, 2], [1, 7, 8, 2, 3], [6]];
  const { parameters } = a_decoder();
  for (const tokens of sentences) {
    const fresh = { ...parameters };
    assert.deepEqual(decoder.decoder_weights(parameters, tokens), decoder.decoder_weights(fresh, tokens));
    assert.deepEqual(decoder.decoder_logits(parameters, tokens), decoder.decoder_logits(fresh, tokens));
  }
});
