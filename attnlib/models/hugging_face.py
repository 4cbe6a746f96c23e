"""A Hugging Face model reads a text, and each attention leaves what it computed with.

transformers lets its models attend through a registry of functions. `read` registers one that keeps queries, keys, values
and mask, and then lets the model's own function compute; the model is switched to it for the time of one reading.
"""

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import torch
from numpy import ndarray as Array

from attnlib.models.inputs import has_decoder, model_inputs, shown
from attnlib.models.reading import Layer, Reading, Stack

NAME = "attnlib"  # in the registry
ROTATION = "apply_rotary"  # how the names of functions begin that turn queries and keys, in a model's module
LOW = -1e4  # what a mask adds to a score that does not count is lower
WEIGHTS = (
    'its weights alone can be seen: loaded with attn_implementation="eager" and called with output_attentions=True, '
    "it gives attentions, which Recording.from_grids takes"
)
Silent = frozenset[tuple[str, int, int]]


class Recorder:
    """What the attentions of one reading leave, by stack and layer."""

    def __init__(self, model: Any, silent: Silent, before: dict[int, str]) -> None:
        both = has_decoder(model)
        self.encoder = {id(module) for module in model.get_encoder().modules()} if both else None
        self.silent, self.before = silent, before  # before: the attention that each configuration named
        self.layers: dict[str, list[Layer]] = defaultdict(list)
        self.states: Any = None  # the last layer's output
        self.rotation: tuple[Any, ...] | None = None  # since the last attention: query and key before, and after
        self.shared: dict[int, tuple[Any, Array | None]] = {}  # masks and biases that layers share: what it was made of

    def attend(self, module: Any, query: Any, key: Any, value: Any, mask: Any, **how: Any) -> tuple[Any, None]:
        """Keep what one attention is given, and give what it reads, with silent heads 0."""
        name, scale, sinks = self.stack(module), how.get("scaling"), how.get("s_aux")
        layer = Layer(
            query=as_numpy(query[0]),
            key=as_numpy(key[0]),
            value=as_numpy(value[0]),
            scale=query.shape[-1] ** -0.5 if scale is None else float(scale),
            mask=self.once(mask, lambda mask: allowed(module, mask, query.shape[2])),
            bias=self.once(how.get("position_bias"), lambda bias: as_numpy(bias[0]) if bias.any() else None),
            softcap=how.get("softcap"),
            sinks=None if sinks is None else as_numpy(sinks.flatten()).copy(),  # the model's own numbers
        )
        rotation, self.rotation = self.rotation, None
        self.layers[name].append(replace(layer, straight=straight(layer, module, query, key, rotation)))
        out = self.own(module)(module, query, key, value, mask, **how)[0]  # (1, n_q, h, d_v)
        heads = [head for of, place, head in self.silent if (of, place + 1) == (name, len(self.layers[name]))]
        if heads:
            out = out.clone()
            out[:, :, heads] = 0
        return out, None

    def keep_states(self, module: Any, given: Any, out: Any) -> None:
        """A hook for a model or a part of it: keep the last layer's output, if it gives that."""
        self.states = out.get("last_hidden_state", self.states) if isinstance(out, dict) else self.states

    def stack(self, module: Any) -> str:
        """Whose attention this is. A decoder's layer reads itself, then the encoder."""
        if self.encoder is None:
            return "self"
        if id(module) in self.encoder:
            return "encoder"
        return "decoder" if len(self.layers["decoder"]) == len(self.layers["cross"]) else "cross"

    def own(self, module: Any) -> Any:
        """The function that the model attends with, when nobody looks."""
        from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

        files = [vars(sys.modules[kind.__module__]) for kind in type(module).__mro__]
        eager = [file["eager_attention_forward"] for file in files if "eager_attention_forward" in file]
        return eager[0] if eager and self.before[id(module.config)] != "sdpa" else ALL_ATTENTION_FUNCTIONS["sdpa"]

    def once(self, tensor: Any, make: Callable[[Any], Array | None]) -> Array | None:
        """What `make` gives of a tensor, the same array for the same tensor; None for none."""
        if tensor is None:
            return None
        if id(tensor) not in self.shared:
            self.shared[id(tensor)] = tensor, make(tensor)  # kept, so that no other gets its id
        return self.shared[id(tensor)][1]


