"""The human's trajectory: a plan for the whole goal, and where the human stops to ask (section 3.1).

The human works at one part of the goal after the other (``handmethat_order``), and only stops with empty
hands, so that something can be given to them. Version 1 stops at random; version 2 (section 5.1) stops where
what the human does next continues what they have begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.formulas import Facts, Universe, holds
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import TRUE, Formula, State
from chorewright.files.stopwatch import Timed
from chorewright.generator.handmethat.order import achievements, lines, part_by_part
from chorewright.generator.production.attempts import HOLDS, Rejection, without_plan
from chorewright.planner.plan import GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.feasibility import choice
from chorewright.problems.handmethat.goals import universe_of
from chorewright.problems.handmethat.relevance import relevant, restricted
from chorewright.problems.handmethat.scene import HUMAN, Scene
from chorewright.problems.handmethat.states import problem_of, state_of

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
    start: Scene, goal: Formula, version: int, limits: Limits, rng: np.random.Generator, stops: int = 1
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
    plan = replace(answer, actions=actions, cost=float(len(actions)))
    return Trajectory(plan, states, found)


def _states(start: Scene, actions: Sequence[GroundAction]) -> tuple[State, ...]:
    """Return the states along a plan of the human's."""
    problem = problem_of(start, TRUE)
    steps = simulate(handmethat_domain(), problem, actions)
    return (frozenset(problem.init), *(step.state for step in steps))


def _plan(start: Scene, goal: Formula, limits: Limits) -> Plan | Unsolvable | OutOfLimits:
    """Plan for a goal; where that takes too long, for one choice of things that fulfils it.

    It takes long where one thing seems to do for two parts of the goal, such as a lettuce for either plate.
    """
    first = _solved(start, goal, limits)
    if not isinstance(first, OutOfLimits):
        return first
    chosen = choice(goal, state_of(start), universe_of(start))
    if chosen is None:
        return first
    more = None if limits.evaluations is None else PATIENCE * limits.evaluations
    second = _solved(start, chosen, replace(limits, evaluations=more))
    if not isinstance(second, Plan):
        return first
    steps = simulate(handmethat_domain(), problem_of(start, goal), second.actions)
    return second if holds(goal, steps[-1].state, universe_of(start)) else first


def _solved(start: Scene, goal: Formula, limits: Limits) -> Plan | Unsolvable | OutOfLimits:
    """Plan in what of the scene can matter for the goal."""
    core = restricted(start, relevant(start, goal))
    return solve(handmethat_domain(), problem_of(core, goal), limits, PLANNER)


def _stops(
    states: Sequence[State],
    goal: Formula,
    universe: Universe,
    version: int,
    rng: np.random.Generator,
    most: int,
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
