"""Which rooms are asked for, and how a task's trials are spread over those that suit it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.generator.production.sampling import AT_ONCE, Choice
from chorewright.problems.household.houses.source import is_house_name
from chorewright.problems.household.rooms import room_names

Binding = tuple[tuple[str, str], ...]


def find_rooms(asked: Sequence[str]) -> tuple[str, ...]:
    """Return the rooms of ``--scenes``, in their own order; all of them if none is named.

    Raises:
        UsageError: There is no such room.
    """
    known = room_names()
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) or "rooms are FloorPlan1-30, 201-230, 301-330 and 401-430; houses, house:7"
            raise UsageError(f"there is no room {name!r}", hint=hint)
    return tuple(name for name in known if not asked or name in asked)


def some_scenes(scenes: Sequence[str], count: int) -> tuple[str, ...]:
    """Return scenes with only some of the generated houses, evenly spread, if there are far more than are needed.

    Args:
        scenes: Scenes of any kind; to look at a house, it is generated.
        count: How many are needed.
    """
    houses = [name for name in scenes if is_house_name(name)]
    most = max(AT_ONCE, 2 * count)
    if len(houses) <= most:
        return tuple(scenes)
    kept = {houses[number * len(houses) // most] for number in range(most)}
    return tuple(name for name in scenes if not is_house_name(name) or name in kept)


def spread_over_rooms(choices: Sequence[Choice], count: int, seed: int) -> tuple[int, tuple[tuple[str, Binding], ...]]:
    """Draw rooms and fillings to try a task with.

    Args:
        choices: The fillings that are possible, with their rooms.
        count: How many to draw, at most one for each room.
        seed: Of the drawing.

    Returns:
        The number of rooms that suit; and room and filling of each trial. Rooms are spread evenly, and
        kinds not drawn yet come first.
    """
    by_room: dict[str, list[Binding]] = {}
    for choice in choices:
        for name in choice.scenes:
            by_room.setdefault(name, []).append(choice.parameters)
    suited = [name for name in dict.fromkeys((*room_names(), *by_room)) if name in by_room]
    count = min(count, len(suited))
    rng = np.random.Generator(np.random.PCG64(seed))
    seen: Counter[tuple[str, str]] = Counter()
    drawn = []
    for number in range(count):
        name = suited[number * len(suited) // count]
        binding = _rarest(by_room[name], seen, rng)
        seen.update(binding)
        drawn.append((name, binding))
    return len(suited), tuple(drawn)


def _rarest(bindings: Sequence[Binding], seen: Counter[tuple[str, str]], rng: np.random.Generator) -> Binding:
    order = rng.permutation(len(bindings))
    return bindings[min(order, key=lambda place: sum(seen[pair] for pair in bindings[place]))]
