"""The syntax tree of a BDDL activity.

Names are lower case. Terms keep their question mark as written: ``?cup.n.01`` is bound by a quantifier, and
``?cup.n.01_1`` is the object ``cup.n.01_1`` all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.pddl.syntax import Atom, Typed
from chorewright.errors import ChorewrightError

CONNECTIVES = {"and": None, "or": None, "not": 1, "imply": 2}
"""The connectives with how many conditions each takes; None for any number."""

QUANTIFIERS = {"forall": 1, "exists": 1, "forn": 1, "forpairs": 2, "fornpairs": 2}
"""The quantifiers with how many variables each binds."""

COUNTED = frozenset(["forn", "fornpairs"])
"""The quantifiers that begin with a number, ``(forn (2) (?x - t) ...)``."""

UNARY = (
    *("broken", "burnt", "cooked", "dusty", "folded", "frozen", "future", "hot", "on_fire", "open", "perished", "real"),
    *("screwed", "sliced", "soaked", "stained", "timeset", "toggled_on", "unfolded"),
)
BINARY = (
    *("attached", "contains", "covered", "draped", "filled", "grasped", "inroom", "inside", "insource", "nextto"),
    *("onfloor", "ontop", "overlaid", "saturated", "touching", "under"),
)

PREDICATES = {**dict.fromkeys(UNARY, 1), **dict.fromkeys(BINARY, 2)}
"""The predicates of both dialects, igibson's and omnigibson's, with their numbers of arguments."""


@dataclass(frozen=True, slots=True)
class Connective:
    """``(and C ...)``, ``(or C ...)``, ``(not C)``, ``(imply C D)``."""

    word: str
    operands: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Quantified:
    """A quantifier over the objects declared with exactly the named synset.

    Attributes:
        word: One of ``QUANTIFIERS``.
        variables: One, or two for pairs; each has one type.
        body: What is said of them.
        count: The number of ``COUNTED`` quantifiers.
    """

    word: str
    variables: tuple[Typed, ...]
    body: Condition
    count: int | None = None


Condition: TypeAlias = Atom | Connective | Quantified


@dataclass(frozen=True, slots=True)
class ActivityLiteral:
    """An atom of the initial state, or its negation."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Activity:
    """A BDDL problem.

    Attributes:
        name: As in ``(problem NAME)``.
        domain: ``igibson`` or ``omnigibson``, or whatever the file says.
        objects: The instances, each with one synset as its type, as the file lists them; one may be listed twice.
        init: The initial state.
        goal: The goal.
        unread: Conditions behind the goal in ``(:goal GOAL ...)``; BEHAVIOR's own reader leaves them out.
        path: The file.
        remarks: What is odd in the file but no error.
    """

    name: str
    domain: str
    objects: tuple[Typed, ...]
    init: tuple[ActivityLiteral, ...]
    goal: Condition
    unread: tuple[Condition, ...] = ()
    path: str | None = field(default=None, compare=False)
    remarks: tuple[ChorewrightError, ...] = field(default=(), compare=False)

    def instances(self, synset: str) -> tuple[str, ...]:
        """Return the objects declared with exactly this synset."""
        return tuple(dict.fromkeys(each.name for each in self.objects if each.types == (synset,)))

    def synsets(self) -> tuple[str, ...]:
        """Return the synsets of the objects, in order, each once."""
        return tuple(dict.fromkeys(each.types[0] for each in self.objects))

    def synset_of(self, name: str) -> str:
        """Return the synset of an object.

        Raises:
            KeyError: There is no such object.
        """
        for each in self.objects:
            if each.name == name:
                return each.types[0]
        raise KeyError(name)


def constant(term: str) -> str:
    """Return a term without its question mark."""
    return term.removeprefix("?")


def atoms_of(condition: Condition) -> Iterator[Atom]:
    """Yield the atoms of a condition as written, from left to right."""
    match condition:
        case Atom():
            yield condition
        case Connective(operands=operands):
            for each in operands:
                yield from atoms_of(each)
        case Quantified(body=body):
            yield from atoms_of(body)
