"""From BDDL text to an activity, with every error of the text at its place.

Names may have dots and asterisks; everything else is read as PDDL is. BEHAVIOR's own reader takes more than makes
sense, so some of its files have slips that change nothing: they become remarks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from chorewright.domains.behavior import syntax
from chorewright.domains.pddl.grammar import read_forms, show
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Word
from chorewright.domains.pddl.syntax import Atom, Typed
from chorewright.errors import ChorewrightError, InputError
from chorewright.files.english import did_you_mean

MOST_COUNTED = 1_000
"""The largest number in ``(forn (N) ...)``."""

SECTIONS = (":domain", ":objects", ":init", ":goal")
ROOM = "inroom"
"""The predicate whose second argument is a room's name rather than an object."""

EMPTY = syntax.Connective("and", ())


def parse_activity(text: str, path: str | None = None) -> syntax.Activity:
    """Parse and check an activity.

    Raises:
        InputErrors: All errors that were found.
        LimitError: The text is too large or nests too deep.
    """
    findings = Findings(Source(text, path))
    activity = _Reader(findings).activity(read_forms(findings), path)
    findings.close()
    return activity


@dataclass(slots=True)
class _Scope:
    """What names may stand for: objects and synsets of the activity, and variables bound around here."""

    objects: Mapping[str, str]
    synsets: frozenset[str]
    bound: frozenset[str] = frozenset()

    def with_variables(self, variables: Sequence[Typed]) -> _Scope:
        return _Scope(self.objects, self.synsets, self.bound | {each.name for each in variables})


