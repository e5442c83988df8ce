"""Places of things in words: which of several like things is meant, and what it lies next to.

The world is tracked symbolically along a plan. Positions are those of the scene at the start; for a moved thing
only the receptacle is known. Left and right are as the agent sees them from where it acts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.files.english import ordinal
from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.scene import GRID, Pose, Scene, Vector
from chorewright.rsa.household.path_phrases import FORWARD, Landmark, seen_from
from chorewright.rsa.words.lexicon import Voice, pick

_TOGETHER = 0.9
"""Metres within which parts of one thing stand (a stove's burners)."""

_UPPER, _LOWER = 0.35, -0.15
"""Heights over the agent's middle from which a cabinet is an upper one, and below which it is a lower one."""


@dataclass(frozen=True, slots=True)
class PlacedThing:
    """An object with what its words need; ``still`` while it lies where the scene has it."""

    object_id: str
    kind: str
    centre: Vector
    size: Vector
    parent: str = ""
    still: bool = True
    state: str = ""  # a group of words: clean, hot, cold
    traits: Traits = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class RoomLayout:
    """Where everything is, and in what state, at one moment of a plan."""

    things: Mapping[str, PlacedThing]
    room_kind: str
    agent_y: float
    length: float
    holding: str = ""
    kinds: Kinds = field(kw_only=True)

    @classmethod
    def of(cls, scene: Scene) -> RoomLayout:
        """Return the layout of a scene."""
        things = {
            thing.object_id: PlacedThing(
                thing.object_id,
                thing.kind,
                thing.centre,
                thing.size,
                thing.parents[0] if thing.parents else "",
                traits=thing.traits,
            )
            for thing in scene.objects
        }
        spans = [(max(axis) - min(axis)) * GRID for axis in zip(*scene.grid, strict=True)] or [0.0]
        return cls(things, scene.room_kind, scene.agent_y, max(spans), scene.holding or "", kinds=scene.kinds)

    def thing(self, object_id: str) -> PlacedThing:
        """Return an object; one that the scene does not have (a piece of something) lies where its whole lay."""
        known = self.things.get(object_id)
        if known:
            return known
        parts = object_id.split("|")
        kind = parts[0] if len(parts) < 5 else parts[-1].rpartition("_")[0] or parts[-1]
        whole = self.things.get("|".join(parts[:4]))
        if whole and len(parts) >= 5:
            return replace(whole, object_id=object_id, kind=kind, state="", traits=self.kinds[kind])
        return PlacedThing(object_id, kind, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), still=False, traits=self.kinds[kind])

    def inside(self, receptacle: str) -> tuple[PlacedThing, ...]:
        """Return what is known to lie directly in or on something."""
        return tuple(thing for thing in self.things.values() if thing.parent == receptacle)

    def take(self, object_id: str) -> RoomLayout:
        """Return the layout after an object was picked up."""
        thing = replace(self.thing(object_id), parent="", still=False)
        return replace(self, things={**self.things, object_id: thing}, holding=object_id)

    def put(self, object_id: str, receptacle: str) -> RoomLayout:
        """Return the layout after an object was put somewhere."""
        thing = replace(self.thing(object_id), parent=receptacle, still=False)
        return replace(self, things={**self.things, object_id: thing}, holding="")

    def become(self, object_id: str, state: str) -> RoomLayout:
        """Return the layout after an object was cleaned, heated or cooled."""
        return replace(self, things={**self.things, object_id: replace(self.thing(object_id), state=state)})


