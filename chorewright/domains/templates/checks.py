"""Checks of a goal template that has been read: slots, constraints, conditions, sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches

from chorewright.domains.facts import Universe, supertypes
from chorewright.domains.pddl.scopes import Symbols, check_formula
from chorewright.domains.pddl.source import Findings
from chorewright.domains.pddl.subformulas import free_variables, own_terms, own_variables, subformulas
from chorewright.domains.pddl.syntax import AtLeast, Atom, Domain, Equals, Exists, Forall, Formula, Position, Typed
from chorewright.domains.rewriting import types_mentioned_in
from chorewright.domains.templates.goal_templates import GoalTemplate, Slot, fillable, slot_candidates
from chorewright.domains.templates.starts import DISTRACTORS, KIND, STATES, wishes
from chorewright.domains.templates.words import COUNTED, PATTERN_KEY, read_key
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError
from chorewright.files.english import did_you_mean


@dataclass(frozen=True, slots=True)
class Read:
    """The offsets of a template's parts in the text; None for a missing or broken part.

    ``sound`` says that no section had to be repaired for a missing parenthesis, ``declared`` that all slots
    could be made out; ``broken`` are the variables of slots whose sets are wrong.
    """

    sound: bool
    declared: bool
    broken: frozenset[str]
    goal: int | None
    slots: int | None
    conditions: tuple[int, ...]
    sayings: tuple[int, ...]
    defaults: tuple[int, ...]
    start: int | None = None


def check_template(
    template: GoalTemplate, read: Read, domain: Domain, vocabulary: Vocabulary, findings: Findings
) -> None:
    """Record everything that is wrong with a template that could be read."""
    sound = read.sound and read.declared
    before = len(findings)
    _check_slots(template, read, domain, vocabulary, findings)
    if sound:
        _check_where(template, domain, vocabulary, findings)
    solvable = sound and not read.broken and len(findings) == before
    _check_conditions(template, read, findings)
    if sound:
        _check_sayings(template, read, vocabulary, findings)
        _check_formulas(template, read, domain, vocabulary, findings)
    if sound and read.goal is not None:
        _check_use(template, findings)
    _check_defaults(template, read, vocabulary, findings)
    over_kinds = not any(slot.over_objects for slot in template.slots)
    _check_start(template, vocabulary, findings, read.start)
    if solvable and template.slots and over_kinds and not fillable(template, vocabulary):
        message = "no combination of kinds fills the slots"
        findings.error(read.slots, message, "the constraints of ':where' exclude each other")


def _check_slots(
    template: GoalTemplate, read: Read, domain: Domain, vocabulary: Vocabulary, findings: Findings
) -> None:
    seen: set[str] = set()
    types = {typed.name for typed in domain.types} | {"object"}
    constants = Universe.of(domain)
    for slot in template.slots:
        if slot.name in seen:
            findings.error(slot.position, f"the slot '{slot.variable}' is declared twice")
        seen.add(slot.name)
        unknown = [each for each in slot.types if each not in types]
        for each in unknown:
            findings.error(findings.word(slot.position, each), f"there is no type '{each}'", did_you_mean(each, types))
        if not slot.over_kinds or slot.variable in read.broken:
            continue
        members = slot_candidates(slot, vocabulary, constants)
        if not members:
            findings.error(slot.position, f"no kind can fill the slot '{slot.variable}'", "its set is empty")
        missing = [each for each in members if vocabulary.kinds[each].pddl_type not in types]
        if missing:
            message = f"the domain '{domain.name}' has no type for the kind {missing[0]}"
            findings.error(slot.position, message, "kinds are types in lower case")


def _check_where(template: GoalTemplate, domain: Domain, vocabulary: Vocabulary, findings: Findings) -> None:
    known = {kind.pddl_type for kind in vocabulary.kinds.values()} | {typed.name for typed in domain.constants}
    slots = [slot.variable for slot in template.slots]

    def check_terms(position: Position | None, terms: tuple[str, ...]) -> None:
        for index, term in enumerate(terms, start=1):
            where = findings.term(position, index)
            if term.startswith("?") and term not in slots:
                findings.error(where, f"there is no slot '{term}'", did_you_mean(term, slots))
            elif not term.startswith("?") and term not in known:
                findings.error(where, f"there is no kind '{term}'", did_you_mean(term, sorted(known)))

    for _, constraint in template.where:
        for part in subformulas(constraint):
            if isinstance(part, Forall | Exists | AtLeast):
                at = part.variables[0].position if part.variables else None
                findings.error(at, "':where' relates slots and kinds: it has no quantifiers")
                return
            if isinstance(part, Equals):
                check_terms(part.position, (part.left, part.right))
            if isinstance(part, Atom):
                check_terms(part.position, part.terms)
                _check_relation(vocabulary, part, findings)


def _check_relation(vocabulary: Vocabulary, atom: Atom, findings: Findings) -> None:
    if atom.predicate in vocabulary.sets:
        expected = 1
    elif atom.predicate in vocabulary.relations:
        expected = 2
    else:
        known = (*vocabulary.relations, *vocabulary.sets, "distinct")
        message = f"'{atom.predicate}' is neither a set nor a relation of kinds"
        findings.error(findings.term(atom.position, 0), message, did_you_mean(atom.predicate, known))
        return
    if len(atom.terms) != expected:
        what = "slot or kind" if expected == 1 else "slots or kinds"
        findings.error(atom.position, f"'{atom.predicate}' takes {expected} {what}, not {len(atom.terms)}")


def _check_sayings(template: GoalTemplate, read: Read, vocabulary: Vocabulary, findings: Findings) -> None:
    seen: set[str] = set()
    kinds = vocabulary.kinds.values()
    nouns = [*template.slot_names, *(each.noun for each in kinds), *(each.name.lower() for each in kinds)]
    for pattern, offset in zip(template.sayings, read.sayings, strict=True):
        if not pattern.strip():
            findings.error(offset, "this sentence is empty")
        elif pattern in seen:
            findings.error(offset, "this sentence occurs twice")
        seen.add(pattern)
        for match in PATTERN_KEY.finditer(pattern):
            try:
                form, name = read_key(match.group(1), template.slot_names)
                slot = next(slot for slot in template.slots if slot.name == name)
                if form.startswith(COUNTED) and not slot.numbers:
                    message = f"'{{{match.group(1)}}}': the slot '{name}' is no number, so it counts nothing"
                    raise InputError(message, hint=f"write {{{name}}}, or a slot of the form ?n in 2..4")
                noun = form.removeprefix(COUNTED)
                if noun != form and noun not in nouns and (near := get_close_matches(noun, nouns, 1, 0.85)):
                    hint = f"did you mean '{near[0]}'? else write {{{name}}} and the noun"
                    raise InputError(f"'{{{match.group(1)}}}': no slot or kind is called '{noun}'", hint=hint)
            except InputError as error:
                findings.error(offset + match.start(), error.message, error.hint)
        for place, character in enumerate(PATTERN_KEY.sub(lambda match: "_" * len(match.group()), pattern)):
            if character in "{}":
                findings.error(offset + place, f"'{character}' has no partner", "slots are written {slot}")


def _check_start(template: GoalTemplate, vocabulary: Vocabulary, findings: Findings, offset: int | None) -> None:
    """Record rules about the start whose sets are empty, or of which nothing can be in the state."""
    slots = {slot.variable for slot in template.slots if slot.over_kinds}
    for rule in template.start:
        named = free_variables(rule.subject) | free_variables(rule.places)
        unknown = sorted(named - slots - {KIND})
        for each in unknown:
            findings.error(offset, f"there is no slot '{each}' over kinds", did_you_mean(each, sorted(slots)))
        if unknown:
            continue
        if free_variables(rule.subject) | free_variables(rule.places) > {KIND} or rule.what == "holds":
            continue  # a slot stands in it: its kinds are known once it is filled
        (wish,) = wishes((rule,), {}, vocabulary)
        needed = STATES.get(rule.what)
        if rule.what != DISTRACTORS and not wish.kinds:
            findings.error(offset, f"no kind is meant by {rule.text}")
        elif needed and not any(vocabulary.is_a(kind, needed) for kind in wish.kinds):
            findings.error(offset, f"{rule.text} can be said of nothing {needed}: {', '.join(wish.kinds[:6])}")


def _check_conditions(template: GoalTemplate, read: Read, findings: Findings) -> None:
    names: set[str] = set()
    formulas: dict[Formula, str] = {}
    for (name, condition), offset in zip(template.conditions, read.conditions, strict=True):
        if name in names:
            findings.error(offset, f"the condition '{name}' occurs twice", "give it another name")
        names.add(name)
        same = formulas.setdefault(condition, name)
        if same != name:
            findings.error(offset, f"the condition '{name}' is the same as '{same}'")


def _check_formulas(
    template: GoalTemplate, read: Read, domain: Domain, vocabulary: Vocabulary, findings: Findings
) -> None:
    """Check the goal and conditions as PDDL, each slot over kinds being a type below what its kinds share."""
    added = tuple(
        Typed(slot.variable, _types_above(slot, read, domain, vocabulary), slot.position)
        for slot in template.slots
        if slot.over_kinds
    )
    symbols = Symbols.of(replace(domain, types=(*domain.types, *added)), ())
    terms = tuple(Typed(slot.variable, slot.types, slot.position) for slot in template.slots if slot.over_objects)
    start = tuple(rule.formula for rule in template.start if rule.what == "holds")
    for part in (template.goal, *(condition for _, condition in template.conditions), *start):
        if _check_slot_terms(template, part, findings):
            check_formula(part, symbols, terms, findings)


def _types_above(slot: Slot, read: Read, domain: Domain, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the most specific type above all kinds of a slot; all types where its set is wrong."""
    members = () if slot.variable in read.broken else slot_candidates(slot, vocabulary)
    if not members:
        return tuple(typed.name for typed in domain.types)
    above = [supertypes(domain, (vocabulary.kinds[kind].pddl_type,)) for kind in members]
    shared = [each for each in above[0] if all(each in other for other in above)]
    return (max(shared, key=lambda each: len(supertypes(domain, (each,)))),)


