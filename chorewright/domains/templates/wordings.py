"""Plain English for any goal: what must be so at the end, as sentences for templates that have few of their own.

Words of predicates are in ``predicate_words.json``; a predicate that is not there is its own adjective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from chorewright.domains.clauses import Called, Clauses
from chorewright.domains.pddl.syntax import And, Atom, Equals, Exists, Formula, Imply, Not, Or, Typed
from chorewright.domains.phrases import Wordings
from chorewright.domains.rewriting import conjuncts, free_variables
from chorewright.domains.vocabulary import Kind, Vocabulary
from chorewright.files import english
from chorewright.files.english import say_list
from chorewright.files.records import reader_of

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
            case Not(Atom(predicate, (subject, place))) if len(others) == 1 and subject == first.name:
                if place == others[0].name:
                    where = f"{self._relation(predicate, others[0])} any {self._word(others[0])}"
                    return f"no {name} is {where}"
            case _:
                pass
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
                said.append(f"has {self._article(guest)} {self._word(guest)} in or on it")
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
            case Exists(variables, Atom(predicate, (subject, place))) if subject == name and len(variables) == 1:
                (other,) = variables
                relation, noun = self._relation(predicate, other), self._word(other)
                return (
                    f"is {relation} {self._article(other)} {noun}" if place == other.name else self._such(part, called)
                )
            case Not(Exists(variables, Atom(predicate, (subject, _)))) if subject == name and len(variables) == 1:
                (other,) = variables
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
        if kinds:
            return kinds[0].article
        return english.article(self._word(variable))


def _unequal(part: Formula) -> bool:
    return isinstance(part, Equals) or (isinstance(part, Not) and isinstance(part.operand, Equals))


def _leads_here(part: Formula, name: str) -> bool:
    """Whether a part says of another variable that it is in this one; that is said where it was introduced."""
    return isinstance(part, Atom) and len(part.terms) == 2 and part.terms[1] == name
