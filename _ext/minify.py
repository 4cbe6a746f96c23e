"""Scripts and styles without what only their writers need, by esbuild."""

import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

ESBUILD = Path("node_modules/.bin/esbuild")


def minified(text: str, loader: str, root: Path) -> str:
    """The same script ("js") or style ("css"), shorter.

    Raises ExtensionError when esbuild is missing, and with its words when it cannot read the text.
    """
    if not (root / ESBUILD).exists():
        raise ExtensionError(f"{ESBUILD} is missing: run `npm ci`, or `make book`, which does")
    command = [root / ESBUILD, "--minify", f"--loader={loader}", "--charset=utf8", "--log-level=error"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf8")
    if done.returncode:
        raise ExtensionError(f"esbuild cannot read this {loader}: {done.stderr}")
    return done.stdout
