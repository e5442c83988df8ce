"""Actions that change an object's state: doors, switches, knives, dirt, liquids, heat."""

from __future__ import annotations

from chorewright.problems.household.scene import SceneObject
from chorewright.replay.household.arguments import Arguments, forced, text
from chorewright.replay.household.doorways import swing
from chorewright.replay.household.refusals import (
    ALREADY,
    CONTROLLED,
    IN_HAND,
    LACKS,
    MUST_BE_CLOSED,
    MUST_BE_OFF,
    NEEDS_KNIFE,
    Refusal,
)
from chorewright.replay.household.room import Room
from chorewright.replay.household.slicing import cut


def open_object(room: Room, arguments: Arguments) -> object:
    """Open a door (a house's, too), drawer, lid, book or laptop; an appliance that runs only while shut must be off."""
    body = _target(room, arguments, "OpenObject", "openable")
    if body.attributes.is_open:
        raise Refusal(ALREADY, what=body.object_id, action="open")
    if "shut-to-run" in body.traits.roles and body.attributes.is_toggled:
        raise Refusal(MUST_BE_OFF, what=body.object_id)
    if body.object_id in room.doors:
        swing(room, body.object_id, True)
    else:
        room.change(body.object_id, is_open=True)
    return None


def close_object(room: Room, arguments: Arguments) -> object:
    """Close what is open; a fridge then cools what is in it."""
    body = _target(room, arguments, "CloseObject", "openable")
    if not body.attributes.is_open:
        raise Refusal(ALREADY, what=body.object_id, action="closed")
    if body.object_id in room.doors:
        swing(room, body.object_id, False)
        return None
    room.change(body.object_id, is_open=False)
    if "chills" in body.traits.roles:
        for inner in list(room.within(body.object_id)):
            room.change(inner, temperature="Cold", cooled=True)
    return None


def toggle_on(room: Room, arguments: Arguments) -> object:
    """Turn something on; for ALFRED what lies in the sink is then cleaned, in the microwave heated."""
    body = _switch(room, arguments, "ToggleObjectOn")
    kind = body.traits
    if body.attributes.is_toggled:
        raise Refusal(ALREADY, what=body.object_id, action="on")
    if "shut-to-run" in kind.roles and body.attributes.is_open:
        raise Refusal(MUST_BE_CLOSED, what=body.object_id)
    room.change(body.object_id, is_toggled=True)
    _burn(room, body, "Hot")
    if "heats" in kind.roles:
        for inner in list(room.within(body.object_id)):
            room.change(inner, heated=True)
    if "rinses" in kind.roles:
        for basin in room.switches.get(body.object_id, ()):
            if "washes" in room.kind(basin).roles:
                for inner in list(room.within(basin)):
                    room.change(inner, cleaned=True)
    return None


def toggle_off(room: Room, arguments: Arguments) -> object:
    body = _switch(room, arguments, "ToggleObjectOff")
    if not body.attributes.is_toggled:
        raise Refusal(ALREADY, what=body.object_id, action="off")
    room.change(body.object_id, is_toggled=False)
    _burn(room, body, "RoomTemp")
    return None


def slice_object(room: Room, arguments: Arguments) -> object:
    """Cut an object into its pieces, which lie where it lay."""
    body = _target(room, arguments, "SliceObject", "sliceable")
    if body.object_id == room.holding:
        raise Refusal(IN_HAND, what=body.object_id, action="slice")
    held = room.holding
    if room.settings.knife_to_slice and (held is None or "sharp" not in room.kind(held).roles):
        raise Refusal(NEEDS_KNIFE, what=body.object_id)
    cut(room, body)
    return None


