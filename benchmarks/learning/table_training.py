"""Trains a policy for CALVIN's table on exported frames: one network over all tasks, by imitation.

    python -m benchmarks.learning.table_training EXPORT [EXPORT]... --out FILE [--epochs 60] [--share 1] [--still]

An export is a folder of ``chorewright export --format lerobot --pictures none``. The network is a perceptron with three
hidden layers; the labels are the next eight poses that were commanded, less the pose that is seen, by the mean absolute
error, and whether the hand is open, by cross-entropy. The same files, seed and epochs give the same weights on one
machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from torch import nn

from benchmarks.learning.table_policy import (
    CHUNK,
    POSE,
    WORDS,
    Beginning,
    Floats,
    block_meant,
    features,
    hashed,
    kind_of,
)

METRES, RADIANS = 0.02, 0.1
"""What the labels are divided by."""
HIDDEN, BATCH, RATE = 384, 1024, 2e-3
NOISE = 0.01
"""Of the normalised input, so that the network does not hang on last digits."""
GRIP = 0.3
"""The weight of the gripper's loss, a cross-entropy, beside that of the poses."""
TELL = 10
"""Epochs after which the loss is told."""
SENTENCES = 300
"""Steps by which sentences are learned."""
STILL = np.array([0.001, 0.01, 0.001], np.float32)
"""Metres, radians and metres of the fingers: in a frame that moves less, and repeats its command, nothing is learned
but to stand still."""


class TableFrames:
    """Frames of exports: what is seen, what is commanded, and the task."""

    def __init__(self, folders: list[Path], share: float = 1.0, still: bool = False) -> None:
        """Read exports.

        Args:
            folders: The exports.
            share: That of the episodes that are taken.
            still: Whether frames in which nothing moves are kept.
        """
        seen, labels, told, names = [], [], [], list[str]()
        self.tasks = sorted({name for folder in folders for name in _texts(folder, "subtask")})
        self.kinds = sorted(set(map(kind_of, self.tasks)))
        self.left_out = 0
        self.said = set[tuple[str, str]]()
        for folder in folders:
            subtasks, sentences = _texts(folder, "subtask"), _texts(folder, "task")
            table = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("data/*/*.parquet"))])
            robot, scene, command = (
                _numbers(table, name)
                for name in ("observation.state", "observation.environment_state", "action.commanded")
            )
            keys = np.stack(
                [table[name].to_numpy() for name in ("episode_index", "subtask_index", "task_index")], axis=1
            )
            kept = keys[:, 0] < share * (keys[-1, 0] + 1)
            starts = np.flatnonzero(np.r_[True, (keys[1:] != keys[:-1]).any(axis=1)])
            for first, stop in zip(starts, [*starts[1:], len(keys)], strict=True):
                if not kept[first]:
                    continue
                there, name = slice(first, stop), subtasks[keys[first, 1]]
                moves = np.ones(stop - first, bool) if still else moves_of(robot[there], command[there])
                self.left_out += int((~moves).sum())
                begin = Beginning(robot[first], scene[first], block_meant(name, robot[first], scene[first]))
                highest = np.maximum.accumulate(robot[there, 2])
                seen.append(features(robot[there][moves], scene[there][moves], highest[moves], begin))
                labels.append(chunks(robot[there][moves], command[there][moves]))
                told.append(np.full(len(seen[-1]), self.kinds.index(kind_of(name))))
                names.append(name)
                self.said.add((sentences[keys[first, 2]], name))
        self.segments = {task: names.count(task) for task in self.tasks}
        self.seen, self.told, self.labels = (np.concatenate(each) for each in (seen, told, labels))


