"""What a request means and how to fulfil it: the expert's plans, and what a listener believes to be meant.

Greedy best-first search with the FF heuristic plans for the nearest meant thing (the paper's section 4.1 and
appendix B).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

import numpy as np

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Formula, Or
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.handmethat.goals import feasible, universe_of
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene, containers, relevant, restrict
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa import numbers
from chorewright.rsa.handmethat.goal_inference import EpisodeRules, goal_posterior, listener_with_goals
from chorewright.rsa.handmethat.meanings import Context, Grounding, Meaning, Quest, context_of
from chorewright.rsa.handmethat.requests import Question, answers
from chorewright.rsa.handmethat.subgoals import Subgoals, formula_of
from chorewright.rsa.handmethat.utility import pool
from chorewright.rsa.speech_acts import speech_acts

MOST_CANDIDATES = 12
"""So many of the things that are meant, the nearest ones, are planned for."""

LIMITS = Limits(evaluations=100_000)


def goal_of(context: Context, quest: Quest, groundings: Iterable[Grounding]) -> Formula:
    """Return the condition that one of some grounded subgoals is fulfilled."""
    return Or(tuple(formula_of(context, quest, each) for each in groundings))


def plan_for(groundings: Iterable[Grounding], quest: Quest, scene: HandMeThatScene) -> tuple[GroundAction, ...] | None:
    """Return a short plan of the robot for one of some grounded subgoals; None if none is found.

    Only objects that can matter are looked at, and of many subgoals those that seem nearest.
    """
    nearest = sorted(groundings, key=lambda each: _distance(each, quest, scene))[:MOST_CANDIDATES]
    if not nearest:
        return None
    goal = goal_of(context_of(scene), quest, nearest)
    part = restrict(scene, relevant(scene, goal))
    answer = solve(handmethat_domain(), problem_of(part, goal, ROBOT), LIMITS)
    return answer.actions if isinstance(answer, Plan) else None


def _distance(grounding: Grounding, quest: Quest, scene: HandMeThatScene) -> int:
    """Return a guess of how many actions a grounded subgoal takes, to choose among many of them."""
    name, argument = grounding
    steps = 0 if scene.robot.holding == name else 1
    for place in (name, argument if quest is Quest.MOVE_TO and argument is not None else HUMAN):
        if place in scene.by_name:
            steps += sum(is_closed(scene, each) for each in containers(scene, place))
            steps += scene.location_of(place) not in ("", scene.robot.at)
        else:
            steps += scene.robot.at != place
    return steps


def is_closed(scene: HandMeThatScene, name: str) -> bool:
    """Return whether a thing has a door or lid that is shut."""
    entity = scene.by_name[name]
    return entity.can_be("open") and "open" not in entity.states


# The planning agents' understanding: what the human may mean, how probable it is, and which question would tell.
#
# As in section 3.2, the listener knows the human's goal, or it infers the goal. Planning finds what helps towards
# the goal, which gives the prior probabilities of meanings. The Rational Speech Acts recursion gives their
# probabilities after the utterance.


NEGLIGIBLE = 1e-4
"""Meanings that are less probable than this are not reckoned with."""


@dataclass(frozen=True)
class Belief:
    """What the human may mean.

    Attributes:
        context: The things at the time of the request.
        meanings: The meanings that are reckoned with.
        probabilities: How probable each is.
    """

    context: Context
    meanings: tuple[Meaning, ...]
    probabilities: tuple[float, ...]

    def chances(self) -> dict[Grounding, float]:
        """Return for each grounded subgoal the probability that it fulfils the request."""
        weights: dict[tuple[tuple[str | None, int], ...], float] = {}
        for meaning, probability in zip(self.meanings, self.probabilities, strict=True):
            extent = tuple(self.context.extent(meaning).items())
            weights[extent] = weights.get(extent, 0.0) + probability
        found: dict[Grounding, float] = {}
        for extent, weight in weights.items():
            for argument, bits in extent:
                for number in numbers(bits):
                    grounding = self.context.items[number].name, argument
                    found[grounding] = found.get(grounding, 0.0) + weight
        return found

    def best(self) -> tuple[float, tuple[Grounding, ...]]:
        """Return the best chance, and the grounded subgoals that have it."""
        chances = self.chances()
        top = max(chances.values(), default=0.0)
        return top, tuple(each for each, chance in chances.items() if chance > top - 1e-9)

    def replies(self, question: Question) -> dict[tuple[str, ...], Belief]:
        """Return the belief after each possible answer to a question, by the answer's wordings.

        The beliefs' probabilities add up to that of the answer.
        """
        groups: dict[tuple[str, ...], list[tuple[Meaning, float]]] = {}
        for meaning, probability in zip(self.meanings, self.probabilities, strict=True):
            words = answers(question, meaning, self.context)
            groups.setdefault(words, []).append((meaning, probability))
        return {words: _belief(self.context, group) for words, group in groups.items()}

    def gain(self, question: Question) -> float:
        """Return the expected increase of the chance of success through the answer to a question."""
        return sum(each.best()[0] for each in self.replies(question).values()) - self.best()[0]

    def after(self, question: Question, answer: str) -> Belief:
        """Return the belief after an answer; unchanged if the answer fits nothing."""
        for words, belief in self.replies(question).items():
            if answer in words:
                return belief.normalize()
        return self

    def normalize(self) -> Belief:
        """Return the belief with probabilities that add up to 1."""
        total = sum(self.probabilities)
        return Belief(self.context, self.meanings, tuple(each / total for each in self.probabilities))


def _belief(context: Context, weighed: Iterable[tuple[Meaning, float]]) -> Belief:
    meanings, probabilities = zip(*weighed, strict=True)
    return Belief(context, tuple(meanings), tuple(probabilities))


def listen(task: HandMeThatTask, rng: np.random.Generator) -> Belief | None:
    """Return the pragmatic listener's belief; None if the utterance fits nothing that would help."""
    quest = task.utterance.quest
    if not feasible(task.goal, state_of(task.scene), universe_of(task.scene)):
        return None  # too little is known of
    subgoals = Subgoals(task.scene, task.goal, SATISFICING)
    gains = subgoals.gains(quest)
    if subgoals.before.cost == inf:  # nothing is known that would reach the goal
        return None
    meanings = pool(subgoals.context, quest, gains)
    if not meanings.meanings:
        return None
    acts = speech_acts(meanings)
    if task.utterance not in acts.number:
        return None
    probabilities = acts.listener(task.utterance)
    kept = [int(number) for number in np.flatnonzero(probabilities >= NEGLIGIBLE)]
    weighed = [(meanings.meanings[number], float(probabilities[number])) for number in kept]
    return _belief(subgoals.context, weighed).normalize() if weighed else None


def infer(task: HandMeThatTask, rng: np.random.Generator, rules: EpisodeRules | None = None) -> Belief | None:
    """Return the belief of a listener who does not know the goal but infers it from what was watched.

    Args:
        task: The task.
        rng: Where fillings of slots that nothing is known of are drawn from.
        rules: How the episodes are made, if the listener knows it.
    """
    goals = goal_posterior(task.start, task.scene, task.prefix, rng, utterance=task.utterance, rules=rules)
    chances = listener_with_goals(task.scene, task.utterance, goals, rules=rules)
    weighed = [(meaning, chance) for meaning, chance in chances.items() if chance >= NEGLIGIBLE]
    return _belief(task.context, weighed).normalize() if weighed else None
