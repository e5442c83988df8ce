"""Scatters a room's items anew, as ALFRED's InitialRandomSpawn does, from a random generator."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from chorewright.errors import ChorewrightError, ExitCode
from chorewright.files.processes import Timed
from chorewright.jit.kernels import njit
from chorewright.problems.household.bans import NO_BAN, Ban, Bans
from chorewright.problems.household.containment import is_receptacle, with_carriers
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.places import Places, Receptacle, item_levels, receptacles, resting_place
from chorewright.problems.household.scene import Attributes, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.sight import reaches, stand_pose

TRIES = 12
"""Receptacles that are tried for one thing."""
PLACES = 6
"""Places that are tried on one receptacle."""
GAP = 0.01
"""Metres between things."""
FREE_PLACE = 0.04
"""Square metres of a place that is kept free on a receptacle."""
START_HORIZON = 30

# How likely a receptacle is chosen, so that things start where they do in ALFRED (figures: docs/rooms.md).
GROWTH = 0.6
"""Power of a surface's area."""
SINGLE = 0.7
"""Weight of a receptacle for one thing."""
BEHIND_DOOR = 0.3
"""Weight of a closed container of one cubic metre."""


class NoRoom(ChorewrightError):
    """The room has no place for what a spawn asks for; another random seed may succeed."""

    exit_code = ExitCode.NEGATIVE


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """What a spawn must provide.

    Attributes:
        counts: How many copies (least, most) of a kind there shall be.
        others: The same for every other kind of item that the room has.
        banned: For a kind, the kinds of receptacles in which none of its copies may start: neither in or on one,
            nor in what is around one and goes by its name (a sink), nor between burners.
        amid: The same of kinds in which its copies may start, but not in or on anything else within the box of one.
        free: How many places of a kind of receptacle are left free.
        off: Kinds that start switched off (lamps).
        dirty_and_empty: Whether all that can be dirty is, and all that can be filled is not.
        only: For a kind, the kinds of receptacles in which alone its copies may start, whether it fits them or not.
        states: For a kind, the states that its things start in, or do not: is-on, is-open, dirty, filled, coffee.
        kept: Ids of items that stay where they are, with all that they lie in or on; they count among their kind.
        doors: Whether things may start behind a door that is within what is banned, if what it shuts is not.
        within: The same without a door, as on the shelf of a desk.
    """

    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    others: tuple[int, int] = (1, 3)
    banned: Mapping[str, Collection[str]] = field(default_factory=dict)
    amid: Mapping[str, Collection[str]] = field(default_factory=dict)
    free: Mapping[str, int] = field(default_factory=dict)
    off: Collection[str] = ()
    dirty_and_empty: bool = False
    only: Mapping[str, Collection[str]] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    kept: Collection[str] = ()
    doors: bool = False
    within: bool = False


DEFAULT = SpawnRequest()


@Timed("spawn")
def spawn(scene: Scene, rng: np.random.Generator, request: SpawnRequest = DEFAULT) -> Scene:
    """Return the scene with its items copied and scattered over its furniture, and the agent at a random point.

    Each copy lies in or on a receptacle that its kind fits, overlaps nothing there, and can be seen and reached
    from a standing point. Where it is tells what it lies in (``places.resting_place``), as benchmarks store
    only positions. Its id is made of its new position. Kinds of ``request.counts`` are placed first.

    Raises:
        NoRoom: The room has no such item, or too few copies of a requested kind could be placed.
    """
    room = _Room(scene, request)
    kept = with_carriers(scene.objects, request.kept)
    room.items += kept
    room.note_all(kept)
    originals: dict[str, list[SceneObject]] = {}
    for thing in scene.objects:
        if thing.traits.item:
            originals.setdefault(thing.kind, []).append(thing)
    for kind, (least, _) in request.counts.items():
        if kind not in originals and least > 0:
            raise NoRoom(f"there is no {kind} in {scene.name}")
    order = [kind for kind in originals if kind in request.counts]
    order += [kind for kind in originals if kind not in request.counts]
    for kind in order:
        low, high = request.counts.get(kind, request.others)
        count = int(rng.integers(low, high + 1))
        placed = sum(thing.kind == kind for thing in kept)
        models = [thing for thing in originals[kind] if thing not in kept] or originals[kind]
        for number in range(count - placed):
            placed += room.place(models[number % len(models)], rng)
        if placed < low and kind in request.counts:
            raise NoRoom(f"only {placed} of {low} {kind} could be placed in {scene.name}")
        if placed == 0 and low > 0:
            room.keep(originals[kind][0])
    objects = tuple(_set_up(thing, request) for thing in (*room.fixtures, *room.items))
    agent = Pose(*scene.grid[int(rng.integers(len(scene.grid)))], int(rng.integers(4)), START_HORIZON)
    return replace(scene, objects=objects, agent=agent, dirty_and_empty=request.dirty_and_empty, holding=None)


