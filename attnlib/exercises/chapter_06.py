"""Exercises of chapter 6: several heads."""

from attnlib import cost
from attnlib.exercises.checkers_06 import HEAD_PARTS, MERGE_HEADS, SHARE_KEYS, SPLIT_HEADS
from attnlib.exercises.checkers_06_causal import CAUSAL_HEADS
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="pencil-blend",
        title="One blend with a pencil",
        difficulty="easy",
        minutes=3,
        misconception="A share of 3/4 leaves an error of 1/4.",
        hints=(
            "Which of the two shares stands over the line of the fraction, for the error of u?",
            "1/16 over 9/16 + 1/16.",
        ),
        question=NumberQuestion(
            prompt="A blend takes ¾ of u and ¼ of v, without noise. The best linear readout guesses u from this "
            "blend. How large is the error of u, in percent?",
            right=10.0,
            unit="%",
            tolerance=0.01,
            wrong=[
                (90.0, 0.01, "That is the error of v."),
                (25.0, 0.01, "That is the share of v. The error is a fraction of squares."),
                (6.25, 0.01, "Divide by the sum of both squares."),
                (0.1, 0.001, "In percent, please."),
                (33.33, 0.5, "Square the shares first."),
                (11.11, 0.2, "You divided by the square of ¾ alone. Divide by the sum of both squares."),
            ],
            explanation="(1/16) / (9/16 + 1/16) = 1/10.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-split",
        title="What does it print?",
        difficulty="easy",
        minutes=3,
        misconception="A reshape to the right shape puts the right numbers there.",
        hints=(
            "Write the 3 × 4 numbers down, and cut each row into two.",
            "After the swap the first index is the head, and the second the token. Both count from 0.",
        ),
        question=ChoiceQuestion(
            prompt="What does this print? `x = np.arange(12).reshape(3, 4); print(x.reshape(3, 2, 2).swapaxes(0, 1)[1, 0])`",
            options=[
                ("`[2 3]`", "The first index is the head, so this is the second piece of the first row."),
                ("`[4 5]`", "So it would be without the swap: row 1 of `x`, first piece."),
                ("`[6 7]`", "So it would be with `x.reshape(2, 3, 2)[1, 0]`, which cuts all twelve numbers into two halves."),
                ("`[8 9]`", "That is the first piece of the last row: `[0, 2]`."),
            ],
            right=0,
        ),
    ),
    Exercise(
        id="four-pokes",
        title="Four pokes",
        difficulty="medium",
        minutes=6,
        misconception="What leaks nothing is right.",
        hints=(
            "A leak is a 1 above the diagonal. Which grids have none?",
            "Of those, compare the last two rows: does *mi* read *do*?",
        ),
        question=ChoiceQuestion(
            prompt="One of the layers passes every test for leaks, and is wrong all the same. "
            "It forgets `swapaxes` in the split and in the merge. Which grid is it?",
            options=[
                ("1", "*mi* moves the outputs of *do* and *re*: it leaks."),
                ("2", "It has no 1 above the diagonal, so nothing leaks. But neither *mi* nor *fa* reads *do* or *re*."),
                ("3", "Each output moves with its own token and all before it: this one is right."),
                ("4", "*re* moves the output of *do*, and *fa* that of *re*: it leaks."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="scale-of-a-head",
        title="From chapter 4: by which root?",
        difficulty="medium",
        minutes=4,
        misconception="Scores are divided by the root of the whole width.",
        hints=(
            "A score of one head is a sum of how many products? What is its standard deviation before the division?",
            "8 over √512.",
        ),
        question=NumberQuestion(
            prompt="Width d = 512, eight heads of width 64. The entries of queries and keys are independent, with mean 0 and "
            "variance 1. Somebody divides the scores by √512. What is their standard deviation then?",
            right=8 / 512**0.5,
            tolerance=0.006,
            wrong=[
                (1.0, 0.01, "So it would be after a division by √64."),
                (8.0, 0.1, "That is before the division."),
                (0.125, 0.002, "That is the variance, 64/512. Take the root."),
                (2.83, 0.03, "That is √512 over √64: you turned the fraction round."),
                (512**0.5, 0.1, "That is √512. The scores have a standard deviation of 8 before."),
            ],
            explanation="√64 / √512 = 1/√8. The rows are flatter than they should be at the start.",
            provenance="exact, and rounded",
        ),
    ),
    Exercise(
        id="split-heads",
        title="Split",
        difficulty="easy",
        minutes=8,
        misconception="A reshape to the right shape puts the right numbers there.",
        hints=(
            "Which axis must be cut into two, and which of the two new axes comes first?",
            "After the reshape, tokens and heads stand the other way round. One more call exchanges them.",
            "With batch axes in front, −1, −2 and −3 name the last axes whatever stands before them.",
        ),
        properties=SPLIT_HEADS,
    ),
    Exercise(
        id="merge-heads",
        title="Merge",
        difficulty="easy",
        minutes=6,
        misconception="Undoing a reshape is a reshape.",
        hints=(
            "Undo the two steps of the split, the last one first. Count the axes from the end: −2 and −3.",
            "In a reshape, −1 stands for whatever size is left.",
        ),
        properties=MERGE_HEADS,
    ),
    Exercise(
        id="causal-heads",
        title="Causal multi-head attention",
        difficulty="hard",
        minutes=20,
        misconception="Heads need a loop, and share one softmax or one scale.",
        hints=(
            "Project first, split then: your two functions above do half of the work.",
            "The keys are a stack of matrices. Transpose each one: exchange axes −1 and −2, counted from the end. `.T` turns round all axes.",
            "The width under the root is that of one head, the last axis of the split query.",
            "np.tri(n, dtype=bool) is True where a query may read. It fits every head and every sentence.",
        ),
        properties=CAUSAL_HEADS,
    ),
    Exercise(
        id="share-keys",
        title="Hand out the keys",
        difficulty="medium",
        minutes=6,
        misconception="Query heads take turns at the key heads.",
        hints=(
            "With h = 6 and g = 2, which key head belongs to query heads 1 to 6? The text prints it.",
            "How many query heads read one key head, and which?",
        ),
        properties=SHARE_KEYS,
    ),
    Exercise(
        id="head-parts",
        title="What each head adds",
        difficulty="medium",
        minutes=8,
        misconception="After W_O nobody can say what came from which head.",
        hints=(
            "Which rows of w_o does head a meet when the heads stand side by side?",
            "A reshape of w_o to three axes gives each head its band. Here no swap is needed: why?",
        ),
        properties=HEAD_PARTS,
    ),
    Exercise(
        id="zero-two-heads",
        title="Two silent heads",
        difficulty="easy",
        minutes=3,
        misconception="A column of the output belongs to a head.",
        hints=(
            "Column c of the output is the merged row times column c of W_O. Which heads' numbers stand in the merged row?",
            "Which numbers in that column of W_O would have to be 0 for a head not to be felt in column c?",
        ),
        question=ChoiceQuestion(
            prompt="Eight heads of width 64, d = 512, a trained `W_O` without a zero in it. Heads 2 and 5 are set to zero. "
            "In how many columns of the output Y is that felt, in general?",
            options=[
                ("128", "That many columns of the *merged* heads become zero. But the merged heads are then multiplied by `W_O`."),
                ("384", "The other six heads go on, but they write to the same columns as the two."),
                ("512", "Each head writes to every column, through its own rows of `W_O`. (Parts may cancel in one by chance.)"),
                ("0: the other heads take over", "The heads of one layer read at the same time, so none can answer to another's silence. Later layers could."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="double-the-heads",
        title="Twice as many heads",
        difficulty="medium",
        minutes=4,
        misconception="Heads cost nothing, however many there are.",
        hints=(
            "The text kept h · d_k = d. What is h · d_k here, before and after?",
            "Which of the four can be written without h?",
        ),
        question=ChoiceQuestion(
            prompt="Width d = 512. The heads stay 64 wide, d_k = d_v = 64, and there are 16 of them in place of 8. "
            "What does *not* double?",
            options=[
                ("The parameters", "4 · d · h · d_k. Here h · d_k is not d any more: it goes from 512 to 1024."),
                ("The multiplications in matrix products", "Twice as many heads, and each costs what it did."),
                ("The numbers in the grids of weights", "h grids of n × n numbers, however wide the heads are."),
                ("The rank that a head's W_V W_O may have", "It is at most d_v, and that is 64 before and after."),
                ("Nothing: all four double", "Look for the one that is about a single head."),
            ],
            right=3,
        ),
    ),
    Exercise(
        id="grouped-cache",
        title="A cache for a long text",
        difficulty="medium",
        minutes=5,
        misconception="The cache has one key for each query head.",
        hints=(
            "What does one token leave behind in one layer: how many vectors, of which width?",
            "Keys *and* values; groups, not query heads; and all layers.",
        ),
        question=NumberQuestion(
            prompt="A model has 24 layers, 16 query heads of width 64 and g = 4 groups; a number takes 2 bytes. "
            "How many *kilobytes* (1000 bytes) does one token leave in the cache?",
            right=cost.cache_bytes(1, 4, 64, num_layers=24, itemsize=2) / 1000,
            unit="kB",
            tolerance=0.1,
            wrong=[
                (98.304, 0.1, "That is a cache for 16 heads. Only the g = 4 heads of keys and values are kept."),
                (12.288, 0.1, "A token leaves a key *and* a value."),
                (1.024, 0.01, "That is one layer. Each of the 24 has its own keys and values."),
                (49.152, 0.1, "You have one factor of 2 too many. Two bytes a number, and a key and a value for each token, make 2 · 2."),
                (24.0, 0.05, "You divided by 1024. Nearly: a kilobyte here is 1000 bytes."),
                (24576.0, 1.0, "Those are bytes. How many kilobytes?"),
            ],
            explanation="2 vectors · 4 heads · 64 numbers · 24 layers · 2 bytes = 24,576 bytes. Sixteen heads would "
            "leave four times as much.",
        ),
    ),
)  # fmt: skip
