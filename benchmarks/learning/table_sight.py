"""A policy for a few of CALVIN's tasks from the two cameras, beside the same policy without pictures.

    python -m benchmarks.learning.table_sight --work FOLDER [--per-task 60] [--rollouts 15] [--epochs 40]
                                              [--save] [--json FILE]

It sees pictures, the arm's own numbers and the task's name, nothing of the table's state: two small convolutional
networks, of whose channels the places count that stand out (spatial soft-argmax), and a perceptron that predicts poses
as ``table_training`` has them. Needs torch and the extra ``calvin``. What the folder holds is not made again.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from torch import nn

from benchmarks.command import from_rich, keep
from benchmarks.learning.kept import (
    MODEL,
    cpu_minutes,
    kept,
    learner_parser,
    megabytes,
    run_module,
    tell_memory,
    with_interval,
)
from benchmarks.learning.table import write_names
from benchmarks.learning.table_policy import CHUNK, EXECUTED, POSE, Floats
from benchmarks.learning.table_training import chunks, moves_of, pose_loss, scale
from benchmarks.results import Figure, Report
from chorewright.generator import Dataset
from chorewright.generator.calvin.evaluation import ChainJob, Player, starts
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.dataset.options import DETECTION
from chorewright.generator.training.trajectory import trajectories_of
from chorewright.replay.calvin.pictures import CAMERAS

TASKS = ("open_drawer", "turn_on_led", "push_red_block_left", "lift_red_block_table")
FLAGS = "--seed 1 --scatter 0.05 --start-hand 0.05 --no-holds --noise 0.01 --segments detection --replays none"
SHRUNK = {"static": 4, "gripper": 2}
"""Pixels on a side of the cameras' pictures that become one."""
EVERY = 3
"""Of so many frames one is learned from."""
LAYERS = ((12, 5, 2), (24, 3, 2), (24, 3, 1))
"""Channels, size and stride of the convolutions."""
OWN, HIDDEN, BATCH, RATE = 18, 256, 128, 2e-3


def shrink(picture: NDArray[np.uint8], camera: str) -> NDArray[np.uint8]:
    """Return pictures (n, side, side, 3) with the means of squares of pixels."""
    count, step = picture.shape[1] // SHRUNK[camera], SHRUNK[camera]
    squares = picture[:, : count * step, : count * step].reshape(-1, count, step, count, step, 3)
    return np.asarray(squares.mean(axis=(2, 4)), np.uint8)


def own_numbers(robot: Floats, highest: Floats, start: Floats) -> Floats:
    """Return what the arm knows of itself (n, OWN): its pose and hand, where it began, how high it has been since."""
    angles = robot[:, 3:6]
    begin = np.broadcast_to(start[:3], (len(robot), 3))
    parts = (robot[:, :3], np.sin(angles), np.cos(angles), 10 * robot[:, 6:7], robot[:, 14:15], begin)
    return np.concatenate((*parts, robot[:, :3] - begin, highest[:, None]), axis=1, dtype=np.float32)


