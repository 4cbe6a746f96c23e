"""The last line of a chapter leads to where its notebook opens at once, as far as there is such a place."""

import re

import pytest

PLACES = """
repository: {url: "https://github.com/one/book", branch: main}
launch_buttons: {binderhub_url: "https://binder.test", colab_url: "https://colab.test"}
"""
PAGES = {"index": "# T\n", "chapters/99_last": "# Last\n", "chapters/appendices/downloads": "# Downloads\n"}


def opened_at(book):
    """What the last line of the chapter links to, the file and its page left out, by what it says."""
    line = re.search(r'<p class="notebook">.*?</p>', book.page("chapters/99_last"), re.DOTALL)[0]
    (_, _), (_, _), *links = re.findall(r'<a href="([^"]+)"[^>]*>(.+?)</a>', line)
    return {says: address for address, says in links}


@pytest.mark.slow
def test_a_chapter_opens_in_what_the_build_is_given_and_nowhere_else(book):
    assert book.build(PAGES).code == 0
    assert opened_at(book) == {}
    assert "Edit this page" not in book.page("chapters/99_last")

    lab = book.folder / "made/lab/index.html"
    lab.parent.mkdir(parents=True)
    lab.write_text("<title>Lab</title>")
    config = book.folder / "_config.yml"
    text = config.read_text()
    config.unlink()
    config.write_text(text + PLACES)
    done = book.build(PAGES, LITE="made", BASE_URL="https://one.test/")
    assert done.code == 0, done.log
    assert opened_at(book) == {
        "JupyterLite": "../lite/lab/index.html?path=99_last.ipynb",
        "Binder": "https://binder.test/v2/gh/one/book/main?urlpath=tree/notebooks/99_last.ipynb",
        "Colab": "https://colab.test/github/one/book/blob/notebooks/99_last.ipynb",
    }
    assert (book.site / "lite/lab/index.html").read_text() == "<title>Lab</title>"
    assert 'class="notebook"' not in book.page("chapters/appendices/downloads")

    done = book.build(PAGES)
    assert done.code == 0, done.log
    assert [*opened_at(book)] == ["Binder"]  # without an address of its own the site has no package for Colab
    assert not (book.site / "lite").exists()
    foot = re.search(r'<p class="foot-edition">(.*?)</p>', book.page("chapters/99_last"), re.DOTALL)[1]
    assert foot.startswith("Version ")
    assert re.findall(r'<a href="([^"]+)">(.+?)</a>', foot) == [
        ("https://github.com/one/book/issues/new?title=Last", "Report a mistake"),
        ("https://github.com/one/book/edit/main/chapters/99_last.md", "Edit this page"),
    ]


@pytest.mark.slow
def test_a_folder_without_jupyterlite_stops_the_build_and_says_why(book):
    done = book.build(PAGES, LITE="nowhere")
    assert done.code != 0
    assert "LITE must name a folder with a JupyterLite, as `make lite` makes it, got 'nowhere'" in done.log
    assert not (book.site / "lite").exists()
