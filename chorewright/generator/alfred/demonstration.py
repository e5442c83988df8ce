"""One demonstration of ALFRED's kind in a scattered room, its records in ALFRED's words, and a stored one's problem.

None of ALFRED's goal conditions may be met at the start. ALFRED counts by object ids: a thing is of a class if its id
has the class's name anywhere in it, so a butter knife counts as a knife, a potato as a pot and a pencil as a pen; and a
thing lies in all that is around it (``env/tasks.py``, Shridhar et al. 2020).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

import numpy as np

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Domain, FunctionValue, Problem
from chorewright.domains.templates.goal_templates import Goal
from chorewright.errors import ChorewrightError
from chorewright.files.records import reader_of
from chorewright.generator.alfred.options import settings
from chorewright.generator.alfred.recorded import ENGINE, NUMBER, limits_of, meanings, number_of
from chorewright.generator.dataset.episode import Episode, Segment, Step
from chorewright.generator.household.demonstration import Demonstration, RoomAttempt
from chorewright.generator.household.noise import mark, with_noise
from chorewright.generator.household.outlook import Outlook, Sight, stands_of, vary_stands, with_outlook
from chorewright.generator.household.possibilities import with_start
from chorewright.generator.household.spawning import check_problem, elsewhere, room_of, spawn_request
from chorewright.generator.production.attempts import Rejection
from chorewright.generator.production.solving import PlannerCall, drawing, planner_named, planning_instead
from chorewright.planner.plan import Limits
from chorewright.planner.stages import solve_with_parts
from chorewright.problems.household.containment import ancestors, is_receptacle
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.spawn import SpawnRequest
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.rsa.household.segments import CLEAN, COOL, END, GOTO, HEAT, PICKUP, POUR, PUT, Subgoal

# A demonstration in ALFRED's own words: discrete actions, planner actions with ids and coordinates, and legs to say.
#
# The details of a segment are the fields of ``planner_action`` in ALFRED's ``traj_data.json``.


@dataclass(frozen=True, slots=True)
class _Things:
    """The problem's names as the scene's objects; a piece stands for its item, with an id of its own."""

    ids: Mapping[str, str]
    objects: Mapping[str, SceneObject]

    def object_of(self, name: str) -> SceneObject:
        object_id = self.ids[name]
        return self.objects.get(object_id) or self.objects[object_id.rsplit("|", 1)[0]]

    def word(self, name: str) -> str:
        """Return the kind in ALFRED's discrete actions: lower case, a piece by its item."""
        return self.object_of(name).kind.lower()

    def coordinates(self, name: str) -> list[object]:
        """Return ALFRED's [kind, [x, x, z, z, y, y]] in grid units."""
        thing = self.object_of(name)
        x, y, z = (round(value / GRID, 2) for value in thing.position)
        return [thing.kind, [x, x, z, z, y, y]]


def segment_records(demonstration: Demonstration, scene: Scene) -> tuple[Segment, ...]:
    """Return the segments with planner actions and ALFRED's arguments: a receptacle only of what is put."""
    household = demonstration.household
    things = _Things(household.ids, {thing.object_id: thing for thing in scene.objects})
    return tuple(
        Segment(
            subgoal.action,
            tuple(things.word(name) for name in subgoal.arguments[: 2 if subgoal.action in (PUT, POUR) else 1]),
            json.dumps(_planner_action(subgoal, things, household.poses), separators=(",", ":")),
        )
        for subgoal in demonstration.subgoals
    )


def _planner_action(subgoal: Subgoal, things: _Things, poses: Mapping[str, Pose]) -> dict[str, object]:
    if subgoal.action == END:
        return {"action": "End", "value": 1}
    record: dict[str, object] = {"action": subgoal.action}
    if subgoal.action == GOTO:
        pose = poses[subgoal.pose]
        record["location"] = f"loc|{pose.x}|{pose.z}|{pose.rotation}|{pose.horizon}"
        return record
    item, *others = subgoal.arguments
    record["forceVisible"] = True
    record["coordinateObjectId"] = things.coordinates(item)
    if subgoal.action in (HEAT, COOL, CLEAN):
        record["objectId"] = things.ids[others[0]]
        record["coordinateReceptacleObjectId"] = things.coordinates(others[0])
        if subgoal.action == CLEAN:
            record["cleanObjectId"] = things.ids[item]
        return record
    record["objectId"] = things.ids[item]
    if subgoal.action in (PICKUP, PUT, POUR):
        record["coordinateReceptacleObjectId"] = things.coordinates(others[0])
    if subgoal.action in (PUT, POUR):
        record["receptacleObjectId"] = things.ids[others[0]]
    return record


def step_records(demonstration: Demonstration) -> tuple[Step, ...]:
    """Return the low-level actions with ALFRED's names, the simulator call and what it changed."""
    return tuple(
        Step(
            action=step.action.name,
            segment=step.action.segment,
            arguments=json.dumps(
                {"action": step.action.call.action, **step.action.call.arguments, **mark(step.action)},
                separators=(",", ":"),
            ),
            success=step.success,
            added=step.added,
            removed=step.removed,
        )
        for step in demonstration.execution.steps
    )


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
        if stands := stands_of(episode):
            outlook = Outlook(room, dict(stands))
        planner = planner_named(dict(episode.extras).get(ENGINE, ""))
    except ChorewrightError:  # a goal of the user's domain, or of another version of ours; an engine that is not here
        return None
    freely = episode.task not in meanings().rules
    number = number_of(episode, NUMBER)
    found = demonstrate_in(outlook, asked, episode.seed, renderer, freely, limits_of(episode), planner, number)
    return check_problem(found.household.problem, episode) if isinstance(found, Demonstration) else None


