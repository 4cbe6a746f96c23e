"""Values as JSON, both ways between the grader and a student's process: data alone, never code.

Pickle would run what the student's process sends. This knows numbers, texts, lists and arrays of numbers; anything else
arrives as an `Unknown` that only says what it was. The file stands alone, since it is also copied into the process.
"""

import base64
import math
import numbers
from typing import Any

import numpy as np

KINDS = "biufc"  # arrays of truth values, integers and numbers
DEPTH = 20
LONG = 1 << 63


class Unknown:
    """A value that is no data, such as a function or an object; it only says what it was."""


def pack(value: Any, depth: int = 0) -> Any:
    """The value as something that JSON can hold. Fractions and decimals become floats, integers of any length too."""
    plain = value is None or isinstance(value, bool | str) or type(value) is float
    if plain or (type(value) is int and abs(value) < LONG):
        return {"plain": value}
    if isinstance(value, numbers.Number) and not isinstance(value, complex | np.generic):
        number: Any = value
        try:
            return {"plain": float(number)}
        except (OverflowError, TypeError, ValueError):
            return {"unknown": type(value).__name__}
    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in KINDS:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"array": [value.dtype.str, list(value.shape), data], "scalar": isinstance(value, np.generic)}
    if isinstance(value, list | tuple) and depth < DEPTH:
        return {type(value).__name__ if type(value) in (list, tuple) else "list": [pack(v, depth + 1) for v in value]}
    if isinstance(value, dict) and depth < DEPTH and all(isinstance(key, str) for key in value):
        return {"dict": {key: pack(v, depth + 1) for key, v in value.items()}}
    return {"unknown": type(value).__name__}


def unpack(sent: Any) -> Any:
    """The value again. Raises ValueError for what `pack` never sends."""
    try:
        return _unpack(sent)
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"no value: {error}") from None


def _unpack(sent: Any) -> Any:
    if "plain" in sent and (sent["plain"] is None or isinstance(sent["plain"], bool | int | float | str)):
        return sent["plain"]
    if "array" in sent:
        kind, shape, data = sent["array"]
        dtype, raw = np.dtype(str(kind)), base64.b64decode(data)
        if dtype.kind not in KINDS or not all(isinstance(n, int) and n >= 0 for n in shape):
            raise ValueError("no array of numbers")
        if math.prod(shape) * dtype.itemsize != len(raw):
            raise ValueError("an array of another size than it says")
        array = np.frombuffer(raw, dtype).reshape(shape).copy()
        return array[()] if sent.get("scalar") else array
    if "list" in sent or "tuple" in sent:
        kind = list if "list" in sent else tuple
        return kind(_unpack(one) for one in sent[kind.__name__])
    if "dict" in sent:
        return {str(key): _unpack(one) for key, one in sent["dict"].items()}
    if "unknown" in sent:
        name = str(sent["unknown"])[:80]
        return type(name if name.isidentifier() else "object", (Unknown,), {})()
    raise ValueError("no value")
