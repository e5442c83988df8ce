"""How kinds look: the solids they are made of and their paints, read from a data file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast
from zlib import crc32

from chorewright.files.records import reader_of, record_of
from chorewright.problems.household.kinds import Traits
from chorewright.problems.household.scene import Attributes
from chorewright.replay.drawing.solids import Profile

Colour = tuple[float, float, float]

COOKED: Colour = (104.0, 58.0, 24.0)
"""What food is tinted with when it is cooked."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours in [0, 255] and a texture that mixes in the second one.

    Attributes:
        colours: One of them is chosen for each object, or each room if ``by_room``.
        second: The second colour; None: the first, times ``shade``.
        scale: Metres of one period of the texture.
        contrast: The largest part of the second colour.
        glow: The least light in which it is seen; 0 if it does not shine.
    """

    colours: tuple[Colour, ...]
    second: Colour | None = None
    shade: float = 1.0
    texture: str = "plain"
    scale: float = 1.0
    contrast: float = 0.0
    glow: float = 0.0
    by_room: bool = False

    def colour(self, name: str) -> tuple[Colour, Colour]:
        """Return the two colours of the object (or room) of this name."""
        first = self.colours[crc32(name.encode()) % len(self.colours)]
        red, green, blue = first
        return first, self.second or (red * self.shade, green * self.shade, blue * self.shade)


@dataclass(frozen=True, slots=True)
class LookPart:
    """A solid of a kind; numbers are fractions of the kind's box unless said otherwise."""

    shape: str
    paint: str
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    when: tuple[str, ...] = ()
    profile: Profile = ()
    segments: int = 0
    smooth: bool = False
    axis: str = "y"
    wall: float = 0.02  # metres
    opening: str = "top"
    without: tuple[str, ...] = ()
    hinge: tuple[str, float] | None = None  # side, degrees
    slide: float = 0.0
    turn: tuple[int, float] | None = None  # axis, degrees
    thickness: float = 0.2
    bow: tuple[float, float] = (0.0, 1.0)  # turns
    thin: float | None = None  # metres

    def shown(self, states: frozenset[str]) -> bool:
        """Return whether it is part of an object in these states."""
        return all((each[1:] not in states) if each[0] == "!" else (each in states) for each in self.when)


@dataclass(frozen=True, slots=True)
class KindLook:
    """A kind's parts and which way it faces.

    ``facing`` is ``rotation`` (as the object is turned), ``room`` (the side with the most free floor),
    ``long`` (that too, its longer side in front) or ``wall`` (flat, seen from the room).
    """

    parts: tuple[LookPart, ...]
    facing: str


@dataclass(frozen=True, slots=True)
class KindLooks:
    """All kinds and paints."""

    kinds: Mapping[str, KindLook]
    paints: Mapping[str, Paint]
    defaults: Mapping[str, KindLook]

    def of(self, traits: Traits) -> KindLook | None:
        """Return how things of a kind look; None where there is nothing to be seen of them.

        A kind of a user's looks like an item, a vessel or furniture; what nothing can be done with is not seen.
        """
        known = self.kinds.get(traits.name)
        if known is not None or not (traits.affordances or traits.receptacle):
            return known
        return self.defaults["furniture" if not traits.item else "vessel" if traits.inside else "item"]


@lru_cache(maxsize=1)
def looks() -> KindLooks:
    """Return the shipped looks."""
    document = reader_of(dict[str, Any], "chorewright.replay", "data/looks.json")()
    profiles = {name: _profile(points) for name, points in document["profiles"].items()}
    return KindLooks(
        {kind: _look(entry, profiles) for kind, entry in document["kinds"].items()},
        record_of(dict[str, Paint], document["paints"]),
        {name: _look(entry, profiles) for name, entry in document["defaults"].items()},
    )


def states_of(attributes: Attributes) -> frozenset[str]:
    """Return the states by which parts are shown."""
    named = {
        "open": attributes.is_open,
        "on": attributes.is_toggled,
        "dirty": attributes.is_dirty,
        "broken": attributes.is_broken,
        "used": attributes.is_used_up,
        "filled": attributes.liquid is not None,
    }
    return frozenset(name for name, holds in named.items() if holds)


def _look(entry: Mapping[str, object], profiles: Mapping[str, Profile]) -> KindLook:
    parts = entry["parts"]
    assert isinstance(parts, list)
    return KindLook(tuple(_part(each, profiles) for each in parts), str(entry.get("facing", "rotation")))


def _part(entry: Sequence[object], profiles: Mapping[str, Profile]) -> LookPart:
    shape, paint, corners, *more = entry
    options = cast("dict[str, object]", more[0]) if more else {}
    x0, y0, z0, x1, y1, z1 = cast("Sequence[float]", corners)
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    given["when"] = tuple(str(options["when"]).split("&")) if "when" in options else ()
    profile = options.get("profile", "cylinder")
    named = profiles[profile] if isinstance(profile, str) else _profile(profile)
    whole = LookPart(str(shape), str(paint), (x0, y0, z0), (x1, y1, z1))
    return replace(whole, **cast("dict[str, Any]", {**given, "profile": named}))


def _profile(points: object) -> Profile:
    return tuple((float(radius), float(height)) for radius, height in cast("Sequence[Sequence[float]]", points))
