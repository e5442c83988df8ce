"""A policy for CALVIN's table from its numbers: what it sees, a network's weights, and the actions that it gives.

It needs numpy only. ``CHOREWRIGHT_LEARNED`` names the file of weights.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.kept import MODEL

Floats: TypeAlias = NDArray[np.float32]

COLOURS = ("red", "blue", "pink")
"""The order of the blocks in LeRobot's ``observation.environment_state``, and in scene D's ``scene_obs``."""

POSE = 6
CHUNK, EXECUTED = 8, 4
"""Poses that are predicted at once, and how many of them are executed before the next look."""

PATIENCE = 150
"""Steps after which the policy begins anew from where the hand is."""

FINE = 0.02
"""Metres within which places matter most."""

GELU = math.sqrt(2 / math.pi)
"""Of the tanh form of the activation."""

WORDS = 256
"""Numbers of a hashed sentence."""

DRAWER, TOUCHING = 0.18, 0.06
"""Metres: the x of the drawer's middle, and how near the middles of blocks are that touch."""

TABLE_TOP = 0.42
"""Metres: what is higher, and in front of the compartments, lies on the table or on what lies there."""


def kind_of(task: str) -> str:
    """Return a task's name without the colour: what is done with any block."""
    return "_".join(word for word in task.split("_") if word not in COLOURS)


def block_meant(task: str, robot: Floats, table: Floats) -> int:
    """Return the number of the block that a task is about when it begins.

    Args:
        task: Its name.
        robot: (15,) CALVIN's numbers of the arm.
        table: (24,) those of the scene.
    """
    for number, colour in enumerate(COLOURS):
        if colour in task.split("_"):
            return number
    places = table[6:].reshape(3, 6)[:, :3]
    if task == "unstack_block":
        return int(places[:, 2].argmax())
    if task == "push_into_drawer":  # of those that lie on the table by themselves, the one nearest to the drawer
        apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(3)
        behind = 3.0 - 2 * on_table(places) - (apart.min(axis=1) > TOUCHING)
        return int((np.abs(places[:, 0] - DRAWER) + behind).argmin())
    return int(np.abs(places - robot[:3]).sum(axis=1).argmin())


