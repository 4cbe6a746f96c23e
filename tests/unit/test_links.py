"""The list of addresses outside the site."""

import shutil
import subprocess


def test_each_address_stands_once_with_the_pages_that_link_to_it(tmp_path):
    site = tmp_path / "_build/html"
    (site / "chapters").mkdir(parents=True)
    shutil.copy("Makefile", tmp_path)
    (site / "index.html").write_text(
        '<a href="https://a.b/x?y&amp;z">1</a> <a href="https://a.b/x?y&amp;z">2</a> <a href="page.html">3</a>'
    )
    (site / "chapters/page.html").write_text(
        '<a href="mailto:a@b.c">4</a><a href="https://a.b/x?y&amp;z">5</a><a name="n">'
    )
    command = ["make", "--silent", "--old-file=book", "links"]  # the site as it is
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        "https://a.b/x?y&z",
        "    chapters/page.html",
        "    index.html",
        "mailto:a@b.c",
        "    chapters/page.html",
    ]
