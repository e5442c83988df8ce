"""What the steps of a plan change, and which objects that depends on: the verbose side of the validator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chorewright.domains.facts import atom_text
from chorewright.domains.formulas import Facts
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import PlanWorld, simulate


@dataclass(frozen=True, slots=True)
class StepChange:
    """One step that could be run, counted from 1: what it adds and removes (sorted), what it costs, and the
    cost so far."""

    step: int
    action: GroundAction
    added: tuple[GroundAtom, ...]
    removed: tuple[GroundAtom, ...]
    cost: float
    total: float


def changes(domain: Domain, problem: Problem, actions: Sequence[GroundAction]) -> Iterator[StepChange]:
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
    for mark, atoms in (("+", change.added), ("-", change.removed)):
        for atom in atoms:
            yield f"     {mark} {atom_text(atom)}"


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


def objects_touched(domain: Domain, problem: Problem, actions: Sequence[GroundAction]) -> frozenset[str]:
    """Return the objects of a plan's actions, and those on which their effects depend, up to the first that fails."""
    world = PlanWorld.of(domain, problem)
    state = world.initial()
    touched: set[str] = set()
    for step in actions:
        facts = Facts(state)
        if world.refusal(step, facts) is not None:
            break
        touched.update(step.arguments)
        deleted, added = world.effects(step, facts, touched, atoms_only=True)
        state = world.closed((state - deleted) | added)
    return frozenset(touched)
