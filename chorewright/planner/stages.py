"""Long goals in stages: each stage adds conditions to those that are met already.

A goal of dozens of conditions is out of reach of one greedy search, yet easy a few conditions at a time, as
long as none of them stands in the way of a later one. What a stage has reached must hold at the end of the
next ones too, though not on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.domains.formulas import Facts, conjunction
from chorewright.domains.pddl.syntax import Domain, Formula, Problem
from chorewright.planner.plan import Answer, GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, NAME, UNLIMITED, Configuration, solve
from chorewright.planner.validation import World, validate


def solve_in_stages(
    domain: Domain,
    problem: Problem,
    stages: Sequence[Formula],
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
) -> Answer | None:
    """Return a plan for the conjunction of the stages; None if a stage led into a dead end.

    Args:
        domain: The domain.
        problem: The problem; its own goal is left aside.
        stages: What is to hold after each stage, besides what held before.
        limits: For each stage.
        configuration: How to search.
    """
    actions: list[GroundAction] = []
    evaluated = 0
    here = problem
    reached: tuple[Formula, ...] = ()
    for stage in stages:
        reached = (*reached, stage)
        answer = solve(domain, replace(here, goal=conjunction(reached)), limits, configuration)
        if isinstance(answer, OutOfLimits):
            return answer
        if isinstance(answer, Unsolvable):
            return answer if stage is stages[0] else None
        actions += answer.actions
        evaluated += answer.evaluated
        here = _after(domain, here, answer.actions)
    whole = replace(problem, goal=conjunction(reached))
    verdict = validate(domain, whole, actions)
    assert verdict.valid, verdict.message
    return Plan(tuple(actions), verdict.cost, NAME, f"{configuration}-stages{len(stages)}", False, evaluated)


def _after(domain: Domain, problem: Problem, actions: Sequence[GroundAction]) -> Problem:
    """Return the problem as it stands after some actions."""
    world = World.of(domain, problem)
    state = world.initial()
    for action in actions:
        state = world.apply(action, state, Facts(state))
    derived = {axiom.head.name for axiom in domain.axioms}
    kept = [atom for atom in problem.init if atom in state]
    new = sorted(atom for atom in state.difference(kept) if atom[0] not in derived)
    return replace(problem, init=(*kept, *new))