def on_table(places: Floats) -> NDArray[np.bool_]:
    """Return which of some places (n, 3) of blocks are before the compartments and not in the drawer."""
    return (places[:, 1] < 0) & (places[:, 2] > TABLE_TOP)


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a task began: the numbers of the arm (15,) and of the scene (24,), and the block that is meant."""

    robot: Floats
    table: Floats
    block: int

    @property
    def order(self) -> list[int]:
        """The numbers of the blocks: the one that is meant, then those on the table, then by how near they are in x."""
        places = self.table[6:].reshape(3, 6)[:, :3]
        lie, near = on_table(places), np.abs(places[:, 0] - places[self.block, 0])
        return sorted(range(3), key=lambda number: (number != self.block, not lie[number], near[number]))


def features(robot: Floats, table: Floats, highest: Floats, begin: Beginning) -> Floats:
    """Return what the policy sees of states of one task.

    Args:
        robot: (n, 15) CALVIN's numbers of the arm.
        table: (n, 24) those of the scene, the blocks in the order of ``COLOURS``.
        highest: (n,) how high the tool has been since the task began.
        begin: How it began.

    Returns:
        (n, numbers) the tool's place, its angles, the opening of the hand, its command, fixtures; where the tool was
        when the task began and how high it has been; of each block, the one that is meant first, the place, also from
        the tool and from where it was when the task began, and turns modulo pi.
    """
    order = begin.order
    tool, angles, width, command = robot[:, :3], robot[:, 3:6], robot[:, 6:7], robot[:, 14:15]
    now, before = (each[..., 6:].reshape(-1, 3, 6)[:, order] for each in (table, begin.table[None]))
    places, moved = now[..., :3], now[..., :3] - before[..., :3]
    near = places - tool[:, None]
    yaw, turned, aside = now[..., 5], now[..., 5] - before[..., 5], now[..., 5] - angles[:, None, 2]
    turns = np.stack([f(n * each) for n, each in ((2, yaw), (2, aside), (1, turned)) for f in (np.sin, np.cos)], axis=2)
    blocks = np.concatenate((places, near, moved, now[..., 3:5], turns), axis=2).reshape(len(robot), -1)
    fine = np.tanh(np.concatenate((near[:, 0], moved[:, 0], places[:, 0] - places[:, 1]), axis=1) / FINE)
    start = np.broadcast_to(begin.robot[:3], tool.shape)
    colours = np.broadcast_to(np.eye(3)[begin.block], tool.shape)
    parts = (
        tool, np.sin(angles), np.cos(angles), 10 * width, command, table[:, :6], start, tool - start,
        highest[:, None], blocks, fine, colours,
    )  # fmt: skip
    return np.concatenate(parts, axis=1, dtype=np.float32)


def hashed(sentence: str) -> Floats:
    """Return a sentence as counts of its words and pairs of words, each at a place that its letters decide."""
    found = np.zeros(WORDS, np.float32)
    words = ["^", *sentence.lower().replace(",", " ").split(), "$"]
    for text in (*words[1:-1], *map(" ".join, pairwise(words))):
        place = 2166136261
        for byte in text.encode():
            place = (place ^ byte) * 16777619 % 2**32
        found[place % WORDS] += 1
    return found


class TablePolicy:
    """CALVIN's policy interface around a trained network."""

    def __init__(self) -> None:
        """Read the weights."""
        stored = np.load(Path(os.environ[MODEL]), allow_pickle=False)
        self._layers = [(stored[f"weight{n}"], stored[f"bias{n}"]) for n in range(int(stored["layers"]))]
        self._mean, self._scale, self._out = stored["mean"], stored["scale"], stored["out"]
        self._kinds = {str(name): number for number, name in enumerate(stored["kinds"])}
        self._tasks, self._words = [str(name) for name in stored["tasks"]], stored["words"]
        self._begin: Beginning | None = None
        self._highest = np.zeros(1, np.float32)
        self._plan: list[Floats] = []
        self._steps = 0

    def reset(self) -> None:
        """Begin a new task."""
        self._begin, self._plan, self._steps = None, [], 0

    def step(self, obs: dict[str, Any], goal: str) -> tuple[Floats, Floats, int]:
        """Return the next pose and the gripper's command.

        Args:
            obs: Has ``robot_obs`` and ``scene_obs``.
            goal: The task's name, or a sentence.
        """
        task = goal if goal in self._tasks else self._tasks[int((hashed(goal) @ self._words).argmax())]
        robot, table = (np.asarray(obs[name], np.float32) for name in ("robot_obs", "scene_obs"))
        if self._begin is None:
            self._begin, self._highest = Beginning(robot, table, block_meant(task, robot, table)), robot[2:3]
        elif self._steps % PATIENCE == 0:
            self._begin, self._highest = Beginning(robot, self._begin.table, self._begin.block), robot[2:3]
        self._highest = np.maximum(self._highest, robot[2:3])
        self._steps += 1
        if not self._plan:
            self._plan = list(self._look(robot[None], table[None], task))[:EXECUTED]
        pose = self._plan.pop(0)
        return pose[:3], pose[3:6], 1 if pose[6] > 0 else -1

    def _look(self, robot: Floats, table: Floats, task: str) -> Floats:
        """Return the next poses, (CHUNK, 7)."""
        assert self._begin is not None
        told = np.eye(len(self._kinds), dtype=np.float32)[[self._kinds[kind_of(task)]]]
        seen = features(robot, table, self._highest, self._begin)
        values = np.concatenate(((seen - self._mean) / self._scale, told), axis=1)
        for number, (weight, bias) in enumerate(self._layers):
            values = values @ weight.T + bias
            if number + 1 < len(self._layers):
                values = 0.5 * values * (1 + np.tanh(GELU * (values + 0.044715 * values**3)))
        found = values.reshape(CHUNK, 7) * self._out
        found[:, :POSE] += robot[0, :POSE]
        return np.asarray(found, np.float32)
