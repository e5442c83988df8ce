"""Small things on furniture: which, how many and where, as in iTHOR's rooms, or as ProcTHOR has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chorewright.files.records import reader_of
from chorewright.problems.household.houses.assets import ARCHIVE, Asset, assets_of, thing_parts
from chorewright.problems.household.houses.design.ground import Ground, Rectangle
from chorewright.problems.household.houses.design.pieces import FurniturePiece, Unfurnished, part_box
from chorewright.problems.household.houses.design.rules import HouseRules, between, choose_by_weight, one_of, whole
from chorewright.problems.household.kinds import Traits, shapes, shipped_kinds, usual_support

ITEMS = "items.json"
"""The member of the archive of assets with the statistics."""

TRIES = 6
"""Places that are tried for a thing."""

NEEDED_TRIES = 200
"""The same for a thing that the room must have."""

EDGE = 0.02
"""Metres between a thing and the edge of what it lies on."""

LIFT = 0.002
"""Metres between a surface and what lies on it."""

ELSEWHERE = 0.2
"""The weight of a receptacle that a thing fits, but on which it never lies in such rooms."""


@dataclass(slots=True)
class ItemSurface:
    """Where things can lie: a piece, or a part of one.

    ``level`` is the height on which they lie, ``ceiling`` the height that they may not exceed. ``taken`` are the places
    that hold something; all burners of a stove share theirs. ``count`` is how many things have been laid here.
    """

    piece: FurniturePiece
    kind: Traits
    box: Rectangle
    level: float
    ceiling: float
    part: str | None
    taken: list[Rectangle]
    count: int = 0


statistics = reader_of(dict[str, Any], "chorewright.problems", f"data/{ARCHIVE}/{ITEMS}")
"""Returns how often things are in rooms, and on what.

``rooms`` has for each kind of room and of thing in how many of iTHOR's rooms it is, how many there are, and how many of
them lie on each kind of receptacle. ``receptacles`` has ProcTHOR's chance that a thing of a kind lies on a receptacle,
by kind of receptacle.
"""


class Scatterer:
    """Lays small things on the pieces of a house."""

    def __init__(self, ground: Ground, rules: HouseRules, rng: np.random.Generator) -> None:
        self.ground, self.rules, self.rng = ground, rules, rng

    def scatter(self, kind: str, pieces: Sequence[FurniturePiece]) -> None:
        """Lay things on the pieces of a room of a kind.

        Raises:
            Unfurnished: A thing that the room must have found no place.
        """
        surfaces = [surface for piece in pieces for surface in surfaces_of(piece)]
        if self.rules.style == "rich":
            self._by_room(kind, statistics()["rooms"][kind], surfaces)
        else:
            self._by_receptacle(statistics()["receptacles"], surfaces)

    def _by_room(self, kind: str, table: Mapping[str, Any], surfaces: Sequence[ItemSurface]) -> None:
        """Lay what iTHOR's rooms of a kind have, beginning with what is needed."""
        needed = self.rules.needs.get(kind, ())
        holders: dict[str, list[ItemSurface]] = {}
        for surface in surfaces:
            holders.setdefault(surface.kind.name, []).append(surface)
        chances = {
            name: [
                float(lying.get(holder, ELSEWHERE if holder in shipped_kinds()[name].fits else 0.0)) * len(same)
                for holder, same in holders.items()
            ]
            for name, (_, _, lying) in table.items()
        }
        for name in table:
            if name in needed and not self._lay(name, list(holders.values()), chances[name], NEEDED_TRIES):
                raise Unfurnished
        for name, (share, mean, _) in table.items():
            if self.rng.random() < share:
                count = whole(self.rng, 1, max(1, round(2 * mean - 1))) - (name in needed)
                for _ in range(count):
                    self._lay(name, list(holders.values()), chances[name], TRIES)

    def _by_receptacle(self, table: Mapping[str, Any], surfaces: Sequence[ItemSurface]) -> None:
        """Lay what lies on such receptacles in ProcTHOR's statistics."""
        for surface in surfaces:
            for name, chance in table.get(surface.kind.name, {}).items():
                if self.rng.random() < chance:
                    self._lay(name, [[surface]], [1.0], TRIES)

    def _lay(self, kind: str, holders: Sequence[Sequence[ItemSurface]], chances: Sequence[float], tries: int) -> bool:
        """Lay a thing of a kind on a surface; return whether there was a place.

        Args:
            kind: What it is.
            holders: Surfaces, those of each kind together.
            chances: How likely it lies on each of these kinds.
            tries: How many places are tried.
        """
        choice = assets_of(kind)
        if not choice or sum(chances) <= 0.0:
            return False
        for _ in range(tries):
            surface = one_of(self.rng, holders[choose_by_weight(self.rng, chances)])
            if self._lay_on(one_of(self.rng, choice), surface):
                return True
        return False

    def _lay_on(self, asset: Asset, surface: ItemSurface) -> bool:
        """Lay a thing somewhere on a surface, if it fits, overlaps nothing and can be reached."""
        yaw = 90 * whole(self.rng, 0, 3)
        width, height, depth = asset.size if yaw % 180 == 0 else asset.size[::-1]
        box = surface.box
        single = "single" in surface.kind.roles
        if (single and surface.count) or surface.level + height > surface.ceiling:
            return False
        slack_x, slack_z = ((box[2] - box[0] - width) / 2 - EDGE, (box[3] - box[1] - depth) / 2 - EDGE)
        if not single and min(slack_x, slack_z) < 0.0:
            return False
        x, z = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if not single:
            x += between(self.rng, -slack_x, slack_x)
            z += between(self.rng, -slack_z, slack_z)
        place = (x - width / 2, z - depth / 2, x + width / 2, z + depth / 2)
        if any(place[0] < t[2] and t[0] < place[2] and place[1] < t[3] and t[1] < place[3] for t in surface.taken):
            return False
        if not self.ground.reaches(surface.piece.room, place):
            return False
        surface.taken.append(place)
        surface.count += 1
        surface.piece.add_child(asset, x, surface.level + LIFT, z, float(yaw), surface.part)
        return True


def surfaces_of(piece: FurniturePiece) -> list[ItemSurface]:
    """Return where things can lie on a piece and its parts."""
    kinds = shipped_kinds()
    found = []
    kind = kinds[piece.asset.kind]
    bottom = piece.middle - piece.asset.size[1] / 2
    if kind.receptacle == "always" and not kind.item and not _hangs(kind):
        found.append(_surface(piece, kind, piece.box, bottom, piece.top, piece.taken))
    shared: list[Rectangle] = []
    for part in thing_parts(piece.thing()):
        traits = kinds[part.kind]
        if traits.receptacle == "always":
            low = part.position[1] - part.size[1] / 2
            taken = shared if "single" in traits.roles else []
            found.append(_surface(piece, traits, part_box(part), low, low + part.size[1], taken, part.part_id))
    return found


def _hangs(kind: Traits) -> bool:
    """Whether things hang on a kind of receptacle."""
    shape = shapes().get(kind.name)
    return shape is not None and shape.hang is not None


def _surface(
    piece: FurniturePiece,
    kind: Traits,
    box: Rectangle,
    bottom: float,
    top: float,
    taken: list[Rectangle],
    part: str | None = None,
) -> ItemSurface:
    support = usual_support(kind)
    bounded = kind.closable or support == 0.0
    level = bottom + support * (top - bottom)
    return ItemSurface(piece, kind, box, level, top if bounded else float("inf"), part, taken)
