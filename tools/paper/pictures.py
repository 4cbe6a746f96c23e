"""Pictures of the site's widgets, for paper: each as it starts, and in the states that states.toml names.

A state is what a link to the widget carries, so it stands under the name of a page and of a widget there, as the changes
of fields, with the buttons that are pressed then, and beside it what to compare. A widget that is not there, a field that it has not and a value that it does not
take are errors.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error

STATES = Path(__file__).with_name("states.toml")
SCRIPT = Path(__file__).with_name("pictures.mjs")
START = "As it starts"
COMPARE = "compare"


def states(file: Path = STATES) -> dict[str, dict[str, Any]]:
    """By `page#widget`: the changes of each state, by what is said of it; `START` is False where it is not shown.

    Raises ValueError for another form.
    """
    found = {place: {said: value for said, value in named.items() if said != COMPARE} for place, named in _read(file)}
    for place, named in found.items():
        named = {said: changes for said, changes in named.items() if (said, changes) != (START, False)}
        if not all(isinstance(changes, dict) and changes for changes in named.values()):
            raise ValueError(f"{file.name}: a state of {place} changes nothing")
    return found


def compared(file: Path = STATES) -> dict[str, str]:
    """By `page#widget`: what a reader of the paper can look at where the text asks to do something."""
    return {place: named[COMPARE] for place, named in _read(file) if COMPARE in named}


def _read(file: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    return tomllib.loads(file.read_text(encoding="utf8")).items()


def take(
    browser: Browser, site: Path, pages: list[str], named: dict[str, dict[str, Any]]
) -> dict[str, list[tuple[str, str]]]:
    """By `page#widget`: what is said of each state, and its picture as HTML. The first is as the widget starts, unless that is False.

    Raises ValueError for a state that names no widget of its page, or that its widget does not take.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light", device_scale_factor=2)
    for name in pages:
        chapter = Path(name).stem
        page.goto((site / name).as_uri())
        page.add_script_tag(content=SCRIPT.read_text(encoding="utf8"))
        page.wait_for_function("paper.started()", polling=50)
        for widget in page.eval_on_selector_all(page.evaluate("paper.WIDGETS"), "(all) => all.map(({ id }) => id)"):
            place = f"{chapter}#{widget}"
            found[place] = []
            for said, changes in ({START: {}} | named.get(place, {})).items():
                if changes is False:
                    continue
                try:
                    found[place].append((said, page.evaluate("paper.pictured", [widget, changes])))
                except Error as error:
                    raise ValueError(f"the state {said!r} of {place}: {error.message.splitlines()[0]}") from error
        lost = [place for place in named if place.startswith(f"{chapter}#") and place not in found]
        if lost:
            raise ValueError(f"{name} has no widget {lost[0].partition('#')[2]!r}")
    page.close()
    return found
