"""One demonstration of ALFRED's kind in a scattered room, and the planning problem of a stored one.

None of ALFRED's goal conditions may be met at the start. ALFRED counts by object ids: a thing is of a class if its id
has the class's name anywhere in it, so a butter knife counts as a knife, a potato as a pot and a pencil as a pen; and a
thing lies in all that is around it (``env/tasks.py``, Shridhar et al. 2020).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import ChorewrightError
from chorewright.generator.alfred.options import settings
from chorewright.generator.alfred.recorded import meanings
from chorewright.generator.alfred.records import class_in_alfred, id_in_alfred, names_in_alfred, slots
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.demonstration import Demonstration, RoomAttempt
from chorewright.generator.household.outlook import Outlook, Sight, with_outlook
from chorewright.generator.household.spawning import check_problem, elsewhere, room_of, spawn_request
from chorewright.generator.household.starts import with_start
from chorewright.generator.production.attempts import Rejection
from chorewright.planner.plan import Limits
from chorewright.problems.household.containment import ancestors, is_receptacle
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld

PLACED = (
    "pick_and_place_simple",
    "pick_two_obj_and_place",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
)
"""ALFRED's tasks in which an object in a receptacle meets a condition."""

STACKED = "pick_and_place_with_movable_recep"
"""The task in which an object in a movable receptacle meets a condition, and that in a receptacle another one."""


def apart(request: SpawnRequest, kinds: Kinds) -> SpawnRequest:
    """Return a request in which what ALFRED takes for a kind starts where that kind may, and nowhere else.

    Args:
        request: What a spawn must provide.
        kinds: All kinds that there may be.
    """
    receptacles = [name for name, kind in kinds.items() if kind.receptacle]
    banned: dict[str, Collection[str]] = dict(request.banned)
    for wanted, places in request.banned.items():
        wider = tuple(name for name in receptacles if any(_is_like(name, place) for place in places))
        for name, kind in kinds.items():
            if kind.item and _is_like(name, wanted):
                banned[name] = tuple(dict.fromkeys((*banned.get(name, ()), *wider)))
    return replace(request, banned=banned)


def conditions_met_at_start(task: str, parameters: Sequence[tuple[str, str]], scene: Scene) -> str:
    """Return what meets one of ALFRED's conditions of a task in a scene; nothing if none is met.

    Args:
        task: One of ALFRED's seven task types, as ours or with its suffix for sliced objects; of another task
            nothing is known.
        parameters: The filled slots.
        scene: The start, where nothing is sliced, held, cleaned, heated or cooled.
    """
    told, filled = _Told.of(scene), slots(tuple(parameters), scene.kinds)
    kind = task.removesuffix(names_in_alfred().sliced_suffix)
    thing, movable, place = (class_in_alfred(filled.get(name, "")) for name in ("object", "movable", "receptacle"))
    if kind in PLACED and kind == task:
        return told.lying(thing, place, item=False)
    if kind == STACKED:
        inside = told.lying(thing, movable, item=True) if kind == task else ""
        return inside or told.lying(movable, place, item=False)
    return ""


@dataclass(frozen=True, slots=True)
class _Told:
    """Which items lie in which receptacles, however deep."""

    objects: Mapping[str, SceneObject]
    around: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, scene: Scene) -> _Told:
        parents = {body.object_id: body.parents for body in scene.objects}
        items = [body.object_id for body in scene.objects if body.traits.item]
        return cls({body.object_id: body for body in scene.objects}, {name: ancestors(name, parents) for name in items})

    def lying(self, thing: str, place: str, *, item: bool) -> str:
        """Return how an item of a class lies in a receptacle, or in an item, of another; nothing if none does."""
        if not thing or not place:
            return ""
        for name, outer in self.around.items():
            if thing not in id_in_alfred(name):
                continue
            for other in outer:
                body = self.objects[other]
                if place in id_in_alfred(other) and (body.traits.item if item else is_receptacle(body)):
                    return f"ALFRED takes {name} in {other} for a {thing} in a {place}"
        return ""


def _is_like(name: str, wanted: str) -> bool:
    """Return whether ALFRED takes all of a kind for another one."""
    return class_in_alfred(wanted) in class_in_alfred(name)


def read_problem(episode: Episode) -> Problem | None:
    """Return the planning problem of a stored episode, or None if it cannot be made again to the same bytes.

    Where the demonstrator stood elsewhere to see, or did without something, the demonstration is made again to learn
    of it.
    """
    if episode.scene is None or not episode.problem_sha256:
        return None
    try:
        room = room_of(episode)
        goal = parse_formula(episode.goal, room.kinds.domain)
        plain = check_problem(household_problem(room, goal).problem, episode)
        if plain is not None:
            return plain
        asked = Goal(episode.task, episode.parameters, goal, (), ())
        request, renderer = request_for(room, asked), Renderer()
        outlook = with_outlook(room, room, request, renderer, np.random.default_rng(episode.seed))
    except ChorewrightError:  # a goal of the user's domain, or of another version of ours
        return None
    found = demonstrate_in(outlook, asked, episode.seed, renderer, freely=episode.task not in meanings().rules)
    return check_problem(found.household.problem, episode) if isinstance(found, Demonstration) else None


def request_for(room: Scene, goal: Goal) -> SpawnRequest:
    """Return what a spawn must provide for a goal."""
    return with_start(apart(spawn_request(room, goal.goal, elsewhere()), room.kinds), room, goal.start)


def demonstrate_in(
    outlook: Outlook, goal: Goal, seed: int, renderer: Renderer, freely: bool
) -> Demonstration | Rejection:
    """Return the demonstration of a goal in a scene, or why there is none."""
    world, limits = ThorWorld(), Limits(evaluations=settings().evaluations)
    sight, chosen = Sight(world, renderer), outlook.chosen
    attempt = RoomAttempt(outlook.scene, goal, world, limits, sight=sight, turns=seed, chosen=chosen, freely=freely)
    return attempt.demonstrate()
