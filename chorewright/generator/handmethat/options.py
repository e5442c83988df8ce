"""The options of ``generate handmethat`` and ``evaluate handmethat``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chorewright.generator.dataset.options import option
from chorewright.generator.handmethat.assignment import settings
from chorewright.generator.measuring import trial
from chorewright.generator.production.tasks import tasks_option
from chorewright.rsa.handmethat import COST_NAMES


@dataclass(frozen=True, slots=True)
class HandMeThatOptions:
    """The options of ``generate handmethat``."""

    tasks: tuple[str, ...] = tasks_option()
    version: str = option("2", "Which version of the benchmark.", choices=tuple(map(str, settings().versions)))
    costs: str = option("optimal", "What is known of the costs behind requests.", choices=COST_NAMES)


@dataclass(frozen=True, slots=True)
class HandMeThatTrial(trial.Trial):
    """The options of ``evaluate handmethat``."""

    dataset: str = trial.dataset_option("A dataset, one of the reference's files, or a folder of these.")
    agent: str = trial.agent_option("random, heuristic, planner, inferring, oracle")
    split: str = trial.split_option()
    partial: bool = option(False, "The agent sees only what is where it stands.")
    paper: int | None = option(
        None, "Beside which version's tables: 1 or 2.", low=1, high=2, shown="what the dataset looks like"
    )
    max_steps: int = trial.max_steps_option(40, "Moves after which an episode is lost.")
    seed: int = trial.seed_option()

    APART: ClassVar[tuple[str, ...]] = (*trial.Trial.APART, "paper")
