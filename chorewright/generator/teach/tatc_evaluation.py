"""Two-Agent Task Completion measured: sessions of the dataset's tasks, played by a pair of agents.

Our own pair is the Commander that plans (``commander``) and a Follower that does what it is told: it walks by its map,
acts on what it sees, says what went wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from statistics import fmean, pstdev
from typing import Any, TypeAlias, cast

import numpy as np

from chorewright.domains.teach.definition import TeachTask
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, load_function
from chorewright.generator.measuring.evaluation import OVERALL, Episodes, Sheet, Summary, checksum, group_by
from chorewright.generator.teach.commander import WALK, Order, PlanningCommander, understand, words
from chorewright.generator.teach.compiling import compile_teach, task_name
from chorewright.generator.teach.options import TeachTrial
from chorewright.generator.teach.tatc import (
    TEXT,
    AgentSight,
    Commander,
    Follower,
    FollowerView,
    SessionOutcome,
    SessionOver,
    play,
)
from chorewright.generator.teach.variants import find_suitable_rooms, settings, variants
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.spawn import NoRoom
from chorewright.replay.games.foreign import hear
from chorewright.replay.teach.lowering import MOVE_NAMES, with_side_steps

Pair: TypeAlias = Callable[[TeachTask], tuple[Commander, Follower]]
"""Makes both agents for a task. The Commander may know it; the Follower may not."""

PLANNER = "planner"

TRIES = 20
"""Scatterings that are tried for a session before it is given up."""

LOWEST, HIGHEST = 60, -30
"""How far the camera tilts down and up, in degrees."""


class OrderFollower:
    """Understands the orders of ``teach_orders`` and nothing else."""

    def greet(self) -> str:
        """Return its first words."""
        return words().hello

    def reply(self, view: FollowerView, heard: str) -> str:
        """Do what was said, up to the first order that cannot be done, and say how that went."""
        orders = understand(heard)
        if orders is None:
            return words().puzzled
        for order in orders:
            trouble = self._walk(view, order.pose) if order.pose is not None else self._do(view, order)
            if trouble:
                return trouble
        return words().done

    def _walk(self, view: FollowerView, goal: Pose) -> str:
        """Walk to a pose by the map."""
        grid, _ = view.map
        route = grid.route(view.look().pose, goal)
        if route is None:
            return words().failed.format(action=WALK, object=f"({goal.x}, {goal.z})", why="there is no way.")
        for step in with_side_steps([MOVE_NAMES[step] for step in route]):
            sight = view.act(step)
            if not sight.success:
                place = f"({goal.x}, {goal.z})"
                return words().failed.format(action=WALK, object=place, why=sight.message)
        return ""

    def _do(self, view: FollowerView, order: Order) -> str:
        """Act on an object, which is looked for around if it is not in view."""
        sight = view.look()
        if order.object_id not in sight.visible and not self._find(view, order.object_id, sight):
            return words().lost.format(object=order.object_id)
        sight = view.act(order.action, order.object_id)
        if sight.success:
            return ""
        return words().failed.format(action=order.action, object=order.object_id, why=sight.message)

    def _find(self, view: FollowerView, object_id: str, sight: AgentSight) -> bool:
        """Look up, down and around for an object; return whether it came into view."""
        for turn in range(4):
            for look in _looks(view.look().pose.horizon):
                sight = view.act(look)
                if object_id in sight.visible:
                    return True
            if turn < 3:
                sight = view.act("Turn Right")
                if object_id in sight.visible:
                    return True
        return False


def _looks(horizon: int) -> list[str]:
    """Return looks that sweep from a tilt to the nearer end and on to the other."""
    down, up = (LOWEST - horizon) // 30, (horizon - HIGHEST) // 30
    if down <= up:
        return ["Look Down"] * down + ["Look Up"] * (down + up)
    return ["Look Up"] * up + ["Look Down"] * (down + up)


@dataclass(frozen=True, slots=True)
class SessionScore:
    """One session: what was to be done where, and what came of it."""

    task: str
    params: tuple[str, ...]
    room: str
    success: bool
    goal_conditions: float
    actions: int
    utterances: int
    failures: int
    end: str


@dataclass(frozen=True, slots=True)
class SessionMeans:
    """Sessions of one task, or of all: how many, and means (actions with standard deviation)."""

    sessions: int
    success: float
    goal_conditions: float
    actions: float
    actions_deviation: float
    utterances: float
    failures: float


def tasks() -> tuple[str, ...]:
    """Return the dataset's tasks."""
    return tuple(settings().tasks)


def start_of(name: str, number: int, seed: int) -> tuple[TeachTask, Scene]:
    """Return the task and scene of a session: other parameters, another room for each number.

    Raises:
        UsageError: No scattering of a room suits the task.
    """
    rng = np.random.default_rng((seed, tasks().index(name), number))
    known = variants(name)
    for _ in range(TRIES):
        params = known[int(rng.integers(len(known)))]
        rooms = find_suitable_rooms(name, params)
        room = rooms[int(rng.integers(len(rooms)))]
        try:
            compiled = compile_teach(name, params, room, int(rng.integers(2**31)))
        except (NoRoom, UsageError):
            continue
        return compiled.task, compiled.scene
    raise UsageError(f"no scene was found for {name}, session {number}")


def planning_pair(task: TeachTask) -> tuple[Commander, Follower]:
    """Return the Commander that plans and the Follower that takes its orders."""
    return PlanningCommander(task), OrderFollower()


