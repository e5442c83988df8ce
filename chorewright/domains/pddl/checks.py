"""What a well-formed domain, problem or formula may still have wrong: names, types, arities, scopes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chorewright.domains.pddl import strata
from chorewright.domains.pddl.source import Findings, did_you_mean
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    And,
    AndEffect,
    AtLeast,
    Atom,
    Axiom,
    DeleteEffect,
    Domain,
    Effect,
    Equals,
    Exists,
    Forall,
    ForallEffect,
    Formula,
    FunctionTerm,
    FunctionValue,
    Imply,
    IncreaseCost,
    Not,
    Or,
    Position,
    Problem,
    Signature,
    Typed,
    WhenEffect,
)
from chorewright.domains.pddl.types import OBJECT, Hierarchy, hierarchy

TOTAL_COST = "total-cost"

Scope = Mapping[str, tuple[str, ...]]
"""Variables in scope with their types."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """What names mean in a domain and, where there is one, a problem."""

    types: Hierarchy
    predicates: Mapping[str, Signature]
    functions: Mapping[str, Signature]
    objects: Mapping[str, tuple[str, ...]]
    derived: frozenset[str]

    @classmethod
    def of(cls, domain: Domain, objects: Iterable[Typed] = ()) -> Symbols:
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


def check_domain(domain: Domain, findings: Findings) -> None:
    """Record everything that is wrong with a domain."""
    symbols = Symbols.of(domain)
    _check_type_declarations(domain, symbols, findings)
    _check_repeated(domain.constants, "constant", findings)
    _check_types(domain.constants, symbols, findings)
    for what, signatures in (("predicate", domain.predicates), ("function", domain.functions)):
        _check_repeated(signatures, what, findings)
        for signature in signatures:
            # Names of parameters mean nothing here, and files of the competitions repeat them.
            _check_types(signature.parameters, symbols, findings)
    _check_repeated(domain.actions, "action", findings)
    for axiom in domain.axioms:
        _check_axiom(axiom, symbols, findings)
    strata.check_strata(domain.axioms, findings)
    for action in domain.actions:
        _check_action(action, symbols, findings)


def check_problem(
    problem: Problem,
    domain: Domain,
    findings: Findings,
    init_offsets: Sequence[int] = (),
    value_offsets: Sequence[int] = (),
) -> None:
    """Record everything that is wrong with a problem of a domain.

    Args:
        problem: the problem.
        domain: its domain, which has been checked.
        findings: where errors go.
        init_offsets: the offset of each initial atom in the source, if there is one.
        value_offsets: the same for the initial function values.
    """
    symbols = Symbols.of(domain, problem.objects)
    constants = frozenset(entry.name for entry in domain.constants)
    for entry in problem.objects:
        if entry.name in constants:
            findings.error(
                entry.position, f"'{entry.name}' is a constant of the domain already", "leave it out here"
            )
    _check_repeated(problem.objects, "object", findings)
    _check_types(problem.objects, symbols, findings)
    _check_init(problem, symbols, findings, init_offsets)
    _check_values(problem.values, symbols, findings, value_offsets)
    check_formula(problem.goal, symbols, (), findings)


def check_formula(formula: Formula, symbols: Symbols, variables: Sequence[Typed], findings: Findings) -> None:
    """Record everything that is wrong with a formula in which these variables are free."""
    _check_condition(formula, symbols, {entry.name: entry.types for entry in variables}, findings)


def _check_type_declarations(domain: Domain, symbols: Symbols, findings: Findings) -> None:
    _check_repeated(domain.types, "type", findings)
    _check_types(domain.types, symbols, findings)
    parents = {entry.name: entry.types for entry in reversed(domain.types)}
    done: set[str] = set()
    for entry in domain.types:
        path: list[str] = []
        name = entry.name
        while name in parents and name not in done:
            if name in path:
                cycle = path[path.index(name) :]
                shown = " - ".join([*cycle, name])
                findings.error(
                    _declared(domain.types, name), f"the type '{name}' is a subtype of itself: {shown}"
                )
                break
            path.append(name)
            name = next((parent for parent in parents[name] if parent in parents), OBJECT)
        done.update(path)


def _declared(entries: Sequence[Typed], name: str) -> Position | None:
    return next(entry.position for entry in entries if entry.name == name)


def _check_repeated(
    entries: Sequence[Typed] | Sequence[Signature] | Sequence[Action], what: str, findings: Findings
) -> None:
    """Names may be declared once."""
    first: dict[str, Typed | Signature | Action] = {}
    for entry in entries:
        if entry.name not in first:
            first[entry.name] = entry
            continue
        before = first[entry.name].position
        where = f", first in line {before.line}" if before else ""
        at = entry.position if isinstance(entry, Typed) else findings.word(entry.position, entry.name)
        findings.error(at, f"the {what} '{entry.name}' is declared twice{where}")


def _check_types(entries: Sequence[Typed], symbols: Symbols, findings: Findings) -> None:
    for entry in entries:
        for name in entry.types:
            if name not in symbols.types:
                message = f"the type '{name}' is not declared"
                hint = did_you_mean(name, symbols.types.above) or "declare it in (:types ...)"
                findings.error(findings.word(entry.position, name), message, hint, once=f"type {name}")


def _check_variables(entries: Sequence[Typed], symbols: Symbols, findings: Findings, where: str) -> None:
    _check_types(entries, symbols, findings)
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            findings.error(entry.position, f"the variable '{entry.name}' is repeated in {where}")
        seen.add(entry.name)


def _check_axiom(axiom: Axiom, symbols: Symbols, findings: Findings) -> None:
    head = axiom.head
    _check_variables(head.parameters, symbols, findings, f"the head of axiom '{head.name}'")
    signature = _signature(head.name, symbols.predicates, "predicate", head.position, findings)
    if signature is not None and len(signature.parameters) != len(head.parameters):
        _wrong_arity(head.name, len(head.parameters), signature, head.position, findings)
    elif signature is not None:
        for given, declared in zip(head.parameters, signature.parameters, strict=True):
            # An untyped head takes any object, which files of the competitions rely on.
            if given.types != (OBJECT,) and not symbols.types.fits(given.types, declared.types):
                findings.error(
                    given.position, f"'{given.name}' is {_a(given.types)}, not {_a(declared.types)}"
                )
    check_formula(axiom.body, symbols, head.parameters, findings)


def _check_action(action: Action, symbols: Symbols, findings: Findings) -> None:
    _check_variables(action.parameters, symbols, findings, f"the parameters of action '{action.name}'")
    scope = {entry.name: entry.types for entry in action.parameters}
    _check_condition(action.precondition, symbols, scope, findings)
    _check_effect(action.effect, symbols, scope, findings)


def _check_condition(formula: Formula, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    match formula:
        case Atom():
            _check_atom(formula, symbols, scope, findings)
        case Equals(left, right, position):
            _term_types(left, position, 1, symbols, scope, findings)
            _term_types(right, position, 2, symbols, scope, findings)
        case Not(operand):
            _check_condition(operand, symbols, scope, findings)
        case And(operands) | Or(operands):
            for operand in operands:
                _check_condition(operand, symbols, scope, findings)
        case Imply(antecedent, consequent):
            _check_condition(antecedent, symbols, scope, findings)
            _check_condition(consequent, symbols, scope, findings)
        case Forall(variables, body) | Exists(variables, body) | AtLeast(_, variables, body):
            _check_condition(body, symbols, _extended(scope, variables, symbols, findings), findings)


def _extended(scope: Scope, variables: Sequence[Typed], symbols: Symbols, findings: Findings) -> Scope:
    _check_variables(variables, symbols, findings, "this list")
    return {**scope, **{entry.name: entry.types for entry in variables}}


def _check_effect(effect: Effect, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    match effect:
        case AddEffect(atom) | DeleteEffect(atom):
            if atom.predicate in symbols.derived:
                at = findings.term(atom.position, 0)
                message = f"'{atom.predicate}' is derived by an axiom, so no action can change it"
                findings.error(at, message, "change what its axiom depends on")
            _check_atom(atom, symbols, scope, findings)
        case AndEffect(effects):
            for inner in effects:
                _check_effect(inner, symbols, scope, findings)
        case ForallEffect(variables, inner):
            _check_effect(inner, symbols, _extended(scope, variables, symbols, findings), findings)
        case WhenEffect(condition, inner):
            _check_condition(condition, symbols, scope, findings)
            _check_effect(inner, symbols, scope, findings)
        case IncreaseCost(amount, position):
            _check_cost(amount, position, symbols, scope, findings)


def _check_cost(
    amount: float | FunctionTerm,
    position: Position | None,
    symbols: Symbols,
    scope: Scope,
    findings: Findings,
) -> None:
    if TOTAL_COST not in symbols.functions:
        message = f"the function '{TOTAL_COST}' is not declared"
        at = findings.word(position, TOTAL_COST)
        findings.error(at, message, f"add (:functions ({TOTAL_COST}) - number)", once=message)
    if isinstance(amount, FunctionTerm):
        if amount.function == TOTAL_COST:
            at = findings.term(amount.position, 0)
            findings.unsupported(at, f"'{TOTAL_COST}' cannot be increased by itself: costs are static")
            return
        signature = _signature(amount.function, symbols.functions, "function", amount.position, findings)
        _check_terms(amount.function, amount.terms, signature, amount.position, symbols, scope, findings)


def _check_atom(atom: Atom, symbols: Symbols, scope: Scope, findings: Findings) -> None:
    signature = _signature(atom.predicate, symbols.predicates, "predicate", atom.position, findings)
    _check_terms(atom.predicate, atom.terms, signature, atom.position, symbols, scope, findings)


def _signature(
    name: str,
    declared: Mapping[str, Signature],
    what: str,
    position: Position | int | None,
    findings: Findings,
) -> Signature | None:
    """The declaration of a predicate or function; its absence is reported once a name."""
    if name in declared:
        return declared[name]
    at = findings.term(position, 0) if isinstance(position, Position) else position
    hint = did_you_mean(name, declared) or f"declare it in (:{what}s ...)"
    findings.error(at, f"the {what} '{name}' is not declared", hint, once=f"{what} {name}")
    return None


def _check_terms(
    name: str,
    terms: Sequence[str],
    signature: Signature | None,
    position: Position | None,
    symbols: Symbols,
    scope: Scope,
    findings: Findings,
) -> None:
    """Terms are declared, as many as there are parameters, and of their types."""
    given = [
        _term_types(term, position, index, symbols, scope, findings)
        for index, term in enumerate(terms, start=1)
    ]
    if signature is None:
        return
    if len(terms) != len(signature.parameters):
        _wrong_arity(name, len(terms), signature, position, findings)
        return
    wanted = [parameter.types for parameter in signature.parameters]
    for index, types in enumerate(given):
        if types is None or symbols.types.fits(types, wanted[index]) or not _known(types, symbols):
            continue
        at = findings.term(position, index + 1)
        _wrong_type(at, terms, given, index, signature, symbols, findings)
        return


def _known(types: Sequence[str], symbols: Symbols) -> bool:
    return all(name in symbols.types for name in types)


def _term_types(
    term: str, position: Position | None, index: int, symbols: Symbols, scope: Scope, findings: Findings
) -> tuple[str, ...] | None:
    """The types of a term; None where it is unknown, which is reported."""
    if term.startswith("?"):
        if term in scope:
            return scope[term]
        hint = did_you_mean(term, scope) or "add it to the parameters or to a quantifier"
        findings.error(findings.term(position, index), f"the variable '{term}' is not bound here", hint)
        return None
    if term in symbols.objects:
        return symbols.objects[term]
    message = f"the object '{term}' is not declared"
    hint = did_you_mean(term, symbols.objects)
    if f"?{term}" in scope:
        hint = f"did you mean the variable '?{term}'?"
    findings.error(findings.term(position, index), message, hint, once=f"object {term}")
    return None


def _wrong_arity(
    name: str, count: int, signature: Signature, position: Position | int | None, findings: Findings
) -> None:
    wanted = len(signature.parameters)
    message = f"'{name}' takes {wanted} argument{'s' * (wanted != 1)}, not {count}"
    findings.error(position, message, f"it is declared as {_shown(signature)}")


def _wrong_type(
    at: int | Position | None,
    terms: Sequence[str],
    given: Sequence[tuple[str, ...] | None],
    index: int,
    signature: Signature,
    symbols: Symbols,
    findings: Findings,
) -> None:
    wanted = [parameter.types for parameter in signature.parameters]
    message = (
        f"'{terms[index]}' is {_a(given[index] or ())}, but '{signature.name}' takes {_a(wanted[index])} here"
    )
    hint = f"it is declared as {_shown(signature)}"
    if len(terms) == 2:
        swapped = [types for types in reversed(given) if types is not None]
        if len(swapped) == 2 and all(symbols.types.fits(*pair) for pair in zip(swapped, wanted, strict=True)):
            hint += f"; ({signature.name} {terms[1]} {terms[0]}) would fit"
    findings.error(at, message, hint)


def _a(types: Sequence[str]) -> str:
    """Types with an article, for a message."""
    shown = " or ".join(types)
    return f"an {shown}" if shown[:1] in "aeiou" else f"a {shown}"


def _shown(signature: Signature) -> str:
    """A signature as it is written."""
    words = [signature.name]
    for parameter in signature.parameters:
        types = parameter.types
        words.append(parameter.name if types == (OBJECT,) else f"{parameter.name} - {'/'.join(types)}")
    return f"({' '.join(words)})"


def _check_init(problem: Problem, symbols: Symbols, findings: Findings, offsets: Sequence[int]) -> None:
    """Check the initial atoms. There may be 100,000: whether all is well is asked with sets first."""
    allowed: dict[tuple[str, ...], frozenset[str]] = {}
    columns: dict[str, list[frozenset[str]]] = {}
    for name, signature in symbols.predicates.items():
        for parameter in signature.parameters:
            if parameter.types not in allowed:
                fitting = (
                    item
                    for item, types in symbols.objects.items()
                    if symbols.types.fits(types, parameter.types)
                )
                allowed[parameter.types] = frozenset(fitting)
        columns[name] = [allowed[parameter.types] for parameter in signature.parameters]
    for index, (name, *terms) in enumerate(problem.init):
        column = columns.get(name)
        if (
            column is not None
            and len(column) == len(terms)
            and name not in symbols.derived
            and all(term in column[place] for place, term in enumerate(terms))
        ):
            continue
        position = findings.position(offsets[index]) if index < len(offsets) else None
        if name in symbols.derived:
            at = findings.term(position, 0)
            findings.error(at, f"'{name}' is derived by an axiom, so it cannot stand in ':init'")
        _check_atom(Atom(name, tuple(terms), position), symbols, {}, findings)


def _check_values(
    values: Sequence[FunctionValue], symbols: Symbols, findings: Findings, offsets: Sequence[int]
) -> None:
    seen: dict[tuple[str, ...], float] = {}
    for index, entry in enumerate(values):
        position = findings.position(offsets[index]) if index < len(offsets) else None
        signature = symbols.functions.get(entry.function)
        key = (entry.function, *entry.objects)
        if key in seen:
            findings.error(position, f"({' '.join(key)}) has two values: {seen[key]:g} and {entry.value:g}")
        seen[key] = entry.value
        if entry.value < 0:
            findings.error(position, f"({' '.join(key)}) is negative: costs cannot be", "costs start at 0")
        if signature is not None and _fits(entry, signature, symbols):
            continue
        at = findings.word(position, entry.function)
        inner = findings.source.position(at - 1) if findings.source and isinstance(at, int) else position
        signature = _signature(entry.function, symbols.functions, "function", at, findings)
        _check_terms(entry.function, entry.objects, signature, inner, symbols, {}, findings)


def _fits(entry: FunctionValue, signature: Signature, symbols: Symbols) -> bool:
    if len(entry.objects) != len(signature.parameters):
        return False
    for item, parameter in zip(entry.objects, signature.parameters, strict=True):
        types = symbols.objects.get(item)
        if types is None or not symbols.types.fits(types, parameter.types):
            return False
    return True
