"""Exercises of chapter 4: scaling."""

import numpy as np

from attnlib.exercises.checkers_04 import PREDICT_VARIANCE, SCALED_WEIGHTS
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
        id="uniform-spread",
        title="Other random numbers",
        difficulty="medium",
        minutes=6,
        misconception="Dividing by √d_k gives variance 1, whatever the components are.",
        hints=(
            "A number that is uniform between −a and a has the variance a²/3.",
            "The variance of a product of two independent numbers with mean 0 is the product of their variances.",
            "Add up 25 products, then divide by √25: what does that do to a variance?",
        ),
        question=NumberQuestion(
            prompt="All components of q and k are independent and uniform between −3 and 3, and d_k = 25. What is the variance of "
            "q·k / √25?",
            right=9.0,
            tolerance=0.01,
            wrong=[
                (1.0, 0.01, "It would be 1 if each component had the variance 1. Here it is a²/3 with a = 3."),
                (3.0, 0.01, "That is the variance of one component. A score multiplies two of them."),
                (81.0, 0.01, "a⁴, but the variance of one component is a²/3, not a²."),
                (225.0, 0.5, "That is the variance before the division."),
                (0.36, 0.005, "You divided by d_k once more. Dividing by √25 divides the variance by 25, once."),
                (45.0, 0.05, "Dividing by √25 divides the *variance* by 25."),
            ],
            explanation="Each component has the variance 3, each product 9, the sum 25 · 9. Dividing by √25 leaves 9.",
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
        id="predict-variance",
        title="Predict the variance",
        difficulty="medium",
        minutes=8,
        misconception="Only the variances of the single components matter, or only their totals.",
        hints=(
            "The mean of (q·k)² is a double sum over b and c. Which entry of each covariance belongs to the pair (b, c)?",
            "The entry (b, c) of Σ_q times the entry (b, c) of Σ_k, for all b and c: multiply the two matrices entry by entry, and add everything up.",
            "For symmetric matrices that sum has a shorter name: the trace of their product.",
        ),
        properties=PREDICT_VARIANCE,
    ),
    Exercise(
        id="row-slopes",
        title="How saturated is each row?",
        difficulty="medium",
        minutes=12,
        misconception="Saturation is a property of the whole grid.",
        hints=(
            "First the weights of each row, with a softmax that survives large scores.",
            "For one row a: np.diag(a) − np.outer(a, a). Its norm is the root of the sum of the squares of all entries.",
            "A loop over the rows is fine.",
        ),
        properties=ROW_SLOPES,
    ),
    Exercise(
        id="still-d-k",
        title="What may you break?",
        difficulty="medium",
        minutes=4,
        misconception="All components of both vectors must be independent of each other.",
        hints=(
            "The derivation needs the components of *one* of the two vectors to be uncorrelated.",
            "It needs q and k to be independent of each other. Which options break that?",
        ),
        question=ChoiceQuestion(
            prompt="In all four cases every component has mean 0 and variance 1. In which is the variance of q·k still d_k?",
            options=[
                (
                    "All components of q are equal; all components of k are equal",
                    "Then q·k is d_k times *one* product, with the variance d_k².",
                ),
                (
                    "k = q or k = −q, by the toss of a coin",
                    "Uncorrelated, but not independent: the score is ‖q‖² or −‖q‖², with a variance of about d_k².",
                ),
                (
                    "All components of k are equal; those of q are independent, and q is independent of k",
                    "The trace of Σ_q Σ_k is that of Σ_k when Σ_q is the identity: one of the two is enough.",
                ),
                ("k = q", "Then q·k = ‖q‖², with a mean of d_k, and a variance that depends on the fourth power."),
            ],
            right=2,
        ),
    ),
    Exercise(
        id="same-training",
        title="The same training without the root",
        difficulty="hard",
        minutes=10,
        misconception="Dividing the scores is the same as starting with smaller matrices.",
        calculus=True,
        hints=(
            "Write the smaller matrix as W′ = W / c with c = d_k^(1/4). If W moves by Δ, by how much must W′ move?",
            "The loss as a function of W′ is that of W with W = c W′. What does the chain rule say about its slope?",
            "W′ must move by rate · g / c, and its own gradient is c · g.",
        ),
        question=NumberQuestion(
            prompt="Take d_k = 256. In place of dividing the scores by √256 you start with `W_Q` and `W_K` divided by 4 each, which gives the "
            "same scores. By which factor must you multiply SGD's learning rate for these two, so that the training is the same, step by step? You need one case of the chain rule: where y = c·x, a slope for x is c times the slope for y.",
            right=1 / 16,
            tolerance=0.002,
            wrong=[
                (
                    1.0,
                    0.01,
                    "The scores agree at the start only. Scores that are not divided move further with each step.",
                ),
                (0.25, 0.005, "A step must be 4 times smaller, and the gradient is 4 times *larger*. Both count."),
                (16.0, 0.1, "The other way round: the gradient on the smaller matrices is larger."),
                (4.0, 0.05, "The gradient on the smaller matrices is larger, so the rate must be smaller, not larger."),
                (1 / 256, 0.001, "Each matrix was divided by 4, not by 16."),
            ],
            explanation="With c = 4: the step of W′ = W / c must be rate · g / c, while its gradient is c · g. So the rate is divided by c² = 16 = √256.",
        ),
    ),
    Exercise(
        id="cosine-scale",
        title="Cosines need the opposite",
        difficulty="medium",
        minutes=6,
        misconception="A division by √d_k is always safe.",
        hints=(
            "With the factor t the matching key has the score t, each of the 15 others has 0.",
            "The weight is eᵗ / (eᵗ + 15). Set it to 0.9 and solve for eᵗ.",
        ),
        question=NumberQuestion(
            prompt="Queries and keys have length 1. One of 16 keys equals the query, and the 15 others are at right angles to it. "
            "By what factor must you multiply the scores so that the matching key gets a weight of 0.9? One decimal is enough.",
            right=float(np.log(135)),
            tolerance=0.06,
            wrong=[
                (float(np.log(9)), 0.05, "That is for one other key. There are 15."),
                (
                    8.0,
                    0.05,
                    "√64 shrinks scores of some other width. Here the largest score is 1 and must *grow*: to what?",
                ),
                (
                    float(np.log(144)),
                    0.03,
                    "The weight is eᵗ / (eᵗ + 15), so eᵗ = 0.9 · (eᵗ + 15): eᵗ stands on both sides.",
                ),
                (135.0, 1.0, "That is eᵗ. You need t."),
                (
                    float(np.log(15)),
                    0.05,
                    "With eᵗ = 15 the match weighs as much as all 15 others: the weight is 1/2, not 0.9.",
                ),
                (
                    float(np.log2(135)),
                    0.08,
                    "That is the logarithm with the base 2. The softmax raises e: take the natural one.",
                ),
                (
                    float(np.log10(135)),
                    0.035,
                    "That is the logarithm with the base 10. The softmax raises e: take the natural one.",
                ),
                (0.125, 0.01, "Dividing by 8 makes the weights more alike."),
            ],
            explanation="eᵗ / (eᵗ + 15) = 0.9 gives eᵗ = 135, t = 4.9.",
        ),
    ),
)
