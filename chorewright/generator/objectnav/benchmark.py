"""ObjectNav's benchmark: a start, a kind of thing to find, the shortest path and sentences; its stored episodes.

Scenes are as they are: rooms as in AI2-THOR, houses as their files say, so that an exported episode can be played
where the scene can be built. What fails on the way rejects the attempt with a reason; then another start and target are
drawn.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chorewright.errors import InputError, Location, UsageError
from chorewright.files.english import require_known
from chorewright.files.lazily import ReadSequence
from chorewright.generator.dataset.config import Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Instruction, Segment, Step
from chorewright.generator.dataset.options import NoOptions, read_options
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.demonstration import instructions_of
from chorewright.generator.household.own_scenes import find_scenes, scene_of
from chorewright.generator.household.spawning import room_of
from chorewright.generator.objectnav.options import ObjectNavOptions, settings
from chorewright.generator.production.attempts import Attempt, Rejection
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.production.sampling import check_splits
from chorewright.generator.training.exporter import Exported, Exporter, export_folder
from chorewright.problems.household.houses.reading import house_record
from chorewright.problems.household.houses.source import house_seed, named_house
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.rooms import building_extras, room_names
from chorewright.problems.household.scene import GRID, Pose, Scene, is_house_name
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.objectnav import world
from chorewright.rsa.household.directives import END, Leg, directives
from chorewright.rsa.words.guesses import household_lexicon

if TYPE_CHECKING:
    from chorewright.generator.household.moments import HouseholdMoments


# Stored episodes of ObjectNav: what agents play, and the RoboTHOR challenge's files.


NAME = "objectnav"
SHORTEST = "shortest_path_length"
"""The extra with the metres of a shortest path."""

PATH = "shortest_path"
"""The extra with the points of a shortest path, as JSON: x, y and z in metres."""


def task_of(episode: Episode) -> world.NavigationTask:
    """Return what an agent plays of a stored episode.

    Raises:
        InputError: It is no episode of ObjectNav.
    """
    extras = dict(episode.extras)
    target = dict(episode.parameters).get("target")
    if target is None or SHORTEST not in extras:
        raise InputError(f"episode {episode.index} of the benchmark {episode.benchmark} is not one of ObjectNav")
    return world.NavigationTask(str(episode.index), room_of(episode), target, float(extras[SHORTEST]), episode.split)


def tasks_at(folder: Path, split: str | None = None) -> ReadSequence[world.NavigationTask]:
    """Return the tasks of a dataset.

    Raises:
        UsageError: There is nothing at the path.
        InputError: It has no episodes of ObjectNav, or none of the split.
        DatasetCorrupt: It is damaged, or not finished.
    """
    if not folder.exists():
        raise UsageError("there is no such folder", location=Location(str(folder)))
    dataset = Dataset(folder) if split is None else Dataset(folder).filter(split=split)
    if not len(dataset):
        where = "" if split is None else f" of the split {split}"
        raise InputError(f"there are no accepted episodes{where}", location=Location(str(folder)))
    task_of(dataset[0])
    return ReadSequence(len(dataset), lambda place: task_of(dataset[place]))


# ObjectNav's episodes as the RoboTHOR challenge's files: one list of episodes for each scene, and the houses.
#
# Layout: ``SPLIT/episodes/SCENE.json.gz``, and ``SPLIT/houses/SCENE.json.gz`` for houses that are generated from seeds,
# for AI2-THOR's ``CreateHouse``. The houses of a user's own files are not written again.


SUFFIX = ".json.gz"


class ObjectNavExporter(Exporter[NoOptions]):
    """Writes accepted episodes as the RoboTHOR challenge has them."""

    name = "objectnav"
    accepts = ("objectnav",)
    options = NoOptions

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes and houses; see ``Exporter.write``."""
        folder = export_folder(episodes, target, self.name)
        by_scene: dict[tuple[str, str], list[Mapping[str, object]]] = {}
        for episode in folder.take(self.follow(episodes)):
            by_scene.setdefault((episode.split, room_of(episode).name), []).append(record(episode))
        for (split, scene), records in by_scene.items():
            folder.write((split, "episodes", f"{file_name(scene)}{SUFFIX}"), _pack(records))
            if is_house_name(scene):
                house = house_record(named_house(scene))
                folder.write((split, "houses", f"{file_name(scene)}{SUFFIX}"), _pack(house))
        return folder.report()


def file_name(scene: str) -> str:
    """Return what a scene is called in files: ``house_7`` for ``house:7``."""
    return scene.replace(":", "_")


