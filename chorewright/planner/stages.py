"""Long goals in stages: each stage adds conditions to those that are met already.

A goal of dozens of conditions is out of reach of one greedy search, yet easy a few conditions at a time, as
long as none of them stands in the way of a later one. What a stage has reached must hold at the end of the
next ones too, though not on the way. At last the whole plan is made cheaper with the objects that it touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chorewright.domains.formulas import Facts, conjunction
from chorewright.domains.pddl.syntax import And, Atom, Domain, Formula, GroundAtom, Or, Problem
from chorewright.planner.grounding.goal_atoms import constants
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.grounding.joins.derivation import NEVER
from chorewright.planner.grounding.normal_form import Normalizer
from chorewright.planner.grounding.numbering import NumberedProblem
from chorewright.planner.plan import NAME, UNLIMITED, Answer, GroundAction, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, Configuration, solve
from chorewright.planner.search.anytime import Level
from chorewright.planner.search.improvement import improve
from chorewright.planner.search.search import Budget, prepare, state_limit
from chorewright.planner.validation import PlanWorld, Verdict, validate

EARLIER, WHOLE = 16, 2
"""How much less a stage's own plan is improved than a plan usually is, and how much more the whole is."""

LONGEST = 40
"""Steps of the longest whole plan whose improvement may grow with its length; most of it is in what is found early."""


def solve_in_stages(
    domain: Domain,
    problem: Problem,
    stages: Sequence[tuple[Formula, bool]],
    limits: Limits = UNLIMITED,
    configuration: Configuration = DEFAULT,
) -> Answer | None:
    """Return a plan for the conjunction of the stages; None if a stage led into a dead end.

    Args:
        domain: The domain.
        problem: The problem; its own goal is left aside.
        stages: What is to hold after each stage, and whether it must hold for good; what need not only helps
            the next stage along, and is left out if it cannot be had.
        limits: For each stage.
        configuration: How to search.
    """
    actions: list[GroundAction] = []
    evaluated = 0
    here = problem
    reached: tuple[Formula, ...] = ()
    touched: set[str] = set()
    roughly = replace(configuration, improve=configuration.improve // EARLIER)
    for number, (stage, lasting) in enumerate(stages):
        answer = solve(domain, replace(here, goal=conjunction((*reached, stage))), limits, roughly)
        if not isinstance(answer, Plan) and not lasting:
            continue
        if isinstance(answer, OutOfLimits):
            return answer
        if isinstance(answer, Unsolvable):
            return None if number else answer
        reached = (*reached, stage) if lasting else reached
        actions += answer.actions
        evaluated += answer.evaluated
        here = _after(domain, here, answer.actions, touched)
        facts = frozenset(here.init)
        reached = tuple(_settle(each, facts) for each in reached)
    whole = replace(problem, goal=conjunction(reached))
    verdict: Verdict | None = None
    if configuration.improving and len(stages) > 1:
        usual = configuration.improve * WHOLE * LONGEST // max(LONGEST, len(actions))
        better, spent = _improve(domain, whole, actions, frozenset(touched), usual)
        evaluated += spent
        verdict = validate(domain, whole, better)
        actions = better if verdict.valid else actions
    if verdict is None or not verdict.valid:
        verdict = validate(domain, whole, actions)
    assert verdict.valid, verdict.message
    return Plan(tuple(actions), verdict.cost, NAME, f"{configuration}-stages{len(stages)}", False, evaluated)


def _improve(
    domain: Domain, problem: Problem, actions: list[GroundAction], touched: frozenset[str], evaluations: int
) -> tuple[list[GroundAction], int]:
    """Return a plan that costs no more and touches no other objects, and the evaluations that it took."""
    wanted = Normalizer(NumberedProblem.of(domain, problem).known).formula(problem.goal)
    task = ground(domain, problem, touched.union(constants(wanted)))
    if task is None:
        return actions, 0
    prepared = prepare(task)
    operators = Level(prepared, False).operators(actions)
    if operators is None:
        return actions, 0
    budget = Budget(evaluations, state_limit(None, task), NEVER)
    found = improve(prepared, operators, budget)
    assert found.operators is not None
    return [task.action(operator) for operator in found.operators], found.evaluations


def _settle(formula: Formula, facts: frozenset[GroundAtom]) -> Formula:
    """Return a condition that holds without the alternatives that were not taken."""
    if isinstance(formula, And):
        return conjunction(_settle(each, facts) for each in formula.operands)
    if isinstance(formula, Or):
        atoms = (each for each in formula.operands if isinstance(each, Atom))
        return next((each for each in atoms if (each.predicate, *each.terms) in facts), formula)
    return formula


def _after(domain: Domain, problem: Problem, actions: Sequence[GroundAction], touched: set[str]) -> Problem:
    """Return the problem as it stands after some actions; ``touched`` collects the objects they depend on."""
    world = PlanWorld.of(domain, problem)
    facts = Facts(world.initial())
    for action in actions:
        touched.update(action.arguments)
        facts = world.advance(action, facts, touched)
    state = frozenset(facts.atoms)
    derived = {axiom.head.name for axiom in domain.axioms}
    kept = [atom for atom in problem.init if atom in state]
    new = sorted(atom for atom in state.difference(kept) if atom[0] not in derived)
    return replace(problem, init=(*kept, *new))
