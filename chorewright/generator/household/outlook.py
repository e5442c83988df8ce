"""Places from which a scattered room's things are seen, what the agent sees as it acts, and what no pose shows.

What a goal is about lies where a demonstrator sees it: from where it would stand for it, or else from another place
nearby. What nobody can see lies elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.pddl.syntax import Formula
from chorewright.errors import InputError
from chorewright.files.processes import Timed
from chorewright.files.records import reader_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.own_scenes import scene_facts
from chorewright.generator.household.possibilities import RoomFacts
from chorewright.generator.household.spawning import predicates_wanted
from chorewright.generator.production.sampling import Choice
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Pose, Scene, SceneObject
from chorewright.problems.household.sight import HALF_VIEW, handles, poses_around, stand_pose
from chorewright.problems.household.spawn import SpawnRequest, place_elsewhere
from chorewright.replay.household.executor import LowAction
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld

SIZE = 300
"""Pixels on a side of ALFRED's pictures."""

SMALLEST = 14
"""Pixels of the smallest mask in ALFRED's data; of which less is seen, that is hidden."""

MOST_LOOKS = 16
"""Poses from which a hidden thing is looked for."""

MOST_MOVES = 8
"""Places that are tried for a thing that nobody can see."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A scene whose goal's things can be seen, and from where those are handled that are hidden as one would stand."""

    scene: Scene
    chosen: Mapping[str, Pose]


@Timed("spawn")
def with_outlook(
    room: Scene, scene: Scene, request: SpawnRequest, renderer: Renderer, rng: np.random.Generator
) -> Outlook:
    """Return a spawned scene in which the items of the kinds that the request counts are seen from somewhere.

    Args:
        room: The room as it was before it was scattered.
        scene: As it is now.
        request: What the spawn provided.
        renderer: What draws.
        rng: Decides where hidden things go.
    """
    chosen: dict[str, Pose] = {}
    names = [one.object_id for one in scene.objects if one.kind in request.counts]
    for name in names:
        body = next(one for one in scene.objects if one.object_id == name)
        for _ in range(MOST_MOVES):
            found = seen_from(scene, body, renderer)
            if found is not None:
                if found.chosen is not None:
                    chosen[found.object_id] = found.chosen
                break
            moved = place_elsewhere(room, scene, body, rng, request)
            if moved is None:
                break
            scene, body = moved
    return Outlook(scene, chosen)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is handled from where; ``chosen`` is None if that is its usual pose."""

    object_id: str
    chosen: Pose | None


def seen_from(scene: Scene, body: SceneObject, renderer: Renderer) -> Sighting | None:
    """Return from where a thing is seen, or, behind a door, what it lies in; None if from nowhere."""
    bodies = {one.object_id: one for one in scene.objects}
    around = next((bodies[name] for name in body.parents if name in bodies), None)
    target = around if around is not None and around.traits.closable else body
    grid = Grid.of(scene)
    usual = stand_pose(scene, grid, target)
    if usual is None:
        return None
    if _sees(scene, usual, target, renderer):
        return Sighting(target.object_id, None)
    for pose in poses_around(grid, scene.agent_y, target)[:MOST_LOOKS]:
        if _sees(scene, pose, target, renderer):
            return Sighting(target.object_id, pose)
    return None


def _sees(scene: Scene, pose: Pose, thing: SceneObject, renderer: Renderer) -> bool:
    place = (pose.x * GRID, scene.agent_y + ALFRED_SETTINGS.camera_height, pose.z * GRID)
    view = Camera(place, 90.0 * pose.rotation, float(pose.horizon), ALFRED_SETTINGS.field_of_view, SIZE, SIZE)
    return int(renderer.masks.mask(scene, view, thing.object_id).sum()) >= SMALLEST


# From where things are handled besides: an episode's own stand poses.


STANDS = "stands"
"""The extra of an episode that tells from where things are handled besides."""

Stands = tuple[tuple[str, Pose], ...]
"""Object ids, and from where these are handled."""

NEAREST_STANDS = 6
"""Of so many poses from which a thing is seen and reached, the nearest ones, one is drawn."""


def vary_stands(outlook: Outlook, kinds: Collection[str], renderer: Renderer, rng: np.random.Generator) -> Outlook:
    """Return a scene whose things of some kinds are handled from drawn poses: near ones from which they are seen.

    Args:
        outlook: The scene; what is hidden from its usual pose keeps the one that shows it.
        kinds: Kinds of items and fixtures.
        renderer: What draws.
        rng: The only source of chance.
    """
    scene, grid, chosen = outlook.scene, Grid.of(outlook.scene), dict(outlook.chosen)
    walkable = grid.reachable(scene.agent)
    for body in scene.objects:
        if body.kind not in kinds or body.object_id in chosen:
            continue
        found = []
        for pose in map(grid.tilted, poses_around(grid, scene.agent_y, body)):
            reached = (pose.x, pose.z) in walkable and handles(scene, pose, body, HALF_VIEW)
            if reached and _sees(scene, pose, body, renderer):
                found.append(pose)
            if len(found) == NEAREST_STANDS:
                break
        if found:
            chosen[body.object_id] = found[int(rng.integers(len(found)))]
    return Outlook(scene, chosen)


def stands_extras(stands: Stands) -> tuple[tuple[str, str], ...]:
    """Return what an episode's extras say of where one stands besides; nothing if nowhere."""
    told = [[each, pose.x, pose.z, pose.rotation, pose.horizon] for each, pose in stands]
    return ((STANDS, json.dumps(told)),) if told else ()


