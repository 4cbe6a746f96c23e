"""A ready-made answer is noted whenever a test reaches it, however it was found, copied or passed on; honest work is not."""

import textwrap
from dataclasses import replace

import pytest

from classroom import sets
from classroom.contained import grade
from classroom.demo.submissions import RIGHT, fill
from classroom.walls import LIMITS

SET = "chapter_01"
TAIL = """
def tempered_attention(x, temperature):
    return found(x, x, x, scale=1 / temperature)
"""
# Ways to get hold of attnlib's attention as `found`, or to call it.
WAYS = {
    "plain": "from attnlib import attention as found",
    "module": "from attnlib.scaled_dot_product import attention as found",
    "through a widget's module": "from attnlib.widgets.three_spaces import attention as found",
    "through houston": "import attnlib.houston as h\nfound = h.attention_weights\ndef tempered_attention(x, temperature):\n    return found(x, x, scale=1 / temperature) @ x",
    "through an exercise": "import attnlib.exercises, sys\nattnlib.exercises.check\nmodules = [m for n, m in sys.modules.items() if n.startswith('attnlib.exercises.')]\nfound = next(m.attention for m in modules if hasattr(m, 'attention'))",
    "star": "from attnlib import *\nfound = attention",
    "star of a module": "from attnlib.multihead import *\nfrom attnlib.scaled_dot_product import *\nfound = attention",
    "a second name": "import attnlib\nb = attnlib\nfound = b.attention",
    "tuple": "import attnlib\n(b, c) = (attnlib, 1)\nfound = b.attention",
    "for": "import attnlib\nfor b in [attnlib]:\n    found = b.attention",
    "walrus": "import attnlib\n(b := attnlib)\nfound = b.attention",
    "lambda": "import attnlib\nfound = (lambda m: m.attention)(attnlib)",
    "with": "import attnlib, contextlib\nwith contextlib.nullcontext(attnlib) as b:\n    found = b.attention",
    "match": "import attnlib\nmatch attnlib:\n    case b:\n        found = b.attention",
    "decorator": "import attnlib\n@lambda _: attnlib.attention\ndef found(): pass",
    "attrgetter": "import attnlib, operator\nfound = operator.attrgetter('attention')(attnlib)",
    "reduce": "import attnlib, functools\nfound = functools.reduce(getattr, ['attention'], attnlib)",
    "getattribute": "import attnlib\nfound = attnlib.__getattribute__('atten' + 'tion')",
    "vars": "import attnlib\nattnlib.softmax\nfound = vars(attnlib)['attention']",
    "pkgutil": "import pkgutil\nfound = pkgutil.resolve_name('attnlib:attention')",
    "pydoc": "import pydoc\nfound = pydoc.locate('attnlib.attention')",
    "mock": "from unittest import mock\nimport attnlib\nfound = mock.Mock(wraps=attnlib.attention)",
    "logging": "import logging.config\nfound = logging.config.BaseConfigurator({}).resolve('attnlib.attention')",
    "type hints": "import typing, attnlib\nclass A:\n    x: 'attnlib.attention'\nfound = typing.get_type_hints(A, {'attnlib': attnlib})['x']",
    "timeit": "import timeit\nspace = {}\ntimeit.timeit('space[0] = attention', 'from attnlib import attention', number=1, globals={'space': space})\nfound = space[0]",
    "code": "import code\nspace = {}\ncode.InteractiveInterpreter(space).runsource('from attnlib import attention as found')\nfound = space['found']",
    "cProfile": "import cProfile\nspace = {}\ncProfile.Profile().runctx('from attnlib import attention as found', space, space)\nfound = space['found']",
    "pickle": "import pickle\nfound = pickle.loads(b'cattnlib\\nattention\\n.')",
    "np.load": "import pickle\nclass P:\n    def __reduce__(self): return (eval, (\"__import__('attnlib').attention\",))\nnp.save('a.npy', np.array([P()], dtype=object))\nfound = np.load('a.npy', allow_pickle=True)[0]",
    "exec": "exec('from attnlib import attention as found')",
    "threading's sys": "import threading\nfound = threading._sys.modules['attnlib'].attention",
    "joined dunder": "found = getattr(__builtins__, '__imp' + 'ort__')('attnlib').attention",
    "a helper file": "with open('helper.py', 'w') as f:\n    f.write('from attnlib import attention as found')\nimport sys\nsys.path.insert(0, '.')\nfrom helper import found",
    "importlib": "import importlib\nfound = importlib.import_module('attnlib').attention",
    "deep code": "import attnlib\nfound = attnlib.attention\n" + "(" * 80 + "1" + ")" * 80,
    "partial": "import functools, attnlib\nfound = functools.partial(attnlib.attention)",
    "a method": "import attnlib\nclass A:\n    f = staticmethod(attnlib.attention)\nfound = A.f",
    "no frame": "import attnlib\nfound = attnlib.attention\ntempered_attention = lambda x, temperature: found(x, x, x, scale=1 / temperature)",
    "handed over": "import attnlib\nfound = lambda *a, **k: call(lambda *b: attnlib.attention(*b, **k), a)",
    "a thread": "import attnlib, concurrent.futures as c\npool = c.ThreadPoolExecutor(1)\nfound = lambda *a, **k: pool.submit(attnlib.attention, *a, **k).result()",
    "a thread made before": "import attnlib, queue, threading\ni, o = queue.Queue(), queue.Queue()\ndef serve():\n    while True:\n        a, k = i.get()\n        o.put(attnlib.attention(*a, **k))\nthreading.Thread(target=serve, daemon=True).start()\ndef found(*a, **k):\n    i.put((a, k))\n    return o.get()",
    "parts": "import attnlib\ndef found(q, k, v, scale):\n    return attnlib.attention_weights(q, k, scale=scale) @ v",
    "softmax": "from attnlib import softmax\ndef found(q, k, v, scale):\n    return softmax(q @ k.T * scale) @ v",
    "another form": "from attnlib import streaming_attention\ndef found(q, k, v, scale):\n    return streaming_attention(q * scale * q.shape[1] ** 0.5, k, v)",
    "through importlib": "from importlib._bootstrap import _call_with_frames_removed as go\nimport attnlib\nfound = lambda *a, **k: go(attnlib.attention, *a, **k)",
    "under an import's name": "import attnlib\nget_ipython().compile.get_code_name = lambda *a, **k: '<frozen importlib._bootstrap>'\ndef found(*a, **k): return attnlib.attention(*a, **k)",
    "through compare": "import attnlib, functools, types\ndef found(*a, **k):\n    box = []\n    try: compare(types.SimpleNamespace(detach=functools.partial(box.extend, "
    "map(functools.partial(attnlib.attention, *a, **k), [None]))), 0)\n    except AttributeError: pass\n    return box[0]",
    "kernels put back": "import torch, weakref\nfor f in list(weakref.finalize._registry):\n    if f.peek() and getattr(f.peek()[1], '__name__', '') == '_del_library': f()\n"
    "import attnlib\nfound = attnlib.attention",
    "imported in the answer": "def found(*a, **k):\n    from attnlib import attention\n    return attention(*a, **k)",
    "another name of the file": "import attnlib\nsrc = 'def found(*a, **k):\\n    return attnlib.attention(*a, **k)'\nexec(compile(src, np.__file__, 'exec')) if False else exec(src)",
    "its code copied": "import attnlib, types\ndef found(*a, **k): pass\ntry:\n    found = types.FunctionType(attnlib.attention.__code__, attnlib.attention.__globals__)\nexcept PermissionError:\n    found = attnlib.attention",
    "no module left": "import attnlib, sys\nfound = attnlib.attention\nfor name in [n for n in sys.modules if n.startswith('attnlib')]: del sys.modules[name]",
    "a lazy result": "import attnlib\nclass Late(list):\n    def __iter__(self): return iter(attnlib.attention(*self.a, **self.k).tolist())\ndef found(*a, **k):\n    late = Late([0]); late.a, late.k = a, k\n    return late",
    "vectorized": "import attnlib\nf = np.frompyfunc(lambda i: attnlib.attention, 1, 1)\nfound = f(np.array(0, dtype=object))",
}
TORCH = {
    "functional": "torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)",
    "builtin": "torch._C._nn.scaled_dot_product_attention(q, k, v, scale=scale)",
    "operator": "torch.ops.aten.scaled_dot_product_attention.default(q, k, v, scale=scale)",
    "its parts": "torch.ops.aten._scaled_dot_product_attention_math(q, k, v, scale=scale)[0]",
    "kernel": "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q[None, None], k[None, None], v[None, None], scale=scale)[0][0, 0]",
    "mapped": "torch.vmap(lambda a: torch.nn.functional.scaled_dot_product_attention(a, a, a, scale=scale))(q[None, None])[0, 0]",
    "compiled": "torch.jit.trace(lambda q: torch.nn.functional.scaled_dot_product_attention(q, q, q, scale=scale), q)(q)",
}


