"""Text that a student wrote into code: an explanation may stand in a string, in a comment, or there as it is."""

import re

TEXT = re.compile(
    r"#[^\n]*(?:\s*#[^\n]*)*"  # comments, one below the other
    r"|(?:(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")\s*)+"  # strings
    r"|^[^\W\d_a-z][\w’'()-]*(?:[,;:]? +[\w’'()-]+){4}[^\n]*",  # a sentence, which is no code
    re.MULTILINE | re.DOTALL,
)
WORD = re.compile(r"\W*[^\W\d_]+\W*")
FEWEST = 5  # words that are more than a label


def told(source: str, handed_out: str, alone: bool = True) -> str:
    """The texts of a cell of code that were not handed out: sentences, or (`alone`) any where there is nothing else."""
    found, known = [text[0].strip() for text in TEXT.finditer(source)], _plain(handed_out)
    whole = alone and found == [source.strip()]
    return "\n".join(text for text in found if (whole or _words(text) >= FEWEST) and _plain(text) not in known)


def _words(text: str) -> int:
    return sum(bool(WORD.fullmatch(word)) for word in text.split())


def _plain(text: str) -> str:
    """The text without marks of strings and comments."""
    return " ".join(re.sub("[#\"']", " ", text).split())