class _Reader:
    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.remarks: list[ChorewrightError] = []

    def activity(self, forms: Sequence[Item], path: str | None) -> syntax.Activity:
        """The activity of a text's forms; where something is broken, as much of it as can be read."""
        title, sections = self._sections(forms)
        named = self._words(sections.get(":domain"), "the domain's name")
        objects = self._objects(sections.get(":objects"))
        scope = _Scope({each.name: each.types[0] for each in objects}, frozenset(each.types[0] for each in objects))
        init = tuple(self._literals(sections.get(":init"), scope))
        goals = [self._condition(each, scope) for each in _inside(sections.get(":goal"))]
        whole = [each for each in goals if each is not None]
        if sections and len(sections) == len(SECTIONS) and not goals:
            self.findings.error(sections[":goal"].offset, "the goal is empty", "write a condition, such as (and ...)")
        if len(whole) > 1:
            second = _inside(sections[":goal"])[1]
            self._remark(second, f"only the first condition of the goal counts, '{show(second)}' does not")
        goal = whole[0] if whole else EMPTY
        domain = named[0] if named else ""
        return syntax.Activity(title, domain, objects, init, goal, tuple(whole[1:]), path, tuple(self.remarks))

    def _sections(self, forms: Sequence[Item]) -> tuple[str, dict[str, Form]]:
        """The problem's name, and its sections by name."""
        define = forms[0] if forms else None
        if not isinstance(define, Form) or define.head != "define":
            at = define.offset if define is not None else 0
            self.findings.error(at, "'(define (problem NAME) ...)' is expected here")
            return "", {}
        for extra in forms[1:2]:
            self.findings.error(extra.offset, f"nothing may follow the end of the problem, but '{show(extra)}' does")
        title = define.items[1] if len(define.items) > 1 else None
        name = ""
        if isinstance(title, Form) and title.head == "problem" and len(title.items) == 2:
            name = self._word(title.items[1], "the problem's name") or ""
        else:
            at = title.offset if title else define.offset
            self.findings.error(at, "'(problem NAME)' is expected after 'define'")
        found: dict[str, Form] = {}
        for item in define.items[2:]:
            self._section(item, found)
        if len(self.findings) == 0:
            for missing in [each for each in SECTIONS if each not in found]:
                self.findings.error(define.offset, f"the section '{missing}' is missing")
        return name, found

    def _section(self, item: Item, found: dict[str, Form]) -> None:
        if isinstance(item, Word) and item.text == "\\":
            self._remark(item, "a lone backslash")
        elif not isinstance(item, Form) or not item.head.startswith(":"):
            self.findings.error(item.offset, f"a section is expected here, not '{show(item)}'", "such as (:init ...)")
        elif item.head not in SECTIONS:
            hint = did_you_mean(item.head, SECTIONS) or f"sections: {', '.join(SECTIONS)}"
            self.findings.error(item.offset, f"'{item.head}' is not a section of a BDDL problem", hint)
        elif item.head in found:
            self.findings.error(item.offset, f"the section '{item.head}' occurs twice")
        else:
            found[item.head] = item

    def _objects(self, section: Form | None) -> tuple[Typed, ...]:
        """``a.n.01_1 a.n.01_2 - a.n.01 ...``."""
        items, found, pending = _inside(section), list[Typed](), list[Word]()
        synsets: dict[str, str] = {}
        at = 0
        while at < len(items):
            item = items[at]
            at += 1
            if not (isinstance(item, Word) and item.text == "-"):
                if self._word(item, "an object") is not None:
                    assert isinstance(item, Word)
                    pending.append(item)
                continue
            if not pending:
                self.findings.error(item.offset, "'-' needs objects before it")
            synset = self._word(items[at], "a synset") if at < len(items) else None
            if at == len(items):
                self.findings.error(item.offset, "a synset is missing after '-'")
            at += 1
            for each in pending:
                found.append(Typed(each.text, (synset or "",), self.findings.position(each.offset)))
                if synsets.setdefault(each.text, synset or "") != synset:
                    message = f"the object '{each.text}' is declared as '{synsets[each.text]}', too"
                    self.findings.error(each.offset, message)
                elif sum(known.name == each.text for known in found) == 2:
                    self._remark(each, f"the object '{each.text}' is declared twice")
            pending = []
        for each in pending[:1]:
            hint = f"write '{each.text} - SYNSET'"
            self.findings.error(each.offset, f"'{each.text}' and what follows have no synset", hint)
        return tuple(found)

    def _literals(self, section: Form | None, scope: _Scope) -> list[syntax.ActivityLiteral]:
        found = []
        for item in _inside(section):
            inner = item
            positive = not (isinstance(item, Form) and item.head == "not")
            if not positive:
                assert isinstance(item, Form)
                if len(item.items) != 2:
                    self.findings.error(item.offset, f"'not' takes one atom, not {len(item.items) - 1}")
                    continue
                inner = item.items[1]
            atom = self._atom(inner, scope)
            if atom is None:
                continue
            if any(term.startswith("?") for term in atom.terms):
                self.findings.error(inner.offset, "objects of the initial state are written without '?'")
            found.append(syntax.ActivityLiteral(atom, positive))
        return found

    def _condition(self, item: Item, scope: _Scope) -> syntax.Condition | None:
        if isinstance(item, Form) and item.head in syntax.CONNECTIVES:
            return self._connective(item, scope)
        if isinstance(item, Form) and item.head in syntax.QUANTIFIERS:
            return self._quantified(item, scope)
        return self._atom(item, scope)

    def _connective(self, form: Form, scope: _Scope) -> syntax.Condition:
        word, operands = form.head, form.items[1:]
        wanted = syntax.CONNECTIVES[word]
        if wanted is not None and len(operands) != wanted:
            conditions = "one condition" if wanted == 1 else f"{wanted} conditions"
            self.findings.error(form.offset, f"'{word}' takes {conditions}, not {len(operands)}")
        read = [self._condition(each, scope) for each in operands]
        return syntax.Connective(word, tuple(each for each in read if each is not None))

    def _quantified(self, form: Form, scope: _Scope) -> syntax.Condition | None:
        word, items = form.head, list(form.items[1:])
        count = None
        if word in syntax.COUNTED:
            count = self._count(form, items.pop(0) if items else None)
        wanted = syntax.QUANTIFIERS[word]
        if len(items) != wanted + 1:
            pattern = ["(N)"] * (word in syntax.COUNTED) + ["(?x - synset)", "(?y - synset)"][:wanted] + ["CONDITION"]
            self.findings.error(form.offset, f"'{word}' is written ({word} {' '.join(pattern)})")
            return None
        variables = [self._variable(each, scope) for each in items[:wanted]]
        whole = tuple(each for each in variables if each is not None)
        body = self._condition(items[wanted], scope.with_variables(whole))
        if body is None or len(whole) < wanted:
            return None
        return syntax.Quantified(word, whole, body, count)

    def _count(self, form: Form, item: Item | None) -> int:
        """The number in ``(forn (2) ...)``."""
        if isinstance(item, Form) and len(item.items) == 1:
            word = item.items[0]
            if isinstance(word, Word) and word.text.isascii() and word.text.isdecimal():
                if float(word.text) > MOST_COUNTED:
                    self.findings.error(word.offset, f"'{form.head}' counts up to {MOST_COUNTED}")
                return int(min(float(word.text), MOST_COUNTED))
        at = item.offset if item is not None else form.offset
        shown = f", not '{show(item)}'" if item is not None else ""
        self.findings.error(at, f"'{form.head}' needs a number in parentheses{shown}", f"({form.head} (2) ...)")
        return 0

    def _variable(self, item: Item, scope: _Scope) -> Typed | None:
        """``(?x - synset)``."""
        words = item.items if isinstance(item, Form) else ()
        if len(words) != 3 or not all(isinstance(each, Word) for each in words) or show(words[1]) != "-":
            self.findings.error(item.offset, f"'(?x - synset)' is expected here, not '{show(item)}'")
            return None
        name, synset = show(words[0]), show(words[2])
        if not name.startswith("?") or len(name) == 1:
            self.findings.error(words[0].offset, f"a variable is expected here, not '{name}'", f"write '?{name}'")
        elif syntax.constant(name) in scope.objects:
            self.findings.error(words[0].offset, f"'{name}' is an object, and cannot be bound")
        if synset not in scope.synsets:
            message = f"no object is declared as '{synset}'"
            self.findings.error(words[2].offset, message, did_you_mean(synset, scope.synsets))
        return Typed(name, (synset,), self.findings.position(item.offset))

    def _atom(self, item: Item, scope: _Scope) -> Atom | None:
        if not isinstance(item, Form) or not item.head:
            self.findings.error(item.offset, f"a condition is expected here, not '{show(item)}'")
            return None
        predicate = item.head
        if predicate not in syntax.PREDICATES:
            hint = did_you_mean(predicate, (*syntax.PREDICATES, *syntax.CONNECTIVES, *syntax.QUANTIFIERS))
            self.findings.error(item.offset, f"there is no predicate '{predicate}'", hint)
            return None
        terms = [self._word(each, "an object") for each in item.items[1:]]
        if len(terms) != syntax.PREDICATES[predicate]:
            objects = "1 object" if syntax.PREDICATES[predicate] == 1 else f"{syntax.PREDICATES[predicate]} objects"
            self.findings.error(item.offset, f"'{predicate}' takes {objects}, not {len(terms)}")
            return None
        whole = tuple(each for each in terms if each is not None)
        if len(whole) < len(terms):
            return None
        for place, (term, word) in enumerate(zip(whole, item.items[1:], strict=True)):
            if not (predicate == ROOM and place == 1):
                self._check_term(term, word, scope)
        return Atom(predicate, whole, self.findings.position(item.offset))

    def _check_term(self, term: str, word: Item, scope: _Scope) -> None:
        if term in scope.bound or syntax.constant(term) in scope.objects:
            return
        known = (*scope.bound, *scope.objects)
        what = "variable is bound" if term.startswith("?") else "object is declared"
        self.findings.error(word.offset, f"no {what} as '{term}'", did_you_mean(term, known), once=f"term {term}")

    def _words(self, section: Form | None, what: str) -> list[str]:
        """The words of a section that has just one."""
        if section is None:
            return []
        items = _inside(section)
        if len(items) != 1:
            self.findings.error(section.offset, f"'({section.head} ...)' holds {what}, and nothing else")
        read = [self._word(each, what) for each in items[:1]]
        return [each for each in read if each]

    def _word(self, item: Item, what: str) -> str | None:
        if isinstance(item, Word) and item.text != "-" and not item.text.startswith(":"):
            return item.text
        self.findings.error(item.offset, f"{what} is expected here, not '{show(item)}'")
        return None

    def _remark(self, item: Item, message: str) -> None:
        source = self.findings.source
        self.remarks.append(InputError(message, location=source.location(item.offset) if source else None))


