"""Scripts and styles without what only their writers need, by esbuild."""

import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

ESBUILD = Path("node_modules/.bin/esbuild")
WIDGETS = Path("attnlib/widgets")


def minified(text: str, loader: str, root: Path) -> str:
    """The same script ("js") or style ("css"), shorter.

    Raises ExtensionError when esbuild is missing, and with its words when it cannot read the text.
    """
    return _run(text, root, root, "--minify", f"--loader={loader}")


def page_script(names: list[str], root: Path) -> str:
    """One classic script that mounts every widget named, for pages without a kernel: with what these widgets use alone."""
    modules = "".join(f'import {name} from "./{name}.mjs";\n' for name in names)
    host = (root / WIDGETS / "host.js").read_text(encoding="utf8")
    entry = f"{modules}const widgets = {{ {', '.join(names)} }};\n{host}"
    return _run(entry, root, root / WIDGETS, "--bundle", "--minify", "--format=iife", "--loader=js")


def _run(text: str, root: Path, folder: Path, *options: str) -> str:
    program = (root / ESBUILD).absolute()
    if not program.exists():
        raise ExtensionError(f"{ESBUILD} is missing: run `npm ci`, or `make book`, which does")
    command = [str(program), *options, "--charset=utf8", "--log-level=error"]
    done = subprocess.run(command, input=text, cwd=folder, capture_output=True, text=True, encoding="utf8")
    if done.returncode:
        raise ExtensionError(f"esbuild cannot read this: {done.stderr}")
    return done.stdout
