"""What must hold, and what is preferred to, in the states that a plan goes through: PDDL 3.0's constraints.

Each constraint looks at the initial state and at each state after something happened, with its time, as VAL does
(Gerevini and Long, "Plan constraints and preferences in PDDL3", 2005).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from chorewright.domains.facts import Facts, Number, Universe, exact
from chorewright.domains.formulas import condition_text, holds
from chorewright.domains.pddl import syntax
from chorewright.domains.rewriting import substitute

CLOCKED = frozenset(("within", "always-within", "hold-during", "hold-after"))
"""The kinds that depend on times."""


def constraints_of(domain: syntax.Domain, problem: syntax.Problem) -> tuple[syntax.Constraint, ...]:
    """Return the constraints of a domain and of a problem, without the preferences of preconditions."""
    return (*domain.constraints, *problem.constraints)


@dataclass(slots=True)
class _Monitor:
    """One constraint for one value of its variables, and what has been seen of it.

    Attributes:
        constraint: The constraint.
        binding: The values of its variables.
        failed: Whether it is violated.
        seen: ``sometime``, ``within``: its condition has held; ``at-most-once``: it holds now;
            ``sometime-before``: the second has held.
        over: ``at-most-once``: it has held and ceased to.
        due: By when ``always-within`` must hold; by any time for ``sometime-after``.
    """

    constraint: syntax.Constraint
    binding: Mapping[str, str]
    failed: bool = False
    seen: bool = False
    over: bool = False
    due: list[Number] = field(default_factory=list)

    def look(self, facts: Facts, universe: Universe, now: Number) -> None:
        """Look at the state from a time on."""
        one, *more = (holds(each, facts, universe, self.binding) for each in self.constraint.conditions)
        times = [exact(each) for each in self.constraint.times]
        match self.constraint.kind:
            case "always":
                self.failed |= not one
            case "hold-after":
                self.failed |= now >= times[0] and not one
            case "hold-during":
                self.failed |= times[0] <= now < times[1] and not one
            case "sometime":
                self.seen |= one
            case "within":
                self.failed |= now > times[0] and not self.seen
                self.seen |= one
            case "at-most-once":
                self.over |= self.seen and not one
                self.failed |= self.over and one
                self.seen = one
            case "sometime-after":
                self.due = [] if more[0] else [now] if one else self.due
            case "sometime-before":
                self.failed |= one and not self.seen
                self.seen |= more[0]
            case "always-within":
                self.due += [now + times[0]] if one else []
                self.failed |= any(now > due for due in self.due)
                self.due = [] if more[0] else self.due
            case _:
                self.seen = one  # at end: the last state decides

    def end(self) -> None:
        """Say that no state follows."""
        if self.constraint.kind in ("sometime", "within", "at end"):
            self.failed |= not self.seen
        self.failed |= bool(self.due)


@dataclass(slots=True)
class _Group:
    """The monitors of a constraint that are violated together."""

    constraint: syntax.Constraint
    monitors: list[_Monitor]
    counted: bool = False

    def broken(self) -> _Monitor | None:
        """Return what is violated, the first time."""
        if self.counted:
            return None
        found = next((each for each in self.monitors if each.failed), None)
        self.counted = found is not None
        return found


class PlanTrajectory:
    """The states of a plan as its constraints see them."""

    def __init__(self, domain: syntax.Domain, problem: syntax.Problem, universe: Universe) -> None:
        self._universe = universe
        self._groups = list(_groups(constraints_of(domain, problem), universe))
        self.preferences = {action.name: action.preferences for action in domain.actions if action.preferences}
        self.violations: Counter[str] = Counter()

    def look(self, facts: Facts, now: Number) -> str | None:
        """Look at the state from a time on; return the constraint that it violates, if it must not."""
        for group in self._groups:
            for monitor in group.monitors:
                if not monitor.failed:
                    monitor.look(facts, self._universe, now)
        return self._count()

    def end(self) -> str | None:
        """Say that no state follows; return the constraint that is violated, if it must not."""
        for group in self._groups:
            for monitor in group.monitors:
                monitor.end()
        return self._count()

    def run(self, action: str, facts: Facts, binding: Mapping[str, str]) -> None:
        """Count the preferences that the precondition of an action violates, which is run in a state."""
        for each in self.preferences.get(action, ()):
            for more in self._universe.bindings(each.variables):
                if not holds(each.conditions[0], facts, self._universe, {**binding, **more}):
                    self.violations[each.preference or ""] += 1

    def _count(self) -> str | None:
        serious = None
        for group in self._groups:
            if (monitor := group.broken()) is None:
                continue
            if group.constraint.preference is None:
                serious = serious or constraint_text(ground_constraint(monitor.constraint, monitor.binding))
            else:
                self.violations[group.constraint.preference] += 1
        return serious


def _groups(constraints: Iterable[syntax.Constraint], universe: Universe) -> Iterator[_Group]:
    for each in constraints:
        for binding in universe.bindings(each.variables):
            inner = [{**binding, **more} for more in universe.bindings(each.shared)]
            yield _Group(each, [_Monitor(each, values) for values in inner])


def ground_constraint(constraint: syntax.Constraint, binding: Mapping[str, str]) -> syntax.Constraint:
    """Return a constraint for one value of its variables."""
    conditions = tuple(substitute(each, binding) for each in constraint.conditions)
    return replace(constraint, conditions=conditions, variables=(), shared=())


def constraint_text(constraint: syntax.Constraint) -> str:
    """Return a constraint without variables as PDDL."""
    words = [constraint.kind, *(f"{time:g}" for time in constraint.times), *map(condition_text, constraint.conditions)]
    return f"({' '.join(words)})"
