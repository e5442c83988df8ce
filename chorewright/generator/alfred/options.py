"""The figures of ALFRED's benchmark and the options of ``generate alfred`` and ``evaluate alfred``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chorewright.domains.templates.goal_templates import GoalTemplate
from chorewright.files.records import reader_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.household import knobs
from chorewright.generator.household.knobs import noise_option
from chorewright.generator.measuring import trial
from chorewright.generator.production.tasks import tasks_option
from chorewright.planner.plan import Limits


@dataclass(frozen=True, slots=True)
class AlfredSettings:
    """The benchmark's figures, from ``data/figures.json``.

    ``plan_failures`` are how many attempts without a plan end a tuple's turn, and an index's. One whose
    search ran out of ``evaluations`` counts twice. A tuple of ALFRED's always has a plan, so this spares time
    where a user's template asks for what cannot be done.
    """

    demonstrations: int
    seeds_per_tuple: int
    candidates: int
    evaluations: int
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


EVALUATIONS = "evaluations"
"""The extra that says what the planner might evaluate, where that is not what the benchmark usually allows."""


def limits_for(config: GenerateConfig, template: GoalTemplate) -> Limits:
    """Return what the planner may do for an attempt at a task."""
    return config.effort.limits(settings().evaluations, template.effort)


def effort_extras(limits: Limits) -> tuple[tuple[str, str], ...]:
    """Return what an episode keeps of the planner's limits: nothing of the usual ones."""
    usual = limits.evaluations in (None, settings().evaluations)
    return () if usual else ((EVALUATIONS, str(limits.evaluations)),)


def limits_of(episode: Episode) -> Limits:
    """Return what the planner might evaluate for a stored episode."""
    kept = dict(episode.extras).get(EVALUATIONS, "")
    raised = kept.isascii() and kept.isdecimal() and 0 < len(kept) < MOST_DIGITS
    return Limits(evaluations=max(1, int(kept)) if raised else settings().evaluations)


MOST_DIGITS = 16
"""Digits of a number of evaluations: no search makes more."""


@dataclass(frozen=True, slots=True)
class AlfredOptions:
    """The options of ``generate alfred``."""

    tasks: tuple[str, ...] = tasks_option()
    scenes: tuple[str, ...] = knobs.scenes_option()
    splits: tuple[str, ...] = knobs.splits_option()
    kinds: tuple[str, ...] = knobs.kinds_option()
    domain: tuple[str, ...] = knobs.domain_option()
    annotations: int = option(
        settings().annotations, "How many annotators word each episode.", metavar="N", low=1, high=20
    )
    demonstrations: int = option(
        settings().demonstrations, "How many episodes there are of each task, filling and room.", low=1, high=1000
    )
    seeds: int = option(
        settings().seeds_per_tuple, "How many spawns are tried before other parameters are.", low=1, high=1000
    )
    shares: tuple[str, ...] = knobs.shares_option()
    split_shares: tuple[str, ...] = knobs.split_shares_option()
    fillings: tuple[str, ...] = knobs.fillings_option()
    without: tuple[str, ...] = knobs.without_option()
    noise: float = noise_option()
    vary_stands: bool = option(
        False, "Draw anew for each episode from where what its goal is about is handled.", sparse=True
    )


@dataclass(frozen=True, slots=True)
class AlfredTrial(trial.Trial):
    """The options of ``evaluate alfred``."""

    dataset: str = trial.dataset_option("A dataset, a game file (game.tw-pddl) or a folder of these.")
    agent: str = trial.agent_option("random, exploring, planner")
    split: str = trial.split_option()
    episodes: int | None = option(
        None, "Only so many games, from the first.", flags=("--games", "-n"), low=1, shown="all of them"
    )
    max_steps: int = trial.max_steps_option(50, "Commands after which a game is lost.")
    seed: int = trial.seed_option()
