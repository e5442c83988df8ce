"""The figures of ALFRED's benchmark and the options of ``generate alfred`` and ``evaluate alfred``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chorewright.files.records import reader_of
from chorewright.generator.dataset.options import option
from chorewright.generator.household import knobs
from chorewright.generator.household.knobs import noise_option
from chorewright.generator.measuring import trial
from chorewright.generator.production.worlds import tasks_option


@dataclass(frozen=True, slots=True)
class AlfredSettings:
    """The benchmark's figures, from ``data/figures.json``.

    ``plan_failures`` are how many attempts without a plan end a tuple's turn, and an index's. One whose
    search ran out of ``evaluations`` counts twice. A tuple of ALFRED's always has a plan, so this spares time
    where a user's template asks for what cannot be done. ``farther`` is by how many mean walks a place may seem farther
    than it is when copies of a thing are chosen.
    """

    demonstrations: int
    seeds_per_tuple: int
    candidates: int
    evaluations: int
    farther: float
    plan_failures: Mapping[str, int]
    annotations: int
    folds: Mapping[str, tuple[str, ...]]
    split_shares: Mapping[str, float]
    task_shares: Mapping[str, float]


settings = reader_of(AlfredSettings, "chorewright.generator.alfred", "data/figures.json")
"""Returns the benchmark's figures."""


def shares_of(names: Sequence[str]) -> Mapping[str, float]:
    """Return the benchmark's shares of its tasks; the user's own tasks come in equal parts."""
    known = settings().task_shares
    return {name: known[name] for name in names} if set(names) <= set(known) else {}


@dataclass(frozen=True, slots=True)
class AlfredOptions:
    """The options of ``generate alfred``.

    Attributes:
        annotations: How many annotators word each episode.
        demonstrations: How many episodes there are of each task, filling and room.
        seeds: How many spawns are tried before other parameters are.
        shares: How often a task comes relative to the others, e.g. my-task=2; may be repeated.
        split_shares: How often a split comes relative to the others, e.g. train=8; may be repeated. Others have none
            then.
        fillings: Only such fillings of a slot; may be repeated.
        without: No such fillings of a slot; may be repeated.
        vary_stands: Draw anew for each episode from where what its goal is about is handled.
    """

    tasks: tuple[str, ...] = tasks_option()
    scenes: tuple[str, ...] = knobs.scenes_option()
    splits: tuple[str, ...] = knobs.splits_option()
    kinds: tuple[str, ...] = knobs.kinds_option()
    domain: tuple[str, ...] = knobs.domain_option()
    annotations: int = option(settings().annotations, metavar="N", low=1, high=20)
    demonstrations: int = option(settings().demonstrations, low=1, high=1000)
    seeds: int = option(settings().seeds_per_tuple, low=1, high=1000)
    shares: tuple[str, ...] = option((), flags=("--share",), metavar="TASK=N")
    split_shares: tuple[str, ...] = option((), flags=("--split-share",), metavar="SPLIT=N")
    fillings: tuple[str, ...] = option((), flags=("--filling",), metavar="SLOT=KIND")
    without: tuple[str, ...] = option((), metavar="SLOT=KIND")
    noise: float = noise_option()
    vary_stands: bool = option(False, sparse=True)


@dataclass(frozen=True, slots=True)
class AlfredTrial(trial.Trial):
    """The options of ``evaluate alfred``.

    Attributes:
        dataset: A dataset, a game file (game.tw-pddl) or a folder of these.
        agent: random, exploring, planner, or module:Class of your own.
        split: Only the episodes of this split.
        max_steps: Commands after which a game is lost.
        seed: Of the agent's random numbers.
        episodes: Only so many games, from the first.
    """

    dataset: str = trial.dataset_option()
    agent: str = trial.agent_option()
    split: str = ""
    episodes: int | None = option(None, flags=("--games", "-n"), low=1, shown="all of them")
    max_steps: int = option(50, low=1)
    seed: int = option(0, low=0)
