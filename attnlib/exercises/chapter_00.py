"""Exercises of chapter 0, orientation and softmax."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attnlib.attention import softmax, softmax_jacobian
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare, minus

SCORES = np.random.default_rng(1).normal(scale=2, size=(4, 6))
STACK = np.random.default_rng(2).normal(scale=2, size=(2, 3, 5))
PLACES = np.random.default_rng(3).normal(scale=2, size=(5, 7))
RIGHT = np.array([6, 0, 2, 2, 5])


def _quiet(name: str, test: Callable[[Any], None]) -> Property:
    """A property whose overflows are judged by their results: NumPy's warnings would come first."""

    def tested(answer: Any) -> None:
        with np.errstate(all="ignore"):
            test(answer)

    return Property(name, tested)


def _raised(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.asarray(np.exp(scores - scores.max(axis=axis, keepdims=True)))


def _over_all(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.asarray(np.exp(scores) / np.exp(scores).sum())


OVER_ALL = ("You divide by the total of the whole array. Each slice along the axis has a total of its own.", _over_all)


def _huge_scores(answer: Any) -> None:
    scores = np.array([[1000.0, 1001.0, 0.0], [-2000.0, -2001.0, -2003.0]])
    expected = softmax(scores)
    got = np.asarray(call(answer, (scores,)), dtype=float)
    if got.shape == scores.shape and not np.isfinite(got[0]).all():
        raise Mistake(
            "For scores of 1000 your result is not finite: e¹⁰⁰⁰ is too large. Subtract the largest score first."
        )
    if got.shape == scores.shape and not np.isfinite(got[1]).all():
        raise Mistake(
            "For a row of scores near −2000 your result is not finite: all its powers are rounded to 0. "
            "Subtract the largest score of each slice, not of the whole array."
        )
    compare(got, expected)


def _minus_infinity(answer: Any) -> None:
    scores = np.array([[2.0, -np.inf, 1.0, 0.0], [-np.inf, -np.inf, 5.0, -1.0]])
    got = np.asarray(call(answer, (scores,)), dtype=float)
    if got.shape == scores.shape and not np.isfinite(got).all():
        raise Mistake("Beside −∞ your result is not finite. Subtract the largest score: −∞ stays −∞, and e to it is 0.")
    compare(got, softmax(scores))


def _entropies(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    lower = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(lower).sum(axis=1)) - lower[np.arange(len(right)), right])


def _mean_entropy(scores: np.ndarray, right: np.ndarray) -> float:
    return float(_entropies(scores, right).mean())


def _share(scores: np.ndarray, right: np.ndarray, axis: int = 1) -> np.ndarray:
    return np.asarray(softmax(scores, axis=axis)[np.arange(len(right)), right])


ENTROPY_MISTAKES: Sequence[tuple[str, Callable[..., Any]]] = (
    ("You give the sum over the places; the mean is asked for.", lambda s, r: _entropies(s, r).sum()),
    ("You give one number for each place; their mean is asked for.", _entropies),
    ("The sign: a share is below 1, its logarithm negative, and −ln positive.", lambda s, r: -_mean_entropy(s, r)),
    ("That is the logarithm to base 2. The book uses ln, to base e.", lambda s, r: _mean_entropy(s, r) / np.log(2)),
    ("That is the logarithm to base 10. The book uses ln, to base e.", lambda s, r: _mean_entropy(s, r) / np.log(10)),
    (
        "Your softmax runs over the places, axis 0. Each place shares 1 among its words: axis 1.",
        lambda s, r: -np.log(_share(s, r, axis=0)).mean(),
    ),
    (
        "You take −ln of the mean share. Take the logarithm of each place's share first, then the mean.",
        lambda s, r: -np.log(_share(s, r).mean()),
    ),
    (
        "`scores[:, right]` takes every right word in every row, n × n of them. Pair rows with words: `scores[np.arange(n), right]`.",
        lambda s, r: -np.log(softmax(s, axis=1)[:, r]).mean(),
    ),
    (
        "You average over all words. Only the share of the right word counts.",
        lambda s, r: -np.log(softmax(s, axis=1)).mean(),
    ),
    (
        "That is minus the mean score of the right words. Scores must go through the softmax first.",
        lambda s, r: -s[np.arange(len(r)), r].mean(),
    ),
)


def _huge_entropy(answer: Any) -> None:
    scores, right = np.array([[1000.0, 1002.0, 0.0, 998.0], [5.0, -900.0, 5.0, 6.0]]), np.array([0, 1])
    got = np.asarray(call(answer, (scores, right)), dtype=float)
    if np.isnan(got).any():
        raise Mistake(
            "For scores of 1000 your result is nan: e¹⁰⁰⁰ is too large. Subtract the row's largest score first."
        )
    if np.isinf(got).any():
        raise Mistake(
            "Your result is infinite: the right word's share was rounded to 0, and ln 0 is −∞. "
            "Write −ln of the fraction as ln of the sum, minus the score."
        )
    compare(got, _mean_entropy(scores, right))


WEIGHTS = [(np.array([0.5, 0.3, 0.2]),), (np.array([0.1, 0.2, 0.3, 0.4]),)]


def _slopes(answer: Any, weights: np.ndarray) -> np.ndarray:
    got = np.asarray(call(answer, (weights,)), dtype=float)
    if got.shape != (len(weights), len(weights)):
        raise Mistake(
            f"The result should have shape {(len(weights), len(weights))}, got {got.shape}: a slope for each weight and score."
        )
    return got


def _others_fall(answer: Any) -> None:
    for (weights,) in WEIGHTS:
        slopes = _slopes(answer, weights)
        apart = slopes[~np.eye(len(weights), dtype=bool)]
        if not (apart < 0).all():
            raise Mistake(
                f"Raising one score lowers every other weight, so slopes off the diagonal are negative: got {minus(f'{apart.max():.3f}')}."
            )
        if not (slopes.diagonal() > 0).all():
            raise Mistake(
                f"Raising a score raises its own weight: on the diagonal got {minus(f'{slopes.diagonal().min():.3f}')}, not above 0."
            )


def _shift_moves_nothing(answer: Any) -> None:
    for (weights,) in WEIGHTS:
        slopes = _slopes(answer, weights)
        if not slopes.any():
            raise Mistake("All slopes are 0. Then no score would move any weight.")
        sums = slopes.sum(axis=1)
        if abs(sums).max() > 1e-9:
            raise Mistake(
                f"The same added to all scores changes no weight, so every row of slopes sums to 0: got {minus(f'{sums[abs(sums).argmax()]:.3f}')}."
            )


EXERCISES = (
    Exercise(
        id="parameter-or-activation",
        title="Parameter or activation?",
        kind="concept",
        difficulty="easy",
        minutes=2,
        misconception="Attention weights are learned numbers, stored in the model.",
        hints=(
            "Which of them would change if the sentence changed, and nothing else?",
            "A parameter has a size that does not depend on the number of words.",
        ),
        question={
            "prompt": "A trained model reads two sentences, one after the other. Which of these is an *activation*?",
            "options": [
                (
                    "The table of embeddings",
                    "The same table serves both sentences: training set it. It is a parameter.",
                ),
                ("The matrix `W`, 8 × 3", "It has 24 numbers whatever the sentence. It is a parameter."),
                (
                    "The grid of attention weights",
                    "It is computed from the sentence, and has a row for each of its words.",
                ),
                (
                    "None of them: a trained model is fixed",
                    "Its *parameters* are. What it computes from them and a sentence differs for each sentence.",
                ),
            ],
            "right": 2,
            "reveal": "Weights, in “attention weights”, does not mean parameters.",
        },
    ),
    Exercise(
        id="shift-scores",
        title="The same for all",
        kind="concept",
        difficulty="easy",
        minutes=3,
        misconception="Larger scores all round give sharper weights; or: scaling is a shift.",
        hints=(
            "Which of these leaves every *difference* of two scores as it is?",
            "Write e to the new score as a product that has e to the old score in it.",
        ),
        question={
            "prompt": "A query has the scores 1, 2 and 4. Which change leaves its weights exactly as they are?",
            "options": [
                ("Double every score", "Differences double, as with half the temperature: the weights get sharper."),
                (
                    "Add 3 to every score",
                    "Each power is multiplied by e³, and so is their sum: it cancels. Only differences count.",
                ),
                ("Add 3 to the largest score", "Its power becomes e³ times as large, the others' do not."),
                (
                    "Divide every score by their sum, so that they sum to 1",
                    "Differences shrink by the same factor, as at a higher temperature: the weights get flatter. "
                    "It is the *weights* that must sum to 1, and they did before.",
                ),
            ],
            "right": 1,
            "reveal": "That is why a softmax may subtract the largest score first.",
        },
    ),
    Exercise(
        id="large-scores",
        title="Large scores",
        kind="derive",
        difficulty="easy",
        minutes=3,
        misconception="Weights are proportional to scores, so 1000 and 1001 share about equally.",
        hints=(
            "Subtract the larger of the two scores from both.",
            "The two weights have the ratio e, and their sum is 1.",
        ),
        question={
            "prompt": "Two keys have the scores 1000 and 1001. What weight does the *second* get? Two decimals.",
            "right": float(softmax(np.array([1000.0, 1001.0]))[1]),
            "tolerance": 0.006,
            "wrong": [
                (
                    0.5,
                    0.01,
                    "Scores are not shared out in proportion, 1001 of 2001. The softmax raises e to each first.",
                ),
                (1.0, 0.01, "e¹⁰⁰¹ is immense, but so is e¹⁰⁰⁰. Their *ratio* decides."),
                (0.27, 0.006, "That is the weight of the first key."),
                (2.72, 0.01, "e is the ratio of the two weights. Together they make 1."),
            ],
            "explanation": "Scores of 0 and 1 give the same 0.27 and 0.73: only differences count.",
            "provenance": "hand-made",
        },
    ),
    Exercise(
        id="exact-zero",
        title="Exactly zero",
        kind="concept",
        difficulty="medium",
        minutes=3,
        misconception="A score of 0, or a negative one, gives the weight 0.",
        hints=(
            "What is e to the power of 0? And to the power of −5?",
            "The curve of e to the s comes as near to 0 as you like. Where does it arrive?",
        ),
        question={
            "prompt": "Without rounding: for which score does the softmax give a weight of *exactly* 0?",
            "options": [
                ("For the score 0", "e⁰ is 1. A score of 0 has no special place: only differences count."),
                ("For every negative score", "e to a negative power is below 1, and still above 0."),
                ("For −∞ alone", "Every finite score has a power above 0, however small."),
                (
                    "For any score that lies far enough below the best",
                    "A computer *rounds* such a weight to 0. Without rounding it is tiny, and above 0.",
                ),
            ],
            "right": 2,
            "reveal": "So attention never leaves a word out by itself. To hide one, its score is set to −∞.",
        },
    ),
    Exercise(
        id="needed-lead",
        title="How far ahead?",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="The lead that a weight needs does not depend on how many others there are.",
        hints=(
            "Let the 9 others have the score 0. What do their powers sum to?",
            "For a weight of 0.9 the leader's power is 9 times the sum of all others.",
        ),
        question={
            "prompt": "Ten words; nine of them have the score 0. Which score must the tenth have for a weight of 0.9? Two decimals.",
            "right": float(np.log(81)),
            "tolerance": 0.01,
            "wrong": [
                (float(np.log(9)), 0.01, "That is enough against *one* other word. Here the powers of nine sum to 9."),
                (81.0, 0.5, "That is e to the score. Take its logarithm."),
                (6.34, 0.02, "That is the lead among 64, where 63 others have to be outweighed."),
                (float(np.log(90)), 0.01, "There are nine others, not ten: 9 times 9."),
                (float(np.log10(81)), 0.01, "That is the logarithm to base 10. Take ln."),
            ],
            "explanation": "ln 81 ≈ 4.39. Among 64 words it was 6.34: the lead grows with the logarithm of their number.",
            "provenance": "exact",
        },
    ),
    Exercise(
        id="softmax-axis",
        title="Softmax along an axis",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="The axis does not matter as long as the shape is right; the largest score of all may be subtracted.",
        hints=(
            "Three steps: subtract the largest, raise, divide by the sum. Two of them need the axis.",
            "`keepdims=True` keeps the axis that is reduced, with length 1, so that the result still fits the scores.",
        ),
        properties=(
            agrees(
                "weights along the last axis",
                lambda scores: softmax(scores),
                [(SCORES,), (STACK,)],
                [
                    (
                        "The softmax runs over the first axis. By default it is the last one, axis=-1.",
                        lambda s: softmax(s, axis=0),
                    ),
                    OVER_ALL,
                    ("You did not divide: the weights do not sum to 1.", np.exp),
                    ("You did not divide: the weights do not sum to 1.", _raised),
                    (
                        "You share out the scores in proportion. Raise e to each score first.",
                        lambda s: s / s.sum(axis=-1, keepdims=True),
                    ),
                ],
            ),
            agrees(
                "weights along another axis",
                lambda scores, axis: softmax(scores, axis=axis),
                [(SCORES, 0), (STACK, 1), (STACK, 0), (STACK, -2)],
                [
                    ("Your function goes along the last axis, whatever `axis` says.", lambda s, axis: softmax(s)),
                    OVER_ALL,
                ],
            ),
            _quiet("scores of 1000, and rows far apart", _huge_scores),
            _quiet("a score of −∞ gets the weight 0", _minus_infinity),
        ),
    ),
    Exercise(
        id="cross-entropy",
        title="Cross-entropy from scores",
        kind="program",
        difficulty="medium",
        minutes=12,
        misconception="The logarithm of a finished softmax is safe.",
        hints=(
            "For one row: minus the logarithm of a fraction is the logarithm of its lower part minus that of its upper part.",
            "The logarithm of the upper part is the score itself, once the row's largest is subtracted from all.",
            "`scores[np.arange(n), right]` takes one entry from each row.",
        ),
        properties=(
            agrees(
                "the mean cross-entropy",
                _mean_entropy,
                [(PLACES, RIGHT), (PLACES[:3] - 4, RIGHT[2:])],
                ENTROPY_MISTAKES,
            ),
            _quiet("scores of 1000, and a share that is rounded to 0", _huge_entropy),
        ),
    ),
    Exercise(
        id="softmax-jacobian",
        title="The slopes of the softmax",
        kind="program",
        difficulty="hard",
        minutes=15,
        misconception="A score moves only its own weight.",
        hints=(
            "The slope of u / v is (slope of u · v − u · slope of v) / v². The sum below the line moves with every score.",
            "Treat j = k and j ≠ k apart. The result holds only weights.",
            "`np.outer` gives the product of each entry with each.",
            "Without calculus: `np.log(weights)` are scores with these weights. Nudge each, and measure, as `gradient` does.",
        ),
        properties=(
            Property("raising a score lifts its own weight and lowers the others", _others_fall),
            Property("the same added to all scores moves nothing", _shift_moves_nothing),
            agrees(
                "every slope",
                softmax_jacobian,
                WEIGHTS,
                [
                    (
                        "That is the diagonal alone. The sum below the line moves too, so each score moves every weight.",
                        lambda a: np.diag(a * (1 - a)),
                    ),
                    ("The sign is turned round.", lambda a: -softmax_jacobian(a)),
                    (
                        "That is how the *logarithm* of a weight moves. Multiply row j by the weight j.",
                        lambda a: np.eye(len(a)) - a,
                    ),
                ],
            ),
        ),
        calculus=True,
    ),
)
