"""What axe finds in a page."""

from pathlib import Path
from typing import Any

AXE = "node_modules/axe-core/axe.min.js"


def violations(page: Any, root: Path, without: str = "") -> list[tuple[str, str, str]]:
    """With every rule on, except in the elements `without`: the rule, the element, the reason of each.

    Args:
        page: Playwright's, open.
        root: the folder that has axe in its `node_modules`.
        without: a selector.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate((root / AXE).read_text(encoding="utf8"))  # no script tag: a policy forbids it
    found = page.evaluate("(without) => axe.run(without ? { exclude: without } : document)", without)["violations"]
    return [(rule["id"], node["html"], node["failureSummary"]) for rule in found for node in rule["nodes"]]
