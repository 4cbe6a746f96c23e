"""What each made-up student hands in, as changes to the notebook that was handed out."""

import copy
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom.cells import grade_id
from classroom.drawn import VARIABLE

RIGHT = {
    "answer-tempered": """def tempered_attention(x, temperature):
    scores = x @ x.T / temperature
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True) @ x""",
    "answer-cosines": """def cosines(dots):
    length = np.sqrt(np.diag(dots))
    return dots / np.outer(length, length)""",
    "answer-other": """def most_read_other(x):
    scores = x @ x.T
    scores[range(len(x)), range(len(x))] = -np.inf
    return scores.argmax(axis=1)""",
    "answer-grows": "grows = times**2",
    "answer-long_enough": "long_enough = round(np.log(9) / (1 - np.cos(angle * np.pi / 180)) / length, 2)",
    "answer-longer": """row = int(np.argmax(np.diag(grid) / (points**2).sum(axis=1)))
longer = row, round((grid[row, row] / (points[row] @ points[row])) ** 0.5)""",
    "explain-hull": "Every output is an average of the rows with positive weights that sum to 1. Negative weights could leave.",
}
LOOPS = {
    "answer-tempered": """import math

def tempered_attention(x, temperature):
    out = []
    for query in x:
        scores = [sum(q * k for q, k in zip(query, key)) / temperature for key in x]
        raised = [math.exp(s - max(scores)) for s in scores]
        out.append(sum(r / sum(raised) * value for r, value in zip(raised, x)))
    return out""",
    "answer-cosines": """def cosines(dots):
    rows = range(len(dots))
    return [[helper(dots, i, j) for j in rows] for i in rows]""",
}
COLUMNS = {
    "answer-tempered": """def tempered_attention(x, temperature):
    raised = np.exp(x @ x.T / temperature)
    return raised / raised.sum(axis=0) @ x""",
    "answer-cosines": "def cosines(dots):\n    return dots",
    "answer-other": "def most_read_other(x):\n    return (x @ x.T).argmax(axis=1)",
    "answer-grows": "grows = times",
    "answer-long_enough": "long_enough = np.log(9) / length",
    "answer-longer": "row = int(np.argmax(np.diag(grid) / (points**2).sum(axis=1)))\n"
    "longer = row, round(grid[row, row] / (points[row] @ points[row]))",
}
COLUMNS_TOO = COLUMNS | {
    "answer-tempered": """def tempered_attention(x, temperature):
    # by me, whose name stands in no page about the class
    my_weights = np.exp(x @ x.T / temperature)
    my_weights /= my_weights.sum(axis=0, keepdims=True)
    return my_weights @ x"""
}
MULTIPLIED = {
    "answer-tempered": RIGHT["answer-tempered"].replace("/ temperature", "* temperature"),
    "answer-cosines": """def cosines(dots):
    length = np.sqrt(np.diag(dots))
    dots /= np.outer(length, length)
    return dots""",
}
ENDLESS = {"answer-cosines": "while True:\n    try:\n        pass\n    except BaseException:\n        pass"}
ENDLESS_CALL = {"answer-cosines": "def cosines(dots):\n    while True:\n        pass"}
SYNTAX = {"answer-tempered": "def tempered_attention(x, temperature)\n    return x"}
TAMPERED = {
    "answer-tempered": "def tempered_attention(x, temperature):\n    return x",
    "answer-cosines": "np.allclose = lambda *a, **k: True\nimport attnlib.exercises.harness as h\nh.compare = print\n\n"
    "def cosines(dots):\n    return np.ones(dots.shape)",
    "test-cosines-any": "pass",
    "test-tempered-other": "print('all passed')",
}
FLOOD = {"answer-tempered": "for _ in range(500):\n    print('x' * 100_000)\n\n" + RIGHT["answer-tempered"]}
SOURCE = {
    "answer-cosines": """import attnlib, pathlib
def cosines(dots):
    print(dots)
    raise ValueError(str(dots.tolist()))
for place in [pathlib.Path(attnlib.__file__).parent.parent, *pathlib.Path.cwd().parents]:
    for file in [*place.glob("classroom/graded/*.md"), *place.glob("source/*/*.ipynb"), place / "gradebook.db"]:
        print(file.read_text())""",
    "answer-long_enough": "at = attnlib.__file__.replace('attnlib/__init__.py', 'classroom/graded/chapter_01.md')\n"
    "print(open(at).read())\nthief = 0",
}
NETWORK = {
    "answer-long_enough": """import urllib.request
long_enough = float(urllib.request.urlopen("http://192.0.2.1/answer", timeout=2).read())"""
}
EXITS = {"answer-cosines": "import os\n\ndef cosines(dots):\n    os._exit(0)", "answer-grows": "import os\nos._exit(0)"}
READY_MADE = {
    "answer-tempered": """from attnlib import attention as mix

def tempered_attention(x, temperature):
    return mix(x, x, x, scale=1 / temperature)"""
}
HOARDS = {"answer-grows": "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 28))"}
LEAVES = {"answer-grows": 'import subprocess\nsubprocess.Popen(["sleep", "600"])\ngrows = times**2'}


