"""The parts of a formula, its free variables, its atoms with their signs, its numbers; the parts of an effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.source import Source
from chorewright.errors import LimitError
from chorewright.files.english import closest


def parts(formula: syntax.Formula) -> tuple[syntax.Formula, ...]:
    """Return the formulas that a formula is made of, from left to right; atoms and comparisons have none."""
    match formula:
        case syntax.Not(operand):
            return (operand,)
        case syntax.And(operands) | syntax.Or(operands):
            return operands
        case syntax.Imply(antecedent, consequent):
            return antecedent, consequent
        case syntax.Forall(body=body) | syntax.Exists(body=body) | syntax.AtLeast(body=body):
            return (body,)
        case _:
            return ()


def with_parts(formula: syntax.Formula, change: Callable[[syntax.Formula], syntax.Formula]) -> syntax.Formula:
    """Return a formula of the same kind whose ``parts`` are changed, from left to right."""
    match formula:
        case syntax.Not(operand):
            return syntax.Not(change(operand))
        case syntax.And(operands) | syntax.Or(operands):
            return type(formula)(tuple(map(change, operands)))
        case syntax.Imply(antecedent, consequent):
            return syntax.Imply(change(antecedent), change(consequent))
        case syntax.Forall(body=body) | syntax.Exists(body=body) | syntax.AtLeast(body=body):
            return replace(formula, body=change(body))
        case _:
            return formula


def subformulas(formula: syntax.Formula) -> Iterator[syntax.Formula]:
    """Yield a formula and everything inside it, each before its parts, from left to right."""
    yield formula
    for part in parts(formula):
        yield from subformulas(part)


def own_terms(formula: syntax.Formula) -> tuple[str, ...]:
    """Return the variables and objects that an atom, equality or comparison names; other formulas name none."""
    match formula:
        case syntax.Atom(terms=terms):
            return terms
        case syntax.Equals(left, right):
            return left, right
        case syntax.Comparison():
            return tuple(term for each in numbers_in(formula) for term in each.terms)
        case _:
            return ()


def terms_in(formula: syntax.Formula) -> Iterator[str]:
    """Yield the variables and objects that a formula names."""
    for part in subformulas(formula):
        yield from own_terms(part)


def own_variables(formula: syntax.Formula) -> tuple[syntax.Typed, ...]:
    """Return the variables that a quantifier binds; other formulas bind none."""
    return formula.variables if isinstance(formula, syntax.Forall | syntax.Exists | syntax.AtLeast) else ()


def conjuncts(formula: syntax.Formula) -> tuple[syntax.Formula, ...]:
    """Return the parts of a (nested) conjunction; any other formula is its own only part."""
    if isinstance(formula, syntax.And):
        return tuple(part for operand in formula.operands for part in conjuncts(operand))
    return (formula,)


def free_variables(formula: syntax.Formula) -> frozenset[str]:
    """Return the variables that no quantifier of the formula binds."""
    return frozenset(ordered_variables(formula))


def ordered_variables(formula: syntax.Formula) -> tuple[str, ...]:
    """Return the variables that no quantifier of the formula binds, in the order in which they first occur."""
    found = own_terms(formula) or (name for part in parts(formula) for name in ordered_variables(part))
    bound = {typed.name for typed in own_variables(formula)}
    return tuple(dict.fromkeys(name for name in found if name.startswith("?") and name not in bound))


def atoms_with_signs(formula: syntax.Formula, positive: bool = True) -> Iterator[tuple[syntax.Atom, bool]]:
    """Yield the atoms of a formula, each with whether it is under an even number of negations."""
    match formula:
        case syntax.Atom():
            yield formula, positive
        case syntax.Not(operand):
            yield from atoms_with_signs(operand, not positive)
        case syntax.Imply(antecedent, consequent):
            yield from atoms_with_signs(antecedent, not positive)
            yield from atoms_with_signs(consequent, positive)
        case _:
            for part in parts(formula):
                yield from atoms_with_signs(part, positive)


def variables_in(formula: syntax.Formula) -> frozenset[str]:
    """Return all variables that occur in a formula, bound or free."""
    found: set[str] = set()
    for part in subformulas(formula):
        found.update(term for term in own_terms(part) if term.startswith("?"))
        found.update(typed.name for typed in own_variables(part))
    return frozenset(found)


def function_terms(expression: syntax.Expression) -> Iterator[syntax.FunctionTerm]:
    """Yield the functions that an expression reads, from left to right."""
    if isinstance(expression, syntax.FunctionTerm):
        yield expression
    elif isinstance(expression, syntax.Arithmetic):
        for operand in expression.operands:
            yield from function_terms(operand)


def numbers_in(formula: syntax.Formula) -> Iterator[syntax.FunctionTerm]:
    """Yield the functions that the comparisons of a formula read."""
    for part in subformulas(formula):
        if isinstance(part, syntax.Comparison):
            yield from function_terms(part.left)
            yield from function_terms(part.right)


def subeffects(effect: syntax.Effect) -> Iterator[syntax.Effect]:
    """Yield an effect and everything inside it, each before its parts, from left to right."""
    yield effect
    match effect:
        case syntax.AndEffect(effects):
            for part in effects:
                yield from subeffects(part)
        case syntax.ForallEffect(_, inner) | syntax.WhenEffect(_, inner):
            yield from subeffects(inner)
        case _:
            return


def with_inner(
    effect: syntax.Effect,
    change: Callable[[syntax.Effect], syntax.Effect],
    condition: Callable[[syntax.Formula], syntax.Formula] = lambda same: same,
) -> syntax.Effect:
    """Return an effect of the same kind with changed inner effects, and a changed condition where it has one."""
    match effect:
        case syntax.AndEffect(effects):
            return syntax.AndEffect(tuple(map(change, effects)))
        case syntax.ForallEffect(variables, inner):
            return syntax.ForallEffect(variables, change(inner))
        case syntax.WhenEffect(when, inner):
            return syntax.WhenEffect(condition(when), change(inner))
        case _:
            return effect


def simple_effects(
    effect: syntax.Effect,
) -> Iterator[syntax.AddEffect | syntax.DeleteEffect | syntax.IncreaseCost | syntax.ChangeNumber]:
    """Yield the parts of an effect that change one thing each, whatever they stand below."""
    return (part for _, part in effects_with_scopes(effect))


def effects_with_scopes(
    effect: syntax.Effect, scope: tuple[syntax.Typed, ...] = ()
) -> Iterator[
    tuple[tuple[syntax.Typed, ...], syntax.AddEffect | syntax.DeleteEffect | syntax.IncreaseCost | syntax.ChangeNumber]
]:
    """Yield the same parts, each with the variables of the quantifiers around it."""
    match effect:
        case syntax.AndEffect(effects):
            for inner in effects:
                yield from effects_with_scopes(inner, scope)
        case syntax.ForallEffect(variables, inner):
            yield from effects_with_scopes(inner, (*scope, *variables))
        case syntax.WhenEffect(_, inner):
            yield from effects_with_scopes(inner, scope)
        case _:
            yield scope, effect


def conditions_in(effect: syntax.Effect) -> Iterator[syntax.Formula]:
    """Yield the conditions of the parts of an effect."""
    return (part.condition for part in subeffects(effect) if isinstance(part, syntax.WhenEffect))


def increases_of(effect: syntax.Effect) -> Iterator[syntax.IncreaseCost]:
    """Yield the increases of plain costs that an effect consists of."""
    return (part for part in simple_effects(effect) if isinstance(part, syntax.IncreaseCost))


# The type hierarchy: which types are subtypes of which.


OBJECT = "object"
_SEPARATOR = re.compile(r"\s-[\s(]")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Declared types in their order, ``object`` first, each with all types above it, itself included."""

    above: dict[str, frozenset[str]]

    def __contains__(self, name: str) -> bool:
        return name in self.above

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Whether a type equals another or lies below it; an undeclared one lies below itself only."""
        return name == ancestor or ancestor == OBJECT or ancestor in self.above.get(name, ())

    def fits(self, types: Sequence[str], wanted: Sequence[str]) -> bool:
        """Whether every object of (any of) ``types`` is certainly of one of the ``wanted`` types."""
        return all(any(self.is_subtype(name, ancestor) for ancestor in wanted) for name in types)

    def below(self, name: str) -> tuple[str, ...]:
        """The types equal to or below a type, in the order of their declaration."""
        return tuple(other for other in self.above if self.is_subtype(other, name))


@lru_cache(maxsize=64)
def hierarchy(types: tuple[syntax.Typed, ...]) -> Hierarchy:
    """The hierarchy of a domain's ``types``. Cycles are walked once; the checks report them."""
    parents: dict[str, list[str]] = {OBJECT: []}
    for entry in types:
        parents.setdefault(entry.name, []).extend(entry.types)
    return Hierarchy({name: frozenset(types_above(parents, (name,))) for name in parents})


