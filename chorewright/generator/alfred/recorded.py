"""Demonstrations to say, ours and ALFRED's recorded ``traj_data.json``: what their goals mean, scenes, legs.

A recording stores the poses of its items and nothing else of the room: the fixtures are those of the shipped room,
and each recorded id is the thing of its kind that is nearest to where the id says. Stored episodes of ours are read
by the same rules; their scene is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from chorewright.domains.templates.goal_templates import Goal, GoalTemplate
from chorewright.domains.templates.words import wordings
from chorewright.files.json_node import Node, root
from chorewright.files.json_source import JsonSource, parse_json
from chorewright.files.records import reader_of
from chorewright.generator.alfred.options import settings
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.noise import noise_of
from chorewright.generator.household.possibilities import grant
from chorewright.planner.plan import Limits
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject, Vector
from chorewright.replay.household.setup import ItemPose, restore
from chorewright.rsa.household.directives import Annotation, GoalMeaning, Leg, directives
from chorewright.rsa.household.segments import END, GOTO, MACROS, PICKUP

# What the planner may do, and what an episode keeps of that.


EVALUATIONS, ENGINE, NUMBER = "evaluations", "engine", "plan"
"""The extras that say what the planner might evaluate, which engine planned, and with which draw of a start's further
plans (``production.solving.drawing``), where that is not as usual."""


def limits_for(config: GenerateConfig, template: GoalTemplate) -> Limits:
    """Return what the planner may do for an attempt at a task."""
    return config.effort.limits(settings().evaluations, template.effort)


def effort_extras(config: GenerateConfig, template: GoalTemplate) -> tuple[tuple[str, str], ...]:
    """Return what an episode keeps of the planner's limits and engine: nothing of the usual ones."""
    evaluations = limits_for(config, template).evaluations
    usual = evaluations in (None, settings().evaluations)
    told = ((ENGINE, config.effort.engine), (NUMBER, str(config.effort.plan or "")))
    return (*(() if usual else ((EVALUATIONS, str(evaluations)),)), *(each for each in told if each[1]))


def limits_of(episode: Episode) -> Limits:
    """Return what the planner might evaluate for a stored episode."""
    return Limits(evaluations=number_of(episode, EVALUATIONS) or settings().evaluations)


MOST_DIGITS = {EVALUATIONS: 15, NUMBER: 3}
"""Digits of a number of evaluations: no search makes more; and of a plan."""


def number_of(episode: Episode, name: str) -> int:
    """Return a number of a stored episode's extras; 0 where it has none."""
    kept = dict(episode.extras).get(name, "")
    return int(kept) if kept.isascii() and kept.isdecimal() and len(kept) <= MOST_DIGITS[name] else 0


# What a demonstration gives the speaker: what its goal means, and its legs as words need them.


RECORDED, RECORDED_AT = "traj_data", "traj_data_at"
"""Extras of imported episodes: the ``traj_data.json``, and its folder below the tree's."""

