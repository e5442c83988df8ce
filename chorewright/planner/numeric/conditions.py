"""Ground conditions: quantifiers and what never changes are evaluated away; the rest is bits, bounds and choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chorewright.domains.facts import Universe
from chorewright.domains.pddl.counting import expanded
from chorewright.domains.pddl.syntax import (
    And,
    Atom,
    Comparison,
    Equals,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
)
from chorewright.planner.interference import bindings
from chorewright.planner.numeric.expressions import Constant, Ground, Operation, Reader, ground_expression, linear
from chorewright.planner.numeric.task import ALWAYS, Bound, Condition

_NEGATED = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}


@dataclass(slots=True)
class ConditionMaker:
    """Makes conditions of formulas.

    Attributes:
        universe: The objects.
        bit: Gives the bit of an atom that changes, or whether it always holds.
        reader: Gives what stands for a fluent.
        bounds: The numeric conditions so far, by number.
    """

    universe: Universe
    bit: Callable[[GroundAtom], int | bool]
    reader: Reader
    bounds: dict[Bound, int] = field(default_factory=dict)

    def condition(self, formula: Formula, binding: Mapping[str, str]) -> Condition | None:
        """Return the condition that a formula is under a binding; None if it never holds."""
        return self._made(expanded(formula), dict(binding), wanted=True)

    def _made(self, formula: Formula, env: dict[str, str], wanted: bool) -> Condition | None:
        match formula:
            case Atom(predicate, terms):
                return self._literal((predicate, *[env.get(term, term) for term in terms]), wanted)
            case Equals(left, right):
                return ALWAYS if (env.get(left, left) == env.get(right, right)) == wanted else None
            case Comparison():
                return self._comparison(formula, env, wanted)
            case Not(operand):
                return self._made(operand, env, not wanted)
            case Imply(antecedent, consequent):
                return self._made(Or((Not(antecedent), consequent)), env, wanted)
            case And(operands) | Or(operands):
                parts = [self._made(operand, env, wanted) for operand in operands]
                return conjoin(parts) if isinstance(formula, And) == wanted else disjoin(parts)
            case Forall(variables, body) | Exists(variables, body):
                found = [self._made(body, {**env, **inner}, wanted) for inner in bindings(variables, self.universe)]
                return conjoin(found) if isinstance(formula, Forall) == wanted else disjoin(found)
            case _:
                raise AssertionError(formula)

    def _literal(self, atom: GroundAtom, wanted: bool) -> Condition | None:
        bit = self.bit(atom)
        if isinstance(bit, bool):
            return ALWAYS if bit == wanted else None
        return Condition(true=1 << bit) if wanted else Condition(false=1 << bit)

    def _comparison(self, formula: Comparison, env: dict[str, str], wanted: bool) -> Condition | None:
        left = ground_expression(formula.left, env, self.reader)
        right = ground_expression(formula.right, env, self.reader)
        if left is None or right is None:
            return None if wanted else ALWAYS
        if formula.operator == "=":
            sides = [self._bound(left, right, strict=not wanted), self._bound(right, left, strict=not wanted)]
            return conjoin(sides) if wanted else disjoin(sides)
        operator = formula.operator if wanted else _NEGATED[formula.operator]
        if operator.startswith("<"):
            left, right = right, left
        return self._bound(left, right, strict=len(operator) == 1)

    def _bound(self, greater: Ground, less: Ground, strict: bool) -> Condition | None:
        expression: Ground = Operation("-", (greater, less))
        form = linear(expression)
        if form is not None and not form.weights:
            expression = Constant(form.constant)
        found = Bound(expression, form, strict)
        if isinstance(expression, Constant):
            return ALWAYS if found.holds(()) else None
        return Condition(bounds=(self.bounds.setdefault(found, len(self.bounds)),))


def conjoin(parts: list[Condition | None]) -> Condition | None:
    """Return the conjunction of conditions; None stands for one that never holds."""
    true = false = 0
    bounds: dict[int, None] = {}
    choices: list[tuple[Condition, ...]] = []
    for part in parts:
        if part is None:
            return None
        true |= part.true
        false |= part.false
        bounds.update(dict.fromkeys(part.bounds))
        choices += part.choices
    if true & false:
        return None
    found = Condition(true, false, tuple(bounds), tuple(dict.fromkeys(choices)))
    return ALWAYS if found == ALWAYS else found


def disjoin(parts: list[Condition | None]) -> Condition | None:
    """Return the disjunction of conditions; None stands for one that never holds."""
    known = tuple(dict.fromkeys(part for part in parts if part is not None))
    if not known or ALWAYS in known:
        return ALWAYS if known else None
    return known[0] if len(known) == 1 else Condition(choices=(known,))