def request_for(room: Scene, goal: Goal) -> SpawnRequest:
    """Return what a spawn must provide for a goal."""
    return with_start(apart(spawn_request(room, goal.goal, elsewhere()), room.kinds), room, goal.start)


def demonstrate_in(
    outlook: Outlook,
    goal: Goal,
    seed: int,
    renderer: Renderer,
    freely: bool,
    limits: Limits | None = None,
    planner: PlannerCall = solve_with_parts,
    number: int = 0,
    noise: float = 0.0,
) -> Demonstration | Rejection:
    """Return the demonstration of a goal in a scene, or why there is none.

    Args:
        outlook: The scene.
        goal: The goal.
        seed: What turns and noise are drawn from.
        renderer: What draws.
        freely: See ``RoomAttempt``.
        limits: Of the search; the usual ones are the benchmark's.
        planner: What finds plans.
        number: Which plan of this start it is, from 0.
        noise: The share of the steps of walks that go astray.
    """
    world, limits = ThorWorld(), limits or Limits(evaluations=settings().evaluations)
    planner = drawing(planner, number)
    if not freely and not goal.template.endswith(names_in_alfred().sliced_suffix):  # sliced ones are as long already
        planner = planning_instead(planner, partial(_with_places_farther, seed + number))
    attempt = RoomAttempt(
        outlook.scene,
        goal,
        world,
        limits,
        planner,
        sight=Sight(world, renderer),
        turns=seed,
        chosen=outlook.chosen,
        freely=freely,
    )
    found = attempt.demonstrate()
    if not noise or isinstance(found, Rejection):
        return found
    return with_noise(found, outlook.scene, goal, noise, np.random.default_rng((seed, NOISE_DRAWS)), renderer)


def _with_places_farther(seed: int, _: Domain, problem: Problem) -> Problem:
    """Return a problem in which each place is farther from all others, by chance.

    So not always the nearest copy of a thing is fetched: ALFRED's planner takes it about as often as chance would. All
    ways to a place become longer alike, so that no detour becomes cheaper.
    """
    rng = np.random.default_rng((seed, PLACE_DRAWS))
    most = settings().farther * fmean([value for *_, value in problem.values] or [0])
    more = {name: int(most * rng.random()) for name in dict.fromkeys(places[1] for _, places, _ in problem.values)}
    values = ((name, places, value + more[places[1]]) for name, places, value in problem.values)
    return replace(problem, values=tuple(map(FunctionValue._make, values)))


LOOK_DRAWS, NOISE_DRAWS, STAND_DRAWS, PLACE_DRAWS = 1, 2, 3, 4
"""Tell further draws from those of the scene, which have the same seed."""


def look_around(
    room: Scene, scene: Scene, request: SpawnRequest, renderer: Renderer, seed: int, varied: Collection[str]
) -> Outlook:
    """Return a spawned scene whose goal's things are seen, things of some kinds from poses that are drawn."""
    outlook = with_outlook(room, scene, request, renderer, np.random.default_rng((seed, LOOK_DRAWS)))
    if not varied:
        return outlook
    return vary_stands(outlook, varied, renderer, np.random.default_rng((seed, STAND_DRAWS)))


# ALFRED's names for our kinds, tasks and slots, from ``data/names.json``.


@dataclass(frozen=True, slots=True)
class AlfredNames:
    """The tables of ``data/names.json``."""

    classes: Mapping[str, str]
    ground: str
    slots: Mapping[str, tuple[str, ...]]
    sliced_suffix: str
    test_splits: tuple[str, ...]
    frames: Mapping[str, int]
    before: Mapping[str, int]
    cool_close: int


names_in_alfred = reader_of(AlfredNames, "chorewright.generator.alfred", "data/names.json")
"""Returns ALFRED's names."""


def class_in_alfred(kind: str) -> str:
    """Return ALFRED's name of a class."""
    return names_in_alfred().classes.get(kind, kind)


def id_in_alfred(ident: str) -> str:
    """Return an object id with ALFRED's class names."""
    kind, bar, rest = ident.partition("|")
    return class_in_alfred(kind) + bar + rest


def slots(parameters: tuple[tuple[str, str], ...], kinds: Kinds) -> Mapping[str, str]:
    """Return what fills ALFRED's slots: by the names of the parameters, and the others by their kinds.

    The first parameter that has no name of ALFRED's and can be picked up is the object, the next one that
    holds things is movable; the first receptacle that cannot be picked up is the receptacle, the first thing
    that can be switched on, and does not hold anything, the lamp.
    """
    filled = {key.lstrip("?").lower(): value for key, value in parameters}
    found: dict[str, str] = {}
    for name, aliases in names_in_alfred().slots.items():
        named = next((alias for alias in aliases if alias in filled), None)
        if named is not None:
            found[name] = filled.pop(named)
    for value in filled.values():
        kind = kinds[value]
        fitting = []
        if kind.item:
            fitting = ["object", "movable"] if kind.receptacle else ["object"]
        elif kind.receptacle:
            fitting = ["receptacle"]
        elif "toggleable" in kind.affordances:
            fitting = ["lamp"]
        free = next((name for name in fitting if name not in found), None)
        if free is not None:
            found[free] = value
    return found
