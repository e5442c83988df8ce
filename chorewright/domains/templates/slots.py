"""The slots of a template, the sets that they range over, and counting and drawing their fillings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

from chorewright.domains.pddl.expressions import type_names
from chorewright.domains.pddl.grammar import is_name, name, show
from chorewright.domains.pddl.source import Findings, Form, Item, Source, Word
from chorewright.domains.pddl.subformulas import free_variables
from chorewright.domains.pddl.syntax import TRUE, And, Atom, Equals, Formula, Not, Or
from chorewright.domains.templates.goal_templates import Binding, GoalTemplate, Slot, candidates
from chorewright.domains.templates.starts import COUNTS, MOST
from chorewright.domains.templates.words import short
from chorewright.domains.vocabulary import Vocabulary
from chorewright.files.english import did_you_mean

if TYPE_CHECKING:
    import numpy as np

MAX_SLOTS = 12

_SLOTS_HINT = "write '?slot in SET', for example '?object in heatable'"


@dataclass(frozen=True, slots=True)
class Reader:
    """What the sections of one file are read with."""

    findings: Findings
    source: Source
    vocabulary: Vocabulary

    def text_of(self, item: Item) -> str:
        """Return an item as it is written, on one line."""
        if isinstance(item, Form):
            return " ".join(self.source.text[item.offset : item.end].split())
        return item.text


def read_slots(form: Form | None, reader: Reader) -> tuple[tuple[Slot, ...], frozenset[str], bool]:
    """``?a ?b in SET ?c - type``: slots over kinds and over objects.

    Also returned are the variables whose set is wrong, and whether all declarations could be made out.
    """
    findings = reader.findings
    before = len(findings)
    in_sets = 0
    broken: set[str] = set()
    slots: list[Slot] = []
    pending: list[Word] = []
    items = form.items[1:] if form else ()
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if isinstance(item, Word) and item.text.startswith("?"):
            if is_name(Word(item.text[1:], item.offset)) if len(item.text) > 1 else False:
                pending.append(item)
            else:
                findings.error(item.offset, f"a slot is expected here, not '{item.text}'", _SLOTS_HINT)
            continue
        if not (isinstance(item, Word) and item.text in ("in", "-")):
            hint = f"constraints such as '{short(item)}' belong into (:where ...)" if isinstance(item, Form) else None
            findings.error(item.offset, f"a slot is expected here, not '{short(item)}'", hint or _SLOTS_HINT)
            continue
        what = "set" if item.text == "in" else "type"
        if not pending:
            findings.error(item.offset, f"'{item.text}' needs a slot before it and a {what} after it", _SLOTS_HINT)
        if at == len(items) or (isinstance(items[at], Word) and show(items[at]).startswith("?")):
            findings.error(item.offset, f"a {what} is missing after '{item.text}'", _SLOTS_HINT)
            pending = []
            continue
        behind = items[at]
        at += 1
        types = type_names(behind, findings) if what == "type" else ()
        inside = len(findings)
        numbers = _number_range(behind, findings) if what == "set" else None
        if numbers is not None:
            slots += [Slot(word.text[1:], TRUE, (), findings.position(word.offset), numbers) for word in pending]
            in_sets += len(findings) - inside
            pending = []
            continue
        for word in pending:
            told = len(findings) > inside
            found = TRUE if types or told else read_range(behind, word.text, reader)
            slots.append(Slot(word.text[1:], found, types, findings.position(word.offset)))
            if len(findings) > inside:
                broken.add(word.text)
        in_sets += len(findings) - inside
        pending = []
    for word in pending:
        findings.error(word.offset, f"the slot '{word.text}' has no set to range over", _SLOTS_HINT)
    if len(slots) > MAX_SLOTS:
        findings.error(slots[MAX_SLOTS].position, f"a task has at most {MAX_SLOTS} slots, not {len(slots)}")
        slots = slots[:MAX_SLOTS]
    return tuple(slots), frozenset(broken), len(findings) - in_sets == before


def _number_range(item: Item, findings: Findings) -> tuple[int, ...] | None:
    """``2..4`` as numbers; None if it is no such range."""
    match = re.fullmatch(r"([0-9]{1,3})\.\.([0-9]{1,3})", item.text) if isinstance(item, Word) else None
    if match is None:
        return None
    low, high = int(match[1]), int(match[2])
    if not 1 <= low <= high <= MOST:
        findings.error(item.offset, f"numbers range from 1 to {MOST}, not {match[0]}", "for example ?n in 2..4")
        low, high = 1, 1
    return tuple(range(low, high + 1))


def read_range(item: Item, variable: str, reader: Reader, slots: bool = False) -> Formula:
    """A set expression as a formula over a variable: names of sets and kinds, ``and``, ``or``, ``not``.

    With ``slots``, a slot stands for its kind, too.
    """
    findings = reader.findings
    if isinstance(item, Word) and slots and item.text.startswith("?"):
        return Equals(variable, item.text, findings.position(item.offset))
    if isinstance(item, Word):
        return _set_name(item, variable, reader) if name(item, "a set", findings) else TRUE
    if isinstance(item, Form) and item.head in ("and", "or") and len(item.items) > 1:
        operands = tuple(dict.fromkeys(read_range(inner, variable, reader, slots) for inner in item.items[1:]))
        return And(operands) if item.head == "and" else Or(operands)
    if isinstance(item, Form) and item.head == "not" and len(item.items) == 2:
        return Not(read_range(item.items[1], variable, reader, slots))
    hint = "sets are named, or made with (and ...), (or ...) and (not ...)"
    findings.error(item.offset, f"a set is expected here, not '{short(item)}'", hint)
    return TRUE


def _set_name(word: Word, variable: str, reader: Reader) -> Formula:
    vocabulary = reader.vocabulary
    position = reader.findings.position(word.offset)
    kind = vocabulary.find(word.text)
    if kind is not None:
        return Equals(variable, vocabulary.kinds[kind].pddl_type, position)
    if not vocabulary.has_set(word.text):
        known = (*vocabulary.sets, *(each.pddl_type for each in vocabulary.kinds.values()))
        reader.findings.error(word.offset, f"there is no set or kind '{word.text}'", did_you_mean(word.text, known))
        return TRUE
    return Atom(word.text, (variable,), position)


# What a template's formulas may say in short, spelled out as PDDL: sets as types, numbers of slots, exact counts.
#
# ``(?x - fruit)`` becomes ``(?x - (either apple ...))``, ``?n`` its number, ``(exactly 2 ...)`` and ``(at-most 2 ...)``
# become ``at-least``. Each word keeps its place in the file, for messages.


_QUANTIFIERS = ("forall", "exists", *COUNTS)
_SET_WORDS = ("and", "or", "not")


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Spells forms out.

    Attributes:
        types: The domain's types; a set of the same name is not looked at.
        vocabulary: Where the sets are.
        numbers: What each slot over numbers stands for.
    """

    types: frozenset[str]
    vocabulary: Vocabulary
    numbers: Mapping[str, str] = field(default_factory=dict)

    def spell(self, item: Item) -> Item:
        """Return an item with all that is said in short spelled out."""
        if isinstance(item, Word):
            return Word(self.numbers[item.text], item.offset) if item.text in self.numbers else item
        if not isinstance(item, Form):
            return item
        items = tuple(map(self.spell, item.items))
        if item.head in _QUANTIFIERS:
            items = tuple(self._typed(each) if place else each for place, each in enumerate(items))
        return self._spell_count(Form(item.offset, item.end, items))

    def _typed(self, item: Item) -> Item:
        """Return a quantifier's variables with sets as types; a condition as it is."""
        if not isinstance(item, Form) or not item.items or not _variable(item.items[0]):
            return item
        found: list[Item] = []
        for place, each in enumerate(item.items):
            after = place > 0 and isinstance(before := item.items[place - 1], Word) and before.text == "-"
            found.append(self._type(each) if after else each)
        return Form(item.offset, item.end, tuple(found))

    def _type(self, item: Item) -> Item:
        """Return a type, or the types of a set's kinds."""
        if isinstance(item, Form) and item.head == "either":
            return _either([part for each in item.items[1:] for part in _alternatives(self._type(each))], item)
        members = self._members(item)
        if members is None:
            return self._unknown(item) or item
        return _either([Word(name, item.offset) for name in members], item)

    def _unknown(self, item: Item) -> Word | None:
        """Return the first word of a set expression that is no set, for the message; None if a slot is in it."""
        if not isinstance(item, Form) or item.head not in _SET_WORDS:
            return None
        for each in item.items[1:]:
            found = self._unknown(each)
            if found is None and isinstance(each, Word) and not _variable(each) and self._kinds(each) is None:
                found = each
            if found is not None:
                return found
        return None

    def _members(self, item: Item) -> tuple[str, ...] | None:
        """Return the types of the kinds in a set, without pieces whose wholes are in it; None if it is no set."""
        if isinstance(item, Word) and (item.text in self.types or item.text.startswith("?")):
            return None
        kinds = self._kinds(item)
        if kinds is None:
            return None
        wholes = {each: self.vocabulary.whole_of(each) for each in kinds}
        return tuple(self.vocabulary.kinds[each].pddl_type for each in kinds if wholes[each] not in kinds) or None

    def _kinds(self, item: Item) -> tuple[str, ...] | None:
        """Return the kinds that a set expression means, in the vocabulary's order; None if it means none."""
        if isinstance(item, Word):
            if self.vocabulary.find(item.text) is None and not self.vocabulary.has_set(item.text):
                return None
            return self.vocabulary.set_members(item.text)
        if not isinstance(item, Form) or item.head not in _SET_WORDS or len(item.items) < 2:
            return None
        parts = [self._kinds(each) for each in item.items[1:]]
        known = [frozenset(each) for each in parts if each is not None]
        if len(known) < len(parts):
            return None
        every = frozenset(self.vocabulary.kinds)
        if item.head == "not":
            chosen = every - known[0]
        else:
            chosen = every.intersection(*known) if item.head == "and" else frozenset[str]().union(*known)
        return tuple(each for each in self.vocabulary.kinds if each in chosen)

    def _spell_count(self, form: Form) -> Form:
        """Return an ``exactly`` or ``at-most`` over variables as what it abbreviates."""
        items = form.items
        if form.head not in ("exactly", "at-most") or len(items) != 4 or not isinstance(items[1], Word):
            return form
        if not (items[1].text.isascii() and items[1].text.isdigit() and len(items[1].text) <= 6):
            return form

        def at_least(count: int) -> Form:
            words = (Word("at-least", items[0].offset), Word(str(count), items[1].offset))
            return Form(form.offset, form.end, (*words, *items[2:]))

        count = int(items[1].text)
        no_more = Form(form.offset, form.end, (Word("not", form.offset), at_least(count + 1)))
        if form.head == "at-most" or count == 0:
            return no_more
        return Form(form.offset, form.end, (Word("and", form.offset), at_least(count), no_more))


