"""Episodes in the rooms run again, in ours or a real build: the agent's view, the map of films and pages, trajectories.

A trajectory has a frame before each step, and a last one in which the agent stops.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.files.records import reader_of
from chorewright.files.text import clear_leftovers, write_atomically
from chorewright.generator.dataset.episode import PERTURBED, Episode, Step, json_object
from chorewright.generator.household.cameras import AGENT, USUAL_CAMERAS, RoomCamera, room_cameras
from chorewright.generator.household.noise import COMMANDED, noise_of, without_noise
from chorewright.generator.household.spawning import room_of
from chorewright.generator.showing.moments import FilmStyle, Moment, Picture, moments_of
from chorewright.generator.showing.views import USUAL, CameraView
from chorewright.generator.training.trajectory import Column, Feature, FrameSentences, Trajectories
from chorewright.problems.household.scene import GRID, Pose, Scene, Vector
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.map_view import map_camera, map_view
from chorewright.replay.household.pixels.other_looks import RoomLook
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.real.simulator import RealThor, SimulatorFault
from chorewright.replay.household.room import RoomSettings
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, Event, Frame, Simulator, SimulatorAction

MAP = 300
"""Pixels on a side of a page's map."""
STOP = "Stop"
"""The action of the last frame."""

FEATURES = (
    Feature(
        "observation.state",
        "float32",
        ("x", "y", "z", "rotation", "horizon"),
        "the agent's camera, in metres and degrees",
    ),
    Feature("action", "int64", ("action",), "the action's number"),
    Feature("action.point", "float32", ("x", "y"), "the click in the picture, 0 to 1, y down; -1 without one"),
    Feature("action.name", "string", ("name",), "the action's name"),
    Feature("action.object", "string", ("object_id",), "the id of what is acted on; empty if nothing"),
    Feature("action.arguments", "string", ("json",), "the simulator's call"),
)
"""The state is the agent's camera in metres and degrees. ``action`` numbers the benchmark's actions, ``action.point``
is where in the picture it clicks (from 0 to 1, x to the right, y down; -1 for actions without a click)."""

MakeWorld = Callable[[], tuple[ThorWorld, Simulator[Scene]]]
"""Makes a THOR world, and the simulator in it that takes the steps: TEACh's actions or the world itself."""

BuildCalls = Callable[[SimulatorAction], Sequence[SimulatorAction]]
"""Makes a real build's calls of one that was recorded."""


def as_recorded(call: SimulatorAction) -> Sequence[SimulatorAction]:
    """Return a recorded call that a build knows as it is."""
    return (call,)


def no_problem(episode: Episode) -> Problem | None:
    """Return no planning problem."""
    return None


class RoomRun:
    """A world in which an episode is run again, as it is now.

    Attributes:
        scene: All objects, and the agent's pose.
        renderer: What draws it.
        path: The poses of the agent that a film has shown.
        marks: The places on a film's map that steps are about, by kind.
    """

    def __init__(self, make: MakeWorld, episode: Episode) -> None:
        """Set a world up as an episode begins."""
        self.world, self._simulator = make()
        self._simulator.reset(room_of(episode))
        self.scene = self.world.scene()
        self.renderer = Renderer()
        self._seed, self._others = (episode.seed, episode.index), dict[tuple[bool, int], Renderer]()
        self.path: list[Pose] = []
        self.marks: Mapping[str, Vector] = {}

    def step(self, step: Step) -> str:
        """Run a step; return why it does not go as it did."""
        difference = run_again(self._simulator, step)
        self.scene = self.world.scene()
        return difference

    def look(self, camera: RoomCamera, size: int) -> Frame:
        """Return what a camera sees, so many pixels high."""
        key = camera.kind == AGENT, camera.look
        if key not in self._others:
            look = RoomLook((*self._seed, camera.look)) if camera.look else None
            self._others[key] = self.renderer if key == (True, 0) else Renderer(look)
        place = camera.place_in(self.world.room, self.scene, size)
        return self._others[key].frame(camera.sees(self.scene), place)

    def camera(self, size: int) -> Camera:
        """Return the agent's camera, for a picture of ``size`` pixels on a side."""
        return agent_camera(self.world.room, size)

    def frame(self, size: int) -> Frame:
        """Return what the agent sees."""
        return self.renderer.frame(self.scene, self.camera(size))


