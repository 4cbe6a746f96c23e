"""Rebuild and re-execute the chapters when the code behind them has changed, and repeat no step without a reason.

Sphinx and jupyter-cache look at a chapter's own text alone. A digest of `attnlib`, and one of the theme, are made part of
Sphinx's configuration, so that a change reads every page anew. The first is also part of the cache's path, so that no
output of the old code is taken for one of the new. When the steps change, all that the old ones had noted is forgotten.
"""

import hashlib
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

SOURCES = {".py", ".mjs", ".js", ".css", ".json", ".html", ".toml", ".svg", ".png", ".woff2"}
PACKAGES = ("attnlib", "anywidget-static/src", "chapters/attention_posters")
DIGESTS = ("attnlib_digest", "theme_digest")
_made: dict[Path, object] = {}


def digest(folder: Path) -> str:
    """Twelve hexadecimal digits that change with any source in the folder."""
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.suffix in SOURCES):
        whole.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:12]


def version() -> int:
    """A number that changes with the steps of the build."""
    return int(digest(Path(__file__).parent), 16)


def set_digests(app: Sphinx, config: Config) -> None:
    """Make the digests part of the configuration and of the cache's path; drop the caches of older code."""
    config.attnlib_digest = "".join(digest(Path(app.srcdir) / part) for part in PACKAGES)
    config.theme_digest = digest(Path(__file__).parent / "theme")
    caches = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(caches / config.attnlib_digest)
    for old in caches.glob("*"):
        if old.is_dir() and old.name != config.attnlib_digest:
            shutil.rmtree(old)


def once(file: Path, key: object, make: Callable[[], object]) -> None:
    """Make a file, unless an earlier build has made it from the same key and it is still there."""
    if _made.get(file) != key or not file.exists():
        make()
        _made[file] = key


def recall(app: Sphinx) -> None:
    """Read what the last build noted for `once`."""
    _made.clear()
    if (notes := _notes(app)).exists():
        _made.update(pickle.loads(notes.read_bytes()))


def note(app: Sphinx, exception: Exception | None) -> None:
    """Keep what was noted for the next build, unless this one broke off."""
    _notes(app).unlink(missing_ok=True)
    if not exception:
        _notes(app).write_bytes(pickle.dumps(_made))


def _notes(app: Sphinx) -> Path:
    return Path(app.doctreedir) / f"steps-{version()}.pickle"
