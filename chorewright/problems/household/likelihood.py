"""How likely a kind of thing is in a kind of room: counted in iTHOR's 120 rooms.

It is what somebody knows of homes who has not been in this one.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from chorewright.problems.household.rooms import load_room, room_names

DOUBT = 0.5
"""Rooms that are counted besides those that have a thing: nothing is ruled out."""


@lru_cache(maxsize=1)
def _counts() -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Count rooms by kind, and rooms that have a thing by the kinds of both."""
    rooms: Counter[str] = Counter()
    having: Counter[tuple[str, str]] = Counter()
    for name in room_names():
        scene = load_room(name)
        rooms[scene.room_kind] += 1
        having.update((kind, scene.room_kind) for kind in {body.kind for body in scene.objects})
    return rooms, having


def chance_in_room(kind: str, room_kind: str) -> float:
    """Return how likely a room of a kind has a thing of a kind; of what nobody knows, all rooms are as likely."""
    rooms, having = _counts()
    return (having[kind, room_kind] + DOUBT) / (rooms[room_kind] + 2 * DOUBT)