def _inside(section: Form | None) -> Sequence[Item]:
    return section.items[1:] if section is not None else ()


# BDDL text from an activity; reading it gives an equal activity.


WIDTH = 100
"""Columns that a line keeps to where it can."""


def write_activity(activity: syntax.Activity) -> str:
    """Return the text of an activity."""
    lines = [f"(define (problem {activity.name})", f"  (:domain {activity.domain})", "  (:objects"]
    for synset, run in groupby(activity.objects, lambda each: each.types[0]):
        lines.append(f"    {' '.join(each.name for each in run)} - {synset}")
    lines[-1] += ")"
    lines.append("  (:init")
    lines += [f"    {_literal(each)}" for each in activity.init]
    lines[-1] += ")"
    lines.append("  (:goal")
    for each in (activity.goal, *activity.unread):
        lines += _lines(each, 4)
    lines[-1] += "))"
    return "\n".join(lines) + "\n"


def write_condition(condition: syntax.Condition, indentation: int = 0) -> str:
    """Return the text of a condition, each line indented by so many columns."""
    return "\n".join(_lines(condition, indentation))


def _literal(literal: syntax.ActivityLiteral) -> str:
    return _atom(literal.atom) if literal.positive else f"(not {_atom(literal.atom)})"


def _atom(atom: Atom) -> str:
    return f"({' '.join((atom.predicate, *atom.terms))})"


def _lines(condition: syntax.Condition, indentation: int) -> list[str]:
    """A condition on one line if it fits, else its parts on lines of their own."""
    whole = " " * indentation + _flat(condition)
    if len(whole) <= WIDTH or isinstance(condition, Atom):
        return [whole]
    opening = " ".join(("(" + condition.word, *_bindings(condition)))
    lines = [" " * indentation + opening]
    for each in _parts(condition):
        lines += _lines(each, indentation + 2)
    lines[-1] += ")"
    return lines


def _flat(condition: syntax.Condition) -> str:
    if isinstance(condition, Atom):
        return _atom(condition)
    return f"({' '.join((condition.word, *_bindings(condition), *map(_flat, _parts(condition))))})"


def _parts(condition: syntax.Connective | syntax.Quantified) -> Sequence[syntax.Condition]:
    return condition.operands if isinstance(condition, syntax.Connective) else (condition.body,)


def _bindings(condition: syntax.Connective | syntax.Quantified) -> Iterator[str]:
    if isinstance(condition, syntax.Quantified):
        if condition.count is not None:
            yield f"({condition.count})"
        yield from map(_variable, condition.variables)


def _variable(variable: Typed) -> str:
    return f"({variable.name} - {variable.types[0]})"
