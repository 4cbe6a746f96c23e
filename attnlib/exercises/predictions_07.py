"""Questions that chapter 7 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "grid-share": ChoiceQuestion(
        title="Where the time goes",
        prompt="Of all multiplications in its 12 blocks, which share goes into the n × n grids: making the scores, and blending "
        "the values with the weights?",
        options=[
            ("Nearly all of it", "Then it would have to be a long text. How long is 1024, next to a width of 768?"),
            ("About half", "That comes too, for a text four and a half times as long."),
            ("Less than a fifth", "Every token also goes through six d × d matrices and more, and that is most of the work."),
            ("Less than one in a hundred", "For a sentence of forty words that is right. This text has 1024 tokens."),
        ],
        right=2,
        reveal="The calculator below counts it: 18 %.",
    ),
    "swap-brackets": ChoiceQuestion(
        title="Why build the grid?",
        prompt="Q(KᵀV) needs no n × n grid. Why is attention not computed like that?",
        options=[
            ("The two are not equal", "As matrix products they are, to the last digit but rounding."),
            ("The softmax stands between the two products", "It needs the scores of a row one by one, before the values come in."),
            ("It takes more multiplications", "It takes fewer, once n is larger than the width of a head."),
        ],
        right=1,
    ),
    "window-reach": NumberQuestion(
        title="Four layers of a window",
        prompt="Four layers, each with a window of 3 that ends at the token itself. How many tokens back can an output reach?",
        right=8,
        tolerance=0.1,
        wrong=[
            (2, 0.1, "That is one layer. What it reads has itself read further back."),
            (12, 0.1, "Each window holds the token itself: it reaches 2 back, not 3."),
            (3, 0.1, "That is how many tokens *one* layer reads, itself included."),
            (16, 0.1, "It adds up, layer by layer, and does not double."),
            (81, 0.1, "The windows overlap. From layer to layer the reach grows by the same number of tokens."),
            (9, 0.1, "That counts the token itself. How far *back* is the furthest?"),
        ],
        explanation="Two back in each layer, and four layers: 8.",
        provenance="exact",
    ),
    "dropout-sum": ChoiceQuestion(
        title="A row after dropout",
        prompt="Some weights of a row are set to 0, and the others are divided by 0.8. What does the row sum to?",
        options=[
            ("1, as before", "The division is by the same number whatever was dropped. Only the average over many draws is 1."),
            ("0.8", "Without the division it would be 0.8 on average. With it?"),
            ("More than 1 or less, by chance", "If a large weight is dropped, the row has lost more than the division gives back."),
        ],
        right=2,
    ),
    "permute": ChoiceQuestion(
        title="Another order",
        prompt="*problem we have a Houston*: what happens to the output of *have*?",
        options=[
            ("It changes, since its neighbours have changed", "Who is a neighbour? The formula has scores and values of all tokens, and no places."),
            ("It stays as it was", "It is a sum over all tokens, and a sum does not depend on the order."),
            ("It goes to the row of another word", "The rows move with their words, and *have* stays third here."),
        ],
        right=1,
    ),
}  # fmt: skip
