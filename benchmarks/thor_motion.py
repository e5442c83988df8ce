"""Random motions in rooms and houses, and what goes through what in them: nothing should.

    python -m benchmarks.thor_motion [--motions 3000] [--seed 0] [--save] [--json FILE]

The agent stands somewhere, takes things, drops, throws, pushes, pulls, places and turns them, walks and turns with
them, with forces from 3 to 1,000 and often out of reach. The way of whatever has moved is walked in steps of a
centimetre: no wall or shut door may go through its box, no other thing may overlap it that did not at first, it may not
end in the agent, and its middle stays in the house. What is carried may pass furniture, but no wall. Overlaps of less
than two millimetres are rounding. The walls are the house's own segments; nothing of the rule of motion is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import cos, radians, sin
from random import Random
from typing import TypeAlias

from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target
from chorewright.problems.household.houses.building import Segment, solid_walls
from chorewright.problems.household.houses.scenes import house_scene
from chorewright.problems.household.houses.source import named_house
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, Scene, SceneObject, Vector
from chorewright.problems.household.sight import floor_distance
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Event, SimulatorAction

Box: TypeAlias = tuple[Vector, Vector]
"""A middle and a size."""

HALF_AGENT = 0.2
TOUCHING = 0.002
"""Metres of overlap that come from rounding."""

RESTING = 0.021
"""Metres of overlap where one thing stands on another."""

MOTIONS = 20
"""Actions in one scene."""

PUSHES = ("PushObject", "PullObject", "DirectionalPush")
HANDS = ("MoveHandAhead", "MoveHandBack", "MoveHandLeft", "MoveHandRight", "MoveHandUp", "MoveHandDown")
STEPS = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft", "RotateRight", "LookUp", "LookDown")


def call(world: ThorWorld, action: str, **arguments: Argument) -> Event:
    return world.step(SimulatorAction(action, arguments))


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes, each a middle and a size, overlap by more than rounding, and by more than resting."""
    slack = (TOUCHING, min(RESTING, 0.5 * one[1][1], 0.5 * other[1][1]), TOUCHING)
    return all((one[1][a] + other[1][a]) / 2 - abs(one[0][a] - other[0][a]) > slack[a] for a in range(3))


def crosses(box: Box, wall: Segment) -> bool:
    """Whether a wall goes through a box: the wall is cut off at the sides of the box, one after the other."""
    (x0, z0), (x1, z1) = wall
    first, last = 0.0, 1.0
    for start, end, middle, size in ((x0, x1, box[0][0], box[1][0]), (z0, z1, box[0][2], box[1][2])):
        low, high = middle - size / 2 + TOUCHING, middle + size / 2 - TOUCHING
        if abs(end - start) < 1e-9:
            if not low < start < high:
                return False
            continue
        enter, leave = sorted(((low - start) / (end - start), (high - start) / (end - start)))
        first, last = max(first, enter), min(last, leave)
    return first < last


def way_between(start: Vector, end: Vector) -> Iterator[Vector]:
    """Places on the way of what slides or flies: along the floor plane first, then down."""
    steps = max(1, round(((end[0] - start[0]) ** 2 + (end[2] - start[2]) ** 2) ** 0.5 / 0.01))
    for step in range(steps + 1):
        share = step / steps
        yield start[0] + share * (end[0] - start[0]), start[1], start[2] + share * (end[2] - start[2])
    for step in range(1, 11):
        yield end[0], start[1] + step / 10 * (end[1] - start[1]), end[2]