def _variable(item: Item) -> bool:
    return isinstance(item, Word) and item.text.startswith("?")


def _alternatives(item: Item) -> Iterator[Item]:
    if isinstance(item, Form) and item.head == "either":
        yield from item.items[1:]
    else:
        yield item


def _either(parts: Sequence[Item], item: Item) -> Item:
    """Return several types as one; a single one is itself."""
    unique = {each.text if isinstance(each, Word) else id(each): each for each in parts}
    if len(unique) == 1:
        return next(iter(unique.values()))
    end = item.end if isinstance(item, Form) else item.offset + 1
    return Form(item.offset, end, (Word("either", item.offset), *unique.values()))


# Counting and drawing the fillings of a template's slots where there are too many to list.
#
# Slots that no constraint relates are filled independently. Each group of related slots has few enough fillings to
# list.


def slot_groups(template: GoalTemplate) -> tuple[GoalTemplate, ...]:
    """Return one template for each group of related slots, with only these slots and constraints.

    A slot is related to those that it shares a constraint of ``:where`` with. Constraints without any slot
    are left with the first group.
    """
    group_of = {slot.variable: {slot.variable} for slot in template.slots}
    for _, constraint in template.where:
        related = sorted(free_variables(constraint) & group_of.keys())
        for variable in related[1:]:
            joined = group_of[related[0]] | group_of[variable]
            for each in joined:
                group_of[each] = joined
    groups: dict[frozenset[str], None] = dict.fromkeys(frozenset(group) for group in group_of.values())
    return tuple(
        replace(
            template,
            slots=tuple(slot for slot in template.slots if slot.variable in group),
            where=tuple(
                (text, constraint)
                for text, constraint in template.where
                if free_variables(constraint) & group or (place == 0 and not free_variables(constraint))
            ),
            defaults=(),
        )
        for place, group in enumerate(groups)
    )


