"""Exercises of chapter 4: scaling."""

import numpy as np

from attnlib.exercises.chapter_04_assumptions import ON_ASSUMPTIONS
from attnlib.exercises.checkers_04 import SCALED_WEIGHTS
from attnlib.exercises.checkers_04_slopes import ROW_SLOPES
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

EXERCISES = (
    Exercise(
        id="which-root",
        title="Which width?",
        difficulty="easy",
        minutes=2,
        misconception="The root is taken of the width of a token.",
        hints=(
            "The root makes up for a sum. How many products does one score add up?",
            "Write down the shape of one query.",
        ),
        question=ChoiceQuestion(
            prompt="A model has tokens of width 768. `W_Q` and `W_K` are 768 × 64, `W_V` is 768 × 48, and a sentence has "
            "100 tokens. By what are the scores divided?",
            options=[
                ("√768", "That is the width of a *token*. After `W_Q` only 64 components are left to multiply."),
                ("√64 = 8", "A score adds up 64 products, one for each component of query and key."),
                ("64", "64 is the *variance*. The spread is its root."),
                ("√48", "That is the width of a value. Values take no part in a score."),
                ("√100 = 10", "The softmax runs over 100 scores, but each of them is a sum of 64 products."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="coin-spread",
        title="Larger coins",
        difficulty="easy",
        minutes=4,
        misconception="A sum of d_k products is d_k times as large as one.",
        hints=(
            "What can one product be? What is the mean of its square?",
            "The mean squares of sixteen independent products with mean 0 add up.",
        ),
        question=NumberQuestion(
            prompt="Each component of q is 3 or −3, each of k is 2 or −2, all by the toss of a coin. d_k = 16. "
            "What is the standard deviation of q·k?",
            right=24.0,
            wrong=[
                (576.0, 0.5, "That is the variance. Take its root."),
                (96.0, 0.5, "That is 16 times 6, as if all products had the same sign."),
                (4.0, 0.01, "That is for components of 1 and −1. Here a product is 6 or −6."),
                (6.0, 0.01, "That is the standard deviation of one product. A score adds up 16."),
                (16.0, 0.01, "That is the variance for components of 1 and −1."),
                (
                    144.0,
                    0.5,
                    "That is 36 · √16. The standard deviation of one product is 6, the root of 36: multiply it by √16.",
                ),
            ],
            explanation="Each product has the mean square 36, sixteen have 576, and √576 = 24.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="print-spread",
        title="What does it print?",
        difficulty="easy",
        minutes=3,
        misconception="Dividing numbers by c divides their standard deviation by √c.",
        hints=(
            "How many products does each score add up?",
            "The standard deviation has the unit of the numbers: divide all of them by 10, and it is divided by 10.",
        ),
        question=ChoiceQuestion(
            prompt="`q` and `k` hold independent random numbers, 10,000 × 100 each, with mean 0 and variance 1. What does this print? "
            "`s = (q * k).sum(axis=1); print(round(s.std()), round((s / 10).std(), 1), round((s / 100).std(), 1))`",
            options=[
                ("`100 10.0 1.0`", "100 is the *variance* of s. `std` is its root."),
                ("`10 1.0 0.1`", "√100, and dividing all numbers by c divides it by c."),
                ("`10 1.0 1.0`", "Dividing by 100 is dividing by 10 twice, so the last two numbers cannot be equal."),
                ("`1 0.1 0.0`", "The components have the standard deviation 1. A score adds up 100 products."),
                ("`10 3.2 1.0`", "Dividing numbers by c divides their standard deviation by c, not by √c."),
            ],
            right=1,
        ),
    ),
    Exercise(
        id="sick-scale",
        title="A grid to diagnose",
        difficulty="medium",
        minutes=4,
        misconception="Weights that are nearly alike mean that the queries and keys have nothing to say.",
        hints=(
            "Do the rows sum to 1? Which of the four answers would break that?",
            "The logarithms of two weights of a row differ by as much as their scores do.",
            "ln (0.29 / 0.22) is about 0.28. How far apart are scores of width 64, divided by 1, by 8, by 64?",
        ),
        question=ChoiceQuestion(
            prompt="Queries and keys of width 64 hold random numbers with mean 0 and variance 1. Two rows of the weights are "
            "(0.24, 0.29, 0.22, 0.25) and (0.26, 0.22, 0.28, 0.24). What was done to the scores, or to the weights?",
            options=[
                ("The scores were not divided", "They would spread by 8: most rows would have one weight near 1."),
                (
                    "The scores were divided by 8",
                    "They would spread by 1: the largest weight of a row would mostly be several times its smallest.",
                ),
                ("The scores were divided by 64", "They spread by 1/8, and so do the logarithms of the weights."),
                ("The weights were divided by 8", "Then each row would sum to 1/8."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="difference-spread",
        title="Two words of a row",
        difficulty="medium",
        minutes=4,
        misconception="The spread of a row depends on how long the tokens are.",
        hints=(
            "The softmax sees the difference of two scores of a row. Which of the two laws is about that?",
            "The key of the difference is made from the difference of the two tokens.",
        ),
        question=NumberQuestion(
            prompt="Tokens have d = 20 numbers, the entries of W_Q and W_K are independent with mean 0 and variance 1/20, and d_k = 16. "
            "The token that asks has the squared length 40, the two that are asked have 50 and 60, and their difference has "
            "10. What is the standard deviation, over draws of the matrices, of the difference of the two scores, before any division by √d_k?",
            right=4.0,
            wrong=[
                (16.0, 0.01, "That is the variance. Take its root."),
                (
                    float(np.sqrt(16 * 40 * 50 / 400)),
                    0.02,
                    "That is the standard deviation of one score, not of the difference.",
                ),
                (
                    float(np.sqrt(16 * 40 * 60 / 400)),
                    0.02,
                    "That is the standard deviation of one score, not of the difference.",
                ),
                (
                    float(np.sqrt(16 * 40 * 110 / 400)),
                    0.02,
                    "That adds the variances of the two scores, as if the two tokens stood at right angles. Use the squared length of their difference.",
                ),
                (1.0, 0.01, "That is after the division by √16."),
                (float(np.sqrt(320)), 0.05, "Both matrices have entries of variance 1/20, so it is divided by 20²."),
            ],
            explanation="16 · 40 · 10 / 20² = 16, and √16 = 4. The division makes it 1.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="scaled-weights",
        title="Scaled weights",
        difficulty="easy",
        minutes=6,
        misconception="The root may be taken of any width at hand, and applied at any place.",
        hints=(
            "Queries, keys, scores, softmax: one of these lines gains a division.",
            "d_k is the number of columns of w_q.",
            "Divide the scores once. If you divide the weights, their rows no longer sum to 1.",
        ),
        properties=SCALED_WEIGHTS,
    ),
    Exercise(
        id="row-slopes",
        title="How saturated is each row?",
        difficulty="medium",
        minutes=12,
        misconception="Saturation is a property of the whole grid.",
        hints=(
            "First the weights of each row, with a softmax that survives large scores.",
            "For one row a: `np.diag(a) - np.outer(a, a)`. Its norm is the root of the sum of the squares of all entries.",
            "A loop over the rows is fine.",
        ),
        properties=ROW_SLOPES,
    ),
    Exercise(
        id="same-training",
        title="The same training with the root",
        difficulty="medium",
        minutes=5,
        misconception="The root changes the size of scores at the start, and nothing of the training.",
        hints=(
            "Scores that are divided by 16 are as before if W_Q and W_K are 4 times as large each.",
            "The larger matrix must move 4 times as far in each step. And how large is its gradient?",
            "A change of the larger matrix moves the scores a quarter as far, so its gradient is a quarter as large.",
        ),
        question=NumberQuestion(
            prompt="A network without the root, d_k = 256, trains by plain gradient descent, at the rate 0.5 for W_Q and W_K. Now the "
            "scores are divided by √256 = 16, and W_Q and W_K start 4 times as large. At which rate of these two is "
            "the training the same, step by step?",
            right=8.0,
            tolerance=0.01,
            wrong=[
                (0.5, 0.01, "The scores agree at the start. But the larger matrices must move further in each step."),
                (2.0, 0.01, "The matrices must move 4 times as far, and their gradient is a quarter. Both count."),
                (0.5 / 16, 0.002, "The other way round: the gradient of the larger matrices is smaller."),
                (0.125, 0.002, "The other way round: larger matrices must move further."),
                (128.0, 0.1, "That is 256 times the rate. Each matrix is 4 times as large, not 16."),
            ],
            explanation="It must move 4 times as far, with a gradient of a quarter: 0.5 · 4 · 4.",
            provenance="exact",
        ),
    ),
    *ON_ASSUMPTIONS,
)
