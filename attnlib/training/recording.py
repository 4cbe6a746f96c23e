"""Write what a script of this package records to its file in attnlib/data."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def must_have_a_folder(parser: argparse.ArgumentParser, file: Path) -> None:
    """End with a sentence, before the minutes of recording, where the file cannot be written."""
    if not file.parent.is_dir():
        parser.error(f"{file.parent} is no folder: name a file in one with --out")


def write(name: str, record: Callable[[], dict[str, Any]]) -> None:
    """Record, and write the file: `--out`, or attnlib/data/NAME.json of the folder where the command is given.

    Args:
        name: of the script and of its file.
        record: makes what the file holds.
    """
    parser = argparse.ArgumentParser(prog=f"python -m attnlib.training.{name}")
    parser.add_argument("--out", type=Path, default=Path(f"attnlib/data/{name}.json"))
    options = parser.parse_args()
    must_have_a_folder(parser, options.out)
    options.out.write_text(json.dumps(record(), separators=(",", ":")) + "\n", encoding="utf8")
    print(f"written to {options.out}")
