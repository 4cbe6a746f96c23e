"""Questions that chapter 2 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
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
    "without-letters": ChoiceQuestion(
        title="have without letters",
        prompt="`letters` counts 0, every other axis 1. Which *other* word does 'have' read most?",
        options=[
            ("'we', its subject", "They share no axis, so their product is 0."),
            ("'problem', its object", "All of that score was `letters`."),
            ("all four alike", "Without `letters`, 'have' shares no axis with any other word. All four scores are 0."),
        ],
        right=2,
    ),
    "circle": ChoiceQuestion(
        title="rock paper scissors",
        prompt="A `U` is trained so that rock, paper and scissors each read from the one they beat. "
        "How much of it do they read in the end?",
        options=[
            (
                "nearly all",
                "Then the product round the circle is near 1, and backwards near 0. "
                "The cycle identity makes the two equal.",
            ),
            (
                "a half: they also read from the one that beats them",
                "Then the scores with oneself must be far below the others. "
                "Through `U` they are squared lengths, on average no less than the others.",
            ),
            (
                "a third: they read from all alike",
                "To pull one token nearer is to read more from the wrong one and from oneself too.",
            ),
        ],
        right=2,
    ),
}
