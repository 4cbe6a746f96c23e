"""What a submission's first answer can be: ways to what is ready-made, and honest work that looks odd."""

from classroom.demo.submissions import RIGHT

TAIL = """
def tempered_attention(x, temperature):
    return found(x, x, x, scale=1 / temperature)
"""
# Ways to get hold of attnlib's attention as `found`, or to call it.
WAYS = {
    "plain": "from attnlib import attention as found",
    "module": "from attnlib.scaled_dot_product import attention as found",
    "through a widget's module": "from attnlib.widgets.three_spaces import attention as found",
    "through houston": "import attnlib.houston as h\nfound = h.attention_weights\n"
    "def tempered_attention(x, temperature):\n    return found(x, x, scale=1 / temperature) @ x",
    "through an exercise": "import attnlib.exercises, sys\nattnlib.exercises.check\n"
    "modules = [m for n, m in sys.modules.items() if n.startswith('attnlib.exercises.')]\n"
    "found = next(m.attention for m in modules if hasattr(m, 'attention'))",
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
    "type hints": "import typing, attnlib\nclass A:\n    x: 'attnlib.attention'\n"
    "found = typing.get_type_hints(A, {'attnlib': attnlib})['x']",
    "timeit": "import timeit\nspace = {}\ntimeit.timeit('space[0] = attention', 'from attnlib import attention', number=1, globals={'space': space})\nfound = space[0]",
    "code": "import code\nspace = {}\n"
    "code.InteractiveInterpreter(space).runsource('from attnlib import attention as found')\nfound = space['found']",
    "cProfile": "import cProfile\nspace = {}\ncProfile.Profile().runctx('from attnlib import attention as found', space, space)\nfound = space['found']",
    "pickle": "import pickle\nfound = pickle.loads(b'cattnlib\\nattention\\n.')",
    "np.load": "import pickle\nclass P:\n"
    "    def __reduce__(self): return (eval, (\"__import__('attnlib').attention\",))\n"
    "np.save('a.npy', np.array([P()], dtype=object))\nfound = np.load('a.npy', allow_pickle=True)[0]",
    "exec": "exec('from attnlib import attention as found')",
    "threading's sys": "import threading\nfound = threading._sys.modules['attnlib'].attention",
    "joined dunder": "found = getattr(__builtins__, '__imp' + 'ort__')('attnlib').attention",
    "a helper file": "with open('helper.py', 'w') as f:\n    f.write('from attnlib import attention as found')\n"
    "import sys\nsys.path.insert(0, '.')\nfrom helper import found",
    "importlib": "import importlib\nfound = importlib.import_module('attnlib').attention",
    "deep code": "import attnlib\nfound = attnlib.attention\n" + "(" * 80 + "1" + ")" * 80,
    "partial": "import functools, attnlib\nfound = functools.partial(attnlib.attention)",
    "a method": "import attnlib\nclass A:\n    f = staticmethod(attnlib.attention)\nfound = A.f",
    "no frame": "import attnlib\nfound = attnlib.attention\n"
    "tempered_attention = lambda x, temperature: found(x, x, x, scale=1 / temperature)",
    "handed over": "import attnlib\nfound = lambda *a, **k: call(lambda *b: attnlib.attention(*b, **k), a)",
    "a thread": "import attnlib, concurrent.futures as c\npool = c.ThreadPoolExecutor(1)\n"
    "found = lambda *a, **k: pool.submit(attnlib.attention, *a, **k).result()",
    "a thread made before": "import attnlib, queue, threading\ni, o = queue.Queue(), queue.Queue()\ndef serve():\n"
    "    while True:\n        a, k = i.get()\n        o.put(attnlib.attention(*a, **k))\n"
    "threading.Thread(target=serve, daemon=True).start()\ndef found(*a, **k):\n    i.put((a, k))\n    return o.get()",
    "parts": "import attnlib\ndef found(q, k, v, scale):\n    return attnlib.attention_weights(q, k, scale=scale) @ v",
    "softmax": "from attnlib import softmax\ndef found(q, k, v, scale):\n    return softmax(q @ k.T * scale) @ v",
    "another form": "from attnlib import streaming_attention\ndef found(q, k, v, scale):\n"
    "    return streaming_attention(q * scale * q.shape[1] ** 0.5, k, v)",
    "through importlib": "from importlib._bootstrap import _call_with_frames_removed as go\nimport attnlib\n"
    "found = lambda *a, **k: go(attnlib.attention, *a, **k)",
    "under an import's name": "import attnlib\n"
    "get_ipython().compile.get_code_name = lambda *a, **k: '<frozen importlib._bootstrap>'\n"
    "def found(*a, **k): return attnlib.attention(*a, **k)",
    "through compare": "import attnlib, functools, types\ndef found(*a, **k):\n    box = []\n"
    "    try: compare(types.SimpleNamespace(detach=functools.partial(box.extend, "
    "map(functools.partial(attnlib.attention, *a, **k), [None]))), 0)\n    except AttributeError: pass\n"
    "    return box[0]",
    "kernels put back": "import torch, weakref\nfor f in list(weakref.finalize._registry):\n"
    "    if f.peek() and getattr(f.peek()[1], '__name__', '') == '_del_library': f()\n"
    "import attnlib\nfound = attnlib.attention",
    "imported in the answer": "def found(*a, **k):\n    from attnlib import attention\n    return attention(*a, **k)",
    "another name of the file": "import attnlib\nsrc = 'def found(*a, **k):\\n    return attnlib.attention(*a, **k)'\nexec(compile(src, np.__file__, 'exec')) if False else exec(src)",
    "its code copied": "import attnlib, types\ndef found(*a, **k): pass\ntry:\n"
    "    found = types.FunctionType(attnlib.attention.__code__, attnlib.attention.__globals__)\n"
    "except PermissionError:\n    found = attnlib.attention",
    "no module left": "import attnlib, sys\nfound = attnlib.attention\n"
    "for name in [n for n in sys.modules if n.startswith('attnlib')]: del sys.modules[name]",
    "a lazy result": "import attnlib\nclass Late(list):\n"
    "    def __iter__(self): return iter(attnlib.attention(*self.a, **self.k).tolist())\ndef found(*a, **k):\n"
    "    late = Late([0]); late.a, late.k = a, k\n    return late",
    "vectorized": "import attnlib\nf = np.frompyfunc(lambda i: attnlib.attention, 1, 1)\n"
    "found = f(np.array(0, dtype=object))",
}
WAYS = {name: own if "tempered_attention" in own else own + TAIL for name, own in WAYS.items()}
KERNELS = {
    "functional": "torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)",
    "builtin": "torch._C._nn.scaled_dot_product_attention(q, k, v, scale=scale)",
    "operator": "torch.ops.aten.scaled_dot_product_attention.default(q, k, v, scale=scale)",
    "its parts": "torch.ops.aten._scaled_dot_product_attention_math(q, k, v, scale=scale)[0]",
    "kernel": "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu("
    "q[None, None], k[None, None], v[None, None], scale=scale)[0][0, 0]",
    "mapped": "torch.vmap(lambda a: torch.nn.functional.scaled_dot_product_attention("
    "a, a, a, scale=scale))(q[None, None])[0, 0]",
    "compiled": "torch.jit.trace(lambda q: torch.nn.functional.scaled_dot_product_attention("
    "q, q, q, scale=scale), q)(q)",
}


