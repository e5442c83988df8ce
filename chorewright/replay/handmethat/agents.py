"""Agents that play HandMeThat: repeating the human, reasoning pragmatically, or knowing the meaning.

The first is the paper's, like the random one (section 4.1). An agent that understands the request chooses grounded
subgoals once, plans for the nearest, carries the plan out and stops: one trial, as in the paper.

One that sees only its own place explores: it goes from place to place, opens what is closed, and reasons as if only
what it has seen or watched existed. As soon as something fits both the request and what the human seems to want, it
does that. If nothing does in time, it does what fits best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

import numpy as np

from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import ROBOT, HandMeThatScene, containers, restrict
from chorewright.problems.handmethat.scene import SceneAgent as Body
from chorewright.replay.games.foreign import TextAgent
from chorewright.replay.handmethat.expert import Belief, is_closed, listen, plan_for
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.words import command_of, visible_at, words
from chorewright.replay.handmethat.world import PAPER, GameRules
from chorewright.rsa.handmethat.meanings import Grounding, Quest
from chorewright.rsa.handmethat.requests import Question, question_sentence, questions

STOP = "stop"


HandMeThatAgent: TypeAlias = TextAgent[HandMeThatTask]


def commands_for(
    task: HandMeThatTask, chosen: Sequence[Grounding], now: HandMeThatScene | None = None
) -> Iterator[str]:
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

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: HandMeThatScene | None = None) -> None:
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


class TextPlanner:
    """Does what the pragmatic listener believes is asked, best chance first; asks a question where that pays.

    A question pays if the better chance of success that its answer promises is worth more than it costs. The
    agent has one trial, as the heuristic has.

    Args:
        understand: The listener: ``listen`` knows the human's goal, as the paper's does; ``infer`` does not.
        rules: What questions cost and success is worth.
    """

    def __init__(self, understand: Understanding = listen, rules: GameRules = PAPER) -> None:
        self._understand = understand
        self._rules = rules
        self._now: HandMeThatScene | None = None
        self._asked: Question | None = None
        self._told: set[Question] = set()
        self._commands: Iterator[str] | None = None

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: HandMeThatScene | None = None) -> None:
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
            self._commands = commands_for(self._task, self._choice(), self._now)
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

    def _choice(self) -> Sequence[Grounding]:
        """Return what to try: the likeliest, else what the request literally fits."""
        if self._belief is None:
            return self._task.context.groundings(self._task.utterance)
        return self._belief.best()[1]


# Exploring.

KEPT = 8
"""Moves that are kept for what is asked: to fetch and bring takes four, with doors and boxes some more."""


class Reasoner(HandMeThatAgent, Protocol):
    """An agent that decides once what to do, from the objects that it knows of."""

    @property
    def confident(self) -> bool:
        """Whether an object fits everything the agent knows, so that it need not look for others."""
        ...

    def begin(self, task: HandMeThatTask, rng: np.random.Generator, now: HandMeThatScene | None = None) -> None:
        """Begin an episode, or learn of more objects in it; ``now`` is the scene if it is not the request's."""
        ...


class Explorer:
    """Looks for objects until an agent is confident or time runs short, then lets it act.

    Args:
        agent: Decides among what has been seen.
        rules: How many moves there are.
    """

    def __init__(self, agent: Reasoner, rules: GameRules = PAPER) -> None:
        self._agent = agent
        self._moves = rules.moves - KEPT
        self._settled = False

    def begin(self, task: HandMeThatTask, rng: np.random.Generator) -> None:
        self._task, self._rng = task, rng
        self._now = task.scene
        self._known = initial_knowledge(task)
        self._fitting = -1
        self._settled = False
        self._steps = self._search()
        self._left = self._moves

    def act(self, observation: str, admissible: Sequence[str]) -> str:
        if not self._settled:
            self._known |= {each.name for each in visible_at(self._now, self._now.robot.at)}
            step = next(self._steps, None) if self._left > 0 else None
            self._settled = step is None or self._is_confident()
            if step is not None and not self._settled:
                self._left -= 1
                self._now = _after(self._now, step)
                return command_of(step)
            self._agent.begin(self._known_task(), self._rng, restrict(self._now, self._known_names()))
        return self._agent.act(observation, admissible)

    def _search(self) -> Iterator[GroundAction]:
        """Yield the actions of the search: places with their doors, the human's first, then closed boxes."""
        at = self._now.robot.at
        handled = [name for step in self._task.prefix for name in step.arguments]
        entities = self._now.by_name
        places = [name for name in handled if name in entities and not entities[name].category.movable]
        places += [each.name for each in self._now.entities if not each.category.movable]
        for place in dict.fromkeys([at, *places]):
            if place not in entities:
                continue
            if place != at:
                yield GroundAction("move", (ROBOT, at, place))
                at = place
            if is_closed(self._now, place):
                yield GroundAction("open-loc", (ROBOT, place))
        for box in [each.name for each in self._now.movables if each.name in self._known]:
            place = self._now.location_of(box)
            if not place or not is_closed(self._now, box):
                continue
            if place != at:
                yield GroundAction("move", (ROBOT, at, place))
                at = place
            yield GroundAction("open-rec-at-loc", (ROBOT, box, place))

    def _is_confident(self) -> bool:
        """Ask the agent, if more things that the request fits have been seen, whether it is confident."""
        told = self._known_task()
        fitting = len(told.context.groundings(told.utterance))
        if fitting == self._fitting or not fitting:
            return False
        self._fitting = fitting
        self._agent.begin(told, self._rng)
        return self._agent.confident

    def _known_names(self) -> frozenset[str]:
        return frozenset(self._known & self._task.scene.by_name.keys())

    def _known_task(self) -> HandMeThatTask:
        """Return the task as if what has not been seen did not exist."""
        names, task = self._known_names(), self._task
        return replace(task, start=restrict(task.start, names), scene=restrict(task.scene, names), plan=task.prefix)


def initial_knowledge(task: HandMeThatTask) -> set[str]:
    """Return what a robot knows at first: the places, what the human handled, and what that is in or on."""
    scene = task.scene
    named = {name for step in task.prefix for name in step.arguments if name in scene.by_name}
    found = {each.name for each in scene.entities if not each.category.movable}
    for name in named:
        found |= {name, *containers(scene, name), *containers(task.start, name)}
    return found


def _after(scene: HandMeThatScene, step: GroundAction) -> HandMeThatScene:
    """Return the scene after a move, or after something has been opened."""
    if step.name == "move":
        return replace(scene, robot=Body(step.arguments[2], scene.robot.holding))
    opened = step.arguments[1]
    return replace(
        scene,
        entities=tuple(
            replace(each, states=each.states | {"open"}) if each.name == opened else each for each in scene.entities
        ),
    )
