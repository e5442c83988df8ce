"""Meanings: what a human asks of the robot, the grounded subgoals that fulfil it, A(m), and the reference's forms.

A meaning (the paper's lifted subgoal) has a type of request, a description of a thing, and a target or a change.
An utterance is a meaning that is said. It may say less than what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from chorewright.domains.handmethat.object_space import object_name, object_space, reference_name
from chorewright.errors import InputError, Location
from chorewright.problems.handmethat.scene import HandMeThatScene, SceneEntity
from chorewright.rsa import numbers
from chorewright.rsa.handmethat import descriptions

Grounding: TypeAlias = tuple[str, str | None]
"""A grounded subgoal: a thing, and the place where it is to be, or the verb; None if it is to be brought."""

Extent: TypeAlias = Mapping[str | None, int]
"""Grounded subgoals by place or verb: the things as bits of a context. None of them is 0."""


class Quest(str, Enum):
    """The three types of requests."""

    BRING_ME = "bring_me"
    MOVE_TO = "move_to"
    CHANGE_STATE = "change_state"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A request.

    Attributes:
        quest: Its type.
        description: What it says of the thing.
        argument: The place of ``MOVE_TO`` (None: not said) or the verb of ``CHANGE_STATE``.
    """

    quest: Quest
    description: descriptions.Description = descriptions.ANYTHING
    argument: str | None = None

    @property
    def cost(self) -> int:
        """What it costs to say: the description's cost plus the target's (appendix A.4, Table 18)."""
        return descriptions.cost_of(self.description) + (
            descriptions.quests().position_cost if self._names_place else 0
        )

    @property
    def complexity(self) -> int:
        """c(m) of what is meant: the number of specifiers (section 3.2), of which the target is one."""
        return len(self.description) + self._names_place

    @property
    def _names_place(self) -> bool:
        return self.quest is Quest.MOVE_TO and self.argument is not None


def meaning_of(quest: str, description: Mapping[str, descriptions.Value], argument: str | None) -> Meaning:
    """Return a checked meaning.

    Raises:
        InputError: No such type of request, specifier or verb, or the argument does not belong to the type.
    """
    try:
        kind = Quest(quest)
    except ValueError:
        hint = f"one of {', '.join(each.value for each in Quest)}"
        raise InputError(f"unknown type of request {quest!r}", hint=hint) from None
    if kind is Quest.CHANGE_STATE and argument not in descriptions.quests().verbs:
        raise InputError(f"unknown verb {argument!r}", hint=f"one of {', '.join(descriptions.quests().verbs)}")
    if kind is Quest.BRING_ME and argument is not None:
        raise InputError(f"a request to bring something has no argument, but this has {argument!r}")
    return Meaning(kind, descriptions.description_of(description), argument)


