"""The syntax tree of a BDDL activity, and its conditions as first-order formulas.

Names are lower case. Terms keep their question mark as written: ``?cup.n.01`` is bound by a quantifier, and
``?cup.n.01_1`` is the object ``cup.n.01_1`` all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Equals, Exists, Forall, Formula, Imply, Not, Or, Typed
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


# BDDL's conditions as first-order formulas: what they mean, and what the planner is given.
#
# * A quantifier ranges over the objects declared with exactly its synset, so its variable's type is that synset.
# * ``forn`` is exact: at least n, and not at least n + 1.
# * ``forpairs`` is no matching. With L the smaller number of objects, at least L of the first have some partner that
#   satisfies the body, and at least L of the second have one; a thing is not its own partner. ``fornpairs`` says n
#   for L.


# BDDL's names as PDDL's and back: PDDL names have no dots and no asterisks.
#
# ``cup.n.01`` becomes ``cup-n-01`` and its instance ``cup.n.01_2`` becomes ``cup-n-01_2``. The asterisk of
# ``cup.n.01_*``, which stands for all further instances, becomes ``any``.


_DOTTED = re.compile(r"(.+)\.([a-z])\.(\d+)(?:_(\d+|\*))?\Z")
_DASHED = re.compile(r"(.+)-([a-z])-(\d+)(?:_(\d+|any))?\Z")


def pddl_name(name: str) -> str:
    """Return a BDDL name as a PDDL name; names without dots, as of rooms, stay as they are."""
    match = _DOTTED.match(name)
    if match is None:
        return name
    word, part, sense, number = match.groups()
    instance = "" if number is None else "_any" if number == "*" else f"_{number}"
    return f"{word}-{part}-{sense}{instance}"


def bddl_name(name: str) -> str:
    """Return the BDDL name that ``pddl_name`` makes this name of."""
    match = _DASHED.match(name)
    if match is None:
        return name
    word, part, sense, number = match.groups()
    instance = "" if number is None else "_*" if number == "any" else f"_{number}"
    return f"{word}.{part}.{sense}{instance}"


def synset_word(synset: str) -> str:
    """Return the word of a synset, ``jelly jar`` of ``jelly__jar.n.01``."""
    match = _DOTTED.match(synset)
    return (match.group(1) if match else synset).replace("__", " ").replace("_", " ")


AtomRewriter = Callable[[Atom], Formula]
"""What an atom, in PDDL's names, becomes in the domain that is planned in."""


def _same(atom: Atom) -> Formula:
    return atom


def lower_condition(condition: Condition, activity: Activity, rewrite: AtomRewriter = _same) -> Formula:
    """Return a condition of an activity as a formula over PDDL names (``names.pddl_name``).

    Args:
        condition: The goal, or a part of it without free variables.
        activity: Whose objects the quantifiers range over.
        rewrite: Puts a domain's own formula in place of an atom.
    """
    return _lower(condition, activity, rewrite, frozenset())


def _lower(condition: Condition, activity: Activity, rewrite: AtomRewriter, bound: frozenset[str]) -> Formula:
    match condition:
        case Atom(predicate, terms):
            return rewrite(
                Atom(predicate, tuple(pddl_name(each if each in bound else each.removeprefix("?")) for each in terms))
            )
        case Connective("and", operands):
            return And(tuple(_lower(each, activity, rewrite, bound) for each in operands))
        case Connective("or", operands):
            return Or(tuple(_lower(each, activity, rewrite, bound) for each in operands))
        case Connective("not", (operand,)):
            return Not(_lower(operand, activity, rewrite, bound))
        case Connective("imply", (first, second)):
            return Imply(_lower(first, activity, rewrite, bound), _lower(second, activity, rewrite, bound))
        case Quantified():
            return _read_quantifier(condition, activity, rewrite, bound)
    raise ValueError(f"not a condition: {condition!r}")


def _read_quantifier(
    condition: Quantified, activity: Activity, rewrite: AtomRewriter, bound: frozenset[str]
) -> Formula:
    inner = bound | {each.name for each in condition.variables}
    body = _lower(condition.body, activity, rewrite, inner)
    variables = tuple(Typed(pddl_name(each.name), (pddl_name(each.types[0]),)) for each in condition.variables)
    count = condition.count or 0
    if condition.word == "forall":
        return Forall(variables, body)
    if condition.word == "exists":
        return Exists(variables, body)
    if condition.word == "forn":
        return And((_at_least(count, variables[0], body), Not(AtLeast(count + 1, variables, body))))
    if condition.word == "forpairs":
        count = min(len(activity.instances(each.types[0])) for each in condition.variables)
    first, second = variables
    paired = And((Not(Equals(first.name, second.name)), body))
    return And((_at_least(count, first, Exists((second,), paired)), _at_least(count, second, Exists((first,), paired))))


def _at_least(count: int, variable: Typed, body: Formula) -> Formula:
    return AtLeast(count, (variable,), body) if count else And(())
