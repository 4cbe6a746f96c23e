"""Make what lies ready-made in `_ext/theme/static`: the typefaces and the picture of a shared link.

    python -m tools.artwork

Run it after `make book` when a page has a letter that a font lacks (a test says so), or when the title or the colours
change. The fonts come from npm; they are cut down to the characters and the weights that the pages use, with their licences.
Theirs reserves the name "Source" for the uncut ones, so the cut ones are called Book Serif and Book Sans.
"""

import re
import shutil
import tempfile
import textwrap
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle

from attnlib import houston
from attnlib.plots import COLOURS, draw_grid
from tools.site import ROOT, SITE

MODULES, STATIC = ROOT / "node_modules", ROOT / "_ext/theme/static"
FOLDER = "@fontsource-variable/source-{0}/files/source-{0}-latin-wght-{1}.woff2"
FONTS = {
    "serif.woff2": MODULES / FOLDER.format("serif-4", "normal"),
    "serif-italic.woff2": MODULES / FOLDER.format("serif-4", "italic"),
    "sans.woff2": MODULES / FOLDER.format("sans-3", "normal"),
    **{f"katex/{file.name}": file for file in sorted((MODULES / "katex/dist/fonts").glob("*.woff2"))},
}
TYPED = {*range(0x20, 0x7F), *range(0xA0, 0x100)}  # a reader may type these into a widget, which is set in the sans
ALPHABETS = {  # fonts of which formulas take a few letters, and the names of KaTeX's elements that ask for them
    "katex/KaTeX_Main-Bold.woff2": re.compile(r"\b(?:mathbf|textbf)\b[^>]*>([^<]*)"),
    "katex/KaTeX_AMS-Regular.woff2": re.compile(r"\b(?:mathbb|amsrm)\b[^>]*>([^<]*)"),
}
WEIGHTS = (400, 600)  # from text to bold; the italic is never bold
PAPER, INK, MUTED = "#fffefb", "#1d2126", "#5a6068"


def characters(site: Path) -> dict[str, set[int]]:
    """For each font, every character that a page or a script of the site can show in it."""
    texts = [file.read_text("utf8") for file in (*site.rglob("*.html"), *site.glob("_static/widgets-*.js"))]
    shown = {ord(letter) for text in texts for letter in set(text)}
    few = {font: {ord(c) for text in texts for c in "".join(asked.findall(text))} for font, asked in ALPHABETS.items()}
    return dict.fromkeys(FONTS, shown) | {"sans.woff2": shown | TYPED} | few


def cut(source: Path, target: Path, wanted: set[int]) -> None:
    """Write `source` with the wanted characters and weights alone."""
    options = subset.Options(flavor="woff2", hinting=False)
    with subset.load_font(str(source), options) as font:
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


def draw_preview(title: str, target: Path) -> None:
    """The book's title beside the grid of the landing page; 1200 × 630 pixels, as the Open Graph protocol's readers expect."""
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor=PAPER)
    with tempfile.NamedTemporaryFile(suffix=".ttf") as file, TTFont(FONTS["serif.woff2"]) as font:
        font.flavor = None
        instantiateVariableFont(font, {"wght": 600}, inplace=True).save(file.name)
        serif = FontProperties(fname=file.name)
        figure.text(0.06, 0.86, textwrap.fill(title, 18), font=serif, fontsize=37, color=INK, va="top", linespacing=1.1)
        figure.text(0.06, 0.12, "An interactive book", font=serif, fontsize=20, color=MUTED)
        figure.add_artist(Rectangle((0, 0), 0.012, 1, transform=figure.transFigure, color=COLOURS[0]))
        axes, last = figure.add_axes((0.57, 0.12, 0.38, 0.7)), houston.stages()[-1]
        draw_grid(axes, houston.TOKENS, last.weights[houston.PREVIOUS], last.mask)
        axes.tick_params(labelsize=14, labelcolor=INK)
        for text in axes.texts:
            text.set(fontsize=15, color=INK)
        figure.savefig(target)


if __name__ == "__main__":
    for name, wanted in characters(SITE).items():
        cut(FONTS[name], STATIC / "fonts" / name, wanted)
    for package in {source.parents[1] if "files" in source.parts else source.parents[2] for source in FONTS.values()}:
        shutil.copy(package / "LICENSE", STATIC / f"fonts/LICENSE-{package.name}.txt")
    title = (ROOT / "_config.yml").read_text(encoding="utf8").splitlines()[0].removeprefix("title: ")
    draw_preview(title, STATIC / "preview.png")
