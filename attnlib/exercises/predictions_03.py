"""Questions that chapter 3 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "exchanged": ChoiceQuestion(
        title="The two matrices change places",
        prompt="Each token reads the one that it beats. Then W_Q and W_K are exchanged, without any more training. "
        "Whom does each token probably read now?",
        options=[
            (
                "The one that it beats, as before",
                "Rock's score with scissors was large. Which pair has that score after the exchange?",
            ),
            (
                "The one that beats it",
                "Each score now belongs to the same two tokens in the opposite direction. With these trained scores, scissors then reads rock most.",
            ),
            (
                "All three alike",
                "The exchange only makes the rows of scores into columns. The scores within a row still differ.",
            ),
            (
                "Itself",
                "A token's score with itself is the one score that the exchange leaves where it was. It was low in its row, and in these runs in its column, too.",
            ),
        ],
        right=1,
    ),
    "leak": ChoiceQuestion(
        prompt="A gauge's reading is large and above 0. U carries it, on an axis of its own, into the scores. "
        "Which gauges does this gauge read more because of that?",
        options=[
            (
                "Those of its own lake, and no others",
                "That part of the score knows no lake: it is a multiple of the product of the two readings.",
            ),
            (
                "Those whose readings are near its own",
                "The score does not measure nearness (chapter 1): a still larger reading scores more.",
            ),
            (
                "Those with large readings above 0",
                "The score gains a multiple of the product of the two readings, whichever lakes they are in.",
            ),
        ],
        right=2,
    ),
    "by-hand": NumberQuestion(
        prompt="What is the output of token 2?",
        right=35.0,
        wrong=[
            (44.0, 0.01, "That is token 1's. The query of token 2 is −1, so its scores are 0, −1 and −1."),
            (40.0, 0.01, "That is the plain mean. The powers of 2 are 1, 1/2 and 1/2."),
            (70.0, 0.01, "Divide by the sum of the powers, 1 + 1/2 + 1/2."),
            (-44.0, 0.01, "The sign is in the query, so in the scores. No power of 2 is below 0."),
            (20.0, 0.01, "That is the value of token 1 alone. The others have weights of 1/4."),
        ],
        explanation="The scores are 0, −1 and −1, their powers 1, 1/2 and 1/2, so the weights are 1/2, 1/4 and 1/4: "
        "10 + 10 + 15.",
        provenance="exact",
    ),
    "double-value": ChoiceQuestion(
        prompt="Double the value of *we* (box 7). What are then its weight in the row of *have* (box 6, now 0.65) and the "
        "*who* that *have* takes home (box 9, now 0.99)?",
        options=[
            ("0.65 and 1.96", "The value of *we* brought 0.975 of the 0.988. Now it brings twice that."),
            ("0.65 and 0.99", "The weight stays. But the value that it multiplies is twice as large."),
            (
                "0.79 and about 1.2",
                "That doubles the amount of *we* in the softmax. A value takes no part in the scores.",
            ),
            (
                "1.30 and 1.96",
                "A weight above 1 cannot be: a row sums to 1. The weight comes from query and key alone.",
            ),
        ],
        right=0,
    ),
    "on-a-line": NumberQuestion(
        prompt="Let d_k be 1: the keys of the sixteen tokens are sixteen different numbers. "
        "For how many of the tokens is there a query that reads this token more than every other?",
        right=2.0,
        tolerance=0,
        wrong=[
            (1.0, 0, "A query below 0 turns the order round. Which key scores most then?"),
            (16.0, 0, "A key between two others scores between them, whatever the query is."),
            (8.0, 0, "A score is the query times the key. Which keys give the largest product?"),
        ],
        explanation="The largest key, or the smallest for a query below 0. All others lie between: inside the convex hull.",
        provenance="exact",
    ),
    "two-lengths": ChoiceQuestion(
        prompt="Queries come from `x`, which is 3 × 4. Keys and values come from `z`, which is 7 × 5, and `w_v` is 5 "
        "× 2. What shapes does the next cell print, first for the weights, then for the outputs?",
        options=[
            (
                "`(3, 7) (3, 2)`",
                "A row for each query, a column for each key; an output for each query, as wide as a value.",
            ),
            ("`(3, 7) (7, 2)`", "There are seven values, and each output is a blend of them all. Who gets an output?"),
            ("`(7, 3) (3, 2)`", "Queries are the rows of the grid, and `x` asks."),
            ("`(3, 3) (3, 2)`", "That is `x` reading itself. Here the keys come from `z`."),
        ],
        right=0,
    ),
    "wide": ChoiceQuestion(
        prompt="With d_k = 4 the largest of the 16 weights of a query is about 0.43, in the mean over the queries. How large "
        "is it with d_k = 64?",
        options=[
            (
                "about 1/16: the numbers are random",
                "That is the mean of each row. The largest of each row is more.",
            ),
            (
                "about 0.43, as before",
                "Sums of 64 products spread far, and a lead of only 3 is already a factor of 20.",
            ),
            (
                "about five sixths",
                "Sums of 64 products spread far: in about half of the rows the best leads by 3 or more, a factor of 20.",
            ),
            ("nearly all, 0.99", "Not in the mean: that happens in a part of the rows only."),
        ],
        right=2,
    ),
    "steps": OrderQuestion(
        title="One query token, in order",
        prompt="How does one query token get its context vector? Put the steps in order.",
        options=[
            ("Multiply the query token by `W_Q`, and every token by `W_K` and `W_V`", ""),
            ("Take the dot product of the query with every key", "There are no queries and keys yet."),
            ("Take the softmax of these scores", "There are no scores yet."),
            ("Multiply every value by its weight", "There are no weights yet: they come out of the softmax."),
            (
                "Add the weighted values up",
                "Nothing is weighted yet: added up as they are, all values would count alike.",
            ),
        ],
        reveal="Query and keys decide how much, values decide what.",
    ),
    # Anatomy of attention
    "output-shape": ChoiceQuestion(
        title="The shape of the output",
        prompt="`X` is 5 × 8, `W_Q` and `W_K` are 8 × 4, `W_V` is 8 × 3. What is the shape of the output Y?",
        options=[
            ("5 × 5", "That is the shape of the scores and of the weights: one number for each pair of tokens."),
            (
                "5 × 8",
                "The output is as wide as a *value*. To be as wide as X again it needs d_v = 8, or one more matrix.",
            ),
            ("5 × 4", "4 is the width of queries and keys. It disappears in QKᵀ."),
            ("5 × 3", "One row for each query, as wide as a value."),
        ],
        right=3,
    ),
    "same-word": ChoiceQuestion(
        prompt="The sentence *Houston we have a problem* becomes *Houston we have a Houston*. What happens to the "
        "output of *have*?",
        options=[
            ("It stays: *have* is the same vector", "Its query is the same. But what it reads is not."),
            (
                "It changes, since another word stands where *problem* stood",
                "The same vector, two outputs: no one matrix does that.",
            ),
            (
                "It turns by an angle, and keeps its length",
                "It is another blend, of other values, and a blend need keep no length.",
            ),
        ],
        right=1,
    ),
    "inert-bias": ChoiceQuestion(
        title="Which bias does nothing?",
        prompt="Which of the three biases, if any, can be set to anything at all without changing an output?",
        options=[
            ("`b_q`", "It adds `b_q`·k_j to the score of key j: another number for each key."),
            ("`b_k`", "It adds the same number, q·`b_k`, to every score of a row, and the softmax ignores that."),
            ("`b_v`", "It moves every value, and the output with them."),
            (
                "None: all three are trained, so all three matter",
                "That something is trained does not mean that it does something.",
            ),
        ],
        right=1,
    ),
    "grows-with": ChoiceQuestion(
        prompt="A sentence gets twice as long. By what factor does the count of numbers to learn grow, for the ideal "
        "tensor and for attention?",
        options=[
            (
                "2 for both",
                "The tensor has a cell for each *pair*. And does any of W_Q, W_K, W_V have n in its shape?",
            ),
            ("4 for the tensor, 2 for attention", "n stands in the shape of none of the three matrices."),
            (
                "4 for the tensor, 1 for attention: as many as before",
                "A cell for each pair of tokens, and three matrices for any length.",
            ),
        ],
        right=2,
    ),
}