def types_above(parents: Mapping[str, Sequence[str]], types: Iterable[str]) -> tuple[str, ...]:
    """Types and everything above them, ``object`` last."""
    found: dict[str, None] = {}
    waiting = list(types)
    while waiting:
        name = waiting.pop()
        if name not in found and name != OBJECT:
            found[name] = None
            waiting.extend(parents.get(name, ()))
    return (*found, OBJECT)


def merge(types: Sequence[syntax.Typed], source: Source) -> tuple[syntax.Typed, ...]:
    """Types that are declared several times, each as one declaration.

    ``area - object ... area - surface`` (as a competition domain has it) gives ``area`` both parents, and the
    same parent may be said again. A name that is repeated in one list (``jar jar - container``) is left for
    the checks to report.
    """
    places: dict[str, int] = {}
    found: list[syntax.Typed] = []
    for entry in types:
        place = places.setdefault(entry.name, len(found))
        if place == len(found):
            found.append(entry)
            continue
        if set(entry.types) <= set(found[place].types):
            if not _apart(found[place], entry, source):
                found.append(entry)
            continue
        parents = dict.fromkeys((*found[place].types, *entry.types))
        found[place] = replace(found[place], types=tuple(name for name in parents if name != OBJECT))
    return tuple(found)


def _apart(one: syntax.Typed, other: syntax.Typed, source: Source) -> bool:
    """Whether two declarations stand in different lists: the first has its type between them."""
    if one.position is None or other.position is None:
        return False
    return _SEPARATOR.search(source.text[source.offset(one.position) : source.offset(other.position)]) is not None


