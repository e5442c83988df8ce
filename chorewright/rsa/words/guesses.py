"""Guesses: nouns and wordings made of nothing but names, for whatever a domain's author does not word.

``(on ?a ?b)`` becomes *a is on b*, ``(has-key ?a)`` *a has key*, ``(contains ?a ?b)`` *a contains b*, and the action
``(load ?package ?truck ?place)`` *load the package from the place into the truck*, as its effects tell. Words that
most domains share are in ``data/common_predicates.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts, simple_effects
from chorewright.domains.phrases import Noun, Phrase, Wordings, is_verb, new_noun, words_of
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError
from chorewright.files.english import article, indefinite, is_mass, say_list
from chorewright.files.records import reader_of

TOWARDS = {"at": "to", "in": "into", "on": "onto"}
"""How an action says where a thing goes, by how an atom says where it is."""


@dataclass(frozen=True, slots=True)
class Common:
    """English words that names of predicates are made of."""

    prepositions: frozenset[str]
    states: frozenset[str]
    state_endings: tuple[str, ...]
    actors: frozenset[str]
    common: Mapping[str, tuple[str, ...]]

    def is_state(self, word: str) -> bool:
        """Whether a word looks like an adjective or participle."""
        return word in self.states or (len(word) > 4 and word.endswith(self.state_endings))


common = reader_of(Common, "chorewright.rsa", "data/common_predicates.json")
"""Returns the words."""


def complete(domain: syntax.Domain, given: Wordings) -> Wordings:
    """Return wordings for everything in a domain: those given, and guesses for the rest."""
    predicates = {each.name: given.predicates.get(each.name) or _predicate(each, domain) for each in domain.predicates}
    negations = {
        name: given.negations.get(name) or tuple(each.negate() for each in phrases)
        for name, phrases in predicates.items()
    }
    found = replace(given, predicates=predicates, negations=negations)
    actions = {each.name: given.actions.get(each.name) or (_action(each, found),) for each in domain.actions}
    nouns = {each.name: given.nouns.get(each.name) or new_noun(words_of(each.name)) for each in domain.types}
    nouns["object"] = given.nouns.get("object") or new_noun("thing")
    return replace(found, actions=actions, nouns=nouns)


def _predicate(signature: syntax.Signature, domain: syntax.Domain) -> tuple[Phrase, ...]:
    """Guess wordings of a predicate."""
    arity, known = len(signature.parameters), common().common
    for key in (f"{signature.name}/{arity}", signature.name):
        if key in known and ("/" in key or arity == 0):
            return tuple(Phrase.of(text, ["?x", "?y"][:arity]) for text in known[key])
    words = words_of(signature.name).split()
    if words[0] in ("is", "are") and len(words) > 1:
        words = words[1:]
    negative = words[0] in ("not", "no") and len(words) > 1
    text = _clause(words[1:] if negative else words, signature, domain)
    found = Phrase.of(text, ["?a", "?b", "?c", "?d", "?e", "?f", "?g", "?h"][:arity] if arity <= 8 else [])
    return (found.negate() if negative else found,)


def _clause(words: Sequence[str], signature: syntax.Signature, domain: syntax.Domain) -> str:
    """Return the clause of a name's words, with ``?a``, ``?b``, ... for the arguments."""
    known, name, arity = common(), " ".join(words), len(signature.parameters)
    if arity == 0:
        return f"the {' '.join(words[:-1])} is {words[-1]}" if len(words) > 1 else f"{name} is true"
    if arity == 1:
        return _of_one(words, signature, domain)
    others = [f"?{letter}" for letter in "bcdefgh"][: arity - 1]
    rest = say_list(others)
    if words[0] in known.prepositions and len(words) > 1 and words[-1] not in known.prepositions:
        return f"?a is {name} {rest}"
    if words[0] == "have":
        return f"?a has {' '.join(words[1:])} {rest}"
    if words[-1].endswith("ing"):
        return f"?a is {name} {rest}"
    if words[-1] in known.prepositions:
        verb = name if is_verb(words[0]) else f"is {name}"
        return f"?a {verb} {rest}"
    if is_verb(words[0]) or words[0] in ("can", "must"):
        return f"?a {name} {rest}"
    if known.is_state(words[-1]):
        return f"?a is {name} {'to' if arity == 2 else 'with'} {rest}"
    if arity == 2 and signature.parameters[0].types == signature.parameters[1].types:
        return f"there is {article(name)} {name} from ?a to ?b"
    return f"the {name} of ?a is ?b" if arity == 2 else f"?a has the {name} {rest}"


def _of_one(words: Sequence[str], signature: syntax.Signature, domain: syntax.Domain) -> str:
    """Return the clause of a predicate of one argument."""
    known, name = common(), " ".join(words)
    if is_verb(words[0]) or words[0] in ("can", "must"):
        return f"?a {name}"
    if words[0] in known.prepositions and len(words) > 1:
        rest = " ".join(words[1:])
        return f"the {rest} is {words[0]} ?a" if rest in known.actors else f"?a is {words[0]} the {rest}"
    if known.is_state(words[-1]) or words[-1] in known.prepositions:
        return f"?a is {name}"
    changed = {atom.predicate for each in domain.actions for atom in _atoms(each.effect, _CHANGE)}
    return f"?a is {name if signature.name in changed or is_mass(name) else indefinite(name)}"


