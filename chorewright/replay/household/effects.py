"""The effects of running appliances on their contents, after every interaction: water, heat and coffee.

The effects are AI2-THOR's, with the extensions of TEACh's wrapper. A running faucet cleans and fills what is in
its basin. Microwaves, burners and toasters heat, and cook what they can. A coffee machine fills what was empty.
Food is boiled if it is cooked inside something that holds liquid or has ever held water.
"""

from __future__ import annotations

from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import SceneObject
from chorewright.replay.household.room import Room


def settle(room: Room) -> None:
    """Let every running appliance work once."""
    running = [body for body in room.objects.values() if body.attributes.is_toggled]
    for body in running:
        if "rinses" in body.traits.roles:
            for basin in room.switches.get(body.object_id, ()):
                _rinse(room, basin)
    for body in running:
        kind = body.traits
        if "brews" in kind.roles:
            _brew(room, body)
        for source in _heat_sources(room, body, kind):
            _heat(room, source)


def _rinse(room: Room, basin: str) -> None:
    for inner in list(room.within(basin)):
        attributes = room.objects[inner].attributes
        if attributes.is_dirty:
            room.change(inner, is_dirty=False)
        if "fillable" in room.kind(inner).affordances and not (attributes.liquid and attributes.watered):
            room.change(inner, liquid=attributes.liquid or "water", watered=True)


def _brew(room: Room, machine: SceneObject) -> None:
    for inner in list(room.within(machine.object_id)):
        if "fillable" in room.kind(inner).affordances and room.objects[inner].attributes.liquid is None:
            room.change(inner, liquid="coffee", brewed=True, temperature="Hot")


def _heat_sources(room: Room, body: SceneObject, kind: Traits) -> list[str]:
    """Return what gets hot when something is on: itself, or what its knob works on."""
    sources = [body.object_id] if kind.cooks or "heats" in kind.roles else []
    return sources + [
        worked for worked in room.switches.get(body.object_id, ()) if worked in room.objects and room.kind(worked).cooks
    ]


def _heat(room: Room, source: str) -> None:
    kind = room.kind(source)
    for inner in list(room.within(source)):
        body = room.objects[inner]
        if body.attributes.temperature != "Hot":
            room.change(inner, temperature="Hot")
        if "cookable" not in body.traits.affordances:
            continue
        if body.kind in kind.cooks and not body.attributes.is_cooked:
            room.change(inner, is_cooked=True, cooked=True, boiled=body.attributes.boiled or _in_liquid(room, inner))
        elif not body.attributes.cooked:
            room.change(inner, cooked=True)


def _in_liquid(room: Room, object_id: str) -> bool:
    return any(
        room.objects[outer].attributes.liquid is not None or room.objects[outer].attributes.watered
        for outer in room.around(object_id)
    )
