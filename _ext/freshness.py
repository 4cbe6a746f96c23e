"""Rebuild and re-execute the chapters when the code behind them has changed, and repeat no step without a reason.

Sphinx and jupyter-cache look at a chapter's own text alone. A digest of the steps of the build and of the packages is the
version of what Sphinx keeps, so that a change reads every page anew, and forgets what was noted of the files that steps have
made. The packages' digest is also part of the cache's path, so that no output of the old code is taken for one of the new.
"""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

STEPS, PACKAGES = "_ext", ("attnlib", "anywidget-static/src", "chapters/attention_posters")
_notes = Path("_build/.doctrees/made")  # where `once` notes what a file was made from


def digest(root: Path, *parts: str) -> str:
    """Twelve hexadecimal digits that change with any file in these folders below the root, but for what Python compiles."""
    whole = hashlib.sha256()
    files = {file for part in parts for file in (root / part).rglob("*") if file.is_file()}
    for file in sorted(file for file in files if file.parent.name != "__pycache__"):
        whole.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:12]


def version(app: Sphinx) -> int:
    """A number that changes with the steps of the build and with the packages."""
    return int(digest(Path(app.srcdir), STEPS, *PACKAGES), 16)


def set_cache(app: Sphinx, config: Config) -> None:
    """Say where outputs are kept, and what was noted of the files; drop the caches of older code."""
    global _notes
    _notes = Path(app.doctreedir) / f"made-{version(app)}"
    for old in Path(app.doctreedir).glob("made-*"):
        if old.name != _notes.name:
            shutil.rmtree(old)  # of other code, which has made the same files anew since
    caches, code = Path(app.outdir).parent / ".jupyter_cache", digest(Path(app.srcdir), *PACKAGES)
    config.nb_execution_cache_path = str(caches / code)
    for old in caches.glob("*"):
        if old.is_dir() and old.name != code:
            shutil.rmtree(old)


def once(file: Path, key: object, make: Callable[[], object]) -> None:
    """Make a file, unless an earlier build has made it from the same key and it is still there."""
    note, made_from = _notes / file.name, hashlib.sha256(repr(key).encode()).hexdigest()
    if not file.exists() or not note.exists() or note.read_text() != made_from:
        make()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(made_from)
