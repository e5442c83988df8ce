"""Goal templates: parametrised goals whose slots are filled with kinds of things (or with objects).

A template is a PDDL goal plus slots. Filling the slots gives an ordinary PDDL goal, named goal conditions and
English sentences. ``parser`` reads the file format; ``docs/task_files.md`` describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import Universe
from chorewright.domains.pddl.syntax import TRUE, And, Exists, Formula, Position, Typed
from chorewright.domains.rewriting import rename_types, substitute
from chorewright.domains.templates.starts import StartRule, StartWish, wishes
from chorewright.domains.templates.words import say, wordings
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError, LimitError, Location, UsageError
from chorewright.files.english import did_you_mean

Binding: TypeAlias = tuple[tuple[str, str], ...]
"""The filled slots in the template's order, e.g. ``(("object", "Mug"), ("receptacle", "Desk"))``."""

MAX_CANDIDATES = 200_000


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter of a template.

    ``?name in SET`` ranges over kinds: ``range`` is a formula over ``?name`` whose predicates are the
    vocabulary's sets. ``?name - type`` ranges over objects: ``types`` are their types, ``range`` is true.
    ``?name in 2..4`` ranges over ``numbers``.
    """

    name: str
    range: Formula = TRUE
    types: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False, repr=False)
    numbers: tuple[int, ...] = ()

    @property
    def variable(self) -> str:
        return f"?{self.name}"

    @property
    def over_kinds(self) -> bool:
        """Whether kinds fill it."""
        return not self.types and not self.numbers

    @property
    def over_objects(self) -> bool:
        return bool(self.types)


@dataclass(frozen=True, slots=True)
class NumberedGoal:
    """Goal, conditions and start of a template with its slots over numbers filled: ``numbers``, in their order."""

    numbers: tuple[int, ...]
    goal: Formula
    conditions: tuple[tuple[str, Formula], ...]
    start: tuple[StartRule, ...]


@dataclass(frozen=True, slots=True)
class GoalTemplate:
    """A checked template.

    In ``goal`` and ``conditions`` a slot over kinds stands for a type, a slot over objects for a term.
    ``where`` are the constraints between slots, ``rooms`` the kinds of room that it makes sense in (empty:
    all), and ``needs`` ranges over ``?kind`` of which a room must have something; both with their text in the
    file. ``start`` are rules about the start. ``numbered`` are the goal, conditions and start for each filling
    of the slots over numbers but the first, if there are such slots. ``tags`` are words that choose among
    templates, such as a benchmark's version, and ``number`` is the one that a benchmark gives the task. ``effort`` are
    the evaluations that the planner may take, if the benchmark's own are not enough.
    ``collection`` is the folder of a shipped template.
    """

    name: str
    domain: str
    slots: tuple[Slot, ...]
    goal: Formula
    where: tuple[tuple[str, Formula], ...] = ()
    conditions: tuple[tuple[str, Formula], ...] = ()
    sayings: tuple[str, ...] = ()
    documentation: str = ""
    rooms: tuple[str, ...] = ()
    needs: tuple[tuple[str, Formula], ...] = ()
    defaults: Binding = ()
    tags: tuple[str, ...] = ()
    number: int | None = None
    collection: str = ""
    start: tuple[StartRule, ...] = ()
    numbered: tuple[NumberedGoal, ...] = ()
    path: str | None = field(default=None, compare=False)
    effort: int | None = None

    @property
    def full_name(self) -> str:
        """The template's name in the library: ``alfred/pick_and_place_simple``."""
        return f"{self.collection}/{self.name}" if self.collection else self.name

    @property
    def slot_names(self) -> tuple[str, ...]:
        return tuple(slot.name for slot in self.slots)

    def kinds_in(self, binding: Mapping[str, str] | Binding) -> Binding:
        """Return the slots that kinds fill, with their kinds."""
        filled = dict(binding)
        return tuple((slot.name, filled[slot.name]) for slot in self.slots if slot.over_kinds and slot.name in filled)


