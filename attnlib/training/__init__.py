"""Train the model of chapter 9 on a CPU, in about a minute: `make train`.

    python -m attnlib.training [--seed 3] [--steps 2500] [--out _build/model.npz] [--threads 1]

It predicts the next word of the streams of `attnlib.corpus`. A run that is interrupted goes on where its last
checkpoint was, with the same command. On one thread it then ends at the same weights, bit for bit.
"""

import argparse
import dataclasses
import hashlib
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy import ndarray as Array
from torch import Tensor

from attnlib import corpus, trained
from attnlib.trained import quantized
from attnlib.trained.quantized import Quantized, quantize
from attnlib.training.transformer import Transformer

Report = Callable[[int, float], None]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """All that decides how a run ends.

    >>> [round(Recipe().rate_at(step), 4) for step in (0, 99, 1250, 2499)]
    [0.0001, 0.01, 0.0053, 0.0005]
    """

    seed: int = 3  # whose heads each do one thing; 0 to 4 learn as much
    steps: int = 2500
    streams: int = 20_000
    batch: int = 64
    d: int = 64
    num_layers: int = 2
    num_heads: int = 4
    rate: float = 1e-2  # of learning, at its highest
    warmup: int = 100  # steps
    decay: float = 0.1
    focus: float = 0.1  # what a nat of a head's entropy costs, in full from 40 % of the steps on

    def rate_at(self, step: int) -> float:
        """Up in a line, then down to a twentieth along a cosine."""
        falling = 0.05 + 0.95 * (1 + math.cos(math.pi * step / self.steps)) / 2
        return self.rate * min(1, (step + 1) / self.warmup) * falling

    def focus_at(self, step: int) -> float:
        """Nothing at first, so that heads find out what pays before they commit themselves."""
        return self.focus * min(1, max(0, step / self.steps - 0.2) / 0.2)


def data(recipe: Recipe) -> Int[Array, "streams n_next"]:
    """The streams to train on; no other seed draws them."""
    return corpus.streams(np.random.default_rng([recipe.seed, 1]), recipe.streams).tokens


def data_hash(tokens: Int[Array, "streams n_next"]) -> str:
    """SHA-256 of the streams as text: words with spaces between, one stream a line.

    >>> data_hash(np.array([[0, 1]]))[:12]
    'ad55f9a9d6f6'
    """
    lines = "".join(f"{trained.decode(row)}\n" for row in tokens)
    return hashlib.sha256(lines.encode()).hexdigest()


def losses(model: Transformer, tokens: Int[Tensor, "batch n_next"]) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """The mean cross-entropy of the next words in nats, and the mean entropy of a row of weights, summed over layers."""
    logits, weights = model(tokens[:, :-1])
    entropies = -(weights * (weights + 1e-9).log()).sum(dim=-1)  # (layers, batch, h, n)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()), entropies.mean(
        dim=(1, 2, 3)
    ).sum()


