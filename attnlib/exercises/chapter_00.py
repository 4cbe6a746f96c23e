"""Exercises of chapter 0, orientation and softmax."""

import numpy as np

from attnlib.exercises.checkers_00 import CROSS_ENTROPY, SOFTMAX_AXIS
from attnlib.exercises.checkers_00_slopes import SOFTMAX_JACOBIAN
from attnlib.exercises.harness import Exercise
from attnlib.questions import ChoiceQuestion, NumberQuestion
from attnlib.scaled_dot_product import softmax

EXERCISES = (
    Exercise(
        id="parameter-or-activation",
        title="Parameter or activation?",
        difficulty="easy",
        minutes=2,
        misconception="Attention weights are learned numbers, stored in the model.",
        hints=(
            "Which of them would change if the sentence changed, and nothing else?",
            "A parameter keeps its numbers when the sentence changes.",
        ),
        question=ChoiceQuestion(
            prompt="A trained model reads two sentences, one after the other. Which of these is an *activation*?",
            options=[
                (
                    "The table of embeddings",
                    "The same table serves both sentences: training set it. It is a parameter.",
                ),
                (
                    "A matrix `W`, 8 × 3, that training has set",
                    "It is the same 24 numbers for every sentence: a parameter.",
                ),
                (
                    "The grid of attention weights",
                    "It is computed from the sentence, and has a row for each of its words.",
                ),
                (
                    "None of them: a trained model is fixed",
                    "Its *parameters* are fixed. But what it computes from them and a sentence is computed anew for each sentence.",
                ),
            ],
            right=2,
            reveal="Weights, in “attention weights”, does not mean parameters.",
        ),
    ),
    Exercise(
        id="shift-scores",
        title="The same for all",
        difficulty="easy",
        minutes=3,
        misconception="Larger scores all round give sharper weights; or: scaling is a shift.",
        hints=(
            "Which of these leaves every *difference* of two scores as it is?",
            "Write e to the new score as a product that has e to the old score in it.",
        ),
        question=ChoiceQuestion(
            prompt="A query has the scores 1, 2 and 4. Which change leaves its weights exactly as they are?",
            options=[
                ("Double every score", "Differences double, as with half the temperature: the weights get sharper."),
                (
                    "Add 3 to every score",
                    "Each power is multiplied by e³, and so is their sum: it cancels. Only differences count.",
                ),
                (
                    "Add 3 to the largest score",
                    "e to this score becomes e³ times as large, but e to each other score stays. So this score's weight grows.",
                ),
                (
                    "Divide every score by their sum, so that they sum to 1",
                    "Differences shrink by the same factor, as at a higher temperature: the weights get flatter. "
                    "It is the *weights* that must sum to 1, and they did before.",
                ),
            ],
            right=1,
            reveal="That is why a softmax may subtract the largest score first.",
        ),
    ),
    Exercise(
        id="large-scores",
        title="Large scores",
        difficulty="easy",
        minutes=3,
        misconception="Weights are proportional to scores, so 1000 and 1001 share about equally.",
        hints=(
            "Subtract the larger of the two scores from both.",
            "The two weights have the ratio e, and their sum is 1.",
        ),
        question=NumberQuestion(
            prompt="Two keys have the scores 1000 and 1001. What weight does the *second* get? Two decimals.",
            right=float(softmax(np.array([1000.0, 1001.0]))[1]),
            tolerance=0.006,
            wrong=[
                (
                    0.5,
                    0.01,
                    "Scores are not shared out in proportion, 1001 of 2001. The softmax raises e to each first.",
                ),
                (1.0, 0.01, "e¹⁰⁰¹ is immense, but so is e¹⁰⁰⁰. Their *ratio* decides."),
                (0.27, 0.006, "That is the weight of the first key."),
                (2.72, 0.01, "e is the ratio of the two weights. Together they make 1."),
            ],
            explanation="Scores of 0 and 1 give the same 0.27 and 0.73: only differences count.",
            provenance="hand-made",
        ),
    ),
    Exercise(
        id="exact-zero",
        title="Exactly zero",
        difficulty="medium",
        minutes=3,
        misconception="A score of 0, or a negative one, gives the weight 0.",
        hints=(
            "What is e to the power of 0? And to the power of −5?",
            "The curve of e to the s comes as near to 0 as you like. Where does it arrive?",
        ),
        question=ChoiceQuestion(
            prompt="Without rounding: for which score does the softmax give a weight of *exactly* 0?",
            options=[
                ("For the score 0", "e⁰ is 1. A score of 0 has no special place: only differences count."),
                ("For every negative score", "e to a negative power is below 1, and still above 0."),
                ("For −∞ alone", "Every finite score has a power above 0, however small."),
                (
                    "For any score that lies far enough below the best",
                    "A computer *rounds* such a weight to 0. Without rounding it is tiny, and above 0.",
                ),
            ],
            right=2,
            reveal="So the softmax never leaves a word out by itself. To hide one, its score is set to −∞.",
        ),
    ),
    Exercise(
        id="needed-lead",
        title="How far ahead?",
        difficulty="medium",
        minutes=5,
        misconception="The lead that a weight needs does not depend on how many others there are.",
        hints=(
            "Let the 9 others have the score 0. What do their powers sum to?",
            "For a weight of 0.9 the leader's power is 9 times the sum of all others.",
        ),
        question=NumberQuestion(
            prompt="Nine of ten words have the score 0. Which score must the tenth word have to get a weight of 0.9? "
            "Give two decimals.",
            right=float(np.log(81)),
            tolerance=0.01,
            wrong=[
                (float(np.log(9)), 0.01, "That is enough against *one* other word. Here the powers of nine sum to 9."),
                (81.0, 0.5, "That is e to the score. Take its logarithm."),
                (6.34, 0.02, "That is the lead among 64, where 63 others have to be outweighed."),
                (float(np.log(90)), 0.01, "There are nine others, not ten: 9 times 9."),
                (float(np.log10(81)), 0.01, "That is the logarithm to base 10. Take ln."),
            ],
            explanation="ln 81 ≈ 4.39. Among 64 words it is ln(9 · 63) ≈ 6.34: the lead grows with the logarithm of "
            "the number of others.",
            provenance="exact",
        ),
    ),
    Exercise(
        id="softmax-axis",
        title="Softmax along an axis",
        difficulty="medium",
        minutes=10,
        misconception="The axis does not matter as long as the shape is right; the largest score of all may be subtracted.",
        hints=(
            "Three steps: subtract the largest, raise, divide by the sum. Two of them need the axis.",
            "`keepdims=True` keeps the axis that is reduced, with length 1, so that the result still fits the scores.",
        ),
        properties=SOFTMAX_AXIS,
    ),
    Exercise(
        id="cross-entropy",
        title="Cross-entropy from scores",
        difficulty="medium",
        minutes=12,
        misconception="The logarithm of a finished softmax is safe.",
        hints=(
            "For one row: minus the logarithm of a fraction is the logarithm of its lower part minus that of its upper part.",
            "The logarithm of the upper part is the score itself, once the row's largest is subtracted from all.",
            "`scores[np.arange(n), right]` takes one entry from each row.",
        ),
        properties=CROSS_ENTROPY,
    ),
    Exercise(
        id="softmax-jacobian",
        title="The slopes of the softmax",
        difficulty="hard",
        minutes=15,
        misconception="A score moves only its own weight.",
        hints=(
            "The slope of u / v is (slope of u · v − u · slope of v) / v². The sum below the line moves with every score.",
            "Treat j = k and j ≠ k apart. The result holds only weights.",
            "`np.outer` gives the product of each entry with each.",
            "Without calculus: `np.log(weights)` are scores with these weights. Nudge each, and measure how far the weights move.",
        ),
        properties=SOFTMAX_JACOBIAN,
        calculus=True,
    ),
)
