"""Right and wrong answers to the exercises of chapter 0."""

import numpy as np

RIGHT = {}
WRONG = {}


def _softmax(scores, axis=-1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def _loops(scores, axis=-1):
    def one(slice_):
        largest = max(slice_)
        raised = [np.exp(s - largest) for s in slice_]
        return [r / sum(raised) for r in raised]

    return np.apply_along_axis(one, axis, scores)


def _einsum(scores, axis=-1):
    rows = np.moveaxis(scores, axis, -1)
    raised = np.exp(rows - rows.max(axis=-1)[..., None])
    return np.moveaxis(np.einsum("...k,...->...k", raised, 1 / np.einsum("...k->...", raised)), -1, axis)


def _naive(scores, axis=-1):
    return np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True)


def _largest_of_all(scores, axis=-1):
    raised = np.exp(scores - scores.max())
    return raised / raised.sum(axis=axis, keepdims=True)


def _smallest(scores, axis=-1):
    raised = np.exp(scores - np.minimum(scores.min(axis=axis, keepdims=True), 0))
    return raised / raised.sum(axis=axis, keepdims=True)


def _in_place(scores, axis=-1):
    scores -= scores.max(axis=axis, keepdims=True)
    return _softmax(scores, axis)


def _no_keepdims(scores, axis=-1):
    raised = np.exp(scores)
    return raised / raised.sum(axis=axis)


def _times_a_base(scores, axis=-1):
    return _softmax(scores * np.log(2), axis)


RIGHT["softmax-axis"] = [_softmax, _loops, _einsum]
WRONG["softmax-axis"] = [
    ("e¹⁰⁰⁰ is too large", _naive),
    ("The largest score of each slice, not of the whole array", _largest_of_all),
    ("Beside −∞ your result is not finite", _smallest),
    ("changed its argument 1 in place", _in_place),
    ("Your function stopped with ValueError", _no_keepdims),
    ("over the first axis", lambda scores, axis=0: _softmax(scores, 0)),
    ("whatever `axis` says", lambda scores, axis=-1: _softmax(scores)),
    ("the total of the whole array", lambda scores, axis=-1: np.exp(scores) / np.exp(scores).sum()),
    ("is not divided by its total", lambda scores, axis=-1: np.exp(scores - scores.max(axis=axis, keepdims=True))),
    ("is not divided by its total", lambda scores, axis=-1: np.exp(scores)),
    ("divided by their sum, without `exp`", lambda scores, axis=-1: scores / scores.sum(axis=axis, keepdims=True)),
    ("You raise 2 to the scores", _times_a_base),
    ("is None", lambda scores, axis=-1: None),
]


def _entropies(scores, right):
    lower = scores - scores.max(axis=1, keepdims=True)
    return np.log(np.exp(lower).sum(axis=1)) - lower[np.arange(len(right)), right]


def _cross_entropy(scores, right):
    return _entropies(scores, right).mean()


def _entropy_loops(scores, right):
    costs = []
    for row, word in zip(scores, right, strict=True):
        costs.append(np.log(sum(np.exp(s - max(row)) for s in row)) - (row[word] - max(row)))
    return sum(costs) / len(costs)


def _entropy_einsum(scores, right):
    one_hot = np.eye(scores.shape[1])[right]
    total = np.logaddexp.reduce(scores, axis=1)
    return np.einsum("i->", total - np.einsum("iv,iv->i", scores, one_hot)) / len(right)


def _log_of_softmax(scores, right):
    return -np.log(_softmax(scores)[np.arange(len(right)), right]).mean()


def _unstable(scores, right):
    return -np.log(_naive(scores)[np.arange(len(right)), right]).mean()


RIGHT["cross-entropy"] = [_cross_entropy, _entropy_loops, _entropy_einsum]
WRONG["cross-entropy"] = [
    ("ln 0 is −∞", _log_of_softmax),
    ("your result is not finite", _unstable),
    ("the sum over the places", lambda s, r: _entropies(s, r).sum()),
    ("one number for each place", _entropies),
    ("The sign", lambda s, r: -_cross_entropy(s, r)),
    ("base 2", lambda s, r: _cross_entropy(s, r) / np.log(2)),
    ("base 10", lambda s, r: _cross_entropy(s, r) / np.log(10)),
    ("over the places, axis 0", lambda s, r: -np.log(_softmax(s, 0)[np.arange(len(r)), r]).mean()),
    ("of the mean share", lambda s, r: -np.log(_softmax(s)[np.arange(len(r)), r].mean())),
    ("takes every right word in every row", lambda s, r: -np.log(_softmax(s)[:, r]).mean()),
    ("average over all words", lambda s, r: -np.log(_softmax(s)).mean()),
    ("through the softmax first", lambda s, r: -s[np.arange(len(r)), r].mean()),
    ("the first place's cost", lambda s, r: _entropies(s, r)[0]),  # right for one place only
]


