"""Exercises of chapter 8: position."""

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
            "A word that stands there twice adds its term twice.",
        ),
        question=ChoiceQuestion(
            prompt="One attention layer, no mask, no positions. The query is *met*. Which two contexts give it the same output?",
            options=[
                ("*Anna Tom* and *Anna Tom Tom*", "*Tom* now has two terms in the sum, so he weighs more: duplicates count."),
                ("*Anna Tom Tom* and *Tom Anna Tom*", "The same words, each as often. Only the order differs, and a sum does not know it."),
                ("*Anna Tom* and *Anna Max*", "Other words have other keys and values."),
                ("Any two with as many words", "Other words have other keys and values; their number is not all."),
            ],
            right=1,
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
            prompt="One pair of columns, frequency ω = 1. The query (1, 0) stands at position 7, the key (2, 0) at position 5; "
            "both are turned. What is their dot product? Two decimals; angles are in radians.",
            right=float(2 * np.cos(2)),
            tolerance=0.01,
            wrong=[
                (2.0, 0.0005, "That is the product before turning. The query is turned by 7, the key by 5."),
                (float(2 * np.cos(12)), 0.01, "You added the angles. What counts is the angle *between* the two arrows, 7 − 5."),
                (float(np.cos(2)), 0.01, "The key has length 2, and turning keeps it."),
                (float(2 * np.cos(np.deg2rad(2))), 0.0005, "That is 2 degrees. The angles are radians: 2 is about 115°."),
                (float(2 * np.sin(2)), 0.01, "The sine is for arrows at a right angle to each other. A dot product takes the cosine."),
            ],
            explanation="1 · 2 · cos(7 − 5) ≈ −0.83. At positions 107 and 105 it is the same.",
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
            "The angles are n × d/2: `positions[:, None]` times the frequencies of the sinusoidal table. They fit every axis in front.",
            "Make both new halves from the old ones, then put them side by side with `np.concatenate(…, axis=-1)`.",
        ),
        properties=TURN_HALF,
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
)  # fmt: skip
