"""What importing the package brings along, and that each module is to be had by its name."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import attention_posters
import attnlib
from attnlib import cost, lab, models, plots, trained, widgets


def modules_after(statement):
    code = f"import sys; before = set(sys.modules); {statement}; "
    code += "print(*{m.split('.')[0] for m in set(sys.modules) - before})"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_attnlib_takes_numpy_and_jaxtyping_alone():
    third_party = modules_after("import attnlib, attnlib.houston, attnlib.trained; attnlib.trained.parameters()") - set(
        sys.stdlib_module_names
    )
    # wadler_lindig prints jaxtyping's errors and comes with it; cython_runtime is NumPy's compiled code
    allowed = {"attnlib", "numpy", "jaxtyping", "wadler_lindig", "cython_runtime", "_cython_3_2_4"}
    assert {name for name in third_party - allowed if not name.startswith("_cython")} == set()


def test_widgets_come_without_torch_and_plots_without_widgets():
    assert not modules_after("import attnlib.widgets") & {"torch", "matplotlib"}
    assert not modules_after("import attnlib.models") & {"torch", "transformers", "matplotlib"}
    assert not modules_after("import attnlib.plots") & {"torch", "ipywidgets"}


@pytest.mark.parametrize("package", [attnlib, attention_posters], ids=lambda package: package.__name__)
def test_no_function_has_the_name_of_its_module(package):
    found = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    modules = {name: importlib.import_module(name) for name in found if not name.endswith("__main__")}
    assert len(modules) > 4
    for name, module in modules.items():
        above, _, last = name.rpartition(".")
        assert getattr(sys.modules[above], last) is module, name


@pytest.mark.parametrize(
    "package", [attnlib, cost, lab, models, plots, trained, widgets], ids=lambda package: package.__name__
)
def test_a_packages_list_of_names_is_complete_and_sorted(package):
    names = [name for name in package.__all__ if not name.isupper() and not name.startswith("WEIGHT")]
    assert [name for name in names if name[0].islower()] == sorted(name for name in names if name[0].islower())
    assert all(getattr(package, name).__doc__ for name in names)
