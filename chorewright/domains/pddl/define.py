"""``(define (domain d) ...)``: finding the sections of a file, in any order, and its requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import intern

from chorewright.domains.pddl.expressions import read_typed_list
from chorewright.domains.pddl.grammar import name, read_forms, show
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Word
from chorewright.domains.pddl.syntax import Domain, Typed
from chorewright.errors import LimitError, Location
from chorewright.files.english import closest, did_you_mean

SUPPORTED_REQUIREMENTS = (
    ":strips",
    ":typing",
    ":equality",
    ":negative-preconditions",
    ":negation",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":quantified-preconditions",
    ":conditional-effects",
    ":adl",
    ":derived-predicates",
    ":action-costs",
    ":fluents",
    ":numeric-fluents",
    ":durative-actions",
    ":duration-inequalities",
    ":timed-initial-literals",
    ":preferences",
    ":constraints",
)

UNSUPPORTED_REQUIREMENTS = {
    ":continuous-effects": "continuous effects",
    ":timed-initial-fluents": "timed initial fluents",
    ":object-fluents": "object fluents",
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
    ":durative-action",
    ":constraints",
)
PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":constraints", ":metric")
_REPEATABLE = frozenset([":action", ":derived", ":durative-action"])
_PARTS_OF_ACTIONS = (":parameters", ":precondition", ":condition", ":effect", ":duration")
_DECLARING = (":types", ":constants", ":predicates", ":functions", ":objects")

Sections = Mapping[str, Sequence[Form]]

UNSUPPORTED = "unsupported-requirement"
"""The rule of requirements that are declared but not supported."""


def read_define(findings: Findings, kind: str) -> Form | None:
    """Read the source and return its ``(define (kind name) ...)``; record an error if there is none."""
    forms = read_forms(findings)
    if forms and isinstance(forms[0], Form) and forms[0].head == "in-package":
        findings.tolerate(forms[0].offset, "'(in-package ...)' is of Lisp, not of PDDL", "leave it out")
        forms = forms[1:]
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


def read_sections(findings: Findings, kind: str, known: Sequence[str]) -> tuple[str, Sections]:
    """Read the name and the sections; mark unclear declarations as doubtful.

    A section that is misspelt counts as the one that is meant. There are no sections where another kind of
    file, or none, is found.
    """
    define = read_define(findings, kind)
    if define is None or _other_kind(define, kind, findings):
        return "", {}
    title = define_name(define, kind, findings)
    sections: dict[str, list[Form]] = {}
    for item in define.items[2 if title is not None else 1 :]:
        section = item.head if isinstance(item, Form) else ""
        if not isinstance(item, Form) or not section.startswith(":"):
            if title is None and item is define.items[1]:
                continue
            _not_a_section(item, kind, (*DOMAIN_SECTIONS, *PROBLEM_SECTIONS), findings)
            section = f":{section}"
        elif section in UNSUPPORTED_SECTIONS:
            findings.unsupported(item.offset, f"{UNSUPPORTED_SECTIONS[section]} are not supported: '({section} ...'")
            continue
        elif section not in known:
            meant = closest(section, known)
            hint = f"did you mean '{meant}'?" if meant else f"sections of a {kind} are {', '.join(known)}"
            if section in _PARTS_OF_ACTIONS:
                hint = f"it stands inside an action, as {section} without a parenthesis before it"
            findings.error(item.items[0].offset, f"'{section}' is not a section of a {kind}", hint)
            section = meant or section
        if isinstance(item, Form) and section in known:
            if section in sections and section not in _REPEATABLE:
                findings.error(item.offset, f"'{section}' occurs twice", "merge the two sections")
            sections.setdefault(section, []).append(item)
        else:
            findings.doubt_item(item)
    for section in _DECLARING:
        for form in sections.get(section, ()):
            if findings.is_muted(form.offset):
                findings.doubt(form.offset, form.end)
    return title or "", sections


def read_own_sections(
    findings: Findings, kind: str, known: Sequence[str], repeatable: bool = False
) -> tuple[Form, str, list[Form]]:
    """Read the definition, the name and the sections of a file of ours: a ``task``, a ``template``, ``wordings``.

    Raises:
        ParseError: There is no definition.
    """
    define = read_define(findings, kind)
    if define is None:
        findings.close()
        raise AssertionError("a missing definition is always a finding")
    title = define_name(define, kind, findings)
    sections: dict[str, list[Form]] = {}
    for item in define.items[2 if title is not None else 1 :]:
        section = item.head if isinstance(item, Form) else ""
        if not isinstance(item, Form) or not section.startswith(":"):
            if title is not None or item is not define.items[1]:
                _not_a_section(item, kind, known, findings)
        elif section not in known:
            one = kind if kind.endswith("s") else f"a {kind}"
            hint = did_you_mean(section, known) or f"sections of {one} are {', '.join(known)}"
            findings.error(item.items[0].offset, f"'{section}' is not a section of {one}", hint)
        elif section in sections and not repeatable:
            findings.error(item.offset, f"'{section}' occurs twice", "merge the two sections")
        else:
            sections.setdefault(section, []).append(item)
    return define, title or "", [form for forms in sections.values() for form in forms]


def _other_kind(define: Form, kind: str, findings: Findings) -> bool:
    """Whether this is a domain where a problem is expected, or the other way round; it is recorded."""
    title = define.items[1] if len(define.items) > 1 else None
    if not isinstance(title, Form) or title.head not in ("domain", "problem") or title.head == kind:
        return False
    hint = f"this is a {title.head} file where a {kind} file is expected"
    findings.error(title.offset, f"'({kind} name)' is expected here, not '{show(title)}'", hint)
    return True


def define_name(define: Form, kind: str, findings: Findings) -> str | None:
    """The name in ``(define (kind name) ...)``; empty if it is not a name, None if it is missing."""
    if _other_kind(define, kind, findings):
        return ""
    title = define.items[1] if len(define.items) > 1 else None
    if isinstance(title, Form) and title.head == kind and len(title.items) == 2:
        return name(title.items[1], f"the name of the {kind}", findings) or ""
    at = title.offset if title else define.offset
    findings.error(at, f"'({kind} name)' is expected after 'define'")
    return None


def limit_source(source: Source, most: int, kind: str) -> Source:
    """Return a source of at most so many characters.

    Raises:
        LimitError: It has more.
    """
    if len(source.text) > most:
        message = f"the text has {len(source.text)} characters; the limit for a {kind} is {most}"
        raise LimitError(message, location=Location(source.path))
    return source


def domain_word(findings: Findings, kind: str) -> Word | None:
    """The name of the domain that a file of another kind names; None if it names none or is broken."""
    define = read_define(findings, kind)
    for item in define.items if define else ():
        if isinstance(item, Form) and item.head == ":domain" and len(item.items) == 2:
            return item.items[1] if isinstance(item.items[1], Word) else None
    return None


def check_domain_name(form: Form | None, domain: Domain, kind: str, findings: Findings) -> None:
    """Check that another kind of file names a domain by ``(:domain name)``."""
    if form is None:
        findings.error(findings.beginning(), f"the {kind} does not name its domain", f"add (:domain {domain.name})")
        return
    title = form.items[1] if len(form.items) == 2 else None
    if title is None:
        findings.error(form.offset, "':domain' takes one name")
        return
    found = name(title, "the name of the domain", findings)
    if domain.name and found is not None and found != domain.name:
        message = f"this {kind} is for the domain '{found}', not '{domain.name}'"
        findings.tolerate(title.offset, message, did_you_mean(found, [domain.name]))


def _not_a_section(item: Item, kind: str, known: Sequence[str], findings: Findings) -> None:
    like = ":init" if ":init" in known else known[0]
    hint = f"sections look like '({like} ...)': {show(item)} may need a ':'" if isinstance(item, Form) else None
    if isinstance(item, Form) and f":{item.head}" in known:
        hint = f"write '(:{item.head} ...'"
    findings.error(item.offset, f"a section of the {kind} is expected here, not '{show(item)}'", hint)


def only(sections: Sections, section: str) -> Form | None:
    forms = sections.get(section, ())
    return forms[0] if forms else None


def inside(sections: Sections, section: str) -> tuple[Item, ...]:
    """The items of a section, from everywhere that it occurs."""
    return tuple(item for form in sections.get(section, ()) for item in form.items[1:])


def requirements(sections: Sections, findings: Findings) -> tuple[str, ...]:
    found: list[str] = []
    for item in inside(sections, ":requirements"):
        text = item.text if isinstance(item, Word) else show(item)
        if text in SUPPORTED_REQUIREMENTS:
            found.append(intern(text))
        elif text in UNSUPPORTED_REQUIREMENTS:
            message = f"{UNSUPPORTED_REQUIREMENTS[text]} ({text}) are not supported"
            findings.warn(item.offset, f"{message}; a file that uses them is refused", UNSUPPORTED, "remove it")
        else:
            hint = did_you_mean(text, (*SUPPORTED_REQUIREMENTS, *UNSUPPORTED_REQUIREMENTS))
            findings.unsupported(item.offset, f"the requirement '{text}' is not known", hint)
    return tuple(dict.fromkeys(found))


def read_list(sections: Sections, section: str, what: str, findings: Findings) -> tuple[Typed, ...]:
    forms = sections.get(section, ())
    return tuple(entry for form in forms for entry in read_typed_list(form.items[1:], findings, what))
