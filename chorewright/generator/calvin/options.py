"""The options of ``generate calvin`` and ``evaluate calvin``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import Loaded, option
from chorewright.generator.measuring.trial import Trial, agent_option, max_steps_option, seed_option
from chorewright.generator.production.tasks import tasks_option
from chorewright.generator.training.exporter import RETREAT, SEGMENTS
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

LARGEST_SCATTER = 0.05


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