def record(episode: Episode) -> dict[str, object]:
    """Return an episode with the members of the RoboTHOR challenge's; positions in metres, angles in degrees."""
    task, name = task_of(episode), file_name(room_of(episode).name)
    extras = dict(episode.extras)
    start = task.start
    return {
        "id": f"{name}_{task.target}_{episode.index}",
        "scene": name,
        "object_type": task.target,
        "initial_position": {"x": start.x * GRID, "y": task.scene.agent_y, "z": start.z * GRID},
        "initial_orientation": 90 * start.rotation,
        "initial_horizon": start.horizon,
        "shortest_path": [dict(zip("xyz", point, strict=True)) for point in json.loads(extras[PATH])],
        "shortest_path_length": task.shortest,
    }


def _pack(value: object) -> bytes:
    return gzip.compress(json.dumps(value, ensure_ascii=False, allow_nan=False).encode(), mtime=0)


GOTO, STOP = "GotoLocation", "Stop"
"""The segments of an episode: the way, and the action that ends it."""

OF_A_KIND = 30
"""iTHOR's rooms of each kind."""


def split_of(scene: str) -> str:
    """Return the split of a scene, which follows from its name.

    Of iTHOR's rooms the last ten of each kind are held back, of ten other scenes two. Generated houses go by the tens
    of their seeds, as with ALFRED and TEACh: those of 80 to 99 of a hundred are held back there, too.
    """
    if scene in room_names():
        number = room_names().index(scene) % OF_A_KIND + 1
        return next(split for split, (first, last) in settings().rooms.items() if first <= number <= last)
    tens = house_seed(scene) // 10 if is_house_name(scene) else sha256(scene.encode()).digest()[0]
    place = tens % sum(settings().others.values())
    for split, count in settings().others.items():
        place -= count
        if place < 0:
            return split
    raise AssertionError("the shares have a place for each scene")


