"""Checks of a well-formed domain or problem: declarations, axioms, actions, initial state."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from operator import contains

from chorewright.domains.pddl import scopes, syntax
from chorewright.domains.pddl.effects import check_constraints, check_durative
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.subformulas import OBJECT, atoms_with_signs, increases_of

# Stratification of axioms: no derived predicate may depend on its own negation.


def check_strata(axioms: Sequence[syntax.Axiom], findings: Findings) -> None:
    """Record each axiom whose head is used negatively, directly or through others, to derive itself."""
    derived = frozenset(axiom.head.name for axiom in axioms)
    uses: dict[str, dict[str, None]] = {}
    for axiom in axioms:
        for atom, _ in atoms_with_signs(axiom.body):
            if atom.predicate in derived:
                uses.setdefault(axiom.head.name, {})[atom.predicate] = None
    for axiom in axioms:
        for atom, positive in atoms_with_signs(axiom.body):
            if positive or atom.predicate not in derived:
                continue
            path = _path(uses, atom.predicate, axiom.head.name)
            if path is not None:
                shown = " needs ".join(f"'{name}'" for name in (path if len(path) > 1 else (*path, *path)))
                at = findings.term(atom.position, 0)
                message = f"the axioms are not stratified: '{axiom.head.name}' needs not '{atom.predicate}'"
                findings.error(at, message, f"and {shown}" if len(path) > 1 else "an axiom cannot negate its own head")


def _path(uses: dict[str, dict[str, None]], start: str, goal: str) -> tuple[str, ...] | None:
    """The shortest chain of uses from one derived predicate to another; one name where they are the same."""
    before: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        if name == goal:
            chain = [name]
            while chain[-1] != start:
                chain.append(before[chain[-1]])
            return tuple(reversed(chain))
        for used in uses.get(name, ()):
            if used not in before:
                before[used] = name
                queue.append(used)
    return None


def check_domain(domain: syntax.Domain, findings: Findings) -> None:
    """Record everything that is wrong with a domain."""
    symbols = scopes.Symbols.of(domain)
    _check_type_declarations(domain, symbols, findings)
    _check_repeated(domain.constants, "constant", findings)
    scopes.check_types(domain.constants, symbols, findings)
    for what, signatures in (("predicate", domain.predicates), ("function", domain.functions)):
        _check_repeated(signatures, what, findings)
        for signature in signatures:
            # Names of parameters mean nothing here, and files of the competitions repeat them.
            scopes.check_types(signature.parameters, symbols, findings)
    actions: list[syntax.Action | syntax.DurativeAction] = [*domain.actions, *domain.durative_actions]
    _check_repeated(actions, "action", findings)
    for axiom in domain.axioms:
        _check_axiom(axiom, symbols, findings)
    check_strata(domain.axioms, findings)
    for action in domain.actions:
        _check_action(action, symbols, findings)
    for durative in domain.durative_actions:
        check_durative(durative, symbols, findings)
    check_constraints(domain.constraints, symbols, findings)


def check_problem(
    problem: syntax.Problem,
    domain: syntax.Domain,
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
    symbols = scopes.Symbols.of(domain, problem.objects)
    constants = {entry.name: entry.types for entry in domain.constants}
    for entry in problem.objects:
        if entry.name in constants:
            if constants[entry.name] != entry.types:
                findings.doubt_name(entry.name)
            message = f"'{entry.name}' is a constant of the domain already"
            findings.tolerate(entry.position, message, "leave it out here")
    _check_repeated(problem.objects, "object", findings)
    scopes.check_types(problem.objects, symbols, findings)
    _check_init(problem, symbols, findings, init_offsets)
    _check_values(problem.values, symbols, _costs(domain), findings, value_offsets)
    scopes.check_formula(problem.goal, symbols, (), findings)
    check_constraints(problem.constraints, symbols, findings)
    for timed in problem.timed:
        scopes.check_effect(timed.effect, symbols, {}, findings)
    if problem.metric is not None:
        scopes.check_number(problem.metric.expression, symbols, {syntax.TOTAL_TIME: ()}, findings)


def _check_type_declarations(domain: syntax.Domain, symbols: scopes.Symbols, findings: Findings) -> None:
    _check_repeated(domain.types, "type", findings)
    scopes.check_types(domain.types, symbols, findings)
    parents = {entry.name: entry.types for entry in reversed(domain.types)}
    done: set[str] = set()
    for entry in domain.types:
        path: list[str] = []
        name = entry.name
        while name in parents and name not in done:
            if name in path:
                shown = " - ".join([*path[path.index(name) :], name])
                at = next(entry.position for entry in domain.types if entry.name == name)
                findings.error(at, f"the type '{name}' is a subtype of itself: {shown}")
                break
            path.append(name)
            name = next((parent for parent in parents[name] if parent in parents), OBJECT)
        done.update(path)


def _costs(domain: syntax.Domain) -> frozenset[str]:
    """The functions that are added to the cost of plans as they are, and so are never negative."""
    increases = [each for action in domain.actions for each in increases_of(action.effect)]
    costs = [each for each in increases if each.function == syntax.TOTAL_COST]
    return frozenset(each.amount.function for each in costs if isinstance(each.amount, syntax.FunctionTerm)) | {
        syntax.TOTAL_COST
    }


def _check_repeated(
    entries: Sequence[syntax.Typed] | Sequence[syntax.Signature] | Sequence[syntax.Action | syntax.DurativeAction],
    what: str,
    findings: Findings,
) -> None:
    """Names may be declared once."""
    first: dict[str, syntax.Typed | syntax.Signature | syntax.Action | syntax.DurativeAction] = {}
    for entry in entries:
        if entry.name not in first:
            first[entry.name] = entry
            continue
        if not entry.name:
            continue
        before = first[entry.name].position
        where = f", first in line {before.line}" if before else ""
        if not isinstance(entry, syntax.Action | syntax.DurativeAction) and entry != first[entry.name]:
            findings.doubt_name(entry.name)
        at = entry.position if isinstance(entry, syntax.Typed) else findings.word(entry.position, entry.name)
        message = f"the {what} '{entry.name}' is declared twice{where}"
        if what in ("object", "constant"):
            findings.tolerate(at, message)
        else:
            findings.error(at, message)


def _check_axiom(axiom: syntax.Axiom, symbols: scopes.Symbols, findings: Findings) -> None:
    head = axiom.head
    scopes.check_variables(head.parameters, symbols, findings, f"the head of axiom '{head.name}'")
    signature = scopes.find_signature(head.name, symbols.predicates, "predicate", head.position, findings)
    if signature is not None and len(signature.parameters) != len(head.parameters):
        scopes.wrong_arity(head.name, len(head.parameters), signature, head.position, findings)
    elif signature is not None:
        for given, declared in zip(head.parameters, signature.parameters, strict=True):
            if scopes.is_known(given.types, symbols, findings) and not symbols.types.fits(given.types, declared.types):
                findings.error(
                    given.position,
                    f"'{given.name}' is {scopes.show_types(given.types)}, not {scopes.show_types(declared.types)}",
                )
    # A variable without a type stands for any object; atoms in which it does not fit are false of it.
    free = [replace(each, types=()) if each.types == (OBJECT,) else each for each in head.parameters]
    scopes.check_formula(axiom.body, symbols, free, findings)


def _check_action(action: syntax.Action, symbols: scopes.Symbols, findings: Findings) -> None:
    scopes.check_variables(action.parameters, symbols, findings, f"the parameters of action '{action.name}'")
    scope = scopes.bound(action.parameters)
    scopes.check_condition(action.precondition, symbols, scope, findings)
    scopes.check_effect(action.effect, symbols, scope, findings)
    for preference in action.preferences:
        inner = {**scope, **scopes.bound(preference.variables)}
        for condition in preference.conditions:
            scopes.check_condition(condition, symbols, inner, findings)


def _check_init(problem: syntax.Problem, symbols: scopes.Symbols, findings: Findings, offsets: Sequence[int]) -> None:
    """Check the initial atoms. There may be 100,000: whether all is well is asked with sets first."""
    columns = _columns(symbols.predicates, symbols)
    for index, (name, *terms) in enumerate(problem.init):
        if name not in symbols.derived and _fits(terms, columns.get(name)):
            continue
        position = findings.position(offsets[index]) if index < len(offsets) else None
        if name in symbols.derived:
            at = findings.term(position, 0)
            findings.error(at, f"'{name}' is derived by an axiom, so it cannot stand in ':init'")
        scopes.check_atom(syntax.Atom(name, tuple(terms), position), symbols, {}, findings)


def _check_values(
    values: Sequence[syntax.FunctionValue],
    symbols: scopes.Symbols,
    costs: frozenset[str],
    findings: Findings,
    offsets: Sequence[int],
) -> None:
    """Check the initial function values, of which there may be as many; those of ``costs`` are not negative."""
    columns = _columns(symbols.functions, symbols)
    seen: dict[tuple[str, tuple[str, ...]], float] = {}
    for index, entry in enumerate(values):
        key = (entry.function, entry.objects)
        allowed = entry.value >= 0 or (entry.value < 0 and entry.function not in costs)
        if key not in seen and allowed and _fits(entry.objects, columns.get(entry.function)):
            seen[key] = entry.value
            continue
        position = findings.position(offsets[index]) if index < len(offsets) else None
        shown = f"({' '.join((entry.function, *entry.objects))})"
        unread = isnan(entry.value)  # the number is broken
        if key in seen and not unread:
            findings.error(position, f"{shown} has two values: {seen[key]:g} and {entry.value:g}")
        if not unread:
            seen[key] = entry.value
        if entry.value < 0 and entry.function in costs:
            findings.unsupported(position, f"{shown} is negative: negative costs are not supported")
        at = findings.word(position, entry.function)
        if findings.lenient and entry.function not in symbols.functions:
            findings.tolerate(at, f"the function '{entry.function}' is not declared; its value means nothing")
            continue
        inner = findings.position(at - 1) if isinstance(at, int) else position
        signature = scopes.find_signature(entry.function, symbols.functions, "function", at, findings)
        scopes.check_terms(entry.function, entry.objects, signature, inner, symbols, {}, findings)


def _columns(signatures: Mapping[str, syntax.Signature], symbols: scopes.Symbols) -> dict[str, list[frozenset[str]]]:
    """For each parameter of each predicate or function, the objects that it takes."""
    allowed: dict[tuple[str, ...], frozenset[str]] = {}
    columns: dict[str, list[frozenset[str]]] = {}
    for name, signature in signatures.items():
        for parameter in signature.parameters:
            if parameter.types not in allowed:
                allowed[parameter.types] = _fitting(parameter.types, symbols)
        columns[name] = [allowed[parameter.types] for parameter in signature.parameters]
    return columns


def _fitting(wanted: tuple[str, ...], symbols: scopes.Symbols) -> frozenset[str]:
    """The objects that are of (either of) the wanted types."""
    fits = {types: symbols.types.fits(types, wanted) for types in set(symbols.objects.values())}
    return frozenset(item for item, types in symbols.objects.items() if fits[types])


def _fits(terms: Sequence[str], column: Sequence[frozenset[str]] | None) -> bool:
    if column is None or len(column) != len(terms):
        return False
    return all(map(contains, column, terms))