NOISE_FEATURES = (
    Feature("action.commanded", "int64", ("action",), "the number of the expert's action"),
    Feature("action.commanded.object", "string", ("object_id",), "what the expert's action is about"),
    Feature(PERTURBED, "int64", (PERTURBED,), "1 where noise has put another action in the place of the expert's"),
)
"""What datasets with noise have besides: the expert's action in each frame, and whether another one was done."""


@dataclass(frozen=True, slots=True)
class HouseholdMoments(Trajectories[RoomRun]):
    """Runs and draws episodes whose steps are calls of a THOR world.

    Attributes:
        make: Makes the world that the steps were recorded in.
        actions: The names of the benchmark's actions in order, ``Stop`` among them: their places are ``action``.
        stored_problem: Makes an episode's planning problem again.
        build_calls: Makes a real build's calls of a recorded one.
        features: What a frame has.
        cameras: Who looks.
    """

    make: MakeWorld
    actions: tuple[str, ...] = ()
    stored_problem: Callable[[Episode], Problem | None] = no_problem
    build_calls: BuildCalls = as_recorded
    features: tuple[Feature, ...] = FEATURES
    cameras: tuple[RoomCamera, ...] = USUAL_CAMERAS

    robot = "thor_agent"
    style = FilmStyle(240, 4, lines=3, bar=True)
    oversampled = 2

    def set_up(self, episode: Episode) -> RoomRun:
        """Return a world that begins in the episode's room."""
        return RoomRun(self.make, episode)

    def step(self, world: RoomRun, step: Step) -> str:
        """Run a step."""
        return world.step(step)

    def draw(self, world: RoomRun, sizes: Sequence[int]) -> Sequence[Frame]:
        """Return what the agent sees."""
        return [world.look(camera, size) for camera, size in zip(self.cameras, sizes, strict=False)]

    def with_view(self, view: CameraView) -> HouseholdMoments:
        """Return what draws by other cameras; see ``Moments.with_view``."""
        return self if view == USUAL else replace(self, cameras=tuple(room_cameras(view)))

    def still(self, moment: Moment[RoomRun], size: int) -> Picture:
        """Return the agent's view and, beside it, the map with its path so far."""
        run = moment.world
        if self.cameras != USUAL_CAMERAS:
            return Trajectories.still(self, moment, size)
        run.marks = run.marks or _marks(moment.episode)
        run.path.append(run.scene.agent)
        plan = map_view(run.renderer, run.scene, size, run.path, run.marks)[:size]
        return np.concatenate((run.frame(size).rgb, plan), axis=1)

    def map(self, world: RoomRun) -> Picture:
        """Return the room from above."""
        return world.renderer.frame(world.scene, map_camera(world.scene, MAP)).rgb

    def place(self, world: RoomRun) -> Sequence[float]:
        """Return where the agent is, and which way it looks."""
        scene, pose = world.scene, world.scene.agent
        at = map_camera(scene, MAP).project((pose.x * GRID, scene.agent_y - 0.9, pose.z * GRID))
        assert at is not None
        return round(at[0] / MAP, 4), round(at[1] / MAP, 4), round(radians(90 * pose.rotation), 4)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the household domain and the problem that the plan solves."""
        problem = self.stored_problem(episode)
        return None if problem is None else (room_of(episode).kinds.domain, problem)

    def sentences(self, episode: Episode) -> FrameSentences:
        """Return the goal as task, and the latest order that was given as subtask, by the first annotator."""
        own = [each for each in episode.instructions if each.annotation == 0]
        goal = next((each.text for each in own if each.level == "goal"), episode.goal)
        orders = [(each.segment or 0, each.text) for each in own if each.level == "step"]
        latest: dict[int, str] = {}
        segments = [step.segment for step in episode.steps]
        for segment in dict.fromkeys(segments):
            given = [text for at, text in orders if at <= segment]
            latest[segment] = given[-1] if given else goal
        told = [latest[segment] for segment in segments]
        return FrameSentences([goal] * (len(told) + 1), [*told, told[-1] if told else goal])

    def columns(self, episode: Episode) -> Mapping[str, Column]:
        """Return the agent's pose and action in each frame; the episode is run again for it."""
        cameras = [moment.world.camera(16) for moment in self.moments(episode)]
        told: list[Mapping[str, Argument]] = [step.call() for step in episode.steps]
        names = [step.action for step in episode.steps] + [STOP]
        if unknown := sorted(set(names) - set(self.actions)):
            raise DatasetCorrupt(f"episode {episode.index} has an unknown action {unknown[0]!r}")
        poses = [(*each.position, each.rotation, each.horizon) for each in cameras]
        noise = [] if self.features == FEATURES else [noise_of(step) for step in episode.steps]
        points = [[_number(each, "x"), _number(each, "y")] for each in told] + [[-1.0, -1.0]]
        return {
            "observation.state": np.array(poses, np.float32),
            "action": np.array([[self.actions.index(name)] for name in names], np.int64),
            "action.point": np.array(points, np.float32),
            "action.name": names,
            "action.object": [str(each.get("objectId", "")) for each in told] + [""],
            "action.arguments": [step.arguments for step in episode.steps] + ["{}"],
            **self._expert_columns(noise, names, told),
        }

    def with_noise(self) -> HouseholdMoments:
        """Return a reader that tells what the expert would have done; see ``Trajectories.with_noise``."""
        return replace(self, features=(*FEATURES, *NOISE_FEATURES))

    def _expert_columns(
        self, noise: Sequence[Mapping[str, Any]], names: Sequence[str], told: Sequence[Mapping[str, Argument]]
    ) -> Mapping[str, Column]:
        if not noise:
            return {}
        done = [{"action": name, **call} for name, call in zip(names, told, strict=False)]
        meant = [
            each.get(COMMANDED, {**own, "action": name}) for each, own, name in zip(noise, done, names, strict=False)
        ]
        numbers = [[self.actions.index(each["action"])] for each in meant]
        return {
            "action.commanded": np.array([*numbers, [self.actions.index(STOP)]], np.int64),
            "action.commanded.object": [*(str(each.get("objectId", "")) for each in meant), ""],
            PERTURBED: np.array([[int(bool(each))] for each in noise] + [[0]], np.int64),
        }


