"""Our objects in a real build: by id, by model, else by kind and place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from chorewright.problems.household.scene import Scene, Vector
from chorewright.replay.simulator import Argument

Told: TypeAlias = Sequence[Mapping[str, object]]
"""AI2-THOR's metadata of all objects."""

NEAR = 0.5
"""Metres within which an object of the same kind is ours."""


@dataclass(frozen=True, slots=True)
class RealNames:
    """Our object ids to the build's."""

    known: Mapping[str, str]

    @classmethod
    def matched(cls, scene: Scene, told: Told) -> RealNames:
        """Return which object of the build each of ours is; none where nothing of its kind is near."""
        ids = {str(each["objectId"]) for each in told}
        known = {body.object_id: body.object_id for body in scene.objects if body.object_id in ids}
        pairs = sorted(
            (round(math.dist(body.position, _place(each)), 6), body.object_id, str(each["objectId"]))
            for body in scene.objects
            for each in told
            if body.kind == each["objectType"] and body.object_id not in known
        )
        taken = set(known.values())
        for gap, ours, theirs in pairs:
            if gap <= NEAR and ours not in known and theirs not in taken:
                known[ours] = theirs
                taken.add(theirs)
        return cls(known)

    @staticmethod
    def poses(scene: Scene, told: Told) -> list[Argument]:
        """Return the poses of our items for SetObjectPoses, by the names that the build's objects have."""
        names: dict[str, str] = {}
        for each in told:
            name = str(each["name"]).split("(")[0]
            names.setdefault(f"{each['objectType']}:{each.get('assetId', '')}", name)
            names.setdefault(str(each["objectType"]), name)
        found: list[Argument] = []
        for body in scene.objects:
            known = names.get(f"{body.kind}:{body.asset}") or names.get(body.kind)
            if known is not None and body.traits.item:
                pose = {"position": _axes(body.position), "rotation": _axes(body.rotation)}
                found.append({"objectName": known, **pose})
        return found

    def theirs(self, ours: str, told: Told) -> str:
        """Return the build's id of an object of ours; of a piece, that of the piece with the same number."""
        if ours in self.known:
            return self.known[ours]
        whole, bar, piece = ours.rpartition("|")
        if bar and whole in self.known:
            wanted = f"{self.known[whole]}|{piece}"
            kind = piece.split("_")[0]
            pieces = [str(each["objectId"]) for each in told if each["objectType"] == kind]
            return wanted if wanted in pieces else min(pieces, default=wanted)
        return ours


def _place(each: Mapping[str, object]) -> Vector:
    where = cast("Mapping[str, float]", each["position"])
    return where["x"], where["y"], where["z"]


def _axes(vector: Vector) -> dict[str, Argument]:
    return dict(zip("xyz", vector, strict=True))