def count_fillings(template: GoalTemplate, vocabulary: Vocabulary) -> int:
    """Return the number of ways to fill the slots.

    Raises:
        LimitError: One group of related slots alone has too many.
    """
    return prod(len(candidates(group, vocabulary)) for group in slot_groups(template))


def random_fillings(groups: Sequence[Sequence[Binding]], rng: np.random.Generator) -> Iterator[Binding]:
    """Yield all joint fillings of independent groups in random order, each once.

    Args:
        groups: The fillings of each group.
        rng: Where the order comes from.
    """
    sizes = [len(each) for each in groups]
    total = prod(sizes)
    seen: set[int] = set()
    while len(seen) < total:
        # Few of many are wanted as a rule, so that hitting one again is rare.
        place = int(rng.integers(total))
        while place in seen:
            place = (place + 1) % total
        seen.add(place)
        yield _joint(groups, sizes, place)


def _joint(groups: Sequence[Sequence[Binding]], sizes: Sequence[int], place: int) -> Binding:
    found: list[tuple[str, str]] = []
    for group, size in zip(groups, sizes, strict=True):
        place, own = divmod(place, size)
        found.extend(group[own])
    return tuple(found)


def in_order(binding: Mapping[str, str] | Binding, template: GoalTemplate) -> Binding:
    """Return a binding in the order of the template's slots."""
    filled = dict(binding)
    return tuple((name, filled[name]) for name in template.slot_names if name in filled)
