"""The human's request: what is meant and said, what a listener takes it to mean, and how hard that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chorewright.domains.formulas import conjuncts, holds
from chorewright.domains.pddl.syntax import Formula
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.problems.handmethat.goals import universe_of
from chorewright.problems.handmethat.states import state_of
from chorewright.rsa.handmethat.hardness import hardness, levels
from chorewright.rsa.handmethat.meanings import Extent, Grounding, Meaning, Quest
from chorewright.rsa.handmethat.subgoals import Subgoals
from chorewright.rsa.handmethat.utility import RequestActs, pool, useful_extent
from chorewright.rsa.speech_acts import speech_acts


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        meaning: m.
        utterance: u.
        understood: r, what a pragmatic listener who knows the goal understands.
        level: The hardness, 1 to 4.
        useful: A(G), of the request's type.
        optimal: Whether all is proven that it depends on: what helps, how much, and that nothing else does.
    """

    meaning: Meaning
    utterance: Meaning
    understood: Meaning
    level: int
    useful: tuple[Grounding, ...]
    optimal: bool


@dataclass(frozen=True, slots=True)
class WrongLevels:
    """Why there is no request.

    Attributes:
        levels: The levels that draws are likely to be of, none of which is the wanted one; 0 is that of
            misleading requests.
    """

    levels: frozenset[int] = frozenset()

    @property
    def reason(self) -> str:
        if not self.levels:
            return "nothing that could be asked would help"
        if self.levels == {0}:
            return "what is understood leaves out what is meant"
        return f"of level {' or '.join(str(each) for each in sorted(self.levels - {0}))}"


def draw_request(
    subgoals: Subgoals, quest: Quest, level: int, draws: int, rng: np.random.Generator
) -> Request | WrongLevels:
    """Draw a meaning and an utterance of a level, or say why there is none.

    Draws of another level, and those that pragmatic reasoning misleads (which have none), are put back: that
    the level be the wanted one is a condition on the paper's distribution.

    Args:
        subgoals: What may be asked.
        quest: The type of request.
        level: The wanted level; 0 for any.
        draws: How often to draw at most.
        rng: What is drawn from.
    """
    context, rewards = subgoals.context, subgoals.rewards(quest)
    gains = {grounding: reward.gain for grounding, reward in rewards.items()}
    meanings = pool(context, quest, gains)
    if not meanings.meanings:
        return WrongLevels()
    acts = speech_acts(meanings)
    useful = useful_extent(context, gains)
    drawn = _of_level(acts, useful, level, draws, rng) if level else _of_any(acts, useful, draws, rng)
    if isinstance(drawn, WrongLevels):
        return drawn
    meaning, utterance, found = drawn
    helpful = tuple(grounding for grounding, gain in gains.items() if gain > 0)
    optimal = subgoals.before.optimal and all(reward.proven for reward in rewards.values())
    return Request(meaning, utterance, acts.understand(utterance), found, helpful, optimal)


def _of_level(
    acts: RequestActs, useful: Extent, level: int, draws: int, rng: np.random.Generator
) -> tuple[Meaning, Meaning, int] | WrongLevels:
    """What is meant and said, as the first of so many draws has it that is of the level.

    The draws are not made: whether one of them would be of the level depends on its probability alone.
    """
    table = levels(acts, useful)
    none = (1 - min(1.0, table.probabilities[level])) ** draws
    if rng.random() < none:
        likely = np.flatnonzero(table.probabilities * draws >= 1)
        return WrongLevels(frozenset(likely.tolist()) - {level})
    return *table.sample(level, rng), level


def _of_any(
    acts: RequestActs, useful: Extent, draws: int, rng: np.random.Generator
) -> tuple[Meaning, Meaning, int] | WrongLevels:
    """What is meant and said, whatever level it is of."""
    for _ in range(draws):
        meaning = acts.pool.sample(rng)
        utterance = acts.say(meaning, rng)
        understood = acts.understand(utterance)
        found = hardness(acts.pool.context, useful, meaning, utterance, understood)
        if found is not None:
            return meaning, utterance, found
    return WrongLevels(frozenset([0]))


def served_part(subgoals: Subgoals, meaning: Meaning) -> Formula | None:
    """Return the part of the goal that a request serves most: the one whose own cost-to-go it lowers most.

    Args:
        subgoals: What may be asked for the whole goal.
        meaning: What is meant.
    """
    scene = subgoals.scene
    universe, state = universe_of(scene), state_of(scene)
    parts = [part for part in conjuncts(subgoals.goal) if not holds(part, state, universe)]
    if len(parts) < 2:
        return parts[0] if parts else None
    meant = subgoals.context.groundings(meaning)
    rewards = [subgoals.towards(part, SATISFICING).rewards(meaning.quest, meant) for part in parts]
    gains = [sum(reward.gain for reward in each.values()) for each in rewards]
    return parts[gains.index(max(gains))]
