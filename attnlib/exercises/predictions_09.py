"""Predictions of chapter 9: what its text asks before the reader scrolls."""

from attnlib.questions import ChoiceQuestion, Question

PREDICTIONS: dict[str, Question] = {
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