def break_object(room: Room, arguments: Arguments) -> object:
    """Break an object: what it held spills; a breakable that also has pieces (an egg) yields them."""
    body = _target(room, arguments, "BreakObject", "breakable")
    if body.attributes.is_broken:
        raise Refusal(ALREADY, what=body.object_id, action="broken")
    if body.traits.piece is not None and body.object_id != room.holding:
        cut(room, body)
        room.change(body.object_id, is_broken=True)
        return None
    room.change(body.object_id, is_broken=True, liquid=None, brewed=False)
    return None


def dirty_object(room: Room, arguments: Arguments) -> object:
    body = _target(room, arguments, "DirtyObject", "dirtyable")
    if body.attributes.is_dirty:
        raise Refusal(ALREADY, what=body.object_id, action="dirty")
    room.change(body.object_id, is_dirty=True)
    return None


def clean_object(room: Room, arguments: Arguments) -> object:
    body = _target(room, arguments, "CleanObject", "dirtyable")
    if not body.attributes.is_dirty:
        raise Refusal(ALREADY, what=body.object_id, action="clean")
    room.change(body.object_id, is_dirty=False)
    return None


def fill_object(room: Room, arguments: Arguments) -> object:
    """Fill a container with ``fillLiquid``: water unless the call says otherwise.

    With ``forceAction``, what is full already stays as it is: who restores a recorded state may have turned on
    the tap above it before. That it has held water, TEACh remembers only of what was under a tap.
    """
    body = _target(room, arguments, "FillObjectWithLiquid", "fillable")
    if body.attributes.liquid is not None and forced(arguments):
        return None
    if body.attributes.liquid is not None:
        raise Refusal(ALREADY, what=body.object_id, action=f"filled with {body.attributes.liquid}")
    liquid = text({"fillLiquid": "water", **arguments}, "fillLiquid", "FillObjectWithLiquid")
    room.change(body.object_id, liquid=liquid)
    return None


def empty_object(room: Room, arguments: Arguments) -> object:
    body = _target(room, arguments, "EmptyLiquidFromObject", "fillable")
    if body.attributes.liquid is None:
        raise Refusal(ALREADY, what=body.object_id, action="empty")
    room.change(body.object_id, liquid=None, brewed=False)
    return None


def cook_object(room: Room, arguments: Arguments) -> object:
    body = _target(room, arguments, "CookObject", "cookable")
    if body.attributes.is_cooked:
        raise Refusal(ALREADY, what=body.object_id, action="cooked")
    room.change(body.object_id, is_cooked=True, cooked=True)
    return None


def use_up_object(room: Room, arguments: Arguments) -> object:
    body = _target(room, arguments, "UseUpObject", "usable")
    if body.attributes.is_used_up:
        raise Refusal(ALREADY, what=body.object_id, action="used up")
    room.change(body.object_id, is_used_up=True)
    return None


def _target(room: Room, arguments: Arguments, action: str, affordance: str) -> SceneObject:
    """Return the object of a call.

    Raises:
        Refusal: It does not exist, lacks the affordance, or cannot be seen and reached.
    """
    object_id = text(arguments, "objectId", action)
    kind = room.find(object_id).traits
    if affordance not in kind.affordances:
        raise Refusal(LACKS, what=object_id, action=_ADJECTIVES.get(affordance, affordance))
    return room.touch(object_id, forced(arguments))


_ADJECTIVES = {"fillable": "able to hold liquid", "usable": "able to be used up"}


def _burn(room: Room, switch: SceneObject, temperature: str) -> None:
    """Let what a stove knob works on become hot, or cool down."""
    for worked in room.switches.get(switch.object_id, ()):
        if worked in room.objects and room.kind(worked).cooks:
            room.change(worked, temperature=temperature)


def _switch(room: Room, arguments: Arguments, action: str) -> SceneObject:
    object_id = text(arguments, "objectId", action)
    room.find(object_id)
    if "toggleable" not in room.kind(object_id).affordances:
        for switch, worked in room.switches.items():
            if object_id in worked:
                raise Refusal(CONTROLLED, what=object_id, where=switch)
    return _target(room, arguments, action, "toggleable")