@dataclass(frozen=True)
class Context:
    """The things that a request may be about, at the time of the request.

    Attributes:
        items: All things and locations.
        held: What the human holds; it cannot be brought.
    """

    items: tuple[descriptions.Item, ...]
    held: str = ""

    @cached_property
    def number(self) -> Mapping[str, int]:
        return {item.name: number for number, item in enumerate(self.items)}

    @cached_property
    def extents(self) -> descriptions.Extents:
        return descriptions.Extents(self.items)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Where things can be put."""
        return tuple(item.name for item in self.items if item.relation)

    @cached_property
    def _possible(self) -> dict[tuple[Quest, str | None], int]:
        return {}

    def arguments(self, quest: Quest) -> tuple[str | None, ...]:
        """Return the places or verbs of grounded subgoals of a type."""
        match quest:
            case Quest.BRING_ME:
                return (None,)
            case Quest.MOVE_TO:
                return self.places
            case Quest.CHANGE_STATE:
                return tuple(descriptions.quests().verbs)

    def possible(self, quest: Quest, argument: str | None) -> int:
        """Return the things for which something can be asked that is not yet the case.

        Locations are neither brought nor moved, nor are receptacles put into receptacles, nor is anything put
        where nothing is known of.
        """
        key = quest, argument
        found = self._possible.get(key)
        if found is None:
            match quest:
                case Quest.BRING_ME:
                    found = self._movable & ~self._bits([self.held])
                case Quest.MOVE_TO:
                    found = self._movable_to(str(argument))
                case Quest.CHANGE_STATE:
                    found = self._changeable(descriptions.quests().verbs[str(argument)])
            self._possible[key] = found
        return found

    def _bits(self, names: Iterable[str]) -> int:
        return sum(1 << self.number[name] for name in names if name in self.number)

    @cached_property
    def _movable(self) -> int:
        return self._bits(item.name for item in self.items if item.movable)

    @cached_property
    def _receptacles(self) -> int:
        return self._bits(item.name for item in self.items if item.movable and item.relation)

    def _movable_to(self, name: str) -> int:
        if name not in self.number:
            return 0
        place = self.items[self.number[name]]
        there = self.extents.of(((place.relation, name),))
        return self._movable & ~there & ~(self._receptacles if place.movable else 0)

    def _changeable(self, states: Mapping[str, bool]) -> int:
        return self._bits(
            item.name
            for item in self.items
            if any(item.features.get(state, value) != value for state, value in states.items())
        )

    def extent(self, meaning: Meaning) -> Extent:
        """Return A(m): the grounded subgoals that fulfil a meaning (section 3.2)."""
        fitting = self.extents.of(meaning.description)
        unsaid = meaning.quest is Quest.MOVE_TO and meaning.argument is None
        arguments = self.arguments(meaning.quest) if unsaid else (meaning.argument,)
        found = {each: fitting & self.possible(meaning.quest, each) for each in arguments}
        return {each: bits for each, bits in found.items() if bits}

    def groundings(self, meaning: Meaning) -> tuple[Grounding, ...]:
        """Return A(m) as pairs, in the order of places or verbs and of things."""
        return tuple(
            (self.items[number].name, argument)
            for argument, bits in self.extent(meaning).items()
            for number in numbers(bits)
        )

    def extent_of(self, groundings: Iterable[Grounding]) -> Extent:
        """Return a set of grounded subgoals as an extent."""
        found: dict[str | None, int] = {}
        for name, argument in groundings:
            found[argument] = found.get(argument, 0) | (1 << self.number[name])
        return found


def is_included(inner: Extent, outer: Extent) -> bool:
    """Return whether all grounded subgoals of one extent are in another."""
    return all(not bits & ~outer.get(argument, 0) for argument, bits in inner.items())


def intersection(first: Extent, second: Extent) -> Extent:
    """Return the grounded subgoals that are in both extents."""
    found = {argument: bits & second.get(argument, 0) for argument, bits in first.items()}
    return {argument: bits for argument, bits in found.items() if bits}


def context_of(scene: HandMeThatScene) -> Context:
    """Return the things of a scene as it is at the time of the request."""
    return Context(tuple(map(_item, scene.entities)), scene.human.holding)


def _item(entity: SceneEntity) -> descriptions.Item:
    category = entity.category
    features: dict[str, descriptions.Value] = {"class": category.kind}
    if category.subclass:
        features["subclass"] = category.subclass
    features["type"] = category.name
    if entity.container:
        features[entity.relation] = entity.container
    if entity.size:
        features["size"] = entity.size
    if entity.color:
        features["color"] = entity.color
    for state in object_space().states_of(category.name):
        features[state] = state in entity.states
    return descriptions.Item(entity.name, features, category.movable, category.relation)


# Conversion of the reference's meanings and grounded subgoals, ``[quest, dictionary, argument]``, and back.


Json: TypeAlias = list[object]


def meaning_of_reference(entry: object, path: str | None = None, json_path: str = "$") -> Meaning:
    """Return a meaning or utterance of the reference's files.

    Args:
        entry: ``["bring_me", {"class": "TOOL", "ontop": "shelf"}, null]``.
        path, json_path: Of the file and of the entry in it, for errors.

    Raises:
        InputError: The entry has not that shape, or names what HandMeThat does not have.
    """
    match entry:
        case [str(quest), dict(said), None | str() as argument]:
            try:
                place = quest == Quest.MOVE_TO.value and argument is not None
                return meaning_of(
                    quest,
                    {str(name): _value(str(name), value) for name, value in said.items()},
                    object_name(str(argument), object_space()) if place else argument,
                )
            except InputError as error:
                where = Location(path, json_path=json_path)
                raise InputError(error.message, location=where, hint=error.hint) from None
    where = Location(path, json_path=json_path)
    raise InputError("expected [type of request, specifiers, argument]", location=where)


def reference_meaning(meaning: Meaning) -> Json:
    """Return a meaning in the reference's form; the inverse of ``meaning_of_reference``."""
    return [
        meaning.quest.value,
        {name: _reference_value(name, value) for name, value in meaning.description},
        _reference_argument(meaning.quest, meaning.argument),
    ]


def groundings_of_reference(
    quest: Quest, entries: object, path: str | None = None, json_path: str = "$"
) -> tuple[Grounding, ...]:
    """Return grounded subgoals of the reference's files: ``[["apple#0", null], ...]``.

    Raises:
        InputError: An entry has not that shape, or names what HandMeThat does not have.
    """
    if not isinstance(entries, list):
        raise InputError("expected a list", location=Location(path, json_path=json_path))
    found = []
    for number, entry in enumerate(entries):
        where = Location(path, json_path=f"{json_path}[{number}]")
        match entry:
            case [str(name), None | str() as argument]:
                place = quest is Quest.MOVE_TO and argument is not None
                try:
                    target = object_name(str(argument), object_space()) if place else argument
                    found.append((object_name(name, object_space()), target))
                except InputError as error:
                    raise InputError(error.message, location=where) from None
            case _:
                raise InputError("expected [thing, argument]", location=where)
    return tuple(found)


def reference_groundings(quest: Quest, groundings: Iterable[Grounding]) -> list[Json]:
    """Return grounded subgoals in the reference's form."""
    return [
        [reference_name(name, object_space()), _reference_argument(quest, argument)] for name, argument in groundings
    ]


def _reference_argument(quest: Quest, argument: str | None) -> str | None:
    place = quest is Quest.MOVE_TO and argument is not None
    return reference_name(str(argument), object_space()) if place else argument


def _value(name: str, value: object) -> descriptions.Value:
    space = object_space()
    match name, value:
        case (("inside" | "ontop"), str()):
            return object_name(value, space)
        case "class", str() if value.lower() in space.classes:
            return value.lower()
        case "subclass", str() if value.replace("_", "-") in space.subclasses:
            return value.replace("_", "-")
        case "type", str():
            return space.category_of_reference(value).name
        case (("size" | "color"), str()) if value in space.attributes[name]:
            return value
        case _, bool() if name in space.states:
            return value
    raise InputError(f"{value!r} is not a value of the specifier {name!r}")


def _reference_value(name: str, value: descriptions.Value) -> descriptions.Value:
    space = object_space()
    words: Mapping[str, descriptions.Value] = {"class": str(value).upper(), "subclass": str(value).replace("-", "_")}
    if name in ("inside", "ontop"):
        return reference_name(str(value), space)
    return space.categories[str(value)].reference if name == "type" else words.get(name, value)