def _jacobian(a):
    return np.diag(a) - np.outer(a, a)


def _jacobian_loops(a):
    return np.array([[a[j] * ((j == k) - a[k]) for k in range(len(a))] for j in range(len(a))])


def _jacobian_einsum(a):
    return np.einsum("j,jk->jk", a, np.eye(len(a))) - np.einsum("j,k->jk", a, a)


def _jacobian_by_nudges(a):
    nudges = 1e-5 * np.eye(len(a))
    return np.transpose([(_softmax(np.log(a) + step) - _softmax(np.log(a) - step)) / 2e-5 for step in nudges])


def _jacobian_by_one_sided_nudges(weights):
    steps = 1e-4 * np.eye(len(weights))
    raised = [np.exp(np.log(weights) + step) for step in steps]
    return np.transpose([(one / one.sum() - weights) / 1e-4 for one in raised])


RIGHT["softmax-jacobian"] = [
    _jacobian, _jacobian_loops, _jacobian_einsum, _jacobian_by_nudges, _jacobian_by_one_sided_nudges
]  # fmt: skip
WRONG["softmax-jacobian"] = [
    ("the diagonal alone", lambda a: np.diag(a * (1 - a))),
    ("negative: got 0.", lambda a: np.diag(a)),
    ("The sign is turned round", lambda a: np.outer(a, a) - np.diag(a)),
    ("the *logarithm* of a weight", lambda a: np.eye(len(a)) - a),
    ("sums to 0", lambda a: -np.outer(a, a)),
    ("lowers every other weight", lambda a: np.diag(a) + np.outer(a, a)),
    ("a slope for each weight and score", lambda a: a * (1 - a)),
    ("should be", lambda a: (np.diag(a) - np.outer(a, a)) / 2),
    ("All slopes are 0", lambda a: np.zeros((len(a), len(a)))),
]


def _by_logaddexp(scores, axis=-1):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


def _of_a_copy(scores, axis=-1):
    out = np.array(scores, dtype=float)
    out -= np.max(out, axis, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis, keepdims=True)
    return out


def _slice_by_slice(scores, axis=-1):
    rows = np.swapaxes(scores, axis, -1)
    out = np.empty(rows.shape)
    for place in np.ndindex(rows.shape[:-1]):
        raised = np.exp(rows[place] - rows[place].max())
        out[place] = raised / raised.sum()
    return np.swapaxes(out, axis, -1).tolist()


def _in_float32(scores, axis=-1):
    return _softmax(np.asarray(scores, dtype=np.float32), axis)


def _shifted_beyond_the_largest(scores, axis=-1):
    return _softmax(scores - np.max(scores, axis=axis, keepdims=True) - 3, axis)


RIGHT["softmax-axis"] += [_by_logaddexp, _of_a_copy, _slice_by_slice, _in_float32, _shifted_beyond_the_largest]
RIGHT["cross-entropy"] += [
    lambda s, r: float(np.mean(np.logaddexp.reduce(s, axis=1) - np.take_along_axis(s, r[:, None], axis=1)[:, 0])),
    lambda s, r: -sum(row[word] - np.logaddexp.reduce(row) for row, word in zip(s, r, strict=True)) / len(s),
    lambda s, r: _cross_entropy(s.astype(np.float32), r),
    lambda s, r: -np.mean(np.diag((s - np.logaddexp.reduce(s, axis=1)[:, None])[:, r])),
]  # fmt: skip
RIGHT["softmax-jacobian"] += [
    lambda a: a[:, None] * (np.eye(len(a)) - a),
    lambda a: (np.diag(a) - np.outer(a, a)).tolist(),
    lambda a: (np.diag(a) - a[:, None] @ a[None]).astype(np.float32),
    lambda a: np.where(np.eye(len(a)) > 0, a * (1 - a), -np.multiply.outer(a, a)),
]


