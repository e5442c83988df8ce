"""The table as primitives: each link of a scene's table as boxes and cylinders, from a data file.

CALVIN's own tables are meshes. These primitives stand where the meshes stand (outer sizes, openings, handles) and
have the same link names, so that contacts have the same names. The frame of a link has the axes of the world and
the origin of its joint or fixture. A joint moves it along the joint's direction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chorewright.files.records import reader_of
from chorewright.problems.calvin.scenes import Joint, TabletopScene, Vector

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LinkShape:
    """A box or an upright cylinder of a link.

    Attributes:
        kind: ``box`` or ``cylinder``.
        size: Edges of the box, or (radius, radius, length) of the cylinder.
        position: Its middle in the link's frame.
        lean: Its turn about x, in radians.
        colour: Red, green and blue from 0 to 1.
    """

    kind: str
    size: Vector
    position: Vector
    lean: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class TableLink:
    """A rigid part of the table.

    Attributes:
        name: The link's name in CALVIN, for example ``drawer_link``.
        origin: Where its frame is while its joint is at 0.
        joint: The name and the motion of the joint that carries it; None where it is fixed.
        mass: Kilograms; 0 where it is fixed.
        shapes: What it is made of.
    """

    name: str
    origin: Vector
    joint: tuple[str, Joint] | None
    mass: float
    shapes: tuple[LinkShape, ...]

    def position(self, opening: float) -> Vector:
        """Return the position of the link's frame with its joint open by some metres."""
        if self.joint is None:
            return self.origin
        x, y, z = (at + along * opening for at, along in zip(self.origin, self.joint[1].direction, strict=True))
        return x, y, z


def table_links(scene: TabletopScene) -> tuple[TableLink, ...]:
    """Return the links of a scene's table; the first is the base that carries all others."""
    anchors = {"world": 0.0}
    anchors |= {name.removeprefix("base__"): joint.origin[0] for name, joint in scene.joints.items()}
    anchors |= {name: origin[0] for name, origin in scene.fixtures.items()}
    return tuple(_link(entry, scene, anchors) for entry in geometry()["links"])


geometry = reader_of(dict[str, Any], "chorewright.replay", "data/tabletop_geometry.json")
"""Returns the data file of the primitives."""


def _link(entry: dict[str, Any], scene: TabletopScene, anchors: Mapping[str, float]) -> TableLink:
    joint = None
    origin: Vector = (0.0, 0.0, 0.0)
    if "joint" in entry:
        joint = (entry["joint"], scene.joints[entry["joint"]])
        origin = joint[1].origin
    elif "fixture" in entry:
        origin = scene.fixtures[entry["fixture"]]
    shapes = tuple(_shape(each, entry, origin, anchors) for each in entry["shapes"])
    return TableLink(entry["name"], origin, joint, entry.get("mass", 0.0), shapes)


def _shape(entry: dict[str, Any], link: dict[str, Any], origin: Vector, anchors: Mapping[str, float]) -> LinkShape:
    colour = tuple(entry.get("colour", link["colour"]))
    if "cylinder" in entry:
        low, high = entry["z"]
        size = (entry["radius"], entry["radius"], high - low)
        return LinkShape("cylinder", size, (entry["x"], entry["y"], (low + high) / 2), 0.0, colour)
    left, right = (anchors[anchor] + offset - origin[0] for anchor, offset in entry["x"])
    (y, depth), (z, height) = (((low + high) / 2, abs(high - low)) for low, high in (entry["y"], entry["z"]))
    lean, shift = link.get("lean", 0.0), (0.0, 0.0)
    if "slope" in entry:
        front = geometry()["front"]
        lean, shift = front["lean"], (front["y"], front["z"])
    position = (
        (left + right) / 2,
        shift[0] + math.cos(lean) * y - math.sin(lean) * z,
        shift[1] + math.sin(lean) * y + math.cos(lean) * z,
    )
    return LinkShape("box", (right - left, depth, height), position, lean, colour)
