"""Questions that chapter 3 asks on the way, kept out of the page's code so that no cell gives an answer away."""

from attnlib.questions import ChoiceQuestion, OrderQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "exchanged": ChoiceQuestion(
        title="The two matrices change places",
        prompt="Each token reads the one that it beats. Then W_Q and W_K are exchanged, without any more training. "
        "Whom does each token read now?",
        options=[
            (
                "The one that it beats, as before",
                "Rock's score with scissors was large. Which pair has that score after the exchange?",
            ),
            ("The one that beats it", "Each score now belongs to the pair the other way round: scissors read rock."),
            ("All three alike", "The scores keep their size. They only belong to other pairs."),
            (
                "Itself",
                "A token's score with itself is the one score that the exchange leaves where it was, and it was low.",
            ),
        ],
        right=1,
        reveal="The cell below measures it for five seeds.",
    ),
    "output-shape": ChoiceQuestion(
        title="The shape of the output",
        prompt="`X` is 5 × 8, `W_Q` and `W_K` are 8 × 4, `W_V` is 8 × 3. What is the shape of the output Y?",
        options=[
            ("5 × 5", "That is the shape of the scores and of the weights: one number for each pair of tokens."),
            (
                "5 × 8",
                "The output is as wide as a *value*. To be as wide as X again it needs d_v = 8, or one more matrix.",
            ),
            ("5 × 4", "4 is the width of queries and keys. It disappears in QKᵀ."),
            ("5 × 3", "One row for each query, as wide as a value."),
        ],
        right=3,
    ),
    "inert-bias": ChoiceQuestion(
        title="Which bias does nothing?",
        prompt="One of the three biases can be set to anything at all, and no output changes. Which?",
        options=[
            ("`b_q`", "It adds `b_q`·k_j to the score of key j: another number for each key."),
            ("`b_k`", "It adds the same number, q·`b_k`, to every score of a row, and the softmax ignores that."),
            ("`b_v`", "It moves every value, and the output with them."),
            (
                "None: all three are trained, so all three matter",
                "That something is trained does not mean that it does something.",
            ),
        ],
        right=1,
    ),
    "steps": OrderQuestion(
        title="One query token, in order",
        prompt="One query token takes home its context vector. What happens when?",
        options=[
            ("Multiply the query token by `W_Q`, and every token by `W_K` and `W_V`", ""),
            ("Take the dot product of the query with every key", "There are no queries and keys yet."),
            ("Take the softmax of these scores", "There are no scores yet."),
            ("Multiply every value by its weight", "There are no weights yet: they come out of the softmax."),
            (
                "Add the weighted values up",
                "Nothing is weighted yet: added up as they are, all values would count alike.",
            ),
        ],
        reveal="Query and keys decide how much, values decide what.",
    ),
}
