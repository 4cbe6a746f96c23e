"""Where a chapter's notebook opens at once: in the site's own JupyterLite, on Binder, a JupyterHub, or Colab.

JupyterLite is what `make lite` made; LITE names its folder, which is copied into the site. The others are those that
`_config.yml` names by Jupyter Book's convention, in `repository` and `launch_buttons`. The chapters are MyST Markdown, which
none of them opens as a notebook. Binder makes the notebooks itself (`binder/postBuild`); a JupyterHub and Colab open them from
the branch `notebooks`, which `.github/workflows/pages.yml` makes of the site's downloads.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from .downloads import CHAPTER

BRANCH = "notebooks"
FOLDERS = {"classic": "tree", "jupyterlab": "lab/tree"}
HOSTS = {"github.com": "gh", "gitlab.com": "gl"}
LAB = Path("lab/index.html")


class Link(NamedTuple):
    """Where a notebook opens, and its address there."""

    text: str
    address: str


def configure(app: Sphinx, config: Config) -> None:
    """Take LITE from the environment, and from _config.yml what Jupyter Book would hand to a theme of its own."""
    told = yaml.safe_load((Path(app.srcdir) / "_config.yml").read_text(encoding="utf8"))
    config.launch = {name: told.get(name) or {} for name in ("repository", "launch_buttons")}
    config.launch["lite"] = lite = os.environ.get("LITE", "")
    if lite and not (Path(app.srcdir) / lite / LAB).exists():
        raise ConfigError(f"LITE must name a folder with a JupyterLite, as `make lite` makes it, got {lite!r}")


def elsewhere(launch: dict[str, Any], name: str, base: str | None) -> Iterator[Link]:
    """The links to a chapter's notebook on other sites; `base` is the book's own address."""
    buttons, repository = launch["launch_buttons"], launch["repository"]
    services = {
        key: buttons[f"{key}_url"].rstrip("/")
        for key in ("binderhub", "jupyterhub", "colab")
        if buttons.get(f"{key}_url")
    }
    if not services:
        return
    if not (address := repository.get("url", "").removesuffix("/").removesuffix(".git")):
        raise ConfigError("launch_buttons in _config.yml need a repository with its url")
    if (interface := buttons.get("notebook_interface", "classic")) not in FOLDERS:
        raise ConfigError(f"notebook_interface in _config.yml must be one of {', '.join(FOLDERS)}, got {interface!r}")
    folder, host = FOLDERS[interface], urlsplit(address).hostname
    path = urlsplit(address).path.strip("/")
    if url := services.get("binderhub"):
        kind = HOSTS.get(host, "git")
        place = {"gh": path, "gl": quote(path, safe="")}.get(kind, quote(address, safe=""))
        inside = "/".join(filter(None, [repository.get("path_to_book", "").strip("/"), f"notebooks/{name}.ipynb"]))
        branch = quote(repository.get("branch") or "HEAD", safe="/")
        yield Link("Binder", f"{url}/v2/{kind}/{place}/{branch}?urlpath={quote(f'{folder}/{inside}')}")
    if url := services.get("jupyterhub"):
        asked = {"repo": address, "branch": BRANCH, "urlpath": f"{folder}/{path.split('/')[-1]}/{name}.ipynb"}
        yield Link("JupyterHub", f"{url}/hub/user-redirect/git-pull?{urlencode(asked, safe='/')}")
    if (url := services.get("colab")) and host == "github.com" and base:  # there the package comes from the book's site
        yield Link("Colab", f"{url}/github/{path}/blob/{BRANCH}/{name}.ipynb")


def offer(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give the template of a chapter its links."""
    if not (chapter := CHAPTER.fullmatch(page)):
        return
    links = [*elsewhere(app.config.launch, chapter[1], app.config.html_baseurl)]
    if app.config.launch["lite"]:
        links.insert(0, Link("JupyterLite", f"{context['content_root']}lite/{LAB.as_posix()}?path={chapter[1]}.ipynb"))
    context["launches"] = links


def copy_lite(app: Sphinx, exception: Exception | None) -> None:
    """Put JupyterLite into the site; without LITE there is none, also none of an older build."""
    if exception or app.builder.format != "html":
        return
    target, lite = Path(app.outdir) / "lite", app.config.launch["lite"]
    shutil.rmtree(target, ignore_errors=True)
    if lite:
        shutil.copytree(Path(app.srcdir) / lite, target)