def train(
    recipe: Recipe, checkpoint: Path | None = None, *, every: int = 100, report: Report = lambda step, loss: None
) -> Transformer:
    """Train a model from its first step, or from where a checkpoint ends.

    Args:
        recipe: all that decides how the run ends.
        checkpoint: a file to go on from, if it exists, and to write; None means none.
        every: after how many steps the checkpoint is written.
        report: called after each step with the steps done and the loss in nats for a word.

    Returns:
        The trained model.

    Raises:
        ValueError: for a checkpoint of another recipe.

    >>> model = train(Recipe(steps=2, streams=10))
    >>> sum(parameter.numel() for parameter in model.parameters())
    43264
    """
    generator = torch.Generator().manual_seed(recipe.seed)
    sizes = {name: getattr(recipe, name) for name in ("d", "num_layers", "num_heads")}
    model = Transformer(v=len(corpus.VOCABULARY), reach=corpus.CONTEXT, generator=generator, **sizes)
    optimiser = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=recipe.decay)
    start = 0
    if checkpoint is not None and checkpoint.exists():
        start = _load(checkpoint, recipe, model, optimiser, generator)
    tokens = torch.from_numpy(data(recipe))
    for step in range(start, recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate_at(step)
        batch = tokens[torch.randint(len(tokens), (recipe.batch,), generator=generator)]
        loss, entropy = losses(model, batch)
        optimiser.zero_grad()
        (loss + recipe.focus_at(step) * entropy).backward()
        optimiser.step()
        report(step + 1, loss.item())
        if checkpoint is not None and (step + 1) % every == 0:
            _save(checkpoint, recipe, step + 1, model, optimiser, generator)
    return model


def weights_of(model: Transformer) -> dict[str, Quantized]:
    """The parameters as `attnlib.decoder` reads them.

    Args:
        model: what `train` gave.

    Returns:
        The arrays by name, in 8 bits.

    >>> weights_of(Transformer(v=9))["w_q"].levels.dtype
    dtype('int8')
    """
    return {name: quantize(name, p.detach().numpy()) for name, p in model.named_parameters()}


def _save(
    path: Path,
    recipe: Recipe,
    step: int,
    model: Transformer,
    optimiser: torch.optim.Optimizer,
    generator: torch.Generator,
) -> None:
    """Write a checkpoint beside the old one and put it in its place at once: a kill leaves one of the two, whole."""
    state = {"recipe": dataclasses.asdict(recipe), "step": step, "model": model.state_dict()}
    state |= {"optimiser": optimiser.state_dict(), "generator": generator.get_state()}
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    torch.save(state, new)
    os.replace(new, path)


def _load(
    path: Path, recipe: Recipe, model: Transformer, optimiser: torch.optim.Optimizer, generator: torch.Generator
) -> int:
    """Put a checkpoint's state into the arguments, and give the step that comes next."""
    state = torch.load(path, weights_only=True)
    asked = dataclasses.asdict(recipe)
    if other := [name for name in asked if state["recipe"].get(name) != asked[name]]:
        found = ", ".join(f"{name} = {state['recipe'].get(name)}, not {asked[name]}" for name in other)
        raise ValueError(f"{path} is a run with {found}: remove it to start anew")
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    generator.set_state(state["generator"])
    step: int = state["step"]
    return step


def progress(steps: int) -> Report:
    """One line that counts: on a terminal it is written over at each step, elsewhere anew 10 times in all."""
    start, terminal, smooth = time.monotonic(), sys.stderr.isatty(), 0.0

    def report(step: int, loss: float) -> None:
        nonlocal smooth
        smooth = 0.95 * smooth + 0.05 * loss if smooth else loss
        if not terminal and step % max(1, steps // 10):
            return
        done = "━" * (24 * step // steps)
        line = f"{done:╌<24} step {step} of {steps}  loss {smooth:.3f}  {time.monotonic() - start:.0f} s"
        print(line, end="\r" if terminal and step < steps else "\n", file=sys.stderr, flush=True)

    return report


def save(out: Path, recipe: Recipe, weights: dict[str, Quantized], seconds: float | None) -> dict[str, Any]:
    """Write the weights, and beside them as JSON where they come from and how good they are."""
    out.parent.mkdir(parents=True, exist_ok=True)
    quantized.write(out, weights)
    record = {
        "command": f"python -m attnlib.training --seed {recipe.seed} --steps {recipe.steps} --out {out}",
        "recipe": dataclasses.asdict(recipe),
        "data": {"words": len(corpus.VOCABULARY), "sha256": data_hash(data(recipe))},
        "made with": {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__},
        "processor seconds": seconds,
    } | trained.measure({name: one.values for name, one in weights.items()})
    rounded = json.loads(json.dumps(record), parse_float=lambda number: round(float(number), 4))
    out.with_suffix(".json").write_text(json.dumps(rounded, indent=1, ensure_ascii=False) + "\n", "utf8")
    return record


def table(record: dict[str, Any]) -> str:
    """What was measured: the whole model, then each head, and what is left without it."""
    whole = record["accuracies"]
    lines = [
        ", ".join(f"{name} {whole[name]:.3f}" for name in ("loss", "copy", "pronoun", "repeats")),
        "",
        "layer head | previous token  induction  pronoun | without it: copy  pronoun  repeats",
    ]
    for head in record["heads"]:
        scores = f"{head['previous token']:14.3f} {head['induction']:10.3f} {head['pronoun']:8.3f}"
        left = " ".join(f"{head['without'][name]:8.3f}" for name in ("copy", "pronoun", "repeats"))
        lines.append(f"{head['layer'] + 1:5} {head['head'] + 1:4} | {scores} |       {left}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    options = argparse.ArgumentParser(prog="python -m attnlib.training")
    options.add_argument("--seed", type=int, default=Recipe.seed)
    options.add_argument("--steps", type=int, default=Recipe.steps)
    options.add_argument("--streams", type=int, default=Recipe.streams)
    options.add_argument("--out", type=Path, default=Path("_build/model.npz"))
    options.add_argument("--threads", type=int, default=1)
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads)
    recipe = Recipe(seed=given.seed, steps=given.steps, streams=given.streams)
    checkpoint = given.out.with_suffix(".checkpoint")
    start, resumed = time.process_time(), checkpoint.exists()
    try:
        model = train(recipe, checkpoint, report=progress(recipe.steps))
    except KeyboardInterrupt:
        sys.exit(
            f"\nInterrupted. The same command goes on from {checkpoint}." if checkpoint.exists() else "\nInterrupted."
        )
    except ValueError as error:
        sys.exit(str(error))
    seconds = None if resumed else round(time.process_time() - start, 1)
    print(table(save(given.out, recipe, weights_of(model), seconds)))
    checkpoint.unlink(missing_ok=True)
