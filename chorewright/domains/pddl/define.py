"""``(define (domain d) ...)``: finding the sections of a file, in any order, and its requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import intern

from chorewright.domains.pddl.expressions import name, show, typed_list
from chorewright.domains.pddl.forms import Form, Item, Word
from chorewright.domains.pddl.grammar import read_forms
from chorewright.domains.pddl.source import Findings, did_you_mean
from chorewright.domains.pddl.syntax import Typed

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
_REPEATABLE = frozenset([":action", ":derived"])

Sections = Mapping[str, Sequence[Form]]


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


def read_sections(findings: Findings, kind: str, known: Sequence[str]) -> tuple[str, Sections, bool]:
    """Read the name and sections; the last value says whether the declarations can be relied on."""
    define = read_define(findings, kind)
    if define is None:
        return "", {}, False
    before = len(findings)
    title, sound = define_name(define, kind, findings), True
    if len(findings) > before and title is not None:
        return title, {}, False
    start = 2 if title is not None else 1
    sections: dict[str, list[Form]] = {}
    for item in define.items[start:]:
        section = item.head if isinstance(item, Form) else ""
        if not isinstance(item, Form) or not section.startswith(":"):
            if title is not None or item is not define.items[1]:
                _not_a_section(item, kind, findings)
                sound = False
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


def only(sections: Sections, section: str) -> Form | None:
    forms = sections.get(section, ())
    return forms[0] if forms else None


def requirements(sections: Sections, findings: Findings) -> tuple[str, ...]:
    form = only(sections, ":requirements")
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


def listed(sections: Sections, section: str, what: str, findings: Findings) -> tuple[Typed, ...]:
    form = only(sections, section)
    return typed_list(form.items[1:], findings, what) if form else ()