def call_of(name: str, arguments: str) -> SimulatorAction:
    """Return the simulator's call: ALFRED's steps carry it whole, TEACh's its object."""
    told: Mapping[str, Argument] = json_object(arguments, f"arguments of the step {name!r}")
    call = {key: value for key, value in without_noise(told).items() if key != "action"}
    return SimulatorAction(str(told.get("action", name)), call)


def run_again(simulator: Simulator[Scene], step: Step) -> str:
    """Run a recorded step; return why it does not go as it did."""
    event = simulator.step(call_of(step.action, step.arguments))
    return "" if event.success == step.success else event.error_message or "it succeeds"


def find_difference(simulator: Simulator[Scene], steps: Iterable[Step]) -> str:
    """Run recorded steps; return why the first that does not go as it did does not, or an empty text."""
    told = (
        f"step {number}, {step.action}: {why}"
        for number, step in enumerate(steps)
        if (why := run_again(simulator, step))
    )
    return next(told, "")


def action_names(package: str) -> tuple[str, ...]:
    """Return a benchmark's actions from ``data/actions.json`` of its package."""
    return reader_of(tuple[str, ...], package, "data/actions.json", "actions")()


def _marks(episode: Episode) -> dict[str, Vector]:
    """The places that the steps are about, by kind."""
    bodies = {body.object_id: body for body in room_of(episode).objects}
    told = " ".join(step.arguments for step in episode.steps)
    return {name.split("|")[0]: body.centre for name, body in bodies.items() if f'"{name}"' in told}


def _number(told: Mapping[str, Argument], name: str) -> float:
    value = told.get(name) if "objectId" in told else None
    return float(value) if isinstance(value, int | float) else -1.0


