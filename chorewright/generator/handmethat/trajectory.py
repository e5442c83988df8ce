"""The human's trajectory: a plan for the whole goal, and where the human stops to ask (section 3.1).

The human works at one part of the goal after the other (``handmethat_order``), and only stops with empty
hands, so that something can be given to them. Version 1 stops at random; version 2 (section 5.1) stops where
what the human does next continues what they have begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.formulas import Facts, Universe, conjuncts, holds
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, Formula, State
from chorewright.files.processes import Timed
from chorewright.generator.handmethat.assignment import settings, templates_of
from chorewright.generator.handmethat.order import achievements, lines, part_by_part
from chorewright.generator.production.attempts import HOLDS, Rejection, without_plan
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.planner.plan import GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.goals import choice, universe_of
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, relevant, restrict
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.rsa.handmethat.goal_inference import EpisodeRules
from chorewright.rsa.handmethat.meanings import Extent, Grounding, Meaning, Quest
from chorewright.rsa.handmethat.subgoals import Subgoals
from chorewright.rsa.handmethat.utility import RequestActs, hardness, levels, pool, useful_extent
from chorewright.rsa.speech_acts import speech_acts

SHORTEST = {1: 1, 2: 3}
"""The fewest actions that a robot must have seen, by version of the dataset."""

AHEAD = 2
"""The fewest actions that must remain."""


TOO_SHORT = "the plan is too short to stop within it"
"""Why goals of a few actions have no episode."""

PLANNER = Configuration(improve=1000)
"""How the human plans."""

PATIENCE = 5
"""How much longer is searched once the things are chosen."""


def rules_of(version: int) -> EpisodeRules:
    """Return how episodes of a version are made, as far as a listener may know it."""
    figures = settings()
    shares = {}
    for quest, splits in figures.versions[version].requests.items():
        numbers = [sum(each) for each in zip(*splits.values(), strict=True)]
        shares[Quest(quest)] = tuple(each / sum(numbers) for each in numbers)
    leveled = all(len(each) > 1 for each in shares.values())
    draws, others = figures.draws[version], figures.stops[version] > 1
    templates = templates_of(figures.versions[version])
    return EpisodeRules(SHORTEST[version], draws, shares if leveled else None, others, templates)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A plan for the goal and where it may be broken off.

    Attributes:
        plan: The whole plan.
        states: The state before each action, and the last.
        stops: T, the number of actions that the robot sees: what is drawn, then others, should none that is
            wanted be asked there.
    """

    plan: Plan
    states: tuple[State, ...]
    stops: tuple[int, ...]


@Timed("plan")
def human_trajectory(
    start: HandMeThatScene, goal: Formula, version: int, limits: Limits, rng: np.random.Generator, stops: int = 1
) -> Trajectory | Rejection:
    """Plan for the human's goal and choose where to stop.

    Args:
        start: The scene.
        goal: The human's goal.
        version: 1 or 2 of the dataset.
        limits: What the planner may use.
        rng: Where a random choice comes from.
        stops: How many places to stop at are drawn at most.
    """
    answer = _plan(start, goal, limits)
    if not isinstance(answer, Plan):
        return without_plan(answer)
    if not answer.actions:
        return Rejection("plan", HOLDS)
    universe = universe_of(start)
    actions = part_by_part(answer.actions, _states(start, answer.actions), goal, universe, rng)
    states = _states(start, actions)
    assert len(states) == len(actions) + 1
    assert holds(goal, states[-1], universe)
    found = _stops(states, goal, universe, version, rng, stops)
    if not found:
        return Rejection("plan", TOO_SHORT)
    return Trajectory(replace(answer, actions=actions, cost=float(len(actions))), states, found)


def _states(start: HandMeThatScene, actions: Sequence[GroundAction]) -> tuple[State, ...]:
    """Return the states along a plan of the human's."""
    problem = problem_of(start, TRUE)
    steps = simulate(handmethat_domain(), problem, actions)
    return (frozenset(problem.init), *(step.state for step in steps))


def _plan(start: HandMeThatScene, goal: Formula, limits: Limits) -> Plan | Unsolvable | OutOfLimits:
    """Plan for a goal; where that takes too long, for one choice of things that fulfils it.

    It takes long where one thing seems to do for two parts of the goal, such as a lettuce for either plate.
    """
    first = _solve(start, goal, limits)
    if not isinstance(first, OutOfLimits):
        return first
    chosen = choice(goal, state_of(start), universe_of(start))
    if chosen is None:
        return first
    more = None if limits.evaluations is None else PATIENCE * limits.evaluations
    second = _solve(start, chosen, replace(limits, evaluations=more))
    if not isinstance(second, Plan):
        return first
    steps = simulate(handmethat_domain(), problem_of(start, goal), second.actions)
    return second if holds(goal, steps[-1].state, universe_of(start)) else first