def with_parents(types: Sequence[syntax.Typed], misspelt: bool = False) -> tuple[syntax.Typed, ...]:
    """Types, followed by those that are only named as parents: they are declared by that.

    Args:
        types: The types.
        misspelt: Whether names that resemble declared ones are left out: they are taken for mistakes.
    """
    declared = (OBJECT, *(entry.name for entry in types))
    undeclared = {
        parent: entry.position
        for entry in reversed(types)
        for parent in reversed(entry.types)
        if parent not in declared and not parent.startswith("?")
    }
    meant = [name for name in undeclared if not misspelt or closest(name, declared) is None]
    return (*types, *(syntax.Typed(name, (OBJECT,), undeclared[name]) for name in reversed(meant)))


def is_subtype(domain: syntax.Domain, name: str, ancestor: str) -> bool:
    """Whether a type of the domain equals another or lies below it."""
    return hierarchy(domain.types).is_subtype(name, ancestor)


def types_below(domain: syntax.Domain, name: str) -> tuple[str, ...]:
    """The types of the domain equal to or below a type, in the order of their declaration.

    ``object`` is the first of the types below ``object``.
    """
    return hierarchy(domain.types).below(name)


# ``at-least`` in plain PDDL: that many witnesses, pairwise different.


MAX_EXPANDED = 64
"""The largest count of ``at-least`` that is expanded: its inequalities grow with the square."""