def moves_of(robot: Floats, command: Floats) -> NDArray[np.bool_]:
    """Return in which frames of a task something moves, or a command is new."""
    after = np.concatenate((robot[1:], robot[-1:] + 1))
    turned = np.abs((after[:, 3:6] - robot[:, 3:6] + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
    moved = np.linalg.norm(after[:, :3] - robot[:, :3], axis=1)
    steps = np.stack((moved, turned, np.abs(after[:, 6] - robot[:, 6])), axis=1)
    repeated = np.r_[False, (np.abs(command[1:] - command[:-1]) < 1e-3).all(axis=1)]
    stands: NDArray[np.bool_] = (steps < STILL).all(axis=1) & repeated
    return ~stands


def _texts(folder: Path, name: str) -> list[str]:
    table = pq.read_table(folder / "meta" / f"{name}s.parquet")
    return [str(text) for text in table[name].to_pylist()]


def _numbers(table: pa.Table, name: str) -> Floats:
    column = table[name].combine_chunks()
    return np.asarray(column.flatten(), np.float32).reshape(len(column), -1)


def chunks(robot: Floats, command: Floats) -> Floats:
    """Return the next commands of each frame of a task, poses less the pose that is seen, scaled: (n, CHUNK * 7)."""
    at = np.minimum(np.arange(len(robot))[:, None] + np.arange(CHUNK), len(robot) - 1)
    chunk = command[at].copy()
    chunk[..., :3] -= robot[:, None, :3]
    chunk[..., 3:POSE] = (chunk[..., 3:POSE] - robot[:, None, 3:POSE] + np.pi) % (2 * np.pi) - np.pi
    return np.asarray(chunk / scale(), np.float32).reshape(len(robot), -1)


def scale() -> Floats:
    """Return what the numbers of an action are divided by."""
    return np.array([METRES] * 3 + [RADIANS] * 3 + [1.0], np.float32)


def network(inputs: int) -> nn.Sequential:
    """Return an untrained network."""
    sizes, layers = (inputs, HIDDEN, HIDDEN, HIDDEN), list[nn.Module]()
    for one, two in pairwise(sizes):
        layers += [nn.Linear(one, two), nn.GELU(approximate="tanh")]
    return nn.Sequential(*layers, nn.Linear(HIDDEN, CHUNK * 7))


def train(frames: TableFrames, epochs: int, seed: int) -> tuple[nn.Sequential, Floats, Floats]:
    """Return a network, and what its inputs are less and divided by."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    mean, deviation = frames.seen.mean(axis=0), np.maximum(frames.seen.std(axis=0), 1e-3)
    known, kinds = frames.seen.shape[1], len(frames.kinds)
    inputs, labels = torch.from_numpy((frames.seen - mean) / deviation), torch.from_numpy(frames.labels)
    told = nn.functional.one_hot(torch.from_numpy(frames.told), kinds).float()
    model = network(known + kinds)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-4)
    steps = epochs * (len(inputs) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=max(1, steps))
    for epoch in range(epochs):
        order, total = torch.randperm(len(inputs)), 0.0
        for some in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            given = torch.cat((inputs[some] + NOISE * torch.randn(BATCH, known), told[some]), dim=1)
            with torch.autocast("cpu", torch.bfloat16):
                found = model(given)
            loss = pose_loss(found.float(), labels[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        if (epoch + 1) % TELL == 0:
            loss = total / max(1, len(inputs) // BATCH)
            print(f"epoch {epoch + 1} of {epochs}: loss {loss:.3f}", file=sys.stderr, flush=True)
    return model, mean, deviation


def pose_loss(given: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean absolute error of poses and the weighted cross-entropy of the gripper's commands."""
    given, labels = given.reshape(-1, CHUNK, 7), labels.reshape(-1, CHUNK, 7)
    grip = nn.functional.binary_cross_entropy_with_logits(given[..., POSE], (labels[..., POSE] > 0).float())
    return (given[..., :POSE] - labels[..., :POSE]).abs().mean() + GRIP * grip


def understand(frames: TableFrames) -> Floats:
    """Return weights (WORDS, tasks) that tell the task of a hashed sentence."""
    pairs = sorted(frames.said)
    words = torch.from_numpy(np.stack([hashed(sentence) for sentence, _ in pairs]))
    tasks = torch.tensor([frames.tasks.index(name) for _, name in pairs])
    weights = torch.zeros(WORDS, len(frames.tasks), requires_grad=True)
    optimiser = torch.optim.Adam([weights], lr=0.05, weight_decay=1e-4)
    for _ in range(SENTENCES):
        optimiser.zero_grad()
        nn.functional.cross_entropy(words @ weights, tasks).backward()
        optimiser.step()
    return np.asarray(weights.detach().numpy(), np.float32)


def save(path: Path, frames: TableFrames, model: nn.Sequential, mean: Floats, deviation: Floats) -> None:
    """Write weights as numpy reads them."""
    linear = [each for each in model if isinstance(each, nn.Linear)]
    arrays = {f"weight{number}": each.weight.detach().numpy() for number, each in enumerate(linear)}
    arrays |= {f"bias{number}": each.bias.detach().numpy() for number, each in enumerate(linear)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        arrays |= {"mean": mean, "scale": deviation, "out": scale(), "words": understand(frames)}
        np.savez(target, layers=len(linear), kinds=frames.kinds, tasks=frames.tasks, **arrays)


def main() -> None:
    """Train and save; print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exports", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--share", type=float, default=1.0, help="of the episodes that are taken")
    parser.add_argument("--still", action="store_true", help="keep frames in which nothing moves")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    started = time.process_time()
    frames = TableFrames(asked.exports, asked.share, asked.still)
    model, mean, deviation = train(frames, asked.epochs, asked.seed)
    save(asked.out, frames, model, mean, deviation)
    seconds = time.process_time() - started
    counts = {
        "frames": len(frames.seen),
        "left_out": frames.left_out,
        "segments": sum(frames.segments.values()),
        "fewest": min(frames.segments.values()),
    }
    print(json.dumps({**counts, "tasks": len(frames.tasks), "cpu_seconds": round(seconds, 1)}))


if __name__ == "__main__":
    main()
