"""What EB-ALFRED's and LoTa-Bench's connectors do around a build of AI2-THOR 2.1.0, written from their description.

A skill is a sentence (``find a Mug``, ``pick up the Mug``, ``put down the object in hand``, ``open the Fridge``, ...).
Finding teleports to the nearest reachable positions in turn, turned towards the object and tilted to nine tenths of
the angle to it, without limit; of a fridge or microwave the first ten must be at certain angles to it, and then the
same ten are tried at any angle. A name means the nearest object whose id begins with it; things behind closed doors
come last, things not in view later, full burners too, and pieces first once something has been sliced. Putting tries
the nearest receptacle and the next one, each with the inherited one (a sink's basin), in seven ways, the last with
``RotateHand``; opening steps aside and tries again.

EB-ALFRED tells instances apart by number in what is found, opened and closed, and ends an episode after 30 skills or
ten that fail. LoTa-Bench does not move to what is in view within a metre, forgets what was found by all skills but
putting and opening, and drops what cannot be put down; its evaluator leaves out tasks with two objects.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.originals.thor_env import Json, ThorEnv
from chorewright.generator.alfred.export.embodiedbench_expert import SkillExpert
from chorewright.generator.alfred.export.embodiedbench_skills import dialect, interactions

AGENT_HEIGHT, CAMERA = 0.9, 0.675
MOST_SKILLS, MOST_FAILURES = 30, 10
"""EB-ALFRED's limits of an episode."""
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
ASIDE: tuple[tuple[str, ...], ...] = (("MoveBack",), ("MoveBack", "MoveRight"), ("MoveLeft", "MoveLeft"), ())
"""What is done after each try to open something."""


