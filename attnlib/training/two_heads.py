"""Train two heads on the words of the running example and write attnlib/data/two_heads.json.

The task needs two look-ups at once: in random five-word strings, tell at each place the part of
speech of the word before (the first four axes) and the meaning of the word before that (the last
four). One causal attention layer with two heads sees the words' embeddings plus a learned vector
for each place. Nothing says which head should do what, or that a head should look at one word alone.

    python -m attnlib.training.two_heads [--seed 0] [--steps 3000] [--out FILE]
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from attnlib import houston
from attnlib.training.recording import must_have_a_folder

SIZES = {"position": (5, 8), "w_q": (2, 8, 4), "w_k": (2, 8, 4), "w_v": (2, 8, 3), "w_o": (6, 8)}


def forward(parameters: dict[str, torch.Tensor], words: torch.Tensor) -> torch.Tensor:
    """The layer's output (batch, n, d) for word numbers (batch, n)."""
    x = torch.tensor(houston.EMBEDDINGS)[words] + parameters["position"]
    query, key, value = (x[:, None] @ parameters[w] for w in ("w_q", "w_k", "w_v"))  # (batch, h, n, d_k or d_v)
    heads = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return heads.transpose(1, 2).flatten(2) @ parameters["w_o"]  # (batch, n, h·d_v) @ (h·d_v, d)


def loss_of(parameters: dict[str, torch.Tensor], words: torch.Tensor) -> torch.Tensor:
    """Mean squared error at the places that have two predecessors."""
    x = torch.tensor(houston.EMBEDDINGS)[words]
    target = torch.cat([x[:, 1:-1, :4], x[:, :-2, 4:]], dim=-1)
    return (forward(parameters, words)[:, 2:] - target).square().mean()


def train(seed: int, steps: int, batch: int = 64) -> tuple[dict[str, np.ndarray], float]:
    """Parameters rounded to two decimals, and their loss on fresh strings."""
    torch.manual_seed(seed)
    parameters = {name: (0.5 * torch.randn(size, dtype=torch.float64)).requires_grad_() for name, size in SIZES.items()}
    optimiser = torch.optim.Adam(parameters.values(), lr=0.01)
    for step in range(steps):
        optimiser.zero_grad()
        loss = loss_of(parameters, torch.randint(5, (batch, 5)))
        loss.backward()
        optimiser.step()
        if (step + 1) % 500 == 0:
            print(f"step {step + 1:5d}  loss {loss.item():.4f}")
    rounded = {name: p.detach().round(decimals=2) for name, p in parameters.items()}
    return {n: p.numpy() for n, p in rounded.items()}, loss_of(rounded, torch.randint(5, (4096, 5))).item()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=Path("attnlib/data/two_heads.json"))
    options = parser.parse_args()
    must_have_a_folder(parser, options.out)
    parameters, loss = train(options.seed, options.steps)
    record = {
        "command": f"python -m attnlib.training.two_heads --seed {options.seed} --steps {options.steps}",
        "loss": round(loss, 4),
        "parameters": {name: array.tolist() for name, array in parameters.items()},
    }
    options.out.write_text(json.dumps(record, indent=1) + "\n")
    print(f"loss {loss:.4f} with the rounded parameters, written to {options.out}")


if __name__ == "__main__":
    main()
