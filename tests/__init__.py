"""What checks attnlib's types under test: beartype, taking an int where a float is named, as Python's typing does."""

from beartype import BeartypeConf, beartype

_beartype = beartype(conf=BeartypeConf(is_pep484_tower=True))


def checked(function):
    """The function with its types checked, unless it stands inside another, which is checked and makes it at each call."""
    return function if "<locals>" in function.__qualname__ else _beartype(function)
