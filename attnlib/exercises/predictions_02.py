"""Questions that chapter 2 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "slope": NumberQuestion(
        prompt="A loss is 50.98 where a parameter is 0.99, and 51.02 where it is 1.01. About how large is its slope at 1?",
        right=2.0,
        tolerance=0.01,
        wrong=[
            (0.04, 0.005, "That is how far the loss moved. Divide it by the nudge, from 0.99 to 1.01."),
            (4.0, 0.05, "From one side to the other the nudge is 0.02, not 0.01."),
            (0.5, 0.01, "The other way round: how far the loss moves, for each unit of the parameter."),
            (51.02, 0.05, "That is the loss itself, not how it changes."),
        ],
        explanation="0.04 / 0.02 = 2.",
        provenance="made up",
    ),
    "without-letters": ChoiceQuestion(
        title="have without letters",
        prompt="*Houston we have a problem*, with plain dot products: `letters` gets the factor 0, every other axis 1. Which *other* word does *have* read most?",
        options=[
            ("'we', its subject", "They share no axis, so their product is 0."),
            ("'problem', its object", "All of that score was `letters`."),
            ("all four alike", "Without `letters`, 'have' shares no axis with any other word. All four scores are 0."),
        ],
        right=2,
    ),
    "turned": ChoiceQuestion(
        prompt="U becomes UR. Of the tokens after U, the scores, the weights and the loss, what moves?",
        options=[
            (
                "All four",
                "Turn it and look: scores, weights and loss stay. A rotation changes no length and no angle.",
            ),
            ("The loss alone", "The loss is made from the weights, and these from the scores. No score moves."),
            (
                "The tokens after U alone",
                "They turn all together, so no length and no angle between two of them changes, and no score.",
            ),
            ("Nothing at all", "Look at the second plane: the tokens after U turn."),
        ],
        right=2,
    ),
    "factors-only": ChoiceQuestion(
        prompt="Who always says 0 is wrong by about 1, in the mean square, and the best from one token by about 0.3. How wrong are trained factors?",
        options=[
            (
                "Nearly right",
                "The axes are turned. On each of them kind, rough number and random numbers are mixed.",
            ),
            (
                "Not much less than one token",
                "The axes are turned, and the random numbers lie in all of them. No factor silences them and leaves the kind.",
            ),
            (
                "More than always 0",
                "It could say 0 by setting w to 0, and on these draws training brings the error far below that.",
            ),
        ],
        right=1,
    ),
    "rows-of-u": ChoiceQuestion(
        prompt="The hidden directions are: four for the kinds, one for the rough number, two for the random numbers. Which of these seven rows become nearly 0?",
        options=[
            (
                "The random numbers alone",
                "They make tokens read others by chance. The rough number must stay, since the answer is made from it.",
            ),
            (
                "The random numbers and the rough one, which says nothing of the kind",
                "Of the kind it says little. But the answer is made from it: what U takes to 0 cannot be read out.",
            ),
            (
                "None: nobody says which of them count",
                "Nobody does. But the answers are compared with the levels, and the loss has a slope for each number in U.",
            ),
        ],
        right=0,
    ),
    "stays-inside": ChoiceQuestion(
        prompt="Which convex hull can no row of the output Y leave?",
        options=[
            ("that of the rows of X", "The output mixes rows of XU, which need not even have as many numbers."),
            ("that of the rows of XU", "The weights still sum to 1, and what they mix is XU now."),
            ("that of the rows of U", "U's rows say where axes go. They are not mixed by the weights."),
        ],
        right=1,
    ),
    "foreign-grid": ChoiceQuestion(
        prompt="A grid of three tokens, rows in parentheses: (0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.8, 0.1, 0.1). Can its scores be symmetric?",
        options=[
            ("Yes: each row sums to 1", "So does every softmax. Go round: 0.8 · 0.8 · 0.8 one way."),
            (
                "Yes, since its diagonal is 0.1 throughout",
                "The diagonal stands in no circle. Go round: first → second → third → first.",
            ),
            ("No", "One way round the product is 0.512, the other way 0.001. Symmetric scores would make them equal."),
        ],
        right=2,
    ),
    "circle": ChoiceQuestion(
        title="rock paper scissors",
        prompt="A `U` is trained on it. How much does each token read from the one that it beats, in the end?",
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
                "By this loss nothing is better, and it takes three tokens on one point. Two of three could be read rightly, at the price of the third.",
            ),
        ],
        right=2,
    ),
}