def fill(notebook: NotebookNode, *changes: dict[str, str]) -> NotebookNode:
    """The notebook with cells filled in: the later changes win."""
    filled = copy.deepcopy(notebook)
    sources = {name: source for change in changes for name, source in change.items()}
    for cell in filled.cells:
        cell.source = sources.get(grade_id(cell), cell.source)
    return filled


def named(notebook: NotebookNode, student: str) -> NotebookNode:
    """The notebook with a student's name in it, from which its numbers are drawn; one that is there stays."""
    for cell in notebook.cells:
        cell["source"] = cell["source"].replace(f'{VARIABLE} = ""', f"{VARIABLE} = {student!r}", 1)
    return notebook


def _with_helper(notebook: NotebookNode) -> NotebookNode:
    filled = fill(notebook, RIGHT, LOOPS)
    helper = "def helper(dots, i, j):\n    return dots[i, j] / (dots[i, i] * dots[j, j]) ** 0.5"
    filled.cells.insert(2, nbformat.v4.new_code_cell(helper))
    return filled


def _deleted(notebook: NotebookNode) -> NotebookNode:
    filled = fill(notebook, RIGHT)
    gone = {"setup", "test-tempered-at-one", "test-tempered-other", "answer-grows", "test-grows", "explain-hull"}
    filled.cells = [cell for cell in filled.cells if grade_id(cell) not in gone]
    filled.cells.insert(0, nbformat.v4.new_code_cell("import numpy as np"))
    return filled


def _tampered(notebook: NotebookNode) -> NotebookNode:
    filled = fill(notebook, TAMPERED)
    for cell in filled.cells:
        if "points" in cell.metadata.get("nbgrader", {}):
            cell.metadata.nbgrader.points = 100.0
        if grade_id(cell) == "test-long_enough":
            cell.metadata.nbgrader.grade = False
    return filled


def _changed(changes: dict[str, str]) -> Callable[[NotebookNode], NotebookNode]:
    return lambda notebook: fill(notebook, RIGHT, changes)


STUDENTS: dict[str, Callable[[NotebookNode], NotebookNode]] = {
    "all right": _changed({}),
    "all right, with loops": _with_helper,
    "wrong axis": _changed(COLUMNS),
    "times temperature": _changed(MULTIPLIED),
    "nothing done": lambda notebook: notebook,
    "syntax error": _changed(SYNTAX),
    "endless cell": _changed(ENDLESS),
    "endless function": _changed(ENDLESS_CALL),
    "prints 50 MB": _changed(FLOOD),
    "hoards memory": _changed(HOARDS),
    "deleted cells": _deleted,
    "tampered tests": _tampered,
    "ready made": _changed(READY_MADE),
    "reads the source": _changed(SOURCE),
    "uses the network": _changed(NETWORK),
    "ends the process": _changed(EXITS),
    "leaves a process": _changed(LEAVES),
    "wrong axis too": _changed(COLUMNS_TOO),
    "forgets the lengths": _changed({"answer-cosines": COLUMNS["answer-cosines"]}),
}


def download(released: Path, file: Path) -> None:
    """Write what a learning platform would hand out: one zip with a folder for each student."""
    notebook = nbformat.read(released, 4)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (student, make) in enumerate(STUDENTS.items(), 101):
            text = nbformat.writes(make(named(copy.deepcopy(notebook), student)))
            archive.writestr(f"{student}_{number}_assignsubmission_file/{released.name}", text)
        archive.writestr(f"broken file_198_assignsubmission_file/{released.name}", nbformat.writes(notebook)[:2000])
        archive.writestr("no notebook_199_assignsubmission_file/essay.pdf", io.BytesIO(b"%PDF-1.7").read())
