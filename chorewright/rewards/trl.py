"""Tasks for TRL's ``GRPOTrainer``: rows with a reward function, and an environment that a model plays by a tool.

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from chorewright.rewards.trl import environment, reward, rows

GRPOTrainer(model, reward, train_dataset=Dataset.from_list(rows("plan", 1000, domain="blocks")), ...)
GRPOTrainer(model, train_dataset=Dataset.from_list(rows("household", 1000)), environment_factory=environment(), ...)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from chorewright.generator.rewards.judging import kind_named, score, tasks
from chorewright.generator.rewards.playing import Rollout


def rows(kind: str, count: int, seed: int = 0, **source: Any) -> list[dict[str, Any]]:
    """Return tasks as rows of a dataset: ``prompt`` as messages, and what ``reward`` and ``environment`` need.

    Args:
        kind: The kind of tasks.
        count: How many.
        seed: Other tasks for each.
        source: The kind's options.

    Raises:
        UsageError: There is no such kind, option or value, or no such task.
    """
    return [
        {"prompt": task.messages, "kind": task.kind, "name": task.name, "facts": json.dumps(task.facts)}
        for task in tasks(kind, count, seed, **source)
    ]


def reward(
    prompts: Sequence[Any], completions: Sequence[Any], kind: Sequence[str], facts: Sequence[str], **columns: Any
) -> list[float]:
    """Return the rewards of completions; a reward function for the rows of ``rows``."""
    return [
        score({"kind": each, "facts": json.loads(known)}, completion).reward
        for each, known, completion in zip(kind, facts, completions, strict=True)
    ]


def environment(max_commands: int = 50) -> Callable[[], GameTool]:
    """Return an environment factory for the rows of ``rows``; each rollout has an instance of its own.

    Args:
        max_commands: Commands after which a game is over.
    """
    return lambda: GameTool(max_commands)


class GameTool:
    """A game that a model plays by one tool, ``command``."""

    def __init__(self, max_commands: int) -> None:
        self._most = max_commands
        self._rollout: Rollout | None = None

    def reset(self, kind: str, facts: str, **columns: Any) -> None:
        """Begin the task of a row; its prompt has said all that is told at the start."""
        self._rollout = Rollout(kind_named(kind), json.loads(facts), self._most)

    def command(self, command: str) -> str:
        """Do something in the game.

        Args:
            command: What to do, as the game words it, for example "go to fridge 1".

        Returns:
            What happens then.
        """
        return "There is no game." if self._rollout is None else self._rollout.say(command)

    def get_reward(self) -> float:
        """Return what the game has earned as it stands."""
        return 0.0 if self._rollout is None else self._rollout.score().reward
