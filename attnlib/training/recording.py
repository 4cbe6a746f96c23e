"""Write what a script of this package records to its file in attnlib/data."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write(name: str, record: Callable[[], dict[str, Any]]) -> None:
    """Record, and write the file: `--out`, or attnlib/data/NAME.json of the folder where the command is given.

    Args:
        name: of the script and of its file.
        record: makes what the file holds.
    """
    parser = argparse.ArgumentParser(prog=f"python -m attnlib.training.{name}")
    parser.add_argument("--out", type=Path, default=Path(f"attnlib/data/{name}.json"))
    options = parser.parse_args()
    options.out.write_text(json.dumps(record(), separators=(",", ":")) + "\n", encoding="utf8")
    print(f"written to {options.out}")
