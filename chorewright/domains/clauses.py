"""Formulas as clauses: atoms in their wordings, connectives and quantifiers in plain English around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from chorewright.domains.facts import VALUE, exact, number_text
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.phrases import Noun, Phrase, Wordings, join_clauses, new_noun, words_of
from chorewright.files.english import article, number_word, say_list

if TYPE_CHECKING:
    import numpy as np

# Numbers in English: values of functions, comparisons, and expressions.


Call = Callable[[str], str]
"""Gives what an object or a variable is called."""

_RELATIONS = {
    "<": ("is less than", "is not less than"),
    "<=": ("is at most", "is more than"),
    "=": ("is", "is not"),
    ">=": ("is at least", "is less than"),
    ">": ("is more than", "is not more than"),
}
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}


def say_value(function: str, names: Sequence[str], number: str, affirmed: bool = True) -> str:
    """Return that a function has a value: *the fuel of the van is 3*."""
    return f"{_function(function, names)} is {'' if affirmed else 'not '}{number}"


def say_comparison(comparison: syntax.Comparison, call: Call, affirmed: bool = True) -> str:
    """Return a comparison as a clause: *the fuel of the van is at least 3*."""
    relation = _RELATIONS[comparison.operator][0 if affirmed else 1]
    return f"{say_expression(comparison.left, call)} {relation} {say_expression(comparison.right, call)}"


def say_expression(expression: syntax.Expression, call: Call) -> str:
    """Return an expression: *the load of the van plus 2*."""
    if isinstance(expression, syntax.FunctionTerm):
        return _function(expression.function, [call(term) for term in expression.terms])
    if isinstance(expression, int | float):
        return number_text(exact(float(expression)))
    parts = [say_expression(operand, call) for operand in expression.operands]
    return f"minus {parts[0]}" if len(parts) == 1 else f" {_SIGNS[expression.operator]} ".join(parts)


def _function(function: str, names: Sequence[str]) -> str:
    return f"the {words_of(function)}" + (f" of {say_list(list(names))}" if names else "")


Called = Mapping[str, str]
"""What variables and objects are called."""

LETTERS = "XYZUVWABCDEF"
FEW = 2
"""Of so many subjects on, atoms that are said alike are said together."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """Says formulas.

    Attributes:
        wordings: The domain's, complete.
        names: What objects are called.
        rng: Draws one of several wordings; None for the first of each.
        joins: Whether literals of a conjunction that are said alike are said together, before all else.
    """

    joins: ClassVar[bool] = True

    wordings: Wordings
    names: Called
    rng: np.random.Generator | None = field(default=None, compare=False)

    def draw(self, phrases: Sequence[Phrase]) -> Phrase:
        """Return one of the wordings."""
        if self.rng is None or len(phrases) == 1:
            return phrases[0]
        return phrases[int(self.rng.integers(len(phrases)))]

    def atom(self, atom: syntax.GroundAtom, affirmed: bool = True) -> str:
        """Return that an atom holds, or that it does not; an atom of a value says the value."""
        if atom[0] == VALUE:
            return say_value(atom[1], [self.call(each) for each in atom[2:-1]], atom[-1], affirmed)
        return self._phrase(atom[0], affirmed).fill([self.call(each) for each in atom[1:]])

    def call(self, term: str, called: Called | None = None) -> str:
        """Return what an object or a variable is called."""
        if called and term in called:
            return called[term]
        return self.names.get(term) or words_of(term.lstrip("?"))

    def literals(self, literals: Sequence[tuple[syntax.GroundAtom, bool]]) -> list[str]:
        """Return literals as clauses: those that differ in one place only, and are said alike, as one clause."""
        return [each for group in _groups(literals) for each in self._group(group)]

    def clause(self, formula: syntax.Formula, called: Called | None = None) -> str:
        """Return a formula as a clause.

        Args:
            formula: Any formula of PDDL.
            called: What its free variables are called.
        """
        called = called or {}
        match formula:
            case syntax.Atom():
                return self.literal(formula, True, called)
            case syntax.Not(syntax.Atom() as atom):
                return self.literal(atom, False, called)
            case syntax.Equals(left, right):
                return f"{self.call(left, called)} is {self.call(right, called)}"
            case syntax.Not(syntax.Equals(left, right)):
                return f"{self.call(left, called)} is not {self.call(right, called)}"
            case syntax.Comparison():
                return say_comparison(formula, lambda term: self.call(term, called))
            case syntax.Not(syntax.Comparison() as comparison):
                return say_comparison(comparison, lambda term: self.call(term, called), affirmed=False)
            case syntax.Not(syntax.Exists(variables, body)) | syntax.Not(syntax.AtLeast(1, variables, body)):
                return self.quantified("no", variables, body, called)
            case syntax.Not(syntax.AtLeast(count, variables, body)):
                return self.quantified(f"at most {number_word(count - 1)}", variables, body, called, count > 2)
            case syntax.Not(operand):
                return f"it is not true that {self.clause(operand, called)}"
            case syntax.And():
                return self._conjunction(conjuncts(formula), called)
            case syntax.Or(operands):
                said = [self.clause(each, called) for each in operands]
                return f"either {join_clauses(said, 'or')}" if len(said) > 1 else "".join(said) or "nothing holds"
            case syntax.Imply(antecedent, consequent):
                return f"if {self.clause(antecedent, called)}, then {self.clause(consequent, called)}"
            case syntax.Forall(variables, body):
                return self.forall(variables, body, called)
            case syntax.Exists(variables, body):
                return self.quantified("some", variables, body, called)
            case syntax.AtLeast(count, variables, body):
                return self.quantified(f"at least {number_word(count)}", variables, body, called, count > 1)
            case _:
                raise TypeError(f"a formula of an unknown kind: {formula!r}")

    def literal(self, atom: syntax.Atom, affirmed: bool, called: Called) -> str:
        """Return that an atom holds, or that it does not."""
        return self._phrase(atom.predicate, affirmed).fill([self.call(each, called) for each in atom.terms])

    def _conjunction(self, parts: Sequence[syntax.Formula], called: Called) -> str:
        said: list[str] = []
        literals: list[tuple[syntax.GroundAtom, bool]] = []
        for part in parts:
            if isinstance(part, syntax.AtLeast) and syntax.Not(replace(part, count=part.count + 1)) in parts:
                some = f"exactly {number_word(part.count)}"
                said.append(self.quantified(some, part.variables, part.body, called, part.count > 1))
                continue
            denied = part.operand if isinstance(part, syntax.Not) else None
            if isinstance(denied, syntax.AtLeast) and replace(denied, count=denied.count - 1) in parts:
                continue  # said with the lower bound
            literal = _literal(part) if self.joins else None
            if literal is None or any(each.startswith("?") for each in literal[0][1:]):
                said.append(self.clause(part, called))
            else:
                literals.append(literal)
        return join_clauses([*self.literals(literals), *said]) or "everything is as it is"

    def forall(self, variables: Sequence[syntax.Typed], body: syntax.Formula, called: Called) -> str:
        """Return that all objects are such that a formula holds."""
        if isinstance(body, syntax.Not):
            return self.quantified("no", variables, body.operand, called)
        first = variables[0]
        noun = self._noun(first)
        condition, then = (body.antecedent, body.consequent) if isinstance(body, syntax.Imply) else (None, body)
        if len(variables) == 1 and condition is None and self._is_subject(first.name, then):
            return self.clause(then, {**called, first.name: f"every {noun.one}"})
        inner, introduced = self._introduce(variables, called, "every")
        if condition is not None:
            return f"for {introduced}, if {self.clause(condition, inner)}, then {self.clause(then, inner)}"
        return f"for {introduced}, {self.clause(then, inner)}"

    def quantified(
        self, some: str, variables: Sequence[syntax.Typed], body: syntax.Formula, called: Called, several: bool = False
    ) -> str:
        """Return that some, no or so many objects are such that a formula holds."""
        first = variables[0]
        noun = self._noun(first)
        word = noun.plural if several else noun.one
        if len(variables) == 1 and self._is_subject(first.name, body):
            inner = {**called, first.name: f"{some} {word}"}
            if several and isinstance(body, syntax.Atom):
                return self._phrase(body.predicate, True).of_many().fill([self.call(t, inner) for t in body.terms])
            return self.clause(body, inner)
        inner, introduced = self._introduce(variables, called, some if some in ("some", "no") else f"{some} of")
        begin = "there is" if not several else "there are"
        shown = f"{article(noun.one)}{introduced.removeprefix('some')}" if some == "some" else introduced
        if several:
            shown = f"{some} {word}" + introduced.split(noun.one, 1)[-1]
        return f"{begin} {shown} such that {self.clause(body, inner)}"

    def _introduce(self, variables: Sequence[syntax.Typed], called: Called, word: str) -> tuple[dict[str, str], str]:
        """Return what new variables are called from now on, and how they are introduced."""
        inner, shown = dict(called), []
        taken = {each.rsplit(" ", 1)[-1] for each in called.values()}
        free = iter([each for each in LETTERS if each not in taken])
        alone = len(variables) == 1 and not called
        for each in variables:
            noun = self._noun(each).one
            letter = "" if alone else f" {next(free, 'Q')}"
            inner[each.name] = f"that {noun}" if alone else f"{noun}{letter}"
            shown.append(f"{word} {noun}{letter}")
        return inner, say_list(shown)

    def _is_subject(self, variable: str, body: syntax.Formula) -> bool:
        """Whether a formula is a literal that begins with a variable, and has it once."""
        atom = body.operand if isinstance(body, syntax.Not) else body
        if not isinstance(atom, syntax.Atom) or atom.terms.count(variable) != 1:
            return False
        subject = self.wordings.predicates[atom.predicate][0].subject
        return subject is not None and atom.terms[subject] == variable

    def _noun(self, variable: syntax.Typed) -> Noun:
        nouns = [self.wordings.nouns.get(each) or new_noun(words_of(each)) for each in variable.types]
        many = " or ".join(each.plural for each in nouns)
        return new_noun(" or ".join(each.one for each in nouns), {"plural": many})

    def _phrase(self, predicate: str, affirmed: bool) -> Phrase:
        table = self.wordings.predicates if affirmed else self.wordings.negations
        return self.draw(table[predicate]) if predicate in table else Phrase((f"{words_of(predicate)} holds",))

    def _group(self, group: Sequence[tuple[syntax.GroundAtom, bool]]) -> list[str]:
        """Say literals of one predicate: by subject, or by what is said of many subjects, whichever is shorter."""
        (predicate, *_), affirmed = group[0]
        if predicate == VALUE:
            return [self.atom(atom, affirmed) for atom, _ in group]
        phrase = self._phrase(predicate, affirmed)
        subject = phrase.subject
        last = phrase.parts[-1] if len(phrase.parts) > 1 and isinstance(phrase.parts[-1], int) else None
        if len(group) < FEW or (subject is None and last is None):
            return [self._phrase(atom[0], sign).fill([self.call(t) for t in atom[1:]]) for atom, sign in group]
        alike = [_alike([atom for atom, _ in group], place) for place in (subject, last) if place is not None]
        best = min(alike, key=len)
        said = []
        for atoms, place in best:
            names = [self.call(each) for each in atoms[0][1:]]
            names[place] = say_list([self.call(atom[1 + place]) for atom in atoms], "or" if not affirmed else "and")
            many = phrase.of_many() if place == subject and len(atoms) > 1 else phrase
            if not affirmed and place == subject and len(atoms) > 1:
                names[place] = say_list([self.call(atom[1 + place]) for atom in atoms])
            said.append(many.fill(names))
        return said


def _alike(atoms: Sequence[syntax.GroundAtom], place: int) -> list[tuple[list[syntax.GroundAtom], int]]:
    """Return the atoms in groups that differ only in one argument."""
    groups: dict[tuple[str, ...], list[syntax.GroundAtom]] = {}
    for atom in atoms:
        groups.setdefault((*atom[: 1 + place], *atom[2 + place :]), []).append(atom)
    return [(each, place) for each in groups.values()]


def _groups(literals: Sequence[tuple[syntax.GroundAtom, bool]]) -> list[list[tuple[syntax.GroundAtom, bool]]]:
    found: dict[tuple[str, bool], list[tuple[syntax.GroundAtom, bool]]] = {}
    for atom, affirmed in literals:
        found.setdefault((atom[0], affirmed), []).append((atom, affirmed))
    return list(found.values())


def _literal(formula: syntax.Formula) -> tuple[syntax.GroundAtom, bool] | None:
    match formula:
        case syntax.Atom(predicate, terms):
            return (predicate, *terms), True
        case syntax.Not(syntax.Atom(predicate, terms)):
            return (predicate, *terms), False
        case _:
            return None
