"""Orders in words: what the planning Commander says and the Follower understands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from chorewright.domains.teach.world import type_of_id
from chorewright.problems.household.scene import Pose
from chorewright.rsa.words.lexicon import household_lexicon

WALK = "walk"


@dataclass(frozen=True, slots=True)
class Words:
    """The data of orders; see the data file for what each entry is."""

    orders: Mapping[str, str]
    headings: Sequence[str]
    hello: str
    done: str
    lost: str
    failed: str
    puzzled: str
    end: str
    stuck: str
    look: Sequence[str]


@lru_cache(maxsize=1)
def words() -> Words:
    """Return the shipped words."""
    path = resources.files("chorewright.generator.teach") / "data" / "tatc.json"
    document = json.loads(path.read_text("utf-8"))
    document.pop("about")
    return Words(**document)


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do: to walk to a pose, or an action on an object."""

    action: str
    object_id: str = ""
    pose: Pose | None = None


def say(orders: Sequence[Order]) -> str:
    """Return orders in words."""
    known = words()
    found = []
    for order in orders:
        pose = order.pose
        noun = household_lexicon().words(type_of_id(order.object_id)).nouns[0]
        slots = {"object": order.object_id, "thing": noun.word}
        if pose is not None:
            heading = known.headings[pose.rotation]
            slots |= {"x": str(pose.x), "z": str(pose.z), "heading": heading, "horizon": str(pose.horizon)}
        found.append(known.orders[order.action].format_map(slots))
    return " ".join(found)


_SLOTS = {
    "x": r"(?P<x>-?\d+)",
    "z": r"(?P<z>-?\d+)",
    "horizon": r"(?P<horizon>-?\d+)",
    "heading": r"(?P<heading>[a-z]+)",
    "thing": r"(?P<thing>[A-Za-z ]+?)",
    "object": r"(?P<object>[^ ]+?)",
}


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for action, line in words().orders.items():
        parts = re.split(r"\{(\w+)\}", line)
        text = "".join(_SLOTS[part] if place % 2 else re.escape(part) for place, part in enumerate(parts))
        found.append((action, re.compile(text + r"(?: |$)")))
    return tuple(found)


def understand(text: str) -> tuple[Order, ...] | None:
    """Return the orders that a text says; None if it says anything else."""
    found: list[Order] = []
    place = 0
    while place < len(text):
        for action, pattern in _patterns():
            match = pattern.match(text, place)
            if match is not None:
                found.append(_order(action, match.groupdict()))
                place = match.end()
                break
        else:
            return None
    return tuple(found) if found else None


def _order(action: str, slots: Mapping[str, str]) -> Order:
    if action != WALK:
        return Order(action, slots["object"])
    headings = list(words().headings)
    rotation = headings.index(slots["heading"]) if slots["heading"] in headings else 0
    return Order(WALK, pose=Pose(int(slots["x"]), int(slots["z"]), rotation, int(slots["horizon"])))
