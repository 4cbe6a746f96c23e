"""Exercises of chapter 8: position, and of its second page."""

import numpy as np

from attnlib.exercises.checkers_08 import DISTANCE_TABLE, SINUSOIDAL_TABLE, TURN_HALF
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="order-blind",
        title="What a query cannot tell",
        difficulty="easy",
        minutes=3,
        misconception="A context is a set, or it is a list.",
        hints=(
            "The output is a sum over keys. What about the list of keys does not change a sum?",
            "Which part of each context is *Tom*?",
        ),
        question=ChoiceQuestion(
            prompt="One attention layer, no mask, no places. The query is *met*. Which two contexts give it the same output?",
            options=[
                ("*Anna Tom* and *Anna Tom Tom*", "*Tom* grows from one half of the context to two thirds."),
                ("*Anna Tom Tom* and *Tom Anna Tom*", "The same words, each as often. Only the order differs, and a sum does not know it."),
                ("*Anna Tom* and *Anna Max*", "Other words have other keys and values."),
                ("Any two of equal length", "Other words have other keys and values; their number is not all."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="ninety-percent",
        title="90 % by a number",
        difficulty="easy",
        minutes=3,
        misconception="A bias is a share of the weight.",
        hints=(
            "With scores 0, 0 and t the weights are e^t, 1 and 1 over their sum.",
            "As in chapter 0: e to this score must be nine times the sum of the other amounts.",
        ),
        question=NumberQuestion(
            prompt="In the puzzle, all three scores of *bites* are 0, and then t₁ is added to the score of the word before. Which t₁ gives that word 90 % of the weight "
            "of the three? Two decimals.",
            right=float(np.log(18)),
            tolerance=0.006,
            wrong=[
                (2.1972, 0.006, "That is ln 9, for one rival. There are two."),
                (3.2958, 0.006, "That is ln 27, for three rivals. Of three words two are rivals."),
                (18.0, 0.01, "That is e to the power of t₁. Take the logarithm."),
                (0.9, 0.001, "That is the weight. Weights come from a softmax."),
                (2.3026, 0.006, "That is ln 10. Solve e^t / (e^t + 2) = 0.9."),
            ],
            explanation="e^t / (e^t + 2) = 0.9 gives e^t = 18, and ln 18 ≈ 2.89.",
        ),
    ),
    Exercise(
        id="print-bias",
        title="What does it print?",
        difficulty="easy",
        minutes=4,
        misconception="What lies beyond a table counts from its start again, or is an error.",
        hints=(
            "Row 4 is the query at place 4. Write its five distances down, from 4 to 0.",
            "`clip(0, 2)` makes every distance above 2 a 2.",
        ),
        question=ChoiceQuestion(
            prompt="What does this print? `t = np.array([5, 7, 1]); back = np.arange(5)[:, None] - np.arange(5); "
            "print(t[back.clip(0, 2)][4])`",
            options=[
                ("`[1 1 1 7 5]`", "The distances are 4, 3, 2, 1, 0, and all from 2 on share the last number."),
                ("`[5 7 1 1 1]`", "That is the row reversed. Key 0 is the farthest."),
                ("`[7 5 1 7 5]`", "So it would be with `% 3`, which starts the table anew."),
                ("An error: the table has three numbers", "`clip` keeps every index between 0 and 2."),
            ],
            right=0,
        ),
    ),
    Exercise(
        id="distance-table",
        title="A bias for each distance",
        difficulty="easy",
        minutes=6,
        misconception="Row and column of a grid can be exchanged when only their distance counts.",
        hints=(
            "`i - j` for all pairs at once: `np.arange(n)[:, None] - np.arange(n)`.",
            "`.clip(0, r)` turns what is below 0 into 0, and what is above r into r. Only then look it up.",
        ),
        properties=DISTANCE_TABLE,
    ),
    Exercise(
        id="turned-score",
        title="The angle between",
        difficulty="easy",
        minutes=4,
        misconception="The score depends on both positions, or on their sum.",
        hints=(
            "The dot product of two arrows is length · length · cosine of the angle between them.",
            "Both arrows started in the same direction. By how much more was the query turned?",
        ),
        question=NumberQuestion(
            prompt="One pair of columns, frequency ω = 1. The query (1, 0) stands at place 7, the key (2, 0) at place 5; "
            "both are turned. What is their dot product? Two decimals; angles are in radians.",
            right=float(2 * np.cos(2)),
            tolerance=0.01,
            wrong=[
                (2.0, 0.0005, "That is the product before turning, or with 2 degrees. Turn by 7 and 5 radians."),
                (float(2 * np.cos(12)), 0.01, "You added the angles. What counts is the angle *between* the two arrows, 7 − 5."),
                (float(np.cos(2)), 0.01, "The key has length 2, and turning keeps it."),
                (float(2 * np.cos(np.deg2rad(2))), 0.0005, "That is 2 degrees. The angles are radians: 2 is about 115°."),
                (float(2 * np.sin(2)), 0.01, "The sine is for arrows that started at a right angle. These started in one direction: take the cosine."),
            ],
            explanation="1 · 2 · cos(7 − 5) ≈ −0.83. At places 107 and 105 it is the same.",
        ),
    ),
    Exercise(
        id="turn-half",
        title="Turn in halves",
        difficulty="medium",
        minutes=8,
        misconception="The layout does not matter as long as every column is turned.",
        hints=(
            "Cut x into `a = x[..., :d // 2]` and `b = x[..., d // 2:]`: pair c is a's column c with b's.",
            "The angles are n × d/2: `positions[:, None]` times the d/2 frequencies. They fit every axis in front.",
            "Make both new halves from the old ones, then put them side by side with `np.concatenate(…, axis=-1)`.",
        ),
        properties=TURN_HALF,
    ),
    Exercise(
        id="four-stripes",
        title="Four grids of rotary scores",
        difficulty="medium",
        minutes=5,
        misconception="A grid that depends on the distance alone has the right layout.",
        hints=(
            "Follow a diagonal, from the upper left to the lower right. Where is it one number all along?",
            "Two grids fail that. In one of them a whole block is repeated.",
        ),
        question=ChoiceQuestion(
            prompt="In which grid were queries and keys turned in two different layouts?",
            options=[
                ("1", "Each diagonal holds one number: only the distance counts."),
                ("2", "Each diagonal holds one number: only the distance counts. It may be the wrong layout for both."),
                ("3", "Its diagonals change from place to place, and no block is repeated."),
                ("4", "Its blocks are repeated, and each diagonal of a block holds one number: these are places that begin anew."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="cache-restarts",
        title="Positions that restart with a cache",
        difficulty="medium",
        minutes=5,
        misconception="A token that is read alone stands at place 0.",
        hints=(
            "The cached keys were turned by the places 0 to 9. By which place must the query of the next token be turned?",
            "`np.arange(len(q))` with one new token is `[0]`.",
        ),
        question=ChoiceQuestion(
            prompt="A program writes one token at a time. It keeps the turned keys of ten tokens, places 0 to 9. For the next token it calls "
            '`rotary_embedding(q, np.arange(len(q)), layout="half")` with a `q` of one row, and the same for its key '
            "(`rotary_embedding` is the library's `turn`). It runs without an error. What distance from the key of place 9 does the query see?",
            options=[
                ("1, as it should", "So it is when the query is turned by place 10. This one is turned by place 0."),
                ("−9", "The query was turned by place 0: 0 − 9. The key before it looks like one that is nine places ahead."),
                ("9", "The query, not the key of place 9, was turned by place 0. The distance is the query's place minus the key's."),
                ("10", "That is where the query should stand."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="root-after-turning",
        title="From chapter 4: by which root now?",
        difficulty="medium",
        minutes=4,
        misconception="A rotation changes how large scores are.",
        hints=(
            "Turning (a, b) keeps a² + b². What are the mean and the variance of a cos − b sin, for independent a and b of mean 0 and variance 1?",
            "A score is still a sum of 64 products.",
        ),
        question=NumberQuestion(
            prompt="Queries and keys of width 64 have independent entries of mean 0 and variance 1. Both are turned by RoPE. "
            "What is the standard deviation of their dot product, at distance 100?",
            right=8.0,
            tolerance=0.01,
            wrong=[
                (64.0, 0.1, "That is the variance. Take its root."),
                (1.0, 0.01, "So it is after the division by √64."),
                (0.0, 0.01, "That is the mean."),
                (5.6569, 0.01, "There are 32 pairs, and each gives two products."),
            ],
            explanation="cos² + sin² = 1: each turned entry again has variance 1, so the sum of 64 products has "
            "variance 64. Divide by √64, as before.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="sinusoidal-table",
        title="Places as waves",
        difficulty="medium",
        minutes=8,
        misconception="Sines and cosines stand in two blocks, and every column has a frequency of its own.",
        hints=(
            "Make the d/2 frequencies first, then an n × d/2 table of angles: a column of positions times a row of frequencies.",
            "`table[:, 0::2]` is every second column, from 0 on.",
        ),
        properties=SINUSOIDAL_TABLE,
    ),
    Exercise(
        id="key-bias-turned",
        title="A bias that is turned",
        difficulty="medium",
        minutes=4,
        misconception="What adds the same to every key does nothing.",
        hints=(
            "Query and key bias are each turned by their own place.",
            "Put the query at place 1. Which of the two vectors is turned then?",
        ),
        question=NumberQuestion(
            prompt="One pair of columns, a quarter turn to the left for each place, no division by the root. The key bias b_k is (0, 1). "
            "What does b_k add to the score of a query (1, 0) with the key one place before it?",
            right=1.0,
            tolerance=0.001,
            wrong=[
                (0.0, 0.001, "So it is at distance 0: (1, 0) times (0, 1). At distance 1 the query is turned once more than the key."),
                (-1.0, 0.001, "That is for the key one place *after* the query."),
            ],
            explanation="The query is turned once more than the key: (0, 1), and (0, 1) · (0, 1) = 1. At the "
            "distances 0, 1, 2, 3 it is 0, 1, 0, −1.",
            provenance="exact",
        ),
    ),
)  # fmt: skip
