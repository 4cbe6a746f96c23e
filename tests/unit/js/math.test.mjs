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
