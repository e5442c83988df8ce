"""Verdicts of the validator: reasons, steps, conditions; and agreement with unified-planning's."""

from __future__ import annotations

import pytest

from benchmarks.corpora.planning_tasks import competition_task
from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import Reason, simulate, validate

DOMAIN = """(define (domain d) (:requirements :adl :action-costs) (:types room item - object tool - item)
 (:predicates (in ?i - item ?r - room) (clean ?r - room) (locked ?r - room) (has ?i - item))
 (:functions (total-cost) - number (price ?i - item) - number)
 (:action take :parameters (?i - item ?r - room) :precondition (and (in ?i ?r) (not (locked ?r)))
  :effect (and (has ?i) (not (in ?i ?r)) (increase (total-cost) (price ?i))))
 (:action sweep :parameters (?t - tool ?r - room)
  :precondition (and (has ?t) (forall (?i - item) (not (in ?i ?r))) (or (locked ?r) (has ?t)))
  :effect (and (clean ?r) (forall (?q - room) (when (locked ?q) (not (locked ?q))))
   (increase (total-cost) 2))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects kitchen hall - room cup - item broom - tool)
 (:init (in cup kitchen) (in broom hall) (locked kitchen) (= (price cup) 1) (= (price broom) 4))
 (:goal (and (clean hall) (clean kitchen) (has cup))) (:metric minimize (total-cost)))"""

GOOD = "(take broom hall)(sweep broom hall)(take cup kitchen)(sweep broom kitchen)"

VERDICTS = [
    (GOOD, None, None, (), 9.0),
    ("(take broom hall)(fly cup)", 2, Reason.UNKNOWN_ACTION, (), 4.0),
    ("(take broom)", 1, Reason.WRONG_ARITY, (), 0.0),
    ("(take mug hall)", 1, Reason.UNKNOWN_OBJECT, (), 0.0),
    ("(sweep cup hall)", 1, Reason.WRONG_TYPE, (), 0.0),
    ("(take cup kitchen)", 1, Reason.UNMET_PRECONDITION, ("(not (locked kitchen))",), 0.0),
    ("(take cup hall)", 1, Reason.UNMET_PRECONDITION, ("(in cup hall)",), 0.0),
    ("(sweep broom hall)", 1, Reason.UNMET_PRECONDITION,
     ("(has broom)", "(not (in broom hall))", "(or (locked hall) (has broom))"), 0.0),
    ("(take broom hall)(sweep broom hall)", None, Reason.MISSING_GOAL, ("(clean kitchen)", "(has cup)"), 6.0),
    ("", None, Reason.MISSING_GOAL, ("(clean hall)", "(clean kitchen)", "(has cup)"), 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "step", "reason", "unmet", "cost"), VERDICTS)
def test_verdicts(plan: str, step: int | None, reason: Reason | None, unmet: tuple[str, ...], cost: float) -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(PROBLEM, domain)
    verdict = validate(domain, problem, parse_plan(plan).actions)
    assert (verdict.valid, verdict.step, verdict.reason) == (reason is None, step, reason)
    assert (verdict.unmet, verdict.cost) == (unmet, cost)
    assert all(part in verdict.message for part in unmet)


def test_the_article_of_a_type_agrees_with_it() -> None:
    domain = parse_domain(DOMAIN)
    verdict = validate(domain, parse_problem(PROBLEM, domain), parse_plan("(sweep cup hall)").actions)
    assert "'cup' is an item, but ?t must be a tool" in verdict.message


def test_simulation_stops_at_the_first_step_that_fails() -> None:
    domain = parse_domain(DOMAIN)
    problem = parse_problem(PROBLEM, domain)
    steps = simulate(domain, problem, parse_plan(f"{GOOD}(take cup kitchen)").actions)
    assert len(steps) == 4
    assert steps[0].added == (("has", "broom"),)
    assert steps[0].removed == (("in", "broom", "hall"),)
    assert steps[1].removed == (("locked", "kitchen"),)


PEERS = [
    ("blocks", "probBLOCKS-4-1.pddl"),
    ("gripper", "prob01.pddl"),
    ("depot", "p01.pddl"),
    ("miconic-simpleadl", "s1-1.pddl"),
    ("elevators-opt08-strips", "p01.pddl"),
    ("tpp", "p02.pddl"),
    ("visitall-opt11-strips", "problem03-half.pddl"),
]


@pytest.mark.parametrize(("domain_name", "problem_name"), PEERS)
def test_agrees_with_unified_planning(domain_name: str, problem_name: str) -> None:
    """On our plan, and on the plan with steps dropped, doubled and swapped."""
    pytest.importorskip("unified_planning")
    from unified_planning.engines import SequentialPlanValidator
    from unified_planning.engines.results import ValidationResultStatus
    from unified_planning.io import PDDLReader
    from unified_planning.plans import ActionInstance, SequentialPlan

    domain, problem = competition_task(domain_name, problem_name)
    folder = sample("ipc") / domain_name
    theirs = PDDLReader().parse_problem(str(folder / "domain.pddl"), str(folder / problem_name))
    names = {action.name.lower(): action for action in theirs.actions}
    objects = {thing.name.lower(): thing for thing in theirs.all_objects}
    answer = solve(domain, problem)
    assert isinstance(answer, Plan)
    plan = list(answer.actions)
    mutants: list[list[GroundAction]] = [plan, plan[1:], plan[:-1]]
    for i in range(0, len(plan) - 1, 2):
        mutants.append(plan[:i] + plan[i + 1 :])
        mutants.append([*plan[: i + 1], *plan[i:]])
        mutants.append([*plan[:i], plan[i + 1], plan[i], *plan[i + 2 :]])
    for mutant in mutants:
        steps = [
            ActionInstance(names[a.name], tuple(theirs.environment.expression_manager.ObjectExp(objects[x])
                                                for x in a.arguments))
            for a in mutant
        ]  # fmt: skip
        judge = SequentialPlanValidator()
        judge.skip_checks = True  # it refuses static cost functions, but validates them rightly
        result = judge.validate(theirs, SequentialPlan(steps, theirs.environment))
        assert validate(domain, problem, mutant).valid == (result.status is ValidationResultStatus.VALID)