def spot(world: RoomLayout, receptacle: PlacedThing, pose: Pose, item: PlacedThing | None = None) -> Vector:
    """Return the relevant point: the item's place, or the spot before the agent on a large receptacle."""
    if item and item.still:
        return item.centre
    point = []
    for axis, here in ((0, pose.x), (2, pose.z)):
        middle, half = receptacle.centre[axis], receptacle.size[axis] / 2
        facing = here * GRID + 0.6 * FORWARD[pose.rotation][axis // 2]
        point.append(min(max(facing, middle - half), middle + half))
    return (point[0], receptacle.centre[1], point[1])


def landmarks(world: RoomLayout, voice: Voice) -> tuple[Landmark, ...]:
    """Return the big things of a room with an unambiguous name (the only one of their kind)."""
    found: dict[str, list[PlacedThing]] = {}
    for thing in world.things.values():
        if thing.still and voice.lexicon.words(thing.kind).landmark:
            found.setdefault(voice.noun(thing.kind).word, []).append(thing)
    return tuple(
        Landmark(f"the {word}", things[0].centre, things[0].size)
        for word, things in found.items()
        if _one_place(things, voice)
    )


def _one_place(things: list[PlacedThing], voice: Voice) -> bool:
    """Whether things of one name can be spoken of as one: it is a single one, or parts of one (burners)."""
    together = all(voice.lexicon.words(thing.kind).together for thing in things)
    return len(things) == 1 or (
        together and all(math.dist(_floor(things[0]), _floor(thing)) <= _TOGETHER for thing in things)
    )


def relation(
    world: RoomLayout,
    voice: Voice,
    rng: np.random.Generator,
    point: Vector,
    pose: Pose,
    name: str,
    near: float = 1.0,
    vertical: bool = True,
) -> str:
    """Return where a point is relative to the nearest landmark (``to the left of the sink``), or nothing.

    ``name`` is the noun of what is at the point, which is no landmark for itself. Surfaces are not said to be
    above or below what stands on or in them: ``vertical`` is false.
    """
    best: tuple[float, Landmark] | None = None
    for landmark in landmarks(world, voice):
        if landmark.name == f"the {name}" or _is_large(landmark, world, voice):
            continue
        gap = _gap(point, landmark)
        if gap <= near and (best is None or gap < best[0]):
            best = (gap, landmark)
    if best is None:
        return ""
    landmark = best[1]
    right, _, forward = seen_from(pose, point)
    its_right, _, its_forward = seen_from(pose, landmark.centre)
    aside, beyond = right - its_right, forward - its_forward
    over = point[1] - landmark.centre[1]
    if best[0] == 0.0 and vertical and abs(over) >= landmark.size[1] / 2 + 0.05:
        return f"above {landmark.name}" if over > 0 else f"{pick(('below', 'under'), rng)} {landmark.name}"
    if best[0] == 0.0 and vertical:
        return ""
    if abs(aside) >= 0.25 and abs(aside) >= 0.6 * abs(beyond) and its_forward > 0:
        side = "right" if aside > 0 else "left"
        return f"to the {side} of {landmark.name}"
    return f"{pick(('next to', 'by', 'beside'), rng)} {landmark.name}"


def _is_large(landmark: Landmark, world: RoomLayout, voice: Voice) -> bool:
    """Whether a landmark is so large that being beside it says little."""
    return landmark.size[0] * landmark.size[2] > 0 and any(
        voice.lexicon.words(thing.kind).large
        for thing in world.things.values()
        if thing.centre == landmark.centre and thing.size == landmark.size
    )


def _gap(point: Vector, landmark: Landmark) -> float:
    """Return the horizontal distance from a point to a landmark's box."""
    gaps = [max(0.0, abs(point[axis] - landmark.centre[axis]) - landmark.size[axis] / 2) for axis in (0, 2)]
    return math.hypot(*gaps)


def place(
    world: RoomLayout,
    voice: Voice,
    rng: np.random.Generator,
    receptacle: PlacedThing,
    pose: Pose,
    item: PlacedThing | None = None,
    detail: bool = True,
) -> str:
    """Return the noun phrase of a receptacle, distinguished from others of its name as far as positions allow.

    Args:
        receptacle: what is spoken of, furniture or an item that holds something.
        pose: where the agent stands to deal with it.
        item: what is dealt with there, if it lies there already.
        detail: whether to place a large or single receptacle too.
    """
    noun = voice.noun(receptacle.kind)
    words = voice.lexicon.words(receptacle.kind)
    held_up = world.things.get(receptacle.parent)
    if held_up and not words.together and not voice.lexicon.words(held_up.kind).ground:
        several = sum(voice.noun(other.kind).word == noun.word for other in world.things.values()) > 1
        base = voice.noun(held_up.kind)
        said_already = base.word in noun.word.split()  # the desk lamp on the desk
        where = several or (detail and not said_already and rng.random() < 0.5)
        return noun.the(after=f"{held_up.traits.preposition} {base.the()}" if where else "")
    if not receptacle.still:
        return noun.the()
    alike = _alike(world, voice, receptacle)
    point = spot(world, receptacle, pose, item)
    near = relation(world, voice, rng, point, pose, noun.word, 1.2 if alike else 1.0, not words.landmark)
    if alike:
        before, after = _among(world, receptacle, alike, pose, words.storeys)
        if after and (before or not near or rng.random() < 0.6):
            return noun.the(before, after)
        return noun.the(before, near)
    chance = (0.0, 0.4, 0.7)[voice.detail] if words.large else 0.2
    if detail and rng.random() < chance:
        return noun.the(after=near)
    return noun.the()


def _alike(world: RoomLayout, voice: Voice, thing: PlacedThing) -> list[PlacedThing]:
    """Return the other things of the same name that stand where they stood and are not parts of the same."""
    word, together = voice.noun(thing.kind).word, voice.lexicon.words(thing.kind).together
    return [
        other
        for other in world.things.values()
        if other.object_id != thing.object_id
        and other.still
        and voice.noun(other.kind).word == word
        and not (together and math.dist(_floor(other), _floor(thing)) <= _TOGETHER)
    ]


def _among(
    world: RoomLayout, thing: PlacedThing, alike: list[PlacedThing], pose: Pose, storeys: bool
) -> tuple[str, str]:
    """Return words before and after the noun that tell a fixture from its like in the same stack or row."""
    column = sorted(
        (other.centre[1] for other in alike if math.dist(_floor(other), _floor(thing)) <= 0.3), reverse=True
    )
    if column:
        rank = sum(height > thing.centre[1] for height in column)
        return _in_stack(rank, len(column) + 1)
    height = thing.centre[1] - world.agent_y
    before = ""
    if storeys and any(abs(other.centre[1] - thing.centre[1]) > 0.6 for other in alike):
        before = "upper" if height >= _UPPER else "lower" if height <= _LOWER else ""
    row = [
        other
        for other in alike
        if abs(other.centre[1] - thing.centre[1]) <= 0.6 and math.dist(_floor(other), _floor(thing)) <= 1.6
    ]
    right, _, forward = seen_from(pose, thing.centre)
    seen = [seen_from(pose, other.centre) for other in row]
    visible = [place for place in seen if place[2] > 0.1 and abs(place[0]) <= 1.2 * place[2] + 0.3]
    if not visible or forward <= 0:
        return before, ""
    rights = [place[0] for place in visible]
    if min(abs(right - other) for other in rights) < 0.2:
        return before, ""
    left = sum(other < right for other in rights)
    row_before, row_after = in_row(left, len(rights) + 1)
    return " ".join(part for part in (row_before, before) if part), row_after


def _floor(thing: PlacedThing) -> tuple[float, float]:
    return thing.centre[0], thing.centre[2]


def _in_stack(rank: int, count: int) -> tuple[str, str]:
    """Return the words for the ``rank``-th of ``count`` things from the top."""
    if rank == 0:
        return "top", ""
    if rank == count - 1:
        return "bottom", ""
    if count == 3:
        return "middle", ""
    return ordinal(rank + 1), "from the top"


def in_row(rank: int, count: int) -> tuple[str, str]:
    """Return the words before and after the noun for the ``rank``-th of ``count`` things from the left."""
    if rank == 0:
        return "", "on the left" if count == 2 else "on the far left"
    if rank == count - 1:
        return "", "on the right" if count == 2 else "on the far right"
    if count == 3:
        return "", "in the middle"
    if rank < count / 2:
        return ordinal(rank + 1), "from the left"
    return ordinal(count - rank), "from the right"


def item(world: RoomLayout, voice: Voice, thing: PlacedThing, pose: Pose) -> tuple[tuple[str, str], bool]:
    """Return the words before and after an item's noun that say where it is, and whether they are needed."""
    nothing = ("", "")
    if not thing.still:
        return nothing, False
    word = voice.noun(thing.kind).word
    siblings = [other for other in world.inside(thing.parent) if other.object_id != thing.object_id and other.still]
    names = [voice.noun(other.kind).word for other in siblings]
    here = seen_from(pose, thing.centre)
    alike = [seen_from(pose, other.centre) for other, name in zip(siblings, names, strict=True) if name == word]
    if alike:
        near = [place for place in alike if math.dist((place[0], place[2]), (here[0], here[2])) <= 1.2]
        return _which(here, near), bool(near)
    anchors = [
        (math.dist(_floor(other), _floor(thing)), index)
        for index, other in enumerate(siblings)
        if names.count(names[index]) == 1
    ]
    gap, nearest = min(anchors, default=(math.inf, 0))
    if not 0.03 <= gap <= 0.5:
        return nothing, False
    name = voice.noun(siblings[nearest].kind).the()
    right, _, forward = seen_from(pose, siblings[nearest].centre)
    aside, beyond = here[0] - right, here[2] - forward
    if abs(aside) >= 0.1 and abs(aside) >= abs(beyond):
        return ("", f"to the {'right' if aside > 0 else 'left'} of {name}"), False
    if abs(beyond) >= 0.12:
        return ("", f"{'behind' if beyond > 0 else 'in front of'} {name}"), False
    return ("", f"next to {name}"), False


def _which(here: Vector, others: list[Vector]) -> tuple[str, str]:
    """Return the words that tell one item from others of its name nearby; nothing if positions do not."""
    if not others:
        return "", ""
    rights = [other[0] for other in others]
    if min(abs(here[0] - right) for right in rights) >= 0.08:
        return in_row(sum(right < here[0] for right in rights), len(rights) + 1)
    depths = [other[2] for other in others]
    if here[2] < min(depths) - 0.08:
        return "", "closest to you"
    if here[2] > max(depths) + 0.08:
        return "", "in the back"
    return "", ""
