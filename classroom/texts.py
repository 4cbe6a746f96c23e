"""Text that people wrote: read in any encoding, and made harmless for a terminal; what of a cell of code is no code."""

import re

# Escape sequences of a terminal, other controls, what turns text round or cannot be seen, and half characters.
UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
TEXT = re.compile(
    r"#[^\n]*(?:\s*#[^\n]*)*"  # comments, one below the other
    r"|(?:(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\""  # strings
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")\s*)+"
    r"|^[^\W\d_a-z][\w’'()-]*(?:[,;:]? +[\w’'()-]+){4}[^\n]*",  # a sentence, which is no code
    re.MULTILINE | re.DOTALL,
)
WORD = re.compile(r"\W*[^\W\d_]+\W*")
FEWEST = 5  # words that are more than a label
UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"{\0": "utf-16-le", b"\0{": "utf-16-be"}


def decoded(content: bytes) -> tuple[str, str]:
    """The text, and a note of its encoding: UTF-8; UTF-16 where a mark or the zeros say so; else what Windows writes."""
    if encoding := UTF_16.get(content[:2]):
        return content.decode(encoding, "replace"), "the file was UTF-16"
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), "the file was not UTF-8, and read as Windows-1252"


def clean(text: str) -> str:
    """Text without anything that acts instead of being read."""
    return UNSEEN.sub("", text)


def line(text: str, most: int = 300) -> str:
    """The text in one line, cut at `most` characters."""
    words = " ".join(clean(text).split())
    return words if len(words) <= most else f"{words[: most - 2]} …"


def told(source: str, handed_out: str, alone: bool = True) -> str:
    """The texts of a cell of code that were not handed out: sentences, or (`alone`) any where there is nothing else.

    An explanation may stand in a string, in a comment, or there as it is.
    """
    found, known = [text[0].strip() for text in TEXT.finditer(source)], _plain(handed_out)
    whole = alone and found == [source.strip()]
    return "\n".join(text for text in found if (whole or _words(text) >= FEWEST) and _plain(text) not in known)


def _words(text: str) -> int:
    return sum(bool(WORD.fullmatch(word)) for word in text.split())


def _plain(text: str) -> str:
    """The text without marks of strings and comments."""
    return " ".join(re.sub("[#\"']", " ", text).split())
