"""Cutting an object into pieces: ids, places and inherited state."""

from __future__ import annotations

from dataclasses import replace

from chorewright.problems.household.scene import Attributes, SceneObject, Vector
from chorewright.replay.household.refusals import LACKS, Refusal
from chorewright.replay.household.room import Room

FINENESS = 32
"""Parts of an object's length in which it is told what of it is in view."""


def cut(room: Room, body: SceneObject) -> None:
    """Put an object's pieces ``<id>|<PieceKind>_<k>`` in its place, in a row along its longer side.

    The row is as long as the object, or so much shorter that the agent sees and reaches every piece. The
    pieces lie in what it lay in, and inherit what TEACh copies (cooked, boiled, ...) but not ALFRED's
    sets, which go by object id. The object itself is consumed.
    """
    kind = body.traits
    if kind.piece is None:
        raise Refusal(LACKS, what=body.object_id, action="sliceable")
    piece_kind, count = kind.piece, kind.pieces
    axis = 0 if body.size[0] >= body.size[2] else 2
    width = body.size[axis] / count
    size = list(body.size)
    size[axis] = round(width, 4)
    attributes = _inherited(body.attributes)
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


def _inherited(attributes: Attributes) -> Attributes:
    return replace(
        Attributes(),
        is_cooked=attributes.is_cooked,
        temperature=attributes.temperature,
        cooked=attributes.cooked,
        boiled=attributes.boiled,
        watered=attributes.watered,
        handled=attributes.handled,
    )
