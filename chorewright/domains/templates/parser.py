"""The file format of goal templates: PDDL with slots, read into a checked ``GoalTemplate``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, islice, product
from math import prod
from pathlib import Path

from chorewright.domains.pddl.define import domain_word, limit_source, read_own_sections
from chorewright.domains.pddl.expressions import formula
from chorewright.domains.pddl.grammar import is_name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Word, read_source
from chorewright.domains.pddl.subformulas import conjuncts, with_parts
from chorewright.domains.pddl.syntax import TRUE, And, Atom, Domain, Equals, Formula, Not
from chorewright.domains.templates.checks import Read, check_template
from chorewright.domains.templates.goal_templates import Binding, GoalTemplate, NumberedGoal, Slot
from chorewright.domains.templates.slots import Abbreviations, Reader, read_range, read_slots
from chorewright.domains.templates.starts import KIND, StartRule, read_start
from chorewright.domains.templates.words import MAX_EFFORT, domain_name, number, rooms, short, tags, texts
from chorewright.domains.vocabulary import Vocabulary

SECTIONS = (
    ":domain",
    ":documentation",
    ":tags",
    ":number",
    ":effort",
    ":slots",
    ":where",
    ":rooms",
    ":needs",
    ":defaults",
    ":start",
    ":goal",
    ":conditions",
    ":say",
)

MAX_CHARACTERS = 100_000
MAX_DISTINCT = 100
MAX_NUMBERED = 200


def parse_template(
    text: str, domain: Domain, vocabulary: Vocabulary, path: str | None = None, collection: str = ""
) -> GoalTemplate:
    """Parse and check a template.

    Raises:
        InputErrors: all errors that were found.
        LimitError: the text is too large or nests too deep.
    """
    return _template(Source(text, path), domain, vocabulary, collection)


def load_template(path: str | Path, domain: Domain, vocabulary: Vocabulary, collection: str = "") -> GoalTemplate:
    """Parse and check a template file; raises as ``parse_template``, or InputError if it cannot be read."""
    return _template(read_source(path), domain, vocabulary, collection)


def template_domain(path: str | Path) -> str | None:
    """Return the name of the domain that a template's file names; None if it names none or is broken.

    Raises:
        InputError: the file cannot be read.
        LimitError: the text is too large or nests too deep.
    """
    word = domain_word(Findings(limit_source(read_source(path), MAX_CHARACTERS, "task")), "task")
    return None if word is None else word.text


def refuse_domain(path: str | Path, hint: str) -> None:
    """Raise that there is no such domain as a template's file names, at the place where it does.

    Raises:
        InputErrors: always, unless the file names no domain.
    """
    findings = Findings(limit_source(read_source(path), MAX_CHARACTERS, "task"))
    word = domain_word(findings, "task")
    if word is not None:
        findings = Findings(findings.source)  # what else is wrong with the file is not the matter here
        findings.error(word.offset, f"there is no domain {word.text!r}", hint)
        findings.close()


def _template(source: Source, domain: Domain, vocabulary: Vocabulary, collection: str) -> GoalTemplate:
    findings = Findings(limit_source(source, MAX_CHARACTERS, "task"))
    define, title, forms = read_own_sections(findings, "task", SECTIONS)
    sections = {form.head: form for form in forms}
    reader = Reader(findings, source, vocabulary)
    slots, broken, declared = read_slots(sections.get(":slots"), reader)
    needs = _needs(sections.get(":needs"), reader)
    where = _where(sections.get(":where"), reader)
    goal_form = sections.get(":goal")
    before = len(findings)
    first, *others = _number_fillings(slots)
    types = frozenset(each.name for each in domain.types) | {"object"}
    short_forms = Abbreviations(types, vocabulary, first)
    goal = _goal(_spell(goal_form, short_forms), define, findings)
    whole_goal = len(findings) == before
    conditions, condition_offsets = _conditions(_spell(sections.get(":conditions"), short_forms), findings)
    start = _start(sections.get(":start"), reader, short_forms)
    sayings, saying_offsets = texts(sections.get(":say"), findings)
    documentation, _ = texts(sections.get(":documentation"), findings)
    if goal is not None and whole_goal and ":conditions" not in sections:
        parts = conjuncts(goal)
        conditions = tuple((f"goal-{place}", part) for place, part in enumerate(parts, start=1))
        condition_offsets = (goal_form.offset if goal_form else 0,) * len(parts)
    numbered = tuple(
        _renumber(numbers, sections, define, reader, Abbreviations(types, vocabulary, numbers))
        for numbers in (others if len(findings) == before else ())
    )
    _check_numbers(slots, goal_form, reader)
    template = GoalTemplate(
        name=title,
        domain=domain_name(sections.get(":domain"), domain, findings),
        slots=slots,
        goal=goal if goal is not None else TRUE,
        where=where,
        conditions=conditions,
        sayings=sayings,
        documentation=" ".join(" ".join(documentation).split()),
        rooms=rooms(sections.get(":rooms"), findings),
        needs=needs,
        defaults=_defaults(sections.get(":defaults"), reader),
        tags=tags(sections.get(":tags"), findings),
        number=number(sections.get(":number"), findings),
        collection=collection,
        start=start,
        numbered=numbered,
        path=source.path,
        effort=number(sections.get(":effort"), findings, "evaluations", MAX_EFFORT),
    )
    read = Read(
        sound=not any(findings.is_muted(form.offset) for form in sections.values()),
        declared=declared,
        broken=broken,
        goal=goal_form.offset if goal_form and whole_goal else None,
        slots=sections[":slots"].offset if ":slots" in sections else None,
        conditions=condition_offsets,
        sayings=saying_offsets,
        defaults=tuple(item.offset for item in sections[":defaults"].items[1:]) if ":defaults" in sections else (),
        start=sections[":start"].offset if ":start" in sections else None,
    )
    check_template(template, read, domain, vocabulary, findings)
    # The parts of a goal that are its conditions, too, are checked as both.
    findings.errors[:] = {(str(each.location), each.message): each for each in findings.errors}.values()
    findings.close()
    return template


def _number_fillings(slots: Sequence[Slot]) -> list[dict[str, str]]:
    """Return what the slots over numbers may stand for together; one empty filling if there are none."""
    counted = [slot for slot in slots if slot.numbers]
    every = islice(product(*(slot.numbers for slot in counted)), MAX_NUMBERED)
    return [{slot.variable: str(n) for slot, n in zip(counted, each, strict=True)} for each in every]


def _spell(form: Form | None, short_forms: Abbreviations) -> Form | None:
    found = short_forms.spell(form) if form is not None else None
    assert found is None or isinstance(found, Form)
    return found


def _start(form: Form | None, reader: Reader, short_forms: Abbreviations) -> tuple[StartRule, ...]:
    def kinds_of(item: Item) -> Formula:
        return read_range(item, KIND, reader, slots=True)

    return read_start(form, reader.findings, reader.text_of, kinds_of, short_forms.spell)


def _renumber(
    numbers: Mapping[str, str], sections: Mapping[str, Form], define: Form, reader: Reader, spell: Abbreviations
) -> NumberedGoal:
    """Read goal, conditions and start once more, with other numbers."""
    goal = _goal(_spell(sections.get(":goal"), spell), define, reader.findings)
    conditions, _ = _conditions(_spell(sections.get(":conditions"), spell), reader.findings)
    if goal is not None and ":conditions" not in sections:
        conditions = tuple((f"goal-{place}", part) for place, part in enumerate(conjuncts(goal), start=1))
    start = _start(sections.get(":start"), reader, spell)
    return NumberedGoal(tuple(map(int, numbers.values())), goal if goal is not None else TRUE, conditions, start)


def _check_numbers(slots: Sequence[Slot], goal: Form | None, reader: Reader) -> None:
    """Record slots over numbers that the goal does not use, and too many of them."""
    counted = [slot for slot in slots if slot.numbers]
    if prod(len(slot.numbers) for slot in counted) > MAX_NUMBERED:
        reader.findings.error(counted[0].position, f"the slots over numbers have more than {MAX_NUMBERED} fillings")
    words = re.findall(r"\?[^\s()]+", reader.text_of(goal).lower()) if goal is not None else []
    for slot in counted:
        if goal is not None and slot.variable not in words:
            hint = f"(at-least {slot.variable} (?x - ...) ...)"
            reader.findings.error(slot.position, f"the slot '{slot.variable}' is not used in the goal", hint)


def _needs(form: Form | None, reader: Reader) -> tuple[tuple[str, Formula], ...]:
    items = form.items[1:] if form else ()
    return tuple((reader.text_of(item), read_range(item, "?kind", reader)) for item in items)


def _where(form: Form | None, reader: Reader) -> tuple[tuple[str, Formula], ...]:
    found: list[tuple[str, Formula]] = []
    for item in form.items[1:] if form else ():
        before = len(reader.findings)
        parsed = formula(item, reader.findings)
        if len(reader.findings) == before:
            found.append((reader.text_of(item), _distinct(parsed, reader.findings)))
    return tuple({constraint: (text, constraint) for text, constraint in found}.values())


def _distinct(constraint: Formula, findings: Findings) -> Formula:
    """Spell out ``(distinct ?a ?b ...)`` as inequalities."""
    match constraint:
        case Atom("distinct", terms, position):
            if not 2 <= len(terms) <= MAX_DISTINCT:
                findings.error(position, f"'distinct' takes 2 to {MAX_DISTINCT} slots, not {len(terms)}")
                return TRUE
            return And(tuple(Not(Equals(*pair, position)) for pair in combinations(terms, 2)))
        case _:
            return with_parts(constraint, lambda part: _distinct(part, findings))


def _goal(form: Form | None, define: Form, findings: Findings) -> Formula | None:
    if form is None:
        findings.error(define.offset, "the task has no goal", "add (:goal (...))")
        return None
    if len(form.items) != 2:
        at = form.items[2].offset if len(form.items) > 2 else form.offset
        hint = "join several with (and ...)" if len(form.items) > 2 else None
        findings.error(at, f"':goal' takes one condition, not {len(form.items) - 1}", hint)
        return None
    return formula(form.items[1], findings)


def _conditions(form: Form | None, findings: Findings) -> tuple[tuple[tuple[str, Formula], ...], tuple[int, ...]]:
    found: list[tuple[str, Formula]] = []
    offsets: list[int] = []
    for item in form.items[1:] if form else ():
        if not isinstance(item, Form) or len(item.items) != 2 or not is_name(item.items[0]):
            hint = "write (name (condition)), for example (placed (exists ...))"
            findings.error(item.offset, f"a named condition is expected here, not '{short(item)}'", hint)
            continue
        found.append((show(item.items[0]), formula(item.items[1], findings)))
        offsets.append(item.offset)
    return tuple(found), tuple(offsets)


def _defaults(form: Form | None, reader: Reader) -> Binding:
    """``(?slot Kind) ...``."""
    found: list[tuple[str, str]] = []
    for item in form.items[1:] if form else ():
        words: Sequence[Item] = item.items if isinstance(item, Form) else ()
        if len(words) != 2 or not all(isinstance(word, Word) for word in words) or not show(words[0]).startswith("?"):
            message = f"a slot with its default is expected here, not '{short(item)}'"
            reader.findings.error(item.offset, message, "write (?slot Kind), for example (?object Mug)")
            found.append(("", ""))
            continue
        value = show(words[1])
        kind = reader.vocabulary.find(value)
        found.append((show(words[0])[1:], kind if kind is not None else value))
    return tuple(found)
