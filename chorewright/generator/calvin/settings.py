"""What a user asks of CALVIN's recipe: its options and files, checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chorewright.domains.library import SUFFIX
from chorewright.errors import UsageError
from chorewright.generator.calvin.goals import goal_tasks
from chorewright.generator.calvin.records import RECIPE
from chorewright.generator.options import check_option_names
from chorewright.generator.recipe import GenerateConfig
from chorewright.problems.tabletop.chains import LENGTH, check_length
from chorewright.problems.tabletop.scenes import scene
from chorewright.replay.tabletop.real import check_checkout
from chorewright.rsa.tabletop.instructions import Instructions, own_instructions, parse_instructions

OPTIONS = ("tasks", "scenes", "length", "scatter", "replays", "calvin-env")
"""The options that the recipe knows (``GenerateConfig.options``); the last is a checkout of calvin_env."""

REPLAYS = {
    "commanded": ("commanded_actions", "commanded_rel_actions"),
    "all": ("commanded_actions", "commanded_rel_actions", "actions", "rel_actions"),
}
"""Which forms of a recording must succeed open loop for it to be accepted; the others are tried and noted."""

REPLAYED = "all"
"""Which of these is asked for where the user does not say."""

INSTRUCTIONS = ("instructions.yaml", "validation_instructions.yaml")
"""The names of the user's sentences among ``GenerateConfig.task_files``: for training and for validation."""

SCATTER = 0.02
"""Metres by which blocks on the table start from their spots, so that data do not begin as evaluations do."""

LARGEST_SCATTER = 0.05


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a configuration, read."""

    scenes: tuple[str, ...]
    length: int
    scatter: float
    checkout: Path | None
    replays: tuple[str, ...]


@lru_cache(maxsize=4)
def instructions_of(config: GenerateConfig) -> Instructions:
    """Return what is said for each task: our own sentences, or those of the user's files.

    Raises:
        UsageError: There are other files.
        InputError: A file is not in CALVIN's format.
    """
    files = {name: text for name, text in config.task_files if not name.endswith(SUFFIX)}
    if strange := [name for name in files if name not in INSTRUCTIONS]:
        raise UsageError(
            f"the recipe {RECIPE} takes no task file such as {strange[0]!r}",
            hint=f"its files are {SUFFIX} files of the table, {' and '.join(INSTRUCTIONS)}",
        )
    if not files:
        return own_instructions()
    training, validation = (files.get(name) for name in INSTRUCTIONS)
    if training is None:
        raise UsageError(f"{INSTRUCTIONS[1]} goes with {INSTRUCTIONS[0]}, which is missing")
    return parse_instructions(training, INSTRUCTIONS[0], validation, INSTRUCTIONS[1])


@lru_cache(maxsize=16)
def settings_of(config: GenerateConfig) -> Settings:
    """Return the options of a configuration.

    Raises:
        UsageError: An option is unknown or has a value that it cannot have.
        InputError: One of the user's files has errors.
    """
    check_option_names(config, OPTIONS)
    instructions_of(config)
    length = _number(config, "length", LENGTH)
    scatter = _number(config, "scatter", SCATTER)
    if not length.is_integer():
        raise UsageError(f"length must be a whole number, not {length}")
    if not 0 <= scatter <= LARGEST_SCATTER:
        raise UsageError(f"scatter must be 0 to {LARGEST_SCATTER} metres, not {scatter}")
    check_length(int(length), any_category=False)
    if goal_tasks(config) and config.option("length"):
        raise UsageError("length is of chains that are drawn; those to a goal are as short as can be")
    names = tuple(scene(name).name for name in config.option("scenes") or ("D",))
    checkouts = config.option("calvin-env")
    if len(checkouts) > 1:
        raise UsageError("calvin-env is given more than once")
    checkout = check_checkout(Path(checkouts[0])) if checkouts else None
    replays = next(iter(config.option("replays")), REPLAYED)
    if replays not in REPLAYS:
        raise UsageError(f"replays must be {' or '.join(REPLAYS)}, not {replays!r}")
    return Settings(names, int(length), scatter, checkout, REPLAYS[replays])


def _number(config: GenerateConfig, name: str, default: float) -> float:
    values = config.option(name)
    if len(values) > 1:
        raise UsageError(f"{name} is given more than once")
    try:
        return float(values[0]) if values else float(default)
    except ValueError as error:
        raise UsageError(f"{name} must be a number, not {values[0]!r}") from error
