"""Formulas as MathML, by the KaTeX that the book is built with: a page needs no script, style or font for them.

A formula that KaTeX does not know, or that is made to cost time, stays as it was written. What was typeset once is
kept, so that a class with the same set asks KaTeX once.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
KATEX = HERE.parent / "node_modules" / "katex" / "dist" / "katex.js"
LONGEST = 2_000  # characters of one formula
MOST = 20_000  # characters of all that are typeset at once
LARGEST = 100_000  # characters of MathML
SECONDS = 20  # a busy machine has time enough; the limits above keep it to a fraction of one
DEFINES = re.compile(r"\\([gex]?def|(re)?newcommand|providecommand|let|futurelet|global|long)(?![A-Za-z])")
# What KaTeX makes of a command that it knows and must not follow, such as a link, and all that could load or act.
REFUSED = re.compile(r'mathcolor="#cc0000"|<(?!/?(math|semantics|annotation|m[a-z]+)\b)|\s(href|src|style|on\w+)=')
APPLIED = "<mo>\N{FUNCTION APPLICATION}</mo>"

Formula = tuple[str, bool]  # its source, and whether it stands on lines of its own
_known: dict[Formula, str | None] = {}


def typeset(formulas: Iterable[Formula]) -> dict[Formula, str]:
    """The MathML of each formula that can be typeset; the others are left out."""
    wanted, length = [], 0
    asked = list(dict.fromkeys(formulas))
    for formula in asked:
        if formula in _known:
            continue
        length += len(formula[0])
        if length > MOST or len(formula[0]) > LONGEST or DEFINES.search(formula[0]):
            continue
        wanted.append(formula)
    if wanted:
        _known.update(zip(wanted, _katex(wanted), strict=True))
    return {formula: found for formula in asked if (found := _known.get(formula))}


def trouble() -> str:
    """Why formulas would stay as they were written, in a sentence; nothing when they are typeset."""
    if not KATEX.exists() or not _node():
        return "Formulas in the feedback stay as they were written: KaTeX or Node is missing. `make` installs both."
    return ""


def _katex(formulas: list[Formula]) -> list[str | None]:
    if trouble():
        return [None] * len(formulas)
    command = [_node(), str(HERE / "formulas.cjs"), str(KATEX)]
    try:
        ran = subprocess.run(command, input=json.dumps(formulas).encode(), capture_output=True, timeout=SECONDS)
        found = json.loads(ran.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return [None] * len(formulas)
    return [_clean(one) for one in found]


def _clean(mathml: str | None) -> str | None:
    """Without its source beside it, which would double the page, and without an operator that is not seen."""
    if mathml is None or len(mathml) > LARGEST:
        return None
    mathml = re.sub(r"<annotation\b[^>]*>.*?</annotation>", "", mathml, flags=re.DOTALL)
    mathml = re.sub(r"^<span[^>]*>|</span>$", "", mathml)
    mathml = re.sub(rf"{APPLIED}(?=<mo[^>]*>[(\[])", "", mathml).replace(APPLIED, '<mspace width="0.17em"></mspace>')
    return None if REFUSED.search(mathml) else mathml


def _node() -> str:
    """Node, which `make` may have put beside this Python."""
    return shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent)) or ""
