"""Build what a notebook carries of a folder's widgets: `python -m anywidget_static FOLDER …`."""

import argparse
from pathlib import Path

from anywidget_static.esbuild import build


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m anywidget_static", description=__doc__)
    options.add_argument(
        "folder", nargs="+", type=Path, help="a folder with widgets: each a class and, beside it, a module"
    )
    for folder in options.parse_args().folder:
        build(folder)


if __name__ == "__main__":
    main()
