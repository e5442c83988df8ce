"""Real ALFRED demonstrations as scenes and legs, to compare our words with people's on the same plans."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from chorewright.problems.thor.kinds import shipped_kinds
from chorewright.problems.thor.rooms import load_room
from chorewright.problems.thor.scene import Pose, Scene, SceneObject
from chorewright.rsa.directives import Leg
from tests.reference import sample

_ITEM_SIZE = (0.1, 0.1, 0.1)


@dataclass(frozen=True)
class Demonstration:
    """A demonstration: its scene at the start, its legs, and what people said."""

    path: str
    scene: Scene
    legs: tuple[Leg, ...]
    annotations: tuple[tuple[str, tuple[str, ...]], ...]


def demonstrations(step: int = 1, count: int | None = None, start: int = 0) -> Iterator[Demonstration]:
    """Yield every ``step``-th training demonstration of the sample."""
    with gzip.open(sample("alfred/demos-train.jsonl.gz"), "rt") as lines:
        for line in islice(lines, start, None if count is None else start + count * step, step):
            yield _demonstration(json.loads(line))


def _scene(row: dict) -> Scene:
    room = load_room(f"FloorPlan{row['scene_num']}")
    fixtures = [thing for thing in room.objects if not thing.traits.item]
    items = []
    for name, x, y, z, *_ in row["object_poses"]:
        kind = name.rpartition("_")[0]
        centre = (x, y, z)
        parents = [
            (abs(y - (thing.centre[1] + thing.size[1] / 2)), thing.object_id)
            for thing in fixtures
            if thing.traits.receptacle and thing.kind != "Floor" and _over(centre, thing)
        ]
        parent = (min(parents)[1],) if parents else ()
        ident = "|".join((kind, *(f"{value:+06.2f}" for value in centre)))
        items.append(
            SceneObject(ident, kind, centre, (0, 0, 0), centre, _ITEM_SIZE, parent, traits=shipped_kinds()[kind])
        )
    x, y, z, rotation, horizon = row["init"]
    agent = Pose(round(x * 4), round(z * 4), round(rotation / 90) % 4, round(horizon))
    return replace(room, objects=(*fixtures, *items), agent_y=y, agent=agent)


def _over(point: tuple[float, float, float], thing: SceneObject) -> bool:
    sides = all(abs(point[a] - thing.centre[a]) <= thing.size[a] / 2 + 0.02 for a in (0, 2))
    return sides and point[1] >= thing.centre[1] - thing.size[1] / 2


def _match(scene: Scene, ident: str, at: list | None) -> str:
    """The scene's id of what the demonstration calls ``ident``: same id, else the nearest of its kind."""
    known = {thing.object_id for thing in scene.objects}
    parts = ident.split("|")
    if ident in known or len(parts) < 4:
        return ident
    kind = at[0] if at else parts[0]
    point = tuple(at[1:]) if at else tuple(float(part) for part in parts[1:4])
    tail = "" if len(parts) < 5 or kind == "SinkBasin" or kind == "BathtubBasin" else "|" + parts[4]
    near = [(math.dist(thing.centre, point), thing.object_id) for thing in scene.objects if thing.kind == kind]
    return (min(near)[1] if near and min(near)[0] < 1.0 else "|".join(parts[:4])) + tail


def _demonstration(row: dict) -> Demonstration:
    scene = _scene(row)
    pose = scene.agent
    legs = []
    for index, high in enumerate(row["high"]):
        actions = tuple(low[0] for low in row["low"] if low[1] == index)
        name = high["a"]
        macro = name in ("CleanObject", "HeatObject", "CoolObject")
        thing = next((low[2] for low in row["low"] if low[1] == index and low[0] == "PutObject"), "")
        thing = _match(scene, (thing if macro else high.get("o", "")), None)
        where = high["o"] if macro else high.get("r") or ""
        at = high.get("rc")
        if not where and at and name == "PickupObject":
            where = "|".join((at[0], *(f"{value:+06.2f}" for value in at[1:])))
        receptacle = _match(scene, where, at) if where else ""
        if name == "PickupObject" and thing.count("|") == 3:
            scene = replace(
                scene,
                objects=tuple(
                    replace(o, parents=(receptacle,) if receptacle else ()) if o.object_id == thing and pose else o
                    for o in scene.objects
                )
                if not any(leg.object_id == thing for leg in legs)
                else scene.objects,
            )
        legs.append(Leg(name, thing, receptacle, pose, actions))
        if name == "GotoLocation":
            x, z, rotation, horizon = high["loc"]
            pose = Pose(x, z, rotation, horizon)
    said = tuple((goal, tuple(steps)) for goal, steps in row["anns"])
    return Demonstration(row["path"], scene, tuple(legs), said)
