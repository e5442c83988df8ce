"""What EB-ALFRED's and LoTa-Bench's connectors do around a build of AI2-THOR 2.1.0, written from their description.

A skill is a sentence (``find a mug``, ``pick up the mug``, ``put down the object in hand``, ``open the fridge``, ...).
Finding teleports to the nearest reachable positions in turn, turned towards the object and tilted to nine tenths of
the angle to it, without limit; of a fridge or microwave the first ten must be at certain angles to it. A name means
the nearest object whose id begins with it; things behind closed doors come last, things not in view later, full
burners too, and pieces first once something has been sliced. Putting tries the nearest receptacle and the inherited
one (a sink's basin) in seven ways, the last with ``RotateHand``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tests.generator.alfred.thor_env import Json, ThorEnv

AGENT_HEIGHT, CAMERA = 0.9, 0.675
WAYS: tuple[tuple[str, ...], ...] = (
    (),
    ("LookUp",) * 2,
    ("LookDown",) * 4,
    ("LookUp", "LookUp", "MoveBack"),
    ("MoveAhead", *("MoveRight",) * 4),
    ("MoveLeft",) * 8,
    ("MoveRight",) * 4,
)
"""What is done before each try to put something down."""


class Connector:
    """Skills over ALFRED's environment. ``apart`` tells instances of a kind apart by number, as EB-ALFRED does."""

    def __init__(self, env: ThorEnv, *, apart: bool) -> None:
        self.env = env
        self.sliced = False
        self.receptacle = ""
        points = env.call("GetReachablePositions")["actionReturn"]
        self.points = np.array([[point[axis] for axis in "xyz"] for point in points])
        self.numbered = self._numbers() if apart else {}

    def do(self, skill: str) -> str:
        """Do a skill; return what went wrong, or nothing."""
        verb, _, name = skill.partition(" ")
        name = name.removeprefix("a ").removeprefix("an ").removeprefix("up the ").removeprefix("the ")
        if verb == "find":
            self.receptacle = self.numbered.get(name, name)
            return self.find(self.receptacle)
        if verb == "pick":
            return self.pick(name)
        if verb == "put":
            return self.put(self.receptacle) if self.receptacle else self._run("DropHandObject", forceAction=True)
        if verb in ("open", "close"):
            target = self.numbered.get(name, "") or self.target(name)
            return self._run(f"{verb.title()}Object", objectId=target) if target else f"no {name}"
        if verb == "turn":
            way, name = skill.split(" the ")[0].split()[1], skill.split(" the ")[1]
            target = self.target(name, prop="toggleable")
            return self._run(f"ToggleObject{way.title()}", objectId=target) if target else f"no {name}"
        if verb == "slice":
            self.sliced = True
            return self._run("SliceObject", objectId=self.target(name))
        return f"no skill {skill!r}"

    def find(self, name: str) -> str:
        """Teleport to where an object is near and before the agent."""
        target = name if "|" in name else self.target(name, seen_first=True, pieces_first=self.sliced)
        thing = self.env.object(target)
        if thing is None:
            return f"no {name}"
        where = thing["position"]
        place = np.array([where[axis] for axis in "xyz"])
        nearest = self.points[np.argsort(((self.points - place) ** 2).sum(axis=1), kind="stable")]
        for number, (x, _, z) in enumerate(nearest[:20]):
            turn = math.degrees(math.atan2(where["x"] - x, where["z"] - z)) % 360
            kind = thing["objectType"]
            front = abs((turn - thing["rotation"]["y"] + 180) % 360 - 180)
            if number < 10 and kind == "Fridge" and not 70 < front < 110:
                continue
            if number < 10 and kind == "Microwave" and 20 <= front <= 160:
                continue
            tilt = math.degrees(
                math.atan2(where["y"] - AGENT_HEIGHT - CAMERA, math.hypot(where["x"] - x, where["z"] - z))
            )
            told = {"x": float(x), "y": AGENT_HEIGHT, "z": float(z), "rotation": turn, "horizon": -0.9 * tilt}
            if not self._run("TeleportFull", **told):
                return ""
        return f"cannot move to {name}"

    def pick(self, name: str) -> str:
        """Pick up the best object of a name."""
        target = self.target(name, prop="pickupable", seen_first=True, pieces_first=self.sliced)
        return self._run("PickupObject", objectId=target, forceAction=False) if target else f"no {name}"

    def put(self, name: str) -> str:
        """Put what is held into the best receptacle of a name, or the next one."""
        held = self.env.metadata["inventoryObjects"]
        if not held:
            return "nothing is held"
        item, excluded, last = held[0]["objectId"], "", ""
        for second in (False, True):
            excluded = last if second else ""
            for way in WAYS:
                if second or "|" not in name:
                    kind = name.split("|")[0]
                    targets = [self.target(kind, inherited=each, excluded=excluded) for each in (False, True)]
                else:
                    targets = [name]
                for action in way:
                    self._run(action)
                if way == WAYS[-1]:
                    self._run("RotateHand", x=40)
                for target in filter(None, targets):
                    last = target
                    told = {"objectId": item, "receptacleObjectId": target, "forceAction": True}
                    if not self._run("PutObject", **told):
                        return ""
        return f"cannot put {item} into {name}"

    def target(
        self, name: str, *, prop: str = "", seen_first: bool = False, pieces_first: bool = False,
        inherited: bool = False, excluded: str = "",
    ) -> str:  # fmt: skip
        """Return the id of the best object of a name, or nothing."""
        best = (1e8, "")
        told = {each["objectId"]: each for each in self.env.metadata["objects"]}
        wanted = "".join(word.title() if word.islower() else word for word in name.split())
        for ident, each in told.items():
            parts = ident.split("|")
            if ident == excluded or parts[0].casefold() != wanted.casefold() or (inherited and len(parts) != 5):
                continue
            if prop and not each[prop]:
                continue
            away = each["distance"]
            if any(told[outer]["openable"] and not told[outer]["isOpen"] for outer in each["parentReceptacles"] or ()):
                away += 100_000
            if wanted == "StoveBurner" and len(each["receptacleObjectIds"]) > 0:
                away += 10_000
            if seen_first and not each["visible"]:
                away += 1000
            if pieces_first and "_Slice" in each["name"]:
                away -= 100
            best = min(best, (away, ident))
        return best[1]

    def _numbers(self) -> Mapping[str, str]:
        """Return the ids of receptacles and items that are not their kind's first: ``Cabinet_2``."""
        kinds: dict[str, list[str]] = {}
        for each in self.env.metadata["objects"]:
            if each["receptacle"] or each["pickupable"]:
                kinds.setdefault(each["objectType"], []).append(each["objectId"])
        return {
            kind if place == 0 else f"{kind}_{place + 1}": ident
            for kind, ids in kinds.items()
            if len(ids) > 1
            for place, ident in enumerate(ids)
        }

    def _run(self, action: str, **arguments: object) -> str:
        before = self.env.pose()
        metadata: Json = self.env.call(action, **arguments)
        if metadata["lastActionSuccess"]:
            self.env.remember(action, str(arguments.get("objectId", "")))
        self.env.advance(action, before)
        return "" if metadata["lastActionSuccess"] else str(metadata["errorMessage"])


