"""Games of ALFRED: one of each of the thirteen tasks, drawn in scattered rooms from fixed seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from chorewright.generator.alfred.drawing import make_games
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame

TASKS = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_and_place_simple_sliced",
    "pick_and_place_with_movable_recep",
    "pick_and_place_with_movable_recep_sliced",
    "pick_clean_then_place_in_recep",
    "pick_clean_then_place_in_recep_sliced",
    "pick_cool_then_place_in_recep",
    "pick_cool_then_place_in_recep_sliced",
    "pick_heat_then_place_in_recep",
    "pick_heat_then_place_in_recep_sliced",
    "pick_two_obj_and_place",
    "pick_two_obj_and_place_sliced",
)


@lru_cache(maxsize=64)
def game_of(task: str, seed: int = 0) -> Game:
    """Return a game of a task."""
    return make_games([task])(np.random.default_rng(seed))


def walk(play: TextGame, seed: int, steps: int) -> Iterator[str]:
    """Yield random admissible commands, half of them others than going and looking; do each before the next."""
    rng = random.Random(seed)
    for _ in range(steps):
        known = play.admissible()
        doing = [each for each in known if not each.startswith(("go to", "examine", "help", "look", "inventory"))]
        yield rng.choice(doing if doing and rng.random() < 0.5 else known)
