"""Exercises of chapter 5: masking."""

import numpy as np

from attnlib.exercises.chapter_05_writing import ON_WRITING
from attnlib.exercises.checkers_05 import PADDED_BATCH, POLARITY
from attnlib.exercises.checkers_05_weights import MASK_FIRST
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion

EXERCISES = (
    Exercise(
        id="who-predicts",
        title="Who predicts what?",
        difficulty="easy",
        minutes=3,
        misconception="Output i predicts token i.",
        hints=(
            "Under the causal mask output i may read keys 0 to i. Is token i among them?",
            "A prediction must be of something that this output has not read.",
        ),
        question=ChoiceQuestion(
            prompt="A model with the causal mask reads tokens 0 to 6 and learns to predict. What does output 3 read, and with which "
            "token is it compared?",
            options=[
                ("It reads 0 to 3, and is compared with 3", "Token 3 is in its input. Copying would be enough."),
                ("It reads 0 to 2, and is compared with 3", "The causal mask lets a token read itself: j ≤ i."),
                (
                    "It reads 0 to 3, and is compared with 4",
                    "The first token that it cannot see is the one to predict.",
                ),
                ("It reads 0 to 6, and is compared with 4", "The mask blocks 4, 5 and 6 for query 3."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="pencil-row",
        title="A row with a pencil",
        difficulty="easy",
        minutes=3,
        misconception="What a mask takes away goes to the token itself, or is lost.",
        hints=(
            "Which of the four may the second one read?",
            "What is left keeps its proportions, and has to sum to 1.",
        ),
        question=NumberQuestion(
            prompt="Without a mask, the second of four tokens reads the four, in their order, with the weights 0.2, 0.3, 0.1 and 0.4. "
            "What is its weight on *itself* under the causal mask?",
            right=0.6,
            wrong=[
                (0.3, 0.001, "That is its weight before. What the other two had goes to the words that are left."),
                (0.5, 0.001, "The words that are left keep their proportions: 0.2 to 0.3."),
                (0.4, 0.001, "That is the weight of the first token. Which of the four is itself?"),
                (1.0, 0.001, "The first token may be read, too."),
                (0.375, 0.001, "It may read itself and what came before, not what follows."),
                (0.8, 0.001, "You gave all the blocked weight, 0.5, to the token itself. The first token gets its share, too: divide by what is left."),
            ],
            explanation="0.3 / (0.2 + 0.3).",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-mask",
        title="What does it print?",
        difficulty="easy",
        minutes=3,
        misconception="A strict comparison makes a causal mask as well.",
        hints=(
            "`[:, None]` makes a column: which side of `>` belongs to queries?",
            "Write the grid down, row by row. Is the diagonal True?",
        ),
        question=ChoiceQuestion(
            prompt="`mask = np.arange(4)[:, None] > np.arange(4)`, then `print(mask.sum(axis=1))`. What is printed, "
            "and what follows?",
            options=[
                ("`[1 2 3 4]`: a causal mask", "With `>=` it would print this. Here the diagonal is False: no token reads itself."),
                (
                    "`[0 1 2 3]`: the first query has nobody to read",
                    "Each query reads the keys before it, without itself, and before the first there is none.",
                ),
                ("`[3 2 1 0]`: each reads the future", "In row 3 the query's place is 3, and 3 > j for j = 0, 1, 2."),
                ("`[4 4 4 4]`: everybody reads everybody", "A comparison of a column with a row is a grid, not all True."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="clinic",
        title="The clinic",
        difficulty="medium",
        minutes=8,
        misconception="Weights that look like a triangle are right.",
        hints=(
            "Add up each row first, then each column.",
            "Then look at what should be 0: right of the diagonal, and the column of the padding.",
            "A row that is spread evenly over allowed and forbidden keys alike has lost its scores.",
        ),
        question=OrderQuestion(
            prompt="Put the six faults in the order of the grids: step 1 is the fault of grid 1, step 2 that of grid "
            "2, and so on.",
            options=[
                ("Zeros after the softmax", ""),
                ("The mask is off by one", "There each row but the last would read one cell right of the diagonal, and sum to 1."),
                ("The padding is read", "There the rows of words would have a weight on the padding and none on the future."),
                ("The softmax ran over the queries", "There each column would sum to 1."),
                ("A query has nobody to read, and −1e9 stands for −∞", "There the row of the padding would have four equal weights."),
                ("True was taken for “blocked”", "There everything that should be read would be 0."),
            ],
            order=[3, 5, 1, 0, 2, 4],
            reveal="Sums of rows, sums of columns, and what should be 0 tell all six apart.",
        ),
    ),
    Exercise(
        id="mask-first",
        title="The mask before the softmax",
        difficulty="medium",
        minutes=12,
        misconception="Zeroing weights after the softmax is the same as blocking scores before it.",
        hints=(
            "Which score gives e to that score = 0?",
            "`np.where(mask, scores, …)` leaves the scores that may stay. Use `axis=-1` and `keepdims=True`, so that leading axes stay.",
            "`mask.any(axis=-1)` says for each query whether it has a key at all.",
        ),
        properties=MASK_FIRST,
    ),
    Exercise(
        id="padded-batch",
        title="Causal and padded",
        difficulty="medium",
        minutes=10,
        misconception="Filler must be blocked as a query, too.",
        hints=(
            "One mask for each sentence: the result has shape `(b, n, n)` for b lengths. Which shape must the padding part have?",
            "`np.tri(n, dtype=bool)` is one of the two. For the other compare the places of the keys with each length: `lengths[:, None, None]`.",
            "A key is read when both masks allow it.",
        ),
        properties=PADDED_BATCH,
    ),
    Exercise(
        id="polarity",
        title="Three ways to say no",
        difficulty="easy",
        minutes=6,
        misconception="True means the same in every library.",
        hints=(
            "The fold on what True means tells. Which of the three is our own convention?",
            "`~mask` exchanges True and False. For a bias choose with `np.where` between 0 and −∞.",
        ),
        properties=POLARITY,
    ),
    Exercise(
        id="blind-last",
        title="One honest output",
        difficulty="medium",
        minutes=5,
        misconception="Without a mask the loss is 0 everywhere.",
        hints=(
            "Which of the eight outputs can see the coin that they are to predict?",
            "These can reach a loss of 0. What is the best for the one that is left, and what does an average over eight make of it?",
        ),
        question=NumberQuestion(
            prompt="A model without any mask reads 8 fair, independent coins, coin 0 to coin 7. Output i predicts coin i + 1. So output 7 predicts coin 8, and "
            "that one is *not* in the input. What is the lowest average loss over the 8 outputs, with the natural logarithm? Three decimals.",
            right=float(np.log(2) / 8),
            tolerance=0.001,
            wrong=[
                (0.0, 0.001, "Seven outputs can see their answer. The last cannot."),
                (
                    float(np.log(2)),
                    0.005,
                    "That is the loss of an output that sees nothing. Seven of the eight see their answer.",
                ),
                (
                    float(np.log(2) / 7),
                    0.001,
                    "There are eight outputs to average over, the one that cannot cheat among them.",
                ),
                (float(7 * np.log(2) / 8), 0.005, "The other way round: seven reach 0 and one stays at ln 2."),
                (0.125, 0.001, "The loss of the honest one is −ln ½, with the natural logarithm. That is not 1."),
            ],
            explanation="Seven losses of 0 and one of ln 2: ln 2 / 8 ≈ 0.087.",
        ),
    ),
    Exercise(
        id="escapes",
        title="The mask that escapes",
        difficulty="medium",
        minutes=4,
        misconception="A leak test finds every wrong mask.",
        hints=(
            "The test asks one thing: can an output see the coin that it predicts?",
            "Go through the options. Can coin i + 1 change output i, be it through a sum?",
        ),
        question=ChoiceQuestion(
            prompt="Here are four wrong ways to mask, with query i and key j. Which one keeps the loss at ln 2 on "
            "fresh coins, and so passes the leak test?",
            options=[
                (
                    "j ≤ i + 1: each query also reads the next key",
                    "The next key holds the answer. The test convicts it at once.",
                ),
                (
                    "j ≤ i, but put in as zeros after the softmax",
                    "What is blocked still counts in the row's sum. The loss falls below ln 2.",
                ),
                (
                    "j = 0 or j = i: each query reads the first key and itself",
                    "It blocks too much, and what is not read costs nothing on fresh coins. Where there is something to find, it can do worse than the right mask.",
                ),
                ("j > i: the mask inverted", "Each query but the last reads its answer. The last has no key, and its NaN spoils the training. That is no pass, either."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="order-again",
        title="From chapter 1: blind to order?",
        difficulty="medium",
        minutes=4,
        misconception="Without positions attention is blind to order, whatever the mask is.",
        hints=(
            "Chapter 1: without a mask each word keeps its output when the words are shuffled. Whom does each word read here, before and after?",
            "An output is made of the word's own query, and of the keys and values that it may read.",
        ),
        question=ChoiceQuestion(
            prompt="One layer, no positions, causal mask. *we have problem* becomes *have we problem*. Which words "
            "keep their output, whatever the three matrices of the layer are?",
            options=[
                ("All three, as in chapter 1", "*we* read itself alone, and now it reads *have* as well."),
                ("*problem* alone", "It reads the same three words in both orders, and a sum has no order."),
                ("None", "*problem* stands last in both, and reads the same words."),
                ("*we* and *have*, which changed places", "What each of them may read has changed."),
            ],
            right=1,
        ),
    ),
    # Training and writing
    *ON_WRITING,
)  # fmt: skip
