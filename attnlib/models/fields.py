"""What the fields of a recording must be: each function gives what it was given, or an error that names what is wrong."""

from collections.abc import Sequence
from typing import Any

from attnlib.checks import as_number
from attnlib.models.packing import readable_text


def named(tokens: Sequence[str], special: Sequence[bool] | None) -> tuple[list[str], list[bool]]:
    """Tokens that any encoding can hold, and for each whether it is special."""
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list of texts, got one text")
    names = [readable_text(f"tokens[{i}]", token) for i, token in enumerate(tokens)]
    marks = [False] * len(names) if special is None else [bool(mark) for mark in special]
    if len(marks) != len(names):
        raise ValueError(f"{len(marks)} marks of special tokens for {len(names)} tokens")
    return names, marks


def numbers(name: str, values: Sequence[Any], count: int) -> list[float]:
    """So many finite numbers."""
    return [as_number(f"{name}[{i}]", value) for i, value in enumerate(_as_many(name, values, count))]


def bounds(name: str, values: Sequence[Any], count: int) -> list[float | None]:
    """So many finite numbers above 0, or None in place of one."""
    return [
        None if value is None else as_number(f"{name}[{i}]", value, positive=True)
        for i, value in enumerate(_as_many(name, values, count))
    ]


def checked_sinks(values: Sequence[Any] | None, shape: tuple[int, int]) -> list[list[float] | None] | None:
    """For each layer a finite number for each head, or None; or None in place of all."""
    if values is None:
        return None
    rows = enumerate(_as_many("sinks", values, shape[0]))
    return [None if row is None else numbers(f"sinks[{layer}]", row, shape[1]) for layer, row in rows]


def _as_many(name: str, values: Sequence[Any], count: int) -> Sequence[Any]:
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} entries, for {count}")
    return values
