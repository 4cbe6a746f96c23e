"""Questions that chapter 2 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "through-agent": NumberQuestion(
        prompt="In X, *we* has 1 on `pronoun`, 1 on `people` and 0.4 on `letters`; *have* has 1 on `verb` and 0.8 on "
        "`letters`. What is their score through this U?",
        right=0.7,
        tolerance=0.001,
        wrong=[
            (0, 0.001, "No axis of X but `letters` is common to both. But U takes both of them to `agent`."),
            (0.32, 0.001, "That is the score without U, all of it from `letters`. U takes `letters` nowhere."),
            (1.02, 0.001, "`letters` has no part in it any more: U takes it nowhere."),
            (1.7, 0.001, "That adds what both have on `agent`. A dot product multiplies it."),
            (3.73, 0.001, "That is the score of *we* with itself."),
            (2.21, 0.001, "That is the score of *have* with itself."),
        ],
        explanation="U takes both words to `agent`: *we* with 0.7, *have* with 1. They share no other new axis, so "
        "the score is 0.7 · 1.",
        provenance="hand-made",
    ),
    "turned": ChoiceQuestion(
        prompt="U is replaced by UR, where R is a rotation. Which of these three move: the tokens after U, the "
        "scores, the weights?",
        options=[
            (
                "All three",
                "The tokens turn. But a rotation changes no length and no angle, so it changes no dot product.",
            ),
            ("The scores and the weights", "No score moves: a rotation changes no length and no angle."),
            (
                "The tokens after U alone",
                "They turn all together, so no length and no angle between two of them changes, and no score.",
            ),
            ("Nothing at all", "Each token is multiplied by R after U, so it turns."),
        ],
        right=2,
    ),
    "factors-only": ChoiceQuestion(
        prompt="Which of the two rivals errs far more than U?",
        options=[
            (
                "Factors",
                "Most of the turned axes mix all seven numbers of a gauge, so a factor that weakens the random numbers weakens the lake, too.",
            ),
            (
                "Factors with the axes turned back",
                "There each axis holds one thing, so a factor can silence the random numbers and leave the lake.",
            ),
            (
                "Both: nobody tells them who should read whom",
                "Nobody does. But the loss has a slope for each number, and what is right for the level shows in it.",
            ),
        ],
        right=0,
    ),
    "rows-of-u": ChoiceQuestion(
        prompt="`turn @ u` has seven rows: four for the lakes, one for the reading, two for the random numbers. "
        "Which of these rows become nearly 0 in training?",
        options=[
            (
                "Those of the random numbers alone",
                "They make gauges read others by chance. The reading stays, since the answer is made from it.",
            ),
            (
                "Those of the random numbers and of the reading: four other numbers show the lake",
                "The answer is made from the reading, and what U takes to 0 cannot be read out.",
            ),
            (
                "None, since nobody says which of them count",
                "Nobody does. But the answers are compared with the levels, and the loss has a slope for each number in U.",
            ),
        ],
        right=0,
    ),
    "two-grids": ChoiceQuestion(
        prompt="Which of the two grids can come from symmetric scores?",
        options=[
            (
                "Only P",
                "Round P both products are 0.4 · 0.5 · 0.2. Round Q they are 0.35 · 0.35 · 0.35 and 0.25 · 0.25 · 0.25.",
            ),
            (
                "Only Q, whose weights differ less",
                "How much the weights differ does not matter. Go round: in Q 0.35 each time one way, 0.25 each time the other.",
            ),
            ("Both", "Go round Q: 0.35 each time one way, and 0.25 each time the other."),
            (
                "Neither, since neither grid is symmetric",
                "The *scores* have to be symmetric. Go round P: both products are 0.4 · 0.5 · 0.2.",
            ),
        ],
        right=0,
    ),
    "circle": ChoiceQuestion(
        title="rock paper scissors",
        prompt="You placed the tokens in a plane. A U with 300 columns would place them in 300 dimensions. What "
        "share could they reach there, at most?",
        options=[
            (
                "nearly all: there is room enough",
                "Then the product round the circle is near 1, and backwards near 0. The cycle identity makes the two equal, with any number of columns.",
            ),
            (
                "up to a half: the other half goes to the one that beats it",
                "Then each token would read nothing from itself. But its score with itself is its squared length, and these three are on average no less than the other scores.",
            ),
            (
                "a third at most",
                "The proof below holds in any number of dimensions. It takes the geometric mean of the three weights: two of them *could* be near 1, but then the third is near 0.",
            ),
        ],
        right=2,
    ),
}