class Connector:
    """Skills over ALFRED's environment. ``apart`` tells instances of a kind apart by number, as EB-ALFRED does."""

    def __init__(self, env: ThorEnv, *, apart: bool) -> None:
        self.env, self.apart = env, apart
        self.sliced = False
        self.receptacle = ""
        points = env.call("GetReachablePositions")["actionReturn"]
        self.points = np.array([[point[axis] for axis in "xyz"] for point in points])
        self.numbered = self._numbers() if apart else {}

    def do(self, skill: str) -> str:
        """Do a skill; return what went wrong, or nothing."""
        verb, _, name = skill.partition(" ")
        if not self.apart and verb not in ("put", "open"):
            self.receptacle = ""
        for words in ("an ", "a ", "up the ", "the ", "on the ", "off the "):
            name = name.removeprefix(words)
        if verb in ("find", "open", "close"):
            name = self.numbered.get(name, name)
        if verb == "find":
            self.receptacle = name
            return self.find(name)
        if verb == "pick":
            return self._run_on(
                "PickupObject", self.target(name, prop="pickupable", seen_first=True), forceAction=False
            )
        if verb == "put":
            return self._put_or_drop()
        if verb == "open":
            return self.open(name)
        if verb == "close":
            return self._run_on("CloseObject", name if "|" in name else self.target(name))
        if verb == "turn":
            way = "Off" if skill.startswith("turn off") else "On"
            return self._run_on(f"ToggleObject{way}", self.target(name, prop="toggleable"))
        if verb == "slice":
            done = self._run_on("SliceObject", self.target(name))
            self.sliced = True
            return done
        if verb == "drop":
            return self._run("DropHandObject", forceAction=True)
        return f"no skill {skill!r}"

    def find(self, name: str) -> str:
        """Teleport to where an object is near and before the agent."""
        kind = name.split("|")[0]
        best = self.target(kind, seen_first=True)
        target = best if name == kind or ("Sliced" in best and name in best) else name
        thing = self.env.object(target)
        if thing is None:
            return f"no {name}"
        if not self.apart and thing["visible"] and thing["distance"] < 1:
            return ""
        where, kind = thing["position"], target.split("|")[0]
        place = np.array([where[axis] for axis in "xyz"])
        nearest = self.points[np.argsort(((self.points - place) ** 2).sum(axis=1), kind="stable")][:20]
        angled = kind in ("Fridge", "Microwave")
        tries = [(point, True) for point in nearest[:10]] + [(point, False) for point in nearest[:10]]
        for (x, _, z), checked in tries if angled else [(point, False) for point in nearest]:
            turn = math.degrees(math.atan2(where["x"] - x, where["z"] - z)) % 360
            front = abs((turn - thing["rotation"]["y"] + 180) % 360 - 180)
            if checked and not (70 < front < 110 if kind == "Fridge" else front < 20 or front > 160):
                continue
            away = math.hypot(where["x"] - x, where["z"] - z)
            tilt = math.degrees(math.atan2(where["y"] - AGENT_HEIGHT - CAMERA, away))
            told = {"x": float(x), "y": AGENT_HEIGHT, "z": float(z), "rotation": turn, "horizon": -0.9 * tilt}
            if not self._run("TeleportFull", **told):
                return ""
        return f"cannot move to {name}"

    def open(self, name: str) -> str:
        """Open something; step aside and try again where that fails."""
        target = name if "|" in name else self.target(name)
        failure = f"no {name}"
        for aside in ASIDE if target else ():
            failure = self._run("OpenObject", objectId=target)
            if not failure:
                break
            for action in aside:
                self._run(action)
        return failure

    def _put_or_drop(self) -> str:
        if not self.receptacle:
            return self._run("DropHandObject", forceAction=True)
        failure = self.put(self.receptacle)
        if failure and not self.apart:
            self._run("DropHandObject", forceAction=True)
        return failure

    def put(self, name: str) -> str:
        """Put what is held into the best receptacle of a name, or the next one."""
        held = self.env.metadata["inventoryObjects"]
        if not held:
            return "nothing is held"
        item, last, kind = held[0]["objectId"], "", name.split("|")[0]
        basin_first = self.apart and ("Sink" in kind or "Bathtub" in kind)
        for second in (False, True):
            excluded = last if second else ""
            for way in WAYS:
                if second or "|" not in name:
                    ways = (True, False) if basin_first else (False, True)
                    targets = [self.target(kind, inherited=each, excluded=excluded) for each in ways]
                else:
                    targets = [name]
                for target in filter(None, targets):
                    for action in way:
                        self._run(action)
                    if way == WAYS[-1]:
                        self._run("RotateHand", x=40)
                    last = target
                    told = {"objectId": item, "receptacleObjectId": target, "forceAction": True}
                    if not self._run("PutObject", **told):
                        return ""
        return f"cannot put {item} into {name}"

    def target(
        self, name: str, *, prop: str = "", seen_first: bool = False, inherited: bool = False, excluded: str = ""
    ) -> str:  # fmt: skip
        """Return the id of the best object of a name, or nothing."""
        best = (1e8, "")
        told = {each["objectId"]: each for each in self.env.metadata["objects"]}
        wanted = name.replace(" ", "").casefold()
        for ident, each in told.items():
            parts = ident.split("|")
            if ident == excluded or parts[0].casefold() != wanted or (inherited and len(parts) != 5):
                continue
            if (prop and not each[prop]) or each["distance"] >= best[0]:
                continue
            away = each["distance"]
            if any(told[outer]["openable"] and not told[outer]["isOpen"] for outer in each["parentReceptacles"] or ()):
                away += 100_000
            if wanted == "stoveburner" and len(each["receptacleObjectIds"]) > 0:
                away += 10_000
            if seen_first and not each["visible"]:
                away += 1000
            if seen_first and self.sliced and "_Slice" in each["name"]:
                away -= 100
            if away < best[0]:
                best = (away, ident)
        return best[1]

    def _numbers(self) -> Mapping[str, str]:
        """Return the ids of receptacles and items of which there are several: ``Cabinet``, ``Cabinet_2``."""
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

    def _run_on(self, action: str, target: str, **arguments: object) -> str:
        return self._run(action, objectId=target, **arguments) if target else "there is no such thing"

    def _run(self, action: str, **arguments: object) -> str:
        before = self.env.pose()
        metadata: Json = self.env.call(action, **arguments)
        if metadata["lastActionSuccess"]:
            self.env.remember(action, str(arguments.get("objectId", "")))
        self.env.advance(action, before)
        return "" if metadata["lastActionSuccess"] else str(metadata["errorMessage"])


@dataclass(frozen=True, slots=True)
class Played:
    """How an episode went: its skills, how many failed, and whether all conditions were met."""

    skills: tuple[str, ...]
    failures: int
    won: bool


def play(traj: Json, plan: Sequence[str] | None, *, apart: bool) -> Played:
    """Play an episode by a list of skills, or by our expert, which sees what comes of each."""
    env = ThorEnv(traj, blind=True)
    connector = Connector(env, apart=apart)
    told = dialect("eb-alfred" if apart else "lota-bench")
    expert = SkillExpert(interactions(traj), env.metadata["objects"], told)
    said: list[str] = []
    failures, won = 0, False
    while not (apart and (won or len(said) >= MOST_SKILLS or failures >= MOST_FAILURES)):
        skill = expert.act(env.metadata["objects"]) if plan is None else next(iter(plan[len(said) :]), None)
        if skill is None:
            break
        failures += bool(connector.do(skill))
        assert env.metadata["errorCode"] not in ("InvalidAction", "InternalError", "MissingArguments"), skill
        said.append(skill)
        met, of = env.conditions()
        won = met == of
    return Played(tuple(said), failures, won)