def stands_of(episode: Episode) -> Stands:
    """Return from where things are handled besides in a stored session.

    Raises:
        InputError: Its record is none.
    """
    text = dict(episode.extras).get(STANDS, "[]")
    try:
        return tuple((str(each), Pose(*(int(value) for value in pose))) for each, *pose in json.loads(text))
    except (TypeError, ValueError) as error:
        raise InputError(f"episode {episode.index} does not tell where one stands: {error}") from error


# Whether the agent sees what it acts on: ALFRED's generator gives up where less than ten pixels show.


@dataclass(slots=True)
class Sight:
    """Looks before each interaction.

    Attributes:
        world: Where the actions are run.
        renderer: What draws; it may serve many attempts.
        hidden: The first action that the agent did not see the target of; empty if there is none.
        target: The id of that target.
        place: Where the agent stood.
        better: What to handle from another pose so that it is seen, by its id at the start, and the pose; None for
            the pose if none shows it.
        tried: The poses from which things have been handled in vain, by their ids at the start.
    """

    world: ThorWorld
    renderer: Renderer = field(default_factory=Renderer)
    hidden: str = ""
    target: str = ""
    place: Pose | None = None
    better: tuple[str, Pose | None] | None = None
    tried: Mapping[str, Collection[Pose]] = field(default_factory=dict)

    def before(self, action: LowAction) -> None:
        """Look for the target of an action, unless one was hidden before; if it is hidden, look from elsewhere."""
        told = action.call.arguments
        target = str(told.get("receptacleObjectId") or told.get("objectId") or "")
        if not target or self.hidden or target == self.world.room.holding or self.sees(target):
            return
        self.hidden = f"{action.name} {target}: the agent does not see it"
        self.target, self.place = target, self.world.room.pose()
        self.better = self._elsewhere(target)

    def after(self, action: LowAction, success: bool) -> None:
        """Do nothing."""

    def begin(self, tried: Mapping[str, Collection[Pose]]) -> None:
        """Forget what was seen, for another run; look from other poses than those that were tried."""
        self.hidden, self.target, self.place, self.better, self.tried = "", "", None, None, tried

    def sees(self, target: str) -> bool:
        """Return whether an object is in the agent's picture now, large enough to be acted on."""
        mask = self.renderer.masks.mask(self.world.scene(), agent_camera(self.world.room, SIZE), target)
        return int(mask.sum()) >= SMALLEST

    def _elsewhere(self, target: str) -> tuple[str, Pose | None] | None:
        """Return what decides from where a target is handled, and a pose from which it is seen, if there is one."""
        room = self.world.room
        body, anchor = room.objects.get(target), self._anchor(target)
        if body is None or anchor is None:
            return None
        height = room.origin.agent_y
        before = self.tried.get(anchor.object_id, ())
        looks = 0
        for pose in poses_around(Grid.of(room.origin), height, body):
            if pose in before or not handles(room.origin, pose, anchor, HALF_VIEW):
                continue
            with self._at(pose):
                if room.obstacle_to(body) is None and self.sees(target):
                    return anchor.object_id, pose
            looks += 1
            if looks == MOST_LOOKS:
                break
        return anchor.object_id, None

    def _anchor(self, target: str) -> SceneObject | None:
        """Return what the problem ties the target's pose to: itself, what it works on, or what it now lies in."""
        room = self.world.room
        body = room.objects.get(target)
        if body is None:
            return None
        start = next((one for one in room.origin.objects if one.object_id == target), None)
        if start is not None and start.parents == body.parents:
            worked = [room.objects[name] for name in start.controls if name in room.objects and name != target]
            return worked[0] if worked else body
        fixtures = [room.objects[name] for name in room.around(target) if not room.objects[name].traits.item]
        return fixtures[0] if fixtures else None

    @contextmanager
    def _at(self, pose: Pose) -> Iterator[None]:
        """Put the agent elsewhere for a look."""
        room = self.world.room
        before = room.x, room.z, room.rotation, room.horizon
        room.place_agent(pose)
        try:
            yield
        finally:
            room.x, room.z, room.rotation, room.horizon = before