@pytest.fixture(scope="module")
def source():
    return sets.read(sets.GRADED / f"{SET}.md")


def graded(source, answer, more=(), walls=None):
    """What is found about a submission whose first answer this is, and whether the answer gave its points."""
    full = fill(source, RIGHT, {"answer-tempered": answer}, dict(more))
    grade(full, walls=walls)
    failed = {
        cell.metadata.nbgrader.grade_id for cell in full.cells if cell.get("outputs") and cell.metadata.get("nbgrader")
    }
    tests = {name for name in failed if name.startswith("test-")}
    return {**full.metadata.classroom, "failed": tests}, "test-tempered-at-one" not in failed


@pytest.mark.parametrize("way", WAYS)
def test_a_ready_made_answer_is_noted_however_it_was_found(source, way):
    answer = WAYS[way] if "tempered_attention" in WAYS[way] else WAYS[way] + TAIL
    told, _ = graded(source, answer)
    assert any("the test of tempered_attention reached attnlib." in what for what in told["person"]), told


@pytest.mark.parametrize("way", TORCH)
def test_torchs_own_attention_is_noted(source, way):
    answer = (
        f"import torch\ndef found(q, k, v, scale):\n    q, k, v = map(torch.tensor, (q, k, v))\n    return {TORCH[way]}"
        + TAIL
    )
    told, right = graded(source, answer)
    assert any("the test of tempered_attention reached torch." in what for what in told["person"]), told
    assert right or way in {"compiled", "kernel"}


