"""Where a thing may not start: in or on receptacles of some kinds, in what is around them, and between burners."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from chorewright.problems.household.places import SLACK
from chorewright.problems.household.scene import Box, Scene, SceneObject

STOVE_GAP = 0.3
"""Metres between receptacles for one thing up to which they are one place to a person, as burners are a stove top."""


@dataclass(frozen=True, slots=True)
class Ban:
    """Kinds of receptacles where a thing may not start, and the boxes in or on which its middle may not lie."""

    kinds: frozenset[str]
    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, scene: Scene, kinds: Collection[str]) -> Ban:
        """Return the ban of some kinds of receptacles, with what is around them, in a scene."""
        names = frozenset((*kinds, *(hull for kind in kinds for hull in scene.kinds.hulls.get(kind, ()))))
        things = [thing for thing in scene.objects if thing.kind in names and not thing.traits.item]
        boxes = [Box.around(thing.centre, thing.size) for thing in things if thing.kind != "Floor"]
        singles = [Box.around(thing.centre, thing.size) for thing in things if "single" in thing.traits.roles]
        return cls(names, (*boxes, *_clusters(singles)))

    def touches(self, thing: SceneObject) -> bool:
        """Return whether a thing lies in or on one of the boxes."""
        x, _, z = thing.centre
        return any(
            box.low[0] < x < box.high[0]
            and box.low[2] < z < box.high[2]
            and thing.bottom <= box.high[1] + SLACK
            and box.low[1] <= thing.top
            for box in self.boxes
        )


NO_BAN = Ban(frozenset(), ())


@dataclass(frozen=True, slots=True)
class Bans:
    """Where things of each kind may not start.

    Attributes:
        banned: What bans a kind from receptacles and from all that is within them.
        amid: What bans it only from what else is within the box of receptacles.
        doors: Whether things may start behind a door that is within a box, if what it shuts is not banned.
        within: The same without a door.
    """

    banned: Mapping[str, Ban]
    amid: Mapping[str, Ban]
    doors: bool
    within: bool

    def bar(self, thing: SceneObject, receptacle: SceneObject) -> bool:
        """Return whether a thing in or on a receptacle lies where its kind may not start."""
        kind, own = receptacle.kind, self.within or (self.doors and receptacle.traits.closable)
        amid, banned = (bans.get(thing.kind, NO_BAN) for bans in (self.amid, self.banned))
        elsewhere = kind not in amid.kinds and not own and amid.touches(thing)
        return elsewhere or ((kind in banned.kinds or not own) and banned.touches(thing))


def _clusters(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes around those that are close to each other: a stove top around its burners."""
    found: list[Box] = []
    for box in boxes:
        whole = box
        while near := [other for other in found if other.is_near(whole, STOVE_GAP)]:
            found = [other for other in found if other not in near]
            for other in near:
                whole = whole.join(other)
        found.append(whole)
    return found
