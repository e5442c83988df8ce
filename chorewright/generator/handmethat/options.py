"""The options of ``generate handmethat``."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.generator.dataset.options import option
from chorewright.generator.handmethat.assignment import settings
from chorewright.generator.production.tasks import tasks_option
from chorewright.rsa.handmethat import COST_NAMES


@dataclass(frozen=True, slots=True)
class HandMeThatOptions:
    """The options of ``generate handmethat``."""

    tasks: tuple[str, ...] = tasks_option()
    version: str = option("2", "Which version of the benchmark.", choices=tuple(map(str, settings().versions)))
    costs: str = option("optimal", "What is known of the costs behind requests.", choices=COST_NAMES)
