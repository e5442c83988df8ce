"""The words of a goal template: sections of words (domain, sentences, rooms, tags), and sentence patterns filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from chorewright.domains.clauses import Called, Clauses
from chorewright.domains.pddl.define import check_domain_name
from chorewright.domains.pddl.grammar import name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Text, Word
from chorewright.domains.pddl.subformulas import conjuncts, free_variables
from chorewright.domains.pddl.syntax import And, Atom, Domain, Equals, Exists, Formula, Imply, Not, Or, Typed
from chorewright.domains.phrases import Wordings
from chorewright.domains.vocabulary import Kind, Vocabulary
from chorewright.domains.vocabulary_files import ROOMS
from chorewright.errors import InputError
from chorewright.files import english
from chorewright.files.english import capital, did_you_mean, number_word, plural, say_list
from chorewright.files.records import reader_of

MAX_NUMBER = 9999
MAX_EFFORT = 10**9
"""Evaluations that a task may ask for."""


def short(item: Item) -> str:
    """Quote an item in at most 40 characters."""
    shown = show(item)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def domain_name(form: Form | None, domain: Domain, findings: Findings) -> str:
    """The name of the domain, which must be the given one."""
    if form is not None:
        check_domain_name(form, domain, "task", findings)
    return domain.name


def texts(form: Form | None, findings: Findings) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The double-quoted strings of a section, with the offsets of their first characters."""
    found: list[str] = []
    offsets: list[int] = []
    for item in form.items[1:] if form else ():
        if isinstance(item, Text):
            found.append(item.text)
            offsets.append(item.offset + 1)
        else:
            hint = 'sentences are written "like this"'
            findings.error(item.offset, f"a string in double quotes is expected here, not '{short(item)}'", hint)
    return tuple(found), tuple(offsets)


def rooms(form: Form | None, findings: Findings) -> tuple[str, ...]:
    """The kinds of room, each once."""
    found: list[str] = []
    for item in form.items[1:] if form else ():
        given = name(item, "a kind of room", findings)
        room = given.replace("-", "_") if given else None
        if room in ROOMS:
            found.append(room)
        elif given is not None and room is not None:
            hint = did_you_mean(room, ROOMS) or f"rooms are {', '.join(ROOMS)}"
            findings.error(item.offset, f"there is no kind of room '{given}'", hint)
    return tuple(dict.fromkeys(found))


def tags(form: Form | None, findings: Findings) -> tuple[str, ...]:
    """The tags; a repeated tag is an error."""
    found: list[str] = []
    for item in form.items[1:] if form else ():
        tag = name(item, "a tag", findings)
        if tag in found:
            findings.error(item.offset, f"the tag '{tag}' occurs twice")
        elif tag is not None:
            found.append(tag)
    return tuple(found)


def number(form: Form | None, findings: Findings, what: str = "number", most: int = MAX_NUMBER) -> int | None:
    """The number of a section, such as the one that a benchmark gives the task; None without the section."""
    if form is None:
        return None
    given = form.items[1] if len(form.items) == 2 else None
    if isinstance(given, Word) and given.text.isascii() and given.text.isdigit():
        if (value := float(given.text)) <= most:  # any number of digits, which int refuses
            return int(value)
        findings.error(given.offset, f"the {what} of a task must be at most {most}")
        return None
    at = given.offset if given is not None else form.offset
    section, example = (":number", 12) if what == "number" else (":effort", 60_000)
    findings.error(at, f"'{section}' takes one whole number", f"for example ({section} {example})")
    return None


# Sentence patterns: English with keys in braces, filled with the nouns of what fills a template's slots.


PATTERN_KEY = re.compile(r"\{([^{}]*)\}")
PATTERN_FORMS = ("a", "in", "into")
COUNTED = "counted "
"""How the form of a number with a noun begins; the noun follows."""


