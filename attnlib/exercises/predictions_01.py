"""Questions that chapter 1 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "which-product": ChoiceQuestion(
        title="Which product",
        prompt="`X` has 5 rows and 8 columns. Which product compares tokens?",
        options=[
            (
                "XXᵀ, and its shape is 5 × 5",
                "Each entry is made of two rows of `X`, of two tokens. The inner sizes, 8 and 8, are gone.",
            ),
            (
                "XXᵀ, and its shape is 8 × 8",
                "The right product. But *inner* sizes disappear: (5 × 8)(8 × 5) has shape 5 × 5.",
            ),
            ("XᵀX, and its shape is 8 × 8", "That is its shape. But it pairs *columns* of `X`, so it compares axes."),
        ],
        right=0,
    ),
    "reads-most": ChoiceQuestion(
        title="What the verb reads",
        prompt="Each word reads more from itself than from any other. But *have* is a verb with a subject, *we*, and an "
        "object, *problem*. Which *other* word, or words, will it read from most?",
        options=[
            ("*we*, its subject", "The two share no axis but `letters`, and *we* is a short word."),
            ("*problem*, its object", "It does read much from it. But another word gets as much: look at the grid."),
            ("*we* and *problem* alike", "*problem*, yes. *we* is a short word, and gets less than half as much."),
            (
                "*Houston* and *problem* alike",
                "Equally: the two are equally long, and `letters` is all that counts here.",
            ),
        ],
        right=3,
        reveal="Point at these cells in the grid below, and look which axis their scores come from.",
    ),
}
