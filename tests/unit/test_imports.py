"""What importing the package brings along."""

import subprocess
import sys


def modules_after(statement):
    code = f"import sys; before = set(sys.modules); {statement}; print(*{{m.split('.')[0] for m in set(sys.modules) - before}})"
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
    assert not modules_after("import attnlib.plots") & {"torch", "ipywidgets"}
