"""Exercises of chapter 1, the dot product."""

from attnlib.exercises.checkers_01 import COSINE_WEIGHTS, WRITE_ATTENTION
from attnlib.exercises.checkers_01_distance import DISTANCE_WEIGHTS
from attnlib.exercises.checkers_01_look_up import SOFT_LOOK_UP
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="which-shape",
        title="Which shape?",
        difficulty="easy",
        minutes=2,
        misconception="Tokens are columns, so XXᵀ compares axes.",
        hints=(
            "The softmax changes numbers, never a shape.",
            "For a product, the inner sizes must agree and disappear.",
        ),
        question=ChoiceQuestion(
            prompt="`X` holds 7 tokens with 3 numbers each. What shape has softmax(XXᵀ)?",
            options=[
                ("3 × 3", "That is the shape of XᵀX, which compares axes. XXᵀ compares tokens."),
                ("7 × 7", "One weight for each pair of tokens."),
                ("7 × 3", "That is the shape of the output softmax(XXᵀ)X; the weights come before the last product."),
            ],
            right=1,
            reveal="It grows with the square of the sentence's length.",
        ),
    ),
    Exercise(
        id="average-limits",
        title="What an average cannot do",
        difficulty="medium",
        minutes=4,
        misconception="Attention selects a token, or can go beyond all of them.",
        hints=(
            "An average lies between the smallest and the largest of what it averages.",
            "Is any softmax weight ever exactly 0?",
        ),
        question=ChoiceQuestion(
            prompt="On the axis `letters` the entries of `X` are 1.4, 0.4, 0.8, 0.2 and 1.4. "
            "Which of these can be true of an output of softmax(XXᵀ)X on this axis, in exact arithmetic?",
            options=[
                (
                    "It has 1.5 there",
                    "The largest entry is 1.4, and no average is larger than all that it averages: the output stays in the hull.",
                ),
                (
                    "It has about 0.73 there, which no token has",
                    "The output of *a* has it. An average lies between the tokens, and may meet none of them.",
                ),
                (
                    "It has 0.2 there, like *a*",
                    "Then all weight would be on *a*, the only token with 0.2. But no softmax weight of a finite score is exactly 0: "
                    "attention blends the tokens, and does not select one.",
                ),
                (
                    "It has 0 there",
                    "All entries are 0.2 or more, so every average is too.",
                ),
            ],
            right=1,
            reveal="A grid may show 1.00 where one score leads by much; that is rounded.",
        ),
    ),
    Exercise(
        id="thief",
        title="How long must the second key be?",
        difficulty="medium",
        minutes=6,
        misconception="The angle alone decides which key is read.",
        hints=(
            "With two keys, the larger score has more than half of the weight.",
            "The second key's score is c · cos 60°, and cos 60° = 1/2. What is the first key's?",
        ),
        question=NumberQuestion(
            prompt="A query (1, 0) reads from two keys. One is (1, 0), the query itself. The other stands at 60° from it "
            "and has length `c`. Above which `c` does the second key get more than half of the weight?",
            right=2.0,
            tolerance=0.01,
            wrong=[
                (1.0, 0.01, "At equal length the closer angle wins: the scores are then 1 and 1/2."),
                (
                    0.5,
                    0.01,
                    "1/2 is the cosine. The score is `c` times that, and has to reach the first key's score, 1.",
                ),
                (0.0, 0.01, "The length counts: with `c` near 0 the second score is near 0, and the first is 1."),
                (1.15, 0.02, "That is 1/cos 30°. The angle is 60°, and its cosine 1/2."),
                (4.0, 0.01, "That takes cos² 60° = 1/4. The score is c · cos 60° = c/2."),
                (
                    6.0,
                    0.01,
                    "At 6 it leads by a score of 2 already, and has 0.88 of the weight. It has more than half much earlier.",
                ),
            ],
            explanation="The scores are 1 and c/2. A long vector wins though its angle is worse: the dot product counts both.",
        ),
    ),
    Exercise(
        id="longer-query",
        title="A query three times as long",
        difficulty="medium",
        minutes=5,
        misconception="Only the direction of a query matters; or: weights grow in proportion to its length.",
        hints=(
            "The first weight is 0.6 and the second 0.4, so the first is 1.5 times the second. That is e to the power of the lead.",
            "Every score is three times as large, so the lead is too. What does that do to the ratio of the two weights?",
        ),
        question=NumberQuestion(
            prompt="A query reads from two keys, 0.6 from the first and 0.4 from the second. Now the query is made three times "
            "as long, in the same direction. What weight does the first key get? Two decimals are enough.",
            right=float(1.5**3 / (1.5**3 + 1)),
            tolerance=0.006,
            wrong=[
                (
                    0.6,
                    0.01,
                    "The direction is the same, but a dot product counts length too: every score is three times as large.",
                ),
                (1.8, 0.01, "Weights sum to 1, so none can be 1.8. It is the *scores* that are three times as large."),
                (
                    0.82,
                    0.006,
                    "That makes the *ratio* of the weights three times as large. The lead is three times as large, "
                    "and e is raised to it.",
                ),
                (0.216, 0.006, "0.6 to the power 3 is not yet a weight: cube 0.4 too, and divide by the sum of both."),
                (0.69, 0.005, "That is for a query twice as long."),
                (
                    0.9,
                    0.015,
                    "The *lead*, the first score minus the second, is three times as large. The ratio of the weights is not. Which lead makes a ratio of 1.5?",
                ),
                (
                    1.0,
                    0.01,
                    "It would come near 1 for a much longer query. How large is the ratio of the weights here?",
                ),
                (3.375, 0.01, "That is the ratio of the two weights, 1.5 to the power 3. Together they make 1."),
            ],
            explanation="The ratio 1.5 becomes 1.5³ = 3.375, and 3.375 / 4.375 is 0.77. A longer query is a sharper one.",
        ),
    ),
    Exercise(
        id="write-attention",
        title="Write it yourself",
        difficulty="easy",
        minutes=8,
        misconception="The softmax runs over queries.",
        hints=(
            "Three lines: scores, weights, mixture.",
            "Look at the axis of your sums: each *row* of the weights must sum to 1. `keepdims=True` keeps the totals a column.",
        ),
        properties=WRITE_ATTENTION,
    ),
    Exercise(
        id="cosine-weights",
        title="Take the length out",
        difficulty="medium",
        minutes=10,
        misconception="Without lengths, attention reads what matters.",
        hints=(
            "Every word scores exactly 1 with itself once all lengths are 1. The softmax stays.",
            "`np.linalg.norm(x, axis=1, keepdims=True)` gives one length for each row. "
            "For the rest call the chapter's `softmax`, or `attention_weights` with `scale=1`.",
        ),
        properties=COSINE_WEIGHTS,
    ),
    Exercise(
        id="soft-look-up",
        title="A look-up with a temperature",
        difficulty="medium",
        minutes=8,
        misconception="A high temperature sharpens.",
        hints=(
            "The query is one vector, so `keys @ query` is one score for each key.",
            "Divide the scores by the temperature, then take their softmax: a small temperature makes large differences.",
        ),
        properties=SOFT_LOOK_UP,
    ),
    Exercise(
        id="distance-weights",
        title="Weights by distance",
        difficulty="medium",
        minutes=8,
        misconception="Attention by dot product already is a search for the nearest key.",
        hints=(
            "Multiply ‖q − k‖² out, as the chapter does. Which of the three terms is the same for every key of a row, "
            "and so drops out of the softmax?",
            "What is left is q · k − ½‖k‖²: the product of all queries with all keys, and one number for each key, "
            "taken from its *column*.",
        ),
        properties=DISTANCE_WEIGHTS,
    ),
)
