"""Cutting an object into pieces: ids, places and inherited state."""

from __future__ import annotations

from dataclasses import replace

from chorewright.problems.kinds import kind_of
from chorewright.problems.scene import Attributes, SceneObject
from chorewright.replay.thor.refusals import LACKS, Refused
from chorewright.replay.thor.room import Room


def cut(room: Room, body: SceneObject) -> object:
    """Replace an object by its pieces ``<id>|<PieceKind>_<k>``, k from 1, in a row along its longer side.

    The pieces lie in what it lay in, and inherit what TEACh copies (cooked, boiled, ...) but not ALFRED's
    sets, which go by object id.
    """
    kind = kind_of(body.kind)
    if kind.piece is None:
        raise Refused(LACKS, what=body.object_id, action="sliceable")
    piece_kind, count = kind.piece, kind.pieces
    axis = 0 if body.size[0] >= body.size[2] else 2
    width = body.size[axis] / count
    size = list(body.size)
    size[axis] = round(width, 4)
    attributes = _inherited(body.attributes)
    parents = body.parents
    room.remove(body.object_id)
    for k in range(1, count + 1):
        centre = list(body.centre)
        centre[axis] = round(body.centre[axis] - body.size[axis] / 2 + (k - 0.5) * width, 4)
        piece = SceneObject(
            object_id=f"{body.object_id}|{piece_kind}_{k}",
            kind=piece_kind,
            position=(centre[0], centre[1], centre[2]),
            rotation=body.rotation,
            centre=(centre[0], centre[1], centre[2]),
            size=(size[0], size[1], size[2]),
            parents=parents,
            attributes=attributes,
        )
        room.objects[piece.object_id] = piece
        for parent in parents:
            room.contents.setdefault(parent, []).append(piece.object_id)
    return None


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