@dataclass(frozen=True, slots=True)
class Goal:
    """A template with its slots filled: plain PDDL, named goal conditions in order, sentences, and the start."""

    template: str
    binding: Binding
    goal: Formula
    conditions: tuple[tuple[str, Formula], ...]
    sentences: tuple[str, ...]
    start: tuple[StartWish, ...] = ()

    @property
    def formula(self) -> Formula:
        return self.goal


def candidates(
    template: GoalTemplate,
    vocabulary: Vocabulary,
    fixed: Mapping[str, str] | None = None,
    objects: Universe | None = None,
) -> tuple[Binding, ...]:
    """Return all ways to fill the slots, in the vocabulary's order, the first slot changing slowest.

    Args:
        template: the template.
        vocabulary: where the kinds, sets and relations are.
        fixed: slots that are filled already.
        objects: the objects that slots of the form ``?x - type`` range over.

    Raises:
        InputError: ``fixed`` names an unknown slot or kind.
        LimitError: There are more than ``MAX_CANDIDATES``.
    """
    given = {f"?{name}": _value(template, vocabulary, name, value) for name, value in (fixed or {}).items()}
    found: list[Binding] = []
    for each in _fillings(template, vocabulary, given, objects):
        if len(found) == MAX_CANDIDATES:
            message = f"{template.full_name} can be filled in more than {MAX_CANDIDATES} ways"
            raise LimitError(message, hint="fill some of its slots")
        found.append(_binding(template, vocabulary, {**given, **each}))
    return tuple(found)


def fillable(template: GoalTemplate, vocabulary: Vocabulary) -> bool:
    """Return whether there is any way to fill the slots with kinds."""
    return next(_fillings(template, vocabulary, {}, None), None) is not None


def _fillings(
    template: GoalTemplate, vocabulary: Vocabulary, given: Mapping[str, str], objects: Universe | None
) -> Iterator[dict[str, str]]:
    open_slots = [slot for slot in template.slots if slot.variable not in given]
    variables = tuple(Typed(slot.variable, slot.types or ("kind",)) for slot in open_slots if not slot.numbers)
    counted = [slot for slot in open_slots if slot.numbers]
    allowed = And((*(slot.range for slot in template.slots), *(constraint for _, constraint in template.where)))
    found = satisfying(Exists(variables, allowed), vocabulary.facts, _universe(vocabulary, objects), given)
    for each in found:
        for numbers in product(*(slot.numbers for slot in counted)):
            yield {**each, **{slot.variable: str(n) for slot, n in zip(counted, numbers, strict=True)}}


def slot_candidates(slot: Slot, vocabulary: Vocabulary, objects: Universe | None = None) -> tuple[str, ...]:
    """Return the kinds (or objects) in one slot's own range, ignoring constraints between slots."""
    universe = _universe(vocabulary, objects)
    if slot.numbers:
        return tuple(map(str, slot.numbers))
    if slot.over_objects:
        return universe.members(slot.types)
    found = satisfying(Exists((Typed(slot.variable, ("kind",)),), slot.range), vocabulary.facts, universe)
    return tuple(_kind_name(vocabulary, each[slot.variable]) for each in found)


def instantiate(template: GoalTemplate, binding: Mapping[str, str] | Binding, vocabulary: Vocabulary) -> Goal:
    """Fill the slots of a template.

    Raises:
        InputError: A slot is not filled, unknown, or filled against its range or the constraints.
    """
    filled = dict(binding)
    for name in template.slot_names:
        if name not in filled:
            raise InputError(f"the slot '{name}' of {template.full_name} is not filled")
    values = {f"?{name}": _value(template, vocabulary, name, value) for name, value in filled.items()}
    _require_allowed(template, vocabulary, values)
    types = {slot.variable: values[slot.variable] for slot in template.slots if slot.over_kinds}
    terms = {slot.variable: values[slot.variable] for slot in template.slots if slot.over_objects}

    def fill(formula: Formula) -> Formula:
        return substitute(rename_types(formula, types), terms)

    full = _binding(template, vocabulary, values)
    numbers = tuple(int(values[slot.variable]) for slot in template.slots if slot.numbers)
    chosen = next((each for each in template.numbered if each.numbers == numbers), None)
    said = chosen or NumberedGoal((), template.goal, template.conditions, template.start)
    return Goal(
        template.full_name,
        full,
        fill(said.goal),
        tuple((name, fill(condition)) for name, condition in said.conditions),
        tuple(dict.fromkeys(say(pattern, dict(full), vocabulary) for pattern in _patterns(template)))
        or wordings(fill(said.goal), vocabulary),
        wishes(said.start, types, vocabulary),
    )


