"""Makes torch's own attention note each call, however it was reached: its kernels are replaced in torch's dispatcher."""

import ast
import importlib
import inspect
import textwrap
import warnings
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from classroom.inside.imports import insert_note, noting

Note = Callable[[tuple[str, str, str]], Any]
# What computes attention or cosines, as it is usually called: where torch takes an operator apart before it reaches the kernel.
BUILTIN = {
    "torch": ("cosine_similarity", "cosine_embedding_loss"),
    "torch.nn.functional": ("scaled_dot_product_attention", "cosine_similarity"),
    "torch._C._nn": ("scaled_dot_product_attention",),
}
PYTHON = {"torch.nn.functional": ("multi_head_attention_forward", "cosine_embedding_loss")}
FUSED = (
    "_scaled_dot_product_flash_attention_for_cpu",
    "_native_multi_head_attention",
    "_transformer_encoder_layer_fwd",
)
_kept: list[Any] = []


def watch(note: Note) -> None:
    """Replace the kernels, and put a note into the attention that torch has written in Python."""
    import torch

    library = torch.library.Library("aten", "IMPL")
    _kept.append(library)
    kernels: dict[str, Callable[..., Any]] = {
        "scaled_dot_product_attention": _attention,
        "_scaled_dot_product_attention_math": _with_weights,
        "cosine_similarity": _cosine,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that its own kernel is overridden: that is meant
        for name, kernel in kernels.items():
            library.impl(name, partial(_noted, kernel, note, f"torch.{name}"), "CompositeImplicitAutograd")
        for name in FUSED:
            for key in ("CPU", "NestedTensorCPU"):
                library.impl(name, partial(_noted, _away, note, f"torch.{name}"), key)
    for ending in list(vars(weakref.finalize)["_registry"]):  # nobody shall take the kernels back
        if ending.peek() and ending.peek()[0] is library:
            ending.detach()
    for module, names in BUILTIN.items():
        for name in names:
            place = importlib.import_module(module)
            setattr(place, name, partial(_noted, getattr(place, name), note, f"{module}.{name}"))
    for module, names in PYTHON.items():
        for name in names:
            _note_first(getattr(importlib.import_module(module), name), note, f"{module}.{name}")


def _noted(kernel: Callable[..., Any], note: Note, name: str, *arguments: Any, **named: Any) -> Any:
    note(("reached", name, ""))
    return kernel(*arguments, **named)


def _with_weights(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    dropout_mask: Any = None, *, scale: float | None = None, enable_gqa: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    import torch

    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
        value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
    scores = query @ key.transpose(-2, -1) * (query.size(-1) ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = torch.dropout(scores.softmax(-1), dropout_p, dropout_p > 0)
    return weights @ value, weights


def _attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, *,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    return _with_weights(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)[0]


def _away(*_: Any, **__: Any) -> None:
    raise PermissionError("while grading, torch's fused attention is out of reach")


def _cosine(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    lengths = (x.norm(dim=dim).clamp_min(eps) for x in (x1, x2))
    return (x1 * x2).sum(dim) / next(lengths) / next(lengths)


def _note_first(function: Any, note: Note, name: str) -> None:
    """Give the function the code of its own source with a note as its first statement."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    definition.args.kw_defaults = [None if one is None else ast.Constant(None) for one in definition.args.kw_defaults]
    insert_note(definition, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a text that is called: it becomes the function
        code = compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec", dont_inherit=True)
    made = next(one for one in code.co_consts if hasattr(one, "co_consts"))
    function.__code__ = noting(made, note)
