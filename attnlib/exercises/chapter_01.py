"""Exercises of chapter 1, the dot product."""

import numpy as np

from attnlib.attention import attention
from attnlib.exercises.harness import Exercise, agrees


def _tokens(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def _over_queries(x: np.ndarray) -> np.ndarray:
    raised = np.exp(x @ x.T)
    return np.asarray(raised / raised.sum(axis=0) @ x)


EXERCISES = (
    Exercise(
        id="which-shape",
        title="Which shape?",
        kind="concept",
        difficulty="easy",
        minutes=2,
        misconception="Tokens are columns, so XXᵀ compares axes.",
        hints=(
            "The softmax changes numbers, never a shape.",
            "For a product, the inner sizes must agree and disappear.",
        ),
        question={
            "prompt": "`X` holds 7 tokens with 3 numbers each. What shape has softmax(XXᵀ)?",
            "options": [
                ("3 × 3", "That is the shape of XᵀX, which compares axes. XXᵀ compares tokens."),
                ("7 × 7", "One weight for each pair of tokens."),
                ("7 × 3", "That is the shape of the output softmax(XXᵀ)X; the weights come before the last product."),
            ],
            "right": 1,
            "reveal": "It grows with the square of the sentence's length.",
        },
    ),
    Exercise(
        id="write-attention",
        title="Write it yourself",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="The softmax runs over queries.",
        hints=("Three lines: scores, weights, mixture.", "Look at the axis of your sums: each row must sum to 1."),
        properties=(
            agrees(
                "the output of attention",
                lambda x: attention(x, x, x, scale=1),
                [(_tokens(7, 3, 1),), (_tokens(4, 6, 2),)],
                [
                    (
                        "The columns of your weights sum to 1, not the rows: the softmax runs over the queries. Sum over axis=1.",
                        _over_queries,
                    )
                ],
            ),
        ),
    ),
)