def _check_slot_terms(template: GoalTemplate, part: Formula, findings: Findings) -> bool:
    """Record slots over kinds used as objects, slots over objects used as types, and hidden slots."""
    before = len(findings)
    kinds = {slot.variable for slot in template.slots if slot.over_kinds}
    objects = {slot.variable for slot in template.slots if slot.over_objects}
    for each in subformulas(part):
        if isinstance(each, Atom | Equals):
            for index, term in enumerate(own_terms(each), start=1):
                if term in kinds:
                    message = f"the slot '{term}' is a kind, not an object"
                    hint = f"write (exists (?x - {term}) ...) and use ?x"
                    findings.error(findings.term(each.position, index), message, hint)
        for typed in own_variables(each):
            if typed.name in kinds | objects:
                message = f"the variable '{typed.name}' has the name of a slot"
                findings.error(typed.position, message, "give it another name, for example its first letter")
            for name in typed.types:
                if name in objects:
                    message = f"the slot '{name}' is an object, not a type"
                    findings.error(findings.word(typed.position, name), message, f"use {name} itself")
                elif name.startswith("?") and name not in kinds:
                    hint = did_you_mean(name, sorted(kinds)) or "slots are declared in (:slots ...)"
                    message = f"there is no slot '{name}'"
                    findings.error(findings.word(typed.position, name), message, hint)
    return len(findings) == before


def _check_use(template: GoalTemplate, findings: Findings) -> None:
    used = {*types_mentioned_in(template.goal), *free_variables(template.goal)}
    for slot in template.slots:
        if slot.variable not in used and not slot.numbers:
            message = f"the slot '{slot.variable}' is not used in the goal"
            hint = f"(exists (?x - {slot.variable}) ...)" if not slot.over_objects else None
            findings.error(slot.position, message, hint)


def _check_defaults(template: GoalTemplate, read: Read, vocabulary: Vocabulary, findings: Findings) -> None:
    slots = {slot.name: slot for slot in template.slots}
    seen: set[str] = set()
    for (name, value), offset in zip(template.defaults, read.defaults, strict=True):
        if not name:
            continue
        slot = slots.get(name)
        if slot is None:
            findings.error(offset, f"there is no slot '?{name}'", did_you_mean(f"?{name}", [f"?{s}" for s in slots]))
        elif name in seen:
            findings.error(offset, f"the slot '?{name}' has two defaults")
        elif not slot.over_objects and value not in slot_candidates(slot, vocabulary):
            findings.error(offset, f"'{value}' cannot fill the slot '?{name}'", did_you_mean(value, vocabulary.kinds))
        seen.add(name)
