"""A policy for CALVIN's table from its numbers: what it sees, a network's weights, and the actions that it gives.

It needs numpy only. ``CHOREWRIGHT_LEARNED`` names the file of weights.
"""

from __future__ import annotations

import math
import os
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

MODEL = "CHOREWRIGHT_LEARNED"
"""The variable that names the file of weights."""

COLOURS = ("red", "blue", "pink")
"""The order of the blocks in LeRobot's ``observation.environment_state``, and in scene D's ``scene_obs``."""

POSE = 6
CHUNK, EXECUTED = 8, 2
"""Poses that are predicted at once, and how many of them are executed before the next look."""

GELU = math.sqrt(2 / math.pi)
"""Of the tanh form of the activation."""

WORDS = 256
"""Numbers of a hashed sentence."""


def block_named(text: str) -> int:
    """Return the number of the block whose colour a task's name or a sentence says; -1 if it says none."""
    words = text.lower().replace("_", " ").split()
    return next((number for number, colour in enumerate(COLOURS) if colour in words), -1)


def features(robot: Floats, table: Floats, first: Floats, block: int) -> Floats:
    """Return what the policy sees of states.

    Args:
        robot: (n, 15) CALVIN's numbers of the arm.
        table: (n, 24) those of the scene, the blocks in the order of ``COLOURS``.
        first: (n, 24) the same at the start of the task.
        block: The block that the task names; -1 for none.

    Returns:
        (n, 80) the tool's place, its angles, the opening of the hand, fixtures, blocks' places, also from the tool and
        from where they were when the task began, and their turns modulo pi; last those of the named block once more.
    """
    tool, angles, width = robot[:, :3], robot[:, 3:6], robot[:, 6:7]
    now, before = (each[:, 6:].reshape(-1, 3, 6) for each in (table, first))
    places, beginnings = now[..., :3], before[..., :3]
    yaw, turned = now[..., 5], now[..., 5] - before[..., 5]
    turns = np.stack((np.sin(2 * yaw), np.cos(2 * yaw), np.sin(turned), np.cos(turned)), axis=2)
    blocks = np.concatenate((places, places - tool[:, None], places - beginnings, now[..., 3:5], turns), axis=2)
    named = blocks[:, block] if block >= 0 else np.zeros_like(blocks[:, 0])
    parts = (tool, np.sin(angles), np.cos(angles), 10 * width, table[:, :6], blocks.reshape(len(robot), -1), named)
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
        self._tasks = {str(name): number for number, name in enumerate(stored["tasks"])}
        self._words = bool(stored["words"])
        self._first: Floats | None = None
        self._plan: list[Floats] = []

    def reset(self) -> None:
        """Begin a new task."""
        self._first, self._plan = None, []

    def step(self, obs: dict[str, Any], goal: str) -> tuple[Floats, Floats, int]:
        """Return the next pose and the gripper's command.

        Args:
            obs: Has ``robot_obs`` and ``scene_obs``.
            goal: The task's name, or a sentence if the policy was trained with words.
        """
        robot, table = (np.asarray(obs[name], np.float32)[None] for name in ("robot_obs", "scene_obs"))
        if self._first is None:
            self._first = table
        if not self._plan:
            self._plan = list(self._look(robot, table, goal))[:EXECUTED]
        pose = self._plan.pop(0)
        return pose[:3], pose[3:6], 1 if pose[6] > 0 else -1

    def _look(self, robot: Floats, table: Floats, goal: str) -> Floats:
        """Return the next poses, (CHUNK, 7)."""
        assert self._first is not None
        told = hashed(goal)[None] if self._words else np.eye(len(self._tasks), dtype=np.float32)[[self._tasks[goal]]]
        values = np.concatenate(
            ((features(robot, table, self._first, block_named(goal)) - self._mean) / self._scale, told), axis=1
        )
        for number, (weight, bias) in enumerate(self._layers):
            values = values @ weight.T + bias
            if number + 1 < len(self._layers):
                values = 0.5 * values * (1 + np.tanh(GELU * (values + 0.044715 * values**3)))
        found = values.reshape(CHUNK, 7) * self._out
        found[:, :POSE] += robot[0, :POSE]
        return np.asarray(found, np.float32)
