"""Marks of subgoal decomposition: each subgoal reached by the planner from where the one before it ends."""

from __future__ import annotations

from dataclasses import replace

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Atom, Formula, State
from chorewright.generator.measuring.eai.answers import Unreadable, read_subgoals
from chorewright.generator.measuring.eai.marks import GOAL, MISSING, PARSING, Mark, failed, misnamed
from chorewright.generator.measuring.eai.sequences import first_error, respelt
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.unmet import unmet
from chorewright.planner.validation import World, simulate

EVALUATIONS = 20_000
"""What the planner may spend on one subgoal."""


def mark_subgoals(task: EaiTask, text: str) -> Mark:
    """Mark the subgoals that a model wrote.

    They are correct if each can be reached from the state in which the one before it is, and the goal holds at the end.
    A subgoal that is an action is run.
    """
    world = World.of(task.domain, task.problem)
    try:
        subgoals = [_actions_respelt(each, task) for each in read_subgoals(text)]
    except Unreadable as error:
        return failed(PARSING, error.message)
    for subgoal in subgoals:
        for atom in (part for part in subformulas(subgoal) if isinstance(part, Atom)):
            alone = atom is subgoal and _is_action(atom, task)
            found = misnamed(task.domain, world.universe, atom.predicate, atom.terms, alone)
            if found is not None:
                return failed(*found)
    state, additional = world.initial(), 0
    for number, subgoal in enumerate(subgoals, 1):
        if isinstance(subgoal, Atom) and _is_action(subgoal, task):
            action = GroundAction(subgoal.predicate, subgoal.terms)
            refused = first_error(world, task, action, (world.initial(), state))
            if refused is not None:
                return failed(refused[0], f"subgoal {number}: {refused[1]}", additional=additional)
            state = world.apply(action, state, Facts(state))
            continue
        additional += holds(subgoal, state, world.universe)
        reached = _reach(task, subgoal, state)
        if reached is None:
            message = f"subgoal {number} cannot be reached within {EVALUATIONS:,} evaluations"
            return failed(MISSING, message, additional=additional)
        state = reached
    if holds(task.problem.goal, state, world.universe):
        return Mark(True, True, additional=additional)
    missing = ", ".join(unmet(task.problem.goal, Facts(state), world.universe, {}))
    return Mark(False, True, GOAL, f"the goal is not reached: {missing}", additional=additional)


def _reach(task: EaiTask, subgoal: Formula, state: State) -> State | None:
    """The state in which the planner reaches a subgoal; None if it does not."""
    derived = {each.head.name for each in task.domain.axioms}
    init = tuple(sorted(each for each in state if each[0] not in derived))
    problem = replace(task.problem, init=init, goal=subgoal)
    found = solve(task.domain, problem, Limits(evaluations=EVALUATIONS))
    if not isinstance(found, Plan):
        return None
    run = simulate(task.domain, problem, found.actions)
    return run[-1].state if run else state


def _is_action(atom: Atom, task: EaiTask) -> bool:
    """Whether a name is an action's; of one that is also a predicate's, the number of objects decides."""
    if atom.predicate not in {each.name for each in task.domain.actions}:
        return False
    known = {each.name: len(each.parameters) for each in task.domain.predicates}
    return known.get(atom.predicate) != len(atom.terms)


def _actions_respelt(subgoal: Formula, task: EaiTask) -> Formula:
    if not isinstance(subgoal, Atom):
        return subgoal
    action = respelt(GroundAction(subgoal.predicate, subgoal.terms), task)
    known = {each.name for each in task.domain.predicates}
    return subgoal if subgoal.predicate in known else Atom(action.name, action.arguments)
