"""Submitted code is read for ready-made answers and for ways round the grading."""

import pytest

from classroom.reading import read

NAMED = {
    "import attnlib\nattnlib.attention(x, x, x)": "attnlib.attention is ready-made",
    "from attnlib import attention_weights as w\ny = w": "attnlib.attention_weights is ready-made",
    "from attnlib.multihead import multi_head_attention": "attnlib.multihead.multi_head_attention is ready-made",
    "from attnlib import *": "attnlib.* is ready-made",
    "import torch.nn.functional as F\nF.scaled_dot_product_attention(q, k, v)": "scaled_dot_product_attention is ready-made",
    "import torch\ntorch.nn.functional.scaled_dot_product_attention(q, k, v)": "is ready-made",
    "from torch import nn\nf = nn.MultiheadAttention": "torch.nn.MultiheadAttention is ready-made",
    "import importlib": "imports importlib",
    "eval('1')": "uses eval",
    "run = exec": "uses exec",
    "__import__('attnlib')": "uses __import__",
    "import numpy as np\nnp.allclose = print": "changes numpy.allclose",
    "import numpy as np\ngetattr(np, 'all' + 'close')": "uses getattr on numpy",
    "().__class__.__bases__": "uses __class__",
    "from os import environ": "imports os.environ",
    "open('gradebook.db')": "uses open",
    "!cat gradebook.db": "uses get_ipython",
    "f.__globals__['compare'] = print": "uses __globals__",
}
HARMLESS = [
    "import numpy as np\nnp.exp(x)\nx[0] = 1\nself.weights = 2",
    "from attnlib.exercises.harness import call, compare\ncompare(1, 1)",
    "from attnlib import houston, plots\nhouston.EMBEDDINGS\nplots.ranges",
    "import torch\ntorch.softmax(x, -1)\ntorch.nn.Linear(3, 4)",
    "def attention(x):\n    return x\nattention(1)",
    "import matplotlib.pyplot as plt\nplt.plot(x)",
    "def broken(:\n",
    "%matplotlib_is_no_magic [",
]


@pytest.mark.parametrize("source", NAMED)
def test_what_a_person_should_see_is_named(source):
    found = [str(one) for one in read([("a", source)])]
    assert any(NAMED[source] in one for one in found), found


@pytest.mark.parametrize("source", HARMLESS)
def test_ordinary_work_is_not_named(source):
    assert [one for one in read([("a", source)]) if "get_ipython" not in str(one)] == []


def test_names_carry_from_cell_to_cell_and_a_finding_says_where():
    found = read([("a", "import attnlib as lib"), ("b", "x = 1\ny = lib.softmax(x)")])
    assert [str(one) for one in found] == ["b, line 2: attnlib.softmax is ready-made"]
