"""Build what a notebook carries of a folder's widgets: `python -m anywidget_static FOLDER …`."""

import argparse
import sys
from pathlib import Path

from anywidget_static.esbuild import BuildError, build


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m anywidget_static", description=__doc__)
    options.add_argument(
        "folder", nargs="+", type=Path, help="a folder with widgets: each a class and, beside it, a module"
    )
    options.add_argument("--watch", action="store_true", help="build the last folder again after each change of a file")
    given = options.parse_args()
    try:
        for folder in given.folder:
            build(folder, watch=given.watch and folder == given.folder[-1])
    except BuildError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:  # which ends the watching
        pass


if __name__ == "__main__":
    main()
