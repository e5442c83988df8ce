"""Problem templates as values: how many objects there are, and the rules by which starts and goals are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.pddl.syntax import Atom, Formula, Position, Signature, Typed


@dataclass(frozen=True, slots=True)
class Expression:
    """A number: a constant, a number of the template (``?n``), or an operation on others.

    Attributes:
        op: ``constant``, ``number``, ``count`` (the objects of a type), ``random``, ``+``, ``-``, ``*``, ``/``,
            ``min`` or ``max``.
        value: Of a constant.
        name: Of a number or a type.
        operands: Of an operation; the lowest and the highest number of ``random``.
    """

    op: str
    value: float = 0.0
    name: str = ""
    operands: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A number of the template, drawn from low to high, both included."""

    name: str
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Objects:
    """Objects of a type: so many, called by the prefix and a number from 1; or named ones."""

    type: str
    low: Expression | None = None
    high: Expression | None = None
    prefix: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """An atom becomes true, or false."""

    atom: Atom
    adds: bool


@dataclass(frozen=True, slots=True)
class SetValue:
    """A function gets a value."""

    function: str
    terms: tuple[str, ...]
    amount: Expression


@dataclass(frozen=True, slots=True)
class Demand:
    """A condition of the goal that is no literal."""

    formula: Formula


@dataclass(frozen=True, slots=True)
class ForEach:
    """The rules for all objects for which the condition holds."""

    variables: tuple[Typed, ...]
    where: Formula | None
    body: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """The rules for some objects, drawn at random among those for which the condition holds.

    The variables stand for different objects.
    """

    low: Expression
    high: Expression
    variables: tuple[Typed, ...]
    where: Formula | None
    body: tuple[Rule, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Weighted:
    """One of several lists of rules, each as likely as its weight says; none that has nothing to choose from."""

    weights: tuple[float, ...]
    bodies: tuple[tuple[Rule, ...], ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """The rules with a probability, from 0 to 1."""

    probability: float
    body: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The rules so many times."""

    count: Expression
    body: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """The rules with a number that is drawn once for them."""

    name: str
    amount: Expression
    body: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """The rules for each object of the first variable, with an object of the second that no other has."""

    first: Typed
    second: Typed
    body: tuple[Rule, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """The rules for the neighbours in a line, ring, grid, tree or graph of all objects of a type.

    Attributes:
        kind: ``line``, ``ring``, ``pairs``, ``grid``, ``tree`` or ``graph``.
        variables: Two neighbours.
        numbers: Width and height of a grid, or the probability of a graph's further edges.
        bodies: Which neighbours, with their rules: ``right``, ``left``, ``up``, ``down`` and ``beside`` in a grid,
            ``each`` in others.
    """

    kind: str
    variables: tuple[Typed, Typed]
    numbers: tuple[Expression, ...]
    bodies: tuple[tuple[str, tuple[Rule, ...]], ...]
    position: Position | None = field(default=None, compare=False)


Rule: TypeAlias = Put | SetValue | Demand | ForEach | Choose | Weighted | Chance | Repeat | Let | Match | Shape


@dataclass(frozen=True, slots=True)
class Band:
    """A range of costs with a name; ``numbers`` replace the template's for problems of this band.

    ``high`` is infinite where there is no upper end.
    """

    name: str
    low: float
    high: float
    numbers: tuple[NumberRange, ...] = ()

    def includes(self, cost: float) -> bool:
        """Whether a cost is in the band."""
        return self.low <= cost <= self.high

    def __str__(self) -> str:
        if self.high == float("inf"):
            return f"{self.name} (from {self.low:g})"
        return f"{self.name} ({self.low:g} to {self.high:g})"


@dataclass(frozen=True, slots=True)
class ProblemTemplate:
    """A template from which problems of a domain are drawn.

    Attributes:
        name: What it is called.
        domain: The name of its domain.
        documentation: What its problems are like.
        numbers: Its numbers, in the order in which they are drawn.
        objects: Its objects.
        scratch: Predicates of its own, for its conditions; no problem has them.
        init: The rules of the start.
        goal: The rules of the goal.
        require: What must hold at the start; other draws are rejected.
        minimize: The function by which plans are compared; empty for their length.
        bands: Bands of difficulty.
    """

    name: str
    domain: str
    documentation: str
    numbers: tuple[NumberRange, ...]
    objects: tuple[Objects, ...]
    scratch: tuple[Signature, ...]
    init: tuple[Rule, ...]
    goal: tuple[Rule, ...]
    require: tuple[tuple[str, Formula], ...] = ()
    minimize: str = ""
    bands: tuple[Band, ...] = ()
    path: str | None = field(default=None, compare=False)
