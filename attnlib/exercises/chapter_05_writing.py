"""Exercises of chapter 5's second page: training and writing."""

from attnlib.exercises.checkers_05 import CAUSAL_OFFSET
from attnlib.exercises.checkers_05_dropout import DROP_WEIGHTS
from attnlib.exercises.checkers_05_step import CACHED_STEP
from attnlib.exercises.harness import Exercise
from attnlib.questions import NumberQuestion

ON_WRITING = (
    Exercise(
        id="causal-offset",
        title="A causal mask with an offset",
        difficulty="easy",
        minutes=8,
        misconception="A causal mask is a square triangle.",
        hints=(
            "The first query has `offset` keys before its own. So at which place among the keys does query i stand?",
            "Compare a column of query places with a row of key places: NumPy makes the grid.",
            "A query reads its own key as well.",
        ),
        properties=CAUSAL_OFFSET,
    ),
    Exercise(
        id="cached-step",
        title="One step with a cache",
        difficulty="medium",
        minutes=15,
        misconception="With a cache the mask must still be applied when generating.",
        hints=(
            "What must be remembered of each token so that later queries can read it? Not its query.",
            "Put the new key and value in first, then let the query read everything that is there.",
            "np.vstack([held, new]) adds a row. Nothing in the cache is in the future, so no mask is needed.",
        ),
        properties=CACHED_STEP,
    ),
    Exercise(
        id="chunks",
        title="Two chunks",
        difficulty="easy",
        minutes=4,
        misconception="A chunk's mask is a square triangle.",
        hints=(
            "How many keys may the first query of the second chunk read?",
            "Each further query reads one key more.",
        ),
        question=NumberQuestion(
            prompt="A cache holds 10 tokens. A chunk of 3 comes, and after it a chunk of 4. How many keys do the four queries of the second "
            "chunk read, added up?",
            right=62.0,
            tolerance=0,
            wrong=[
                (10.0, 0, "1 + 2 + 3 + 4 counts the chunk alone. The 13 tokens before it are read, too."),
                (68.0, 0, "4 · 17 lets the first of them read the three after it."),
                (50.0, 0, "The first chunk is in the cache by then: 13 tokens come before, not 10."),
                (58.0, 0, "Each query reads itself, too."),
            ],
            explanation="14 + 15 + 16 + 17.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="drop-weights",
        title="Dropout in its place",
        difficulty="medium",
        minutes=10,
        misconception="Dropping scores is dropping weights.",
        hints=(
            "Which of the three comes first: softmax, dropping, blending?",
            "True counts as 1 and False as 0 when you multiply.",
            "What share of the weights is left on average, and what number makes up for it?",
        ),
        properties=DROP_WEIGHTS,
    ),
)  # fmt: skip