TORCH = {
    name: "import torch\ndef found(q, k, v, scale):\n    q, k, v = map(torch.tensor, (q, k, v))\n    return "
    + kernel
    + TAIL
    for name, kernel in KERNELS.items()
}
WORKINGS = {
    f"{way}, {what}": f"import ctypes, functools, gc, importlib._bootstrap, sys\n{form.format(what if whole else f'{function}, {arguments}')}\n"
    for what in ("gc.get_objects()", "ctypes.CDLL(None)", "sys.settrace(None)", "sys.addaudithook(print)")
    for function, arguments in [what.removesuffix(")").split("(")]
    for way, form, whole in (
        ("called", "{}", True),
        ("from a lambda", "np.fromfunction(lambda: {}, ())", True),
        ("from NumPy", "np.fromfunction(functools.partial({}), ())", False),
        ("from importlib", "importlib._bootstrap._call_with_frames_removed({})", False),
    )
}
# Ways that leave no note of a call: memory overwritten, and parts of torch that nobody watches. What they need is named.
UNSEEN = {
    "imports what attnlib has ready-made": """import attnlib
attnlib.attention
for code in attnlib.__spec__.loader.codes["attnlib.scaled_dot_product"][2].co_consts:
    for i, one in enumerate(getattr(code, "co_consts", ())):
        if callable(one):
            class P:
                data = (id(code.co_consts) + 24, False)
                __array_interface__ = {"data": data, "shape": (i + 1,), "typestr": "<u8", "version": 3}
            np.asarray(P())[i] = id(max)
found = attnlib.attention""",
    "imports torch": """import torch
def found(q, k, v, scale):
    q = torch.tensor(q)
    attend = torch.ops.aten.scaled_dot_product_attention.default
    return torch.vmap(lambda a: attend(a, a, a, scale=scale))(q[None, None])[0, 0]""",
}
UNSEEN = {name: own + TAIL for name, own in UNSEEN.items()}
HONEST = {
    "torch": "import torch\ndef tempered_attention(x, temperature):\n    x = torch.tensor(x)\n"
    "    return torch.softmax(x @ x.T / temperature, -1) @ x",
    "matplotlib": "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('a.png')\n",
    "magics": "%load_ext autoreload\n%autoreload 2\n!pip install numpy\n%time y = 1\n",
    "a timed cell": "%%time\n",
    "an unknown magic": "%no_such_magic\nfiles = !ls\n",
    "float32": "def tempered_attention(x, temperature):\n    x = np.asarray(x, np.float32)\n"
    "    s = x @ x.T / np.float32(temperature)\n    r = np.exp(s - s.max(1, keepdims=True))\n"
    "    return r / r.sum(1, keepdims=True) @ x",
    "help": "help(compare)\nhelp(np.linalg.norm)\ncompare?\nnp.dot??\n",
    "the standard library": "import os, sys, inspect, pathlib, pickle, json, copy, itertools, collections, dataclasses, typing, random, time, logging\n"
    "print(sys.version, os.getcwd())\nPoint = collections.namedtuple('Point', 'x y')\n@dataclasses.dataclass\n"
    "class A:\n    x: int = 1\n"
    "copy.deepcopy(pickle.loads(pickle.dumps(A())))\nlogging.warning('hello')\nopen('notes.txt', 'w').write('a')\n"
    "print(pathlib.Path('notes.txt').read_text())\ninspect.signature(A)\n",
    "a name used again": "def softmax(s):\n    e = np.exp(s - s.max(1, keepdims=True))\n"
    "    return e / e.sum(1, keepdims=True)\n"
    "def tempered_attention(x, temperature):\n    return softmax(x @ x.T / temperature) @ x",
    "doctest": "import doctest\ndoctest.testmod()\n",
    "tuples with defaults": "import typing, collections\nclass Q(typing.NamedTuple):\n    a: float = 1.0\n"
    "collections.namedtuple('P', 'a b', defaults=[1])\n",
    "frames and code": "import inspect, sys\n"
    "print(inspect.currentframe().f_lineno, sys._getframe().f_code.co_name, "
    "call.__code__.co_varnames, call.__defaults__)\n",
    "a debugger left in": "breakpoint()\nimport pdb; pdb.set_trace()\n",
    "its machine": "import platform\nprint(platform.platform(), platform.processor())\n",
    "the folder above": "import os, glob\nglob.glob('../*.csv')\ntry: os.listdir('..'); open('/proc/cpuinfo')\n"
    "except OSError: pass\nif os.name == '?': os.system('clear')\n",
    "errors for warnings": "np.seterr(all='raise')\nimport warnings\nwarnings.simplefilter('error')\n",
    "warnings and errors": "import warnings, traceback\nwarnings.warn('mind this')\ntry:\n    1 / 0\n"
    "except ZeroDivisionError:\n    traceback.print_exc()\n",
}


HONEST = {name: own if "def tempered" in own else own + RIGHT["answer-tempered"] for name, own in HONEST.items()}
APART = {  # what changes its process for all that come after it
    "under an import's name",
    "no module left",
    "kernels put back",
    "a name used again",
    "errors for warnings",
}
