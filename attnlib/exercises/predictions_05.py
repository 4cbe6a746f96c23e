"""Questions that chapter 5 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "poke": ChoiceQuestion(
        title="Which outputs move?",
        prompt="Under the causal mask you replace *a*, the fourth of *Houston we have a problem*. Which outputs change?",
        options=[
            ("That of *a* alone", "*problem* may read *a*, so its blend changes as well."),
            ("Those of *a* and *problem*", "*a* is in its own blend, and in that of every later word. No earlier one reads it."),
            ("Those of *Houston*, *we*, *have* and *a*", "That is the wrong way round: they do not read what comes after them."),
            ("All five", "So it is without a mask. With it, *Houston*, *we* and *have* have no weight for *a*, and their sums do not hold its score."),
        ],
        right=1,
    ),
    "after-softmax": ChoiceQuestion(
        title="Zeros after the softmax",
        prompt="Somebody takes the softmax of *all* scores first, and then multiplies each blocked weight by 0. "
        "Now the last word is replaced. Which outputs change?",
        options=[
            ("The last one alone: blocked weights are 0", "The blocked weights are 0. But look at what the *others* were divided by."),
            ("None", "The last word reads itself, so its own output changes at least."),
            ("All of them", "Each row was divided by a sum that holds the score of the last word. Change that score, and every weight of the row changes."),
        ],
        right=2,
    ),
    "bits": NumberQuestion(
        title="The best loss on coin flips",
        prompt="A model reads fair coin flips and predicts each next one. It cannot see the answer, and training goes perfectly. "
        "What is its average loss, the cross-entropy with the natural logarithm? Two decimals are enough.",
        right=float(np.log(2)),
        tolerance=0.01,
        wrong=[
            (0.0, 0.001, "A loss of 0 means that it is always right, and sure of it. Who can be that about a coin?"),
            (0.5, 0.01, "One half is the probability that it gives to the right side. The loss is minus its logarithm."),
            (1.0, 0.01, "That is in bits. The natural logarithm gives another number."),
            (-float(np.log(2)), 0.01, "Minus the logarithm: a loss is not negative."),
        ],
        explanation="Whatever it read, the next side has probability 1/2, and −ln ½ = ln 2.",
    ),
    "two-layers": ChoiceQuestion(
        title="Two layers",
        prompt="Two layers, each with the causal mask: the second reads the outputs of the first. Can output 1 of the "
        "second layer depend on token 2?",
        options=[
            ("Yes: output 1 reads output 2 of the first layer", "The second layer has the mask as well: output 1 reads rows 0 and 1 of the first layer."),
            ("No", "It reads rows 0 and 1 of the first layer, and these read tokens 0 and 1 at most."),
            ("Yes, but only a little", "A path would have to lead there, and each step leads to the same place or an earlier one."),
        ],
        right=1,
    ),
    "generate": ChoiceQuestion(
        title="How many passes?",
        prompt="A model with the causal mask reads a text of 100 tokens. In training, one pass gives the predictions for all "
        "places. Now it *writes* 100 new tokens. How many passes are needed, one after the other?",
        options=[
            ("1, as in training", "In training the whole text is there from the start. What would you feed in here for the second token?"),
            ("100", "Token 2 is an input of the pass that gives token 3. It must exist first."),
            ("About 100²", "One pass gives one new token. It may be a costly pass, but it is one."),
        ],
        right=1,
    ),
}  # fmt: skip
