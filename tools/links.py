"""List every address outside the site that the book links to, with the pages that name it. Nothing is fetched.

python tools/links.py
"""

from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href") or ""
        if tag == "a" and address.startswith(("http://", "https://", "mailto:")):
            self.found.add(address)


def external(site: Path) -> dict[str, list[str]]:
    """Each address outside the site, and the pages that link to it."""
    if not (site / "index.html").exists():
        raise FileNotFoundError(f"{site} holds no index.html: build the book first, make book")
    pages = defaultdict(list)
    for page in sorted(site.rglob("*.html")):
        parser = Links()
        parser.feed(page.read_text(encoding="utf8"))
        for address in parser.found:
            pages[address].append(page.relative_to(site).as_posix())
    return dict(sorted(pages.items()))


if __name__ == "__main__":
    found = external(SITE)
    total = len(list(SITE.rglob("*.html")))
    for address, pages in found.items():
        print(f"{address}\n    {'every page' if len(pages) == total else ', '.join(pages)}")
    print(f"{len(found)} addresses outside the site.")