def place_among(scene: Scene, original: SceneObject, rng: np.random.Generator) -> SceneObject | None:
    """Return a copy of an item that lies somewhere in a scene beside what is there; None if there is no place."""
    room = _Room(scene, DEFAULT)
    room.note_all(thing for thing in scene.objects if thing.traits.item)
    return room.items[-1] if room.place(original, rng) else None


def place_elsewhere(
    room: Scene, scene: Scene, item: SceneObject, rng: np.random.Generator, request: SpawnRequest = DEFAULT
) -> tuple[Scene, SceneObject] | None:
    """Return a scene with one of its items somewhere else, and that item; None if there is no place.

    Args:
        room: The room before it was scattered.
        scene: As it is now; the item holds nothing.
        item: Which item; it loses its id, as ids are made of places.
        rng: Decides where it goes.
        request: What the scene was scattered for.
    """
    found = _Room(room, request)
    found.note_all(thing for thing in scene.objects if thing.traits.item and thing is not item)
    found.ids.add(item.object_id)
    if not found.place(item, rng):
        return None
    moved = _set_up(replace(found.items[-1], attributes=item.attributes), request)
    return replace(scene, objects=tuple(moved if thing is item else thing for thing in scene.objects)), moved


class _Room:
    """The furniture, and what has been placed so far."""

    def __init__(self, scene: Scene, request: SpawnRequest) -> None:
        self.scene, self.request = scene, request
        self.grid = Grid.of(scene)
        self.fixtures = [thing for thing in scene.objects if not thing.traits.item]
        self.items: list[SceneObject] = []
        self.lying: list[SceneObject] = []
        self.carriers = [thing for thing in self.fixtures if is_receptacle(thing)]
        self.levels = item_levels(scene.objects)
        self.ids = {thing.object_id for thing in self.fixtures}
        self.receptacles = receptacles(scene)
        self.boxes: list[list[tuple[float, float, float, float]]] = [[] for _ in self.receptacles]
        self.weights = np.array([_weight(receptacle) for receptacle in self.receptacles])
        self.left = {kind: self._free_at_first(kind) - number for kind, number in request.free.items()}
        banned = {kind: Ban.of(scene, places) for kind, places in request.banned.items()}
        amid = {kind: Ban.of(scene, places) for kind, places in request.amid.items()}
        self.bans = Bans(banned, amid, request.doors, request.within)

    def _free_at_first(self, kind: str) -> int:
        single = "single" in self.scene.kinds[kind].roles
        same = [receptacle for receptacle in self.receptacles if receptacle.thing.kind == kind]
        return sum(1 if single else int(receptacle.area / FREE_PLACE) for receptacle in same)

    def place(self, original: SceneObject, rng: np.random.Generator) -> bool:
        """Place a copy of an item somewhere; return whether that was possible."""
        kind = original.traits
        banned = self.bans.banned.get(original.kind, NO_BAN).kinds
        allowed = self.request.only.get(original.kind, kind.fits)
        chances = self.weights.copy()
        for number, receptacle in enumerate(self.receptacles):
            other = receptacle.thing.kind
            full = "single" in receptacle.thing.traits.roles and self.boxes[number]
            kept = other in self.left and self.left[other] <= 0 and original.kind not in self.request.only
            if other not in allowed or other in banned or full or kept:
                chances[number] = 0.0
        for _ in range(TRIES):
            total = chances.sum()
            if total <= 0.0:
                return False
            number = int(np.searchsorted(np.cumsum(chances), rng.random() * total, side="right"))
            thing = self._try(original, number, rng)
            if thing is not None:
                self._add(thing, number)
                return True
            chances[number] = 0.0
        return False

    def _add(self, thing: SceneObject, number: int) -> None:
        self.items.append(thing)
        self.note(thing, (number,))

    def note_all(self, things: Iterable[SceneObject]) -> None:
        """Note items that are there."""
        numbers = {receptacle.thing.object_id: number for number, receptacle in enumerate(self.receptacles)}
        for thing in things:
            self.note(thing, [numbers[parent] for parent in thing.parents if parent in numbers])

    def note(self, thing: SceneObject, numbers: Sequence[int]) -> None:
        """Note an item that is there, and the receptacles that it lies in by their numbers."""
        self.ids.add(thing.object_id)
        self.lying.append(thing)
        if is_receptacle(thing):
            self.carriers.append(thing)
        for number in numbers:
            self.boxes[number].append(thing.footprint)
            kind = self.receptacles[number].thing.kind
            if kind in self.left:
                self.left[kind] -= self._count_taken(thing, kind)

    def _count_taken(self, thing: SceneObject, receptacle: str) -> int:
        """Return how many of the places that are kept free on a kind of receptacle an item takes."""
        if "single" in self.scene.kinds[receptacle].roles:
            return 1
        return math.ceil(thing.size[0] * thing.size[2] / FREE_PLACE)

    def keep(self, original: SceneObject) -> None:
        """Keep an item that could not be placed where it is, unless it is in the way or banned there."""
        for number, receptacle in enumerate(self.receptacles):
            if receptacle.thing.object_id not in original.parents:
                continue
            fixture = receptacle.thing
            full = "single" in fixture.traits.roles and self.boxes[number]
            taken = full or _overlaps(original.footprint, self.boxes[number]) or self.bans.bar(original, fixture)
            told = not taken and self._tells(original, fixture.object_id)
            if told and original.object_id not in self.ids and self._reached(original):
                self._add(original, number)
            return

    def _try(self, original: SceneObject, number: int, rng: np.random.Generator) -> SceneObject | None:
        receptacle = self.receptacles[number]
        turns = int(rng.integers(4))
        turned = (turn_thing(original, turns + more) for more in (0, 1))
        template = next((each for each in turned if receptacle.holds(each.size)), None)
        if template is None:
            return None
        free = self._free(receptacle, number, template)
        if not len(free):
            return None
        for _ in range(PLACES):
            x, z = free[int(rng.integers(len(free)))]
            thing = _move(template, float(x), float(z), receptacle)
            told = thing.object_id not in self.ids and self._tells(thing, receptacle.thing.object_id)
            if told and not self.bans.bar(thing, receptacle.thing) and self._is_reached_in(thing, receptacle):
                return thing
        return None

    def _tells(self, thing: SceneObject, parent: str) -> bool:
        """Return whether a thing's place tells that it lies in a receptacle, and leaves that of others as told."""
        found = resting_place(thing, self.carriers, self.levels)
        if found is None or found.object_id != parent:
            return False
        if not is_receptacle(thing):
            return True
        near = [other for other in self.lying if _overlaps(thing.footprint, [other.footprint])]
        return all(resting_place(other, [*self.carriers, thing], self.levels) is not thing for other in near)

    def _free(self, receptacle: Receptacle, number: int, thing: SceneObject) -> Places:
        """Return the places where a thing overlaps nothing and hangs over no edge."""
        places = receptacle.places
        if receptacle.hanging or "single" in receptacle.thing.traits.roles:
            return places
        half = (thing.size[0] / 2, thing.size[2] / 2)
        low_x, high_x, low_z, high_z = receptacle.thing.footprint
        inside = np.array((low_x + half[0], high_x - half[0], low_z + half[1], high_z - half[1]))
        taken = np.array(self.boxes[number], np.float64).reshape(-1, 4)
        boxes = np.concatenate((receptacle.obstacles, taken)) + np.array((-half[0], half[0], -half[1], half[1]))
        clear: npt.NDArray[np.bool_] = _clear(places, inside, boxes + np.array((-GAP, GAP, -GAP, GAP)))
        return places[clear]

    def _is_reached_in(self, thing: SceneObject, receptacle: Receptacle) -> bool:
        if receptacle.thing.traits.closable:
            return reaches(receptacle.pose, self.scene.agent_y, thing.centre, thing.size)
        return self._reached(thing)

    def _reached(self, thing: SceneObject) -> bool:
        return stand_pose(self.scene, self.grid, thing) is not None


