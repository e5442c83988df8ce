"""The syntax tree of PDDL 3.0: ADL, numbers, durations, costs, derived predicates, timed literals, constraints.

Names are lower case, because PDDL is case-insensitive. Variables keep their question mark. Every node that an
error may point at has its source position. Equality ignores positions, so that ``parse(write(x)) == x``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

GroundAtom: TypeAlias = tuple[str, ...]
"""A ground atom as plain data: the predicate's name, then the objects' names."""

State: TypeAlias = frozenset[GroundAtom]
"""The true ground atoms; everything else is false."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a source text, line and column from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Typed:
    """A variable, object or type with the types it is declared with; several mean ``either``."""

    name: str
    types: tuple[str, ...] = ("object",)
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Atom:
    """``(predicate term ...)``; a term that starts with ``?`` is a variable."""

    predicate: str
    terms: tuple[str, ...]
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equals:
    """``(= left right)`` between terms."""

    left: str
    right: str
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: Formula


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction; with no operands it is true."""

    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction; with no operands it is false."""

    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Imply:
    antecedent: Formula
    consequent: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    variables: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    variables: tuple[Typed, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``count`` different bindings of the variables satisfy the body.

    An extension of ours, written ``(at-least n (?x - type) body)``; the PDDL writer expands it.
    """

    count: int
    variables: tuple[Typed, ...]
    body: Formula
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FunctionTerm:
    """``(function term ...)`` in an expression, a metric or an initial value; ``?duration`` without terms, too."""

    function: str
    terms: tuple[str, ...]
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``(operator operand ...)`` with ``+``, ``-``, ``*`` or ``/``; with one operand, ``-`` is its negative."""

    operator: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = float | FunctionTerm | Arithmetic


@dataclass(frozen=True, slots=True)
class Comparison:
    """``(operator left right)`` between numbers, with ``<``, ``<=``, ``=``, ``>=`` or ``>``.

    It is false where a value is undefined.
    """

    operator: str
    left: Expression
    right: Expression
    position: Position | None = field(default=None, compare=False, repr=False)


Formula: TypeAlias = Atom | Equals | Comparison | Not | And | Or | Imply | Forall | Exists | AtLeast

TRUE = And(())
FALSE = Or(())


TOTAL_COST = "total-cost"
"""The usual name of the function that adds up the costs of actions."""

TOTAL_TIME = "total-time"
"""The duration of a plan, as metrics name it; without durative actions, its number of steps."""

VIOLATIONS = "is-violated"
"""How often a preference is violated, as metrics name it: ``(is-violated name)``."""

DURATION = "?duration"
"""The duration of a durative action, as its expressions name it."""


@dataclass(frozen=True, slots=True)
class AddEffect:
    atom: Atom


@dataclass(frozen=True, slots=True)
class DeleteEffect:
    atom: Atom


@dataclass(frozen=True, slots=True)
class AndEffect:
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class ForallEffect:
    variables: tuple[Typed, ...]
    effect: Effect


@dataclass(frozen=True, slots=True)
class WhenEffect:
    condition: Formula
    effect: Effect


TRAJECTORIES = {
    "always": (0, 1),
    "sometime": (0, 1),
    "at-most-once": (0, 1),
    "sometime-after": (0, 2),
    "sometime-before": (0, 2),
    "within": (1, 1),
    "hold-after": (1, 1),
    "always-within": (1, 2),
    "hold-during": (2, 1),
}
"""Each kind of trajectory constraint with how many numbers and conditions it takes."""


@dataclass(frozen=True, slots=True)
class IncreaseCost:
    """``(increase (function term ...) amount)`` by a number or a static function; mostly of ``total-cost``."""

    amount: float | FunctionTerm
    position: Position | None = field(default=None, compare=False, repr=False)
    function: str = TOTAL_COST
    terms: tuple[str, ...] = ()

    @property
    def operator(self) -> str:
        return "increase"

    @property
    def target(self) -> FunctionTerm:
        return FunctionTerm(self.function, self.terms, self.position)


@dataclass(frozen=True, slots=True)
class ChangeNumber:
    """``(operator target amount)``: assign, increase, decrease, scale-up or scale-down; no plain cost."""

    operator: str
    target: FunctionTerm
    amount: Expression


Effect: TypeAlias = AddEffect | DeleteEffect | AndEffect | ForallEffect | WhenEffect | IncreaseCost | ChangeNumber


@dataclass(frozen=True, slots=True)
class Signature:
    """A declared predicate or function: its name and typed parameters."""

    name: str
    parameters: tuple[Typed, ...]
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the states that a plan goes through, for each value of its variables.

    Attributes:
        kind: ``always``, ``sometime``, ..., ``at end``; ``now`` for a preference in a precondition.
        conditions: What it is about: one condition, or two (``sometime-after one other``).
        times: Its numbers: ``within 5``.
        variables: There is one constraint for each of their values.
        shared: It must hold for all their values, and is violated once at most.
        preference: The name under which the metric counts violations; None if a plan must satisfy it.
        position: Where it stands.
        is_of_goal: Whether it stands in the goal.
    """

    kind: str
    conditions: tuple[Formula, ...]
    times: tuple[float, ...] = ()
    variables: tuple[Typed, ...] = ()
    shared: tuple[Typed, ...] = ()
    preference: str | None = None
    position: Position | None = field(default=None, compare=False, repr=False)
    is_of_goal: bool = False


@dataclass(frozen=True, slots=True)
class TimedLiteral:
    """``(at time literal)`` in ``:init``: what becomes true or false, or a number's value, by itself."""

    time: float
    effect: Effect


@dataclass(frozen=True, slots=True)
class Action:
    """An action; ``preferences`` are those of its precondition, of the kind ``now``."""

    name: str
    parameters: tuple[Typed, ...]
    precondition: Formula
    effect: Effect
    position: Position | None = field(default=None, compare=False, repr=False)
    preferences: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class TimedCondition:
    """A condition of a durative action ``at start``, ``over all`` or ``at end``."""

    time: str
    condition: Formula


@dataclass(frozen=True, slots=True)
class TimedEffect:
    """An effect of a durative action ``at start`` or ``at end``, for all values of variables, under conditions."""

    time: str
    effect: Effect
    variables: tuple[Typed, ...] = ()
    conditions: tuple[TimedCondition, ...] = ()


@dataclass(frozen=True, slots=True)
class DurativeAction:
    """``(:durative-action ...)``; ``durations`` are comparisons of ``?duration``, ``at start`` or ``at end``."""

    name: str
    parameters: tuple[Typed, ...]
    durations: tuple[TimedCondition, ...]
    conditions: tuple[TimedCondition, ...]
    effects: tuple[TimedEffect, ...]
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Axiom:
    """``(:derived (predicate parameters) body)``."""

    head: Signature
    body: Formula
    position: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Domain:
    """A checked PDDL domain. ``types`` are declared types with their parents, ``object`` left out."""

    name: str
    requirements: tuple[str, ...]
    types: tuple[Typed, ...]
    constants: tuple[Typed, ...]
    predicates: tuple[Signature, ...]
    functions: tuple[Signature, ...]
    axioms: tuple[Axiom, ...]
    actions: tuple[Action, ...]
    path: str | None = field(default=None, compare=False)
    durative_actions: tuple[DurativeAction, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @property
    def all_actions(self) -> tuple[Action | DurativeAction, ...]:
        """The actions without and with duration."""
        return (*self.actions, *self.durative_actions)

    def action(self, name: str) -> Action:
        """Return an action by its name.

        Raises:
            KeyError: There is none of this name.
        """
        for each in self.actions:
            if each.name == name:
                return each
        raise KeyError(name)


class FunctionValue(NamedTuple):
    """``(= (function object ...) value)`` in ``:init``."""

    function: str
    objects: tuple[str, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Metric:
    """``(:metric minimize expression)`` or ``maximize``, where it is more than the cost of actions."""

    direction: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Problem:
    """A checked PDDL problem. ``objects`` leaves out the domain's constants.

    ``init`` keeps the file's order without repetitions; ``minimize_cost`` says whether a ``:metric`` asks to
    minimise the function ``cost_function``, which has no parameters. Any other metric is ``metric``. ``constraints``
    begin with the preferences of the goal.
    """

    name: str
    domain: str
    objects: tuple[Typed, ...]
    init: tuple[GroundAtom, ...]
    values: tuple[FunctionValue, ...]
    goal: Formula
    minimize_cost: bool = False
    cost_function: str = TOTAL_COST
    path: str | None = field(default=None, compare=False)
    metric: Metric | None = None
    constraints: tuple[Constraint, ...] = ()
    timed: tuple[TimedLiteral, ...] = ()
