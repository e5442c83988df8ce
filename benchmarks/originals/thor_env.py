"""ALFRED's environment around a build of AI2-THOR 2.1.0, written from its description, on our service.

What it does as ALFRED's own (specification, sections 1.3, 1.4 and 5): a start is restored from ``traj_data``;
interactions name objects by ids or by masks; sets of cleaned, heated and cooled ids; goal conditions counted by
parts of object ids; the index of the subgoal reached, and the dense reward, by the planner's actions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chorewright.replay.household.server.cameras import colour_of
from chorewright.replay.household.server.service import Service

Json = dict[str, Any]
NEAR_ENOUGH = 5
"""Steps from the end of a walk at which its subgoal is reached."""

WITH_DOORS = ("OpenObject", "CloseObject")
ALLOWED: Mapping[str, tuple[str, ...]] = {
    "GotoLocation": ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown", "Teleport", "TeleportFull"),
    "PickupObject": ("PickupObject", *WITH_DOORS),
    "PutObject": ("PutObject", *WITH_DOORS),
    "ToggleObject": ("ToggleObjectOn", "ToggleObjectOff"),
    "SliceObject": ("SliceObject", *WITH_DOORS),
    "CleanObject": ("PutObject", "PickupObject", "ToggleObjectOn", "ToggleObjectOff"),
    "HeatObject": ("PickupObject", "PutObject", "ToggleObjectOn", "ToggleObjectOff", *WITH_DOORS),
    "CoolObject": ("PickupObject", "PutObject", *WITH_DOORS),
}
"""The simulator's actions that count for a subgoal."""


