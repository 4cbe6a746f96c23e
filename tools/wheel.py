"""A step of the wheel's build: what a notebook carries of the widgets is in it, and not older than their modules."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Widgets(BuildHookInterface[Any]):
    """Stops the build of a wheel, unless it is that of an editable install, which may come before Node."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root, "attnlib/widgets")
        built = folder / "static/widgets.mjs"
        runtime = Path(self.root, "anywidget-static/src/anywidget_static/js")
        sources = [*folder.glob("*.mjs"), *folder.glob("*.css"), *runtime.glob("*.mjs")]
        newest = max(file.stat().st_mtime for file in sources)
        if version != "editable" and not (built.exists() and built.stat().st_mtime >= newest):
            raise FileNotFoundError(f"{built} is missing or old: run `python -m anywidget_static attnlib/widgets`")