class Watch:
    """What there is in a world before a motion, and what is wrong after it."""

    def __init__(self, world: ThorWorld) -> None:
        self.room = world.room
        world.scene()
        self.before = dict(world.room.objects)
        self.held = world.room.holding
        self.walls = solid_walls(self.room.building.house) if self.room.building is not None else ()

    def faults(self, action: str) -> list[str]:
        after, found = self.room.objects, []
        moved = [name for name, body in after.items() if body.centre != self.before[name].centre]
        roots = [name for name in moved if not set(self.before[name].parents) & set(moved)]
        for name in roots:
            family = {name, *self.room.within(name), *self.room.around(name), *self.before[name].parents}
            family |= {hull for inner in after[name].parents for hull in self.before if self._encloses(hull, inner)}
            found += [f"{action}: {name} {fault}" for fault in self._faults(action, name, family)]
        return found

    def _encloses(self, hull: str, part: str) -> bool:
        outer, inner = self.before[hull], self.before[part]
        return not outer.traits.item and all(
            abs(outer.centre[a] - inner.centre[a]) < outer.size[a] / 2 for a in range(3)
        )

    def _faults(self, action: str, name: str, family: set[str]) -> Iterator[str]:
        body, old = self.room.objects[name], self.before[name]
        house = self.room.building.house if self.room.building is not None else None
        if house is not None and house.room_at(body.centre[0], body.centre[2]) is None:
            yield "left the house"
        agent = ((self.room.x * GRID, body.centre[1], self.room.z * GRID), (2 * HALF_AGENT, 1.8, 2 * HALF_AGENT))
        was_in_agent = name != self.held and overlap((old.centre, old.size), agent)
        if name != self.room.holding and not was_in_agent and overlap((body.centre, body.size), agent):
            yield "overlaps the agent"
        faults = [self._fault_on_way(way, body, old.size, family) for way in self._ways(action, name)]
        if all(faults):
            yield faults[0]

    def _ways(self, action: str, name: str) -> Iterator[list[Vector]]:
        """The ways that a thing may have taken; what was held, from the agent's middle."""
        old, end = self.before[name].centre, self.room.objects[name].centre
        if action == "PlaceObjectAtPoint":
            yield [end]
        elif name == self.room.holding and action in HANDS:
            yield [old, end]
        elif name == self.room.holding:
            yield [*way_between((self.room.place()[0], end[1], self.room.place()[2]), end)]
        elif name == self.held:
            middle = (self.room.place()[0], old[1], self.room.place()[2])
            yield [*way_between(middle, old), *way_between(old, end)]
            yield [*way_between(middle, end)]
        else:
            yield [*way_between(old, end)]

    def _fault_on_way(self, way: Sequence[Vector], body: SceneObject, size: Vector, family: set[str]) -> str:
        carried = body.object_id == self.room.holding
        others = (
            {}
            if carried and len(way) > 2
            else {
                other: (each.centre, each.size)
                for other, each in self.before.items()
                if other not in family
                and not each.is_consumed
                and other != self.held
                and not (
                    each.traits.item is False and each.centre[1] + each.size[1] / 2 < self.room.origin.agent_y - 0.84
                )
            }
        )
        start = way[0] if len(way) > 1 else self.before[body.object_id].centre
        around = {other for other, box in others.items() if overlap((start, size), box)}
        behind = {wall for wall in self.walls if crosses((start, size), wall)}
        for place in way:
            box = (place, body.size)
            for wall in self.walls:
                if wall not in behind and crosses(box, wall):
                    return f"is in a wall {wall}"
            for other in others:
                if other not in around and overlap(box, others[other]):
                    return f"is in {other}"
        return ""


def scene_of(random: Random) -> Scene:
    if random.random() < 0.5:
        name = f"house:{random.randrange(12)}"
        return house_scene(named_house(name), name)
    return load_room(random.choice(room_names()))


def place(world: ThorWorld, random: Random) -> None:
    x, z = random.choice(world.room.origin.grid)
    turn, tilt = 90.0 * random.randrange(4) + random.choice((0, 0, 30, 45)), random.choice((-30.0, 0.0, 30.0, 60.0))
    call(world, "Teleport", x=x * GRID, z=z * GRID, rotation=turn, horizon=tilt, standing=random.random() < 0.8)


def near(world: ThorWorld, random: Random) -> SceneObject:
    """A thing that can be moved, mostly one that is near."""
    things = [
        body
        for body in world.room.objects.values()
        if (body.traits.item or "moveable" in body.traits.affordances) and not body.is_consumed
    ]
    x, _, z = world.room.place()
    things.sort(key=lambda body: abs(body.centre[0] - x) + abs(body.centre[2] - z))
    return things[min(int(random.expovariate(0.3)), len(things) - 1)]


