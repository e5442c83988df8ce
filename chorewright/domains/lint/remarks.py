"""What lint says: the names of its rules, which of them are asked for, and remarks at places of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chorewright.errors import Location, UsageError
from chorewright.files.english import did_you_mean

if TYPE_CHECKING:  # verbs know the rules before they read anything
    from chorewright.domains.pddl.source import Remark, Source
    from chorewright.domains.pddl.syntax import Position

RULES = {
    "unused-parameter": "An action has a parameter that it does not use.",
    "unused-predicate": "No action or axiom uses a predicate.",
    "unused-function": "No action reads or changes a function.",
    "unused-type": "Nothing is declared with a type, one above it or one below it.",
    "unused-constant": "No action or axiom names a constant.",
    "unused-object": "An object is in no fact and not in the goal.",
    "never-true": "A condition or the goal needs a predicate that nothing makes true.",
    "never-set": "A condition, an effect or the goal reads a value that nothing gives.",
    "contradictory-effect": "An effect makes the same atom true and false.",
    "no-effect": "An action changes nothing.",
    "impossible-action": "An action can never be run.",
    "goal-holds": "A part of the goal holds at the start.",
    "missing-requirement": "A domain uses a part of the language that it does not require.",
    "unused-requirement": "A domain requires a part of the language that it does not use.",
    "similar-names": "A name that is not used as it should be differs from another by one letter.",
    "unsupported-requirement": "A file requires what is not supported, and does not use it.",
    "lenient": "Only lenient reading accepts this.",
}


def choose_rules(select: Sequence[str], ignore: Sequence[str]) -> frozenset[str]:
    """Return the rules that are asked for: all without ``select``.

    Args:
        select: Names, several may be joined by commas.
        ignore: Names of those that are left out.

    Raises:
        UsageError: There is no such rule.
    """
    chosen, but = (
        [name.strip() for text in each for name in text.split(",") if name.strip()] for each in (select, ignore)
    )
    for name in (*chosen, *but):
        if name not in RULES:
            hint = did_you_mean(name, RULES) or f"rules are {', '.join(RULES)}"
            raise UsageError(f"there is no rule '{name}'", hint=hint)
    return frozenset(chosen or RULES) - frozenset(but)


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A file that remarks are about."""

    source: Source

    def remark(
        self, rule: str, message: str, at: Position | None, hint: str | None = None, word: str | None = None
    ) -> Remark:
        """Return a remark at a position, or at the first such word from there on."""
        from chorewright.domains.pddl.source import Remark
        from chorewright.domains.pddl.syntax import Position

        if at is None and word is None:
            return Remark(rule, message, Location(self.source.path), hint)
        where = at or Position(1, 1)
        place = where if word is None else self.source.position(self.source.word_after(where, word))
        return Remark(rule, message, self.source.location(place), hint)
