"""Checks of names in formulas and effects: declared, bound, with the right number and types of terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.grammar import BROKEN, NUMBER
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.subformulas import OBJECT, Hierarchy, function_terms, hierarchy, parts
from chorewright.files.english import article, did_you_mean

Scope = Mapping[str, tuple[str, ...]]
"""Variables in scope with their types."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """What names mean in a domain and, if there is one, a problem."""

    types: Hierarchy
    predicates: Mapping[str, syntax.Signature]
    functions: Mapping[str, syntax.Signature]
    objects: Mapping[str, tuple[str, ...]]
    derived: frozenset[str]

    @classmethod
    def of(cls, domain: syntax.Domain, objects: Iterable[syntax.Typed] = ()) -> Symbols:
        """The symbols of a domain and the objects of a problem; the first of two declarations counts."""
        named: dict[str, tuple[str, ...]] = {}
        for entry in (*domain.constants, *objects):
            named.setdefault(entry.name, entry.types)
        return cls(
            types=hierarchy(domain.types),
            predicates={signature.name: signature for signature in reversed(domain.predicates)},
            functions={signature.name: signature for signature in reversed(domain.functions)},
            objects=named,
            derived=frozenset(axiom.head.name for axiom in domain.axioms),
        )


def check_formula(
    formula: syntax.Formula, symbols: Symbols, variables: Sequence[syntax.Typed], findings: Findings
) -> None:
    """Record everything that is wrong with a formula in which these variables are free."""
    check_condition(formula, symbols, bound(variables), findings)


def check_types(entries: Sequence[syntax.Typed], symbols: Symbols, findings: Findings) -> None:
    for entry in entries:
        for name in entry.types:
            if name not in symbols.types and not findings.has(f"type {name}"):
                message = f"the type '{name}' is not declared"
                hint = did_you_mean(name, symbols.types.above) or "declare it in (:types ...)"
                findings.error(findings.word(entry.position, name), message, hint, once=f"type {name}")


def check_variables(entries: Sequence[syntax.Typed], symbols: Symbols, findings: Findings, where: str) -> None:
    check_types(entries, symbols, findings)
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            findings.error(entry.position, f"the variable '{entry.name}' is repeated in {where}")
        seen.add(entry.name)


def check_condition(formula: syntax.Formula, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    match formula:
        case syntax.Atom():
            check_atom(formula, symbols, scope, findings)
        case syntax.Equals(left, right, position):
            for place, term in enumerate((left, right), start=1):
                if NUMBER.match(term) and term not in symbols.objects:
                    message = f"'=' compares objects, or a number with a function, and no object '{term}' is declared"
                    findings.error(findings.term(position, place), message, once=f"object {term}")
                _term_types(term, position, place, symbols, scope, findings)
        case syntax.Comparison(_, one, other):
            check_number(one, symbols, scope, findings)
            check_number(other, symbols, scope, findings)
        case syntax.Forall(variables, body) | syntax.Exists(variables, body) | syntax.AtLeast(_, variables, body):
            check_condition(body, symbols, _extend(scope, variables, symbols, findings), findings)
        case _:
            for part in parts(formula):
                check_condition(part, symbols, scope, findings)


def _extend(scope: Scope, variables: Sequence[syntax.Typed], symbols: Symbols, findings: Findings) -> Scope:
    check_variables(variables, symbols, findings, "this list")
    return {**scope, **bound(variables)}


def bound(variables: Sequence[syntax.Typed]) -> Scope:
    """Variables with their types; a variable that is repeated with another type has none."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in variables:
        found[entry.name] = entry.types if found.get(entry.name, entry.types) == entry.types else ()
    return found