# Stored episodes run again on a real build of AI2-THOR: retried after its faults, then put in quarantine.

FOLDER = "ai2thor"
"""Below a dataset's folder: pictures and the report."""


@dataclass(frozen=True, slots=True)
class RealRun:
    """How an episode went on a real build.

    Attributes:
        episode: Its index.
        outcome: ``replayed``, ``failed`` (a step went otherwise than recorded) or ``quarantined``.
        steps: How many steps were done as recorded.
        reason: Why it is not replayed.
        faults: What the build did wrong on the way, one reason for each attempt that it ended.
    """

    episode: int
    outcome: str
    steps: int
    reason: str = ""
    faults: tuple[str, ...] = ()


def replay_on_real(
    episodes: Iterable[Episode],
    simulator: Callable[[RoomSettings], RealThor],
    attempts: int = 3,
    folder: Path | None = None,
) -> Iterator[RealRun]:
    """Run episodes one after the other and yield how each went; a build that breaks down is started anew.

    Args:
        episodes: Those whose steps are calls of a THOR world.
        simulator: Makes a simulator with an agent's settings.
        attempts: How often an episode is tried before it is quarantined.
        folder: The dataset's folder, into which the pictures are written; without it none are.

    Raises:
        MissingPlugin: An episode's benchmark is not installed.
        UsageError: An episode's world is no THOR world.
    """
    kept: dict[str, tuple[RealThor, BuildCalls]] = {}
    if folder is not None:
        clear_leftovers(folder / FOLDER)
    try:
        for episode in episodes:
            if episode.benchmark not in kept:
                family = moments_of(episode.benchmark)
                if not isinstance(family, HouseholdMoments):
                    raise UsageError(f"episodes of the benchmark {episode.benchmark} do not run in AI2-THOR")
                kept[episode.benchmark] = simulator(family.make()[0].settings), family.build_calls
            yield _attempt(episode, *kept[episode.benchmark], attempts, folder)
    finally:
        for each, _ in kept.values():
            each.close()


def write_report(folder: Path, runs: Iterable[RealRun]) -> Path:
    """Write how the episodes went into the dataset's folder, whole or not at all; return the file's path."""
    path = folder / FOLDER / "report.json"
    path.parent.mkdir(exist_ok=True)
    text = json.dumps([asdict(run) for run in runs], indent=1) + "\n"
    write_atomically(path, text.encode())
    return path


def _attempt(episode: Episode, simulator: RealThor, calls: BuildCalls, attempts: int, folder: Path | None) -> RealRun:
    faults: list[str] = []
    while True:
        done = 0
        try:
            for done, reason in _run(episode, simulator, calls, folder):
                if reason:
                    return RealRun(episode.index, "failed", done, reason, tuple(faults))
            return RealRun(episode.index, "replayed", done, "", tuple(faults))
        except SimulatorFault as fault:
            faults.append(fault.message)
            if len(faults) >= attempts:
                return RealRun(episode.index, "quarantined", done, fault.message, tuple(faults))


def _run(episode: Episode, simulator: RealThor, calls: BuildCalls, folder: Path | None) -> Iterator[tuple[int, str]]:
    """Run an episode; yield the number of steps done and, where one went wrong, why."""
    started = simulator.reset(room_of(episode))
    if not started.success:
        yield 0, f"reset: {started.error_message}"
        return
    _keep(folder, episode.index, 0, simulator.frame)
    for number, step in enumerate(episode.steps, 1):
        event = Event(True, "")
        for call in calls(call_of(step.action, step.arguments)):
            event = simulator.step(call)
        if event.success != step.success:
            why = event.error_message or "it succeeds"
            yield number - 1, f"step {number} ({step.action}): {why}"
            return
        _keep(folder, episode.index, number, simulator.frame)
        yield number, ""


def _keep(folder: Path | None, episode: int, step: int, frame: NDArray[np.uint8] | None) -> None:
    if folder is None or frame is None:
        return
    path = folder / FOLDER / f"{episode:06}" / f"{step:04}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = BytesIO()
    Image.fromarray(frame).save(data, "PNG")
    write_atomically(path, data.getvalue())