# What no case showed before


def _shifted_by(shift):
    def softmax(scores, axis=-1):
        raised = np.exp(scores - shift(scores, axis))
        return raised / raised.sum(axis=axis, keepdims=True)

    return softmax


def _like_the_scores(scores, axis=-1):
    out = np.zeros_like(scores)
    out[...] = _softmax(scores, axis)
    return out


WRONG["softmax-axis"] += [
    ("only where it is above 0", _shifted_by(lambda s, axis: np.maximum(0, s.max(axis=axis, keepdims=True)))),
    ("the largest *size* of a score", _shifted_by(lambda s, axis: np.abs(s).max(axis=axis, keepdims=True))),
    ("You subtract the mean score", _shifted_by(lambda s, axis: s.mean(axis=axis, keepdims=True))),
    ("the largest score of the *last* axis", _shifted_by(lambda s, axis: s.max(axis=-1, keepdims=True))),
    ("Large scores are cut off", lambda s, axis=-1: _softmax(np.clip(s, -700, 700), axis)),
    ("A score of exactly 0 gets no weight", lambda s, axis=-1: _softmax(np.where(s == 0, -np.inf, s), axis)),
    ("`squeeze` drops all of them", lambda s, axis=-1: np.squeeze(_softmax(s, axis))),
    ("The sign of `axis` is lost", lambda s, axis=-1: _softmax(s, abs(axis)) if axis != -1 else _softmax(s)),
    ("The axis was moved to the end, and not back", lambda s, axis=-1: _softmax(np.moveaxis(s, axis, -1))),
    ("made like integer scores", _like_the_scores),
    ("You take −∞ for a score of 0", lambda s, axis=-1: _softmax(np.where(np.isinf(s), 0, s), axis)),
    ("Your totals are those of the last axis", lambda s, axis=-1: np.exp(s - s.max(axis, keepdims=True)) / np.exp(s - s.max(axis, keepdims=True)).sum(-1, keepdims=True)),
    ("Your result is rounded", lambda s, axis=-1: _softmax(s, axis).round(3)),
]  # fmt: skip
WRONG["cross-entropy"] += [
    ("A small number keeps the share from 0", lambda s, r: -np.log(_softmax(s)[np.arange(len(r)), r] + 1e-12).mean()),
    ("A small number keeps the share from 0", lambda s, r: -np.log(_softmax(s)[np.arange(len(r)), r].clip(1e-15)).mean()),
    ("The logarithm of the sum is to base 2", lambda s, r: (_entropies(s, r) + (np.log2(np.e) - 1) * np.log(np.exp(s - s.max(1, keepdims=True)).sum(1))).mean()),
    ("You count words from 1", lambda s, r: _cross_entropy(s, r - 1)),
    ("whatever `right` says", lambda s, r: _cross_entropy(s, s.argmax(axis=1))),
    ("You leave the last place out", lambda s, r: _entropies(s, r)[:-1].sum() / (len(r) - 1)),
    ("The largest score of *all* is subtracted", lambda s, r: (np.log(np.exp(s - s.max()).sum(1)) + s.max() - s[np.arange(len(r)), r]).mean()),
    ("twice as large", lambda s, r: 2 * _cross_entropy(s, r)),
    ("the entropy of the shares", lambda s, r: -(_softmax(s) * np.log(_softmax(s))).sum(1).mean()),
]  # fmt: skip
WRONG["softmax-jacobian"] += [
    ("for a row of numbers `a @ a.T` is a @ a", lambda a: np.diag(a) - a @ a.T),
    ("you take a_k² where a_j a_k belongs", lambda a: np.diag(a) - a * a),
    ("their softmax for the weights", lambda a: _jacobian(_softmax(a))),
    ("the sign is lost", lambda a: np.abs(_jacobian(a))),
    ("is missing a_j", lambda a: np.diag(a * (1 - a)) - np.outer(a, a)),
    ("`squeeze` drops all of them", lambda a: np.squeeze(_jacobian(a))),
    ("Parts of your result after the first 128 stay 0", lambda a: _jacobian(a) * (np.arange(len(a)) < 128)[:, None]),
]
