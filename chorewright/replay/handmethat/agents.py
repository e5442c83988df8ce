"""Agents that play HandMeThat: at random, repeating the human, knowing the meaning (section 4.1).

An agent that understands the request chooses grounded subgoals once, plans for the nearest, carries the plan
out and stops: one trial, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from chorewright.replay.handmethat.commands import command_of
from chorewright.replay.handmethat.demonstrations import plan_for
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.meanings import Grounding, Quest

STOP = "stop"


class Agent(Protocol):
    """Plays episodes one after the other; with the same random numbers it plays alike."""

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        """Hear that an episode begins.

        The task says all, also what is meant: what an agent looks at there decides with whom it compares.
        """
        ...

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        """Return the next command, after an observation."""
        ...


class RandomAgent:
    """Chooses one of the admissible commands at random."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        self._rng = rng

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return admissible[int(self._rng.integers(len(admissible)))] if admissible else STOP


Choice: TypeAlias = Callable[[HandMeThatTask, np.random.Generator], Sequence[Grounding]]
"""Says which grounded subgoals an agent believes to be meant; any of them is as good as another."""


class OneTrialAgent:
    """Plans for one of the subgoals that are chosen, does it and stops."""

    def __init__(self, choose: Choice) -> None:
        self._choose = choose
        self._commands: Iterator[str] = iter(())

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        chosen = self._choose(task, rng)
        plan = plan_for(chosen, task.utterance.quest, task.scene) if chosen else None
        self._commands = iter([command_of(action) for action in plan or ()])

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return next(self._commands, STOP)


def meant(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose what is meant: A(m)."""
    return task.groundings


def repeated(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose what is likest to what the human did last, of all that the request fits.

    Likest is the same category, then the same subclass, then the same class as what was handled or changed
    last; what the human handled herself is left to her. Of several it takes one at random. It sees all
    objects and knows the request as a formula, but not the goal.
    """
    fitting = task.context.groundings(task.utterance)
    if not fitting:
        return ()
    handled = [name for name in _handled(task) if name in task.scene.by_name]
    likeness = {name: _likeness(task, handled, name) for name in dict.fromkeys(name for name, _ in fitting)}
    changing = task.utterance.quest is Quest.CHANGE_STATE
    scores = [
        (changing or name not in handled, likeness[name].get(argument, likeness[name][""]))
        for name, argument in fitting
    ]
    top = max(scores)
    best = [each for each, score in zip(fitting, scores, strict=True) if score == top]
    return [best[int(rng.integers(len(best)))]]


def _handled(task: HandMeThatTask) -> list[str]:
    """Return what the human picked up or changed, latest first, each once."""
    found: dict[str, None] = {}
    for step in reversed(task.prefix):
        if step.name != "move":
            found.setdefault(step.arguments[1])
    return list(found)


def _likeness(
    task: HandMeThatTask, handled: Sequence[str], name: str
) -> dict[str | None, tuple[int, int, int]]:
    """Return how like a thing is to what was handled: category, place and how lately.

    By the places where handled things are now; "" is for all others.
    """
    category = task.scene.by_name[name].category
    found: dict[str | None, tuple[int, int, int]] = {"": (0, 0, 0)}
    for ago, other in enumerate(handled):
        entity = task.scene.by_name[other]
        its = entity.category
        same = (its.kind == category.kind) + (its.subclass == category.subclass) + (its is category)
        for place, there in (("", 0), (entity.container, 1)):
            found[place] = max(found.get(place, (0, 0, 0)), (same, there, -ago))
    return found
