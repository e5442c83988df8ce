"""The mark of one answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.formulas import unmet
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Atom, Domain, Formula, Not, State
from chorewright.domains.rewriting import predicates_mentioned_in
from chorewright.files.english import say_count
from chorewright.generator.measuring.eai.answers import Unreadable, read_actions, read_subgoals
from chorewright.generator.measuring.eai.tasks import EaiTask
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import PlanWorld, Reason, simulate
from chorewright.replay.games.running import changing_predicates

PARSING, HALLUCINATION, ARGUMENTS = "parsing", "hallucination", "arguments"
"""Answers that are not of the form, that name what is not there, or that give it too few or many objects."""

AFFORDANCE, MISSING, ORDER, GOAL = "affordance", "missing step", "wrong order", "goal"
"""Steps that this object never allows; that lack something not yet done; something undone again; a goal not reached."""

ERRORS = (PARSING, HALLUCINATION, ARGUMENTS, AFFORDANCE, MISSING, ORDER, GOAL)


@dataclass(frozen=True, slots=True)
class LiteralCounts:
    """How many items were right among those answered, and among those wanted."""

    right: int
    answered: int
    wanted: int

    @staticmethod
    def of(answered: Collection[object], wanted: Collection[object]) -> LiteralCounts:
        """Compare two collections of things that are all different."""
        return LiteralCounts(len(set(answered) & set(wanted)), len(set(answered)), len(set(wanted)))

    def __add__(self, other: LiteralCounts) -> LiteralCounts:
        return LiteralCounts(self.right + other.right, self.answered + other.answered, self.wanted + other.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if nothing was wanted and nothing answered."""
        return 2 * self.right / (self.answered + self.wanted) if self.answered + self.wanted else 1.0


NOTHING = LiteralCounts(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """What an answer is worth.

    Attributes:
        correct: Whether it does what was asked.
        executable: Whether all of it can be carried out; equal to ``correct`` where nothing is carried out.
        error: The first error, one of ``ERRORS``; empty if there is none.
        message: What is wrong.
        counts: Literals compared with those of the right answer.
        additional: Steps that change nothing.
    """

    correct: bool
    executable: bool
    error: str = ""
    message: str = ""
    counts: LiteralCounts = NOTHING
    additional: int = 0


def mark_failure(error: str, message: str, counts: LiteralCounts = NOTHING, additional: int = 0) -> Mark:
    """Return the mark of an answer that cannot be carried out."""
    return Mark(False, False, error, message, counts, additional)


def find_misnamed(
    domain: Domain, universe: Universe, name: str, terms: Sequence[str], action: bool
) -> tuple[str, str] | None:
    """Return the error of an atom or action that names what is not there; None if it is well named.

    Args:
        domain: The domain.
        universe: The objects.
        name: The predicate's or action's.
        terms: The objects.
        action: Whether it is an action.
    """
    known = {each.name: len(each.parameters) for each in (domain.actions if action else domain.predicates)}
    if name not in known:
        return HALLUCINATION, f"there is no {'action' if action else 'predicate'} {name!r}"
    for each in terms:
        if each not in universe.rank:
            return HALLUCINATION, f"there is no object {each!r}"
    if len(terms) != known[name]:
        return ARGUMENTS, f"{name} takes {say_count(known[name], 'object')}, not {len(terms)}"
    return None


# Marks of action sequencing: a plan carried out, with the kind of its first error.


def mark_actions(task: EaiTask, text: str) -> Mark:
    """Mark a plan that a model wrote: correct if all of it can be carried out and the goal holds at the end."""
    world = PlanWorld.of(task.domain, task.problem)
    try:
        actions = [respelt(each, task) for each in read_actions(text)]
    except Unreadable as error:
        return mark_failure(PARSING, error.message)
    for each in actions:
        found = find_misnamed(task.domain, world.universe, each.name, each.arguments, True)
        if found is not None:
            return mark_failure(*found)
    passed, additional = [world.initial()], 0
    for number, each in enumerate(actions, 1):
        refused = first_error(world, task, each, passed)
        if refused is not None:
            return mark_failure(refused[0], f"step {number}: {refused[1]}", additional=additional)
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


def first_error(
    world: PlanWorld, task: EaiTask, action: GroundAction, passed: Sequence[State]
) -> tuple[str, str] | None:
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
    if any(changing.isdisjoint(predicates_mentioned_in(each)) for each in formulas):
        return AFFORDANCE, message
    held = all(any(_holds(each, state, world) for state in passed[:-1]) for each in formulas)
    return (ORDER if held else MISSING), message


def _holds(formula: Formula, state: State, world: PlanWorld) -> bool:
    match formula:
        case Atom(predicate, terms):
            return (predicate, *terms) in state
        case Not(Atom(predicate, terms)):
            return (predicate, *terms) not in state
    return holds(formula, state, world.universe)


# Marks of subgoal decomposition: each subgoal reached by the planner from where the one before it ends.


EVALUATIONS = 20_000
"""What the planner may spend on one subgoal."""


def mark_subgoals(task: EaiTask, text: str) -> Mark:
    """Mark the subgoals that a model wrote.

    They are correct if each can be reached from the state in which the one before it is, and the goal holds at the end.
    A subgoal that is an action is run.
    """
    world = PlanWorld.of(task.domain, task.problem)
    try:
        subgoals = [_actions_respelt(each, task) for each in read_subgoals(text)]
    except Unreadable as error:
        return mark_failure(PARSING, error.message)
    for subgoal in subgoals:
        for atom in (part for part in subformulas(subgoal) if isinstance(part, Atom)):
            alone = atom is subgoal and _is_action(atom, task)
            found = find_misnamed(task.domain, world.universe, atom.predicate, atom.terms, alone)
            if found is not None:
                return mark_failure(*found)
    state, additional = world.initial(), 0
    for number, subgoal in enumerate(subgoals, 1):
        if isinstance(subgoal, Atom) and _is_action(subgoal, task):
            action = GroundAction(subgoal.predicate, subgoal.terms)
            refused = first_error(world, task, action, (world.initial(), state))
            if refused is not None:
                return mark_failure(refused[0], f"subgoal {number}: {refused[1]}", additional=additional)
            state = world.apply(action, state, Facts(state))
            continue
        additional += holds(subgoal, state, world.universe)
        reached = _reach(task, subgoal, state)
        if reached is None:
            message = f"subgoal {number} cannot be reached within {EVALUATIONS:,} evaluations"
            return mark_failure(MISSING, message, additional=additional)
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
