"""Agents that play HandMeThat: at random, repeating the human, by pragmatic reasoning, knowing the meaning.

The first two are the paper's (section 4.1). An agent that understands the request chooses grounded subgoals
once, plans for the nearest, carries the plan out and stops: one trial, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from chorewright.replay.handmethat.commands import command_of
from chorewright.replay.handmethat.demonstrations import plan_for
from chorewright.replay.handmethat.listener import Belief, listen
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import words
from chorewright.replay.handmethat.world import PAPER, Rules
from chorewright.rsa.clarification import Question, question_sentence, questions
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


def commands_for(task: HandMeThatTask, chosen: Sequence[Grounding]) -> Iterator[str]:
    """Yield the commands of a plan for the nearest of some grounded subgoals; none if there is no plan."""
    plan = plan_for(chosen, task.utterance.quest, task.scene) if chosen else None
    return iter([command_of(action) for action in plan or ()])


Choice: TypeAlias = Callable[[HandMeThatTask, np.random.Generator], Sequence[Grounding]]
"""Says which grounded subgoals an agent believes to be meant; any of them is as good as another."""


class OneTrialAgent:
    """Plans for one of the subgoals that are chosen, does it and stops."""

    def __init__(self, choose: Choice) -> None:
        self._choose = choose
        self._commands: Iterator[str] = iter(())

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        self._commands = commands_for(task, self._choose(task, rng))

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        return next(self._commands, STOP)


def meant(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose what is meant: A(m)."""
    return task.groundings


def repeated(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose what is of the same category as something that the human handled, of all that the request fits.

    What the human moved herself is left to her; a place that is not said is one where she put something. It
    sees all objects and knows the request as a formula, but not the goal. Of several it takes one at random.
    """
    by_name, quest = task.scene.by_name, task.utterance.quest
    handled = {step.arguments[1] for step in task.prefix if step.name != "move"} & by_name.keys()
    kinds = {by_name[name].category.name for name in handled}
    places = {by_name[name].container for name in handled}
    done = handled if quest is not Quest.CHANGE_STATE else set()
    fitting = task.context.groundings(task.utterance)
    found = [each for each in fitting if by_name[each[0]].category.name in kinds and each[0] not in done]
    found = found or list(fitting)
    if quest is Quest.MOVE_TO:
        found = [each for each in found if each[1] in places] or found
    return found and [found[int(rng.integers(len(found)))]]


Understanding: TypeAlias = Callable[[HandMeThatTask, np.random.Generator], Belief | None]
"""Says what an agent believes to be meant; None if nothing that would help fits."""


class PlannerAgent:
    """Does what the pragmatic listener believes to be asked, best chance first; asks where that pays.

    A question pays if the better chance of success that its answer promises is worth more than it costs. The
    agent has one trial, as the heuristic has.

    Args:
        understand: The listener: ``listen`` knows the human's goal, as the paper's does; ``infer`` does not.
        rules: What questions cost and success is worth.
    """

    def __init__(self, understand: Understanding = listen, rules: Rules = PAPER) -> None:
        self._understand = understand
        self._rules = rules
        self._asked: Question | None = None
        self._commands: Iterator[str] | None = None

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        self._task = task
        self._belief = self._understand(task, rng)
        self._asked = self._commands = None

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        if self._commands is None:
            if self._belief is not None and self._asked is not None:
                self._belief = self._belief.after(self._asked, observation)
            self._asked = self._question()
            if self._asked is not None:
                return f"{words().question} {question_sentence(self._asked)}"
            self._commands = commands_for(self._task, self._chosen())
        return next(self._commands, STOP)

    def _question(self) -> Question | None:
        """Return the question that pays most, if any does."""
        if self._belief is None:
            return None
        best, found = 0.0, None
        most = (1.0 - self._belief.best()[0]) * self._rules.success
        for question in questions():
            cost = self._rules.cost(question)
            if most <= cost:
                continue
            worth = self._belief.gain(question) * self._rules.success - cost
            if worth > best:
                best, found = worth, question
        return found

    def _chosen(self) -> Sequence[Grounding]:
        """Return what to try: the likeliest, else what the request literally fits."""
        if self._belief is None:
            return self._task.context.groundings(self._task.utterance)
        return self._belief.best()[1]
