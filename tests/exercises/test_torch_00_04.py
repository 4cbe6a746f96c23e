"""Right answers of chapters 0 to 4 that are written with torch pass too, in double and in single precision."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.nn import functional

from attnlib.exercises import check

pytestmark = pytest.mark.usefixtures("patient", "unchecked")  # as students run it


def attend(query, key, value, scale=1.0):
    return functional.scaled_dot_product_attention(query[None], key[None], value[None], scale=scale)[0]


def jacobian(scores):
    return torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0), scores)


def cycles(a, i, j, k):
    return a[i, j] * a[j, k] * a[k, i], a[i, k] * a[k, j] * a[j, i]


def diagnose(x, w_q, w_k, weights):
    scores = x @ w_q @ (x @ w_k).T
    grids = {"right": scores.softmax(1), "swapped": scores.T.softmax(1), "axis": scores.softmax(0)}
    return next(name for name, grid in grids.items() if torch.allclose(grid, weights, atol=1e-5))


ANSWERS = [
    ("softmax-axis", lambda s, axis=-1: torch.softmax(s, axis)),
    ("softmax-axis", lambda s, axis=-1: torch.softmax(s, axis).tolist()),
    ("cross-entropy", functional.cross_entropy),
    ("cross-entropy", lambda s, r: functional.cross_entropy(s, r).item()),
    ("cross-entropy", lambda s, r: -s.log_softmax(1)[range(len(r)), r].mean()),
    ("softmax-jacobian", lambda a: jacobian(a.log())),
    ("softmax-jacobian", lambda a: (torch.diag(a) - torch.outer(a, a)).numpy()),
    ("write-attention", lambda x: attend(x, x, x)),
    ("cosine-weights", lambda x: functional.cosine_similarity(x[:, None], x[None], dim=-1).softmax(-1)),
    ("cosine-weights", lambda x: (functional.normalize(x) @ functional.normalize(x).T).softmax(1).tolist()),
    ("distance-weights", lambda q, k: (q @ k.T - (k**2).sum(1) / 2).softmax(-1)),
    ("soft-look-up", lambda q, k, v, t: torch.softmax(k @ q / t, 0) @ v),
    ("write-u-attention", lambda x, u: attend(x @ u, x @ u, x @ u)),
    ("axes-kept", lambda u: torch.linalg.norm(u, dim=1)),
    ("axes-kept", lambda u: u.norm(dim=1).tolist()),
    ("both-ways-round", cycles),
    ("both-ways-round", lambda *given: torch.stack(cycles(*given))),
    ("both-ways-round", lambda *given: [way.item() for way in cycles(*given)]),
    ("read-one", lambda t, z, q, k, v: attend((t @ q)[None], z @ k, z @ v)[0]),
    ("cross-attention", lambda x, z, q, k, v, bq, bk, bv: attend(x @ q + bq, z @ k + bk, z @ v + bv)),
    ("turn-the-keys", lambda: torch.tensor([[-0.5, 0.75**0.5], [-(0.75**0.5), -0.5]])),
    ("swapped-roles", diagnose),
    ("scaled-weights", lambda x, q, k: torch.softmax((x @ q) @ (x @ k).T / q.shape[1] ** 0.5, -1)),
    ("scaled-weights", lambda x, q, k: torch.softmax((x @ q) @ (x @ k).T / q.shape[1] ** 0.5, -1).tolist()),
    ("predict-variance", lambda q, k: torch.trace(q @ k)),
    ("predict-variance", lambda q, k: torch.einsum("bc,bc->", q, k).item()),
    ("row-slopes", lambda s: torch.stack([torch.linalg.norm(jacobian(row)) for row in s])),
    ("row-slopes", lambda s: [float(torch.linalg.norm(jacobian(row))) for row in s]),
]


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize(("name", "answer"), ANSWERS)
def test_an_answer_in_torch_passes(name, answer, kind):
    def tensor(value):
        if not isinstance(value, np.ndarray):
            return value
        return (
            torch.tensor(value)
            if name == "cross-entropy" and value.dtype.kind == "i"
            else torch.tensor(value, dtype=kind)
        )

    report = check(name, lambda *given: answer(*map(tensor, given)))
    assert report.correct, report


COLD = """
import torch
from attnlib.exercises import check

def answer(q, k):
    q, k = torch.tensor(q), torch.tensor(k)
    return (q @ k.T - (k**2).sum(1) / 2).softmax(-1)

print(check("distance-weights", answer).correct)
"""


def test_what_torch_imports_for_the_first_answer_is_no_memory_of_the_answer():
    ran = subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True"]
