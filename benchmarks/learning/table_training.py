"""Trains a policy for CALVIN's table on exported frames: one network over all tasks, by imitation.

    python -m benchmarks.learning.table_training EXPORT [EXPORT]... --out FILE [--words] [--minutes 5] [--seed 0]

An export is a folder of ``chorewright export --format lerobot --pictures none``. The network is a perceptron with three
hidden layers; the labels are the next eight poses that were commanded, less the pose that is seen; the loss is the mean
absolute error. The same files, seed and epochs give the same weights on one machine.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from torch import nn

from benchmarks.learning.table_policy import CHUNK, POSE, Floats, block_named, features, hashed

METRES, RADIANS = 0.02, 0.1
"""What the labels are divided by."""
HIDDEN, BATCH, RATE = 384, 512, 1e-3
NOISE = 0.01
"""Of the normalised input, so that the network does not hang on last digits."""


class TableFrames:
    """Frames of exports: what is seen, what is commanded, and the task."""

    def __init__(self, folders: list[Path], words: bool, share: float = 1.0) -> None:
        """Read exports; ``share`` is that of the episodes that are taken."""
        seen, told, labels, names = [], [], [], list[str]()
        self.tasks = sorted({name for folder in folders for name in _texts(folder, "subtask")})
        for folder in folders:
            sentences, subtasks = _texts(folder, "task"), _texts(folder, "subtask")
            table = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("data/*/*.parquet"))])
            robot, fixtures, command = (
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
                there = slice(first, stop)
                name, sentence = subtasks[keys[first, 1]], sentences[keys[first, 2]]
                before = np.repeat(fixtures[first : first + 1], stop - first, axis=0)
                block = block_named(sentence if words else name)
                seen.append(features(robot[there], fixtures[there], before, block))
                labels.append(_chunks(robot[there], command[there]))
                names.append(name)
                one = hashed(sentence) if words else np.eye(len(self.tasks))[self.tasks.index(name)]
                told.append(np.repeat(one[None].astype(np.float32), stop - first, axis=0))
        self.segments = {task: names.count(task) for task in self.tasks}
        self.seen, self.told, self.labels = (np.concatenate(each) for each in (seen, told, labels))


def _texts(folder: Path, name: str) -> list[str]:
    table = pq.read_table(folder / "meta" / f"{name}s.parquet")
    return [str(text) for text in table[name].to_pylist()]


def _numbers(table: pa.Table, name: str) -> Floats:
    column = table[name].combine_chunks()
    return np.asarray(column.flatten(), np.float32).reshape(len(column), -1)


def _chunks(robot: Floats, command: Floats) -> Floats:
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


def train(
    frames: TableFrames, epochs: int, seed: int
) -> tuple[nn.Sequential, NDArray[np.float32], NDArray[np.float32]]:
    """Return a network, and what its inputs are less and divided by."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    mean, deviation = frames.seen.mean(axis=0), np.maximum(frames.seen.std(axis=0), 1e-3)
    inputs = torch.from_numpy(np.concatenate(((frames.seen - mean) / deviation, frames.told), axis=1))
    labels, known = torch.from_numpy(frames.labels), frames.seen.shape[1]
    model = network(inputs.shape[1])
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-4)
    steps = epochs * (len(inputs) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=max(1, steps))
    for _ in range(epochs):
        order = torch.randperm(len(inputs))
        for some in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            given = inputs[some]
            given[:, :known] += NOISE * torch.randn(BATCH, known)
            loss = (model(given) - labels[some]).abs().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return model, mean, deviation


def save(path: Path, frames: TableFrames, model: nn.Sequential, mean: Floats, deviation: Floats, words: bool) -> None:
    """Write weights as numpy reads them."""
    linear = [each for each in model if isinstance(each, nn.Linear)]
    arrays = {f"weight{number}": each.weight.detach().numpy() for number, each in enumerate(linear)}
    arrays |= {f"bias{number}": each.bias.detach().numpy() for number, each in enumerate(linear)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        np.savez(
            target,
            layers=len(linear),
            mean=mean,
            scale=deviation,
            out=scale(),
            tasks=frames.tasks,
            words=words,
            **arrays,
        )


def main() -> None:
    """Train and save; print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exports", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", action="store_true", help="tell the sentence, not the task")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--share", type=float, default=1.0, help="of the episodes that are taken")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    started = time.process_time()
    frames = TableFrames(asked.exports, asked.words, asked.share)
    model, mean, deviation = train(frames, asked.epochs, asked.seed)
    save(asked.out, frames, model, mean, deviation, asked.words)
    seconds = time.process_time() - started
    counts = {
        "frames": len(frames.seen),
        "segments": sum(frames.segments.values()),
        "fewest": min(frames.segments.values()),
    }
    print(json.dumps({**counts, "tasks": len(frames.tasks), "cpu_seconds": round(seconds, 1)}))


if __name__ == "__main__":
    main()
