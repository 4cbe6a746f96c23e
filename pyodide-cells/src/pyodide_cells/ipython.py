"""Stands in for IPython, of which ipywidgets and a notebook's cells use a few names, and which weighs more than NumPy."""

import builtins
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from pyodide_cells.kernel import Kernel


class Rich(str):
    """A text that is shown as what it is."""

    method = ""

    def __init__(self, data: str = "", **options: Any) -> None:
        setattr(self, self.method, lambda: str(self))


HTML = type("HTML", (Rich,), {"method": "_repr_html_"})
SVG = type("SVG", (Rich,), {"method": "_repr_svg_"})


def install(kernel: Kernel) -> None:
    """Put the stand-in where `import IPython` finds it, and `display` where a notebook has it."""

    def display(*values: Any, **options: Any) -> None:
        for value in values:
            kernel.display(value)

    def clear_output(wait: bool = False) -> None:
        kernel.clear()

    def ask(prompt: object = "") -> str:
        raise RuntimeError("a page cannot ask for input: write the value into the cell")

    builtins.input = ask
    events = SimpleNamespace(trigger=lambda *given: None)
    shell = SimpleNamespace(showtraceback=kernel.showtraceback, events=events)  # what ipywidgets and comm ask of one
    names: dict[str, dict[str, Any]] = {
        "IPython": {"version_info": (9, 0, 0), "get_ipython": lambda: shell if kernel.answering else None},
        "IPython.display": {"display": display, "clear_output": clear_output, "HTML": HTML, "SVG": SVG},
        "IPython.core": {},
        "IPython.core.interactiveshell": {"InteractiveShell": type("InteractiveShell", (), {})},
    }
    for name, contents in names.items():
        module = sys.modules[name] = ModuleType(name)
        module.__path__ = []
        vars(module).update(contents)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    kernel.names["display"] = display