def motion(world: ThorWorld, random: Random) -> tuple[str, Mapping[str, Argument]]:
    """An action that moves something; what it moves may be out of reach."""
    force = {"moveMagnitude": random.choice((3.0, 15.0, 60.0, 150.0, 1000.0))}
    if world.room.holding is not None:
        choice = random.randrange(6)
        if choice == 0:
            return "DropHandObject", {"forceAction": True}
        if choice == 1:
            return "ThrowObject", force
        if choice == 2:
            return random.choice(HANDS), {"moveMagnitude": random.choice((0.05, 0.2, 0.5))}
        if choice == 3:
            return "RotateHeldObject", {"yaw": random.choice((30.0, 90.0))}
        return random.choice(STEPS), {}
    body = near(world, random)
    if random.random() < 0.5:
        turned = {"pushAngle": random.uniform(0, 360)}
        return random.choice(PUSHES), {"objectId": body.object_id, "forceAction": True, **force, **turned}
    if random.random() < 0.2 and body.traits.item:
        x, _, z = world.room.place()
        turn = random.uniform(0, 360)
        where = {
            "x": x + 0.6 * sin(radians(turn)),
            "y": random.choice((0.0, 0.5, 0.9)),
            "z": z + 0.6 * cos(radians(turn)),
        }
        return "PlaceObjectAtPoint", {"objectId": body.object_id, "position": where}
    return "PickupObject", {"objectId": body.object_id, "forceAction": True}


def stands_clear(world: ThorWorld, name: str) -> bool:
    """Whether the agent stands clear of a thing."""
    (x, _, z), body = world.room.place(), world.room.objects[name]
    return floor_distance(x, z, body.centre, body.size) > HALF_AGENT - TOUCHING


def play(seed: int, motions: int) -> tuple[list[str], int]:
    """Play motions in one scene; return what was wrong, and how many things moved."""
    random = Random(seed)
    world = ThorWorld()
    world.reset(scene_of(random))
    faults, moved, furniture = [], 0, set()
    for _ in range(motions):
        if random.random() < 0.3:
            place(world, random)
        watch = Watch(world)
        action, arguments = motion(world, random)
        event = call(world, action, **arguments)
        world.scene()
        if not event.success:
            assert event.error_message
            assert {n: b.centre for n, b in world.room.objects.items()} == {
                n: b.centre for n, b in watch.before.items()
            }
        elif action != "PickupObject":
            moved += any(world.room.objects[name].centre != body.centre for name, body in watch.before.items())
            found = watch.faults(action)
            furniture |= {n for n, b in watch.before.items() if b != world.room.objects[n] and not b.traits.item}
            found += [f"{name} is walked through" for name in furniture if not stands_clear(world, name)]
            faults += [f"seed {seed} {world.room.origin.name}: {each} {arguments}" for each in found]
    return faults, moved


def main() -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--motions", type=int, default=3000, help="motions that move something, at least")
    parser.add_argument("--seed", type=int, default=0, help="the first scene's seed; the others follow")
    arguments = parser.parse_args()
    faults: list[str] = []
    seed, moved = arguments.seed, 0
    while moved < arguments.motions:
        more, some = play(seed, MOTIONS)
        faults += more
        moved, seed = moved + some, seed + 1
    console = Console()
    for fault in faults:
        console.print(fault)
    console.print(f"{len(faults)} of {moved} motions in {seed - arguments.seed} rooms and houses are at fault")
    keep(arguments, report(len(faults), moved))


def report(faults: int, moved: int) -> Report:
    """Return the figure of the motions."""
    return Report(
        name="thor_motion",
        group="Rooms and pictures",
        title="What moves in rooms and houses",
        explanation="Random throws, drops, pushes, pulls, placements, turns and walks with a thing in the hand.",
        figures=(
            Figure("faults", "motions through walls, things or the agent, or out of the house", faults, of=moved,
                   target=Target("at most", 0)),
        ),
        tables=(),
    )  # fmt: skip


if __name__ == "__main__":
    main()