MAX_COPIES = 4096
"""The largest number of copies that nested ``at-least`` make of a condition: the product of their counts."""


def expanded(formula: syntax.Formula) -> syntax.Formula:
    """The formula without ``at-least``: ``exists`` over copies of its variables that differ pairwise.

    Copy ``k`` of ``?x`` is ``?x_k``, or ``?x_k_`` and so on where that name occurs already.

    Raises:
        LimitError: a count is above ``MAX_EXPANDED``, or nested ones copy more than ``MAX_COPIES`` times.
    """
    if (copies := _copies(formula)) > MAX_COPIES:
        raise LimitError(f"nested at-least would copy a condition {copies} times; the limit is {MAX_COPIES}")
    return _plain(formula)


def _copies(formula: syntax.Formula) -> int:
    """How many copies of a condition the expansion of a formula makes at most."""
    copies = max(map(_copies, parts(formula)), default=1)
    return max(formula.count, 1) * copies if isinstance(formula, syntax.AtLeast) else copies


def _plain(formula: syntax.Formula) -> syntax.Formula:
    plain = with_parts(formula, _plain)
    return _expand(plain.count, plain.variables, plain.body) if isinstance(plain, syntax.AtLeast) else plain


def _expand(count: int, variables: Sequence[syntax.Typed], body: syntax.Formula) -> syntax.Formula:
    if count == 0:
        return syntax.And(())
    if count == 1:
        return syntax.Exists(tuple(variables), body)
    if count > MAX_EXPANDED:
        raise LimitError(f"at-least {count} is too large to be expanded; the limit is {MAX_EXPANDED}")
    taken = {*variables_in(body), *(entry.name for entry in variables)}
    copies: list[dict[str, str]] = []
    for number in range(1, count + 1):
        copy: dict[str, str] = {}
        for entry in variables:
            name = f"{entry.name}_{number}"
            while name in taken:
                name += "_"
            taken.add(name)
            copy[entry.name] = name
        copies.append(copy)
    bound = tuple(syntax.Typed(copy[entry.name], entry.types) for copy in copies for entry in variables)
    different: list[syntax.Formula] = []
    for one, other in combinations(copies, 2):
        unequal = tuple(syntax.Not(syntax.Equals(one[entry.name], other[entry.name])) for entry in variables)
        different.append(unequal[0] if len(unequal) == 1 else syntax.Or(unequal))
    return syntax.Exists(bound, syntax.And((*different, *(rename(body, copy) for copy in copies))))


def rename_number(expression: syntax.Expression, names: Mapping[str, str]) -> syntax.Expression:
    """The expression with variables renamed."""
    match expression:
        case syntax.FunctionTerm(function, terms, position):
            return syntax.FunctionTerm(function, tuple(names.get(term, term) for term in terms), position)
        case syntax.Arithmetic(operator, operands):
            return syntax.Arithmetic(operator, tuple(rename_number(operand, names) for operand in operands))
        case _:
            return expression


def rename(formula: syntax.Formula, names: Mapping[str, str]) -> syntax.Formula:
    """The formula with free variables renamed to names that occur nowhere in it."""
    match formula:
        case syntax.Atom(predicate, terms, position):
            return syntax.Atom(predicate, tuple(names.get(term, term) for term in terms), position)
        case syntax.Equals(left, right, position):
            return syntax.Equals(names.get(left, left), names.get(right, right), position)
        case syntax.Comparison(operator, one, other, position):
            return syntax.Comparison(operator, rename_number(one, names), rename_number(other, names), position)
        case syntax.Forall(variables) | syntax.Exists(variables) | syntax.AtLeast(variables=variables):
            bound = {entry.name for entry in variables}
            names = {old: new for old, new in names.items() if old not in bound}
        case _:
            pass
    return with_parts(formula, lambda part: rename(part, names))
