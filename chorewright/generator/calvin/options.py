"""The options of ``generate calvin`` and ``evaluate calvin``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import RETREAT, SEGMENTS, Loaded, option
from chorewright.generator.measuring.trial import Trial, agent_option
from chorewright.generator.production.worlds import tasks_option
from chorewright.problems.calvin import LENGTH

REPLAYS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "commanded": ("commanded_actions", "commanded_rel_actions"),
    "all": ("commanded_actions", "commanded_rel_actions", "actions", "rel_actions"),
}
"""Which forms of a recording must succeed open loop for it to be accepted; the others are tried and noted, unless none
must."""

INSTRUCTIONS = ("instructions.yaml", "validation_instructions.yaml")
"""The names of the user's sentences among ``GenerateConfig.task_files``: for training and for validation."""

SCATTER = 0.02
"""Metres by which blocks on the table start from their spots, so that data do not begin as evaluations do."""

LARGEST_SCATTER = 0.15

SPEED = "1..1"
SLOWEST, FASTEST = 0.5, 1.6
"""What the usual speed may be multiplied by: beyond, relative actions would be clipped."""


def read_speeds(text: str) -> tuple[float, float]:
    """Return the bounds of ``LOW..HIGH``; one number stands for both.

    Raises:
        UsageError: It is no such range.
    """
    low, dots, high = text.partition("..")
    try:
        speeds = float(low), float(high if dots else low)
    except ValueError:
        speeds = math.nan, math.nan
    if not SLOWEST <= speeds[0] <= speeds[1] <= FASTEST:
        message = f"--speed takes LOW..HIGH, multiples of the usual speed from {SLOWEST:g} to {FASTEST:g}, not {text!r}"
        raise UsageError(message, hint="--speed 0.7..1.4")
    return speeds


def _load_instructions(words: Sequence[str]) -> Loaded:
    """Read the user's sentences; their errors are told with their whole paths."""
    from chorewright.rsa.calvin.instructions import load_instructions

    if len(words) > len(INSTRUCTIONS):
        raise UsageError("--instructions are two files at most: for training, and for validation")
    texts = [read_text(Path(word)) for word in words]
    load_instructions(*map(Path, words))
    return Loaded((), tuple(zip(INSTRUCTIONS, texts, strict=False)))


@dataclass(frozen=True, slots=True)
class CalvinOptions:
    """The options of ``generate calvin``.

    Attributes:
        scenes: Tables, A to D; may be repeated. D by default.
        length: The number of tasks in a chain.
        scatter: Metres by which blocks may start from their usual spots on the table.
        per_task: Make so many episodes of each single task (those of --tasks, else all 34) from any state of the table,
            in place of --episodes.
        play: Walk at random over tasks, as in play, in place of chains; where one fails, the episode ends.
        start_hand: Metres by which the hand may start from its usual place.
        speed: Multiples of the usual speed, drawn for each task.
        vary: Draw grasps, approaches and heights anew for each task.
        holds: Whether the hand stands still before it touches something or lets go.
        noise: Perturb what is executed by so many metres in the mean square; the expert steers back from where the hand
            is.
        replays: Which forms of the recorded actions must succeed open loop.
        segments: Where a task ends: when the hand has drawn back, or at the instant at which it is detected; what
            follows then belongs to the next task.
        calvin_env: Drive CALVIN's own environment, from this checkout of calvin_env.
        instructions: Your sentences, a YAML file in CALVIN's format; given again, those for validation.
    """

    tasks: tuple[str, ...] = tasks_option()
    scenes: tuple[str, ...] = option((), flags=("--scene",), metavar="TABLE")
    length: int = option(LENGTH, metavar="N")
    scatter: float = option(SCATTER, metavar="METRES", low=0, high=LARGEST_SCATTER)
    per_task: int = option(0, metavar="N", low=0)
    play: bool = False
    start_hand: float = option(0.0, metavar="METRES", low=0, high=0.15)
    speed: str = option(SPEED, metavar="LOW..HIGH")
    vary: bool = False
    holds: bool = True
    noise: float = option(0.0, metavar="METRES", low=0, high=0.03)
    replays: str = option("all", choices=tuple(REPLAYS))
    segments: str = option(RETREAT, choices=SEGMENTS)
    calvin_env: str = option("", metavar="PATH", code=True)
    instructions: tuple[str, ...] = option((), metavar="FILE", load=_load_instructions)


@dataclass(frozen=True, slots=True)
class CalvinTrial(Trial):
    """The options of ``evaluate calvin``.

    Attributes:
        agent: A policy with reset() and step(obs, goal): expert, or module:Class of your own.
        max_steps: Steps that the policy has for a task.
        seed: Of the starts of single tasks.
        chains: So many of the published chains of five tasks.
        first: The number of the first of these chains, from 0.
        rollouts: So many starts of each task by itself; 0 for none.
        scene: The table: A, B, C or D.
        pictures: Whether the policy is shown pictures.
        instructions: What the policy is told instead of our sentences: a YAML file in CALVIN's format, of which the
            first sentence of each task is said.
        calvin_env: Drive CALVIN's own environment, from this checkout.
        retreat: For expert: begin the next task of a chain when the hand has drawn back, not at the instant at which
            the task before is seen done, as CALVIN does.
        episodes: Only so many chains and starts, from the first.
        workers: Processes, each with a policy; 0 for this one only.
    """

    agent: str = agent_option("--policy")
    chains: int = option(1000, flags=("-n",), low=0)
    first: int = option(0, low=0)
    rollouts: int = option(10, low=0)
    scene: str = "D"
    pictures: bool = True
    instructions: str = option("", metavar="FILE")
    calvin_env: str = option("", metavar="PATH", code=True)
    retreat: bool = False
    max_steps: int = option(360, low=1)
    seed: int = option(0, low=0)
    episodes: int | None = option(None, low=1, shown="all of them")
    workers: int | None = option(None, low=0, shown="all cores for expert, else 0")
