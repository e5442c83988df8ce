"""Agents that play HandMeThat: random, repeating the human, reasoning pragmatically, or knowing the meaning.

The first two are the paper's (section 4.1). An agent that understands the request chooses grounded subgoals
once, plans for the nearest, carries the plan out and stops: one trial, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from chorewright.problems.handmethat.scene import Scene
from chorewright.replay.handmethat.expert import plan_for
from chorewright.replay.handmethat.listener import Belief, listen
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import command_of, words
from chorewright.replay.handmethat.world import PAPER, Rules
from chorewright.rsa.handmethat.clarification import Question, question_sentence, questions
from chorewright.rsa.handmethat.meanings import Grounding, Quest

STOP = "stop"


class Agent(Protocol):
    """Plays episodes one after the other; the same random numbers give the same play."""

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        """Begin an episode.

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


def commands_for(task: HandMeThatTask, chosen: Sequence[Grounding], now: Scene | None = None) -> Iterator[str]:
    """Yield the commands of a plan for the nearest of some grounded subgoals; none if there is no plan.

    Args:
        task: The task.
        chosen: The grounded subgoals.
        now: The scene, if it is no longer that of the request.
    """
    plan = plan_for(chosen, task.utterance.quest, now or task.scene) if chosen else None
    return iter([command_of(action) for action in plan or ()])


Choice: TypeAlias = Callable[[HandMeThatTask, np.random.Generator], Sequence[Grounding]]
"""Says which grounded subgoals an agent believes to be meant; any of them is as good as another."""


class OneTrialAgent:
    """Chooses subgoals, plans for one of them, carries the plan out and stops.

    Args:
        choose: Chooses.
        sure: Says which subgoals are good reason to look for no others; those chosen by default.
    """

    def __init__(self, choose: Choice, sure: Callable[[HandMeThatTask], Sequence[Grounding]] | None = None) -> None:
        self._choose = choose
        self._sure = sure
        self._commands: Iterator[str] | None = None

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: Scene | None = None) -> None:
        self._task, self._now = task, now
        self._chosen = self._choose(task, rng)
        self._commands = None

    @property
    def confident(self) -> bool:
        return bool(self._chosen if self._sure is None else self._sure(self._task))

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        if self._commands is None:
            self._commands = commands_for(self._task, self._chosen, self._now)
        return next(self._commands, STOP)


def meant(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose the subgoals that are meant: A(m)."""
    return task.groundings


def alike(task: HandMeThatTask) -> Sequence[Grounding]:
    """Return the things that the request fits and that have the category of something the human handled.

    What the human moved herself is left to her.
    """
    by_name, handled = task.scene.by_name, _human_things(task)
    kinds = {by_name[name].category.name for name in handled}
    fitting = task.context.groundings(task.utterance)
    return [each for each in fitting if by_name[each[0]].category.name in kinds and each[0] not in handled]


def repeat(task: HandMeThatTask, rng: np.random.Generator) -> Sequence[Grounding]:
    """Choose things like those handled, otherwise all that the request fits; an unsaid place is one the human used.

    It knows all objects and the request as a formula, but not the goal. Of several it takes one at random. To
    change a state it does not attempt: the paper's planner is for what is picked up and placed (section 4.2),
    and its 94.9 % of level 1 are all 257 episodes of Table 20 but the 13 that ask for such a change.
    """
    if task.utterance.quest is Quest.CHANGE_STATE:
        return ()
    found = list(alike(task) or task.context.groundings(task.utterance))
    if task.utterance.quest is Quest.MOVE_TO:
        places = {task.scene.by_name[name].container for name in _human_things(task)}
        found = [each for each in found if each[1] in places] or found
    return found and [found[int(rng.integers(len(found)))]]


def _human_things(task: HandMeThatTask) -> set[str]:
    named = {step.arguments[1] for step in task.prefix if step.name != "move"}
    return named & task.scene.by_name.keys()


Understanding: TypeAlias = Callable[[HandMeThatTask, np.random.Generator], Belief | None]
"""Says what an agent believes to be meant; None if nothing that would help fits."""


class PlannerAgent:
    """Does what the pragmatic listener believes is asked, best chance first; asks a question where that pays.

    A question pays if the better chance of success that its answer promises is worth more than it costs. The
    agent has one trial, as the heuristic has.

    Args:
        understand: The listener: ``listen`` knows the human's goal, as the paper's does; ``infer`` does not.
        rules: What questions cost and success is worth.
    """

    def __init__(self, understand: Understanding = listen, rules: Rules = PAPER) -> None:
        self._understand = understand
        self._rules = rules
        self._now: Scene | None = None
        self._asked: Question | None = None
        self._told: set[Question] = set()
        self._commands: Iterator[str] | None = None

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: Scene | None = None) -> None:
        self._task, self._now = task, now
        self._belief = self._understand(task, rng)
        self._asked = self._commands = None
        self._told = set()

    @property
    def confident(self) -> bool:
        return self._belief is not None

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        if self._commands is None:
            if self._belief is not None and self._asked is not None:
                self._belief = self._belief.after(self._asked, observation)
            self._asked = self._question()
            if self._asked is not None:
                self._told.add(self._asked)
                return f"{words().question} {question_sentence(self._asked)}"
            self._commands = commands_for(self._task, self._chosen(), self._now)
        return next(self._commands, STOP)

    def _question(self) -> Question | None:
        """Return the question that pays most, if any does."""
        if self._belief is None:
            return None
        best, found = 0.0, None
        most = (1.0 - self._belief.best()[0]) * self._rules.success
        for question in questions():
            cost = self._rules.cost(question)
            if most <= cost or question in self._told:
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