def _solve(start: HandMeThatScene, goal: Formula, limits: Limits) -> Plan | Unsolvable | OutOfLimits:
    """Plan in what of the scene can matter for the goal."""
    core = restrict(start, relevant(start, goal))
    return solve(handmethat_domain(), problem_of(core, goal), limits, PLANNER)


def _stops(
    states: Sequence[State], goal: Formula, universe: Universe, version: int, rng: np.random.Generator, most: int
) -> tuple[int, ...]:
    """Choose T, and what else it could be; () if there is no place to stop.

    As in the reference, a place is drawn from the middle of the plan, and the next place that suits taken.
    Others are drawn from all that suit, of those that differ in no more than where the human is only one.
    """
    length = len(states) - 1
    first, last = max(0, (length - 4) // 2), max(0, length - 5)
    drawn = int(rng.integers(first, last + 1))
    free = [at for at in range(SHORTEST[version], length - AHEAD + 1) if ("hand-empty", HUMAN) in states[at]]
    if version == 2:
        done = achievements(states, lines(goal, Facts(states[-1]), universe), universe)
        free = [at for at in free if _is_predictable(at, done)]
    stop = next((at for at in free if at >= drawn), free[-1] if free and version == 1 else None)
    if stop is None:
        return ()
    others = [] if most == 1 else [free[place] for place in rng.permutation(len(free))]
    unlike: dict[State, int] = {}
    for at in (stop, *others):
        unlike.setdefault(frozenset(atom for atom in states[at] if atom[0] != "at"), at)
    return tuple(unlike.values())[:most]


def _is_predictable(stop: int, done: Sequence[Sequence[int]]) -> bool:
    """Whether the part of the goal that is worked on next has been worked on before.

    A part that one thing alone fulfils has nothing that could be seen before.
    """
    worked_on = [[at for at in times if at] for times in done]
    coming = [(min(at for at in times if at > stop), times) for times in worked_on if times and times[-1] > stop]
    if not coming:
        return False
    _, times = min(coming)
    return len(set(times)) == 1 or times[0] <= stop


# The human's request: what is meant and said, what a listener takes it to mean, and how hard that is.


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
        plan: A shortest plan of the robot for what is meant.
    """

    meaning: Meaning
    utterance: Meaning
    understood: Meaning
    level: int
    useful: tuple[Grounding, ...]
    optimal: bool
    plan: tuple[GroundAction, ...]


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


def draw_requests(
    subgoals: Subgoals, quest: Quest, level: int, draws: int, rng: np.random.Generator
) -> Iterator[Request | WrongLevels]:
    """Yield requests of a level, each a meaning and an utterance that are drawn; or why there is none.

    Draws of another level, and those that pragmatic reasoning misleads (which have none), are put back: that
    the level be the wanted one is a condition on the paper's distribution.

    Args:
        subgoals: What may be asked.
        quest: The type of request.
        level: The wanted level, of which one request is drawn; 0 for any.
        draws: How often to draw at most.
        rng: What is drawn from.
    """
    context, rewards = subgoals.context, subgoals.rewards(quest)
    gains = {grounding: reward.gain for grounding, reward in rewards.items()}
    meanings = pool(context, quest, gains)
    if not meanings.meanings:
        yield WrongLevels()
        return
    acts = speech_acts(meanings)
    useful = useful_extent(context, gains)
    helpful = tuple(grounding for grounding, gain in gains.items() if gain > 0)
    optimal = subgoals.before.optimal and all(reward.proven for reward in rewards.values())
    for drawn in [_of_level(acts, useful, level, draws, rng)] if level else _of_any(acts, useful, draws, rng):
        if isinstance(drawn, WrongLevels):
            yield drawn
            return
        meaning, utterance, found = drawn
        plan = min((rewards[each].plan for each in context.groundings(meaning)), key=len)
        yield Request(meaning, utterance, acts.understand(utterance), found, helpful, optimal, plan)


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
) -> Iterator[tuple[Meaning, Meaning, int] | WrongLevels]:
    """Yield what is meant and said, whatever level it is of."""
    misled = True
    for _ in range(draws):
        meaning = acts.pool.sample(rng)
        utterance = acts.say(meaning, rng)
        understood = acts.understand(utterance)
        found = hardness(acts.pool.context, useful, meaning, utterance, understood)
        if found is not None:
            misled = False
            yield meaning, utterance, found
    if misled:
        yield WrongLevels(frozenset([0]))


def part_served(subgoals: Subgoals, meaning: Meaning) -> Formula | None:
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
