"""The reference's goals: formulas over untyped objects with a predicate for each type, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from chorewright.domains.handmethat.object_space import category_of, object_name, object_space, reference_name
from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.grammar import NestedList, read_nested, write_nested
from chorewright.domains.pddl.parser import parse_formula
from chorewright.errors import InputError, UnsupportedError
from chorewright.problems.handmethat.scene import HUMAN

_TYPE = "type-"
_ANYTHING = "phyobj"


def goal_of_reference(text: str, names: Iterable[str]) -> syntax.Formula:
    """Return a goal of the reference over the domain's types.

    ``(forall (?x - phyobj) (or (not (type-pop ?x)) ...))`` becomes ``(forall (?x - pop) ...)``, and
    ``exists`` with ``and`` likewise; of a quantifier directly inside its like one is made.

    Args:
        text: The goal.
        names: Our names of the scene's objects.

    Raises:
        InputError: It is no goal of this shape.
    """
    found = read_nested(text)
    if len(found) != 1:
        raise InputError("the goal is not one condition in parentheses")
    tree = _type_quantifiers(found[0])
    objects = [syntax.Typed(HUMAN, ("human",)), *(syntax.Typed(name, (category_of(name),)) for name in names)]
    return parse_formula(write_nested(tree), handmethat_domain(), objects)


def _type_quantifiers(tree: NestedList) -> NestedList:
    """Return a formula with quantifiers over types, and with our names."""
    match tree:
        case [("forall" | "exists") as quantifier, [str() as variable, "-", str()], list() as body]:
            parts = body[1:] if body[:1] == [_junction(quantifier)] else [body]
            kind = next(filter(None, (_type(part, variable, quantifier) for part in parts)), "")
            rest = [part for part in parts if not _type(part, variable, quantifier)]
            own: list[NestedList] = [variable, "-", kind or "object"]
            match rest:
                case [["and", [str() as other, *_] as single]] if other == quantifier:
                    return [quantifier, own, _type_quantifiers(single)]
                case [[str() as other, *_] as single] if other == quantifier:
                    found = cast("list[NestedList]", _type_quantifiers(single))
                    return [quantifier, [*own, *cast("list[NestedList]", found[1])], found[2]]
                case [single]:
                    return [quantifier, own, _type_quantifiers(single)]
            return [quantifier, own, [_junction(quantifier), *map(_type_quantifiers, rest)]]
        case str():
            return tree
        case [("and" | "or" | "not") as head, *parts]:
            return [head, *map(_type_quantifiers, parts)]
        case [str() as predicate, *terms] if not predicate.startswith(_TYPE):
            return [predicate, *(_term(term) for term in terms)]
    raise InputError(f"the goal has a part that is not of the reference's shape: {write_nested(tree):.60}")


def _junction(quantifier: str) -> str:
    return "or" if quantifier == "forall" else "and"


def _type(part: NestedList, variable: str, quantifier: str) -> str:
    """Return the type that a part of a quantifier's body gives its variable; empty if it gives none."""
    match part:
        case ["not", list() as test] if quantifier == "forall":
            pass
        case list() as test if quantifier == "exists":
            pass
        case _:
            return ""
    tests = test[1:] if test[:1] == ["or"] else [test]
    kinds: list[str] = []
    for each in tests:
        match each:
            case [str() as word, str() as name] if name == variable and word.startswith(_TYPE):
                kinds.append(object_space().category_of_reference(word.removeprefix(_TYPE)).name)
            case _:
                return ""
    return _common(tuple(kinds))


def _common(kinds: tuple[str, ...]) -> str:
    """Return the type of just these categories: one of them, a subclass, a class, or ``(either ...)``."""
    space = object_space()
    for name in (*kinds[:1], *space.subclasses, *space.classes):
        if space.members(name) == kinds:
            return name
    return f"(either {' '.join(kinds)})"


def _term(term: NestedList) -> str:
    if not isinstance(term, str):
        raise InputError("the goal has a condition inside a condition")
    return term if term.startswith("?") else object_name(term, object_space())


def reference_of_goal(formula: syntax.Formula) -> str:
    """Return a goal in the reference's form.

    Raises:
        UnsupportedError: It counts (``at-least``) or compares numbers, which the reference cannot.
    """
    match formula:
        case syntax.Atom(predicate, terms):
            return f"({' '.join((predicate, *map(_reference_term, terms)))})"
        case syntax.Equals(left, right):
            return f"(= {_reference_term(left)} {_reference_term(right)})"
        case syntax.Not(operand):
            return f"(not {reference_of_goal(operand)})"
        case syntax.And(operands):
            return f"(and {' '.join(map(reference_of_goal, operands))})"
        case syntax.Or(operands):
            return f"(or {' '.join(map(reference_of_goal, operands))})"
        case syntax.Imply(antecedent, consequent):
            return f"(or (not {reference_of_goal(antecedent)}) {reference_of_goal(consequent)})"
        case syntax.Forall(variables, body):
            return _quantify("forall", variables, _inner(body, isinstance(body, syntax.Forall)))
        case syntax.Exists(variables, body):
            return _quantify("exists", variables, _inner(body, isinstance(body, syntax.Exists)))
        case syntax.AtLeast() | syntax.Comparison():
            raise UnsupportedError("the reference's goals have no 'at-least'")


def _inner(body: syntax.Formula, alike: bool) -> str:
    """Return the body of a quantifier; a like quantifier in it is kept apart from further variables."""
    text = reference_of_goal(body)
    return f"(and {text})" if alike else text


def _quantify(quantifier: str, variables: Sequence[syntax.Typed], body: str) -> str:
    text = body
    for variable in reversed(variables):
        kinds = _kinds(variable)
        test = kinds[0] if len(kinds) == 1 else f"(or {' '.join(kinds)})"
        if quantifier == "forall":
            text = f"(forall ({variable.name} - {_ANYTHING}) (or (not {test}) {text}))"
        else:
            text = f"(exists ({variable.name} - {_ANYTHING}) (and {test} {text}))"
    return text


def _kinds(variable: syntax.Typed) -> list[str]:
    """Return the tests of the reference's types that a variable's type stands for."""
    space = object_space()
    names = [name for each in variable.types for name in space.members(each)]
    return [f"({_TYPE}{space.categories[name].reference} {variable.name})" for name in names]


def _reference_term(term: str) -> str:
    return term if term.startswith("?") else reference_name(term, object_space())