def rotations(module: Any) -> dict[str, Any]:
    """The functions of a module's file that turn queries and keys, by name."""
    inside = vars(sys.modules[type(module).__module__])
    return {name: function for name, function in inside.items() if name.startswith(ROTATION) and callable(function)}


def allowed(module: Any, mask: Any, n_q: int) -> Array:
    """True where a query may read, (n_q, n_k), of the mask that a layer adds to its scores: 0 there, else very low."""
    kept = mask if mask.dtype == torch.bool else mask == 0
    if mask.shape[1] > 1 or (mask.dtype != torch.bool and (mask[~kept] > LOW).any()):
        raise ValueError(
            f"{type(module).__name__} adds more to its scores than a mask, and does not say what. Of the model, {WEIGHTS}"
        )
    array: Array = kept[0, 0].expand(n_q, -1).cpu().numpy()  # one row may stand for all queries
    return array


def straight(layer: Layer, module: Any, query: Any, key: Any, rotation: Any) -> tuple[Array, Array] | None:
    """Query and key before rotation; None if the model rotates in a way of its own."""
    if rotation is None:  # since the last attention no such function was called
        rotates = getattr(module.config, "rope_parameters", None) is not None
        return None if rotates and not rotations(module) else (layer.query, layer.key)
    if not rotation:
        return None
    found: list[Array] = []
    for before, after, now in zip(*rotation, (query, key), strict=True):
        turned = after.shape[-1]  # the first numbers of each row, where not all are turned
        if not torch.equal(after, now[..., :turned]):
            return None
        found.append(as_numpy(torch.cat([before, now[..., turned:]], dim=-1)[0]))
    return found[0], found[1]


def as_numpy(tensor: Any) -> Array:
    """The tensor in float32."""
    array: Array = tensor.detach().float().contiguous().cpu().numpy()
    return array


RECORDER: ContextVar[Recorder] = ContextVar("recorder")


@contextmanager
def recording(model: Any, silent: Silent) -> Iterator[Recorder]:
    """The model, switched to attend through a recorder and to evaluation; afterwards it is as it was."""
    from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(NAME, lambda *given, **how: RECORDER.get().attend(*given, **how))
    AttentionMaskInterface.register(NAME, eager_mask)  # 0 where a query may read, and no causal mask left out
    modules = list(model.modules())
    configurations = {id(module.config): module.config for module in modules if hasattr(module, "config")}
    before = {key: configuration._attn_implementation for key, configuration in configurations.items()}
    recorder = Recorder(model, silent, before)

    def watched(plain: Any) -> Any:
        def rotate(*given: Any, **how: Any) -> Any:
            turned = plain(*given, **how)
            recorder.rotation = (given[:2], turned) if isinstance(turned, tuple) and len(given) > 1 else ()
            return turned

        return rotate

    with ExitStack() as after, torch.no_grad():
        after.callback(RECORDER.reset, RECORDER.set(recorder))
        for module in modules:
            after.callback(setattr, module, "training", module.training)
        for key, configuration in configurations.items():
            after.callback(setattr, configuration, "_attn_implementation_internal", before[key])
            configuration._attn_implementation_internal = NAME
        turning = {(type(module).__module__, *pair) for module in modules for pair in rotations(module).items()}
        for file, name, function in turning:
            after.callback(setattr, sys.modules[file], name, function)
            setattr(sys.modules[file], name, watched(function))
        for module in modules:
            if isinstance(module, PreTrainedModel):  # the outermost that gives states gives them last
                after.callback(module.register_forward_hook(recorder.keep_states).remove)
        model.eval()
        yield recorder


