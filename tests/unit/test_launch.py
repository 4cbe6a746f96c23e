"""Where a chapter's notebook opens on other sites: addresses that lead to a notebook, or none."""

from types import SimpleNamespace

import pytest
from sphinx.errors import ConfigError

from _ext import launch

SERVICES = {
    "binderhub_url": "https://binder.test/",
    "jupyterhub_url": "https://hub.test",
    "colab_url": "https://colab.test",
}


def links(services, base=None, **repository):
    found = launch.elsewhere({"launch_buttons": services, "repository": repository}, "01_dot_product", base)
    return {link.text: link.address for link in found}


@pytest.mark.parametrize("services", [{}, {"thebe": True}, {"notebook_interface": "jupyterlab"}])
def test_without_a_service_there_is_no_link(services):
    assert links(services, url="https://github.com/one/book") == {}


@pytest.mark.parametrize(
    "url", ["https://github.com/one/book", "https://github.com/one/book/", "https://github.com/one/book.git"]
)
def test_the_addresses_of_a_repository_at_github(url):
    assert links(SERVICES, "https://one.test/", url=url, branch="main") == {
        "Binder": "https://binder.test/v2/gh/one/book/main?urlpath=tree/notebooks/01_dot_product.ipynb",
        "JupyterHub": "https://hub.test/hub/user-redirect/git-pull"
        "?repo=https%3A//github.com/one/book&branch=notebooks&urlpath=tree/book/01_dot_product.ipynb",
        "Colab": "https://colab.test/github/one/book/blob/notebooks/01_dot_product.ipynb",
    }


def test_a_book_in_a_folder_of_its_repository_opens_in_the_lab_at_the_newest_state():
    services = SERVICES | {"notebook_interface": "jupyterlab"}
    found = links(services, url="https://github.com/one/book", path_to_book="/docs/")
    address = "https://binder.test/v2/gh/one/book/HEAD?urlpath=lab/tree/docs/notebooks/01_dot_product.ipynb"
    assert found["Binder"] == address
    assert found["JupyterHub"].endswith("urlpath=lab/tree/book/01_dot_product.ipynb")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://gitlab.com/one/sub/book", "gl/one%2Fsub%2Fbook"),
        ("https://git.test/one/book", "git/https%3A%2F%2Fgit.test%2Fone%2Fbook"),
    ],
)
def test_binder_reads_other_hosts_too_and_colab_does_not(url, place):
    found = links(SERVICES, "https://one.test/", url=url, branch="main")
    assert found["Binder"].startswith(f"https://binder.test/v2/{place}/main?")
    assert "Colab" not in found


def test_colab_needs_a_site_that_the_package_can_come_from():
    assert "Colab" not in links(SERVICES, url="https://github.com/one/book")


def test_what_cannot_work_stops_the_build():
    with pytest.raises(ConfigError, match="need a repository with its url"):
        links(SERVICES)
    with pytest.raises(ConfigError, match="must be one of classic, jupyterlab, got 'lab'"):
        links(SERVICES | {"notebook_interface": "lab"}, url="https://github.com/one/book")


def test_a_folder_without_jupyterlite_stops_the_build(tmp_path, monkeypatch):
    (tmp_path / "_config.yml").write_text("title: A book")
    app, config = SimpleNamespace(srcdir=tmp_path), SimpleNamespace()
    launch.configure(app, config)
    assert config.launch == {"repository": {}, "launch_buttons": {}, "lite": ""}
    monkeypatch.setenv("LITE", "_build/lite")
    with pytest.raises(ConfigError, match="`make lite` makes it, got '_build/lite'"):
        launch.configure(app, config)
