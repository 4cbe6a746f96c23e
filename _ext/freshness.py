"""Rebuild and re-execute the chapters when the code behind them has changed.

Sphinx and jupyter-cache look at a chapter's own text alone. A digest of `attnlib`, and one of what
the pages look like, are made part of Sphinx's configuration, so that a change reads every page anew.
The first is also part of the cache's path, so that no output of the old code is taken for one of the new.
When the steps of the build change, all that the old ones had noted is forgotten, for it may have had another form.
"""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

SOURCES = ("*.py", "*.mjs", "*.js", "*.css", "*.json", "*.html", "*.toml", "*.svg")


def digest(package: Path) -> str:
    """Twelve hexadecimal digits that change with any source of the package."""
    files = sorted(file for pattern in SOURCES for file in package.rglob(pattern))
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.relative_to(package).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:12]


def once(app: Sphinx, step: str, key: str, targets: list[Path], make: Callable[[], None]) -> None:
    """Make the targets, unless they were made from the same `key` before and are still there."""
    record = Path(app.outdir).parent / "steps" / step
    if record.exists() and record.read_text() == key and all(target.exists() for target in targets):
        return
    make()
    record.parent.mkdir(exist_ok=True)
    record.write_text(key)


def set_digest(app: Sphinx, config: Config) -> None:
    config.attnlib_digest = "".join(digest(Path(app.srcdir) / part) for part in ("attnlib", "chapters/attention_posters"))
    config.site_digest = digest(Path(app.srcdir) / "_ext/theme")
    caches = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(caches / config.attnlib_digest)
    for old in caches.glob("*"):
        if old.is_dir() and old.name != config.attnlib_digest:
            shutil.rmtree(old)


def setup(app: Sphinx) -> dict[str, bool | int]:
    app.add_config_value("attnlib_digest", "", "env", types=[str])
    app.add_config_value("site_digest", "", "env", types=[str])
    app.connect("config-inited", set_digest)
    steps = int(digest(Path(__file__).parent), 16)
    return {"env_version": steps, "parallel_read_safe": True, "parallel_write_safe": True}
