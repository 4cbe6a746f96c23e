"""Predictions of chapter 8: what its text asks before the reader scrolls."""

from attnlib.questions import ChoiceQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "who-met-whom": ChoiceQuestion(
        title="Two sentences, the same words",
        prompt="*Anna met Tom* and *Tom met Anna*. Attention as chapters 1 to 4 have it: no mask, and embeddings that say "
        "nothing about places. How do the outputs for *met* differ?",
        options=[
            ("Not at all", "The same words are read, with the same scores. Only the order of the sum differs."),
            (
                "The weights differ: *met* reads the word on its left more",
                "What is “left”, to a score? It is made from two vectors, and neither holds a place.",
            ),
            (
                "The weights are the same, and the blend differs",
                "A blend is a sum, and a sum does not depend on the order of what is added.",
            ),
        ],
        right=0,
    ),
    "both-later": ChoiceQuestion(
        title="Both move",
        prompt="The query stands at 4 and the key at 0. Both move 20 places on. What happens to their score?",
        options=[
            ("It falls: both are turned further", "Both are, by the same angles. What is the angle between them?"),
            ("It stays, to the last digit", "Every hand turns, and the angle between two hands stays."),
            ("It stays for the slow pairs only", "In each pair, query and key turn alike: fast pairs and slow ones."),
        ],
        right=1,
    ),
    "brightest": ChoiceQuestion(
        title="Silence the brightest",
        prompt="*Anna met Tom . he* – the model should say *paints*, Tom's habit. One head reads *Tom* with a weight of 0.97 and adds more to "
        "the stream than any other head. You silence it. What becomes of the probability of *paints*, now 0.997?",
        options=[
            ("It falls to about one in six, a guess among six habits", "That would be so if no other head knew of Tom. Try it below."),
            ("It falls by half", "Weights do not tell how much a head matters. Try it below."),
            ("It hardly moves", "Something else in the model knows of Tom as well. You will find it."),
        ],
        right=2,
        provenance="trained",
    ),
    "longer-repeats": ChoiceQuestion(
        title="Longer than ever",
        prompt="In training, lists of 6 to 15 words were said twice. Now comes a list of 20. How often is the next word of the second round right?",
        options=[
            ("About as often as for 12: it learned to repeat", "It learned to repeat what it met. Below it is measured."),
            ("Clearly less often", "Yes. Guess why, and read on: there is one cause, and it can be mended."),
            ("Never: the text is longer than its context", "The last bias serves for all longer distances, so the model runs on."),
        ],
        right=1,
        provenance="trained",
    ),
}  # fmt: skip
