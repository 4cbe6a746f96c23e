"""Questions that the widgets ask where they are given none: one of each kind."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion
from attnlib.scaled_dot_product import softmax

NEAREST = ChoiceQuestion(
    "A query (1, 0) reads from two keys, (1, 0) and (3, 3), with softmax weights of the raw dot products. "
    "Which key does it read more from?",
    (
        (
            "From (1, 0), which is the query itself",
            "Being equal to the query does not make a key score highest: a dot product grows with the key's length too.",
        ),
        (
            "From (3, 3)",
            "Its score is 1·3 + 0·3 = 3, the other's is 1·1 + 0·0 = 1. Attention finds the *largest product*, "
            "and that is not the nearest key.",
        ),
        ("From both alike", "Equal weights need equal scores. Work out 1·1 + 0·0 and 1·3 + 0·3."),
    ),
    right=1,
    reveal="The weights are 0.12 for (1, 0) and 0.88 for (3, 3).",
    provenance="hand-made",
)
STEPS = OrderQuestion(
    "What happens when, in masked attention? Put the steps into order.",
    (
        ("Multiply every token's vector by `W_Q`, `W_K` and `W_V`", ""),
        ("Take the dot product of every query with every key, divided by √d", "There are no queries and keys yet."),
        ("Set the scores of blocked keys to −∞", "There are no scores yet that could be blocked."),
        (
            "Take the softmax of every row",
            "A key must be blocked *before* the softmax: blocked after it, it has already taken its share of the row.",
        ),
        ("Average the values with these weights", "There are no weights yet: they come out of the softmax."),
    ),
    reveal="The mask comes before the softmax, so that the keys that are left share the whole of every row.",
)
SHIFTED = NumberQuestion(
    "Two keys have the scores 1000 and 1001. What weight does the *second* get from the softmax? "
    "Two decimals are enough.",
    right=float(softmax(np.array([1000.0, 1001.0]))[1]),
    tolerance=0.01,
    wrong=(
        (
            0.5,
            0.01,
            "Scores are not shared out in proportion, 1001 of 2001. The softmax raises e to each of them first.",
        ),
        (1.0, 0.01, "e¹⁰⁰¹ is immense, and so is e¹⁰⁰⁰. Their *ratio* decides: how large is it?"),
        (0.27, 0.01, "That is the weight of the first key."),
        (2.72, 0.01, "e is how many times the first weight goes into the second. Together the two make 1."),
    ),
    explanation="Scores of 0 and 1 give the same 0.27 and 0.73: only differences of scores count, "
    "so 1000 more for every key changes nothing.",
    provenance="hand-made",
)
