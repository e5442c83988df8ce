"""Changes of objects as a task: what TEACh checks at the end of an instance of EDH (from Dialogue History).

Each change becomes a component: some object of the type has the property. The same change of several objects of a
type becomes one component with their number. It does not matter which objects they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from chorewright.domains.teach.tasks import AtomicComponent, Task, Value
from chorewright.domains.teach.world import LAST_PARENT, TYPE

Changes = Mapping[str, Mapping[str, object]]
"""Of each object, by id, its changed properties with their new values."""

CHECKED = (
    "isToggled", "isBroken", "isFilledWithLiquid", "isDirty", "isUsedUp", "isCooked", "isOpen", "isPickedUp",
    TYPE, LAST_PARENT, "simbotIsCooked", "simbotIsFilledWithWater", "simbotIsBoiled",
    "simbotIsFilledWithCoffee", "simbotPickedUp",
)  # fmt: skip
"""The properties that are checked; changes of others, such as positions, are not."""

_HIDDEN: Mapping[str, tuple[str, ...]] = {
    "simbotPickedUp": ("isPickedUp",),
    "simbotIsCooked": ("isCooked",),
    "simbotIsFilledWithWater": ("isFilledWithLiquid",),
    "simbotIsFilledWithCoffee": ("isFilledWithLiquid",),
    "simbotIsBoiled": ("isCooked", "simbotIsCooked"),
}
"""Of an object that changed in one property, which others are not checked."""


def type_of_id(object_id: str) -> str:
    """Return the type in an object's id; for a basin or piece, that of the basin or piece."""
    parts = object_id.split("|")
    return parts[0] if len(parts) == 4 else parts[-1].split("_")[0]


def state_changes_task(changes: Changes) -> Task:
    """Return the task that is done once all changes have happened."""
    numbers: dict[str, int] = {}
    conditions: dict[str, tuple[str, str, Value]] = {}
    for object_id, changed in changes.items():
        kind = type_of_id(object_id)
        hidden = {name for prop in changed for name in _HIDDEN.get(prop, ())}
        for prop in CHECKED:
            if prop not in changed or prop in hidden:
                continue
            value = _value(changed[prop])
            key = str((kind, prop, value))
            numbers[key] = numbers.get(key, 0) + 1
            if prop == LAST_PARENT and isinstance(value, str):
                value = value.split("|")[0]
            conditions[key] = (kind, prop, value)
    components = tuple(
        AtomicComponent(
            key,
            str(numbers[key]),
            TYPE,
            False,
            tuple({TYPE: kind, prop: value}.items()),
            ((prop, f"A {kind} with {prop} {value} is missing."),),
        )
        for key, (kind, prop, value) in conditions.items()
    )
    return Task(0, "State changes", (), None, "Bring about the changes of state.", components)


def _value(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
