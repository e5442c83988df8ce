"""The human's trajectory: a plan for the whole goal, and where the human stops to ask (section 3.1).

A human only stops with empty hands, so that something can be given to them. Version 1 stops at random;
version 2 (section 5.1) stops where what the human does next continues what they have begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.formulas import Facts, Universe, conjuncts, support
from chorewright.domains.pddl.syntax import Domain, Formula, Problem, State
from chorewright.planner.plan import GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.scene import HUMAN

SHORTEST = {1: 1, 2: 3}
"""The fewest actions that a robot must have seen, by version of the dataset."""

AHEAD = 2
"""The fewest actions that must remain."""


PATIENCE = 3
"""How much longer is searched in what can matter for the goal, where the whole scene has given no plan."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no trajectory."""

    reason: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A plan for the goal and where it is broken off.

    Attributes:
        plan: The whole plan.
        states: The state before each action, and the last.
        stop: T, the number of actions that the robot sees.
    """

    plan: Plan
    states: tuple[State, ...]
    stop: int

    @property
    def seen(self) -> tuple[GroundAction, ...]:
        """The actions up to the request."""
        return self.plan.actions[: self.stop]

    @property
    def state(self) -> State:
        """s_T, the state at the request."""
        return self.states[self.stop]


def human_trajectory(
    domain: Domain,
    problem: Problem,
    version: int,
    limits: Limits,
    rng: np.random.Generator,
    core: Problem | None = None,
) -> Trajectory | Refusal:
    """Plan for the human's goal and choose where to stop.

    Args:
        domain, problem: The human's problem.
        version: 1 or 2 of the dataset.
        limits: What the planner may use.
        rng: Where a random choice comes from.
        core: The same problem with only what can matter for its goal, where no plan is found otherwise.
    """
    answer = solve(domain, problem, limits)
    if core is not None and isinstance(answer, OutOfLimits):
        more = None if limits.evaluations is None else PATIENCE * limits.evaluations
        answer = solve(domain, core, replace(limits, evaluations=more))
    match answer:
        case Unsolvable(reason):
            return Refusal(f"the goal cannot be reached: {reason}")
        case OutOfLimits(limit):
            return Refusal(f"no plan within the limit of {limit.value}")
    if not answer.actions:
        return Refusal("the goal holds already")
    steps = simulate(domain, problem, answer.actions)
    states = (frozenset(problem.init), *(step.state for step in steps))
    universe = Universe.of(domain, problem)
    stop = _stop(states, conjuncts(problem.goal), universe, version, rng)
    if stop is None:
        return Refusal("the plan is too short to stop within it")
    return Trajectory(answer, states, stop)


def _stop(
    states: Sequence[State],
    parts: Sequence[Formula],
    universe: Universe,
    version: int,
    rng: np.random.Generator,
) -> int | None:
    """Choose T, or None if there is no place to stop.

    As in the reference, a place is drawn from the middle of the plan, and the next place that suits taken.
    """
    length = len(states) - 1
    first, last = max(0, (length - 4) // 2), max(0, length - 5)
    drawn = int(rng.integers(first, last + 1))
    free = [at for at in range(SHORTEST[version], length - AHEAD + 1) if ("hand-empty", HUMAN) in states[at]]
    if version == 2:
        done = achievements(states, parts, universe)
        free = [at for at in free if _is_predictable(at, done)]
    return next((at for at in free if at >= drawn), free[-1] if free and version == 1 else None)


def _is_predictable(stop: int, done: Sequence[Sequence[int]]) -> bool:
    """Whether the part of the goal that is worked on next has been worked on before.

    A part that one thing alone fulfils has nothing that could be seen before.
    """
    worked_on = [[at for at in times if at] for times in done]
    coming = [
        (min(at for at in times if at > stop), times) for times in worked_on if times and times[-1] > stop
    ]
    if not coming:
        return False
    _, times = min(coming)
    return len(set(times)) == 1 or times[0] <= stop


def achievements(
    states: Sequence[State], parts: Sequence[Formula], universe: Universe
) -> tuple[tuple[int, ...], ...]:
    """Return when a plan achieves each part of its goal for good.

    Args:
        states: The states along the plan; all parts hold in the last.
        parts: The parts of the goal.

    Returns:
        For each part, for each literal that makes it true at the end, the number of actions after which it
        stays true, in rising order; 0 for those that are never false.
    """
    facts = Facts(states[-1])
    return tuple(
        tuple(
            sorted(
                max((at + 1 for at, state in enumerate(states) if (atom in state) != value), default=0)
                for atom, value in support(part, facts, universe)
            )
        )
        for part in parts
    )
