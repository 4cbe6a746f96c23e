"""Questions that chapter 4 asks on the way, kept out of the page's code so that no cell gives an answer away."""

import numpy as np

from attnlib.questions import ChoiceQuestion, NumberQuestion, Question

PREDICTIONS: dict[str, Question] = {
    "hundred-dice": NumberQuestion(
        prompt="The variance of one die is 2.92. What is the *standard deviation* of the sum of 100 dice? "
        "One decimal is enough.",
        right=float(np.sqrt(100 * 35 / 12)),
        tolerance=0.1,
        wrong=[
            (
                170.8,
                0.5,
                "That is 100 times the standard deviation of one. It is the *variances* that add: 100 · 2.92.",
            ),
            (291.7, 0.5, "That is the variance of the sum. Take its square root."),
            (1.7, 0.05, "That is the standard deviation of one die."),
        ],
        explanation="100 · 2.92 = 292, and its root is 17.1: ten times that of one die, not a hundred times.",
        provenance="exact",
    ),
    "spread": ChoiceQuestion(
        title="Sixteen times as wide",
        prompt="Queries and keys hold random numbers with mean 0 and standard deviation 1. Their width grows from "
        "d_k = 4 to d_k = 64. How does the standard deviation of a score q·k change?",
        options=[
            (
                "It stays the same: the mean of each product is still 0",
                "The *mean* of a score stays 0. But more products are added, and they do not cancel exactly.",
            ),
            ("It becomes 4 times as large", "Variances add: 16 times the variance is 4 times the standard deviation."),
            (
                "It becomes 16 times as large",
                "Sixteen times as many products give sixteen times the *variance*. What is that as a standard deviation?",
            ),
            ("It becomes exp(16) times as large", "A score is a sum. Nothing is raised to a power before the softmax."),
        ],
        right=1,
    ),
    "uncorrelated": ChoiceQuestion(
        title="Is uncorrelated enough?",
        prompt="Draw q at random, toss a coin for each key, and let the key be q or −q. Then no component of k "
        "is correlated with any component of q. With d_k = 64, what is the variance of q·k?",
        options=[
            ("About 64, as always", "For that, q and k must be *independent*. Who sees this k knows q up to its sign."),
            ("About 8", "√64 is the standard deviation of the rule, and the rule does not hold here."),
            ("About 4,200", "The score is ‖q‖² or −‖q‖², and ‖q‖² is about 64. The square of that is about 4,096."),
        ],
        right=2,
    ),
    "gradient": ChoiceQuestion(
        title="The gradient at the start",
        prompt="Before any training, d_k = 64: how does the gradient on `W_Q` change when the scores are *not* "
        "divided by √d_k?",
        options=[
            (
                "It is smaller: the softmax is saturated",
                "Its slopes are smaller, on average. But every score moves 8 times as far when `W_Q` moves. Which wins?",
            ),
            ("It is about the same", "Two effects work against each other, but they do not balance."),
            ("It is larger", "Each score moves 8 times as far with `W_Q`, and the slopes shrink by less than 8."),
        ],
        right=2,
        reveal="The cell below measures both.",
    ),
}
