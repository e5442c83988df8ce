"""Looks at the 120 rooms for what no pose shows, and stores it.

Run as ``python -m benchmarks.shipped.unseen``; it draws pictures for some minutes. The same rooms give the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import replace

from benchmarks.command import ROOT
from chorewright.generator.household.outlook import Sight, Unseen, seen_from
from chorewright.generator.household.spawning import elsewhere
from chorewright.problems.household.containment import is_receptacle, matters
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.problems.household.sight import stand_pose
from chorewright.problems.household.spawn import turn_thing
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction


def unseen_in(scene: Scene, renderer: Renderer) -> Unseen:
    """Look for what no pose of a room shows, with nothing else lying about."""
    fixtures = tuple(thing for thing in scene.objects if not thing.traits.item)
    bare = replace(scene, objects=fixtures)
    seen = {thing.kind: False for thing in fixtures if matters(thing)}
    for thing in fixtures:
        if not seen.get(thing.kind, True):
            seen[thing.kind] = seen_from(bare, thing, renderer) is not None
    # What is put into a sink goes into its basin, an object of its own (Sink|..|SinkBasin).
    hulls = {thing.object_id.rpartition("|")[0] for thing in fixtures}
    holders = [thing for thing in fixtures if is_receptacle(thing) and thing.object_id not in hulls]
    items: dict[str, tuple[str, ...]] = {}
    for predicate, role in elsewhere().items():
        around = [thing for thing in holders if role in thing.traits.roles]
        hidden = []
        for item in {thing.kind: thing for thing in scene.objects if thing.traits.item}.values():
            turns = (item, turn_thing(item, 1))
            fitting = [thing for thing in around if thing.kind in item.traits.fits]
            found = [_shows(bare, thing, turn, renderer) for thing in fitting for turn in turns]
            if False in found and True not in found:
                hidden.append(item.kind)
        if hidden:
            items[predicate] = tuple(sorted(hidden))
    return Unseen(tuple(kind for kind, shown in seen.items() if not shown), items)


def _shows(bare: Scene, around: SceneObject, item: SceneObject, renderer: Renderer) -> bool | None:
    """Return whether an item that was put into an open fixture is seen from somewhere; None if it cannot be put."""
    pose = stand_pose(bare, Grid.of(bare), around)
    if pose is None:
        return None
    opened = replace(around, attributes=replace(around.attributes, is_open=around.traits.closable))
    things = tuple(opened if thing is around else thing for thing in bare.objects)
    held = replace(item, parents=())
    world = ThorWorld()
    world.reset(replace(bare, objects=(*things, held), agent=Grid.of(bare).tilted(pose), holding=held.object_id))
    told = {"objectId": held.object_id, "receptacleObjectId": around.object_id}
    if not world.step(SimulatorAction("PutObject", told)).success:
        return None
    sight = Sight(world, renderer)
    sight.before(LowAction("PickupObject", 0, SimulatorAction("PickupObject", {"objectId": held.object_id})))
    return not sight.hidden or (sight.better is not None and sight.better[1] is not None)


def main() -> None:
    """Look at all rooms, and store what is not seen."""
    renderer = Renderer()
    lines = []
    for name in room_names():
        found = unseen_in(load_room(name), renderer)
        if found.fixtures or found.items:
            lines.append(f"  {json.dumps(name)}: {json.dumps({'fixtures': found.fixtures, 'items': found.items})}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (ROOT / "chorewright" / "generator" / "household" / "data" / "unseen.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