def read(model: Any, tokenizer: Any, text: str, context: str | None = None, silent: Silent = frozenset()) -> Reading:
    """See `attnlib.models.read`; `silent` are heads whose outputs are 0, as (stack, layer, head)."""
    check_model(model, tokenizer)
    given, sides = model_inputs(model, tokenizer, text, context)
    known = inspect.signature(model.forward).parameters
    given = {name: torch.tensor(rows, device=model.device) for name, rows in given.items() if name in known}
    if "use_cache" in known:
        given["use_cache"] = False
    with recording(model, silent) as recorder:
        out = model(**given, return_dict=True)
    missing = [side for side in sides if side not in recorder.layers]
    if missing:
        alone = missing == ["self"]
        part = "" if alone else f" in its {' and its '.join(missing)}"
        what = WEIGHTS if alone and "output_attentions" in known else "no setting changes that, only another model"
        raise ValueError(f"{type(model).__name__} does not attend through the registry of transformers{part}: {what}")
    logits = out.get("logits") if model.get_output_embeddings() is not None else None
    for name, found in (("states", recorder.states), ("logits", logits)):
        if found is None:
            continue
        infinite = found.isinf() if name == "states" else found == torch.inf  # a word may be ruled out by −∞
        if found.isnan().any() or infinite.any():
            fault, dtype = "NaN" if found.isnan().any() else "infinite", str(model.dtype).removeprefix("torch.")
            raise ValueError(f"{type(model).__name__} gives {name} that are {fault}, in {dtype}: load it in float32")
    return Reading(
        model=(model.config.name_or_path or type(model).__name__).rstrip("/").rpartition("/")[2],
        text=text,
        context=context,
        stacks=stacks(recorder.layers, {name: shown(tokenizer, side) for name, side in sides.items()}),
        logits=None if logits is None else as_numpy(logits[0]),
        states=as_numpy(recorder.states[0]),
        silent=silent,
        again=lambda silent: read(model, tokenizer, text, context, silent),
        written=lambda number: shown(tokenizer, [number])[0][0],
    )


def stacks(layers: dict[str, list[Layer]], sides: dict[str, tuple[list[str], list[bool]]]) -> dict[str, Stack]:
    """The stacks with their tokens; in "cross" the decoder's ask, and the encoder's are read."""
    of = {name: (name, name) for name in sides} | {"cross": ("decoder", "encoder")}
    return {name: Stack(name, layers[name], *sides[of[name][0]], *sides[of[name][1]]) for name in of if name in layers}


def check_model(model: Any, tokenizer: Any) -> None:
    """An error for a model or tokenizer that cannot be used, with what to do instead."""
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    if isinstance(model, str):
        raise TypeError(f'model must be a loaded model, got a name: load it with AutoModel.from_pretrained("{model}")')
    if not isinstance(model, PreTrainedModel):
        raise TypeError(
            f"model must be a model of transformers, got {type(model).__name__}: "
            "unwrap it, as a SentenceTransformer with model[0].auto_model"
        )
    others = [name for name in sorted(model.config.sub_configs) if "vision" in name or "audio" in name]
    if model.main_input_name != "input_ids" or others:
        reads = " and ".join(others) or model.main_input_name
        raise ValueError(
            f"{type(model).__name__} is not a model of text alone: it has {reads}; pass its language model, loaded as one"
        )
    if any(tensor.device.type == "meta" for tensor in model.parameters()):
        raise ValueError(
            f"{type(model).__name__} is on the meta device, where weights have sizes and no numbers: load it with from_pretrained"
        )
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise TypeError(
            f"tokenizer must be a tokenizer of transformers, got {type(tokenizer).__name__}: "
            "load it with AutoTokenizer.from_pretrained"
        )
