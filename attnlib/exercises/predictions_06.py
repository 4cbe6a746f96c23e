"""Questions that chapter 6 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "one-head": ChoiceQuestion(
        title="Two tokens through one head",
        prompt="One head, and a matrix behind it. How small can training make the error?",
        options=[
            (
                "To 0: it reads both tokens, half and half",
                "Then it hands over half the sum of the two. Which part of it is whose?",
            ),
            ("To about ½", "It can have one of the two, or a blend of both. Either is worth half the answer."),
            (
                "To 0, if the head is wide enough",
                "More columns carry more numbers *of each blend*. There is still one row of weights, so one blend.",
            ),
            ("It stays near 1", "It can read one of the two tokens perfectly. That is worth something."),
        ],
        right=1,
        reveal="The training runs below measure it.",
    ),
    "zero-a-head": ChoiceQuestion(
        title="A head falls silent",
        prompt="Six columns, three from each head, and no `W_O`. Head *who* gives 0. Which columns change?",
        options=[
            ("All six", "Nothing has mixed the heads yet. Who writes to the last three?"),
            ("The three of *who*", "The others are made by head *what* alone."),
            (
                "None: the weights of *what* make up for it",
                "The rows of each head's weights sum to 1 on their own. No head knows of another.",
            ),
        ],
        right=1,
    ),
    "count-heads": ChoiceQuestion(
        title="The price of twelve heads",
        prompt="Width d = 768. One head of width 768, or twelve of width 64: how do the parameters in "
        "`W_Q`, `W_K`, `W_V` and `W_O` compare?",
        options=[
            ("Twelve heads have 12 times as many", "Each of the twelve has its own matrices, and each is 12 times narrower."),
            ("They have the same number", "Twelve matrices of 768 × 64 side by side are one of 768 × 768."),
            ("Twelve heads have fewer", "Each matrix is smaller, and there are twelve times as many."),
        ],
        right=1,
    ),
}  # fmt: skip