def _action(action: syntax.Action, wordings: Wordings) -> Phrase:
    """Guess the order to do an action: its words, its first object, and each other one as its role tells.

    A first object that acts by itself is told to do it: *let Eve fetch drug 1 from the depot*.
    """
    variables = [each.name for each in action.parameters]
    acts = len(variables) > 1 and _is_actor(action.parameters[0])
    text = f"let {variables[0]} {words_of(action.name)}" if acts else words_of(action.name)
    first, *others = variables[acts:] or [""]
    moves = acts and _role(first, action, wordings) in ("from", *TOWARDS.values()) and _moves(action, variables[0])
    text += f" {_role(first, action, wordings)} {first}" if moves else f" {first}" if first else ""
    for variable in others:
        text += f" {_role(variable, action, wordings)} {variable}"
    return Phrase.of(text, variables)


def _is_actor(parameter: syntax.Typed) -> bool:
    """Whether a parameter is somebody who does an action, as its name or type tells."""
    return any(words_of(each.lstrip("?")).split()[-1] in common().actors for each in (parameter.name, *parameter.types))


def _moves(action: syntax.Action, variable: str) -> bool:
    """Whether an action moves one of its objects and nothing else: all that changes is said of it first."""
    return all(atom.terms[:1] == (variable,) for atom in _atoms(action.effect, _CHANGE))


def _role(variable: str, action: syntax.Action, wordings: Wordings) -> str:
    """Return the preposition that an action has before one of its objects."""
    parts = words_of(variable[1:]).split()
    for each in (parts[0], parts[-1]):
        if each in common().prepositions:
            return each
    for atoms, change in (
        (_atoms(action.effect, syntax.AddEffect), TOWARDS),
        (_atoms(action.effect, syntax.DeleteEffect), None),
        (tuple(each for each in conjuncts(action.precondition) if isinstance(each, syntax.Atom)), {}),
    ):
        for atom in atoms:
            found = _preposition(atom, variable, wordings)
            if found:
                return "from" if change is None else change.get(found, found)
    return "with"


def _preposition(atom: syntax.Atom, variable: str, wordings: Wordings) -> str | None:
    """Return the preposition before a variable in what an atom says; None if there is none, or it says it first."""
    if variable not in atom.terms[1:]:
        return None
    parts = wordings.predicates[atom.predicate][0].parts
    for before, slot in pairwise(parts):
        if isinstance(slot, int) and atom.terms[slot] == variable and isinstance(before, str):
            last = before.split()[-1:]
            return last[0] if last and last[0] in common().prepositions else None
    return None


_CHANGE = syntax.AddEffect | syntax.DeleteEffect


def _atoms(effect: syntax.Effect, kind: Any) -> tuple[syntax.Atom, ...]:
    return tuple(each.atom for each in simple_effects(effect) if isinstance(each, kind))


# Nouns of kinds: ``data/household_words.json`` has them; another kind is called by its name, split at the capitals.

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Words:
    """The English words of a kind."""

    nouns: tuple[Noun, ...]
    landmark: bool = False
    large: bool = False
    together: bool = False
    storeys: bool = False
    ground: bool = False
    piece: bool = False
    door: str = ""  # what is closed after use, where it has a name of its own


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Kinds' words."""

    kinds: Mapping[str, Words]

    def words(self, kind: str) -> Words:
        """Return the words of a kind; an unlisted kind is called by its name."""
        return self.kinds.get(kind) or Words((new_noun(space(kind)),))

    def with_kinds(self, vocabulary: Vocabulary) -> Lexicon:
        """Return the lexicon with the nouns that a vocabulary has for kinds that are not listed."""
        new = {
            name: Words(
                tuple(new_noun(noun, {"plural": kind.plural} if noun == kind.noun else None) for noun in kind.nouns)
            )
            for name, kind in vocabulary.kinds.items()
            if name not in self.kinds
        }
        return Lexicon({**self.kinds, **new}) if new else self


def pick(options: Sequence[Option], rng: np.random.Generator) -> Option:
    """Return one of the options, each equally likely."""
    return options[int(rng.integers(len(options)))]


def space(kind: str) -> str:
    """Split a CamelCase name into lower-case words; initialisms keep their capitals."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", kind)
    return " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words) or kind


def parse_lexicon(words: str) -> Lexicon:
    """Read a lexicon from the text of its JSON file.

    Raises:
        InputError: the text is not JSON or lacks a section.
    """
    try:
        kinds: dict[str, Words] = {}
        for kind, facts in json.loads(words)["kinds"].items():
            nouns = tuple(
                new_noun(noun) if isinstance(noun, str) else new_noun(str(noun["word"]), noun)
                for noun in facts["nouns"]
            )
            kinds[kind] = Words(**{**facts, "nouns": nouns})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"this is not a lexicon: {error!r}") from error
    return Lexicon(kinds)


@lru_cache(maxsize=1)
def household_lexicon() -> Lexicon:
    """Return the shipped lexicon of the household."""
    return parse_lexicon((resources.files("chorewright.rsa") / "data" / "household_words.json").read_text("utf-8"))