def in_splits(scenes: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return the scenes of some splits, of all if none is named.

    Raises:
        UsageError: There is no such split, or no scene is in them.
    """
    check_splits(settings().rooms, asked)
    found = [scene for scene in scenes if not asked or split_of(scene) in asked]
    if not found:
        raise UsageError(f"none of the scenes is in the split {' or '.join(asked)}", hint="ask for more scenes")
    return found


@dataclass(frozen=True, slots=True)
class NavigationCandidate:
    """A start in a scene, and the kind to find; no kind if the scene has none."""

    scene: str
    target: str
    start: Pose
    seed: int


@dataclass(frozen=True, slots=True)
class NavigationResult:
    """What came of an attempt: the scene with the agent at its start, the way, and the id of what is found."""

    scene: Scene
    way: world.NavigationWay | None = None
    found: str = ""


NavigationAttempt: TypeAlias = Attempt[NavigationCandidate, NavigationResult]


class ObjectNavBenchmark(Benchmark[NavigationCandidate, NavigationResult]):
    """Episodes of ObjectNav in rooms and houses."""

    name = NAME
    world = "household"
    options = ObjectNavOptions
    stages = ("target", "start")

    def __init__(self) -> None:
        self._renderer = Renderer()

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: the scenes in turn, each round in another order.

        Raises:
            UsageError: There is no such scene, split or kind.
        """
        asked = read_options(ObjectNavOptions, config)
        _targets(asked)
        if asked.least_metres > asked.most_metres:
            raise UsageError("--least-metres must not be more than --most-metres")
        scenes = in_splits(find_scenes(config, asked.scenes, shipped_kinds()), asked.splits)
        found: list[Assignment] = []
        for turn in range(-(-count // len(scenes))):
            for place in random_for(config, turn, stream=1).permutation(len(scenes)).tolist():
                scene = scenes[place]
                found.append(Assignment(len(found), NAME, (), scene, split_of(scene), turn))
        return found[:count]

    def candidates(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        rng: np.random.Generator,
        tried: Sequence[NavigationAttempt],
    ) -> Iterator[NavigationCandidate]:
        """Yield targets that the scene has, each with a start; all kinds are as likely."""
        scene = scene_of(config, assignment.scene, shipped_kinds())
        there = {body.kind for body in scene.objects}
        kinds = [kind for kind in _targets(read_options(ObjectNavOptions, config)) if kind in there]
        points = sorted(Grid.of(scene).reachable(scene.agent))
        if not kinds or not points:
            yield NavigationCandidate(assignment.scene, "", scene.agent, 0)
            return
        for _ in range(settings().tries):
            point = points[int(rng.integers(len(points)))]
            start = Pose(*point, int(rng.integers(4)), world.START_HORIZON)
            yield NavigationCandidate(
                assignment.scene, kinds[int(rng.integers(len(kinds)))], start, int(rng.integers(2**31))
            )

    def attempt(self, config: GenerateConfig, candidate: NavigationCandidate) -> NavigationAttempt:
        """Look for the shortest path from the start to where the target is visible."""
        asked = read_options(ObjectNavOptions, config)
        scene = replace(scene_of(config, candidate.scene, shipped_kinds()), agent=candidate.start)
        if not candidate.target:
            return Attempt(
                candidate, NavigationResult(scene), Rejection("target", "the scene has nothing of these kinds")
            )
        goals = world.Goals(scene, candidate.target, self._renderer)
        way = world.shortest_way(frozenset(scene.grid), scene.agent, goals)
        if way is None:
            return Attempt(
                candidate, NavigationResult(scene), Rejection("target", f"no {candidate.target} is visible from near")
            )
        if not asked.least_metres <= way.metres <= asked.most_metres:
            return Attempt(candidate, NavigationResult(scene), Rejection("start", f"the path has {way.metres:g} m"))
        seen = min((body for body in goals.bodies if goals.only(body).sees(way.end)), key=lambda body: body.object_id)
        return Attempt(candidate, NavigationResult(scene, way, seen.object_id))

    def label(self, candidate: NavigationCandidate) -> str:
        """Return the kind to find."""
        return candidate.target

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: NavigationAttempt, rng: np.random.Generator
    ) -> Episode:
        """Say the way in words."""
        candidate, made = attempt.candidate, attempt.made
        assert made is not None
        blank = replace(
            blank,
            seed=candidate.seed,
            task=f"{NAME}/{candidate.target}" if candidate.target else NAME,
            parameters=(("target", candidate.target),),
            scene=replace(made.scene, building=None),  # of it tell the extras
            domain_sha256=made.scene.kinds.domain_sha256,
            extras=building_extras(made.scene),
        )
        if made.way is None:
            return blank
        asked, way = read_options(ObjectNavOptions, config), made.way
        points = [[x * GRID, made.scene.agent_y, z * GRID] for x, z in way.points]
        return replace(
            blank,
            goal=f"(visible {candidate.target})",
            segments=(Segment(GOTO, (candidate.target.lower(),)), Segment(STOP, ())),
            steps=(
                *(Step(action, 0) for action in way.actions),
                Step(world.DONE, 1, json.dumps({"objectId": made.found})),
            ),
            instructions=instructions(made, candidate.target, rng, asked.annotations),
            outcome=replace(blank.outcome, conditions=(("target visible", True),)),
            extras=(*blank.extras, (SHORTEST, f"{way.metres:g}"), (PATH, json.dumps(points, separators=(",", ":")))),
        )

    def moments(self) -> HouseholdMoments:
        """Return what runs episodes again and draws the agent's view."""
        from chorewright.generator.household.moments import HouseholdMoments, action_names

        return HouseholdMoments(objectnav_world, action_names(__package__))


def objectnav_world() -> tuple[ThorWorld, ThorWorld]:
    """Return the THOR world as ObjectNav's agent sees it and turns in it; it is its own simulator."""
    thor = ThorWorld(world.SETTINGS)
    return thor, thor


def instructions(
    made: NavigationResult, target: str, rng: np.random.Generator, annotations: int
) -> tuple[Instruction, ...]:
    """Return what to find, and the way there, in each annotator's words."""
    assert made.way is not None
    noun = household_lexicon().with_kinds(made.scene.kinds.vocabulary).words(target).nouns[0]
    wordings = settings().plural_wordings if noun.only_plural else settings().wordings
    *_, last = (made.scene.agent, *world.follow(made.scene.agent, made.way.actions))
    legs = [Leg(GOTO, pose=made.scene.agent, actions=made.way.actions), Leg(END[0], made.found, pose=last)]
    said = directives([each.format(a=noun.a()) for each in wordings], legs, made.scene, rng, annotations=annotations)
    return instructions_of(said)


def _targets(asked: ObjectNavOptions) -> tuple[str, ...]:
    """Return the kinds to be found.

    Raises:
        UsageError: There is no such kind.
    """
    for name in asked.targets:
        require_known(name, shipped_kinds(), f"there is no kind {name!r}")
    return tuple(dict.fromkeys(asked.targets)) or settings().targets
