"""The options of ``generate calvin``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.text import read_text
from chorewright.generator.dataset.options import Loaded, option
from chorewright.generator.production.tasks import tasks_option
from chorewright.problems.calvin import LENGTH

REPLAYS = {
    "commanded": ("commanded_actions", "commanded_rel_actions"),
    "all": ("commanded_actions", "commanded_rel_actions", "actions", "rel_actions"),
}
"""Which forms of a recording must succeed open loop for it to be accepted; the others are tried and noted."""

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
    calvin_env: str = option(
        "", "Drive CALVIN's own environment, from this checkout of calvin_env.", metavar="PATH", code=True
    )
    instructions: tuple[str, ...] = option(
        (),
        "Your sentences, a YAML file in CALVIN's format; given again, those for validation.",
        metavar="FILE",
        load=_load_instructions,
    )
