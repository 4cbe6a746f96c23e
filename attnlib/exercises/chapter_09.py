"""Exercises of chapter 9: a model that was trained."""


from attnlib.exercises.checkers_09 import HEAD_ADDS, PREVIOUS_SCORE
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion

EXERCISES = (
    Exercise(
        id="previous-score",
        title="Who reads the token before?",
        difficulty="easy",
        minutes=6,
        misconception="A grid is read by its columns, and every row has a token before it.",
        hints=(
            "The cells are [1, 0], [2, 1], [3, 2], …: a diagonal one below the main one.",
            "`weights[:, later, later - 1]` with `later = np.arange(1, n)` picks them in every head.",
        ),
        properties=PREVIOUS_SCORE,
    ),
    Exercise(
        id="head-adds",
        title="How much does a head add?",
        difficulty="medium",
        minutes=6,
        misconception="What a head adds is as long as its cells' additions together.",
        hints=(
            "First the vectors: blend the values of each head, then send each blend through that head's rows of w_o.",
            "`w_o.reshape(h, d_v, -1)` holds a band for each head, and `@` multiplies head by head.",
        ),
        properties=HEAD_ADDS,
    ),
    Exercise(
        id="bright-head",
        title="A bright head falls silent",
        difficulty="medium",
        minutes=4,
        misconception="A bright cell explains the answer, and what can be removed did nothing.",
        hints=(
            "What would you see if two heads did the same job?",
            "Removing one thing tests whether it is needed *while all others are there*.",
        ),
        question=ChoiceQuestion(
            prompt="A head puts a weight of 0.97 on the word that the answer depends on. Without it, the answers are as good as before. "
            "What follows?",
            options=[
                ("The head does nothing", "It may do the job together with another one. Silence both, and see."),
                (
                    "The model does not need the head here. Whether it takes part is still open",
                    "Others may do its work. Silencing sets of heads, and what each adds, narrows it down.",
                ),
                ("The weight was measured wrongly", "The weight is what it is. It says where a head reads, not what comes of it."),
                ("The answer does not depend on that word", "It does. Swap the word, and the answer changes: other heads read it too."),
            ],
            right=1,
        ),
    ),
)  # fmt: skip
