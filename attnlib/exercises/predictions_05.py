"""Questions that chapter 5 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "renormalise": ChoiceQuestion(
        prompt="`may` is `[True, False]`. What does this print?",
        options=[
            (
                "`[1. 0.]`: all of the row is on itself again",
                "On paper this is right. But the first weight is 1/(1 + e²⁰⁰⁰): what is left of it in a computer?",
            ),
            ("`[0. 1.]`", "The weight on the coin was erased: before the division the second entry is 0, so it cannot become 1."),
            (
                "`[nan nan]`",
                "The coin took the whole row, and it was erased. What is left is 0, and 0/0 has no value.",
            ),
        ],
        right=2,
    ),
    "poke": ChoiceQuestion(
        title="Which outputs move?",
        prompt="Under the causal mask you replace *a*, the fourth of *Houston we have a problem*. Which outputs change?",
        options=[
            ("That of *a* alone", "*problem* may read *a*, so its blend changes as well."),
            (
                "Those of *a* and *problem*",
                "*a* is in its own blend, and in that of every later word. No earlier one reads it.",
            ),
            (
                "Those of *Houston*, *we*, *have* and *a*",
                "That is the wrong way round: they do not read what comes after them.",
            ),
            (
                "All five",
                "That holds without a mask. With the mask, *Houston*, *we* and *have* give *a* the weight 0, and the sums that divide their rows do not contain its score.",
            ),
        ],
        right=1,
    ),
    "two-layers": ChoiceQuestion(
        title="Two layers",
        prompt="Two layers, each with the causal mask: the second reads the outputs of the first. On which words can the output of *we* "
        "in the second layer depend?",
        options=[
            (
                "On *have*, too: what *have* puts out in layer 1, *we* reads in layer 2",
                "The second layer has the mask as well: there, too, *we* does not read the place of *have*.",
            ),
            ("On *Houston* and *we* alone", "It reads the places of *Houston* and *we*, and what these hold comes from *Houston* and *we*."),
            (
                "On all words, but on the later ones only a little",
                "In each layer a place reads only itself and earlier places, so nothing of a later word can reach *we*, not even a little.",
            ),
        ],
        right=1,
    ),
    "window-reach": NumberQuestion(
        prompt="In a sliding window of 5 each query reads itself and the four keys before it. After three layers, how many tokens "
        "can the last output of a long text have read, its own among them?",
        right=13.0,
        tolerance=0,
        wrong=[
            (5.0, 0, "That is one layer. The second reads outputs that have read further back."),
            (15.0, 0, "A window of 5 leads back by 4 places: it begins with the query's own."),
            (12.0, 0, "These are the 3 · 4 places further back. The place of the last output itself counts, too."),
            (125.0, 0, "The windows overlap: three steps of 4 places each."),
        ],
        explanation="Each layer leads back by 4 places: 3 · 4 + 1.",
        provenance="exact",
    ),
    "front-padding": ChoiceQuestion(
        prompt="What does this print?",
        options=[
            ("`[ True  True  True]`", "Which keys may the first query read? Only its own. Is that one real?"),
            (
                "`[False  True  True]`",
                "The first query may read itself and nothing else, and itself is padding. It has nobody.",
            ),
            ("`[False False False]`", "The second may read itself, and that is a real word."),
        ],
        right=1,
    ),
    "bits": NumberQuestion(
        title="The best loss on coin flips",
        prompt="A model reads fair coin flips and guesses each next one. It cannot see the answer, and training goes perfectly. "
        "What is its mean loss, the cross-entropy with the natural logarithm? Two decimals are enough.",
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
    "trials": ChoiceQuestion(
        title="Five trials",
        prompt="Which of the five can get below ln 2?",
        options=[
            (
                "*no mask* and *off by one*",
                "These two read the next coin. But what did the cheat still see when its weight was erased? And what is *not shifted* asked for?",
            ),
            (
                "*no mask*, *off by one* and *zeros after*",
                "*not shifted* has the right mask, but it is asked for the coin at its own place. May it read that one?",
            ),
            (
                "All but *causal*",
                "Two read the next coin, one divides by a sum with the next coin in it, and one is asked for a coin that it may read.",
            ),
            ("All five, if training is long enough", "*causal* knows nothing of the coin that it is asked for, however long it trains."),
        ],
        right=2,
    ),
    "three-sums": NumberQuestion(
        prompt="u and v are three numbers each, with variance 1. Somebody knows only the three sums u + v, so the "
        "best guess for u, and for v, is (u + v)/2. What is the mean squared error of one number?",
        right=0.5,
        wrong=[
            (1.0, 0.001, "That is the error of whoever answers 0. The sums say something."),
            (0.25, 0.001, "The error in u is (u − v)/2. The variances of u and v add up to 2, and halving divides by 4."),
            (0.0, 0.001, "An error of 0 would need all six numbers, and three sums do not tell them."),
            (2.0, 0.001, "That is the variance of u − v. The error is half of that difference."),
        ],
        explanation="The error in u is (u − v)/2, with the variance (1 + 1)/4.",
        provenance="exact",
    ),
    # Training and writing
    "generate": ChoiceQuestion(
        title="How many passes?",
        prompt="A model with the causal mask reads a text of 100 tokens. In training, one pass gives the predictions for all "
        "places. Now it *writes* 100 new tokens. How many passes does that usually take, one after the other?",
        options=[
            (
                "1, as in training",
                "In training the whole text is there from the start. What would you feed in here for the second token?",
            ),
            ("100", "Token 2 is an input of the pass that gives token 3. It must exist first."),
            ("About 100²", "One pass gives one new token. It may be a costly pass, but it is one."),
        ],
        right=1,
    ),
    "corner": NumberQuestion(
        prompt="How many keys does the *first* of the three new queries read under `is_causal=True`?",
        right=1.0,
        tolerance=0,
        wrong=[
            (11.0, 0, "That is what it should read: the ten old ones and itself. But which key does the first query stand at here?"),
            (13.0, 0, "That is the number of all keys. The last two come after the first new query, which must not read them."),
            (3.0, 0, "Key by key: the first query is set against the first key, and reads no later one."),
            (10.0, 0, "It should read these and itself. But the first query is set against the first key."),
        ],
        explanation="The first key of the text, and no other. It should read 11 keys: write the mask yourself, "
        "`causal_mask(3, 13, offset=10)`.",
        provenance="exact",
    ),
    "blank": NumberQuestion(
        prompt="A row of eight coins repeats with period three, so the fifth and the eighth coin are copies of the second. The second coin is "
        "replaced by a blank, and the output at its place has to name it. What is the best mean loss under the *causal* mask? Two decimals.",
        right=float(np.log(2)),
        tolerance=0.01,
        wrong=[
            (0.0, 0.001, "That is the best loss without a mask, where the output can read both copies of the coin. Where do the copies stand?"),
            (0.5, 0.01, "That is the probability of a side. The loss is minus its logarithm."),
            (1.0, 0.01, "That is in bits."),
        ],
        explanation="The second output has read the first coin and a blank. Both copies lie in its future. Without a "
        "mask the best loss is 0.",
    ),
    "dropout-sum": ChoiceQuestion(
        title="A row after dropout",
        prompt="Some weights of a row are set to 0, and the others are divided by 0.8. What does the row sum to?",
        options=[
            ("1, as before", "It can be, by chance. But the division is by the same number whatever was dropped: only the average is sure."),
            ("0.8", "Without the division, 0.8 would be the average of many sums. Must the sum of a single row be the average?"),
            ("That depends on what is dropped", "If a large weight is dropped, the row has lost more than the division gives back."),
        ],
        right=2,
    ),
}  # fmt: skip