def _patterns(template: GoalTemplate) -> tuple[str, ...]:
    """Return the template's sentences; without any, its documentation as one."""
    if template.sayings or not template.documentation:
        return template.sayings
    return (template.documentation.replace("{", "(").replace("}", ")"),)


def parse_binding(
    template: GoalTemplate, arguments: Iterable[str], vocabulary: Vocabulary, objects: Universe | None = None
) -> Binding:
    """Read ``slot=Kind`` arguments, ignoring case; the template's defaults fill slots that are not given.

    Raises:
        UsageError: An argument is malformed, a slot or kind unknown, a slot missing, or the combination is
            not among the template's candidates.
    """
    filled = dict(parse_slots(template, arguments, vocabulary, objects))
    for name, value in template.defaults:
        filled.setdefault(name, _value(template, vocabulary, name, value))
    for slot in template.slots:
        if slot.name not in filled:
            some = slot_candidates(slot, vocabulary, objects)
            hint = f"add {slot.name}=..., for example {slot.name}={some[0]}" if some else None
            raise UsageError(f"the slot '{slot.name}' of {template.full_name} is not filled", hint=hint)
    values = {f"?{name}": value for name, value in filled.items()}
    try:
        _require_allowed(template, vocabulary, values)
    except InputError as error:
        raise UsageError(error.message, hint=error.hint) from None
    return _binding(template, vocabulary, values)


def parse_slots(
    template: GoalTemplate, arguments: Iterable[str], vocabulary: Vocabulary, objects: Universe | None = None
) -> dict[str, str]:
    """Read ``slot=Kind`` arguments, ignoring case; slots may be missing.

    Raises:
        UsageError: An argument is malformed, a slot or kind unknown, or a slot there twice.
    """
    filled: dict[str, str] = {}
    for argument in arguments:
        name, sign, value = argument.partition("=")
        name, value = name.strip().lower().removeprefix("?"), value.strip()
        if not sign or not name or not value:
            raise UsageError(f"{argument!r} does not fill a slot", hint="write SLOT=KIND, for example object=Mug")
        if name in filled:
            raise UsageError(f"the slot '{name}' is filled twice")
        try:
            filled[name] = _value(template, vocabulary, name, value)
        except InputError as error:
            raise UsageError(error.message, hint=error.hint) from None
        slot = next(slot for slot in template.slots if slot.name == name)
        if slot.over_objects and objects is not None and filled[name] not in objects.members(slot.types):
            some = objects.members(slot.types)
            hint = did_you_mean(filled[name], some) or (_possible(some) if some else None)
            raise UsageError(f"there is no {' or '.join(slot.types)} called {value!r}", hint=hint)
    return filled


def reasons_against(
    template: GoalTemplate,
    binding: Mapping[str, str] | Binding,
    vocabulary: Vocabulary,
    room_kind: str,
    kinds: Iterable[str],
) -> tuple[str, ...]:
    """Return the reasons why a room does not suit the task; none if it does.

    Args:
        template: the template.
        binding: its filled slots.
        vocabulary: where kinds and sets are.
        room_kind: the room's kind, compared with the template's ``:rooms``.
        kinds: the kinds of which the room has, or can be given, at least one; a piece comes with its whole.
    """
    present = set(kinds)
    reasons: list[str] = []
    if template.rooms and room_kind not in template.rooms:
        reasons.append(f"the room is a {room_kind}, not {' or '.join(template.rooms)}")
    for _, value in template.kinds_in(binding):
        kind = vocabulary.kind(value).name
        whole = vocabulary.whole_of(kind)
        if not {kind, whole} & present:
            reasons.append(f"there is no {whole or kind}")
    universe = _universe(vocabulary, None)
    for text, need in template.needs:
        suiting = satisfying(Exists((Typed("?kind", ("kind",)),), need), vocabulary.facts, universe)
        if not any(_kind_name(vocabulary, each["?kind"]) in present for each in suiting):
            reasons.append(f"there is nothing that is {text}")
    return tuple(reasons)


