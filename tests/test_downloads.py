"""What the site gives to take away is all there, holds no outputs, and the page and the chapters link to it."""

import re
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, "_ext")
import downloads

SITE = Path("_build/html")
CHAPTERS = sorted(file.stem for file in Path("chapters").glob("*.md"))
WHEEL = downloads.wheel_name(Path())


def test_the_archive_holds_every_notebook_and_the_package():
    with zipfile.ZipFile(SITE / "downloads" / downloads.ALL) as archive:
        assert sorted(archive.namelist()) == sorted(
            f"attention/{name}" for name in [*(f"{c}.ipynb" for c in CHAPTERS), WHEEL]
        )
        for name in archive.namelist():
            assert archive.read(name) == (SITE / "downloads" / Path(name).name).read_bytes()


def test_the_wheel_holds_the_package_as_it_is_now():
    with zipfile.ZipFile(SITE / "downloads" / WHEEL) as archive:
        sources = [*Path("attnlib").rglob("*.py"), *Path("attnlib").rglob("*.mjs"), *Path("attnlib/data").glob("*.npz")]
        for source in sources:
            assert archive.read(source.as_posix()) == source.read_bytes()


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_notebook_installs_what_it_needs_first_and_has_no_outputs(name):
    first, *cells = nbformat.read(SITE / "downloads" / f"{name}.ipynb", 4).cells
    assert first.source == downloads.first_cell(WHEEL, None).strip()
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    page = (SITE / "chapters" / f"{name}.html").read_text(encoding="utf8")
    assert f'href="../downloads/{name}.ipynb" download' in page


def test_where_the_site_knows_its_address_the_package_comes_from_there():
    assert '"attnlib[plots,widgets,train] @ https://host/book/downloads/a.whl"' in downloads.first_cell(
        "a.whl", "https://host/book/"
    )


def test_the_page_links_every_file_and_names_the_wheel_that_there_is():
    page = (SITE / "chapters/appendices/downloads.html").read_text(encoding="utf8")
    linked = re.findall(r'href="\.\./\.\./downloads/([^"]+)"', page)
    assert sorted(linked) == sorted(file.name for file in (SITE / "downloads").iterdir())
    assert set(re.findall(r"attnlib-[\w.-]+?\.whl", page)) == {WHEEL}