# What no pose of a room shows: ALFRED's demonstrators never handle it, so no task is drawn that needs it.
#
# That are fixtures, and items once they lie in what cleans, heats or cools them: an egg in a deep basin. The 120 rooms'
# are stored; ``benchmarks.shipped.unseen`` finds them.


@dataclass(frozen=True, slots=True)
class Unseen:
    """What no pose of a room shows.

    Attributes:
        fixtures: The kinds of fixtures of which none is seen.
        items: For a predicate of a goal, the kinds of items that are not seen once they lie in what brings it about.
    """

    fixtures: tuple[str, ...] = ()
    items: Mapping[str, tuple[str, ...]] | None = None

    def hides(self, predicates: Collection[str], kinds: Collection[str]) -> bool:
        """Return whether a goal with these predicates and kinds of things needs an item seen that is not."""
        return any(
            predicate in predicates and not set(hidden).isdisjoint(kinds)
            for predicate, hidden in (self.items or {}).items()
        )


ALL_SEEN = Unseen()


unseen_in_rooms = reader_of(dict[str, Unseen], "chorewright.generator.household", "data/unseen.json")
"""Returns what is stored, by room; rooms that show everything are left out."""


def facts_in_sight(config: GenerateConfig, name: str, kinds: Kinds) -> RoomFacts:
    """Return what a scene offers, without what no pose of a shipped room shows."""
    facts = scene_facts(config, name, kinds)
    return facts.without(unseen_in_rooms()[name].fixtures) if name in unseen_in_rooms() else facts


def all_shown(choices: Sequence[Choice], goal: Formula) -> tuple[Choice, ...]:
    """Return choices without the shipped rooms that hide what a goal is about while it is dealt with."""
    asked, known = frozenset(predicates_wanted(goal)), unseen_in_rooms()
    found = []
    for choice in choices:
        kinds = [kind for _, kind in choice.parameters]
        scenes = tuple(name for name in choice.scenes if not known.get(name, ALL_SEEN).hides(asked, kinds))
        if scenes:
            found.append(replace(choice, scenes=scenes))
    return tuple(found)