class SightNetwork:
    """From pictures of both cameras, the arm's numbers and tasks to the next poses."""

    def __init__(self, sees: bool) -> None:
        self.sees = sees
        self.mean, self.deviation = torch.zeros(OWN), torch.ones(OWN)
        eyes = {}
        for camera in CAMERAS if sees else ():
            layers, before = [], 3
            for channels, size, stride in LAYERS:
                layers += [nn.Conv2d(before, channels, size, stride, padding=1), nn.ReLU()]
                before = channels
            eyes[camera] = nn.Sequential(*layers[:-1])
        inputs = len(eyes) * 2 * LAYERS[-1][0] + OWN + len(TASKS)
        head = nn.Sequential(
            nn.Linear(inputs, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, CHUNK * 7)
        )
        self.parts = nn.ModuleDict({**eyes, "head": head})

    def poses(self, pictures: dict[str, torch.Tensor], own: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """Return labels as those of ``table_training``, for pictures (n, side, side, 3) of bytes."""
        seen = [self._places(name, pictures[name]) for name in CAMERAS if self.sees]
        return self.parts["head"](torch.cat((*seen, (own - self.mean) / self.deviation, told), dim=1))

    def _places(self, camera: str, pictures: torch.Tensor) -> torch.Tensor:
        """Return where in a picture each channel stands out."""
        found = self.parts[camera](pictures.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        rows, columns = (torch.linspace(-1, 1, size) for size in found.shape[2:])
        weights = torch.softmax(found.flatten(2), dim=2).reshape(found.shape)
        return torch.cat(((weights.sum(3) * rows).sum(2), (weights.sum(2) * columns).sum(2)), dim=1)


def draw(dataset: Dataset) -> dict[str, torch.Tensor]:
    """Return of frames the pictures by camera, the arm's numbers, tasks and labels."""
    reader = trajectories_of("calvin", DETECTION)
    seen: dict[str, list[NDArray[np.uint8]]] = {name: [] for name in CAMERAS}
    own, told, labels = [], [], []
    for episode in dataset:
        columns = reader.columns(episode)
        robot, command = (np.asarray(columns[name]) for name in ("observation.state", "action.commanded"))
        drawn = reader.drawing(episode)(None, range(0, len(robot), EVERY))
        moves = moves_of(robot, command)[::EVERY]
        some, highest = EVERY * np.flatnonzero(moves), np.maximum.accumulate(robot[:, 2])
        for name, pictures in zip(CAMERAS, drawn, strict=True):
            seen[name].append(shrink(pictures[moves], name))
        own.append(own_numbers(robot, highest, robot[0])[some])
        labels.append(chunks(robot, command)[some])
        told.append(np.eye(len(TASKS), dtype=np.float32)[[TASKS.index(episode.task)] * len(some)])
    arrays: dict[str, list[NDArray[Any]]] = {**seen, "own": own, "told": told, "labels": labels}
    return {name: torch.from_numpy(np.concatenate(each)) for name, each in arrays.items()}


def train(frames: Path, sees: bool, epochs: int, path: Path) -> dict[str, Any]:
    """Train on drawn frames and store the weights; return what it took."""
    begin = time.process_time()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    pictures = torch.load(frames, weights_only=True)
    own, told, labels = (pictures.pop(name) for name in ("own", "told", "labels"))
    network = SightNetwork(sees)
    network.mean, network.deviation = own.mean(dim=0), own.std(dim=0).clamp(min=1e-3)
    optimiser = torch.optim.AdamW(network.parts.parameters(), RATE, weight_decay=1e-4)
    steps = epochs * (len(own) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=max(1, steps))
    for _ in range(epochs):
        for some in torch.randperm(len(own))[: len(own) // BATCH * BATCH].reshape(-1, BATCH):
            given = {name: each[some] for name, each in pictures.items()}
            loss = pose_loss(network.poses(given, own[some], told[some]), labels[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    stored = {"sees": sees, "mean": network.mean, "deviation": network.deviation}
    torch.save({**stored, "weights": network.parts.state_dict()}, path)
    return {"frames": len(own), "loss": float(loss.detach()), "minutes": (time.process_time() - begin) / 60}


class SightPolicy:
    """CALVIN's policy interface around a trained network; ``CHOREWRIGHT_LEARNED`` names its file."""

    def __init__(self) -> None:
        """Read the weights."""
        stored = torch.load(Path(os.environ[MODEL]), weights_only=True)
        self._network = SightNetwork(stored["sees"])
        self._network.mean, self._network.deviation = stored["mean"], stored["deviation"]
        self._network.parts.load_state_dict(stored["weights"])
        torch.set_num_threads(1)
        self.reset()

    def reset(self) -> None:
        """Begin a new task."""
        self._start: Floats | None = None
        self._highest = np.zeros(1, np.float32)
        self._plan: list[Floats] = []

    def step(self, obs: dict[str, Any], goal: str) -> tuple[Floats, Floats, int]:
        """Return the next pose and the gripper's command.

        Args:
            obs: Has ``robot_obs``, and the pictures in ``rgb_obs`` unless the policy was trained without.
            goal: The task's name.
        """
        robot = np.asarray(obs["robot_obs"], np.float32)[None]
        self._start = robot[0] if self._start is None else self._start
        self._highest = np.maximum(self._highest, robot[:, 2])
        if not self._plan:
            self._plan = list(self._look(obs["rgb_obs"], robot, goal))[:EXECUTED]
        pose = self._plan.pop(0)
        return pose[:3], pose[3:POSE], 1 if pose[POSE] > 0 else -1

    def _look(self, drawn: dict[str, NDArray[np.uint8]], robot: Floats, task: str) -> Floats:
        """Return the next poses, (CHUNK, 7)."""
        assert self._start is not None
        blank = np.zeros((1, 84, 84, 3), np.uint8)
        seen = {name: drawn[f"rgb_{name}"][None] if self._network.sees else blank for name in CAMERAS}
        pictures = {name: torch.from_numpy(shrink(each, name)) for name, each in seen.items()}
        own = torch.from_numpy(own_numbers(robot, self._highest, self._start))
        told = torch.from_numpy(np.eye(len(TASKS), dtype=np.float32)[[TASKS.index(task)]])
        with torch.no_grad():
            found = self._network.poses(pictures, own, told).numpy().reshape(CHUNK, 7) * scale()
        found[:, :POSE] += robot[0, :POSE]
        return np.asarray(found, np.float32)


def play(weights: Path, sees: bool, rollouts: int, names: Path) -> dict[str, Any]:
    """Let a policy do each task from so many starts; return how often it was done and tried."""
    os.environ[MODEL] = str(weights)
    agent = "benchmarks.learning.table_sight:SightPolicy"
    player = Player(CalvinTrial(agent=agent, chains=0, pictures=sees, instructions=str(names)))
    done, tried = Counter[str](), Counter[str]()
    for task, chain in starts(CalvinTrial(rollouts=rollouts)):
        if task in TASKS and (score := player.play(ChainJob(chain, task))).reached:
            tried[task] += 1
            done[task] += bool(score.steps)
    player.close()
    return {task: [done[task], tried[task]] for task in TASKS}


def main() -> None:
    """Learn with and without pictures."""
    parser = learner_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--per-task", type=int, default=60)
    parser.add_argument("--rollouts", type=int, default=15)
    parser.add_argument("--epochs", type=int, default=40)
    asked, console = parser.parse_args(), Console()
    work: Path = asked.work
    work.mkdir(parents=True, exist_ok=True)
    words = [word for task in TASKS for word in ("--tasks", f"calvin/{task}")]
    words += ["--per-task", str(asked.per_task), *FLAGS.split(), "--workers", str(asked.workers)]
    make = ("chorewright", "generate", "calvin", *words, "--out", str(work / "data"))
    made = cpu_minutes(work / "data.minutes", lambda: run_module(make, console))
    names = write_names(work)
    dataset, figures = Dataset(work / "data"), list[Figure]()
    drawn = cpu_minutes(work / "frames.minutes", lambda: torch.save(draw(dataset), work / "frames.pt"))
    table = Table(title=f"{len(TASKS)} tasks, {len(dataset)} demonstrations ({megabytes(work / 'data'):.0f} MB)")
    for column in ("", "frames", "made, min", "drawn, min", "trained, min", *TASKS, "all"):
        table.add_column(column, justify="right" if column else "left")
    for what, sees in (("from both cameras", True), ("without pictures", False)):
        name = "sight" if sees else "blind"
        weights = work / f"{name}.pt"
        trained = kept(work / f"{name}.json", partial(train, work / "frames.pt", sees, asked.epochs, weights))
        played = kept(work / f"{name}-{asked.rollouts}.json", partial(play, weights, sees, asked.rollouts, names))
        done, tried = (sum(each[place] for each in played.values()) for place in (0, 1))
        cells = (f"{trained['frames']}", f"{made:.1f}", f"{drawn:.1f}", f"{trained['minutes']:.1f}")
        each = (f"{one} of {count}" for one, count in played.values())
        table.add_row(what, *cells, *each, with_interval(done, tried))
        figures.append(Figure(name, f"tasks done, {what}", done, of=tried, note=with_interval(done, tried)))
        minutes = made + drawn + trained["minutes"]
        figures.append(Figure(f"{name}_minutes", f"data and training, {what}", minutes, "CPU min", digits=1))
    console.print(table)
    tell_memory(console)
    keep(
        asked,
        Report(
            name="learning_table_sight",
            group="CALVIN",
            title="One policy over four of CALVIN's tasks, from its two cameras",
            explanation="A small convolutional network from pictures of 50 x 50 and 42 x 42 pixels and the arm's own "
            "numbers, in our world, beside the same without pictures. 95 % intervals.",
            figures=tuple(figures),
            tables=(from_rich(table),),
        ),
    )


if __name__ == "__main__":
    main()
