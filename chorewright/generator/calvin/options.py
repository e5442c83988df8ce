"""The options of ``generate calvin`` and ``evaluate calvin``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import RETREAT, SEGMENTS, Loaded, option
from chorewright.generator.measuring.trial import Trial, agent_option, max_steps_option, seed_option
from chorewright.generator.production.tasks import tasks_option
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
    """The options of ``generate calvin``."""

    tasks: tuple[str, ...] = tasks_option()
    scenes: tuple[str, ...] = option(
        (), "Tables, A to D; may be repeated. D by default.", flags=("--scene",), metavar="TABLE"
    )
    length: int = option(LENGTH, "The number of tasks in a chain.", metavar="N")
    scatter: float = option(
        SCATTER,
        "Metres by which blocks may start from their usual spots on the table.",
        metavar="METRES",
        low=0,
        high=LARGEST_SCATTER,
    )
    per_task: int = option(
        0,
        "Make so many episodes of each single task (those of --tasks, else all 34) from any state of the table, in "
        "place of --episodes.",
        metavar="N",
        low=0,
    )
    play: bool = option(
        False, "Walk at random over tasks, as in play, in place of chains; where one fails, the episode ends."
    )
    start_hand: float = option(
        0.0, "Metres by which the hand may start from its usual place.", metavar="METRES", low=0, high=0.15
    )
    speed: str = option(SPEED, "Multiples of the usual speed, drawn for each task.", metavar="LOW..HIGH")
    vary: bool = option(False, "Draw grasps, approaches and heights anew for each task.")
    holds: bool = option(True, "Whether the hand stands still before it touches something or lets go.")
    noise: float = option(
        0.0,
        "Perturb what is executed by so many metres in the mean square; the expert steers back from where the hand is.",
        metavar="METRES",
        low=0,
        high=0.03,
    )
    replays: str = option("all", "Which forms of the recorded actions must succeed open loop.", choices=tuple(REPLAYS))
    segments: str = option(
        RETREAT,
        "Where a task ends: when the hand has drawn back, or at the instant at which it is detected; what follows then "
        "belongs to the next task.",
        choices=SEGMENTS,
    )
    calvin_env: str = option(
        "", "Drive CALVIN's own environment, from this checkout of calvin_env.", metavar="PATH", code=True
    )
    instructions: tuple[str, ...] = option(
        (),
        "Your sentences, a YAML file in CALVIN's format; given again, those for validation.",
        metavar="FILE",
        load=_load_instructions,
    )


@dataclass(frozen=True, slots=True)
class CalvinTrial(Trial):
    """The options of ``evaluate calvin``."""

    agent: str = agent_option("expert", "--policy", help="A policy with reset() and step(obs, goal): ")
    chains: int = option(1000, "So many of the published chains of five tasks.", flags=("-n",), low=0)
    first: int = option(0, "The number of the first of these chains, from 0.", low=0)
    rollouts: int = option(10, "So many starts of each task by itself; 0 for none.", low=0)
    scene: str = option("D", "The table: A, B, C or D.")
    pictures: bool = option(True, "Whether the policy is shown pictures.")
    instructions: str = option(
        "",
        "What the policy is told instead of our sentences: a YAML file in CALVIN's format, of which the first sentence "
        "of each task is said.",
        metavar="FILE",
    )
    calvin_env: str = option("", "Drive CALVIN's own environment, from this checkout.", metavar="PATH", code=True)
    retreat: bool = option(
        False,
        "For expert: begin the next task of a chain when the hand has drawn back, not at the instant at which the task "
        "before is seen done, as CALVIN does.",
    )
    max_steps: int = max_steps_option(360, "Steps that the policy has for a task.")
    seed: int = seed_option("Of the starts of single tasks.")
    episodes: int | None = option(None, "Only so many chains and starts, from the first.", low=1, shown="all of them")
    workers: int | None = option(
        None, "Processes, each with a policy; 0 for this one only.", low=0, shown="all cores for expert, else 0"
    )
