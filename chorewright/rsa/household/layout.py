"""The layout of rooms while a plan goes on, and the plan's legs, as words need both.

The world is tracked symbolically along a plan: positions are those of the scene at the start; of a moved thing only
the receptacle is known. A leg goes somewhere, picks up, puts, slices, cleans, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.problems.household.kinds import Kinds, Traits
from chorewright.problems.household.scene import GRID, STEPS, Box, Pose, Scene, Vector

_ANYWHERE = Pose(0, 0, 0, 30)


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

    @property
    def box(self) -> Box:
        """The space that it takes."""
        return Box.around(self.centre, self.size)


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


@dataclass(frozen=True, slots=True)
class Leg:
    """A segment of a plan, with what its words need.

    Attributes:
        action: ALFRED's name of the subgoal: GotoLocation, PickupObject, PutObject, SliceObject, CleanObject,
            HeatObject, CoolObject, ToggleObject, NoOp; or OpenObject, CloseObject, PourObject.
        object_id: what is picked up, put, sliced, cleaned, heated, cooled, toggled, opened or poured out; the
            item itself, never the appliance. Empty for GotoLocation.
        receptacle_id: the direct receptacle it is taken from or put into; the basin, microwave or fridge of a
            macro; what is poured into. Empty if there is none.
        pose: where the agent stands when the segment starts.
        actions: names of its low-level actions, with or without ``_25``, ``_90``, ``_15``.
    """

    action: str
    object_id: str = ""
    receptacle_id: str = ""
    pose: Pose = _ANYWHERE
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LegMoment:
    """The world before a leg, and the things handled until then."""

    world: RoomLayout
    seen: frozenset[tuple[str, Pose]]
    handled: tuple[str, ...]


# A walked path as people see it: a few straight runs between turns.
#
# A path of low-level actions is cut into straight runs. As people do, small side steps are forgotten until the
# remaining runs fit into one sentence.


TURNS = ("", "right", "around", "left")
"""The word for a change of rotation of 0, 90, 180 and 270 degrees clockwise."""


@dataclass(frozen=True, slots=True)
class Run:
    """Steps in one direction, ending at ``end`` (x, z in units of the grid)."""

    rotation: int
    steps: int
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Route:
    """A path as straight runs between two poses."""

    start: Pose
    end: Pose
    runs: tuple[Run, ...]

    @property
    def steps(self) -> int:
        """The number of steps in all runs."""
        return sum(run.steps for run in self.runs)


def trace(start: Pose, actions: Sequence[str]) -> Route:
    """Follow low-level actions (``MoveAhead`` or ``MoveAhead_25``; others change nothing) from a pose."""
    x, z, rotation, horizon = start.x, start.z, start.rotation, start.horizon
    runs: list[Run] = []
    for name in actions:
        action = name.partition("_")[0]
        if action == "MoveAhead":
            x, z = x + STEPS[rotation][0], z + STEPS[rotation][1]
            if runs and runs[-1].rotation == rotation:
                runs[-1] = Run(rotation, runs[-1].steps + 1, (x, z))
            else:
                runs.append(Run(rotation, 1, (x, z)))
        elif action in ("RotateLeft", "RotateRight"):
            rotation = (rotation + (1 if action == "RotateRight" else 3)) % 4
        elif action in ("LookUp", "LookDown"):
            horizon += 15 if action == "LookDown" else -15
    return Route(start, Pose(x, z, rotation, horizon), tuple(runs))


def simplify(route: Route, most: int, exact: bool = False) -> Route:
    """Drop the shortest runs and merge runs in the same direction, until at most ``most`` (>= 1) are left.

    Side steps of up to half a metre on a longer way are forgotten in any case, unless ``exact``.
    """
    runs = list(route.runs)
    small = 0 if exact else 2 if route.steps >= 6 else 1 if route.steps >= 3 else 0
    while len(runs) > 1:
        shortest = min(range(len(runs)), key=lambda index: (runs[index].steps, index))
        if runs[shortest].steps > small and len(runs) <= most:
            break
        del runs[shortest]
        merged: list[Run] = []
        for run in runs:
            if merged and merged[-1].rotation == run.rotation:
                merged[-1] = Run(run.rotation, merged[-1].steps + run.steps, run.end)
            else:
                merged.append(run)
        runs = merged
    return Route(route.start, route.end, tuple(runs))


def turn(before: int, after: int) -> str:
    """Return the word for turning from one rotation to another; empty if they are the same."""
    return TURNS[(after - before) % 4]
