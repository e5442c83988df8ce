"""From text to a checked domain, problem or formula: the front door of the language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from chorewright.domains.pddl import checks, define, syntax
from chorewright.domains.pddl import sections as parts
from chorewright.domains.pddl.effects import read_constraints
from chorewright.domains.pddl.expressions import formula
from chorewright.domains.pddl.grammar import read_forms
from chorewright.domains.pddl.scopes import Symbols, check_formula
from chorewright.domains.pddl.source import Findings, Remark, Source, read_source
from chorewright.domains.pddl.subformulas import OBJECT, Hierarchy, conjuncts, hierarchy, merge, with_parents
from chorewright.errors import InputErrors

# Predicates that actions make true of more objects than their declarations allow.
#
# An example is ``(:action take :parameters (?x) :effect (held ?x))`` with ``(held ?x - ball)``. Some public files
# omit the types of parameters. Planners that ignore the types of atoms (Fast Downward) then let anything be held.
# Here the predicate is declared for any object, so that no atom has a wrong type.


Kinds = Mapping[str, tuple[tuple[str, ...], ...]]
"""The types that are known of a variable: each object that it stands for is of one of each."""


def widen(domain: syntax.Domain) -> syntax.Domain:
    """The domain, with each predicate declared for all objects of which its actions can make it true.

    A variable of any type is of a predicate's type where a condition says so. The widening of one predicate
    may take that from the condition, so that the actions are gone through until nothing is widened any more.
    """
    if not domain.types:
        return domain
    types = hierarchy(domain.types)
    predicates = {signature.name: signature for signature in reversed(domain.predicates)}
    while wide := set(_wide(domain, predicates, types)):
        for predicate, place in sorted(wide):
            signature = predicates[predicate]
            parameters = list(signature.parameters)
            parameters[place] = replace(parameters[place], types=(OBJECT,))
            predicates[predicate] = replace(signature, parameters=tuple(parameters))
    if all(predicates[each.name] == each for each in domain.predicates):
        return domain
    return replace(domain, predicates=tuple(predicates[each.name] for each in domain.predicates))


def _wide(
    domain: syntax.Domain, predicates: Mapping[str, syntax.Signature], types: Hierarchy
) -> Iterator[tuple[str, int]]:
    """The predicates, and the places in them, that an action makes true of objects that do not fit."""
    for action in domain.actions:
        for atom, kinds in _find_additions(action, predicates):
            signature = predicates.get(atom.predicate)
            if signature is None or len(signature.parameters) != len(atom.terms):
                continue
            for place, (term, parameter) in enumerate(zip(atom.terms, signature.parameters, strict=True)):
                known = kinds.get(term, ())
                if (OBJECT,) in known and not any(types.fits(each, parameter.types) for each in known):
                    yield atom.predicate, place


def _find_additions(
    action: syntax.Action, predicates: Mapping[str, syntax.Signature]
) -> Iterator[tuple[syntax.Atom, Kinds]]:
    """The atoms that an action adds, each with what is known of the variables there."""
    known = _narrow_kinds(action.precondition, _bound({}, action.parameters), predicates)
    waiting: list[tuple[syntax.Effect, Kinds]] = [(action.effect, known)]
    while waiting:
        effect, kinds = waiting.pop()
        match effect:
            case syntax.AddEffect(atom):
                yield atom, kinds
            case syntax.AndEffect(effects):
                waiting.extend((inner, kinds) for inner in effects)
            case syntax.ForallEffect(variables, inner):
                waiting.append((inner, _bound(kinds, variables)))
            case syntax.WhenEffect(condition, inner):
                waiting.append((inner, _narrow_kinds(condition, kinds, predicates)))
            case _:
                pass


def _bound(kinds: Kinds, variables: tuple[syntax.Typed, ...]) -> Kinds:
    return {**kinds, **{variable.name: (variable.types,) for variable in variables}}


def _narrow_kinds(condition: syntax.Formula, kinds: Kinds, predicates: Mapping[str, syntax.Signature]) -> Kinds:
    """What is known of variables where a condition holds, too."""
    found = dict(kinds)
    for part in conjuncts(condition):
        signature = predicates.get(part.predicate) if isinstance(part, syntax.Atom) else None
        if isinstance(part, syntax.Atom) and signature and len(signature.parameters) == len(part.terms):
            for term, parameter in zip(part.terms, signature.parameters, strict=True):
                if term in found:
                    found[term] = (*found[term], parameter.types)
    return found


def parse_domain(text: str, path: str | None = None) -> syntax.Domain:
    """Parse and check a domain. The same text returns the same object, so that results about it can be reused.

    Raises:
        InputErrors: all errors that were found.
        LimitError: the text is too large or nests too deep.
    """
    return domain_with_remarks(text, path)[0]


@lru_cache(maxsize=32)
def domain_with_remarks(
    text: str, path: str | None = None, lenient: bool = False
) -> tuple[syntax.Domain, tuple[Remark, ...]]:
    """Parse and check a domain as ``parse_domain``, and return what is doubtful in it, too.

    Args:
        text: The domain.
        path: Where it comes from, for messages.
        lenient: Whether what other readers do not mind is doubtful only, and no error.
    """
    domain, findings = _domain(Source(text, path), lenient)
    findings.close()
    return domain, tuple(findings.remarks)


def load_domain(path: str | Path) -> syntax.Domain:
    """Parse and check a domain file; raises as ``parse_domain``, or InputError if it cannot be read."""
    source = read_source(path)
    return parse_domain(source.text, source.path)


def parse_problem(text: str, domain: syntax.Domain, path: str | None = None) -> syntax.Problem:
    """Parse a problem and check it against its domain; raises as ``parse_domain``."""
    problem, findings = _problem(Source(text, path), domain)
    findings.close()
    return problem


def load_problem(path: str | Path, domain: syntax.Domain) -> syntax.Problem:
    """Parse and check a problem file; raises as ``parse_domain``, or InputError if it cannot be read."""
    problem, findings = _problem(read_source(path), domain)
    findings.close()
    return problem


def parse_formula(
    text: str,
    domain: syntax.Domain,
    objects: Iterable[syntax.Typed] = (),
    variables: Iterable[syntax.Typed] = (),
    path: str | None = None,
) -> syntax.Formula:
    """Parse one formula and check it against a domain, objects and free variables.

    Raises:
        InputErrors: all errors that were found.
        LimitError: the text is too large or nests too deep.
    """
    findings = Findings(Source(text, path))
    forms = read_forms(findings)
    found: syntax.Formula = syntax.TRUE
    if len(forms) != 1:
        findings.error(forms[1].offset if forms else 0, f"one condition is expected, not {len(forms)}")
    else:
        found = formula(forms[0], findings)
        check_formula(found, Symbols.of(domain, objects), tuple(variables), findings)
    findings.close()
    return found


def load_task(domain_path: str | Path, problem_path: str | Path) -> tuple[syntax.Domain, syntax.Problem]:
    """Parse and check a domain file and a problem file; errors of both are reported together.

    Raises:
        InputErrors: all errors that were found, the domain's first.
        InputError: a file cannot be read.
        LimitError: a text is too large or nests too deep.
    """
    domain, problem, _ = task_with_remarks(domain_path, problem_path)
    return domain, problem


def task_with_remarks(
    domain_path: str | Path, problem_path: str | Path, lenient: bool = False
) -> tuple[syntax.Domain, syntax.Problem, tuple[Remark, ...]]:
    """Parse and check two files as ``load_task``, and return what is doubtful in them, too.

    Args:
        domain_path: The domain file.
        problem_path: The problem file.
        lenient: Whether what other readers do not mind is doubtful only, and no error.

    Raises:
        InputErrors: all errors that were found, the domain's first.
        InputError: a file cannot be read.
        LimitError: a text is too large or nests too deep.
    """
    source = read_source(domain_path)
    try:
        domain, remarks = domain_with_remarks(source.text, source.path, lenient)
    except InputErrors as errors:
        broken, earlier = _domain(source, lenient)
        _, findings = _problem(read_source(problem_path), broken, earlier, lenient)
        raise InputErrors((*errors.errors, *findings.sorted())) from None
    problem, findings = _problem(read_source(problem_path), domain, lenient=lenient)
    findings.close()
    return domain, problem, (*remarks, *findings.remarks)


def _domain(source: Source, lenient: bool) -> tuple[syntax.Domain, Findings]:
    """What can be read of a domain, and what is wrong with it."""
    findings = Findings(source, lenient=lenient)
    title, sections = define.read_sections(findings, "domain", define.DOMAIN_SECTIONS)
    required = define.requirements(sections, findings)
    types = define.read_list(sections, ":types", "type", findings)
    constants = define.read_list(sections, ":constants", "constant", findings)
    predicates = parts.predicates(sections, findings)
    functions = parts.functions(sections, findings)
    axioms = [parts.axiom(form, predicates, findings) for form in sections.get(":derived", ())]
    actions = [parts.action(form, findings) for form in sections.get(":action", ())]
    durative = [parts.durative(form, findings) for form in sections.get(":durative-action", ())]
    declared = merge([entry for entry in types if entry.name != OBJECT], source)
    domain = syntax.Domain(
        name=title,
        requirements=required,
        types=with_parents(declared),
        constants=constants,
        predicates=predicates,
        functions=functions,
        axioms=tuple(axioms),
        actions=tuple(actions),
        path=source.path,
        durative_actions=tuple(durative),
        constraints=read_constraints(define.inside(sections, ":constraints"), findings),
    )
    if sections:
        domain = _without_misspelt(domain, with_parents(declared, misspelt=True), findings)
        checks.check_domain(domain, findings)
    if lenient:
        domain = replace(domain, constants=_once(domain.constants))
    return widen(domain), findings


def _once(entries: tuple[syntax.Typed, ...], but: frozenset[str] = frozenset()) -> tuple[syntax.Typed, ...]:
    """Return each object's first declaration, unless it is declared elsewhere."""
    return tuple({entry.name: entry for entry in reversed(entries) if entry.name not in but}.values())[::-1]


