"""The book's own steps of the build and its theme, as one Sphinx extension.

Each module is a step. `setup` connects them all, so that the order of the whole build stands in one place.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from . import api, disclosures, downloads, exercises, formulas, freshness, glossary  # isort: split

from . import edition, images, launch, ledger, links, outputs, pages, reading_list, reading_time, room, withheld

logger = logging.getLogger(__name__)


def warn_of(step: ModuleType) -> Callable[..., None]:
    """Make each fault that the step's `check` gives, a message and its page, a warning."""

    def warn(app: Sphinx, *arguments: Any) -> None:
        for message, page in step.check(app, *arguments):
            logger.warning(message, location=page, type=step.__name__.removeprefix("_ext."))

    return warn


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the theme, and the steps in their order."""
    app.add_html_theme("attention", str(Path(__file__).parent / "theme"))
    for script in ("progress.js", "site.js"):  # what is brought in is shown by the second
        app.add_js_file(script, loading_method="defer")
    app.add_config_value("launch", {}, "html")
    app.add_config_value("edition", "", "html")
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it for an extension that is not used
    reading_list.register()
    formulas.configure()
    outputs.configure()

    app.add_node(disclosures.Disclosure, html=disclosures.tags("details"))
    app.add_node(disclosures.Title, html=disclosures.tags("summary"))
    app.add_node(withheld.Withheld, html=(withheld.visit, withheld.depart))
    app.add_node(exercises.Fence, html=(exercises.visit_fence, None))
    for node, depart in exercises.ENDS.items():
        app.add_node(node, override=True, html=(exercises.visit_exercise, depart))
    app.add_node(nodes.image, override=True, html=(images.visit, images.depart))
    app.add_directive("beliefs", exercises.Beliefs)
    app.add_directive("coverage", ledger.Coverage)
    app.add_directive("errata", ledger.Errata)
    app.add_directive("downloads", downloads.Downloads)
    app.add_directive("reading-time", reading_time.ReadingTime)

    app.connect("config-inited", freshness.set_cache)
    app.connect("config-inited", pages.set_address)
    app.connect("config-inited", launch.configure)
    app.connect("config-inited", edition.configure)
    app.connect("builder-inited", pages.write_style, priority=400)  # Sphinx looks for the static files at 500
    app.connect("autodoc-process-docstring", api.rewrite)
    app.connect("doctree-read", glossary.collect)
    app.connect("doctree-read", ledger.collect)
    app.connect("doctree-read", reading_time.write)
    app.connect("doctree-read", images.shorten)
    app.connect("env-updated", ledger.again)
    app.connect("env-updated", pages.again)
    for step in (exercises, glossary, ledger, reading_time):
        app.connect("env-check-consistency", warn_of(step))
    app.add_post_transform(exercises.CompleteExercises)
    app.add_post_transform(disclosures.ToDisclosures)
    app.add_post_transform(withheld.Withhold)
    app.add_post_transform(formulas.KeepMarks)
    app.connect("doctree-resolved", glossary.link)
    app.connect("doctree-resolved", ledger.link)
    app.connect("doctree-resolved", downloads.fill)
    app.connect("doctree-resolved", images.mark)
    app.connect("html-page-context", pages.describe)
    app.connect("html-page-context", launch.offer)
    app.connect("html-page-context", edition.describe)
    app.connect("html-page-context", glossary.weigh)
    app.connect("html-page-context", room.write)
    app.connect("html-page-context", pages.choose_files, priority=950)  # after all that add files
    app.connect("build-finished", pages.drop_old)
    app.connect("build-finished", pages.write_addresses)
    app.connect("build-finished", downloads.write)
    app.connect("build-finished", launch.copy_lite)
    app.connect("build-finished", warn_of(links), priority=900)  # after what the other steps write then
    return {"env_version": freshness.version(app), "parallel_read_safe": True, "parallel_write_safe": False}
