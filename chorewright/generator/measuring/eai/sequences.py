"""Marks of action sequencing: a plan carried out, with the kind of its first error."""

from __future__ import annotations

from collections.abc import Sequence

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Atom, Formula, Not, State
from chorewright.domains.rewriting import mentioned_predicates
from chorewright.generator.measuring.eai.answers import Unreadable, read_actions
from chorewright.generator.measuring.eai.marks import (
    AFFORDANCE,
    ARGUMENTS,
    GOAL,
    HALLUCINATION,
    MISSING,
    ORDER,
    PARSING,
    Mark,
    failed,
    misnamed,
)
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.plan import GroundAction
from chorewright.planner.unmet import unmet
from chorewright.planner.validation import Reason, World
from chorewright.replay.games.operators import changing_predicates


def mark_actions(task: EaiTask, text: str) -> Mark:
    """Mark a plan that a model wrote: correct if all of it can be carried out and the goal holds at the end."""
    world = World.of(task.domain, task.problem)
    try:
        actions = [respelt(each, task) for each in read_actions(text)]
    except Unreadable as error:
        return failed(PARSING, error.message)
    for each in actions:
        found = misnamed(task.domain, world.universe, each.name, each.arguments, True)
        if found is not None:
            return failed(*found)
    passed, additional = [world.initial()], 0
    for number, each in enumerate(actions, 1):
        refused = first_error(world, task, each, passed)
        if refused is not None:
            return failed(refused[0], f"step {number}: {refused[1]}", additional=additional)
        after = world.apply(each, passed[-1], Facts(passed[-1]))
        additional += after == passed[-1]
        passed.append(after)
    if holds(task.problem.goal, passed[-1], world.universe):
        return Mark(True, True, additional=additional)
    missing = ", ".join(unmet(task.problem.goal, Facts(passed[-1]), world.universe, {}))
    return Mark(False, True, GOAL, f"the goal is not reached: {missing}", additional=additional)


def respelt(action: GroundAction, task: EaiTask) -> GroundAction:
    """Return an action with the domain's spelling of its name: dashes and underscores are alike."""
    spelling = {each.name.replace("-", "_"): each.name for each in task.domain.actions}
    return GroundAction(spelling.get(action.name.replace("-", "_"), action.name), action.arguments)


def first_error(world: World, task: EaiTask, action: GroundAction, passed: Sequence[State]) -> tuple[str, str] | None:
    """Return the kind and message of why an action cannot be run in the last of some states; None if it can.

    What never changes is a matter of affordance; what held before and was undone, one of order; else a step is missing.
    """
    refused = world.refusal(action, Facts(passed[-1]))
    if refused is None:
        return None
    reason, parts, message = refused
    if reason in (Reason.WRONG_TYPE, Reason.UNDEFINED_COST):
        return AFFORDANCE, message
    if reason in (Reason.UNKNOWN_ACTION, Reason.UNKNOWN_OBJECT):
        return HALLUCINATION, message
    if reason is Reason.WRONG_ARITY:
        return ARGUMENTS, message
    changing = changing_predicates(task.domain)
    formulas = [parse_formula(each, task.domain, task.problem.objects) for each in parts]
    if any(changing.isdisjoint(mentioned_predicates(each)) for each in formulas):
        return AFFORDANCE, message
    held = all(any(_holds(each, state, world) for state in passed[:-1]) for each in formulas)
    return (ORDER if held else MISSING), message


def _holds(formula: Formula, state: State, world: World) -> bool:
    match formula:
        case Atom(predicate, terms):
            return (predicate, *terms) in state
        case Not(Atom(predicate, terms)):
            return (predicate, *terms) not in state
    return holds(formula, state, world.universe)
