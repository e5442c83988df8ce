"""Two-Agent Task Completion: one session of a Commander and a Follower, from the first word to the last.

Each agent has its own view of the session and nothing else. The Commander checks the progress, looks objects
up, sees where the Follower stands, and speaks; the Follower moves, acts on what it sees, and speaks. Both
have the map of where one can stand. A session ends when the Commander ends it, after 1000 actions of both, or
after 30 failed ones. (TEACh, Padmakumar et al. 2022, section 4.3; limits: section 4.1.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from chorewright.domains.teach.definition import TeachTask
from chorewright.domains.teach.progress import Progress, check
from chorewright.generator.teach.metrics import MOST_FAILURES, MOST_STEPS
from chorewright.problems.household.containment import contents
from chorewright.problems.household.navigation import TEACH_LOOK, Grid
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.replay.teach.world import TeachWorld, teach_world

COMMANDER, FOLLOWER = 0, 1

TEXT, PROGRESS, SELECT, SEARCH, STOP = "Text", "OpenProgressCheck", "SelectOid", "SearchObject", "Stop"


@dataclass(frozen=True, slots=True)
class Logged:
    """One action of an agent; ``about`` is the object, the query or what was said."""

    agent: int
    action: str
    about: str
    success: bool


@dataclass(frozen=True, slots=True)
class Look:
    """What the Commander sees of an object that it looked up: the object, and what lies directly in it."""

    body: SceneObject
    contents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentSight:
    """What the Follower sees: its pose, its hand, the objects in view and reach, and how its action went."""

    pose: Pose
    holding: str | None
    visible: frozenset[str]
    success: bool = True
    message: str = ""


class SessionOver(Exception):
    """The limits of actions or failures are reached."""


class CommanderView(Protocol):
    """What a Commander can do."""

    @property
    def room(self) -> tuple[str, str]:
        """The room's name and kind."""

    @property
    def map(self) -> tuple[Grid, float]:
        """Where one can stand, and the height of the floor that one stands on."""

    def follower(self) -> tuple[Pose, str | None]:
        """Return where the Follower stands and what it holds."""

    def check_progress(self) -> Progress:
        """Check how far the task is done."""

    def search(self, kind: str) -> tuple[Look, ...]:
        """Look for objects by their type."""

    def select(self, object_id: str) -> Look | None:
        """Look at an object by its id."""


class FollowerView(Protocol):
    """What a Follower can do."""

    @property
    def map(self) -> tuple[Grid, float]:
        """Where one can stand, and the height of the floor that one stands on."""

    def look(self) -> AgentSight:
        """Return what is seen now."""

    def act(self, action: str, object_id: str = "") -> AgentSight:
        """Run an action, on an object that is seen; return what is seen then."""


class Commander(Protocol):
    """Knows the task."""

    def reply(self, view: CommanderView, heard: str) -> str | None:
        """Return what to say to the Follower; None ends the session."""


class Follower(Protocol):
    """Does the task."""

    def greet(self) -> str:
        """Return its first words."""

    def reply(self, view: FollowerView, heard: str) -> str:
        """Do what was said, and return what to say then."""


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """What came of a session: success, goal conditions at the start and end, all actions, and what ended
    it."""

    success: bool
    begun: Progress
    ended: Progress
    log: tuple[Logged, ...]
    end: str


@dataclass
class Table:
    """The session that both agents sit at; each is only handed its own half of the methods."""

    task: TeachTask
    start: Scene
    world: TeachWorld = field(default_factory=TeachWorld)
    log: list[Logged] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.world.reset(self.start)

    @property
    def room(self) -> tuple[str, str]:
        return self.start.name, self.start.room_kind

    @property
    def map(self) -> tuple[Grid, float]:
        return Grid.of(self.start, TEACH_LOOK), self.start.agent_y

    def note(self, agent: int, action: str, about: str = "", success: bool = True) -> None:
        """Write an action down.

        Raises:
            SessionOver: It was the last one.
        """
        self.log.append(Logged(agent, action, about, success))
        if len(self.log) >= MOST_STEPS:
            raise SessionOver("actions")
        if not success and sum(not each.success for each in self.log) >= MOST_FAILURES:
            raise SessionOver("failures")

    def progress(self) -> Progress:
        """Return how far the task is done, unnoticed."""
        return check(self.task, teach_world(self.world.scene()))

    # The Commander's half.

    def follower(self) -> tuple[Pose, str | None]:
        scene = self.world.scene()
        return scene.agent, scene.holding

    def check_progress(self) -> Progress:
        self.note(COMMANDER, PROGRESS)
        return self.progress()

    def search(self, kind: str) -> tuple[Look, ...]:
        self.note(COMMANDER, SEARCH, kind)
        scene = self.world.scene()
        held = contents(scene.objects)
        return tuple(
            Look(body, tuple(held.get(body.object_id, ())))
            for body in scene.objects
            if body.kind == kind and not body.is_consumed
        )

    def select(self, object_id: str) -> Look | None:
        self.note(COMMANDER, SELECT, object_id)
        scene = self.world.scene()
        held = contents(scene.objects)
        return next(
            (Look(body, tuple(held.get(object_id, ()))) for body in scene.objects if body.object_id == object_id), None
        )

    # The Follower's half.

    def look(self, success: bool = True, message: str = "") -> AgentSight:
        room = self.world.world.room
        seen = frozenset(body.object_id for body in room.objects.values() if room.visible(body))
        return AgentSight(room.scene().agent, room.holding, seen, success, message)

    def act(self, action: str, object_id: str = "") -> AgentSight:
        if object_id and not self.world.world.visible(object_id):
            self.note(FOLLOWER, action, object_id, False)
            return self.look(False, f"{object_id} is not in view.")
        event = self.world.act(action, object_id)
        self.note(FOLLOWER, action, object_id, event.success)
        return self.look(event.success, event.error_message)


def play(
    task: TeachTask,
    scene: Scene,
    commander: Commander,
    follower: Follower,
    watch: Callable[[Logged], object] = lambda _: None,
) -> SessionOutcome:
    """Play one session to its end.

    Args:
        task: What is to be done; only the Commander's progress check knows it.
        scene: The start.
        commander: One agent.
        follower: The other.
        watch: Called with every action afterwards.
    """
    table = Table(task, scene)
    begun = table.progress()
    end = "commander"
    try:
        said = follower.greet()
        table.note(FOLLOWER, TEXT, said)
        while True:
            told = commander.reply(table, said)
            if told is None:
                break
            table.note(COMMANDER, TEXT, told)
            said = follower.reply(table, told)
            table.note(FOLLOWER, TEXT, said)
    except SessionOver as over:
        end = str(over)
    ended = table.progress()
    for each in table.log:
        watch(each)
    return SessionOutcome(ended.success, begun, ended, tuple(table.log), end)