def test_torchs_layers_are_noted(source):
    layer = """
        import torch
        def tempered_attention(x, temperature):
            layer = torch.nn.MultiheadAttention(x.shape[1], 1, bias=False, batch_first=True, dtype=torch.float64)
            return layer(*[torch.tensor(x)[None]] * 3)[0][0].detach()
    """
    told, _ = graded(source, textwrap.dedent(layer))
    assert any("multi_head_attention_forward" in what for what in told["person"])


# Ways that leave no note of a call: memory overwritten, and parts of torch that nobody watches. What they need is named.
UNSEEN = {
    "imports what attnlib has ready-made": """import attnlib
attnlib.attention
for code in attnlib.__spec__.loader.codes["attnlib.attention"][2].co_consts:
    for i, one in enumerate(getattr(code, "co_consts", ())):
        if callable(one):
            class P:
                __array_interface__ = {"data": (id(code.co_consts) + 24, False), "shape": (i + 1,), "typestr": "<u8", "version": 3}
            np.asarray(P())[i] = id(max)
found = attnlib.attention""",
    "imports torch": """import torch
def found(q, k, v, scale):
    q = torch.tensor(q)
    attend = torch.ops.aten.scaled_dot_product_attention.default
    return torch.vmap(lambda a: attend(a, a, a, scale=scale))(q[None, None])[0, 0]""",
}


