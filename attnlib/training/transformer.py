"""The model of `attnlib.decoder` in torch, where it can be trained: `pip install attnlib[train]`.

Its parameters have the names and shapes that `attnlib.decoder` reads, so that what is trained here runs there.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Transformer(nn.Module):
    """A decoder made of attention alone, for v words, d columns, L layers of h heads, and a bias for each distance.

    The weights start small and random, by `generator`. A token further away than `reach` − 1 shares the last bias.

    >>> model = Transformer(v=9, d=8, num_layers=2, num_heads=4, reach=5)
    >>> logits, weights = model(torch.tensor([[3, 1, 4]]))
    >>> logits.shape, weights.shape
    (torch.Size([1, 3, 9]), torch.Size([2, 1, 4, 3, 3]))
    """

    def __init__(
        self,
        *,
        v: int,
        d: int = 64,
        num_layers: int = 2,
        num_heads: int = 4,
        reach: int = 32,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()

        def normal(*shape: int, std: float) -> nn.Parameter:
            return nn.Parameter(std * torch.randn(shape, generator=generator))

        self.num_heads = num_heads
        self.embedding = normal(v, d, std=0.5)
        self.w_q = normal(num_layers, d, d, std=d**-0.5)
        self.w_k = normal(num_layers, d, d, std=d**-0.5)
        self.w_v = normal(num_layers, d, d, std=d**-0.5)
        self.w_o = normal(num_layers, d, d, std=(2 * num_layers * d) ** -0.5)  # each layer adds to the stream
        self.bias = normal(num_layers, num_heads, reach, std=0.01)
        self.unembedding = normal(d, v, std=d**-0.5)

    def forward(
        self, tokens: Int[Tensor, "batch n"]
    ) -> tuple[Float[Tensor, "batch n v"], Float[Tensor, "layers batch h n n"]]:
        """The logits of the next word at every token, and the attention weights of every head."""
        stream = self.embedding[tokens]  # (batch, n, d)
        grids = []
        for layer in range(len(self.w_q)):
            found, weights = self.attend(layer, rms_norm(stream))
            stream = stream + found
            grids.append(weights)
        return rms_norm(stream) @ self.unembedding, torch.stack(grids)

    def attend(
        self, layer: int, x: Float[Tensor, "batch n d"]
    ) -> tuple[Float[Tensor, "batch n d"], Float[Tensor, "batch h n n"]]:
        """What the heads of one layer find, and their weights: softmax(q·k / √d_k + bias by distance), causal."""
        batch, n, d = x.shape
        query, key, value = (
            (x @ w[layer]).view(batch, n, self.num_heads, -1).transpose(1, 2)  # (batch, h, n, d / h)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (batch, h, n, n)
        back = torch.arange(n)[:, None] - torch.arange(n)  # (n, n): how far key j stands before query i
        scores = scores + self.bias[layer][:, back.clamp(0, self.bias.shape[-1] - 1)]
        weights = scores.masked_fill(back < 0, -math.inf).softmax(dim=-1)
        heads = (weights @ value).transpose(1, 2).reshape(batch, n, d)  # (batch, n, h · d / h)
        return heads @ self.w_o[layer], weights


def rms_norm(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    """Rows over their root mean square, as `attnlib.rms_norm`."""
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6)
