"""Questions that chapter 7 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import math
from typing import Any

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "slope": NumberQuestion(
        title="Eight times the tokens",
        prompt="A text grows from 512 to 4,096 tokens. How many times as many bytes do the two whole grids of a head take?",
        right=64.0,
        tolerance=0.5,
        wrong=[
            (8.0, 0.1, "So many times the rows. Each row is 8 times as long, too."),
            (16.0, 0.1, "A grid has rows and columns, 8 times as many of each: multiply them."),
            (128.0, 0.5, "There are two grids before and after. Each grows by the same factor."),
            (512.0, 0.5, "8 · 8 · 8: but a grid has rows and columns, and no third side."),
            (2.0, 0.05, "That is the power of n. What is 8 to this power?"),
        ],
        explanation="8 · 8: the bytes grow like n². With 64 rows at a time there are as many rows as before, and "
        "each is 8 times as long.",
    ),
    "crossing": NumberQuestion(
        prompt="For d = 768: beyond which number of tokens do QKᵀ and AV take more multiply–adds than all the rest of the "
        "block?",
        right=4608.0,
        tolerance=700,
        wrong=[
            (768.0, 100, "At n = d the grids take 2 d³, all the rest 12 d³."),
            (1536.0, 200, "That leaves the feed-forward layer out: it takes 8 n d², twice what Q, K, V and W_O take."),
            (9216.0, 700, "That counts one of the two, QKᵀ and AV. Each takes n² d."),
            (3072.0, 700, "The rest is 3 + 1 + 8 times n d². Set 12 n d² equal to 2 n² d."),
        ],
        explanation="12 n d² = 2 n² d at n = 6 d = 4,608.",
        provenance="exact",
    ),
    "kept-sums": NumberQuestion(
        prompt="Let d_k = d_v = 64, and let φ give 64 numbers. How many numbers does a linearised head keep after 100,000 "
        "tokens: the right bracket, and the sum of all φ(k)?",
        right=4160.0,
        tolerance=0,
        wrong=[
            (4096.0, 0, "That is the bracket, 64 × 64. Add the sum of all φ(k), 64 numbers."),
            (12_800_000.0, 1, "That is a cache of keys and values. The bracket is a *sum* over the keys."),
            (8192.0, 0, "The bracket is one matrix, 64 × 64."),
            (128.0, 0, "That is one key and its value. Their product φ(k)ᵀ v has 64 × 64 numbers."),
        ],
        explanation="64 · 64 + 64, however long the text is.",
        provenance="exact",
    ),
    "shrink": NumberQuestion(
        title="A larger score comes",
        prompt="The first key has the score 2, so m = 2 and total = e⁰ = 1. The next key has the score 5. What is "
        "the total now? Give two decimals.",
        right=1 + math.exp(-3),
        wrong=[
            (2.0, 0.005, "The new key adds e⁰ = 1. But what was there was divided by e², and should now be by e⁵."),
            (1 + math.exp(3), 0.05, "That keeps m = 2. The largest score is 5 now, and the old total shrinks."),
            (math.exp(2) + math.exp(5), 0.5, "Those are the plain exponentials. Both are divided by e⁵ now."),
            (math.exp(-3), 0.005, "That is what the old total has become. The new key adds 1."),
            (1.0, 0.005, "That is what the new key adds. And the old total?"),
        ],
        explanation="The old total shrinks to e^(2 − 5) = 0.05, and the new key adds e⁰ = 1.",
        provenance="exact",
    ),
    "grid-or-tile": ChoiceQuestion(
        title="One grid, or one tile many times",
        prompt="The grid has 67 MB, the tile 0.5 MB. NumPy subtracts 1 from the grid once, and from the tile 128 times: as many subtractions. Which is faster, as a rule?",
        options=[
            ("Both take as long", "They do the same number of subtractions. But a number has to come to the processor, and to go back."),
            ("The grid: one call and not 128", "A call of 131,072 subtractions takes far longer than the call alone. What else takes time?"),
            ("The tile", "It can stay in the fast memory. The grid comes from the slow one, and goes back."),
        ],
        right=2,
        provenance="measured",
    ),
    "who-waits": ChoiceQuestion(
        prompt="Which of the three ways wait for bytes?",
        options=[
            ("Whole grids alone", "Rows serve 16 multiply–adds a byte. The machine can do 41 meanwhile."),
            ("Whole grids and rows", "8 and 16 are less than 41, and 64 is more."),
            ("All three", "Tiles serve 64 multiply–adds a byte, and the machine can do only 41 meanwhile."),
        ],
        right=1,
    ),
    "one-byte": NumberQuestion(
        title="To write one token",
        prompt="To write a token, its query meets all keys and values that were kept. Each of these numbers has 4 bytes, comes from memory, and takes part "
        "in one multiply–add of the head. How many multiply–adds is that for each byte?",
        right=0.25,
        wrong=[
            (4.0, 0.01, "Turned round: 4 bytes for one multiply–add."),
            (1.0, 0.01, "One for each number, and a number has 4 bytes."),
            (0.5, 0.01, "A multiplication and an addition count as one here."),
            (2.0, 0.01, "That counts bytes for each operation. The question asks for multiply–adds for each byte, and a multiplication with an addition counts as one."),
        ],
        explanation="One for 4 bytes. At 2 bytes a number it would be 0.5.",
        provenance="exact",
    ),
    "bet": ChoiceQuestion(
        title="Place your bet",
        prompt="Heads with keys of their own put nearly all weight on the partners. Which of these forms comes "
        "closest to it? (Only the window has a mask.)",
        options=[
            ("All eight heads share one set of keys", "Eight heads look for eight partners with the same four columns of keys. They lose weight, but the other two forms lose more."),
            ("A causal window of 16 tokens", "A token has sixteen candidates at most, and the partner is one of 64."),
            ("The linearised form", "Four positive numbers for a key: a few keys may stand out, but not all 64."),
        ],
        right=0,
        reveal="Bet on how much is lost, too, before you read on.",
    ),
    "order": ChoiceQuestion(
        title="Another order",
        prompt="For which of these does a token get *another* output when all tokens stand in another order?",
        options=[
            ("Tile by tile", "The keys come in another order, and both sums are the same."),
            ("Linearised attention", "Its state is a sum over all keys, and a sum has no order."),
            ("Shared keys", "The heads share them. They still are summed over."),
            ("A window", "Who stands within the window has changed."),
        ],
        right=3,
    ),
    # Other functions, fewer products
    "swap-brackets": ChoiceQuestion(
        title="Why build the grid?",
        prompt="Q(KᵀV) needs no n × n grid. Why is attention not computed like that?",
        options=[
            ("(QKᵀ)V and Q(KᵀV) are not equal", "As matrix products they are, but for rounding."),
            ("The softmax stands between the two products", "It takes the exponential of each score, so each score has to be made."),
            ("It takes more multiplications", "It takes fewer, once n is larger than the width of a head."),
        ],
        right=1,
    ),
    "backward": NumberQuestion(
        title="The price of forgetting",
        prompt="Each product of the forward pass, QKᵀ and AV, needs two on the way back: one for the gradient of each factor. With d_v = d_k all take n²·d_k multiply–adds. "
        "The weights were not kept, and the scores are computed again. How many such products in all, forward and back?",
        right=7.0,
        tolerance=0,
        wrong=[
            (6.0, 0, "So many if the weights are kept. The scores take one more."),
            (8.0, 0, "So many if AV is computed again as well. Its result, the output, was kept."),
            (4.0, 0, "Those are the gradients. The forward pass counts, and the scores once more."),
            (5.0, 0, "So many on the way back. The forward pass took two."),
            (3.0, 0, "Each of the two products of the forward pass has two gradients."),
        ],
        explanation="2 forward, 4 gradients, and QKᵀ once more.",
        provenance="exact",
    ),
    "window-reach": NumberQuestion(
        title="Four layers of a window",
        prompt="A model has four layers, each with a window of 3 that ends at the token itself. An output of the "
        "last layer can depend on earlier tokens: how many tokens back is the furthest of them?",
        right=8,
        tolerance=0.1,
        wrong=[
            (2, 0.1, "That is one layer. What it reads has itself read further back."),
            (12, 0.1, "Each window holds the token itself: it reaches 2 back, not 3."),
            (3, 0.1, "That is how many tokens *one* layer reads, itself included."),
            (16, 0.1, "It adds up, layer by layer, and does not double."),
            (81, 0.1, "The windows overlap. From layer to layer the reach grows by the same number of tokens."),
            (9, 0.1, "That counts the token itself. How far *back* is the furthest?"),
        ],
        explanation="Two back in each layer, and four layers: 8.",
        provenance="exact",
    ),
}  # fmt: skip

# The last table: what each remedy saves and costs, as arguments of a FillTable.
BILL: dict[str, Any] = {
    "title": "The bill",
    "rows": ["tiles", "window", "linearised", "shared keys", "checkpointing"],
    "columns": ["bytes saved", "products without a mask", "seconds", "same function?", "a finished model: more training?", "what is lost"],
    "options": [
        ["grids", "cache of keys and values", "grids and cache", "what training keeps"],
        ["as many, or nearly", "fewer", "more"],
        ["fewer: fewer bytes move", "fewer: fewer products", "fewer, in writing", "usually more"],
        ["yes", "no"],
        ["yes", "no"],
        ["nothing but rounding", "what lies further back, in one layer", "sharp look-ups among many", "keys of one's own", "nothing"],
    ],
    "right": [[0, 0, 0, 0, 1, 0], [2, 1, 1, 1, 0, 1], [2, 1, 1, 1, 0, 2], [1, 0, 2, 1, 0, 3], [3, 2, 3, 0, 1, 4]],
    "why": [
        "The same sums, in another order and corrected on the way. Where gradients are taken, the scores are made a second time.",
        "In a long text each query has *w* scores, and older keys can go.",
        "Sums of fixed size stand for all keys. It saves if the text is longer than a head is wide.",
        "The grids stay. A smaller cache moves in less time.",
        "It pays products, and usually time, for bytes held.",
    ],
    "given": [[0, 0], [0, 4], [0, 5], [1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [2, 3], [2, 4], [3, 1], [3, 2], [3, 3],
        [3, 4], [3, 5], [4, 0], [4, 1], [4, 3], [4, 4], [4, 5]],
}  # fmt: skip