def _without_misspelt(domain: syntax.Domain, types: tuple[syntax.Typed, ...], findings: Findings) -> syntax.Domain:
    """The domain; without parents that resemble declared types, if it is wrong with them: they explain the errors."""
    if len(types) == len(domain.types):
        return domain
    trial = findings.copy()
    checks.check_domain(domain, trial)
    return replace(domain, types=types) if len(trial) > len(findings) else domain


def _problem(
    source: Source, domain: syntax.Domain, earlier: Findings | None = None, lenient: bool = False
) -> tuple[syntax.Problem, Findings]:
    """What can be read of a problem, and what is wrong with it but does not follow from earlier findings."""
    findings = Findings(source, lenient=lenient)
    if earlier is not None:
        findings.follow(earlier)
    title, sections = define.read_sections(findings, "problem", define.PROBLEM_SECTIONS)
    if sections:
        define.check_domain_name(define.only(sections, ":domain"), domain, "problem", findings)
    define.requirements(sections, findings)
    objects = define.read_list(sections, ":objects", "object", findings)
    init = parts.initial_state(sections, findings)
    goal, preferences = parts.goal(sections, findings)
    constraints = read_constraints(define.inside(sections, ":constraints"), findings)
    metric = parts.metric(sections, domain, findings)
    minimized = metric if isinstance(metric, str) else None
    problem = syntax.Problem(
        name=title,
        domain=domain.name,
        objects=objects,
        init=tuple(init.atoms),
        values=tuple(init.values),
        goal=goal,
        minimize_cost=minimized is not None,
        cost_function=minimized or syntax.TOTAL_COST,
        path=source.path,
        metric=metric if isinstance(metric, syntax.Metric) else None,
        constraints=(*preferences, *constraints),
        timed=tuple(init.timed),
    )
    if sections and (earlier is None or domain.predicates):
        checks.check_problem(problem, domain, findings, list(init.atoms.values()), list(init.values.values()))
    if lenient:
        declared = frozenset(each.name for each in domain.functions)
        values = tuple(each for each in problem.values if each.function in declared)
        constants = frozenset(each.name for each in domain.constants)
        problem = replace(problem, objects=_once(problem.objects, constants), values=values)
    return problem, findings
