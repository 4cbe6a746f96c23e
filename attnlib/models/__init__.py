"""Real models: what a Hugging Face model did with a text, as arrays that the rest of the book computes with.

Only `read` needs torch and transformers: `pip install "attnlib[models]"`. What it gives is NumPy's alone.
"""

from typing import Any

from attnlib.models.reading import Reading, Stack
from attnlib.models.recording import Recording

__all__ = ["Reading", "Recording", "Stack", "read"]


def read(model: Any, tokenizer: Any, text: str, context: str | None = None) -> Reading:
    """Let a loaded Hugging Face model read a text, and keep each layer's queries, keys, values and mask.

    The model computes as it would without: in its precision, on its device, without dropout. Afterwards it is as it was.
    Memory grows with n × d for each layer; grids are computed when they are asked for. Nothing is fetched.

    Args:
        model: a text model of transformers that attends through its registry, as GPT-2, Llama, BERT or T5 do.
        tokenizer: the one that the model was trained with.
        text: what it reads; in an encoder–decoder, what the decoder reads, after its start token.
        context: what the encoder of an encoder–decoder reads; None for other models.

    Returns:
        The reading, with float32 arrays.

    Raises:
        ModuleNotFoundError: without torch or transformers.
        TypeError: for what is no transformers model, no tokenizer and no text.
        ValueError: for a model that attends in another way, on the meta device or of more than text; a context where none
            is read, or none where one is; a text without tokens, with a lone surrogate, or longer than the model's
            positions; a tokenizer whose tokens the model does not know; states that are not finite.

    >>> from transformers import AutoModelForCausalLM, AutoTokenizer  # doctest: +SKIP
    >>> gpt2 = AutoModelForCausalLM.from_pretrained("gpt2")  # doctest: +SKIP
    >>> reading = read(gpt2, AutoTokenizer.from_pretrained("gpt2"), "Houston we have a problem")  # doctest: +SKIP
    >>> reading.grid(4, 11).round(2)  # doctest: +SKIP
    """
    try:
        from attnlib.models import hugging_face
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f'{missing.name} is missing: pip install "attnlib[models]"') from missing
    return hugging_face.read(model, tokenizer, text, context)