@pytest.mark.parametrize("remark", UNSEEN)
def test_what_a_ready_made_answer_needs_is_named_even_where_its_call_is_not_seen(source, remark):
    told, _ = graded(source, UNSEEN[remark] + TAIL)
    assert any(remark in what for what in told["notes"] + told["person"]), told


@pytest.mark.parametrize(
    "what", ["gc.get_objects()", "ctypes.CDLL(None)", "sys.settrace(None)", "sys.addaudithook(print)"]
)
@pytest.mark.parametrize(
    "way",
    [
        "{}",
        "np.fromfunction(lambda: {}, ())",
        "np.fromfunction(functools.partial({}), ())",
        "importlib._bootstrap._call_with_frames_removed({})",
    ],
)
def test_pythons_own_workings_are_out_of_reach_whoever_is_asked_to_call(source, what, way):
    if "lambda" not in way and way != "{}":
        what = what.replace("()", "").replace("(", ", ").replace(")", "")
    told, _ = graded(source, f"import ctypes, functools, gc, importlib._bootstrap, sys\n{way.format(what)}\n")
    assert any("tried to reach Python's own workings" in one for one in told["person"]), told


def test_many_notes_drive_no_other_out(source):
    told, right = graded(
        source, "import attnlib; z = np.eye(2)\n" + "attnlib.softmax(z)\n" * 500 + "found = attnlib.attention" + TAIL
    )
    assert right
    assert any("the test of tempered_attention reached attnlib.attention.attention" in what for what in told["person"])
    assert "noted more than is read" in told["person"]


def test_what_answers_nothing_is_at_hand_without_being_asked_for(source):
    told, _ = graded(source, RIGHT["answer-tempered"] + "\ncall(lambda: 1, ())\ncompare(1, 1)\nhelp(compare)")
    assert told["notes"] == []


def test_attnlib_is_whole_once_it_is_asked_for(source):
    answer = """import attnlib.attention, attnlib.houston
from attnlib import exercises, masks
from attnlib.exercises import check
assert callable(attnlib.attention) and callable(attnlib.softmax) and masks.causal_mask is attnlib.causal_mask
assert check('which-shape', '7 × 7').correct and exercises.check is check and len(attnlib.houston.TOKENS) == 5
try: attnlib.nothing
except AttributeError as error: print(error)
"""
    told, right = graded(source, answer + RIGHT["answer-tempered"])
    assert right
    assert told["person"] == []
    assert told["notes"][0] == "answer-tempered: imports what attnlib has ready-made"


def test_a_comparison_in_a_cell_is_a_remark_and_no_accusation(source):
    answer = f"{RIGHT['answer-tempered']}\n\nfrom attnlib import attention\nx = np.eye(3)\nprint(np.abs(attention(x, x, x, scale=1) - tempered_attention(x, 1)).max())"
    told, right = graded(source, answer)
    assert told["person"] == []
    assert told["notes"] == [
        "answer-tempered: imports what attnlib has ready-made",
        "answer-tempered, line 8: reached attnlib.attention.attention, which is ready-made",
    ]
    assert right


def test_what_the_set_up_hands_out_may_be_called(source):
    full = fill(
        source,
        RIGHT,
        {"answer-tempered": "def tempered_attention(x, temperature):\n    return softmax(x @ x.T / temperature) @ x"},
    )
    next(
        cell for cell in full.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "setup"
    ).source += "\nfrom attnlib import softmax"
    grade(full)
    assert full.metadata.classroom["person"] == full.metadata.classroom["notes"] == []


