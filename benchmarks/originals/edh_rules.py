"""What TEACh checks at the end of an EDH instance, written from its description alone: no code of ours is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CHECKED = {
    "isToggled", "isBroken", "isFilledWithLiquid", "isDirty", "isUsedUp", "isCooked", "isOpen", "isPickedUp",
    "objectType", "simbotLastParentReceptacle", "simbotIsCooked", "simbotIsFilledWithWater", "simbotIsBoiled",
    "simbotIsFilledWithCoffee", "simbotPickedUp",
}  # fmt: skip
HIDES = {
    "simbotPickedUp": {"isPickedUp"},
    "simbotIsCooked": {"isCooked"},
    "simbotIsFilledWithWater": {"isFilledWithLiquid"},
    "simbotIsFilledWithCoffee": {"isFilledWithLiquid"},
    "simbotIsBoiled": {"isCooked", "simbotIsCooked"},
}
TWINS = [{"Sink", "SinkBasin"}, {"Bathtub", "BathtubBasin"}]
LAST = "simbotLastParentReceptacle"

Thing = Mapping[str, Any]


def verdict(changes: Mapping[str, Thing], things: Sequence[Thing]) -> tuple[bool, int, int]:
    """Return success, and the goal conditions in all and satisfied, of the changes that an instance expects."""
    wanted: dict[str, tuple[str, str, Any, int]] = {}
    for name, changed in changes.items():
        parts = name.split("|")
        kind = parts[0] if len(parts) == 4 else parts[-1].split("_")[0]
        hidden = set().union(*(HIDES[prop] for prop in changed if prop in HIDES))
        for prop in (set(changed) & CHECKED) - hidden:
            value = changed[prop]
            key = str((kind, prop, value))
            if prop == LAST and value is not None:
                value = value.split("|")[0]
            number = wanted[key][3] + 1 if key in wanted else 1
            wanted[key] = (kind, prop, value, number)
    success, total, satisfied = True, 0, 0
    for kind, prop, value, number in wanted.values():
        done, of, have = component({"objectType": kind, prop: value}, number, things)
        success, total, satisfied = success and done, total + of, satisfied + have
    return success, total, satisfied


def component(conditions: Mapping[str, Any], number: int, things: Sequence[Thing]) -> tuple[bool, int, int]:
    """Return the verdict of one component: so many objects with all conditions, in the order of the list."""
    full = 0
    open_ones: list[int] = []
    to_check = number
    kind = conditions["objectType"]
    rest = [prop for prop in conditions if prop != "objectType"]
    for thing in things:
        truth = {prop: holds(thing, prop, value, things) for prop, value in conditions.items()}
        if all(truth.values()):
            full += 1
            continue
        if full >= number:
            continue
        raw = any(word in kind and thing["objectType"] == kind.replace(word, "") for word in ("Sliced", "Cracked"))
        if truth["objectType"] or raw:
            if "Sliced" in kind and all(truth[prop] for prop in rest):
                to_check = 1
            open_ones.append(sum(truth.values()))
    open_ones.sort(reverse=True)
    missing = max(0, to_check - full)
    satisfied = len(conditions) * min(number, full) + sum(open_ones[:missing])
    return full >= number, len(conditions) * number, satisfied


def holds(thing: Thing, prop: str, value: Any, things: Sequence[Thing]) -> bool:
    """Return whether an object has a property with a value."""
    if prop not in thing:
        return False
    if prop == "objectType":
        return same_kind(thing[prop], value)
    if prop == LAST and value is not None:
        parents = [each for each in things if each["objectId"] == thing[prop]]
        return any(same_kind(each["objectType"], value) or value in each["simbotObjectClass"] for each in parents)
    if type(value) is int and value in (0, 1):
        return bool(thing[prop]) == bool(value)
    if isinstance(thing[prop], list):
        return value in thing[prop]
    return bool(thing[prop] == value)


def same_kind(one: str, other: str) -> bool:
    """Return whether two types count as one."""
    return one == other or {one, other} in TWINS
