"""The book's typefaces and KaTeX's, cut down to the characters that the pages use.

The fonts come from npm and lie in `node_modules`; the site gets the cut ones alone. The step is skipped
while neither the characters nor the fonts have changed.
"""

import hashlib
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SOURCE = "@fontsource-variable/source-{0}/files/source-{0}-latin-wght-{1}.woff2"
TYPEFACES = {
    "fonts/serif.woff2": SOURCE.format("serif-4", "normal"),
    "fonts/serif-italic.woff2": SOURCE.format("serif-4", "italic"),
    "fonts/sans.woff2": SOURCE.format("sans-3", "normal"),
}
ALWAYS = {*range(0x20, 0x7F), *range(0xA0, 0x100)}  # a reader may type these into a widget
FEATURES = [*subset.Options().layout_features, "tnum", "lnum"]


def fonts(modules: Path) -> dict[str, Path]:
    """For each font of the site, relative to `_static`, the file that it is cut from."""
    found = {target: modules / source for target, source in TYPEFACES.items()}
    found |= {f"katex/fonts/{file.name}": file for file in (modules / "katex/dist/fonts").glob("*.woff2")}
    if missing := [str(file) for file in found.values() if not file.exists()]:
        raise ExtensionError(f"{missing[0]} is missing: run `npm ci`, or `make book`, which does")
    return found


def characters(site: Path) -> set[int]:
    """Every character that a page or a script of the site can show."""
    files = [*site.rglob("*.html"), *(site / "_static" / "widgets").glob("*.js")]
    return ALWAYS.union(*(map(ord, set(file.read_text(encoding="utf8"))) for file in files))


def cut(source: Path, target: Path, wanted: set[int]) -> None:
    """Write `source` with the wanted characters alone."""
    options = subset.Options(flavor="woff2", layout_features=FEATURES)
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)


def cut_all(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    wanted = characters(Path(app.outdir))
    sources = fonts(Path(app.srcdir) / "node_modules")
    key = hashlib.sha256(repr(sorted(wanted)).encode())
    for target, source in sorted(sources.items()):
        key.update(target.encode() + source.read_bytes())
    record = Path(app.doctreedir) / "fonts"
    current = f"{key.hexdigest()} {' '.join(FEATURES)}"
    if record.exists() and record.read_text() == current and all((static / target).exists() for target in sources):
        return
    for target, source in sources.items():
        cut(source, static / target, wanted)
    record.write_text(current)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", cut_all, priority=900)  # after the widgets' script is written
    return {"parallel_read_safe": True, "parallel_write_safe": True}
