"""What a user asks of CALVIN's benchmark: its options and files, checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chorewright.domains.user_files import SUFFIX
from chorewright.errors import UsageError
from chorewright.generator.calvin.goals import goal_tasks
from chorewright.generator.calvin.options import INSTRUCTIONS, REPLAYS, CalvinOptions
from chorewright.generator.calvin.records import BENCHMARK
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import read_options
from chorewright.problems.calvin import LENGTH
from chorewright.problems.calvin.chains import check_length
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.real import check_checkout
from chorewright.rsa.calvin.instructions import Instructions, own_instructions, parse_instructions


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
            f"the benchmark {BENCHMARK} takes no task file such as {strange[0]!r}",
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
    asked = read_options(CalvinOptions, config)
    instructions_of(config)
    check_length(asked.length, any_category=False)
    if goal_tasks(config) and asked.length != LENGTH:
        raise UsageError("--length is of chains that are drawn; those to a goal are as short as can be")
    names = tuple(scene(name).name for name in asked.scenes or ("D",))
    checkout = check_checkout(Path(asked.calvin_env)) if asked.calvin_env else None
    return Settings(names, asked.length, asked.scatter, checkout, REPLAYS[asked.replays])
