"""Actions that change an object's state: doors, switches, knives, dirt, liquids, heat."""

from __future__ import annotations

from chorewright.problems.household.houses.house import PASSABLE
from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import Attributes, SceneObject, Vector
from chorewright.replay.household import refusals
from chorewright.replay.household.motion import thing_across
from chorewright.replay.household.room import Room
from chorewright.replay.simulator import SimulatorAction

# The effects of running appliances on their contents, after every interaction: water, heat and coffee.
#
# The effects are AI2-THOR's, with the extensions of TEACh's wrapper. A running faucet cleans and fills what is in
# its basin. Microwaves, burners and toasters heat, and cook what they can. A coffee machine fills what was empty.
# Food is boiled if it is cooked inside something that holds liquid or has ever held water.


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
            room.change(inner, is_cooked=True, cooked=True, boiled=body.attributes.boiled or in_liquid(room, inner))
        elif not body.attributes.cooked:
            room.change(inner, cooked=True)


def in_liquid(room: Room, object_id: str) -> bool:
    """Whether something around a thing holds liquid, or has ever held water."""
    return any(
        room.objects[outer].attributes.liquid is not None or room.objects[outer].attributes.watered
        for outer in room.around(object_id)
    )


# Cutting an object into pieces: ids, places and inherited state.


FINENESS = 32
"""Parts of an object's length in which it is told what of it is in view."""

INHERITED = ("is_cooked", "temperature", "cooked", "boiled", "watered", "handled")
"""What pieces have of what they are cut from."""


def cut(room: Room, body: SceneObject) -> None:
    """Put an object's pieces ``<id>|<PieceKind>_<k>`` in its place, in a row along its longer side.

    The row is as long as the object, or so much shorter that the agent sees and reaches every piece. The
    pieces lie in what it lay in, and inherit what TEACh copies (cooked, boiled, ...) but not ALFRED's
    sets, which go by object id. The object itself is consumed.
    """
    kind = body.traits
    if kind.piece is None:
        raise refusals.Refusal(refusals.LACKS, what=body.object_id, action="sliceable")
    piece_kind, count = kind.piece, kind.pieces
    axis = 0 if body.size[0] >= body.size[2] else 2
    width = body.size[axis] / count
    size = list(body.size)
    size[axis] = round(width, 4)
    attributes = Attributes(**{each: getattr(body.attributes, each) for each in INHERITED})
    row = _row(room, body, axis, (size[0], size[1], size[2]), count)
    parents = body.parents
    room.consume(body.object_id)
    for k, along in enumerate(row, start=room.settings.first_piece):
        centre = list(body.centre)
        centre[axis] = along
        piece = SceneObject(
            object_id=f"{body.object_id}|{piece_kind}_{k}",
            kind=piece_kind,
            position=(centre[0], centre[1], centre[2]),
            rotation=body.rotation,
            centre=(centre[0], centre[1], centre[2]),
            size=(size[0], size[1], size[2]),
            parents=parents,
            attributes=attributes,
            traits=room.origin.kinds[piece_kind],
        )
        room.objects[piece.object_id] = piece
        for parent in parents:
            room.contents.setdefault(parent, []).append(piece.object_id)


def _row(room: Room, body: SceneObject, axis: int, size: Vector, count: int) -> list[float]:
    """Return where along an axis the pieces lie: evenly spread over what of the object is in view and reach.

    What is in view and reach is convex, so it is one stretch. Without any, the whole object's length.
    """
    half = (body.size[axis] - size[axis]) / 2
    middle = body.centre[axis]

    def shown(along: float, margin: float) -> bool:
        centre = list(body.centre)
        centre[axis] = along
        return room.shows((centre[0], centre[1], centre[2]), size, margin)

    whole = [round(middle - body.size[axis] / 2 + (k - 0.5) * body.size[axis] / count, 4) for k in range(1, count + 1)]
    for margin in (0.0, room.settings.margin):
        if all(shown(along, margin) for along in whole):
            return whole
        points = [middle + half * (2 * k / FINENESS - 1) for k in range(FINENESS + 1)]
        seen = [point for point in points if shown(point, margin)]
        if seen:
            step = (seen[-1] - seen[0]) / max(count - 1, 1)
            return [round(seen[0] + k * step, 4) for k in range(count)]
    return whole


def open_object(room: Room, call: SimulatorAction) -> None:
    """Open a door (a house's, too), drawer, lid, book or laptop; an appliance that runs only while shut must be off.

    ``openness``, by its older name ``moveMagnitude``, says how far, from 0 to 1; what is open already can be opened
    to another openness, and to 0, which closes it.
    """
    body = _target(room, call, "openable")
    openness = refusals.number(call, "openness", refusals.number(call, "moveMagnitude", 0.0) or 1.0)
    if not 0 <= openness <= 1:
        raise refusals.bad(call, "openness", openness)
    if not openness:
        close_object(room, call)
        return
    if body.attributes.is_open and openness == room.openness.get(body.object_id, 1.0):
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action="open")
    if "shut-to-run" in body.traits.roles and body.attributes.is_toggled:
        raise refusals.Refusal(refusals.MUST_BE_OFF, what=body.object_id)
    if body.object_id in room.doors:
        _swing(room, body.object_id, openness)
    else:
        room.change(body.object_id, is_open=True)
    room.openness.pop(body.object_id, None)
    if openness < 1:
        room.openness[body.object_id] = openness


