"""The code cells of a Jupyter Book run in its pages, by Pyodide, from the site's own files.

List `pyodide_cells` among the extensions. It needs npm's `pyodide` and CodeMirror in the source folder's node_modules (see
the README), and esbuild. Settings:

- `pyodide_cells_packages`: packages of Pyodide that are loaded at the start (numpy), with what they depend on;
- `pyodide_cells_later`: those that a cell loads when it first imports them;
- `pyodide_cells_library`: packages and modules of pure Python that the cells import, by name or by path from the source folder;
- `pyodide_cells_missing`: modules that do not run in a browser, such as torch: the results of cells that need one are
  recorded when the notebook is executed, and are handed on to the cells below;
- `pyodide_cells_widgets`: packages of widgets that are built by anywidget_static.

The template of a page with cells gets their address as `pyodide_cells`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__version__ = "0.1.0"


def setup(app: "Sphinx") -> dict[str, Any]:
    """Register the settings and the steps of the build."""
    from pyodide_cells import sphinx  # which the page's own Python has not

    return sphinx.setup(app) | {"version": __version__}
