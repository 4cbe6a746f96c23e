"""The book's typefaces and KaTeX's, cut down to the characters and the weights that the pages use.

The fonts come from npm and lie in `node_modules`; the site gets the cut ones alone, with their licences.
Theirs reserves the name "Source" for the uncut ones, so the cut ones are called Book Serif and Book Sans. The
step is skipped while neither the characters nor the fonts have changed.
"""

import hashlib
import re
import shutil
from pathlib import Path

from fontTools import subset
from fontTools.varLib.instancer import instantiateVariableFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from freshness import once

SOURCE = "@fontsource-variable/source-{0}/files/source-{0}-latin-wght-{1}.woff2"
TYPEFACES = {
    "fonts/serif.woff2": SOURCE.format("serif-4", "normal"),
    "fonts/serif-italic.woff2": SOURCE.format("serif-4", "italic"),
    "fonts/sans.woff2": SOURCE.format("sans-3", "normal"),
}
TYPED = {*range(0x20, 0x7F), *range(0xA0, 0x100)}  # a reader may type these into a widget, which is set in the sans
ALPHABETS = {  # fonts of which formulas take a few letters, and the names of KaTeX's elements that ask for them
    "fonts/katex/KaTeX_Main-Bold.woff2": re.compile(r"\b(?:mathbf|textbf)\b[^>]*>([^<]*)"),
    "fonts/katex/KaTeX_AMS-Regular.woff2": re.compile(r"\b(?:mathbb|amsrm)\b[^>]*>([^<]*)"),
}
WEIGHTS = (400, 600)  # from text to bold; the italic is never bold


def fonts(modules: Path) -> dict[str, Path]:
    """For each font of the site, relative to `_static`, the file that it is cut from."""
    found = {target: modules / source for target, source in TYPEFACES.items()}
    found |= {f"fonts/katex/{file.name}": file for file in (modules / "katex/dist/fonts").glob("*.woff2")}
    if missing := [str(file) for file in found.values() if not file.exists()]:
        raise ExtensionError(f"{missing[0]} is missing: run `npm ci`, or `make book`, which does")
    return found


def characters(site: Path) -> tuple[set[int], dict[str, set[int]]]:
    """Every character that a page or a script of the site can show, and for fonts that show others, theirs."""
    files = [*site.rglob("*.html"), *site.glob("_static/widgets-*.js")]
    texts = [file.read_text(encoding="utf8") for file in files]
    shown = set().union(*(map(ord, set(text)) for text in texts))
    few = {
        font: {ord(c) for text in texts for found in asked.findall(text) for c in found}
        for font, asked in ALPHABETS.items()
    }
    return shown, {"fonts/sans.woff2": shown | TYPED} | few


def cut(source: Path, target: Path, wanted: set[int]) -> None:
    """Write `source` with the wanted characters and weights alone."""
    options = subset.Options(flavor="woff2", hinting=False)
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    if "fvar" in font:
        instantiateVariableFont(font, {"wght": WEIGHTS[0] if "italic" in source.name else WEIGHTS}, inplace=True)
    for record in font["name"].names:
        if record.nameID in {1, 3, 4, 6}:
            record.string = record.toUnicode().replace("Source", "Book")
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)
    font.close()


def cut_all(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    shown, others = characters(Path(app.outdir))
    sources = fonts(Path(app.srcdir) / "node_modules")
    targets = [Path(app.outdir) / "_static" / target for target in sources]
    key = hashlib.sha256(Path(__file__).read_bytes() + repr((sorted(shown), *map(sorted, others.values()))).encode())
    for target, source in sorted(sources.items()):
        key.update(target.encode() + source.read_bytes())

    def make() -> None:
        for target, (name, source) in zip(targets, sources.items(), strict=True):
            cut(source, target, others.get(name, shown))
        for source in sources.values():
            package = source.parents[1] if "files" in source.parts else source.parents[2]
            shutil.copy(package / "LICENSE", Path(app.outdir) / "_static/fonts" / f"LICENSE-{package.name}.txt")

    once(app, "fonts", key.hexdigest(), targets, make)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", cut_all, priority=900)  # after the widgets' script is written
    return {"parallel_read_safe": True, "parallel_write_safe": True}