def say(pattern: str, binding: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Fill a sentence pattern.

    ``{object}`` is the noun of what fills the slot, ``{objects}`` its plural, ``{a object}`` the noun with
    its article, ``{in object}`` the preposition of lying there, ``{into object}`` of moving there. Of a slot over
    numbers, ``{n}`` is the number in words, and ``{n object}`` or ``{n fork}`` the number with that noun: "one fork",
    "two forks".
    """

    def fill(match: re.Match[str]) -> str:
        form, slot = read_key(match.group(1), tuple(binding))
        if form.startswith(COUNTED):
            return _count(binding[slot], form.removeprefix(COUNTED), binding, vocabulary)
        kind = vocabulary.kinds.get(binding[slot])
        if kind is None and binding[slot].isdigit():
            return number_word(int(binding[slot]))
        if kind is None:
            noun = binding[slot].replace("_", " ").replace("-", " ")
            return {"": noun, "plural": plural(noun), "a": f"the {noun}", "in": "in", "into": "into"}[form]
        return {
            "": kind.noun,
            "plural": kind.plural,
            "a": kind.a_noun,
            "in": kind.preposition,
            "into": kind.preposition_of_motion,
        }[form]

    return capital(PATTERN_KEY.sub(fill, pattern))


def _count(number: str, noun: str, binding: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Return a number with what it counts: a slot's kind, a kind's noun, or any other noun, with a regular plural."""
    filled = vocabulary.kinds.get(binding.get(noun, ""))
    kinds = (filled,) if filled else vocabulary.kinds.values()
    kind = next((kind for kind in kinds if filled or noun in (kind.noun, kind.name.lower())), None)
    word = number_word(int(number)) if number.isdigit() else number
    if kind is not None:
        return f"{word} {kind.noun if number == '1' else kind.plural}"
    return f"{word} {noun if number == '1' else plural(noun)}"


def read_key(key: str, slots: Sequence[str]) -> tuple[str, str]:
    """Return the form and the slot that the key of a pattern means.

    Raises:
        InputError: It means none; the hint names what is close.
    """
    form, _, name = key.lower().rpartition(" ")
    form = form.strip()
    if form in ("", *PATTERN_FORMS) and name in slots:
        return form, name
    if not form and name.endswith("s") and name[:-1] in slots:
        return "plural", name[:-1]
    number, _, noun = key.lower().partition(" ")
    if number in slots and noun.strip():
        return COUNTED + noun.strip(), number
    known = [*slots, *(f"{slot}s" for slot in slots), *(f"{each} {slot}" for each in PATTERN_FORMS for slot in slots)]
    if not slots:
        raise InputError(f"'{{{key}}}' is not a slot: this task has none", hint="write the words themselves")
    hint = did_you_mean(key.lower(), known) or f"keys are {{{'}, {'.join(known)}}}"
    raise InputError(f"'{{{key}}}' is not a slot of this task", hint=hint)


# Plain English for any goal: what must be so at the end, as sentences for templates that have few of their own.
#
# Words of predicates are in ``predicate_words.json``; a predicate that is not there is its own adjective.

PLACE = "in"


@dataclass(frozen=True, slots=True)
class GoalWords:
    """The words of predicates: affirmed and denied; plurals of verbs; frames of sentences."""

    states: Mapping[str, tuple[str, str]]
    facts: Mapping[str, tuple[str, str]]
    plurals: Mapping[str, str]
    frames: tuple[str, ...]

    def state(self, predicate: str, affirmed: bool) -> str:
        """Return what a thing is of which a predicate holds, or does not."""
        plain = predicate.replace("-", " ")
        yes, no = self.states.get(predicate, (f"is {plain}", f"is not {plain}"))
        return yes if affirmed else no

    def plural(self, phrase: str) -> str:
        """Return a phrase with its verb in the plural."""
        verb, _, rest = phrase.partition(" ")
        return f"{self.plurals.get(verb, verb)} {rest}"


words = reader_of(GoalWords, "chorewright.domains.templates", "predicate_words.json")
"""Returns the shipped words."""


def wordings(goal: Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return sentences that ask for a goal; each says all of it."""
    clause = _KindClauses(Wordings(), {}, vocabulary=vocabulary, words=words()).clause(goal)
    return tuple(frame.format(clause=clause) for frame in words().frames)


@dataclass(frozen=True, slots=True)
class _KindClauses(Clauses):
    """Says formulas over the kinds of a vocabulary: what a quantifier introduces is said with relative clauses."""

    joins: ClassVar[bool] = False

    vocabulary: Vocabulary = field(kw_only=True)
    words: GoalWords = field(kw_only=True)

    def literal(self, atom: Atom, affirmed: bool, called: Called) -> str:
        """Return that an atom holds, or that it does not."""
        if not atom.terms:
            plain = atom.predicate.replace("-", " ")
            yes, no = self.words.facts.get(atom.predicate, (f"it is {plain}", f"it is not {plain}"))
            return yes if affirmed else no
        return f"{self.call(atom.terms[0], called)} {self._predicate(atom, affirmed, called)}"

    def forall(self, variables: Sequence[Typed], body: Formula, called: Called) -> str:
        """Return what all are; a condition becomes a relative clause."""
        if isinstance(body, Imply):
            condition, then = body.antecedent, body.consequent
        else:
            condition, then = And(()), body
        first, others = variables[0], list(variables[1:])
        name = self._word(first)
        match body:
            case Not(Atom(predicate, (subject, place))) if [subject, place] == [each.name for each in variables]:
                return f"no {name} is {self._relation(predicate, others[0])} any {self._word(others[0])}"
            case Not(Atom(terms=(subject, _)) as atom) if not others and subject == first.name and body is then:
                return f"no {name} {self._predicate(atom, True, called)}"
        inner = {**called, first.name: f"the {name}"}
        inner |= {each.name: f"any {self._word(each)}" for each in others}
        that = " and ".join(self._said(part, first.name, inner) for part in conjuncts(condition) if part != And(()))
        said = " and ".join(self._said(part, first.name, inner) for part in conjuncts(then))
        return f"every {name}{f' that {that}' if that else ''} {said}"

    def quantified(
        self, some: str, variables: Sequence[Typed], body: Formula, called: Called, several: bool = False
    ) -> str:
        """Return what there shall be: the first variable is the subject, the others are what it is in or on."""
        first = variables[0]
        article = self._article(first) if some in ("some", "at least one") else some
        others = {each.name: each for each in variables[1:]}
        inner = {**called, first.name: f"the {self._word(first)}"}
        said = self._about(first.name, conjuncts(body), others, inner)
        if several:
            said = [self.words.plural(each) for each in said]
        verb = " and ".join(said) or ("are there" if several else "is there")
        every = {variable.name for variable in variables}
        rest = [part for part in conjuncts(body) if not free_variables(part) & every]
        also = "".join(f", and {self.clause(part, inner)}" for part in rest)
        return f"{article} {self._word(first, several)} {verb}{also}"

    def _about(
        self, name: str, parts: Sequence[Formula], others: dict[str, Typed], called: dict[str, str]
    ) -> list[str]:
        """Return what is said of a variable; another one is introduced with what is said of that in turn."""
        said: list[str] = []
        for part in parts:
            terms = part.terms if isinstance(part, Atom) else ()
            if terms[:1] == (name,) and len(terms) == 2 and terms[1] in others:
                other = others.pop(terms[1])
                another = any(isinstance(each, Not) and isinstance(each.operand, Equals) for each in parts)
                same = set(other.types) & set(self._types(name, called))
                article = "another" if another and same else self._article(other)
                noun = f"{article} {self._word(other)}"
                called[other.name] = f"the {self._word(other)}"
                inner = self._about(other.name, parts, others, called)
                assert isinstance(part, Atom)
                relation = self._relation(part.predicate, other)
                said.append(f"is {relation} {noun}" + (" that " + " and ".join(inner) if inner else ""))
            elif terms[1:] == (name,) and terms[0] in others:
                guest = others.pop(terms[0])
                noun = f"{self._article(guest)} {self._word(guest)}"
                called[guest.name] = f"the {self._word(guest)}"
                inner = self._about(guest.name, [each for each in parts if each is not part], others, called)
                that = f"has in or on it {noun} that {' and '.join(inner)}"
                said.append(that if inner else f"has {noun} in or on it")
            elif name in free_variables(part) and not _unequal(part) and not _leads_here(part, name):
                said.append(self._said(part, name, called))
        return said

    def _types(self, name: str, called: Called) -> tuple[str, ...]:
        noun = called.get(name, "").removeprefix("the ")
        return tuple(kind.pddl_type for kind in self.vocabulary.kinds.values() if kind.noun == noun)

    def _said(self, part: Formula, name: str, called: Called) -> str:
        """Return what is said of a variable by a part of a formula, as a predicate of a clause."""
        match part:
            case Atom(terms=terms) if terms[:1] == (name,):
                return self._predicate(part, True, called)
            case Not(Atom(terms=terms) as atom) if terms[:1] == (name,):
                return self._predicate(atom, False, called)
            case Or(operands):
                return " or ".join(self._said(each, name, called) for each in operands)
            case And(operands):
                return " and ".join(self._said(each, name, called) for each in operands)
            case Exists((other,), Atom(predicate, (subject, place))) if subject == name:
                where = f"is {self._relation(predicate, other)} {self._article(other)} {self._word(other)}"
                return where if place == other.name else self._such(part, called)
            case Not(Exists((other,), Atom(predicate, (subject, _)))) if subject == name:
                return f"is not {self._relation(predicate, other)} any {self._word(other)}"
            case Exists(variables, body) if name in free_variables(part):
                inner = dict(called)
                said = self._about(name, conjuncts(body), {each.name: each for each in variables}, inner)
                return " and ".join(said) or self._such(part, called)
            case _:
                return self._such(part, called)

    def _such(self, part: Formula, called: Called) -> str:
        return f"is such that {self.clause(part, called)}"

    def _predicate(self, atom: Atom, affirmed: bool, called: Called) -> str:
        if len(atom.terms) == 1:
            return self.words.state(atom.predicate, affirmed)
        relation = "in or on" if atom.predicate == PLACE else atom.predicate.replace("-", " ")
        others = " ".join(self.call(term, called) for term in atom.terms[1:])
        return f"is {'' if affirmed else 'not '}{relation} {others}"

    def _relation(self, predicate: str, other: Typed) -> str:
        if predicate != PLACE:
            return predicate.replace("-", " ")
        found = {kind.preposition for kind in self._kinds(other)}
        return found.pop() if len(found) == 1 else "in or on"

    def _kinds(self, variable: Typed) -> list[Kind]:
        found = (self.vocabulary.kind_of_type(name) for name in variable.types)
        return [kind for kind in found if kind is not None]

    def _word(self, variable: Typed, plural: bool = False) -> str:
        kinds = self._kinds(variable)
        if kinds:
            return say_list(list(dict.fromkeys(kind.plural if plural else kind.noun for kind in kinds)), "or")
        nouns = [name.replace("-", " ") for name in variable.types] or ["thing"]
        return " or ".join(english.plural(each) if plural else each for each in nouns)

    def _article(self, variable: Typed) -> str:
        kinds = self._kinds(variable)
        return kinds[0].article if kinds else english.article(self._word(variable))


def _unequal(part: Formula) -> bool:
    return isinstance(part, Equals) or (isinstance(part, Not) and isinstance(part.operand, Equals))


def _leads_here(part: Formula, name: str) -> bool:
    """Whether a part says of another variable that it is in this one; that is said where it was introduced."""
    return isinstance(part, Atom) and len(part.terms) == 2 and part.terms[1] == name
