"""What checks attnlib's types under test: beartype, taking an int where a float is named, as Python's typing does."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
