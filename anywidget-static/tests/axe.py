"""What axe finds in a page. axe lies in the nearest folder that has a `node_modules`."""

from pathlib import Path
from typing import Any

ROOT = next(folder for folder in Path(__file__).parents if (folder / "node_modules").exists())
AXE = ROOT / "node_modules/axe-core/axe.min.js"


def violations(page: Any, without: str = "") -> list[tuple[str, str, str]]:
    """With every rule on, except in the elements `without`: the rule, the element, the reason of each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf8"))  # no script tag: a policy forbids it
    found = page.evaluate("(without) => axe.run(without ? { exclude: without } : document)", without)["violations"]
    return [(rule["id"], node["html"], node["failureSummary"]) for rule in found for node in rule["nodes"]]