def skills(traj: Json, numbers: Mapping[str, str], env: ThorEnv) -> list[str]:
    """Return a plan's skills as sentences, things told apart as the connector does."""
    names = {ident: name for name, ident in numbers.items()}

    def name(ident: str) -> str:
        return names.get(ident, ident.split("|")[0])

    found: list[str] = []
    item = ""
    for step in traj["plan"]["high_pddl"]:
        told = step["planner_action"]
        kind, thing = told["action"], str(told.get("objectId", ""))
        around = {each["objectId"]: each["parentReceptacles"] or [] for each in env.metadata["objects"]}
        doors = {each["objectId"] for each in env.metadata["objects"] if each["openable"] and each["receptacle"]}
        if kind == "PickupObject":
            held, item = name(thing), thing
            shut = [outer for outer in around.get(thing, ()) if outer in doors]
            opened = [f"find a {name(shut[0])}", f"open the {name(shut[0])}"] if shut else []
            found += [*opened, f"find a {held}", f"pick up the {thing.split('|')[0]}"]
            found += [f"find a {name(shut[0])}", f"close the {name(shut[0])}"] if shut else []
        elif kind == "PutObject":
            place = str(told["receptacleObjectId"])
            found += [f"find a {name(place)}", *([f"open the {name(place)}"] if place in doors else [])]
            found += ["put down the object in hand", *([f"close the {name(place)}"] if place in doors else [])]
        elif kind == "SliceObject":
            found += [f"find a {name(thing)}", f"slice the {thing.split('|')[0]}"]
        elif kind == "ToggleObject":
            found += [f"find a {name(thing)}", f"turn on the {thing.split('|')[0]}"]
        elif kind == "CleanObject":
            item = str(told["cleanObjectId"])
            found += [f"find a {name(thing)}", "put down the object in hand", "find a Faucet", "turn on the Faucet"]
            found += ["turn off the Faucet", f"find a {name(item)}", f"pick up the {item.split('|')[0]}"]
        elif kind in ("HeatObject", "CoolObject"):
            place = thing.split("|")[0]
            found += [f"find a {place}", f"open the {place}", "put down the object in hand", f"close the {place}"]
            found += ["turn on the Microwave", "turn off the Microwave"] if kind == "HeatObject" else []
            found += [
                f"open the {place}",
                f"find a {name(item)}",
                f"pick up the {item.split('|')[0]}",
                f"find a {place}",
                f"close the {place}",
            ]
    return found
