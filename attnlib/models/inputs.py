"""What a model is given of a text: the numbers of its tokens, checked against the model."""

import inspect
from typing import Any

from attnlib.models.tokens import SIGNS, readable


def model_inputs(
    model: Any, tokenizer: Any, text: str, context: str | None
) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """What the model is called with, a row of each kind; and by stack the numbers of the tokens.

    Args:
        model, tokenizer, text, context: as for `attnlib.models.read`.

    Raises:
        TypeError, ValueError: as `attnlib.models.read`, for what is wrong with text, context or tokenizer.
    """
    if not has_decoder(model):
        if context is not None:
            raise ValueError(f"{type(model).__name__} reads text alone: a context is for an encoder–decoder")
        given = encoded(tokenizer, "text", text)
        sides = {"self": given["input_ids"][0]}
    elif context is None:
        raise ValueError(
            f"{type(model).__name__} is an encoder–decoder: pass context, what its encoder reads; "
            "text is what its decoder reads"
        )
    else:
        given = encoded(tokenizer, "context", context)
        sides = {"encoder": given["input_ids"][0], "decoder": decoder_ids(model, tokenizer, text)}
        given["decoder_input_ids"] = [sides["decoder"]]
    for what, ids in zip(("context", "text")[-len(sides) :], sides.values(), strict=True):
        check_ids(model, tokenizer, what, ids)
    return given, sides


def has_decoder(model: Any) -> bool:
    """Whether a model reads two texts. The configuration alone does not say it: UMT5's encoder keeps that of both."""
    takes = inspect.signature(model.forward).parameters
    return bool(model.config.is_encoder_decoder) and ("decoder_input_ids" in takes or "input_ids" not in takes)


def shown(tokenizer: Any, ids: list[int]) -> tuple[list[str], list[bool]]:
    """Tokens as people read them, and whether each is special: none of the text."""
    roles = tokenizer.special_tokens_map
    named = set(tokenizer.all_special_ids)
    if [name for name, token in roles.items() if token == roles.get("unk_token")] == ["unk_token"]:
        named.discard(tokenizer.unk_token_id)  # it stands for a word or sign of the text, and nothing else
    special = [number in named for number in ids]
    backend = getattr(tokenizer, "backend_tokenizer", None)
    parts = f"{getattr(backend, 'decoder', '')} {getattr(backend, 'pre_tokenizer', '')}"
    kind = "bytes" if "ByteLevel" in parts else "words" if "WordPiece" in parts else "metaspace"
    pieces = tokenizer.convert_ids_to_tokens(ids)
    if type(tokenizer).__name__ == "ByT5Tokenizer":  # a piece is a byte, written as the sign of that number
        kind, pieces = "bytes", [SIGNS.get(ord(piece), piece) if len(piece) == 1 else piece for piece in pieces]
    return readable(pieces, special, kind), special


def encoded(tokenizer: Any, what: str, text: str) -> dict[str, Any]:
    """What a tokenizer makes of a text, as one row of each kind."""
    check_text(what, text)
    return {name: [list(row)] for name, row in tokenizer(text, verbose=False).items()}


def decoder_ids(model: Any, tokenizer: Any, text: str) -> list[int]:
    """What a decoder reads to write the text: its start token, and the text without its end."""
    check_text("text", text)
    labels = tokenizer(text_target=text, verbose=False)
    ids = [number for number, kept in zip(labels["input_ids"], labels["attention_mask"], strict=True) if kept]
    ends, special = {tokenizer.eos_token_id, tokenizer.sep_token_id} - {None}, set(tokenizer.all_special_ids)
    last = max((at for at, number in enumerate(ids) if number in ends), default=len(ids))
    if all(number in special for number in ids[last:]):  # the end, and what is written behind it, as mBART's language
        del ids[last:]
    settings = (model.config, getattr(model, "generation_config", None))
    starts = (getattr(of, "decoder_start_token_id", None) for of in settings)
    start = next((number for number in starts if number is not None), None)
    if start is None:
        raise ValueError(
            f"{type(model).__name__} names no token that its decoder starts with: set model.config.decoder_start_token_id"
        )
    return [start, *ids]


def check_text(what: str, text: Any) -> None:
    """An error for what is no text, and for half a character."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, got {type(text).__name__}")
    for place, sign in enumerate(text):
        if "\ud800" <= sign <= "\udfff":
            raise ValueError(
                f"{what}[{place}] is U+{ord(sign):04X}, a lone surrogate, which is no character: leave it out"
            )


def check_ids(model: Any, tokenizer: Any, what: str, ids: list[int]) -> None:
    """An error for tokens that a model has no place or no number for."""
    name, known = type(model).__name__, model.get_input_embeddings().weight.shape[0]
    if not ids:
        raise ValueError(f"{what} has no tokens: {name} needs one or more")
    if max(ids) >= known:
        raise ValueError(
            f"the tokenizer does not fit the model: it gives {tokenizer.convert_ids_to_tokens(max(ids))!r} the number "
            f"{max(ids)}, and {name} knows {known} tokens, from 0"
        )
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for place, module in model.named_modules():
        if (
            most is not None
            and place.endswith("position_embeddings")
            and getattr(module, "padding_idx", None) is not None
        ):
            most = module.num_embeddings - module.padding_idx - 1  # RoBERTa counts its places from there
    if most is not None and 0 < most < len(ids):  # XLNet's −1: any
        raise ValueError(f"{what} has {len(ids)} tokens, and {name} has positions for {most}: shorten it")
