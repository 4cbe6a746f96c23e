"""Exercises and predictions of chapter 4: scaling."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.attention import attention_weights, softmax, softmax_jacobian
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare

Map = Callable[..., Any]

# Scaled weights --------------------------------------------------------------------------------


def _weights(x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray) -> np.ndarray:
    return np.asarray(attention_weights(x @ w_q, x @ w_k))


def _scaled_by(root: Callable[[np.ndarray, np.ndarray], float], axis: int = -1) -> Map:
    return lambda x, q, k: softmax((x @ q) @ (x @ k).T / root(x, q), axis=axis)


SCALE_MISTAKES: list[tuple[str, Map]] = [
    ("Nothing is divided: these are the weights of plain dot products.", _scaled_by(lambda x, q: 1.0)),
    ("You divide by d_k, or Q and K by √d_k each. Divide by the root, once: the spread of a score, not its variance.", _scaled_by(lambda x, q: q.shape[1])),
    ("You multiply by √d_k. That makes wide scores wider still.", _scaled_by(lambda x, q: q.shape[1] ** -0.5)),
    ("You divide by √d, the width of a token. The products run over the d_k components of a query.", _scaled_by(lambda x, q: len(q) ** 0.5)),
    ("You divide by √n. The number of tokens has no part in a score.", _scaled_by(lambda x, q: len(x) ** 0.5)),
    ("You divide the weights. Then rows no longer sum to 1: divide the scores, before the softmax.", lambda x, q, k: softmax((x @ q) @ (x @ k).T) / q.shape[1] ** 0.5),
    ("The columns of your weights sum to 1: the softmax runs over the queries. It must run over the keys, axis=1.", _scaled_by(lambda x, q: q.shape[1] ** 0.5, axis=0)),
    ("The roles are swapped: the token that reads is multiplied by w_q, the tokens that are read by w_k.", lambda x, q, k: attention_weights(x @ k, x @ q)),
    ("These are the scaled scores. The softmax of each row is missing.", lambda x, q, k: (x @ q) @ (x @ k).T / q.shape[1] ** 0.5),
]  # fmt: skip


def _tokens(seed: int, n: int, d: int, d_k: int, size: float = 1.0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return size * rng.normal(size=(n, d)), rng.normal(size=(d, d_k)), rng.normal(size=(d, d_k))


# Predict the variance --------------------------------------------------------------------------


def _trace(sigma_q: np.ndarray, sigma_k: np.ndarray) -> float:
    return float(np.trace(sigma_q @ sigma_k))


def _covariances(seed: int, d_k: int, *, of_q: str = "any", of_k: str = "any") -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    made = []
    for kind in (of_q, of_k):
        mix = rng.normal(size=(d_k, d_k + 2))
        any_ = mix @ mix.T / d_k
        share = rng.uniform(0.5, 2, d_k)  # each component is this share of one and the same number
        made.append({"any": any_, "identity": np.eye(d_k), "together": np.outer(share, share)}[kind])
    return made[0], made[1]


VARIANCE_MISTAKES: list[tuple[str, Map]] = [
    ("You squared the covariances. Those you are given are Σ_q and Σ_k already: multiply them as they are.", lambda q, k: np.trace(q.T @ q @ k.T @ k)),
    ("You multiply the two traces. That counts each component of q with every component of k; a dot product pairs equal places.", lambda q, k: np.trace(q) * np.trace(k)),
    ("You use the diagonals alone. Where components of q move together *and* those of k do, the other entries count too.", lambda q, k: np.diag(q) @ np.diag(k)),
    ("This is d_k, which holds only when one of the two is the identity and the other has 1 on its diagonal.", lambda q, k: float(len(q))),
    ("This is the standard deviation. The variance is its square.", lambda q, k: _trace(q, k) ** 0.5),
    ("You added up all entries of the product. Only its diagonal counts.", lambda q, k: (q @ k).sum()),
    ("You have the matrix Σ_q Σ_k. The variance is one number: the sum of its diagonal.", lambda q, k: q @ k),
    ("You divided by d_k: the variance of the score is the whole sum.", lambda q, k: _trace(q, k) / len(q)),
]  # fmt: skip


def _measured(answer: Any) -> None:
    """The formula must say what a measurement says: draws of both vectors with these covariances."""
    rng = np.random.default_rng(5)
    sigma_q, sigma_k = _covariances(4, 6)
    q, k = (rng.multivariate_normal(np.zeros(6), sigma, size=20_000) for sigma in (sigma_q, sigma_k))
    got = call(answer, (sigma_q, sigma_k))
    try:
        compare(got, float((q * k).sum(axis=1).var()), tolerance=0.05)
    except Mistake:  # which one, only exact numbers tell: within 5 % two may lie
        compare(got, _trace(sigma_q, sigma_k), [(says, wrong(sigma_q, sigma_k)) for says, wrong in VARIANCE_MISTAKES])


# How saturated is each row? --------------------------------------------------------------------


def _norms(weights: np.ndarray) -> np.ndarray:
    """For each row a the norm of diag(a) − a aᵀ, whether or not a sums to 1."""
    outer = weights[:, :, None] * weights[:, None, :]
    return np.asarray(np.linalg.norm(weights[:, :, None] * np.eye(weights.shape[1]) - outer, axis=(-2, -1)))


def _slopes(scores: np.ndarray) -> np.ndarray:
    return _norms(softmax(scores))


def _less_one_number(scores: np.ndarray) -> np.ndarray:
    a = softmax(scores)
    less = a[:, :, None] * np.eye(a.shape[1]) - (a**2).sum(axis=1)[:, None, None]
    return np.asarray(np.linalg.norm(less, axis=(-2, -1)))


OVER_QUERIES = "The softmax runs over the queries. Each row of scores has a softmax of its own."
SLOPE_MISTAKES: list[tuple[str, Map]] = [
    (OVER_QUERIES, lambda s: _norms(softmax(s, axis=0))),
    (OVER_QUERIES, lambda s: _slopes(s.T)),
    ("You took the scores for weights: the softmax is missing.", _norms),
    ("Only the diagonal, a(1 − a), is in your norm. Raising one score lowers all other weights: −a_j a_m belongs to it.", lambda s: np.linalg.norm(softmax(s) * (1 - softmax(s)), axis=-1)),
    ("This is the sum of squares. The norm is its root.", lambda s: _slopes(s) ** 2),
    ("You subtract one number, the sum of the squared weights, everywhere: for a row of numbers `a @ a.T` is a @ a. Take np.outer(a, a).", _less_one_number),
    ("This is the norm of the weights, or of diag(a) alone. The slopes are diag(a) − a aᵀ.", lambda s: np.linalg.norm(softmax(s), axis=-1)),
    ("This is the longest stretch of the Jacobian (its largest singular value). Take the root of the sum of all squares.", lambda s: np.linalg.norm(softmax_jacobian(softmax(s)), ord=2, axis=(-2, -1))),
    ("This is the mean over the rows. Give one number for each row: saturation is a matter of each row.", lambda s: _slopes(s).mean()),
    ("This is one norm of everything. Give one number for each row: saturation is a matter of each row.", lambda s: np.linalg.norm(_slopes(s))),
    ("You divided the scores by √n_k first: take them as they come.", lambda s: _slopes(s / s.shape[1] ** 0.5)),
]  # fmt: skip


def _grid(seed: int, n_q: int, n_k: int, size: float) -> tuple[np.ndarray]:
    return (size * np.random.default_rng(seed).normal(size=(n_q, n_k)),)


def _large(answer: Any) -> None:
    """Scores in the thousands, and a tie of two among them."""
    scores = np.array([[5000.0, 5000.0, -3000.0], [0.0, 4000.0, 1.0]])
    got = call(answer, (scores,))
    found = np.asarray(got, dtype=float)
    if found.shape == (2,) and not np.isfinite(found).all():
        raise Mistake("Scores of 5000 give nan: subtract each row's largest score before np.exp.")
    compare(got, _slopes(scores), [(says, wrong(scores)) for says, wrong in SLOPE_MISTAKES])


EXERCISES = (
    Exercise(
        id="which-root",
        title="Which width?",
        kind="concept",
        difficulty="easy",
        minutes=2,
        misconception="The root is taken of the width of a token.",
        hints=(
            "The root makes up for a sum. How many products does one score add up?",
            "Write down the shape of one query.",
        ),
        question={
            "prompt": "A model has tokens of width 768. `W_Q` and `W_K` are 768 × 64, `W_V` is 768 × 48, and a sentence has "
            "100 tokens. By what are the scores divided?",
            "options": [
                ("√768", "That is the width of a *token*. After `W_Q` only 64 components are left to multiply."),
                ("√64 = 8", "A score adds up 64 products, one for each component of query and key."),
                ("64", "64 is the *variance*. The spread is its root."),
                ("√48", "That is the width of a value. Values take no part in a score."),
                ("√100 = 10", "The softmax runs over 100 scores, but each of them is a sum of 64 products."),
            ],
            "right": 1,
        },
    ),
    Exercise(
        id="uniform-spread",
        title="Other random numbers",
        kind="derive",
        difficulty="medium",
        minutes=6,
        misconception="Dividing by √d_k gives variance 1, whatever the components are.",
        hints=(
            "A number that is uniform between −a and a has the variance a²/3.",
            "The variance of a product of two independent numbers with mean 0 is the product of their variances.",
            "Add up 25 products, then divide by √25: what does that do to a variance?",
        ),
        question={
            "prompt": "All components of q and k are independent and uniform between −3 and 3, and d_k = 25. What is the variance of "
            "q·k / √25?",
            "right": 9.0,
            "tolerance": 0.01,
            "wrong": [
                (1.0, 0.01, "It would be 1 if each component had the variance 1. Here it is a²/3 with a = 3."),
                (3.0, 0.01, "That is the variance of one component. A score multiplies two of them."),
                (81.0, 0.01, "a⁴, but the variance of one component is a²/3, not a²."),
                (225.0, 0.5, "That is the variance before the division."),
                (0.36, 0.005, "You divided by d_k once more. Dividing by √25 divides the variance by 25, once."),
                (45.0, 0.05, "Dividing by √25 divides the *variance* by 25."),
            ],
            "explanation": "Each component has the variance 3, each product 9, the sum 25 · 9. Dividing by √25 leaves 9.",
        },
    ),
    Exercise(
        id="scaled-weights",
        title="Scaled weights",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="The root may be taken of any width at hand, and applied at any place.",
        hints=(
            "Queries, keys, scores, softmax: one of these lines gains a division.",
            "d_k is the number of columns of w_q.",
            "Divide the scores once. If you divide the weights, their rows no longer sum to 1.",
        ),
        properties=(
            agrees("the weights", _weights, [_tokens(1, 7, 5, 3), _tokens(2, 4, 6, 9)], SCALE_MISTAKES),
            agrees("one token, one component", _weights, [_tokens(3, 1, 2, 5), _tokens(4, 6, 3, 1)], SCALE_MISTAKES),
            agrees("scores in the thousands", _weights, [_tokens(5, 5, 4, 8, 40.0)], SCALE_MISTAKES),
        ),
    ),
    Exercise(
        id="predict-variance",
        title="Predict the variance",
        kind="program",
        difficulty="medium",
        minutes=8,
        misconception="Only the variances of the single components matter, or only their totals.",
        hints=(
            "The mean of (q·k)² is a double sum over b and c. Which entry of each covariance belongs to the pair (b, c)?",
            "The entry (b, c) of Σ_q times the entry (b, c) of Σ_k, for all b and c: multiply the two matrices entry by entry, and add everything up.",
            "For symmetric matrices that sum has a shorter name: the trace of their product.",
        ),
        properties=(
            agrees("any covariances", _trace, [_covariances(1, 5), _covariances(2, 3)], VARIANCE_MISTAKES),
            agrees("one is the identity", _trace, [_covariances(3, 7, of_q="identity")], VARIANCE_MISTAKES),
            agrees(
                "all components move together",
                _trace,
                [_covariances(4, 8, of_q="together", of_k="together")],
                VARIANCE_MISTAKES,
            ),
            Property("what 20,000 draws say", _measured),
        ),
    ),
    Exercise(
        id="row-slopes",
        title="How saturated is each row?",
        kind="program",
        difficulty="medium",
        minutes=12,
        misconception="Saturation is a property of the whole grid.",
        hints=(
            "First the weights of each row, with a softmax that survives large scores.",
            "For one row a: np.diag(a) − np.outer(a, a). Its norm is the root of the sum of the squares of all entries.",
            "A loop over the rows is fine.",
        ),
        properties=(
            agrees("one norm for each row", _slopes, [_grid(1, 6, 4, 1.0), _grid(2, 3, 9, 3.0)], SLOPE_MISTAKES),
            agrees("as many queries as keys", _slopes, [_grid(3, 5, 5, 2.0)], SLOPE_MISTAKES),
            Property("scores in the thousands", _large),
        ),
    ),
    Exercise(
        id="still-d-k",
        title="What may you break?",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="All components of both vectors must be independent of each other.",
        hints=(
            "The derivation needs the components of *one* of the two vectors to be uncorrelated.",
            "It needs q and k to be independent of each other. Which options break that?",
        ),
        question={
            "prompt": "In all four cases every component has mean 0 and variance 1. In which is the variance of q·k still d_k?",
            "options": [
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
            "right": 2,
        },
    ),
    Exercise(
        id="same-training",
        title="The same training without the root",
        kind="derive",
        difficulty="hard",
        minutes=10,
        misconception="Dividing the scores is the same as starting with smaller matrices.",
        calculus=True,
        hints=(
            "Write the smaller matrix as W′ = W / c with c = d_k^(1/4). If W moves by Δ, by how much must W′ move?",
            "The loss as a function of W′ is that of W with W = c W′. What does the chain rule say about its slope?",
            "W′ must move by rate · g / c, and its own gradient is c · g.",
        ),
        question={
            "prompt": "Take d_k = 256. In place of dividing the scores by √256 you start with `W_Q` and `W_K` divided by 4 each, which gives the "
            "same scores. By which factor must you multiply SGD's learning rate for these two, so that the training is the same, step by step? You need one case of the chain rule: where y = c·x, a slope for x is c times the slope for y.",
            "right": 1 / 16,
            "tolerance": 0.002,
            "wrong": [
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
            "explanation": "With c = 4: the step of W′ = W / c must be rate · g / c, while its gradient is c · g. So the rate is divided by c² = 16 = √256.",
        },
    ),
    Exercise(
        id="cosine-scale",
        title="Cosines need the opposite",
        kind="derive",
        difficulty="medium",
        minutes=6,
        misconception="A division by √d_k is always safe.",
        hints=(
            "With the factor t the matching key has the score t, each of the 15 others has 0.",
            "The weight is eᵗ / (eᵗ + 15). Set it to 0.9 and solve for eᵗ.",
        ),
        question={
            "prompt": "Queries and keys have length 1. One of 16 keys equals the query, and the 15 others are at right angles to it. "
            "By what factor must you multiply the scores so that the matching key gets a weight of 0.9? One decimal is enough.",
            "right": float(np.log(135)),
            "tolerance": 0.06,
            "wrong": [
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
            "explanation": "eᵗ / (eᵗ + 15) = 0.9 gives eᵗ = 135, t = 4.9.",
        },
    ),
)
