"""Questions that chapter 1 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import math

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "which-wins": ChoiceQuestion(
        prompt="The query is (2, 1). The keys are (1, 1), (3, −1) and (−2, 4). Which is read most?",
        options=[
            ("(1, 1)", "It is the nearest. But it scores 2 + 1 = 3, and another key scores more."),
            ("(3, −1)", "6 − 1 = 5, against 3 and 0. It lies farthest along the query, though (1, 1) is nearer to it."),
            ("(−2, 4)", "It is long. But it stands at 90° from the query: −4 + 4 = 0."),
        ],
        right=1,
    ),
    "symmetric-prints": ChoiceQuestion(
        prompt="What does this print? `print(np.allclose(S, S.T), np.allclose(A, A.T))`",
        options=[
            (
                "`True True`",
                "S is symmetric. But each row of A was divided by a sum of its own, and these sums differ.",
            ),
            (
                "`True False`",
                "One score serves both ways. Of the weights, *we* reads 0.05 from *Houston*, and *Houston* 0.02 from *we*.",
            ),
            ("`False False`", "S is symmetric: a dot product does not ask which of its two vectors comes first."),
        ],
        right=1,
        reveal="S[i, j] is the dot product of rows i and j, so S[j, i] is the same number.",
    ),
    "no-such-grid": ChoiceQuestion(
        prompt="Here are three grids of weights between two words, each row in parentheses. Which grid cannot be "
        "softmax(XXᵀ), whatever X is?",
        options=[
            (
                "(0.5, 0.5), (0.5, 0.5)",
                "It can: two equal words. All scores are alike then.",
            ),
            (
                "(0.4, 0.6), (0.1, 0.9)",
                "It can: the second word is long and lies in the direction of the first. The first then reads it more than itself.",
            ),
            (
                "(0.4, 0.6), (0.6, 0.4)",
                "Each word reads more from the other than from itself. That is impossible for a word whose vector is at least as long as the other's. Another proof: S₁₁ + S₂₂ − 2 S₁₂ is a squared distance, so S₁₂ cannot exceed both S₁₁ and S₂₂.",
            ),
        ],
        right=2,
        reveal="The longest vector scores ‖x‖‖y‖ cos θ with another, y, which is at most ‖x‖². So in its row no "
        "number is above the one on the diagonal.",
    ),
    "letters-factor": ChoiceQuestion(
        prompt="Multiply the axis `letters` by a factor of your choice. Which one makes *have* read most, apart from "
        "itself, from *we*?",
        options=[
            ("0", "Then *have* shares no axis with any of the four: all score 0, and tie."),
            (
                "A small one, so that the other axes decide",
                "No other axis of *have* meets one of the four. However small the factor is, more letters score more.",
            ),
            ("None", "With 0 all four tie, and with any other factor more letters score more."),
        ],
        right=2,
        reveal="*have* and *we* share no other axis. So no factors for the axes can make *have* read *we* most here.",
    ),
    "reorder": ChoiceQuestion(
        prompt="The words are written in another order, *problem a have we Houston*. What happens to the output of *have*?",
        options=[
            ("It changes: its two neighbours have changed places", "No number in XXᵀ knows who stands beside whom."),
            (
                "It stays as it is",
                "*have* scores the same five words. The row of its weights is shuffled as the words are, and so is what it mixes.",
            ),
            (
                "It stays only because *have* is in the middle",
                "Its place in the row plays no part. Every word keeps its output.",
            ),
        ],
        right=1,
        reveal="Below it is tried.",
    ),
    "reads-most": ChoiceQuestion(
        title="What the verb reads",
        prompt="Compute the scores of *have* with the four others. From which of them does it read most?",
        options=[
            ("*we*, its subject", "The two share no axis but `letters`, and *we* has few of them."),
            ("*problem*, its object", "It does read much from it. But another word gets as much: compute both scores."),
            ("*we* and *problem* alike", "*problem*, yes. *we* has few letters, and gets less than half as much."),
            (
                "*Houston* and *problem* alike",
                "Equally: the two have equally many letters, and `letters` is all that counts here.",
            ),
        ],
        right=3,
        reveal="Press these cells in the grid below: which axis do their scores come from?",
    ),
    "real-words": ChoiceQuestion(
        prompt="With GloVe’s vectors *have* reads most, after itself, from *we*. And *problem*: from which word does it read most, "
        "after itself?",
        options=[
            ("*the*, which stands before it", "That gets 0.13. No number of XXᵀ knows where a word stands."),
            ("*have*, its verb", "That gets 0.18, and one word gets more."),
            (
                "*we*, as well",
                "0.22. *we* has the longest of the five vectors, and of the four it points most along *problem*.",
            ),
            ("*Houston*, the other noun", "That gets 0.04, the least."),
        ],
        right=2,
    ),
    "one-step": NumberQuestion(
        prompt="Two tokens stand at 1 and −1 on a line. Each reads from both, and the weights are the softmax of the "
        "dot products. Where does the token that began at 1 stand after one step? Two decimals are enough.",
        right=math.tanh(1),
        tolerance=0.01,
        wrong=[
            (0.46, 0.01, "The scores are 1 and −1, so the lead is 2, not 1."),
            (0.88, 0.01, "That is the weight on itself. It mixes 0.88 of 1 with 0.12 of −1."),
            (0.0, 0.01, "That would be equal weights. It scores 1 with itself and −1 with the other."),
            (1.0, 0.01, "Then it would read from itself alone. The other has a weight, too."),
            (-math.tanh(1), 0.01, "That is where the other one goes."),
        ],
        explanation="The lead is 2, so the weights are 0.88 and 0.12, and 0.88 · 1 + 0.12 · (−1) = 0.76.",
        provenance="exact",
    ),
    "useless-axes": ChoiceQuestion(
        prompt="Twelve useless axes beside the four useful ones, and all sixteen are standardised. How many tokens "
        "find their kin?",
        options=[
            (
                "Nearly all, since no axis is large now",
                "No axis is. But sixteen add up in each score, and twelve of them are noise.",
            ),
            (
                "About seven in ten",
                "Standardising makes the useless axes smaller, not fewer. Together the twelve still hide the kin of many tokens.",
            ),
            (
                "About one in four, as by guessing",
                "Four of the sixteen axes still speak for the kin, and as loudly as each of the others.",
            ),
        ],
        right=1,
    ),
}