def find_pair(agents: str, origin: Origin = Origin.FILE) -> Pair:
    """Return a pair of agents by its name, or ``module:attribute`` of your own if a person typed it (see ``Pair``).

    Raises:
        MissingPlugin: A file names code.
        UsageError: There is no such pair.
    """
    if agents == PLANNER:
        return planning_pair
    hint = f"{PLANNER}, or module:attribute for a function that makes a pair of your own"
    return cast("Pair", load_function(agents, "pair of agents", origin, hint))


def play_session(name: str, number: int, seed: int, agents: str = PLANNER) -> SessionScore:
    """Play one session."""
    task, scene = start_of(name, number, seed)
    pair = planning_pair(task) if agents == PLANNER else _foreign_pair(agents, f"{name}, session {number}", task)
    return score(task, scene, play(task, scene, *pair))


class _Foreign:
    """One of a user's pair: what it raises, or answers wrongly, is an error that names the pair and the session.

    Only a Commander ``ends`` a session by saying nothing.
    """

    def __init__(self, agent: Any, name: str, place: str, ends: bool) -> None:
        self._agent, self._name, self._place, self._ends = agent, name, place, ends

    def greet(self) -> str:
        return str(self._hear(lambda: self._agent.greet()))

    def reply(self, view: Any, told: str) -> Any:
        return self._hear(lambda: self._agent.reply(view, told))

    def _hear(self, call: Callable[[], object]) -> object:
        said = hear(call, f"the agents {self._name!r} fail in {self._place}", passing=(SessionOver,))
        if not isinstance(said, str) and not (self._ends and said is None):
            raise UsageError(f"the agents {self._name!r} say {said!r:.40} in {self._place}, which is no text")
        return said


def _foreign_pair(name: str, place: str, task: TeachTask) -> tuple[_Foreign, _Foreign]:
    made = hear(lambda: tuple(find_pair(name, Origin.PERSON)(task)), f"the agents {name!r} cannot be made for {place}")
    if len(made) != 2:
        raise UsageError(f"{name!r} makes {len(made)} agents", hint="a Commander and a Follower are a pair")
    return _Foreign(made[0], name, place, True), _Foreign(made[1], name, place, False)


def score(task: TeachTask, scene: Scene, outcome: SessionOutcome) -> SessionScore:
    """Return what is counted of a session; goal conditions as the benchmark's metrics have them."""
    needed = outcome.begun.total - min(outcome.begun.total, outcome.begun.satisfied)
    missing = outcome.ended.total - min(outcome.ended.total, outcome.ended.satisfied)
    return SessionScore(
        task.name,
        task.params,
        scene.name,
        outcome.success,
        1 - missing / needed if needed else 1.0,
        len(outcome.log),
        sum(each.action == TEXT for each in outcome.log),
        sum(not each.success for each in outcome.log),
        outcome.end,
    )


def sessions(trial: TeachTrial) -> Episodes[SessionScore]:
    """Return the sessions of a trial: of each task so many, in order.

    Raises:
        UsageError: A task is none of the dataset's, or there are no such agents.
    """
    find_pair(trial.agent, Origin.PERSON)
    names = [_task_named(each) for each in trial.tasks] or list(tasks())
    jobs = [(name, number) for name in names for number in range(trial.sessions)]

    def one(index: int) -> SessionScore:
        return play_session(*jobs[index], trial.seed, trial.agent)

    return Episodes(SessionScore, len(jobs), partial(checksum, jobs), one, chunk=1)


def _task_named(word: str) -> str:
    """Return the name of one of the dataset's tasks, which may be given as ``teach/Coffee``."""
    name = shipped_definitions().find(task_name(word)).name
    if name not in tasks():
        raise UsageError(f"{name!r} is no task of the dataset", hint=f"tasks: {', '.join(tasks())}")
    return name


def means(scores: Sequence[SessionScore]) -> SessionMeans:
    """Return the means of sessions."""
    return SessionMeans(
        len(scores),
        fmean(each.success for each in scores),
        fmean(each.goal_conditions for each in scores),
        fmean(each.actions for each in scores),
        pstdev([each.actions for each in scores]),
        fmean(each.utterances for each in scores),
        fmean(each.failures for each in scores),
    )


def summary(trial: TeachTrial, scores: Sequence[SessionScore]) -> Summary:
    """Return the means by task, in the order in which they were played, and overall."""
    names = dict.fromkeys(each.task for each in scores)
    groups = group_by(scores, lambda each: each.task)
    results = {**{name: means(groups[name]) for name in names}, OVERALL: means(scores)}
    told = {"agents": trial.agent, "seed": trial.seed}
    values = {**told, "tasks": {name: asdict(each) for name, each in results.items()}}
    return Summary(values, (_sheet(f"Two-Agent Task Completion (TATC), {trial.agent}", results),))


def _sheet(title: str, results: Mapping[str, SessionMeans]) -> Sheet:
    rows: list[Sequence[str] | None] = []
    for name, each in results.items():
        figures = (f"{100 * each.success:.1f}", f"{100 * each.goal_conditions:.1f}")
        actions = f"{each.actions:.1f} ±{each.actions_deviation:.1f}"
        rows += [None] if name == OVERALL else []
        rows.append((name, str(each.sessions), *figures, actions, f"{each.utterances:.1f}", f"{each.failures:.1f}"))
    return Sheet(("", "n", "SR %", "GC %", "actions", "said", "failed"), rows, title, framed=True)
