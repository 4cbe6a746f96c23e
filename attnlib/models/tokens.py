"""Tokens as people read them: one text for each token, in which nothing is invisible.

- A space is ␣, a line's end ↵, a tab ⇥. Other signs without a shape are named: ⟨U+200B⟩.
- ## at the start of a piece says that it continues a word, as WordPiece writes it.
- A byte-level tokenizer may cut a character: its first pieces show their bytes, ⟨F0 9F⟩, and the last one the character
  after …, as in …🙂. Bytes that are no text stay bytes.
- A special token stands as it is written: [CLS], <s>.
"""

import re
import unicodedata
from collections.abc import Sequence

SHAPES = {" ": "␣", "\n": "↵", "\t": "⇥"}
_PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that a byte-level piece writes as themselves
BYTES = {chr(byte): byte for byte in _PRINTED} | {
    chr(256 + place): byte for place, byte in enumerate(byte for byte in range(256) if byte not in _PRINTED)
}
SIGNS = {byte: sign for sign, byte in BYTES.items()}
# Signs of other categories that have no shape either: joiners, fillers, variation selectors.
HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def readable(pieces: Sequence[str | None], special: Sequence[bool], kind: str = "bytes") -> list[str]:
    """One text to show for each piece of a tokenizer.

    Args:
        pieces: n pieces as the tokenizer writes them; None for a number that it does not know.
        special: n truth values, whether the piece is a special token.
        kind: "bytes" for byte-level pieces (Ġthe), "metaspace" for those that mark a space (▁the), "words" for others.

    Returns:
        n texts, none of them empty.

    Raises:
        ValueError: if pieces and special differ in number, and for a kind that is none of the three.

    >>> readable(["<s>", "ĠðŁ", "ĻĤ", "Ċ"], [True, False, False, False])
    ['<s>', '␣⟨F0 9F⟩', '…🙂', '↵']
    """
    if kind not in {"bytes", "metaspace", "words"}:
        raise ValueError(f'kind must be "bytes", "metaspace" or "words", got {kind!r}')
    texts, cut = [], b""  # cut: the bytes of a character that has begun and not ended
    for piece, named in zip(pieces, special, strict=True):
        raw = None if piece is None or named else _bytes(piece, kind)
        if raw is None:
            texts.append("⟨?⟩" if piece is None else visible(piece.replace("▁", " ") if kind == "metaspace" else piece))
            cut = b""
        else:
            text, cut = _joined(raw, cut)
            texts.append(text)
    return texts


def visible(text: str) -> str:
    """The text with a shape for each sign that has none.

    Args:
        text: any text, lone surrogates included.

    Returns:
        What to show; ⟨⟩ for an empty text.

    >>> visible("a b\\u200b")
    'a␣b⟨U+200B⟩'
    """
    nameless = [unicodedata.category(sign)[0] in "CZ" or bool(HIDDEN.match(sign)) for sign in text]
    shown = [SHAPES.get(sign) or (_code(sign) if named else sign) for sign, named in zip(text, nameless, strict=True)]
    if text and unicodedata.combining(text[0]):
        shown.insert(0, "◌")  # else it would stand on the token before
    return "".join(shown) or "⟨⟩"


def _code(sign: str) -> str:
    return f"⟨U+{ord(sign):04X}⟩"


def _bytes(piece: str, kind: str) -> bytes | None:
    """The bytes that a piece stands for, None for one that is written as text."""
    if kind == "bytes" and piece and all(sign in BYTES for sign in piece):
        return bytes(BYTES[sign] for sign in piece)
    lacking = re.fullmatch("<0x([0-9A-F]{2})>", piece) if kind == "metaspace" else None  # in the vocabulary
    return bytes.fromhex(lacking[1]) if lacking else None


def _joined(raw: bytes, cut: bytes) -> tuple[str, bytes]:
    """What a piece shows whose character the bytes `cut` began, and the bytes that its own last character has so far."""
    if cut:
        size = _size(cut[0]) - len(cut)  # bytes that are still to come
        head = (cut + raw[:size]).decode(errors="replace")
        if len(raw) < size and all(0x80 <= byte < 0xC0 for byte in raw):
            return _hex(raw), cut + raw
        if len(head) == 1 and head != "\ufffd":
            rest, left = _joined(raw[size:], b"") if raw[size:] else ("", b"")
            return f"…{visible(head)}{rest}", left
    begun = len(raw)
    for place in range(max(len(raw) - 3, 0), len(raw)):
        if _size(raw[place]) > len(raw) - place and all(0x80 <= byte < 0xC0 for byte in raw[place + 1 :]):
            begun = place
            break
    parts = re.split("([\udc80-\udcff]+)", raw[:begun].decode(errors="surrogateescape"))  # text, bytes, text, …
    texts = [
        _hex(part.encode("ascii", "surrogateescape")) if place % 2 else visible(part)
        for place, part in enumerate(parts)
        if part
    ]
    return "".join(texts) + (_hex(raw[begun:]) if raw[begun:] else ""), raw[begun:]


def _size(first: int) -> int:
    """Bytes of the character that begins with this byte; 1 for a byte that begins none."""
    return 4 if 0xF0 <= first < 0xF8 else 3 if 0xE0 <= first < 0xF0 else 2 if 0xC0 <= first < 0xE0 else 1


def _hex(raw: bytes) -> str:
    return f"⟨{raw.hex(' ').upper()}⟩"