@njit()
def _clear(places: Places, inside: npt.NDArray[np.float64], boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which places are within a box, its edge included, and within none of some others, without their edges.

    Args:
        places: Points (x, z), one a row.
        inside: Low x, high x, low z, high z.
        boxes: The same of others, one a row.
    """
    good = np.zeros(len(places), np.bool_)
    for number in range(len(places)):
        x, z = places[number, 0], places[number, 1]
        free = inside[0] <= x <= inside[1] and inside[2] <= z <= inside[3]
        box = 0
        while free and box < len(boxes):
            free = x <= boxes[box, 0] or x >= boxes[box, 1] or z <= boxes[box, 2] or z >= boxes[box, 3]
            box += 1
        good[number] = free
    return good


def _weight(receptacle: Receptacle) -> float:
    """Return how likely a receptacle is chosen; large ones offer more places."""
    if receptacle.hanging or "single" in receptacle.thing.traits.roles:
        return SINGLE
    width, height, depth = receptacle.thing.size
    if receptacle.thing.traits.closable:
        return BEHIND_DOOR * math.sqrt(width * height * depth)
    return math.pow(receptacle.area, GROWTH)


def _overlaps(box: tuple[float, float, float, float], boxes: list[tuple[float, float, float, float]]) -> bool:
    return any(box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3] for other in boxes)


def turn_thing(thing: SceneObject, turns: int) -> SceneObject:
    """Return a thing turned clockwise by quarter turns about its pivot, the pivot at the origin."""
    x, y, z = (thing.centre[axis] - thing.position[axis] for axis in range(3))
    width, height, depth = thing.size
    for _ in range(turns % 4):
        x, z = z, -x
        width, depth = depth, width
    pitch, yaw, roll = thing.rotation
    return replace(
        thing,
        position=(0.0, 0.0, 0.0),
        rotation=(pitch, (yaw + 90 * turns) % 360, roll),
        centre=(x, y, z),
        size=(width, height, depth),
    )


def _move(template: SceneObject, x: float, z: float, receptacle: Receptacle) -> SceneObject:
    """Return a copy of a thing with the middle of its box at (x, z), lying on the receptacle's level."""
    y = receptacle.level + (0.0 if receptacle.hanging else template.size[1] / 2)
    dx, dy, dz = template.centre
    position = (_millimetres(x - dx), _millimetres(y - dy), _millimetres(z - dz))
    return replace(
        template,
        object_id=object_id(template.kind, position),
        position=position,
        centre=(position[0] + dx, position[1] + dy, position[2] + dz),
        parents=(receptacle.thing.object_id,),
        attributes=replace(template.attributes, temperature="RoomTemp"),
    )


def _millimetres(value: float) -> float:
    return round(value, 3) + 0.0


def object_id(kind: str, position: Vector) -> str:
    """Return AI2-THOR's id of an object of a kind that starts at a position."""
    return "|".join((kind, *(f"{value:+06.2f}" for value in position)))


def _set_up(thing: SceneObject, request: SpawnRequest) -> SceneObject:
    """Return a thing in the state that the request asks for."""
    kind, state = thing.traits, thing.attributes
    if thing.kind in request.off and state.is_toggled:
        state = replace(state, is_toggled=False)
    if request.dirty_and_empty:
        if "dirtyable" in kind.affordances:
            state = replace(state, is_dirty=True)
        if "fillable" in kind.affordances:
            state = replace(state, liquid=None, watered=False, brewed=False)
    for name, wanted in request.states.get(thing.kind, {}).items():
        state = _in_state(state, name, wanted, kind.affordances)
    return thing if state is thing.attributes else replace(thing, attributes=state)


def _in_state(state: Attributes, name: str, wanted: bool, affordances: Collection[str]) -> Attributes:
    """Return attributes with a state of the domain made true or false, if such a thing can be in it."""
    if name == "is-on" and "toggleable" in affordances:
        return replace(state, is_toggled=wanted)
    if name == "is-open" and "openable" in affordances:
        return replace(state, is_open=wanted)
    if name == "dirty" and "dirtyable" in affordances:
        return replace(state, is_dirty=wanted)
    if name in ("filled", "coffee") and "fillable" in affordances:
        liquid = "coffee" if name == "coffee" else "water"
        if not wanted:
            return replace(state, liquid=None, watered=False, brewed=False)
        return replace(state, liquid=liquid, watered=name == "filled", brewed=name == "coffee")
    return state
