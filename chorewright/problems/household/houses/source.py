"""Houses by name: ``house:7`` is the house that is generated from seed 7."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from chorewright.errors import UsageError
from chorewright.problems.household.houses.design.check import house_problems
from chorewright.problems.household.houses.design.drawing import DEFAULT, HouseRequest, draw_house
from chorewright.problems.household.houses.design.rules import generator_of, rules_of
from chorewright.problems.household.houses.house import House

PREFIX = "house:"
"""What names of generated houses begin with."""

LARGEST_SEED = 2**63 - 1


def generated_house(seed: int, request: HouseRequest = DEFAULT) -> House:
    """Return the house of a seed, which is sound: ``house_problems`` finds nothing wrong with it.

    The same seed and request give the same house, on every machine.
    """
    rng = generator_of_house(seed, request.style)
    needs = rules_of(request.style).needs
    while True:
        house = draw_house(rng, request)
        if not house_problems(house, needs):
            return house


def generator_of_house(seed: int, style: str = DEFAULT.style) -> np.random.Generator:
    """Return the random generator from which the house of a seed is drawn."""
    return generator_of(f"house {style}", seed)


def is_house_name(name: str) -> bool:
    """Return whether a scene's name is that of a generated house."""
    return name.startswith(PREFIX)


def house_seed(name: str) -> int:
    """Return the seed of a house's name.

    Raises:
        UsageError: It is no such name.
    """
    digits = name.removeprefix(PREFIX)
    if not is_house_name(name) or not (digits.isascii() and digits.isdecimal()) or int(digits) > LARGEST_SEED:
        raise UsageError(f"there is no house {name!r}", hint=f"a generated house is {PREFIX}SEED: {PREFIX}7")
    return int(digits)


@lru_cache(maxsize=64)
def named_house(name: str) -> House:
    """Return the house of a name like ``house:7``: of 1 to 10 rooms, in the style that all tasks can be done in.

    Raises:
        UsageError: There is no such house.
    """
    return generated_house(house_seed(name))