COLLECTION = "alfred"
"""The shipped templates, which are used where the user names none; their goals have rules of their own."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """The tables of ``data/meanings.json``."""

    rules: Mapping[str, str]
    slots: Mapping[str, str]
    older: Mapping[str, str]


meanings = reader_of(Meanings, "chorewright.generator.alfred", "data/meanings.json")
"""Returns what the shipped tasks mean to a speaker."""


def meaning_of(task: str, slots: Mapping[str, str], kinds: Kinds) -> GoalMeaning | None:
    """Return what a shipped task means; None if it is none, or is filled with what is no kind.

    Args:
        task: the template's name.
        slots: the kinds that fill its slots.
        kinds: all kinds.
    """
    rule = meanings().rules.get(task)
    if rule is None or any(kind not in kinds for kind in slots.values()):
        return None
    wholes = [name for name, traits in kinds.items() if traits.piece and traits.piece == slots.get("object")]
    return GoalMeaning(rule, {**slots, **({"whole": wholes[0]} if wholes else {})})


def speak(
    template: GoalTemplate, goal: Goal, legs: list[Leg], scene: Scene, rng: np.random.Generator, annotations: int
) -> tuple[Annotation, ...]:
    """Word a demonstration.

    A shipped task has a grammar of goals. A task of the user's is said as its template says it, and its steps take
    the nouns of its sentences. A sentence that takes for granted what the start does not hold is left out.

    Args:
        template: the task.
        goal: the filled template.
        legs: the plan's segments.
        scene: the start.
        rng: the only source of chance.
        annotations: how many annotators speak.
    """
    binding = dict(goal.binding)
    shipped = template.collection == COLLECTION
    meaning = meaning_of(template.name, binding, scene.kinds) if shipped else None
    if meaning is not None:
        return directives(meaning, legs, scene, rng, annotations=annotations)
    vocabulary = scene.kinds.vocabulary.kinds
    nouns = {kind: vocabulary[kind].noun for kind in binding.values() if kind in vocabulary}
    sentences = grant(tuple(dict.fromkeys(goal.sentences)), goal.goal, scene)
    if len(sentences) < annotations:  # nobody repeats another while there is another wording
        spare = wordings(goal.goal, scene.kinds.vocabulary)[: annotations - len(sentences)]
        sentences = tuple(dict.fromkeys((*sentences, *spare)))
    return directives(sentences, legs, scene, rng, annotations=annotations, nouns=nouns)


def few_wordings(template: GoalTemplate, annotators: int) -> str:
    """Return a note if there are more annotators than sentences to say a goal with."""
    count = len(template.sayings)
    if count >= annotators:
        return ""
    own = f"there {'are' if count != 1 else 'is'} {count} sentence{'s' * (count != 1)} for {annotators} annotators"
    return f"{own}; the others are made of the goal: add to :say"


@dataclass(frozen=True, slots=True)
class RecordedSegment:
    """One subgoal of a recording.

    Attributes:
        action: ALFRED's name of it.
        object_id: the recorded id of what it is about; of a macro the appliance. Empty for a walk.
        receptacle: the recorded id of what it is put into; empty if there is none.
        around: kind and position of the receptacle that it is taken from.
        location: where a walk ends.
        steps: its low-level actions: name, object id and receptacle id, each perhaps empty.
    """

    action: str
    object_id: str = ""
    receptacle: str = ""
    around: tuple[str, Vector] | None = None
    location: Pose | None = None
    steps: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """What a recording says: the task with its parameters, the room, where things are, and the subgoals."""

    task: str
    slots: Mapping[str, str]
    sliced: bool
    room: str
    start: Pose
    items: tuple[ItemPose, ...]
    segments: tuple[RecordedSegment, ...]


def older(kind: str) -> str:
    """Return today's name of a kind that an older AI2-THOR has named."""
    return meanings().older.get(kind, kind)


def parse_recording(source: JsonSource) -> Recording:
    """Read a ``traj_data.json``.

    Raises:
        InputError: It is none, or its room is not known; the error names the place.
    """
    document = root(source)
    scene = document["scene"]
    room = scene["floor_plan"].text("a room's name").split("_")[0]
    if room not in room_names():
        raise scene["floor_plan"].expected("one of the shipped rooms", "FloorPlan1 to FloorPlan430")
    start = scene["init_action"]
    pose = Pose(
        round(start["x"].number() / GRID),
        round(start["z"].number() / GRID),
        round(start["rotation"].number() / 90) % 4,
        round(start["horizon"].number()),
    )
    params = document["pddl_params"]
    slots = {slot: older(params[name].text()) for slot, name in meanings().slots.items() if params.get(name)}
    steps: dict[int, list[tuple[str, str, str]]] = {}
    for node in document["plan"]["low_actions"].items():
        steps.setdefault(node["high_idx"].whole(), []).append(_low(node))
    segments = tuple(
        _segment(node, tuple(steps.get(place, ()))) for place, node in enumerate(document["plan"]["high_pddl"].items())
    )
    return Recording(
        document["task_type"].text(),
        {slot: kind for slot, kind in slots.items() if kind},
        params["object_sliced"].flag(),
        room,
        pose,
        tuple(_item(node) for node in scene["object_poses"].items()),
        segments,
    )


def _item(node: Node) -> ItemPose:
    x, y, z = (node["position"][axis].number() for axis in "xyz")
    turned = tuple(node["rotation"][axis].number() for axis in "xyz")
    return ItemPose(node["objectName"].text(), (x, y, z), (turned[0], turned[1], turned[2]))


def _low(node: Node) -> tuple[str, str, str]:
    call = node["api_action"]
    ids = (_text(call, name) for name in ("objectId", "receptacleObjectId"))
    return (node["discrete_action"]["action"].text(), *ids)  # type: ignore[return-value]


def _text(node: Node, key: str) -> str:
    member = node.get(key)
    return member.text() if member else ""


def _segment(node: Node, steps: tuple[tuple[str, str, str], ...]) -> RecordedSegment:
    return _plan(node["discrete_action"]["action"].text(), node["planner_action"], steps)


def _plan(name: str, act: Node, steps: tuple[tuple[str, str, str], ...]) -> RecordedSegment:
    """Return a subgoal from its ``planner_action``."""
    location = None
    if name == GOTO:
        parts = act["location"].text().split("|")
        try:
            x, z, rotation, horizon = (round(float(part)) for part in parts[1:])
        except ValueError:
            raise act["location"].expected("loc|x|z|rotation|horizon") from None
        location = Pose(x, z, rotation % 4, horizon)
    around = None
    placed = act.get("coordinateReceptacleObjectId")
    if placed:
        kind, where = placed.items("a kind and its coordinates")
        numbers = [each.number() for each in where.items("six numbers")]
        if len(numbers) != 6:
            raise where.expected("six numbers: x, x, z, z, y, y")
        around = older(kind.text()), (numbers[0] * GRID, numbers[4] * GRID, numbers[2] * GRID)
    return RecordedSegment(name, _text(act, "objectId"), _text(act, "receptacleObjectId"), around, location, steps)


