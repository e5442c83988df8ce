"""Conversion of the reference's meanings and grounded subgoals, ``[quest, dictionary, argument]``, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from chorewright.domains.handmethat.object_space import object_name, object_space, reference_name
from chorewright.errors import InputError, Location
from chorewright.rsa.handmethat.descriptions import Value
from chorewright.rsa.handmethat.meanings import Grounding, Meaning, Quest, meaning_of

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


def _value(name: str, value: object) -> Value:
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


def _reference_value(name: str, value: Value) -> Value:
    space = object_space()
    words: Mapping[str, Value] = {
        "class": str(value).upper(),
        "subclass": str(value).replace("-", "_"),
    }
    if name in ("inside", "ontop"):
        return reference_name(str(value), space)
    return space.categories[str(value)].reference if name == "type" else words.get(name, value)
