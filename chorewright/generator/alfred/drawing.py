"""Text games made on the fly: a task with its slots filled, in a scattered room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from chorewright.domains.rewriting import conjunction
from chorewright.domains.templates.goal_templates import GoalTemplate, instantiate
from chorewright.domains.templates.words import wordings
from chorewright.errors import UnsupportedError, UsageError
from chorewright.generator.alfred.benchmark import task_choices
from chorewright.generator.alfred.demonstration import apart
from chorewright.generator.alfred.games import fill_slots
from chorewright.generator.alfred.recorded import COLLECTION
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.household.own_scenes import find_kinds, load_scenes, scene_of
from chorewright.generator.household.possibilities import grant
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.generator.production.sampling import Choice
from chorewright.generator.production.worlds import load_tasks
from chorewright.problems.household.spawn import NoRoom, spawn
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.play import TextGame
from chorewright.replay.alfred.scenes import own_game, scene_game

DRAWS = 200
"""Rooms that are scattered at most for one game."""

OTHERS = 12
"""Tasks that are drawn to find another one that is possible in the same room."""


def make_games(tasks: Sequence[str] = (), scenes: Sequence[str] = ()) -> Callable[[np.random.Generator], Game]:
    """Return a function that makes games on the fly: a task with its slots filled, in a scattered room.

    Args:
        tasks: Names of ALFRED's tasks and template files of the user's, of which one is drawn; all thirteen of
            ALFRED's by default.
        scenes: Rooms, houses (``house:7``, ``houses:0-99``), files and folders of the user's, of which one is drawn;
            all rooms by default.

    Raises:
        UsageError: There is no such task or scene, or none of the tasks is possible in any of the scenes.
        InputErrors: A file has mistakes.
    """
    draw = make_rounds(tasks, scenes)
    return lambda rng: draw(rng, 1)[0]


def make_rounds(tasks: Sequence[str], scenes: Sequence[str]) -> Callable[[np.random.Generator, int], list[Game]]:
    """Return a function that makes up to so many games of different tasks in one scattered room; see ``make_games``."""
    asked, loaded = load_tasks(tasks), load_scenes(scenes)
    named = tuple(f"alfred/{name}" if "/" not in name else name for name in asked.values)
    options = [(key, value) for key, value in (("tasks", named), ("scenes", loaded.values)) if value]
    config = GenerateConfig("alfred", 1, options=tuple(options), task_files=(*asked.files, *loaded.files))
    kinds = find_kinds(config)
    possible = [(name, template, found) for name, (template, found) in task_choices(config).items() if found]
    if not possible:
        raise UsageError("none of the tasks is possible in any of the rooms", hint="choose others")

    def choose(rng: np.random.Generator) -> tuple[str, GoalTemplate, Choice]:
        name, template, choices = possible[int(rng.integers(len(possible)))]
        return name, template, choices[int(rng.integers(len(choices)))]

    def draw(rng: np.random.Generator, most: int) -> list[Game]:
        for _ in range(DRAWS):
            name, template, choice = choose(rng)
            place = choice.scenes[int(rng.integers(len(choice.scenes)))]
            others = [choose(rng) for _ in range(OTHERS * (most - 1))]
            chosen = [(name, template, choice), *(each for each in others if place in each[2].scenes)][:most]
            wishes = {(name, each.parameters): template for name, template, each in chosen}
            room = scene_of(config, place, kinds)
            goals = {wish: instantiate(template, wish[1], kinds.vocabulary) for wish, template in wishes.items()}
            seed = int(rng.integers(2**31))
            wanted = conjunction(goal.goal for goal in goals.values())
            try:
                request = apart(spawn_request(room, wanted, elsewhere()), kinds)
                scene = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
            except NoRoom:
                continue
            games = []
            for (name, parameters), goal in goals.items():
                called = f"{room.name}-{name}-{seed}"
                if wishes[name, parameters].collection == COLLECTION:
                    game = scene_game(scene, fill_slots(name, parameters, kinds), called)
                else:
                    said = (*grant(goal.sentences, goal.goal, scene), *wordings(goal.goal, kinds.vocabulary))
                    game = own_game(scene, name, goal.goal, said[0], called)
                if game.walkthrough and not TextGame(game).won:
                    games.append(game)
            if games:
                return games
        raise UnsupportedError(f"no game was found in {DRAWS} scattered rooms", hint="choose other tasks or rooms")

    return draw