def read_scene(recording: Recording, kinds: Kinds) -> Scene:
    """Return the start of a recording: the shipped room with the recorded items."""
    room = load_room(recording.room, kinds)
    return replace(restore(room, recording.items, meanings().older), agent=recording.start)


def read_meaning(recording: Recording, kinds: Kinds) -> GoalMeaning | None:
    """Return what the goal of a recording means; None if its task is none of ALFRED's."""
    slots = dict(recording.slots)
    piece = kinds[slots.get("object", "")].piece
    if recording.sliced and piece:
        slots["object"] = piece
    return meaning_of(f"{recording.task}_sliced" if recording.sliced else recording.task, slots, kinds)


def episode_segments(episode: Episode) -> tuple[RecordedSegment, ...]:
    """Return the subgoals of a stored episode.

    Raises:
        InputError: A subgoal's details are not those of a demonstration in a room.
    """
    steps: dict[int, list[tuple[str, str, str]]] = {}
    for step in episode.steps:
        call = root(parse_json(step.arguments, f"episode {episode.index}"))
        steps.setdefault(step.segment, []).append(
            (step.action, _text(call, "objectId"), _text(call, "receptacleObjectId"))
        )
    noisy = {step.segment for step in episode.steps if noise_of(step)}  # such a walk is said as the expert's
    found = []
    for place, segment in enumerate(episode.segments):
        act = root(parse_json(segment.details, f"episode {episode.index}, segment {place}"))
        found.append(_plan(segment.action, act, () if place in noisy else tuple(steps.get(place, ()))))
    return tuple(found)


def legs_of(segments: Sequence[RecordedSegment], scene: Scene) -> tuple[Scene, tuple[Leg, ...]]:
    """Return the subgoals as the words need them, and the scene with what they take where they take it from.

    Args:
        segments: the subgoals in order.
        scene: the start, with the agent's pose.
    """
    find = partial(match, scene)
    pose, legs, parents = scene.agent, list[Leg](), dict[str, str]()
    for segment in segments:
        names = tuple(name for name, _, _ in segment.steps)
        if segment.location is not None and not names:
            names = Grid.of(scene).route(pose, segment.location) or ()
        item, receptacle = segment.object_id, segment.receptacle
        if segment.action in MACROS:
            receptacle = item
            item = next((thing for name, thing, _ in segment.steps if name == "PutObject"), "")
        elif segment.action == PICKUP and segment.around is not None:
            near = _nearest(scene, *segment.around)
            receptacle = near.object_id if near else ""
        if segment.action in (GOTO, END):
            item = receptacle = ""
        leg = Leg(segment.action, find(item), find(receptacle), pose, names)
        if leg.action == PICKUP and leg.receptacle_id and all(leg.object_id != each.object_id for each in legs):
            parents[leg.object_id] = leg.receptacle_id
        legs.append(leg)
        pose = segment.location or pose
    objects = tuple(
        replace(body, parents=(parents[body.object_id],)) if body.object_id in parents else body
        for body in scene.objects
    )
    return replace(scene, objects=objects), tuple(legs)


def match(scene: Scene, object_id: str) -> str:
    """Return the scene's id of what a recording calls by an id: the same, else the nearest of its kind."""
    parts = object_id.split("|")
    if len(parts) < 4 or any(body.object_id == object_id for body in scene.objects):
        return object_id
    try:
        where = (float(parts[1]), float(parts[2]), float(parts[3]))
    except ValueError:
        return object_id
    last = older(parts[4].split("_")[0]) if len(parts) > 4 else ""
    if last and scene.kinds[older(parts[0])].piece != last:
        near = _nearest(scene, last, where)
        return near.object_id if near else object_id
    near = _nearest(scene, older(parts[0]), where)
    tail = f"|{parts[4]}" if last else ""
    return (near.object_id if near else "|".join(parts[:4])) + tail


def _nearest(scene: Scene, kind: str, where: Vector) -> SceneObject | None:
    """Return the thing of a kind nearest to a point; of a kind that the room lacks, what stands at the point."""
    same = [body for body in scene.objects if body.kind == kind]
    if not same:
        around = (body for body in scene.objects if math.dist(body.position, where) <= 2 * GRID)
        same = [body for body in around if body.traits.receptacle]
    return min(same, key=lambda body: (math.dist(body.centre, where), body.object_id)) if same else None
