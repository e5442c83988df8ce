"""A policy for the rooms: the next of ALFRED's 13 actions from a small picture, a sentence and the last actions.

A small convolutional network, whose channels the sentence scales (FiLM), tells the action and, of an interaction, the
kind of its object; of what is seen of that kind the nearest thing is meant. It needs torch.
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from benchmarks.learning.rooms_frames import LAST, WORDS, Frames, Names

WIDTH, RATE = 256, 1e-3


class RoomNetwork:
    """From pictures, words and last actions to scores of actions and of kinds.

    Args:
        names: What is told apart.
        sees, reads: Whether there are pictures and sentences; without them it is given nothing.
    """

    def __init__(self, names: Names, sees: bool = True, reads: bool = True) -> None:
        self.names, self.sees, self.reads = names, sees, reads
        sizes = (3, 32, 64, 96, 128)
        layers = [
            nn.Conv2d(before, after, 5 if before == 3 else 3, stride=2, padding=2 if before == 3 else 1)
            for before, after in pairwise(sizes)
        ]
        self.parts = nn.ModuleDict(
            {
                "words": nn.EmbeddingBag(WORDS, 96, mode="mean", padding_idx=0),
                "last": nn.Embedding(len(names.actions) + 2, 16),
                "layers": nn.ModuleList(layers),
                "norms": nn.ModuleList(nn.GroupNorm(8, size) for size in sizes[1:]),
                "films": nn.ModuleList(nn.Linear(96, 2 * size) for size in sizes[1:]),
                "joined": nn.Sequential(nn.Linear(128 * 16 + 96 + 16 * LAST, WIDTH), nn.ReLU(), nn.Dropout(0.2)),
                "action": nn.Linear(WIDTH, len(names.actions)),
                "kind": nn.Linear(WIDTH, len(names.kinds)),
            }
        )

    def look(
        self, picture: NDArray[np.uint8], words: NDArray[np.int64], last: list[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores of actions and kinds for one moment; arguments as a row of ``Frames``."""
        torch.set_num_threads(1)
        with torch.no_grad():
            row = torch.as_tensor(picture.copy()), torch.as_tensor(words), torch.tensor(last)
            scores, things = self.scores(*(each[None] for each in row))
        return scores[0].double().numpy(), things[0].double().numpy()

    def scores(
        self, pictures: torch.Tensor, words: torch.Tensor, last: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores; arguments as those of ``Frames``, as tensors."""
        told = self.parts["words"](words) * float(self.reads)
        if not (self.sees or self.reads):
            pictures = pictures[:1]  # one stands for all
        seen = (pictures.permute(0, 3, 1, 2).float() / 127.5 - 1.0) * float(self.sees)
        for layer, norm, film in zip(*(self.parts[name] for name in ("layers", "norms", "films")), strict=True):
            scale, shift = film(told[: len(seen)])[..., None, None].chunk(2, dim=1)
            seen = functional.relu(norm(layer(seen)) * (1 + scale) + shift)
        whole = torch.cat((seen.flatten(1).expand(len(told), -1), told, self.parts["last"](last).flatten(1)), dim=1)
        joined = self.parts["joined"](whole)
        return self.parts["action"](joined), self.parts["kind"](joined)


def train(
    frames: Frames, names: Names, sees: bool, reads: bool, epochs: int, seed: int, batch: int
) -> tuple[RoomNetwork, float]:
    """Return a network, and the CPU seconds (or, on another device, seconds) that it took."""
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = RoomNetwork(names, sees, reads)
    network.parts.to(device)
    arrays = (frames.pictures, frames.words, frames.last, frames.actions, frames.kinds)
    tensors = [torch.as_tensor(each).to(device) for each in arrays]
    count, clock = len(frames.actions), time.process_time if device == "cpu" else time.perf_counter
    began, steps = clock(), epochs * -(-count // batch)
    optimiser = torch.optim.AdamW(network.parts.parameters(), RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=max(2, steps))
    network.parts.train()
    for _ in range(epochs):
        order = torch.randperm(count, device=device)
        for first in range(0, count, batch):
            pictures, words, last, actions, kinds = (each[order[first : first + batch]] for each in tensors)
            forgotten = torch.rand(last.shape[0], 1, device=device) < 0.3  # what was done last must not tell all
            scores, things = network.scores(pictures, words, torch.where(forgotten, 0, last))
            loss = functional.cross_entropy(scores, actions, label_smoothing=0.02)
            if bool((kinds >= 0).any()):
                loss = loss + functional.cross_entropy(things, kinds, ignore_index=-1)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    network.parts.eval().to("cpu")
    return network, clock() - began


def save(network: RoomNetwork, path: Path) -> None:
    """Write a network."""
    told = {
        "actions": network.names.actions,
        "kinds": network.names.kinds,
        "sees": network.sees,
        "reads": network.reads,
    }
    torch.save({"told": told, "weights": network.parts.state_dict()}, path)


def load(path: Path) -> RoomNetwork:
    """Read a network that ``save`` wrote."""
    stored = torch.load(path, weights_only=True)
    told = stored["told"]
    network = RoomNetwork(Names(tuple(told["actions"]), tuple(told["kinds"])), told["sees"], told["reads"])
    network.parts.load_state_dict(stored["weights"])
    network.parts.eval()
    return network
