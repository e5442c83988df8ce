"""Tasks for Inspect: ``inspect eval chorewright/plan -T domain=blocks -T count=50 --model ...``, and so for all kinds.

Games are played by a tool, ``command``; the score is what our judge says, and its reason the explanation.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from chorewright.errors import UsageError
from chorewright.generator.rewards.judging import kind_named, kinds, score, tasks
from chorewright.generator.rewards.playing import GameKind, Rollout

try:
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, mean, scorer, stderr
    from inspect_ai.solver import basic_agent, generate, solver
    from inspect_ai.tool import tool
    from inspect_ai.util import store
except ImportError as error:
    raise UsageError("Inspect is not installed", hint="pip install inspect-ai") from error

MOST_COMMANDS = 50


def samples(kind: str, count: int, seed: int, **source: Any) -> list[Any]:
    """Return tasks as Inspect's samples."""
    return [
        Sample(
            input=task.prompt,
            target=task.gold,
            id=task.name,
            metadata={"kind": kind, "facts": json.dumps(task.facts), "difficulty": dict(task.difficulty)},
        )
        for task in tasks(kind, count, seed, **source)
    ]


@scorer(metrics=[mean(), stderr()])
def judge() -> Any:
    """Score what was answered or played by the task's judge."""

    async def score_state(state: Any, target: Any) -> Any:
        rollout = store().get("rollout")
        row = {"kind": state.metadata["kind"], "facts": json.loads(state.metadata["facts"])}
        found = rollout.score() if rollout is not None else score(row, state.output.completion)
        return Score(
            value=found.reward, answer=state.output.completion, explanation=found.why, metadata=dict(found.parts)
        )

    return score_state


@tool
def command() -> Any:
    """The tool by which a game is played."""

    async def execute(command: str) -> str:
        """Do something in the game.

        Args:
            command: What to do, as the game words it, for example "go to fridge 1".
        """
        rollout = store().get("rollout")
        said: str = "There is no game." if rollout is None else rollout.say(command)
        return said

    return execute


@solver
def begin() -> Any:
    """Begin the game of a sample, before the model plays."""

    async def solve(state: Any, generate: Any) -> Any:
        kind = state.metadata["kind"]
        state.store.set("rollout", Rollout(kind_named(kind), json.loads(state.metadata["facts"]), MOST_COMMANDS))
        return state

    return solve


def _task(kind: str) -> Callable[..., Any]:
    def make(count: int = 100, seed: int = 0, split: str = "eval", **source: Any) -> Any:
        game = isinstance(kind_named(kind), GameKind)
        plan = [begin(), basic_agent(tools=[command()])] if game else [generate()]
        data = MemoryDataset(samples(kind, count, seed, split=split, **source))
        return inspect_ai.Task(dataset=data, solver=plan, scorer=judge())

    make.__name__ = kind.replace("-", "_")
    make.__doc__ = f"Tasks of the kind {kind}."
    made: Callable[..., Any] = inspect_ai.task(make, name=kind)
    return made


for _kind in kinds():
    globals()[_kind.replace("-", "_")] = _task(_kind)
