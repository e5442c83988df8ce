"""How likely a kind of thing is in a kind of room, or in a kind of receptacle: counted in iTHOR's 120 rooms.

It is what somebody knows of homes who has not been in this one.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from chorewright.problems.thor.rooms import load_room, room_names

DOUBT = 0.5
"""Rooms that are counted besides those that have a thing: nothing is ruled out."""


@lru_cache(maxsize=1)
def _counts() -> tuple[Counter[str], Counter[tuple[str, str]], Counter[str], Counter[tuple[str, str]]]:
    """Count rooms by kind, rooms that have a thing, receptacles by kind, and things of a kind in them."""
    rooms: Counter[str] = Counter()
    having: Counter[tuple[str, str]] = Counter()
    receptacles: Counter[str] = Counter()
    lying: Counter[tuple[str, str]] = Counter()
    for name in room_names():
        scene = load_room(name)
        kinds = {body.object_id: body.kind for body in scene.objects}
        rooms[scene.room_kind] += 1
        having.update((kind, scene.room_kind) for kind in set(kinds.values()))
        receptacles.update(body.kind for body in scene.objects if body.traits.receptacle)
        lying.update((body.kind, kinds[parent]) for body in scene.objects for parent in body.parents if parent in kinds)
    return rooms, having, receptacles, lying


def chance_in_room(kind: str, room_kind: str) -> float:
    """Return how likely a room of a kind has a thing of a kind; of what nobody knows, all rooms are as likely."""
    rooms, having, _, _ = _counts()
    return (having[kind, room_kind] + DOUBT) / (rooms[room_kind] + 2 * DOUBT)


def chance_in(kind: str, receptacle: str) -> float:
    """Return how likely a receptacle of a kind holds a thing of a kind, at most 1."""
    _, _, receptacles, lying = _counts()
    return min(1.0, (lying[kind, receptacle] + DOUBT / 10) / (receptacles[receptacle] + DOUBT))
