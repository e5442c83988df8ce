"""Trains a ranker of commands for text games on rollouts: by imitation of what the expert would say.

    python -m benchmarks.learning.text_training DATASET [DATASET]... --out FILE [--games N] [--epochs 4] [--seed 0]

A dataset is what ``chorewright.collect`` writes with the admissible commands; only its Parquet files are read. The
network adds up learned vectors of hashed features and ranks the commands by two layers; the loss is the cross entropy
of the expert's command among others. The same files, seed and epochs give the same weights on one machine.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import torch
from torch import nn

from benchmarks.learning.text_policy import SIZE, Ids, Reader

WIDTH, HIDDEN = 64, 64
RATE, BATCH = 2e-3, 64
OTHERS = 24
"""Commands besides the expert's that are ranked in a step of the training."""


class Choice:
    """One moment: what is known, the commands' features, and which of them is the expert's."""

    __slots__ = ("given", "known", "label")

    def __init__(self, known: Ids, given: list[Ids], label: int) -> None:
        self.known, self.given, self.label = known, given, label


def choices(folder: Path, games: int) -> Iterator[Choice]:
    """Yield the moments of a dataset's first games in which the expert knew a command."""
    left = games
    for file in sorted((folder / "data").glob("*.parquet")):
        for row in pq.read_table(file, columns=["steps"]).to_pylist():
            if left == 0:
                return
            left -= 1
            yield from _of_game([json.loads(step["arguments"]) for step in row["steps"]])


def _of_game(steps: list[dict[str, object]]) -> Iterator[Choice]:
    reader = Reader("")
    said = ""
    for step in steps:
        observation = str(step["observation"])
        if said:
            reader.hear(said, observation)
        else:
            reader = Reader(observation)
        info = step["info"]
        assert isinstance(info, dict)
        commands = list(info["admissible_commands"])
        if step["expert"] in commands:
            known, given = reader.features(commands)
            yield Choice(known, given, commands.index(step["expert"]))
        said = str(step["action"])


class Ranker:
    """Ranks commands: sums of vectors of features, then two layers."""

    def __init__(self) -> None:
        self.known = nn.EmbeddingBag(SIZE, WIDTH, mode="sum")
        self.given = nn.EmbeddingBag(SIZE, WIDTH, mode="sum")
        nn.init.normal_(self.known.weight, std=0.05)
        nn.init.normal_(self.given.weight, std=0.05)
        self.layers = nn.ModuleList((nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, 1)))

    def parameters(self) -> list[nn.Parameter]:
        """Return all that is learned."""
        return [each for part in (self.known, self.given, self.layers) for each in part.parameters()]

    def scores(
        self, known: tuple[torch.Tensor, torch.Tensor], given: tuple[torch.Tensor, torch.Tensor], of: torch.Tensor
    ) -> torch.Tensor:
        """Return a score of each command; ``of`` is the moment that it belongs to."""
        values = self.given(*given) + self.known(*known)[of]
        for layer in self.layers:
            values = layer(torch.relu(values))
        return values[:, 0]


def bags(each: list[Ids]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return features of several as one row of numbers, and where each begins."""
    lengths = np.array([len(ids) for ids in each])
    return torch.from_numpy(np.concatenate(each).astype(np.int64)), torch.from_numpy(np.cumsum(lengths) - lengths)


def train(model: Ranker, moments: list[Choice], epochs: int, seed: int) -> None:
    """Train a network on moments."""
    random = np.random.default_rng(seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    steps = epochs * -(-len(moments) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    for _ in range(epochs):
        order = random.permutation(len(moments))
        for start in range(0, len(order), BATCH):
            some = [moments[number] for number in order[start : start + BATCH]]
            picked = [_pick(each, random) for each in some]
            of = torch.from_numpy(np.repeat(np.arange(len(some)), [len(each) for each in picked]))
            scores = model.scores(
                bags([each.known for each in some]), bags([ids for each in picked for ids in each]), of
            )
            whole = torch.full((len(some),), -torch.inf).scatter_reduce(0, of, scores, "amax").detach()
            sums = torch.zeros(len(some)).index_add(0, of, (scores - whole[of]).exp())
            firsts = torch.from_numpy(np.cumsum([0, *(len(each) for each in picked[:-1])]))
            loss = (sums.log() + whole - scores[firsts]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()


def _pick(choice: Choice, random: np.random.Generator) -> list[Ids]:
    """Return the features of the expert's command, then of some others."""
    others = [number for number in range(len(choice.given)) if number != choice.label]
    if len(others) > OTHERS:
        others = [others[number] for number in random.choice(len(others), OTHERS, replace=False)]
    return [choice.given[choice.label], *(choice.given[number] for number in others)]


def save(path: Path, model: Ranker) -> None:
    """Write weights as numpy reads them."""
    arrays: dict[str, Any] = {}
    for number, layer in enumerate(model.layers):
        assert isinstance(layer, nn.Linear)
        arrays |= {f"weight{number}": layer.weight.detach().numpy(), f"bias{number}": layer.bias.detach().numpy()}
    known, given = (each.weight.detach().numpy() for each in (model.known, model.given))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        np.savez(target, layers=len(model.layers), known=known, given=given, **arrays)


def main() -> None:
    """Train and save; print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=-1, help="the first so many of each dataset")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    torch.use_deterministic_algorithms(True)
    started = time.process_time()
    moments = [each for folder in asked.datasets for each in choices(folder, asked.games)]
    read = time.process_time()
    model = Ranker()
    train(model, moments, asked.epochs, asked.seed)
    save(asked.out, model)
    print(
        json.dumps(
            {
                "moments": len(moments),
                "read": round(read - started, 1),
                "cpu_seconds": round(time.process_time() - started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
