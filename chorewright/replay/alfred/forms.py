"""The words of the text games: commands, sentences and kinds, all from data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from chorewright.files.records import reader_of


@dataclass(frozen=True, slots=True)
class Forms:
    """Commands, sentences, reasons and goals by name; the data file says what their parts are."""

    commands: Mapping[str, str]
    sentences: Mapping[str, str]
    reasons: Mapping[str, str]
    help_extended: str
    goals: Mapping[str, tuple[str, ...]]
    chat: Mapping[str, str]
    thoughts: Mapping[str, str]

    def say(self, sentence: str, /, **parts: str) -> str:
        """Return one of the sentences with its parts filled in."""
        return self.sentences[sentence].format(**parts)

    def command(self, name: str, /, **parts: str) -> str:
        """Return one of the commands with its parts filled in."""
        return self.commands[name].format(**parts)

    def enumerate(self, names: list[str], article: str = "a ") -> str:
        """Return names as a list in words; before the last there is always a comma and "and"."""
        if not names:
            return self.sentences["nothing"]
        shown = [article + name for name in names]
        return ", and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


@dataclass(frozen=True, slots=True)
class TextKinds:
    """Kinds that the text games treat specially, in the vocabulary's spelling.

    Attributes:
        receptacles: Furniture that things are taken from and put on.
        openable: Those of them with a door.
        vessels: Things that are receptacles themselves.
        appliances: The kind of receptacle that cleans, heats or cools what is held there.
        knives: What slices.
        lamps: What can be used.
        hollow: Receptacles that things are put into rather than on.
        uncounted: Things that are spoken of without a number.
        basins: What is part of the first kind and takes what lies in it.
        floor: The kind of the floor.
    """

    receptacles: frozenset[str]
    openable: frozenset[str]
    vessels: frozenset[str]
    appliances: Mapping[str, str]
    knives: frozenset[str]
    lamps: frozenset[str]
    hollow: frozenset[str]
    uncounted: frozenset[str]
    basins: Mapping[str, str]
    floor: str


_forms = reader_of(Forms, "chorewright.replay", "data/text_forms.json")
_older = reader_of(dict[str, dict[str, str]], "chorewright.replay", "data/text_forms.json", "older")


@lru_cache(maxsize=2)
def load_forms(older: bool = False) -> Forms:
    """Return ALFWorld's forms, or those from before its version 0.4."""
    now, before = _forms(), _older() if older else {"commands": {}, "sentences": {}}
    return replace(
        now, commands={**now.commands, **before["commands"]}, sentences={**now.sentences, **before["sentences"]}
    )


load_text_kinds = reader_of(TextKinds, "chorewright.replay", "data/text_kinds.json")
"""Returns the kinds of the text games."""
