"""The mark of one answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chorewright.domains.facts import Universe
from chorewright.domains.pddl.syntax import Domain

PARSING, HALLUCINATION, ARGUMENTS = "parsing", "hallucination", "arguments"
"""Answers that are not of the form, that name what is not there, or that give it too few or many objects."""

AFFORDANCE, MISSING, ORDER, GOAL = "affordance", "missing step", "wrong order", "goal"
"""Steps that this object never allows; that lack something not yet done; something undone again; a goal not reached."""

ERRORS = (PARSING, HALLUCINATION, ARGUMENTS, AFFORDANCE, MISSING, ORDER, GOAL)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items were right among those answered, and among those wanted."""

    right: int
    answered: int
    wanted: int

    @staticmethod
    def of(answered: Collection[object], wanted: Collection[object]) -> Counts:
        """Compare two collections of things that are all different."""
        return Counts(len(set(answered) & set(wanted)), len(set(answered)), len(set(wanted)))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.answered + other.answered, self.wanted + other.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 if nothing was wanted and nothing answered."""
        return 2 * self.right / (self.answered + self.wanted) if self.answered + self.wanted else 1.0


NOTHING = Counts(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Mark:
    """What an answer is worth.

    Attributes:
        correct: Whether it does what was asked.
        executable: Whether all of it can be carried out; equal to ``correct`` where nothing is carried out.
        error: The first error, one of ``ERRORS``; empty if there is none.
        message: What is wrong.
        counts: Literals compared with those of the right answer.
        additional: Steps that change nothing.
    """

    correct: bool
    executable: bool
    error: str = ""
    message: str = ""
    counts: Counts = NOTHING
    additional: int = 0


def failed(error: str, message: str, counts: Counts = NOTHING, additional: int = 0) -> Mark:
    """Return the mark of an answer that cannot be carried out."""
    return Mark(False, False, error, message, counts, additional)


def misnamed(
    domain: Domain, universe: Universe, name: str, terms: Sequence[str], action: bool
) -> tuple[str, str] | None:
    """Return the error of an atom or action that names what is not there; None if it is well named.

    Args:
        domain: The domain.
        universe: The objects.
        name: The predicate's or action's.
        terms: The objects.
        action: Whether it is an action.
    """
    known = {each.name: len(each.parameters) for each in (domain.actions if action else domain.predicates)}
    if name not in known:
        return HALLUCINATION, f"there is no {'action' if action else 'predicate'} {name!r}"
    for each in terms:
        if each not in universe.rank:
            return HALLUCINATION, f"there is no object {each!r}"
    if len(terms) != known[name]:
        return ARGUMENTS, f"{name} takes {known[name]} objects, not {len(terms)}"
    return None