@dataclass
class ThorEnv:
    """The environment, at the start of a trajectory; a blind one has no pictures, so no masks."""

    traj: Json
    blind: bool = False
    service: Service = field(default_factory=lambda: Service(300, 300, version=2))
    cleaned: set[str] = field(default_factory=set)
    heated: set[str] = field(default_factory=set)
    cooled: set[str] = field(default_factory=set)
    subgoal: int = 0
    finished: int = -1
    reward: float = 0.0
    cooled_once: bool = False

    def __post_init__(self) -> None:
        scene = self.traj["scene"]
        settings = {"gridSize": 0.25, "cameraY": 0.75, "visibilityDistance": 1.5}
        settings |= {} if self.blind else {"renderObjectImage": True}
        self.call("Reset", sceneName=scene["floor_plan"])
        self.call("Initialize", **settings)
        self.call("Initialize", **settings)
        if scene["object_toggles"]:
            self.call("SetObjectToggles", objectToggles=scene["object_toggles"])
        if scene["dirty_and_empty"]:
            self.call("SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=True)
            self.call("SetStateOfAllObjects", StateChange="CanBeFilled", forceAction=False)
        self.call("SetObjectPoses", objectPoses=scene["object_poses"])
        self.call(**scene["init_action"])
        points = self.call("GetReachablePositions")["actionReturn"]
        self.points = {(round(p["x"] * 4), round(p["z"] * 4)) for p in points}
        self.call("Pass")

    def call(self, action: str, **arguments: object) -> Json:
        """Run one action of the simulator's; return its metadata."""
        quiet = {"renderImage": False} if self.blind else {}
        self.reply = self.service.answer({"action": action, **arguments, **quiet})
        self.metadata: Json = self.reply.metadata
        return self.metadata

    def step(self, action: str, target: str = "") -> bool:
        """Run one of ALFRED's low-level actions; return whether it was done."""
        before = self.pose()
        name = action.partition("_")[0]
        agent = self.metadata["agent"]
        if name in ("LookUp", "LookDown"):
            horizon = round(agent["cameraHorizon"] + (15 if name == "LookDown" else -15), 3)
            turned = round(agent["rotation"]["y"], 4)
            self.call("TeleportFull", **agent["position"], rotation=turned, horizon=horizon, rotateOnTeleport=True)
        elif name == "MoveAhead":
            self.call(name, moveMagnitude=0.25, forceAction=True)
        elif name.startswith("Rotate"):
            self.call(name, forceAction=True)
        elif name == "PutObject":
            held = self.metadata["inventoryObjects"]
            item = held[0]["objectId"] if held else ""
            whole = {"objectId": item, "receptacleObjectId": target, "forceAction": True, "placeStationary": True}
            self.call(name, **whole)
        elif name == "SliceObject" and not any(
            "Knife" in each["objectType"] for each in self.metadata["inventoryObjects"]
        ):
            return False
        else:
            extra = {"moveMagnitude": 1.0} if name == "OpenObject" else {}
            self.call(name, objectId=target, **extra)
        done = bool(self.metadata["lastActionSuccess"])
        if done:
            self.remember(name, target)
        self.advance(name, before)
        return done

    def masked(self, runs: Sequence[Sequence[int]]) -> str:
        """Return the object that a mask means: of those something can be done to, the one that it overlaps most."""
        mask = np.zeros(300 * 300, bool)
        for start, length in runs:
            mask[start : start + length] = True
        picture = self.reply.pictures["image_ids"][0].reshape(-1, 3).astype(np.int64)
        codes = picture @ np.array((65536, 256, 1))
        best = (0.0, "")
        held = {each["objectId"] for each in self.metadata["inventoryObjects"]}
        for each in self.metadata["objects"]:
            able = any(each[name] for name in ("pickupable", "openable", "toggleable", "sliceable", "receptacle"))
            code = int(np.array(colour_of(self._ours(each["objectId"]))) @ np.array((65536, 256, 1)))
            seen = codes == code
            if able and each["objectId"] not in held and seen.any():
                best = max(best, (float((seen & mask).sum() / (seen | mask).sum()), each["objectId"]))
        return best[1]

    def _ours(self, name: str) -> str:
        return name.replace("Glassbottle|", "Bottle|", 1)

    # What ALFRED remembers.

    def remember(self, name: str, target: str) -> None:
        if name == "ToggleObjectOn" and "Faucet" in target:
            faucet = self.object(target)
            basins = [each for each in self.metadata["objects"] if each["objectType"] == "SinkBasin"]
            if basins:
                self.cleaned = _joined(self.cleaned, min(basins, key=lambda each: _apart(each, faucet)))
        if name == "ToggleObjectOn" and "Microwave" in target:
            self.heated = _joined(self.heated, self._first("Microwave"))
        if name == "CloseObject" and "Fridge" in target:
            self.cooled = _joined(self.cooled, self._first("Fridge"))

    def _first(self, kind: str) -> Json:
        return next(each for each in self.metadata["objects"] if each["objectType"] == kind)

    def object(self, name: str) -> Json | None:
        """Return an object's metadata."""
        return next((each for each in self.metadata["objects"] if each["objectId"] == name), None)

    # Goal conditions.

    def conditions(self) -> tuple[int, int]:
        """Return how many of the task's conditions are met, and how many there are."""
        params, task = self.traj["pddl_params"], self.traj["task_type"]
        sliced = bool(params["object_sliced"])
        items = self._named(params["object_target"] + ("Sliced" if sliced else ""), "pickupable")
        places = self._named(params["parent_target"], "receptacle") if params["parent_target"] else []
        inside = {name: set(each["receptacleObjectIds"] or ()) for each in places if (name := each["objectId"])}
        ids = [each["objectId"] for each in items]
        pieces = sum("Sliced" in name for name in ids)
        if task == "pick_two_obj_and_place":
            most = max((sum(name in held for name in ids) for held in inside.values()), default=0)
            return min(most, 2) + (min(pieces, 2) if sliced else 0), 4 if sliced else 2
        met, of = (int(pieces > 0), 1) if sliced else (0, 0)
        placed = [name for name in ids if any(name in held for held in inside.values())]
        if task == "look_at_obj_in_light":
            held = [each["objectId"] for each in self.metadata["inventoryObjects"]]
            lamps = self._named(params["toggle_target"], "toggleable")
            lit = any(each["isToggled"] and each["visible"] for each in lamps)
            return met + (bool(held) and held[0] in ids) + lit, of + 2
        if task == "pick_and_place_with_movable_recep":
            movables = self._named(params["mrecep_target"], "pickupable")
            full = [each for each in movables if set(each["receptacleObjectIds"] or ()) & set(ids)]
            there = [each for each in movables if any(each["objectId"] in held for held in inside.values())]
            both = [each for each in full if set(each["parentReceptacles"] or ()) & set(inside)]
            return met + bool(full) + bool(there) + bool(both), of + 3
        sets = {"clean": self.cleaned, "heat": self.heated, "cool": self.cooled}
        known = sets.get(str(task).split("_")[1])
        if known is None:
            return met + bool(placed), of + 1
        done = [name for name in ids if name in known]
        return met + bool(placed) + bool(done) + bool(set(placed) & set(done)), of + 3

    def _named(self, part: str, prop: str) -> list[Json]:
        return [each for each in self.metadata["objects"] if part in each["objectId"] and each[prop]]

    # Subgoals and the dense reward.

    def advance(self, name: str, before: tuple[int, int, int, int]) -> None:
        plan = self.traj["plan"]["high_pddl"]
        count = len(plan) - (plan[-1]["planner_action"]["action"] == "End")
        reward, done = self._subgoal_reward(name, before, plan)
        self.reward += reward
        if done:
            self.finished += 1
            if self.subgoal + 1 < count:
                self.subgoal += 1

    def _subgoal_reward(self, name: str, before: tuple[int, int, int, int], plan: Sequence[Json]) -> tuple[float, bool]:
        wanted = plan[self.subgoal]["planner_action"]
        kind = wanted["action"]
        if kind == "GotoLocation" and name.startswith("Look"):
            name = "TeleportFull"
        if kind not in ALLOWED:
            return 0.0, False
        if name not in ALLOWED[kind]:
            return -1.0, False
        if kind == "GotoLocation":
            goal = tuple(int(part) for part in wanted["location"].split("|")[1:])
            was, now = self._way(before, goal), self._way(self.pose(), goal)
            return 0.2 * (was - now) + (now < NEAR_ENOUGH), now < NEAR_ENOUGH
        if kind == "PickupObject":
            held = self.metadata["inventoryObjects"]
            done = bool(held) and held[0]["objectId"].split("Sliced")[0] == wanted["objectId"].split("Sliced")[0]
        elif kind == "PutObject":
            place = self.object(wanted["receptacleObjectId"])
            done = place is not None and wanted["objectId"] in (place["receptacleObjectIds"] or ())
        elif kind in ("ToggleObject", "SliceObject"):
            thing = self.object(wanted["objectId"])
            done = thing is not None and bool(thing["isToggled" if kind == "ToggleObject" else "isSliced"])
        elif kind == "CleanObject":
            done = wanted["cleanObjectId"] in self.cleaned and self.object(wanted["cleanObjectId"]) is not None
        else:
            return self._heated_or_cooled(name, kind, plan)
        return float(done), done

    def _heated_or_cooled(self, name: str, kind: str, plan: Sequence[Json]) -> tuple[float, bool]:
        if self.subgoal + 2 >= len(plan):
            return 0.0, False
        thing = self.object(plan[self.subgoal + 2]["planner_action"].get("objectId", ""))
        if thing is None:
            return 0.0, False
        if kind == "HeatObject":
            hot = thing["objectId"] in self.heated
            return float(hot), hot
        cool = thing["objectId"] in self.cooled
        if cool and not self.cooled_once:
            self.cooled_once = True
            return 1.0, False
        held = self.metadata["inventoryObjects"]
        done = cool and name == "PickupObject" and bool(held) and held[0]["objectId"] == thing["objectId"]
        return float(done), done

    def pose(self) -> tuple[int, int, int, int]:
        """Return the agent's place in quarter metres, its quarter turn and its camera's tilt."""
        agent = self.metadata["agent"]
        where, turn = agent["position"], agent["rotation"]["y"]
        return round(where["x"] * 4), round(where["z"] * 4), round(turn / 90) % 4, round(agent["cameraHorizon"])

    def _way(self, start: tuple[int, ...], goal: tuple[int, ...]) -> int:
        """Return the number of steps, turns and looks from a pose to another."""
        queue = deque([(start[:3], 0)])
        seen = {start[:3]}
        while queue:
            (x, z, turn), steps = queue.popleft()
            if (x, z, turn) == goal[:3]:
                return steps + abs(start[3] - goal[3]) // 15
            ahead = (x + (0, 1, 0, -1)[turn], z + (1, 0, -1, 0)[turn], turn)
            for place in (ahead, (x, z, (turn + 1) % 4), (x, z, (turn - 1) % 4)):
                if place not in seen and (place[:2] in self.points or place[:2] == goal[:2]):
                    seen.add(place)
                    queue.append((place, steps + 1))
        return 1000


def _joined(known: set[str], holder: Json) -> set[str]:
    """Return a set with what a receptacle holds; ALFRED empties it where the receptacle tells nothing."""
    held = holder["receptacleObjectIds"]
    return known | set(held) if held is not None else set()


def _apart(one: Json, other: Json | None) -> float:
    assert other is not None
    return float(sum((one["position"][axis] - other["position"][axis]) ** 2 for axis in "xyz"))