def _swing(room: Room, door_id: str, openness: float) -> None:
    """Open or close a door of a house, unless something stands in its doorway."""
    across = thing_across(room, door_id) if openness <= PASSABLE else ""
    if across:
        raise refusals.Refusal(refusals.IN_DOORWAY, what=door_id, where=across)
    room.swing(door_id, openness)


def close_object(room: Room, call: SimulatorAction) -> None:
    """Close what is open; a fridge then cools what is in it."""
    body = _target(room, call, "openable")
    if not body.attributes.is_open:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action="closed")
    if body.object_id in room.doors:
        _swing(room, body.object_id, 0.0)
    room.openness.pop(body.object_id, None)
    if body.object_id in room.doors:
        return
    room.change(body.object_id, is_open=False)
    if "chills" in body.traits.roles:
        for inner in list(room.within(body.object_id)):
            room.change(inner, temperature="Cold", cooled=True)


def toggle_on(room: Room, call: SimulatorAction) -> None:
    """Turn something on; for ALFRED what lies in the sink is then cleaned, in the microwave heated."""
    body = _switch(room, call)
    kind = body.traits
    if body.attributes.is_toggled:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action="on")
    if "shut-to-run" in kind.roles and body.attributes.is_open:
        raise refusals.Refusal(refusals.MUST_BE_CLOSED, what=body.object_id)
    room.change(body.object_id, is_toggled=True)
    burn(room, body, "Hot")
    if "heats" in kind.roles:
        for inner in list(room.within(body.object_id)):
            room.change(inner, heated=True)
    if "rinses" in kind.roles:
        for basin in room.switches.get(body.object_id, ()):
            if "washes" in room.kind(basin).roles:
                for inner in list(room.within(basin)):
                    room.change(inner, cleaned=True)


def toggle_off(room: Room, call: SimulatorAction) -> None:
    body = _switch(room, call)
    if not body.attributes.is_toggled:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action="off")
    room.change(body.object_id, is_toggled=False)
    burn(room, body, "RoomTemp")


def slice_object(room: Room, call: SimulatorAction) -> None:
    """Cut an object into its pieces, which lie where it lay."""
    body = _target(room, call, "sliceable")
    if body.object_id == room.holding:
        raise refusals.Refusal(refusals.IN_HAND, what=body.object_id, action="slice")
    held = room.holding
    if room.settings.knife_to_slice and (held is None or "sharp" not in room.kind(held).roles):
        raise refusals.Refusal(refusals.NEEDS_KNIFE, what=body.object_id)
    cut(room, body)


def break_object(room: Room, call: SimulatorAction) -> None:
    """Break an object: what it held spills; a breakable that also has pieces (an egg) yields them."""
    body = _target(room, call, "breakable")
    if body.attributes.is_broken:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action="broken")
    if body.traits.piece is not None and body.object_id != room.holding:
        cut(room, body)
        room.change(body.object_id, is_broken=True)
        return
    room.change(body.object_id, is_broken=True, liquid=None, brewed=False)


LIQUIDS = ("water", "coffee", "wine")
"""What things can be filled with."""


def fill_object(room: Room, call: SimulatorAction) -> None:
    """Fill a container with ``fillLiquid``: water unless the call says otherwise.

    With ``forceAction``, what is full already stays as it is: who restores a recorded state may have turned on
    the tap above it before. That it has held water, TEACh remembers only of what was under a tap.
    """
    body = _target(room, call, "fillable")
    if body.attributes.liquid is not None and refusals.is_forced(call):
        return
    if body.attributes.liquid is not None:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action=f"filled with {body.attributes.liquid}")
    liquid = refusals.text(SimulatorAction(call.action, {"fillLiquid": "water", **call.arguments}), "fillLiquid")
    if liquid not in LIQUIDS:
        raise refusals.bad(call, "fillLiquid", liquid)
    room.change(body.object_id, liquid=liquid)


def become(room: Room, call: SimulatorAction, affordance: str, word: str, **state: bool | str | None) -> None:
    """Bring an object into a state; it is already, in a word, where the first attribute of the state is as wanted."""
    body = _target(room, call, affordance)
    first, wanted = next(iter(state.items()))
    if getattr(body.attributes, first) == wanted:
        raise refusals.Refusal(refusals.ALREADY, what=body.object_id, action=word)
    room.change(body.object_id, **state)


def _target(room: Room, call: SimulatorAction, affordance: str) -> SceneObject:
    """Return the object of a call.

    Raises:
        Refusal: It does not exist, lacks the affordance, or cannot be seen and reached.
    """
    object_id = refusals.text(call, "objectId")
    kind = room.find(object_id).traits
    if affordance not in kind.affordances:
        raise refusals.Refusal(refusals.LACKS, what=object_id, action=_ADJECTIVES.get(affordance, affordance))
    return room.touch(object_id, refusals.is_forced(call))


_ADJECTIVES = {"fillable": "able to hold liquid", "usable": "able to be used up"}


def burn(room: Room, switch: SceneObject, temperature: str) -> None:
    """Let what a stove knob works on become hot, or cool down."""
    for worked in room.switches.get(switch.object_id, ()):
        if worked in room.objects and room.kind(worked).cooks:
            room.change(worked, temperature=temperature)


def _switch(room: Room, call: SimulatorAction) -> SceneObject:
    object_id = refusals.text(call, "objectId")
    room.find(object_id)
    if "toggleable" not in room.kind(object_id).affordances:
        for switch, worked in room.switches.items():
            if object_id in worked:
                raise refusals.Refusal(refusals.CONTROLLED, what=object_id, where=switch)
    return _target(room, call, "toggleable")