def _universe(vocabulary: Vocabulary, objects: Universe | None) -> Universe:
    types = tuple(kind.pddl_type for kind in vocabulary.kinds.values())
    by_type = dict(objects.by_type) if objects else {}
    by_type["kind"] = types
    by_type["object"] = tuple(dict.fromkeys((*types, *by_type.get("object", ()))))
    return Universe(by_type)


def _kind_name(vocabulary: Vocabulary, pddl_type: str) -> str:
    kind = vocabulary.kind_of_type(pddl_type)
    return kind.name if kind else pddl_type


def _binding(template: GoalTemplate, vocabulary: Vocabulary, values: Mapping[str, str]) -> Binding:
    return tuple(
        (slot.name, _kind_name(vocabulary, values[slot.variable]) if slot.over_kinds else values[slot.variable])
        for slot in template.slots
    )


def _value(template: GoalTemplate, vocabulary: Vocabulary, name: str, value: str) -> str:
    """Return the PDDL type (or the object) that a slot is filled with."""
    slot = next((slot for slot in template.slots if slot.name == name), None)
    if slot is None:
        hint = did_you_mean(name, template.slot_names) or f"its slots are {', '.join(template.slot_names)}"
        raise InputError(f"{template.full_name} has no slot '{name}'", hint=hint)
    if slot.numbers:
        if value not in map(str, slot.numbers):
            hint = f"possible are {slot.numbers[0]} to {slot.numbers[-1]}"
            raise InputError(f"{value!r} cannot fill the slot '{name}' of {template.full_name}", hint=hint)
        return value
    return value.lower() if slot.over_objects else vocabulary.kind(value).pddl_type


def _require_allowed(template: GoalTemplate, vocabulary: Vocabulary, values: Mapping[str, str]) -> None:
    universe = _universe(vocabulary, None)
    for slot in template.slots:
        if holds(slot.range, vocabulary.facts, universe, values):
            continue
        kind = _kind_name(vocabulary, values[slot.variable])
        allowed = slot_candidates(slot, vocabulary)
        piece = vocabulary.kind(kind).pieces
        if piece is not None and piece.kind in allowed:
            hint: str | None = f"did you mean {piece.kind!r}?"
        else:
            hint = _possible(allowed)
        raise InputError(f"{kind} cannot fill the slot '{slot.name}' of {template.full_name}", hint=hint)
    for text, constraint in template.where:
        if holds(constraint, vocabulary.facts, universe, values):
            continue
        filled = ", ".join(f"{name}={kind}" for name, kind in _binding(template, vocabulary, values))
        others = _other_fillings(template, vocabulary, values)
        raise InputError(
            f"{template.full_name} cannot be filled with {filled}",
            hint=f"its constraint {text} does not hold{f'; {others}' if others else ''}",
            location=Location(template.path) if template.path else None,
        )


def _possible(names: Sequence[str]) -> str:
    return f"possible are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"


def _other_fillings(template: GoalTemplate, vocabulary: Vocabulary, values: Mapping[str, str]) -> str:
    """Say what else may fill the last slot for which there is something, all others staying as they are."""
    for slot in reversed(template.slots):
        if not slot.over_kinds:
            continue
        given = {variable: value for variable, value in values.items() if variable != slot.variable}
        found = [_kind_name(vocabulary, each[slot.variable]) for each in _fillings(template, vocabulary, given, None)]
        if found:
            return f"for '{slot.name}' {_possible(found)}"
    return ""
