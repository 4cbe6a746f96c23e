"""Exercises of chapter 4's second page: what the root rests on."""

import numpy as np

from attnlib.exercises.checkers_04 import PREDICT_VARIANCE
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion

ON_ASSUMPTIONS = (
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
                (81.0, 0.01, "That is a⁴. But the variance of one component is a²/3, not a²."),
                (225.0, 0.5, "That is the variance before the division."),
                (0.36, 0.005, "You divided by d_k once more. Dividing by √25 divides the variance by 25, once."),
                (45.0, 0.05, "Dividing by √25 divides the *variance* by 25."),
            ],
            explanation="Each component has the variance 3, each product 9, the sum 25 · 9. Dividing by √25 leaves 9.",
        ),
    ),
    Exercise(
        id="still-d-k",
        title="What may you break?",
        difficulty="medium",
        minutes=4,
        misconception="All components of both vectors must be independent of each other.",
        hints=(
            "It is enough that the components of *one* of the two vectors are uncorrelated, if q and k are independent.",
            "It needs q and k to be independent of each other. Which options break that?",
        ),
        question=ChoiceQuestion(
            prompt="In all four cases d_k > 1, and every component is normal with mean 0 and variance 1. In which is the variance "
            "of q·k still d_k?",
            options=[
                (
                    "All components of q are equal; all components of k are equal; q is independent of k",
                    "Then q·k is d_k times *one* product, with the variance d_k².",
                ),
                (
                    "k = q or k = −q, by the toss of a coin; the components of q are independent",
                    "Uncorrelated, but not independent: the score is ‖q‖² or −‖q‖², with a variance of about d_k².",
                ),
                (
                    "All components of k are equal; those of q are independent, and q is independent of k",
                    "The trace of Σ_q Σ_k is that of Σ_k when Σ_q is the identity: one of the two is enough.",
                ),
                (
                    "k = q, and its components are independent",
                    "Then q·k = ‖q‖², with a mean of d_k, and for normal components a variance of 2 d_k.",
                ),
            ],
            right=2,
        ),
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
                    "8 is √d_k for d_k = 64, and chapter 4 divides scores by √d_k. Here the largest score is 1 and must *grow*: to what?",
                ),
                (float(np.log(144)), 0.03, "That counts 16 other keys. The match is one of the 16, so there are 15."),
                (
                    float(np.log(13.5)),
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
