"""Joins the widgets' JavaScript modules into one script.

Two places cannot resolve an `import`: Jupyter loads a widget from a blob, and a page opened from a
folder may load no modules. So each module becomes a function called once, in the order of its imports.
Our modules keep to a form that needs no parser: `import * as name from "./name.mjs";` at the top,
then `export function …` or `export const …` or, in a widget, one closing `export default { render, changes };`.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import \* as (\w+) from "\./\1\.mjs";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function|const) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def notebook_module(name: str, folder: Path = FOLDER) -> str:
    """The module that anywidget loads for the widget `name`."""
    return f"{_join([name], folder)}export default {name};\n"


def page_script(names: list[str], folder: Path = FOLDER) -> str:
    """One classic script that mounts every widget named, for pages without a kernel."""
    host = (folder / "host.js").read_text(encoding="utf8")
    return f'(() => {{\n"use strict";\n{_join(names, folder)}const widgets = {{ {", ".join(names)} }};\n{host}}})();\n'


def _join(names: list[str], folder: Path) -> str:
    done: dict[str, str] = {}
    for name in names:
        _add(name, folder, done)
    return "".join(done.values())


def _add(name: str, folder: Path, done: dict[str, str]) -> None:
    """Add a module behind those that it imports."""
    if name in done:
        return
    source = (folder / f"{name}.mjs").read_text(encoding="utf8")
    for needed in _IMPORT.findall(source):
        _add(needed, folder, done)
    exports = _EXPORT.findall(source)
    body = _DEFAULT.sub("return ", _EXPORT.sub("", _IMPORT.sub("", source)))
    if left := _LEFT.search(body):
        raise ValueError(f"{name}.mjs: cannot join the line {left[0]!r}")
    if exports:
        body += f"return {{ {', '.join(exports)} }};\n"
    done[name] = f"const {name} = (() => {{\n{body}}})();\n"
