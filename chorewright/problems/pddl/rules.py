"""Problem templates as values: how many objects there are, and the rules by which starts and goals are drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TypeAlias

import numpy as np

from chorewright.domains.pddl.grammar import number, show
from chorewright.domains.pddl.scopes import Symbols
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.syntax import Atom, Formula, Position, Signature, Typed
from chorewright.files.english import did_you_mean


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
class ObjectCount:
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
    """A condition of the goal that is no literal; functions stand for the template's numbers."""

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
    """The rules with a number that is drawn once for them, rounded down if it is to be ``whole``."""

    name: str
    amount: Expression
    body: tuple[Rule, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    """The rules for each object of the first variable, with an object of the second that no other has."""

    first: Typed
    second: Typed
    body: tuple[Rule, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PlaceShape:
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


Rule: TypeAlias = Put | SetValue | Demand | ForEach | Choose | Weighted | Chance | Repeat | Let | Match | PlaceShape


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
    objects: tuple[ObjectCount, ...]
    scratch: tuple[Signature, ...]
    init: tuple[Rule, ...]
    goal: tuple[Rule, ...]
    require: tuple[tuple[str, Formula], ...] = ()
    minimize: str = ""
    bands: tuple[Band, ...] = ()
    path: str | None = field(default=None, compare=False)


# Shapes: which places of a line, ring, grid, tree or graph are neighbours.


Edge = tuple[int, int]

STEPS = {"right": (1, 0), "left": (-1, 0), "down": (0, 1), "up": (0, -1)}
"""Directions in a grid; places are numbered by rows from the upper left corner."""

SIDES = (*STEPS, "beside")


def edges(kind: str, side: str, count: int, numbers: tuple[float, ...], rng: np.random.Generator) -> list[Edge]:
    """Return the pairs of neighbours among ``count`` places.

    Args:
        kind: ``line``, ``ring``, ``pairs``, ``grid``, ``tree`` or ``graph``.
        side: In a grid the direction from the first place to the second; else ``each``.
        count: How many places there are.
        numbers: Width and height of a grid, the probability of a graph's further edges.
        rng: Draws trees and graphs.
    """
    match kind:
        case "line":
            return list(pairwise(range(count)))
        case "ring":
            return [*pairwise(range(count)), *([(count - 1, 0)] if count > 2 else [])]
        case "pairs":
            return list(combinations(range(count), 2))
        case "grid":
            return list(_grid(side, int(numbers[0]), int(numbers[1])))
        case "tree":
            return _tree(count, rng)
        case "graph":
            return _graph(count, numbers[0], rng)
        case _:
            raise ValueError(f"there is no shape {kind!r}")


def _grid(side: str, width: int, height: int) -> Iterator[Edge]:
    for place in range(width * height):
        x, y = place % width, place // width
        for name, (dx, dy) in STEPS.items():
            if side in (name, "beside") and 0 <= x + dx < width and 0 <= y + dy < height:
                yield place, place + dx + dy * width


def _tree(count: int, rng: np.random.Generator) -> list[Edge]:
    """A random recursive tree over the places in a random order: (parent, child)."""
    order = [int(each) for each in rng.permutation(count)]
    return [(order[int(rng.integers(place))], order[place]) for place in range(1, count)]


def _graph(count: int, probability: float, rng: np.random.Generator) -> list[Edge]:
    """A connected graph: a random tree, and each other pair with the probability; each edge once."""
    tree = {(min(edge), max(edge)) for edge in _tree(count, rng)}
    drawn = rng.random(count * (count - 1) // 2)
    return [
        pair for pair, x in zip(combinations(range(count), 2), drawn, strict=True) if pair in tree or x < probability
    ]


# Numbers in problem templates: constants, the template's own numbers, counts, and arithmetic.


OPERATIONS = {"+": 2, "-": 1, "*": 2, "/": 2, "min": 1, "max": 1, "random": 2, "count": 1}
"""The operations with the least number of operands."""

ZERO = Expression("constant")


def constant(value: float) -> Expression:
    """Return a number that is always the same."""
    return Expression("constant", value)


def number_function(name: str) -> str:
    """Return the function that stands for a number of the template, ``?n``, in conditions: no domain has its name."""
    return f"N{name[1:]}"


def read_expression(item: Item, numbers: Collection[str], symbols: Symbols, findings: Findings) -> Expression:
    """Read a number: ``3``, ``?n``, ``(* ?w ?h)``, ``(random 1 6)``, ``(count block)``."""
    if isinstance(item, Word):
        value = number(item.text)
        if value is not None:
            return constant(value)
        if item.text in numbers:
            return Expression("number", name=item.text)
        hint = did_you_mean(item.text, numbers) or "declare numbers in (:numbers (?n 2 5))"
        findings.error(item.offset, f"a number is expected here, not '{item.text}'", hint)
        return ZERO
    if not isinstance(item, Form) or item.head not in OPERATIONS:
        hint = f"operations are {', '.join(OPERATIONS)}"
        findings.error(item.offset, f"a number is expected here, not '{show(item)}'", hint)
        return ZERO
    rest = item.items[1:]
    if item.head == "count":
        if len(rest) != 1 or not isinstance(rest[0], Word) or rest[0].text not in symbols.types:
            findings.error(item.offset, "'count' takes the name of a type", "for example (count block)")
            return ZERO
        return Expression("count", name=rest[0].text)
    least, most = OPERATIONS[item.head], 2 if item.head in ("/", "random") else len(rest)
    if not least <= len(rest) <= most:
        findings.error(item.offset, f"'{item.head}' takes {least} numbers{'' if most == 2 else ' or more'}")
        return ZERO
    parts = tuple(read_expression(each, numbers, symbols, findings) for each in rest)
    return Expression(item.head, operands=parts)


def read_numbers(
    items: tuple[Item, ...], symbols: Symbols, findings: Findings, known: Collection[str] | None = None
) -> tuple[NumberRange, ...]:
    """Read ``(?n 3 6) (?m ?n) ...``.

    Args:
        items: The lists.
        symbols: The domain's.
        findings: Where errors go.
        known: For a band, the numbers that it may replace; else each is a new one.
    """
    found: list[NumberRange] = []
    for item in items:
        words = item.items if isinstance(item, Form) else ()
        if not 2 <= len(words) <= 3 or not isinstance(words[0], Word) or not words[0].text.startswith("?"):
            message = f"a number with its lowest and highest value is expected here, not '{show(item)}'"
            findings.error(item.offset, message, "write (?n 3 6)")
            continue
        name = words[0].text
        if known is not None and name not in known:
            hint = did_you_mean(name, known)
            findings.error(words[0].offset, f"the template has no number '{name}'", hint)
        if name in {each.name for each in found}:
            findings.error(words[0].offset, f"the number '{name}' is given twice")
        usable = [each.name for each in found] if known is None else known
        low = read_expression(words[1], usable, symbols, findings)
        high = read_expression(words[2], usable, symbols, findings) if len(words) > 2 else low
        if low.op == high.op == "constant" and (high.value < low.value or low.value < 0):
            findings.error(words[1].offset, f"no number is from {low.value:g} to {high.value:g}")
        found.append(NumberRange(name, low, high))
    return tuple(found)
