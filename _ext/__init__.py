"""The book's own steps of the build and its theme, as one Sphinx extension.

Each module is a step. `setup` connects them all, so that the order of the whole build stands in one place.
"""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from . import api, disclosures, downloads, exercises, formulas, freshness, glossary  # isort: split

from . import images, ledger, links, outputs, pages, reading_list

OTHERS = (
    "sphinx_external_toc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_exercise",
    "sphinxcontrib.katex",
    "sphinxcontrib.bibtex",
    "sphinx.ext.autodoc",
    "anywidget_static.sphinx",
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extensions that come from elsewhere, the theme, and the steps in their order."""
    for name in OTHERS:
        app.setup_extension(name)
    app.add_html_theme("attention", str(Path(__file__).parent / "theme"))
    app.add_js_file("site.js", loading_method="defer")
    app.add_config_value("comments_config", {}, "")  # Jupyter Book sets it for an extension that is not used
    for digest in freshness.DIGESTS:
        app.add_config_value(digest, "", "env", types=[str])
    reading_list.register()
    formulas.configure()
    outputs.configure()

    app.add_node(disclosures.Disclosure, html=disclosures.tags("details"))
    app.add_node(disclosures.Title, html=disclosures.tags("summary"))
    app.add_node(images.Image, html=(images.visit, images.depart))
    app.add_node(ledger.Waiting)
    app.add_directive("coverage", ledger.Coverage)
    app.add_role("errata", ledger.Errata())
    app.add_directive("downloads", downloads.Downloads)

    app.connect("config-inited", freshness.set_digests)
    app.connect("config-inited", pages.set_address)
    app.connect("builder-inited", freshness.recall, priority=300)
    app.connect("builder-inited", pages.write_style, priority=400)  # Sphinx looks for the static files at 500
    app.connect("autodoc-process-docstring", api.rewrite)
    app.connect("doctree-read", glossary.collect)
    app.connect("doctree-read", ledger.collect)
    app.connect("env-updated", glossary.check)
    app.connect("env-updated", ledger.check)
    app.connect("env-check-consistency", exercises.check)
    app.add_post_transform(exercises.CompleteExercises)
    app.add_post_transform(disclosures.ToDisclosures)
    app.add_post_transform(formulas.KeepMarks)
    app.connect("doctree-resolved", glossary.link)
    app.connect("doctree-resolved", ledger.link)
    app.connect("doctree-resolved", downloads.fill)
    app.connect("doctree-resolved", images.complete)
    app.connect("html-page-context", pages.describe)
    app.connect("html-page-context", glossary.weigh)
    app.connect("html-page-context", downloads.name_notebook)
    app.connect("html-page-context", pages.choose_files, priority=950)  # after all that add files
    app.connect("build-finished", pages.write_addresses)
    app.connect("build-finished", downloads.write)
    app.connect("build-finished", links.check, priority=900)  # after what the other steps write then
    app.connect("build-finished", freshness.note, priority=950)
    return {"env_version": freshness.version(), "parallel_read_safe": True, "parallel_write_safe": False}
