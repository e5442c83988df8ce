"""From forms to a domain or a problem: the sections of a file, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from sys import intern

from chorewright.domains.pddl import checks
from chorewright.domains.pddl.expressions import (
    TOTAL_COST,
    effect,
    formula,
    function_term,
    is_name,
    name,
    number,
    show,
    typed_list,
    variables,
)
from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.grammar import read_forms
from chorewright.domains.pddl.source import Findings, Source, did_you_mean, read_source
from chorewright.domains.pddl.syntax import (
    TRUE,
    Action,
    Axiom,
    Domain,
    Formula,
    FunctionValue,
    GroundAtom,
    Problem,
    Signature,
    Typed,
)

SUPPORTED_REQUIREMENTS = (
    ":strips",
    ":typing",
    ":equality",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":quantified-preconditions",
    ":conditional-effects",
    ":adl",
    ":derived-predicates",
    ":action-costs",
    # Declared by old files for total-cost; what goes beyond is refused where it is used.
    ":fluents",
    ":numeric-fluents",
)

UNSUPPORTED_REQUIREMENTS = {
    ":durative-actions": "durative actions",
    ":duration-inequalities": "durative actions",
    ":continuous-effects": "continuous effects",
    ":timed-initial-literals": "timed initial literals",
    ":timed-initial-fluents": "timed initial fluents",
    ":object-fluents": "object fluents",
    ":preferences": "preferences",
    ":constraints": "trajectory constraints",
    ":goal-utilities": "goal utilities",
    ":time": "processes and events",
    ":hierarchy": "hierarchical tasks",
    ":method-preconditions": "hierarchical tasks",
    ":non-deterministic": "non-deterministic effects",
    ":probabilistic-effects": "probabilistic effects",
    ":rewards": "rewards",
    ":multi-agent": "multi-agent planning",
    ":domain-axioms": "PDDL 1.2 axioms",
}

UNSUPPORTED_SECTIONS = {
    ":durative-action": "durative actions",
    ":constraints": "trajectory constraints",
    ":process": "processes",
    ":event": "events",
    ":task": "hierarchical tasks",
    ":method": "hierarchical tasks",
    ":htn": "hierarchical tasks",
    ":axiom": "PDDL 1.2 axioms",
    ":safety": "PDDL 1.2 safety constraints",
    ":length": "bounds on the plan's length",
}

DOMAIN_SECTIONS = (
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":derived",
    ":action",
)
PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
ACTION_PARTS = (":parameters", ":precondition", ":effect")
UNSUPPORTED_PARTS = {
    ":duration": "durative actions",
    ":condition": "durative actions",
    ":vars": "PDDL 1.2 variables",
}
_REPEATABLE = frozenset([":action", ":derived"])

Sections = Mapping[str, Sequence[Form]]


def parse_domain(text: str, path: str | None = None) -> Domain:
    """Parse and check a domain.

    Raises:
        InputErrors: all errors that were found.
        LimitError: the text is too large or nests too deep.
    """
    return _domain(Source(text, path))


def load_domain(path: str | Path) -> Domain:
    """Parse and check a domain file; raises as ``parse_domain``, or InputError where it cannot be read."""
    return _domain(read_source(path))


def parse_problem(text: str, domain: Domain, path: str | None = None) -> Problem:
    """Parse a problem and check it against its domain; raises as ``parse_domain``."""
    return _problem(Source(text, path), domain)


def load_problem(path: str | Path, domain: Domain) -> Problem:
    """Parse and check a problem file; raises as ``parse_domain``, or InputError where it cannot be read."""
    return _problem(read_source(path), domain)


def parse_formula(
    text: str,
    domain: Domain,
    objects: Iterable[Typed] = (),
    variables: Iterable[Typed] = (),
    path: str | None = None,
) -> Formula:
    """Parse one formula and check it against a domain, objects and free variables.

    Raises:
        InputErrors: all errors that were found.
        LimitError: the text is too large or nests too deep.
    """
    findings = Findings(Source(text, path))
    forms = read_forms(findings)
    found: Formula = TRUE
    if len(forms) != 1:
        findings.error(forms[1].offset if forms else 0, f"one condition is expected, not {len(forms)}")
    else:
        parsed = formula(forms[0], findings)
        if parsed is not None:
            found = parsed
            checks.check_formula(found, checks.Symbols.of(domain, objects), tuple(variables), findings)
    findings.close()
    return found


def _domain(source: Source) -> Domain:
    findings = Findings(source)
    name, sections, sound = _define(findings, "domain", DOMAIN_SECTIONS)
    requirements = _requirements(sections, findings)
    before = len(findings)
    types = _listed(sections, ":types", "type", findings)
    constants = _listed(sections, ":constants", "constant", findings)
    predicates = _predicates(sections, findings)
    functions = _functions(sections, findings)
    declared = sound and len(findings) == before
    axioms = [_axiom(form, findings) for form in sections.get(":derived", ())]
    actions = [_action(form, findings) for form in sections.get(":action", ())]
    domain = Domain(
        name=name,
        requirements=requirements,
        types=tuple(entry for entry in types if entry.name != "object"),
        constants=constants,
        predicates=predicates,
        functions=functions,
        axioms=tuple(axiom for axiom in axioms if axiom),
        actions=tuple(action for action in actions if action),
        path=source.path,
    )
    if declared:
        checks.check_domain(domain, findings)
    findings.close()
    return domain


def _problem(source: Source, domain: Domain) -> Problem:
    findings = Findings(source)
    name, sections, sound = _define(findings, "problem", PROBLEM_SECTIONS)
    _check_domain_name(sections, domain, findings)
    _requirements(sections, findings)
    before = len(findings)
    objects = _listed(sections, ":objects", "object", findings)
    declared = sound and len(findings) == before
    init, offsets, values, value_offsets = _init(sections, findings)
    goal = _goal(sections, findings)
    problem = Problem(
        name=name,
        domain=domain.name,
        objects=objects,
        init=init,
        values=values,
        goal=goal if goal is not None else TRUE,
        minimize_cost=_metric(sections, domain, findings),
        path=source.path,
    )
    if declared:
        checks.check_problem(problem, domain, findings, offsets, value_offsets)
    findings.close()
    return problem


def read_define(findings: Findings, kind: str) -> Form | None:
    """Read the source and return its ``(define (kind name) ...)``; its absence is recorded."""
    forms = read_forms(findings)
    first = forms[0] if forms else None
    if not isinstance(first, Form) or first.head != "define":
        if first is None:
            findings.error(0, f"nothing is here: a {kind} is expected", f"(define ({kind} name) ...)")
        else:
            findings.error(first.offset, f"'(define ({kind} ...' is expected here, not '{show(first)}'")
        return None
    for extra in forms[1:]:
        findings.error(extra.offset, f"nothing may follow the end of the {kind}, but '{show(extra)}' does")
        break
    return first


def _define(findings: Findings, kind: str, known: Sequence[str]) -> tuple[str, Sections, bool]:
    """Read the name and sections; the last value says whether the declarations can be relied on."""
    define = read_define(findings, kind)
    if define is None:
        return "", {}, False
    title, sound = define_name(define, kind, findings), True
    start = 2 if title is not None else 1
    sections: dict[str, list[Form]] = {}
    for item in define.items[start:]:
        section = item.head if isinstance(item, Form) else ""
        if not isinstance(item, Form) or not section.startswith(":"):
            if title is not None or item is not define.items[1]:
                _not_a_section(item, kind, findings)
            continue
        if section in known:
            if section in sections and section not in _REPEATABLE:
                findings.error(
                    item.offset, f"'{section}' is here for the second time", "merge the two sections"
                )
                sound = False
            sections.setdefault(section, []).append(item)
        elif section in UNSUPPORTED_SECTIONS:
            findings.unsupported(
                item.offset, f"{UNSUPPORTED_SECTIONS[section]} are not supported: '({section} ...'"
            )
        else:
            hint = did_you_mean(section, known) or f"sections of a {kind} are {', '.join(known)}"
            findings.error(item.items[0].offset, f"'{section}' is not a section of a {kind}", hint)
            sound = False
    declarations = [form for key, forms in sections.items() if key not in _REPEATABLE for form in forms]
    sound = sound and not any(findings.is_muted(form.offset) for form in declarations)
    return title or "", sections, sound


def define_name(define: Form, kind: str, findings: Findings) -> str | None:
    """The name in ``(define (kind name) ...)``."""
    title = define.items[1] if len(define.items) > 1 else None
    if isinstance(title, Form) and title.head == kind and len(title.items) == 2:
        return name(title.items[1], f"the name of the {kind}", findings) or ""
    at = title.offset if title else define.offset
    hint = None
    if isinstance(title, Form) and title.head in ("domain", "problem") and title.head != kind:
        hint = f"this is a {title.head} file where a {kind} file is expected"
        findings.error(at, f"'({kind} name)' is expected here, not '{show(title)}'", hint)
        return ""
    findings.error(at, f"'({kind} name)' is expected behind 'define'", hint)
    return None


def _not_a_section(item: Item, kind: str, findings: Findings) -> None:
    hint = (
        f"sections look like '(:init ...)': {show(item)} may need a ':'" if isinstance(item, Form) else None
    )
    if isinstance(item, Form) and f":{item.head}" in (*DOMAIN_SECTIONS, *PROBLEM_SECTIONS):
        hint = f"write '(:{item.head} ...'"
    findings.error(item.offset, f"a section of the {kind} is expected here, not '{show(item)}'", hint)


def _only(sections: Sections, section: str) -> Form | None:
    forms = sections.get(section, ())
    return forms[0] if forms else None


def _requirements(sections: Sections, findings: Findings) -> tuple[str, ...]:
    form = _only(sections, ":requirements")
    found: list[str] = []
    for item in form.items[1:] if form else ():
        text = item.text if isinstance(item, Word) else show(item)
        if text in SUPPORTED_REQUIREMENTS:
            found.append(intern(text))
        elif text in UNSUPPORTED_REQUIREMENTS:
            findings.unsupported(item.offset, f"{UNSUPPORTED_REQUIREMENTS[text]} ({text}) are not supported")
        else:
            hint = did_you_mean(text, (*SUPPORTED_REQUIREMENTS, *UNSUPPORTED_REQUIREMENTS))
            findings.unsupported(item.offset, f"the requirement '{text}' is not known", hint)
    return tuple(dict.fromkeys(found))


def _listed(sections: Sections, section: str, what: str, findings: Findings) -> tuple[Typed, ...]:
    form = _only(sections, section)
    return typed_list(form.items[1:], findings, what) if form else ()


def _signature(item: Item, findings: Findings, what: str) -> Signature | None:
    if not isinstance(item, Form) or not item.items:
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"a {what} in parentheses is expected here, not '{show(item)}'", hint)
        return None
    found = name(item.items[0], f"the name of a {what}", findings)
    parameters = typed_list(item.items[1:], findings, "variable")
    return Signature(found, parameters, findings.position(item.offset)) if found else None


def _predicates(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    form = _only(sections, ":predicates")
    found = [_signature(item, findings, "predicate") for item in (form.items[1:] if form else ())]
    return tuple(signature for signature in found if signature)


def _functions(sections: Sections, findings: Findings) -> tuple[Signature, ...]:
    """``(f ?x - t) ... - number``; other types would be object fluents."""
    form = _only(sections, ":functions")
    items = form.items[1:] if form else ()
    found: list[Signature] = []
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if not (isinstance(item, Word) and item.text == "-"):
            signature = _signature(item, findings, "function")
            if signature:
                found.append(signature)
            continue
        kind = items[at] if at < len(items) else None
        at += 1
        if kind is None:
            findings.error(item.offset, "a type is missing behind '-'", "functions are '- number'")
        elif not (isinstance(kind, Word) and kind.text == "number"):
            findings.unsupported(
                kind.offset, f"object fluents are not supported: '- {show(kind)}'", "write '- number'"
            )
    return tuple(found)


def _axiom(form: Form, findings: Findings) -> Axiom | None:
    rest = form.items[1:]
    if len(rest) != 2:
        findings.error(form.offset, f"':derived' takes an atom and a condition, not {len(rest)} items")
        return None
    head = _signature(rest[0], findings, "predicate")
    body = formula(rest[1], findings)
    return Axiom(head, body, findings.position(form.offset)) if head and body is not None else None


def _action(form: Form, findings: Findings) -> Action | None:
    items = form.items[1:]
    if not items or not is_name(items[0]):
        findings.error(
            items[0].offset if items else form.offset, "the name of the action is expected behind ':action'"
        )
        return None
    title = name(items[0], "the name of the action", findings)
    parts = _parts(items[1:], title or "", findings)
    if parts is None or title is None:
        return None
    found: dict[str, Item] = {}
    sound = True
    for keyword, value in parts:
        if keyword.text in found:
            findings.error(
                keyword.offset, f"'{keyword.text}' is here for the second time in action '{title}'"
            )
            sound = False
        found.setdefault(keyword.text, value)
    parameters: tuple[Typed, ...] | None = ()
    if ":parameters" in found:
        parameters = variables(found[":parameters"], form.offset, findings, "':parameters'")
    precondition: Formula | None = TRUE
    if ":precondition" in found:
        precondition = formula(found[":precondition"], findings)
    if ":effect" not in found:
        findings.error(form.offset, f"the action '{title}' has no ':effect'")
        return None
    result = effect(found[":effect"], findings)
    if parameters is None or precondition is None or result is None or not sound:
        return None
    return Action(title, parameters, precondition, result, findings.position(form.offset))


def _parts(items: Sequence[Item], title: str, findings: Findings) -> list[tuple[Word, Item]] | None:
    """The keyword-value pairs of an action; None where something in them is wrong."""
    parts: list[tuple[Word, Item]] = []
    sound = True
    at = 0
    while at < len(items):
        keyword = items[at]
        value = items[at + 1] if at + 1 < len(items) else None
        if not isinstance(keyword, Word) or not keyword.text.startswith(":"):
            hint = "join several conditions or effects with (and ...)" if isinstance(keyword, Form) else None
            message = f"a keyword is expected here in action '{title}', not '{show(keyword)}'"
            findings.error(keyword.offset, message, hint)
            return None
        if keyword.text in UNSUPPORTED_PARTS:
            findings.unsupported(
                keyword.offset, f"{UNSUPPORTED_PARTS[keyword.text]} are not supported: '{keyword.text}'"
            )
            sound = False
        elif keyword.text not in ACTION_PARTS:
            hint = did_you_mean(keyword.text, ACTION_PARTS) or f"an action has {', '.join(ACTION_PARTS)}"
            findings.error(keyword.offset, f"'{keyword.text}' is not a part of an action", hint)
            sound = False
        if value is None or (isinstance(value, Word) and value.text.startswith(":")):
            findings.error(keyword.offset, f"'{keyword.text}' has nothing behind it")
            sound = False
            at += 1
            continue
        parts.append((keyword, value))
        at += 2
    return parts if sound else None


def _check_domain_name(sections: Sections, domain: Domain, findings: Findings) -> None:
    form = _only(sections, ":domain")
    if form is None:
        if sections:
            findings.error(0, "the problem does not name its domain", f"add (:domain {domain.name})")
        return
    found = name(form.items[1], "the name of the domain", findings) if len(form.items) == 2 else None
    if len(form.items) != 2:
        findings.error(form.offset, "':domain' takes one name")
    elif found is not None and found != domain.name:
        at = form.items[1].offset
        findings.error(
            at,
            f"this problem is for the domain '{found}', not '{domain.name}'",
            did_you_mean(found, [domain.name]),
        )


def _goal(sections: Sections, findings: Findings) -> Formula | None:
    form = _only(sections, ":goal")
    if form is None:
        if sections:
            findings.error(0, "the problem has no goal", "add (:goal (...))")
        return None
    if len(form.items) != 2:
        at = form.items[2].offset if len(form.items) > 2 else form.offset
        hint = "join several with (and ...)" if len(form.items) > 2 else None
        findings.error(at, f"':goal' takes one condition, not {len(form.items) - 1}", hint)
        return None
    return formula(form.items[1], findings)


def _metric(sections: Sections, domain: Domain, findings: Findings) -> bool:
    form = _only(sections, ":metric")
    if form is None:
        return False
    items = form.items[1:]
    if len(items) != 2 or not isinstance(items[0], Word):
        findings.error(
            form.offset, "':metric' takes 'minimize' and an expression", f"(:metric minimize ({TOTAL_COST}))"
        )
        return False
    direction, expression = items
    if direction.text not in ("minimize", "maximize"):
        findings.error(direction.offset, f"'minimize' is expected here, not '{direction.text}'")
        return False
    names = expression.names() if isinstance(expression, Form) else None
    if direction.text == "maximize" or names != (TOTAL_COST,):
        shown = f"{direction.text} {show(expression)}"
        message = f"metrics other than 'minimize ({TOTAL_COST})' are not supported: '{shown}'"
        findings.unsupported(expression.offset, message)
        return False
    if all(function.name != TOTAL_COST for function in domain.functions):
        message = f"the domain '{domain.name}' declares no function '{TOTAL_COST}'"
        findings.error(expression.offset, message, f"add (:functions ({TOTAL_COST}) - number) to the domain")
    return True


Init = tuple[tuple[GroundAtom, ...], list[int], tuple[FunctionValue, ...], list[int]]


def _init(sections: Sections, findings: Findings) -> Init:
    """The initial atoms and function values, each with the offsets of their lists."""
    atoms: dict[GroundAtom, int] = {}
    denied: dict[GroundAtom, int] = {}
    values: dict[FunctionValue, int] = {}
    form = _only(sections, ":init")
    for item in form.items[1:] if form else ():
        names = item.names() if isinstance(item, Form) else None
        if names and names[0] not in ("=", "not", "and", "or") and _plain(names):
            atoms.setdefault(tuple(map(intern, names)), item.offset)
        else:
            _initial(item, atoms, denied, values, findings)
    for denied_atom, offset in denied.items():
        if denied_atom in atoms:
            findings.error(offset, f"({' '.join(denied_atom)}) is both true and false in ':init'")
    return tuple(atoms), list(atoms.values()), tuple(values), list(values.values())


def _plain(names: tuple[str, ...]) -> bool:
    text = "".join(names)
    return "?" not in text and "," not in text and "-" not in names


def _initial(
    item: Item,
    atoms: dict[GroundAtom, int],
    denied: dict[GroundAtom, int],
    values: dict[FunctionValue, int],
    findings: Findings,
) -> None:
    """An element of ``:init`` that is not simply a ground atom."""
    if not isinstance(item, Form):
        hint = f"write ({show(item)})" if is_name(item) else None
        findings.error(item.offset, f"an atom in parentheses is expected here, not '{show(item)}'", hint)
        return
    head, rest = item.head, item.items[1:]
    if head == "=":
        _value(item, values, findings)
    elif head == "not" and len(rest) == 1 and isinstance(rest[0], Form):
        # A closed world: saying that an atom is false adds nothing.
        if (found := _ground(rest[0], findings)) is not None:
            denied.setdefault(found, rest[0].offset)
    elif head == "at" and len(rest) == 2 and isinstance(rest[0], Word) and isinstance(rest[1], Form):
        findings.unsupported(item.offset, "timed initial literals are not supported")
    elif head == "and":
        findings.error(item.offset, "'and' cannot stand in ':init'", "list the atoms one after the other")
    elif head in ("or", "oneof", "unknown"):
        findings.unsupported(item.offset, f"an uncertain initial state is not supported: '({head} ...'")
    elif (found := _ground(item, findings)) is not None:
        atoms.setdefault(found, item.offset)


def _ground(item: Form, findings: Findings) -> GroundAtom | None:
    if not item.items:
        findings.error(item.offset, "an atom is expected here, not '()'")
        return None
    names: list[str] = []
    for index, inner in enumerate(item.items):
        if isinstance(inner, Word) and inner.text.startswith("?"):
            findings.error(inner.offset, f"a variable cannot stand in ':init': '{inner.text}'")
            return None
        if isinstance(inner, Form) and inner.items:
            findings.error(
                inner.offset,
                f"an object is expected here, not '{show(inner)}'",
                "is a ')' missing before it?",
            )
            return None
        found = name(inner, "an object" if index else "a predicate", findings)
        if found is None:
            return None
        names.append(found)
    return tuple(names)


def _value(item: Form, values: dict[FunctionValue, int], findings: Findings) -> None:
    rest = item.items[1:]
    if len(rest) != 2 or not isinstance(rest[0], Form):
        findings.error(item.offset, "'=' takes a function and a number in ':init'", "(= (distance a b) 3)")
        return
    left = function_term(rest[0], findings)
    value = number(rest[1].text) if isinstance(rest[1], Word) else None
    if value is None:
        findings.error(rest[1].offset, f"a number is expected here, not '{show(rest[1])}'")
    elif left is not None:
        values.setdefault(FunctionValue(left.function, left.terms, value), item.offset)
