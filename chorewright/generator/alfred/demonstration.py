"""One demonstration of ALFRED's kind in a scattered room, and the planning problem of a stored one."""

from __future__ import annotations

import numpy as np

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import ChorewrightError
from chorewright.generator.alfred.conditions import apart
from chorewright.generator.alfred.options import settings
from chorewright.generator.alfred.speaking import meanings
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.demonstration import Demonstration, demonstrate
from chorewright.generator.household.outlook import Outlook, with_outlook
from chorewright.generator.household.problems import checked_problem, room_of
from chorewright.generator.household.sight import Sight
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.generator.household.starts import with_start
from chorewright.generator.production.attempts import Rejection
from chorewright.planner.plan import Limits
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import SpawnRequest
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld


def stored_problem(episode: Episode) -> Problem | None:
    """Return the planning problem of a stored episode, or None if it cannot be made again to the same bytes.

    Where the demonstrator stood elsewhere to see, or did without something, the demonstration is made again to learn
    of it.
    """
    if episode.scene is None or not episode.problem_sha256:
        return None
    try:
        room = room_of(episode)
        goal = parse_formula(episode.goal, room.kinds.domain)
        plain = checked_problem(household_problem(room, goal).problem, episode)
        if plain is not None:
            return plain
        asked = Goal(episode.task, episode.parameters, goal, (), ())
        request, renderer = request_for(room, asked), Renderer()
        outlook = with_outlook(room, room, request, renderer, np.random.default_rng(episode.seed))
    except ChorewrightError:  # a goal of the user's domain, or of another version of ours
        return None
    found = demonstrate_in(outlook, asked, episode.seed, renderer, freely=episode.task not in meanings().rules)
    return checked_problem(found.household.problem, episode) if isinstance(found, Demonstration) else None


def request_for(room: Scene, goal: Goal) -> SpawnRequest:
    """Return what a spawn must provide for a goal."""
    return with_start(apart(spawn_request(room, goal.goal, elsewhere()), room.kinds), room, goal.start)


def demonstrate_in(
    outlook: Outlook, goal: Goal, seed: int, renderer: Renderer, freely: bool
) -> Demonstration | Rejection:
    """Return the demonstration of a goal in a scene, or why there is none."""
    world, limits = ThorWorld(), Limits(evaluations=settings().evaluations)
    sight, domain = Sight(world, renderer), outlook.scene.kinds.domain
    return demonstrate(
        outlook.scene, goal, domain, world, limits, sight=sight, turns=seed, chosen=outlook.chosen, freely=freely
    )
