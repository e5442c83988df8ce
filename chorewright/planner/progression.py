"""What the steps of a plan change, which objects that depends on, and which actions can be run in a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from chorewright.domains.facts import atom_text, number_text
from chorewright.domains.formulas import Facts, StateQuestion, Universe
from chorewright.domains.pddl import syntax
from chorewright.files.lazily import Remembered
from chorewright.planner.durative_validation import Happening, validate_timed
from chorewright.planner.plan import GroundAction
from chorewright.planner.plan_files import TOLERANCE, PlanFile
from chorewright.planner.validation import PlanWorld, simulate


@dataclass(frozen=True, slots=True)
class StepChange:
    """One step that could be run, counted from 1: what it adds and removes (sorted), what it costs, and the
    cost so far."""

    step: int
    action: GroundAction
    added: tuple[syntax.GroundAtom, ...]
    removed: tuple[syntax.GroundAtom, ...]
    cost: float
    total: float


def changes(domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction]) -> Iterator[StepChange]:
    """Run a plan and yield what each step changes, derived predicates included; a step that fails ends it."""
    world = PlanWorld.of(domain, problem)
    total = world.measure(Facts(world.initial()), 0) if world.numeric else 0.0
    for number, step in enumerate(simulate(domain, problem, actions), 1):
        cost = world.measure(Facts(step.state), number) - total if world.numeric else world.cost(step.action) or 0.0
        total += cost
        yield StepChange(number, step.action, step.added, step.removed, cost, total)


def show_change(change: StepChange) -> Iterator[str]:
    """A change as lines of text: the step, then ``+`` what became true and ``-`` what became false."""
    yield f"  {change.step}: {change.action} (cost {change.cost:g}, total {change.total:g})"
    yield from _show_atoms(change.added, change.removed)


def _show_atoms(added: Sequence[syntax.GroundAtom], removed: Sequence[syntax.GroundAtom]) -> Iterator[str]:
    for mark, atoms in (("+", added), ("-", removed)):
        for atom in atoms:
            yield f"     {mark} {atom_text(atom)}"


def happenings(
    domain: syntax.Domain, problem: syntax.Problem, plan: PlanFile, tolerance: Fraction = TOLERANCE
) -> tuple[Happening, ...]:
    """Run a plan with times and return what happens, up to what cannot be run."""
    found: list[Happening] = []
    validate_timed(domain, problem, plan.steps, tolerance, found.append)
    return tuple(found)


def show_happening(happening: Happening) -> Iterator[str]:
    """A happening as lines of text: its time and events, then ``+`` what became true and ``-`` what became false."""
    yield f"  {number_text(happening.time)}: {', '.join(happening.events)}"
    yield from _show_atoms(happening.added, happening.removed)


def record_happening(happening: Happening) -> dict[str, object]:
    """A happening as plain data for JSON."""
    return {
        "time": float(happening.time),
        "events": list(happening.events),
        "added": [list(atom) for atom in happening.added],
        "removed": [list(atom) for atom in happening.removed],
    }


def record(change: StepChange) -> dict[str, object]:
    """A change as plain data for JSON."""
    return {
        "step": change.step,
        "action": str(change.action),
        "added": [list(atom) for atom in change.added],
        "removed": [list(atom) for atom in change.removed],
        "cost": change.cost,
        "total": change.total,
    }


def states_along(
    domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction]
) -> tuple[syntax.State, ...]:
    """Return the states before, between and after the steps of a plan, up to the first that cannot be run."""
    steps = simulate(domain, problem, actions)
    return (PlanWorld.of(domain, problem).initial(), *(step.state for step in steps))


def objects_touched(domain: syntax.Domain, problem: syntax.Problem, actions: Sequence[GroundAction]) -> frozenset[str]:
    """Return the objects of a plan's actions, and those on which their effects depend, up to the first that fails."""
    world = PlanWorld.of(domain, problem)
    facts = Facts(world.initial())
    touched: set[str] = set()
    for step in actions:
        if world.refusal(step, facts) is not None:
            break
        touched.update(step.arguments)
        facts = world.advance(step, facts, touched)
    return frozenset(touched)


# Which actions can be run in a state, found by joins over the true atoms: nothing is grounded beforehand.
#
# A precondition is split into alternatives without ``or`` at their tops, so that each is one join that the true
# atoms lead. Worlds that are played step by step ask this after every step.


MOST_ALTERNATIVES = 64
"""A precondition with more alternatives is asked as it is."""


@dataclass(frozen=True, slots=True)
class _Schema:
    """An action's name, its parameters, and one question for each alternative of its precondition."""

    name: str
    parameters: tuple[str, ...]
    questions: tuple[StateQuestion, ...]

    @classmethod
    def of(cls, action: syntax.Action) -> _Schema:
        alternatives = _alternatives(action.precondition, True)
        if len(alternatives) > MOST_ALTERNATIVES:
            alternatives = [(action.precondition,)]
        return cls(
            action.name,
            tuple(parameter.name for parameter in action.parameters),
            tuple(StateQuestion(syntax.Exists(action.parameters, syntax.And(parts))) for parts in alternatives),
        )


_SCHEMAS: Remembered[tuple[_Schema, ...]] = Remembered()


def applicable(
    domain: syntax.Domain, universe: Universe, facts: Facts, only: str | None = None
) -> tuple[GroundAction, ...]:
    """Return the ground actions whose preconditions hold, by the domain's order, then that of the objects.

    Args:
        domain: The domain; its derived predicates must be among the facts.
        universe: The objects of the problem.
        facts: The state.
        only: The only action schema that is asked about; all by default.
    """
    schemas = _SCHEMAS.of(domain, None, lambda: tuple(map(_Schema.of, domain.actions)))
    rank = universe.rank
    found: list[GroundAction] = []
    for schema in schemas:
        if only not in (None, schema.name):
            continue
        arguments: dict[tuple[str, ...], None] = {}
        for question in schema.questions:
            for binding in question.bindings(facts, universe, {}):
                arguments[tuple(binding[name] for name in schema.parameters)] = None
        ordered = sorted(arguments, key=lambda each: tuple(rank[name] for name in each))
        found.extend(GroundAction(schema.name, each) for each in ordered)
    return tuple(found)


def _alternatives(formula: syntax.Formula, positive: bool) -> list[tuple[syntax.Formula, ...]]:
    """Return conjunctions of which one holds exactly if the formula, or its negation, holds."""
    match formula:
        case syntax.Not(operand):
            return _alternatives(operand, not positive)
        case syntax.Imply(antecedent, consequent):
            return _alternatives(syntax.Or((syntax.Not(antecedent), consequent)), positive)
        case syntax.And(operands) | syntax.Or(operands):
            parts = [_alternatives(operand, positive) for operand in operands]
            if isinstance(formula, syntax.Or) == positive:
                return [alternative for part in parts for alternative in part]
            return _products(parts)
        case _:
            return [(formula if positive else syntax.Not(formula),)]


def _products(parts: list[list[tuple[syntax.Formula, ...]]]) -> list[tuple[syntax.Formula, ...]]:
    """Return all ways to choose an alternative of each part; of too many, only as many as show that."""
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST_ALTERNATIVES:
        return [()] * (MOST_ALTERNATIVES + 1)
    return [tuple(literal for chosen in each for literal in chosen) for each in product(*parts)]
