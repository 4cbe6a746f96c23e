"""The model of chapter 9: a small decoder that was really trained, its words, and what its heads do.

`parameters` are those of `attnlib.decoder`, which computes with them: `decoder_weights(parameters(), encode("…"))`.
They were made by `python -m attnlib.training`; `record` says with which seed, on which data, and how good they are.
"""

from attnlib.trained.heads import (
    ablate,
    accuracies,
    induction_scores,
    measure,
    previous_token_scores,
    pronoun_scores,
)
from attnlib.trained.model import (
    VOCABULARY,
    NextWord,
    Parameters,
    decode,
    encode,
    next_words,
    parameters,
    record,
)

__all__ = [
    "VOCABULARY",
    "NextWord",
    "Parameters",
    "ablate",
    "accuracies",
    "decode",
    "encode",
    "induction_scores",
    "measure",
    "next_words",
    "parameters",
    "previous_token_scores",
    "pronoun_scores",
    "record",
]
