"""What objects are called: by the author's words, else by their own names and their types' nouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from chorewright.domains.facts import supertypes
from chorewright.domains.pddl.syntax import Domain, Typed
from chorewright.rsa.words.guesses import words_of
from chorewright.rsa.words.wordings import Wordings


def names_of(domain: Domain, objects: Iterable[Typed], wordings: Wordings) -> dict[str, str]:
    """Return what each object is called, the domain's constants included.

    Without a word of the author, ``ball3`` is *ball 3*, ``left-hand`` of type ``hand`` *the left
    hand*, and anything else goes by its own name. Where two objects would be called the same, both go by their own.
    """
    found: dict[str, str] = {}
    for each in (*domain.constants, *objects):
        found[each.name] = wordings.names.get(each.name) or _name(each, supertypes(domain, each.types), wordings)
    return _distinct(found)


def _name(thing: Typed, types: tuple[str, ...], wordings: Wordings) -> str:
    short = thing.name
    for each in types:
        if thing.name.startswith(each) and len(thing.name) > len(each):
            short = thing.name[len(each) :].lstrip("-_")
            break
    for each in types:
        if each in wordings.objects:
            return wordings.objects[each][0].fill([words_of(short)])
    numbered = re.fullmatch(r"(.*?[a-z])[-_]?(\d+)", thing.name)
    for each in types:
        noun = wordings.nouns[each].one if each in wordings.nouns else words_of(each)
        if thing.name == each:
            return f"the {noun}"
        if numbered and numbered[1].rstrip("-_") == each:
            return f"{noun} {numbered[2]}"
        if re.search(rf"[-_]{re.escape(each)}$", thing.name):
            return f"the {words_of(thing.name)}"
    if numbered and len(numbered[1]) > 2:
        return f"{words_of(numbered[1])} {numbered[2]}"
    return words_of(thing.name)


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names, with the objects' own where several would be called the same."""
    seen: dict[str, int] = {}
    for called in names.values():
        seen[called] = seen.get(called, 0) + 1
    return {name: called if seen[called] == 1 else words_of(name) for name, called in names.items()}
