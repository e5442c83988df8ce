"""Where a thing may not start: in or on receptacles of some kinds, in what is around them, and between burners."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chorewright.problems.household.places import SLACK
from chorewright.problems.household.scene import Scene, SceneObject, Vector

STOVE_GAP = 0.3
"""Metres between receptacles for one thing up to which they are one place to a person, as burners are a stove top."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A box of space, by its lowest and highest corner (x, y, z) in metres."""

    low: Vector
    high: Vector

    @classmethod
    def of(cls, thing: SceneObject) -> _Box:
        """Return the box of a thing."""
        (x, y, z), (width, height, depth) = thing.centre, (side / 2 for side in thing.size)
        return cls((x - width, y - height, z - depth), (x + width, y + height, z + depth))

    def is_near(self, other: _Box, gap: float) -> bool:
        """Return whether two boxes are no farther apart than a gap in metres along each axis."""
        return all(self.low[k] <= other.high[k] + gap and other.low[k] <= self.high[k] + gap for k in range(3))

    def join(self, other: _Box) -> _Box:
        """Return the smallest box around both."""
        pairs = zip(self.low, other.low, self.high, other.high, strict=True)
        corners = [(min(a, b), max(c, d)) for a, b, c, d in pairs]
        (x, east), (y, top), (z, north) = corners
        return _Box((x, y, z), (east, top, north))


@dataclass(frozen=True, slots=True)
class Ban:
    """Kinds of receptacles where a thing may not start, and the boxes in or on which its middle may not lie."""

    kinds: frozenset[str]
    boxes: tuple[_Box, ...]

    @classmethod
    def of(cls, scene: Scene, kinds: Collection[str]) -> Ban:
        """Return the ban of some kinds of receptacles, with what is around them, in a scene."""
        names = frozenset((*kinds, *(hull for kind in kinds for hull in scene.kinds.hulls.get(kind, ()))))
        things = [thing for thing in scene.objects if thing.kind in names and not thing.traits.item]
        boxes = [_Box.of(thing) for thing in things if thing.kind != "Floor"]
        singles = [_Box.of(thing) for thing in things if "single" in thing.traits.roles]
        return cls(names, (*boxes, *_clusters(singles)))

    def touches(self, thing: SceneObject) -> bool:
        """Return whether a thing lies in or on one of the boxes."""
        x, y, z = thing.centre
        bottom, top = y - thing.size[1] / 2, y + thing.size[1] / 2
        return any(
            box.low[0] < x < box.high[0]
            and box.low[2] < z < box.high[2]
            and bottom <= box.high[1] + SLACK
            and box.low[1] <= top
            for box in self.boxes
        )


NO_BAN = Ban(frozenset(), ())


def _clusters(boxes: Sequence[_Box]) -> list[_Box]:
    """Return the boxes around those that are close to each other: a stove top around its burners."""
    found: list[_Box] = []
    for box in boxes:
        whole = box
        while near := [other for other in found if other.is_near(whole, STOVE_GAP)]:
            found = [other for other in found if other not in near]
            for other in near:
                whole = whole.join(other)
        found.append(whole)
    return found
