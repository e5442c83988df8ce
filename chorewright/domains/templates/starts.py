"""What a template says of the start: how many things there are, where they lie, what state they are in.

``(:start RULE ...)``: a rule is a count (``(at-least 2 bowl)``), a place (``(in roll floor)``), a state
(``(not (is-open box))``), a number of other things (``(distractors 0 2)``), or a formula that must hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chorewright.domains.evaluation import satisfying
from chorewright.domains.facts import Universe
from chorewright.domains.pddl.expressions import formula
from chorewright.domains.pddl.grammar import show
from chorewright.domains.pddl.source import Findings, Form, Item, Word
from chorewright.domains.pddl.syntax import TRUE, And, Exists, Formula, Typed
from chorewright.domains.rewriting import rename_types
from chorewright.domains.vocabulary import Vocabulary
from chorewright.files.english import did_you_mean

STATES: Mapping[str, str] = {
    "is-on": "toggleable",
    "is-open": "openable",
    "dirty": "dirtyable",
    "filled": "fillable",
    "coffee": "fillable",
}
"""State that things may start in, to the affordance of what can be in it."""

COUNTS = ("at-least", "at-most", "exactly")
DISTRACTORS = "distractors"
PLACE = "in"
MOST = 20
"""The largest count of a rule."""

KIND = "?kind"
"""The variable of a rule's sets."""

_HINT = "write a count (at-least 2 bowl), a place (in roll floor), a state (is-on ?lamp), or a formula with exists"


@dataclass(frozen=True, slots=True)
class StartRule:
    """One rule about the start.

    Attributes:
        text: As it is written.
        what: ``count``, ``in`` for a place, ``distractors``, ``holds``, or the name of a state.
        subject: Of which kinds: a formula over ``?kind`` and the slots.
        places: In or on which kinds, likewise.
        wanted: False if the place or state is denied.
        low: The least count.
        high: The largest count; None if there is none.
        formula: What must hold.
    """

    text: str
    what: str
    subject: Formula = TRUE
    places: Formula = TRUE
    wanted: bool = True
    low: int = 0
    high: int | None = None
    formula: Formula = TRUE


@dataclass(frozen=True, slots=True)
class StartWish:
    """A rule whose slots are filled: ``kinds`` and ``places`` are names of kinds, in the vocabulary's order."""

    text: str
    what: str
    kinds: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    wanted: bool = True
    low: int = 0
    high: int | None = None
    formula: Formula = TRUE


def read_start(
    form: Form | None,
    findings: Findings,
    text_of: Callable[[Item], str],
    kinds_of: Callable[[Item], Formula],
    spelled: Callable[[Item], Item],
) -> tuple[StartRule, ...]:
    """Read the section ``:start``.

    Args:
        form: The section; None if there is none.
        findings: Errors are recorded here.
        text_of: Returns an item as it is written.
        kinds_of: Reads a set expression over ``?kind``, in which slots may stand for kinds.
        spelled: Spells out what is said in short.
    """
    found = []
    for item in form.items[1:] if form else ():
        rule = _rule(item, spelled(item), findings, text_of(item), kinds_of)
        if rule is not None:
            found.append(rule)
    return tuple(found)


def _rule(
    written: Item, item: Item, findings: Findings, text: str, kinds_of: Callable[[Item], Formula]
) -> StartRule | None:
    if not isinstance(item, Form) or not item.items or not isinstance(written, Form):
        findings.error(item.offset, f"a rule about the start is expected here, not '{show(item)}'", _HINT)
        return None
    denied = item.head == "not" and len(item.items) == 2 and isinstance(item.items[1], Form)
    inner = item.items[1] if denied else item
    assert isinstance(inner, Form)
    rest = inner.items[1:]
    if written.head == DISTRACTORS:
        low, high = (_number(each, findings) for each in (*rest, None, None)[:2])
        if low is None or high is None or low > high or len(rest) != 2:
            findings.error(item.offset, f"'{DISTRACTORS}' takes two numbers", "for example (distractors 0 2)")
            return None
        return StartRule(text, DISTRACTORS, low=low, high=high)
    if written.head in COUNTS and len(written.items) == 3:
        number = _number(rest[0], findings)
        subject = kinds_of(rest[1])
        if number is None:
            return None
        low = 0 if written.head == "at-most" else number
        return StartRule(text, "count", subject, low=low, high=None if written.head == "at-least" else number)
    if inner.head in STATES and len(rest) == 1 and written.head not in ("exists", "forall"):
        return StartRule(text, inner.head, kinds_of(rest[0]), wanted=not denied)
    if inner.head == PLACE and len(rest) == 2:
        return StartRule(text, PLACE, kinds_of(rest[0]), kinds_of(rest[1]), wanted=not denied)
    if inner.head in ("exists", "forall", "at-least", "and", "or", "imply", "not"):
        return StartRule(text, "holds", formula=formula(item, findings))
    known = (*STATES, *COUNTS, PLACE, DISTRACTORS, "exists", "forall")
    message = f"'{inner.head or show(inner)}' is not a rule about the start"
    findings.error(inner.offset, message, did_you_mean(inner.head, known) or _HINT)
    return None


def _number(item: Item | None, findings: Findings) -> int | None:
    if isinstance(item, Word) and item.text.isascii() and item.text.isdigit() and float(item.text) <= MOST:
        return int(float(item.text))
    if item is not None:
        findings.error(item.offset, f"a number from 0 to {MOST} is expected here, not '{show(item)}'")
    return None


def wishes(rules: tuple[StartRule, ...], types: Mapping[str, str], vocabulary: Vocabulary) -> tuple[StartWish, ...]:
    """Fill the slots of rules.

    Args:
        rules: The rules.
        types: The PDDL type that each slot over kinds is filled with, by its variable.
        vocabulary: Where the kinds and sets are.
    """
    return tuple(
        StartWish(
            rule.text,
            rule.what,
            _kinds(rule.subject, types, vocabulary) if rule.subject != TRUE else (),
            _kinds(rule.places, types, vocabulary) if rule.places != TRUE else (),
            rule.wanted,
            rule.low,
            rule.high,
            rename_types(rule.formula, types),
        )
        for rule in rules
    )


def _kinds(range: Formula, types: Mapping[str, str], vocabulary: Vocabulary) -> tuple[str, ...]:
    every = tuple(kind.pddl_type for kind in vocabulary.kinds.values())
    universe = Universe({"kind": every, "object": every})
    found = satisfying(Exists((Typed(KIND, ("kind",)),), And((range,))), vocabulary.facts, universe, types)
    names = (vocabulary.kind_of_type(each[KIND]) for each in found)
    return tuple(kind.name for kind in names if kind is not None)
