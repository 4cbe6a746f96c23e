"""Questions that chapter 0 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "same-vector": ChoiceQuestion(
        prompt="A program looks up the vector of each word in a table. Is the vector of *have* the same in "
        "“Houston we have a problem” and in “we have Houston”?",
        options=[
            (
                "No, since the word means something else",
                "That is what we want. But a table is asked for one word at a time, and sees no other.",
            ),
            (
                "No, since it is the third word of one and the second of the other",
                "A table does not see a word's place either. That comes in the last chapter.",
            ),
            ("Yes", "The table gets the word *have*, and nothing else."),
        ],
        right=2,
        reveal="A vector that knows its context needs a step in which words *read from each other*. "
        "That step is attention.",
    ),
    "which-product": ChoiceQuestion(
        prompt="`P` is 2 × 3. Which product exists, and what is its shape?",
        options=[
            ("`P @ P`, 2 × 3", "The inner sizes are 3 and 2. They do not agree, so this product does not exist."),
            (
                "`P @ P.T`, 2 × 2",
                "2 × 3 times 3 × 2: the 3s agree and disappear. It holds the dot products of P's rows.",
            ),
            (
                "`P @ P.T`, 3 × 3",
                "The *inner* sizes disappear, 3 and 3. The outer ones are left. 3 × 3 is the shape of `P.T @ P`.",
            ),
        ],
        right=1,
    ),
    "hundred-dice": NumberQuestion(
        prompt="The variance of one die is 2.92. What is the *standard deviation* of the sum of 100 dice? "
        "One decimal is enough.",
        right=float(np.sqrt(100 * 35 / 12)),
        tolerance=0.1,
        wrong=[
            (
                170.8,
                0.5,
                "That is 100 times the standard deviation of one. It is the *variances* that add: 100 · 2.92.",
            ),
            (291.7, 0.5, "That is the variance of the sum. Take its square root."),
            (1.7, 0.05, "That is the standard deviation of one die."),
        ],
        explanation="100 · 2.92 = 292, and its root is 17.1: ten times that of one die, not a hundred times.",
        provenance="exact",
    ),
    "slope": NumberQuestion(
        prompt="f(0.99, 5) ≈ 50.98 and f(1.01, 5) ≈ 51.02. About how large is the slope of this f for its first "
        "input, at 1?",
        right=2.0,
        tolerance=0.01,
        wrong=[
            (0.04, 0.005, "That is how far f moved. Divide it by the nudge, from 0.99 to 1.01."),
            (4.0, 0.05, "From one side to the other the nudge is 0.02, not 0.01."),
            (0.5, 0.01, "The other way round: how far f moves, for each unit of the input."),
            (51.02, 0.05, "That is a value of f, not how it changes."),
        ],
        explanation="0.04 / 0.02 = 2, and school's 2x gives 2 at 1.",
        provenance="exact, rounded to two decimals",
    ),
    "ten-words": NumberQuestion(
        prompt="A model chooses among 10 words and knows nothing. "
        "What cross-entropy does it pay if it gives each the same share? Two decimals are enough.",
        right=float(np.log(10)),
        tolerance=0.01,
        wrong=[
            (0.1, 0.001, "That is the share p of the right word. The cross-entropy is −ln p."),
            (-2.303, 0.01, "The sign: a share is below 1, so its logarithm is negative, and −ln p is positive."),
            (1.0, 0.01, "That is the logarithm to base 10. Here it is the natural one, to base e."),
            (3.32, 0.01, "That is the logarithm to base 2. Here it is the natural one, to base e."),
            (10.0, 0.01, "That is the number of words. Each share is 1/10: take −ln of it."),
        ],
        explanation="−ln(1/10) = ln 10 ≈ 2.30.",
        provenance="exact",
    ),
    "add-five": ChoiceQuestion(
        prompt="You add 5 to every score. With which functions in the place of exp do the weights stay as they were?",
        options=[
            (
                "With every positive function, since all scores rise alike",
                "They rise alike, but a ratio of two weights need not stay. Try *softplus* below.",
            ),
            (
                "With every function that grows",
                "Sigmoid grows, and levels off: far up all weights become equal. Try it below.",
            ),
            ("With exp alone", "Only a power turns “plus 5” into “times something”, and that cancels."),
        ],
        right=2,
    ),
    "fixed-average": NumberQuestion(
        prompt="With all weights equal to 1/8, what share of the answers is right? A number from 0 to 1.",
        right=0.26,  # measured is 0.258; every guess from 0.15 to 0.37 is a good one
        tolerance=0.11,
        wrong=[
            (1 / 16, 0.03, "That is guessing among all 16 letters. But the mixture shows which letters are there."),
            (
                1 / 8,
                0.024,
                "That is guessing one of the eight items. But some letter often stands on two of them, "
                "and the largest share finds it.",
            ),
            (0.5, 0.099, "Too hopeful: for that, half of the items would need the same letter."),
            (0.8, 0.2, "The weights do not know which name was called, so they cannot prefer its item."),
            (0.0, 0.032, "Even guessing among all 16 letters is right in 1 of 16 cases, about 0.06."),
            (25.0, 15.0, "Give the share as a number from 0 to 1: 25 % is 0.25."),
        ],
        explanation="A good guess: it is about one in four. Below it is measured, and explained.",
        provenance="random, ten seeds",
    ),
    "which-came-first": OrderQuestion(
        prompt="What came first?",
        options=[
            ("Attention helps a translating network, step by step, to look back at the source text", ""),
            (
                "A network made of attention and feed-forward parts alone, the *Transformer*",
                "It took attention from an earlier kind of translating network, and left the rest of that away.",
            ),
            ("GPT, a Transformer trained to guess the next word", "It is built from the blocks of the Transformer."),
            (
                "*Formal Algorithms for Transformers*, exact pseudocode for all of these",
                "It describes models such as GPT, so these were there before it.",
            ),
        ],
        reveal="2014, 2017, 2018 and 2022. Attention is older than GPT, and was not invented for it.",
    ),
}