def check_effect(effect: syntax.Effect, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    match effect:
        case syntax.AddEffect(atom) | syntax.DeleteEffect(atom):
            if atom.predicate in symbols.derived:
                at = findings.term(atom.position, 0)
                message = f"'{atom.predicate}' is derived by an axiom, so no action can change it"
                findings.error(at, message, "change what its axiom depends on")
            check_atom(atom, symbols, scope, findings)
        case syntax.AndEffect(effects):
            for inner in effects:
                check_effect(inner, symbols, scope, findings)
        case syntax.ForallEffect(variables, inner):
            check_effect(inner, symbols, _extend(scope, variables, symbols, findings), findings)
        case syntax.WhenEffect(condition, inner):
            check_condition(condition, symbols, scope, findings)
            check_effect(inner, symbols, scope, findings)
        case syntax.IncreaseCost():
            _check_cost(effect, symbols, scope, findings)
        case syntax.ChangeNumber(_, target, amount):
            check_number(target, symbols, scope, findings)
            check_number(amount, symbols, scope, findings)


def check_number(expression: syntax.Expression, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    """Check the functions of an expression; ``?duration`` is known where ``scope`` has it."""
    for read in function_terms(expression):
        name, position = read.function, read.position
        if name == syntax.DURATION:
            if syntax.DURATION not in scope:
                findings.error(position, f"'{syntax.DURATION}' is known in durative actions only")
            continue
        if (
            name in (syntax.TOTAL_TIME, syntax.VIOLATIONS)
            and syntax.TOTAL_TIME in scope
            and name not in symbols.functions
        ):
            continue
        signature = find_signature(name, symbols.functions, "function", position, findings)
        check_terms(name, read.terms, signature, position, symbols, scope, findings)


def _check_cost(effect: syntax.IncreaseCost, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    position, name = effect.position, effect.function
    if name == syntax.TOTAL_COST and name not in symbols.functions:
        if not findings.doubts(syntax.TOTAL_COST):
            message = f"the function '{syntax.TOTAL_COST}' is not declared"
            at = findings.word(position, syntax.TOTAL_COST)
            findings.error(at, message, f"add (:functions ({syntax.TOTAL_COST}) - number)", once=message)
    else:
        at = findings.word(position, name)
        declared = find_signature(name, symbols.functions, "function", at, findings)
        check_terms(name, effect.terms, declared, position, symbols, scope, findings)
    check_number(effect.amount, symbols, scope, findings)


def check_atom(atom: syntax.Atom, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    signature = find_signature(atom.predicate, symbols.predicates, "predicate", atom.position, findings)
    check_terms(atom.predicate, atom.terms, signature, atom.position, symbols, scope, findings)


def find_signature(
    name: str,
    declared: Mapping[str, syntax.Signature],
    what: str,
    position: syntax.Position | int | None,
    findings: Findings,
) -> syntax.Signature | None:
    """The declaration of a predicate or function; if there is none, this is reported once for each name.

    None, too, where the name or its declaration is broken.
    """
    if name == BROKEN or findings.doubts(name) or findings.has(f"{what} {name}"):
        return None
    if name in declared:
        return declared[name]
    at = findings.term(position, 0) if isinstance(position, syntax.Position) else position
    hint = did_you_mean(name, declared) or f"declare it in (:{what}s ...)"
    findings.error(at, f"the {what} '{name}' is not declared", hint, once=f"{what} {name}")
    return None


def check_terms(
    name: str,
    terms: Sequence[str],
    signature: syntax.Signature | None,
    position: syntax.Position | None,
    symbols: Symbols,
    scope: Scope,
    findings: Findings,
) -> None:
    """Check that terms are declared, as many as the parameters, and of their types.

    A variable that stands for any object fits everywhere: atoms are false of objects that do not fit.
    """
    given = [_term_types(term, position, index, symbols, scope, findings) for index, term in enumerate(terms, start=1)]
    if signature is None:
        return
    if len(terms) != len(signature.parameters):
        wrong_arity(name, len(terms), signature, position, findings)
        return
    wanted = [parameter.types for parameter in signature.parameters]
    for index, types in enumerate(given):
        if types is None or symbols.types.fits(types, wanted[index]):
            continue
        if types == (OBJECT,) and terms[index].startswith("?"):
            continue
        if not (is_known(types, symbols, findings) and is_known(wanted[index], symbols, findings)):
            continue
        _wrong_type(findings.term(position, index + 1), terms, given, index, signature, symbols, findings)
        return


def is_known(types: Sequence[str], symbols: Symbols, findings: Findings) -> bool:
    """Whether the supertypes of these types are known."""
    names = [above for name in types for above in (name, *symbols.types.above.get(name, ()))]
    return bool(types) and all(name in symbols.types and not findings.doubts(name) for name in names)


def _term_types(
    term: str, position: syntax.Position | None, index: int, symbols: Symbols, scope: Scope, findings: Findings
) -> tuple[str, ...] | None:
    """The types of a term; None where it is unknown, which is reported, or broken."""
    if term == BROKEN or findings.doubts(term):
        return None
    if term.startswith("?"):
        if term in scope:
            return scope[term]
        hint = did_you_mean(term, scope) or "add it to the parameters or to a quantifier"
        findings.error(findings.term(position, index), f"the variable '{term}' is not bound here", hint)
        return None
    if term in symbols.objects or findings.has(f"object {term}"):
        return symbols.objects.get(term)
    message = f"the object '{term}' is not declared"
    if f"?{term}" in scope:
        guess: str | None = f"did you mean the variable '?{term}'?"
    else:
        guess = did_you_mean(term, symbols.objects)
    findings.error(findings.term(position, index), message, guess, once=f"object {term}")
    return None


def wrong_arity(
    name: str, count: int, signature: syntax.Signature, position: syntax.Position | int | None, findings: Findings
) -> None:
    wanted = len(signature.parameters)
    message = f"'{name}' takes {wanted} argument{'s' * (wanted != 1)}, not {count}"
    findings.error(position, message, f"it is declared as {show_signature(signature)}")


def _wrong_type(
    at: int | syntax.Position | None,
    terms: Sequence[str],
    given: Sequence[tuple[str, ...] | None],
    index: int,
    signature: syntax.Signature,
    symbols: Symbols,
    findings: Findings,
) -> None:
    wanted = [parameter.types for parameter in signature.parameters]
    found = f"'{terms[index]}' is {show_types(given[index] or ())}"
    message = f"{found}, but '{signature.name}' takes {show_types(wanted[index])} here"
    hint = f"it is declared as {show_signature(signature)}"
    if len(terms) == 2:
        swapped = [types for types in reversed(given) if types is not None]
        if len(swapped) == 2 and all(symbols.types.fits(*pair) for pair in zip(swapped, wanted, strict=True)):
            hint += f"; ({signature.name} {terms[1]} {terms[0]}) would fit"
    findings.error(at, message, hint)


def show_types(types: Sequence[str]) -> str:
    """Types with an article, for a message."""
    shown = " or ".join(types)
    return f"{article(shown)} {shown}"


def show_signature(signature: syntax.Signature) -> str:
    """A signature in PDDL."""
    words = [signature.name]
    for parameter in signature.parameters:
        types = parameter.types
        words.append(parameter.name if types == (OBJECT,) else f"{parameter.name} - {'/'.join(types)}")
    return f"({' '.join(words)})"