HONEST = {
    "torch": "import torch\ndef tempered_attention(x, temperature):\n    x = torch.tensor(x)\n    return torch.softmax(x @ x.T / temperature, -1) @ x",
    "matplotlib": "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('a.png')\n",
    "magics": "%load_ext autoreload\n%autoreload 2\n!pip install numpy\n%time y = 1\n",
    "a timed cell": "%%time\n",
    "an unknown magic": "%no_such_magic\nfiles = !ls\n",
    "float32": "def tempered_attention(x, temperature):\n    x = np.asarray(x, np.float32)\n    s = x @ x.T / np.float32(temperature)\n    r = np.exp(s - s.max(1, keepdims=True))\n    return r / r.sum(1, keepdims=True) @ x",
    "help": "help(compare)\nhelp(np.linalg.norm)\ncompare?\nnp.dot??\n",
    "the standard library": "import os, sys, inspect, pathlib, pickle, json, copy, itertools, collections, dataclasses, typing, random, time, logging\n"
    "print(sys.version, os.getcwd())\nPoint = collections.namedtuple('Point', 'x y')\n@dataclasses.dataclass\nclass A:\n    x: int = 1\n"
    "copy.deepcopy(pickle.loads(pickle.dumps(A())))\nlogging.warning('hello')\nopen('notes.txt', 'w').write('a')\nprint(pathlib.Path('notes.txt').read_text())\ninspect.signature(A)\n",
    "a name used again": "def softmax(s):\n    e = np.exp(s - s.max(1, keepdims=True))\n    return e / e.sum(1, keepdims=True)\n"
    "def tempered_attention(x, temperature):\n    return softmax(x @ x.T / temperature) @ x",
    "doctest": "import doctest\ndoctest.testmod()\n",
    "tuples with defaults": "import typing, collections\nclass Q(typing.NamedTuple):\n    a: float = 1.0\ncollections.namedtuple('P', 'a b', defaults=[1])\n",
    "frames and code": "import inspect, sys\nprint(inspect.currentframe().f_lineno, sys._getframe().f_code.co_name, call.__code__.co_varnames, call.__defaults__)\n",
    "a debugger left in": "breakpoint()\nimport pdb; pdb.set_trace()\n",
    "its machine": "import platform\nprint(platform.platform(), platform.processor())\n",
    "the folder above": "import os, glob\nglob.glob('../*.csv')\ntry: os.listdir('..'); open('/proc/cpuinfo')\nexcept OSError: pass\nif os.name == '?': os.system('clear')\n",
    "errors for warnings": "np.seterr(all='raise')\nimport warnings\nwarnings.simplefilter('error')\n",
    "warnings and errors": "import warnings, traceback\nwarnings.warn('mind this')\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n",
}


@pytest.mark.parametrize("kind", HONEST)
def test_honest_work_is_not_accused_and_gets_its_points(source, kind):
    answer = HONEST[kind] if "def tempered" in HONEST[kind] else HONEST[kind] + RIGHT["answer-tempered"]
    later = {"answer-thief": "def softmax(a, b): pass\nthief = 2.83\ndel np"} if kind == "a name used again" else {}
    told, right = graded(source, answer, later)
    assert told["person"] == []
    assert right


def test_a_cell_may_use_what_a_test_above_it_has_made(source):
    told, _ = graded(
        source,
        RIGHT["answer-tempered"],
        {"answer-cosines": "print(tempered_attention(x, 1.0))\n" + RIGHT["answer-cosines"]},
    )
    assert told["failed"] == set()


def test_work_that_ran_out_of_its_time_as_a_whole_is_for_a_person(source, monkeypatch):
    monkeypatch.setenv("CLASSROOM_LIMITS", '{"total": 4}')
    told, right = graded(source, "import time\nfor _ in range(9): time.sleep(1)\n" + RIGHT["answer-tempered"])
    assert told["person"] == ["the 4 s for all of its work were used up, and what came after was not run"]
    assert not right


def test_what_was_tried_and_refused_is_a_remark_behind_a_wall_and_else_for_a_person(source):
    answer = "import os\nos.listdir('/root')\n"
    told, _ = graded(source, answer)
    assert told["notes"] == ["answer-tempered, line 2: tried to reach a file outside its folder (refused)"]
    told, _ = graded(source, answer, walls=replace(LIMITS, hidden=True))
    assert told["person"] == ["answer-tempered, line 2: tried to reach a file outside its folder"]
