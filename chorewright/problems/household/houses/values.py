"""Values of house files: positions in metres, shares from 0 to 1, references by id, materials."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from chorewright.files.json_node import Node
from chorewright.files.json_source import JsonValue
from chorewright.files.spelling import did_you_mean
from chorewright.problems.household.houses.house import Material
from chorewright.problems.household.scene import Vector

LARGEST = 1000.0
"""Metres, or degrees, beyond which a number of a house is a mistake."""


def bounded(node: Node) -> float:
    """Return a coordinate or an angle.

    Raises:
        InputError: It is no number, or larger than any house's.
    """
    return node.number(-LARGEST, LARGEST)


def vector(node: Node) -> Vector:
    """Return an object of x, y and z.

    Raises:
        InputError: It is none.
    """
    return bounded(node["x"]), bounded(node["y"]), bounded(node["z"])


def share(node: Node) -> float:
    """Return a number from 0 to 1.

    Raises:
        InputError: It is none.
    """
    return node.number(0, 1)


def flag(node: Node | None) -> bool | None:
    """Return true or false, None if there is no such member.

    Raises:
        InputError: It is neither.
    """
    return None if node is None else node.flag()


def reference(node: Node, known: Collection[str], what: str) -> str:
    """Return the id of something that the house has.

    Raises:
        InputError: There is nothing of that id.
    """
    name = node.text(f"the id of a {what}")
    if name not in known:
        raise node.error(f"there is no {what} {name!r}", did_you_mean(name, known))
    return name


def others(node: Node, *known: str) -> dict[str, JsonValue]:
    """Return the members of a record that are not read."""
    return {key: member.value for key, member in node.members() if key not in known}


def moved(node: Node, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return members of an old record under their new names; ``names`` has the old by the new."""
    return {new: node[old].value for new, old in names.items() if old in node}


def color(node: Node) -> tuple[float, ...]:
    """Return red, green and blue, and alpha where given.

    Raises:
        InputError: It is no object of numbers from 0 to 1.
    """
    return tuple(share(node[name]) for name in ("rgba" if "a" in node else "rgb"))


def material(node: Node, old: bool) -> Material:
    """Return a material: an object with a name; in files older than schema 1.0.0 the name alone will do.

    Raises:
        InputError: It is none.
    """
    if old and isinstance(node.value, str):
        return Material(node.text())
    if not isinstance(node.value, dict):
        raise node.expected("a material's name" if old else 'a material: {"name": ...}')
    paint = node.get("color")
    shades = None if paint is None else color(paint)
    return Material(node["name"].text("a material's name"), shades, others(node, "name", "color"))
