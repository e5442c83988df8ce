"""The expert's hand: one stream of commanded poses, moved at bounded speed, every step recorded; recordings seen again.

The target runs on from task to task and never jumps. So the commanded differences are relative actions within
their bounds, and both absolute and relative actions replay. (At 0.012 m and 0.045 rad a step, fewer than one
action in a hundred would be clipped at 0.02 m and 0.05 rad.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, overload, runtime_checkable

import numpy as np
import numpy.typing as npt

from chorewright.problems.calvin.scenes import TabletopScene
from chorewright.replay.calvin.actions import CLOSED, OPEN, Action, ArmTarget
from chorewright.replay.calvin.arm import length
from chorewright.replay.calvin.snapshot import Block, Snapshot
from chorewright.replay.calvin.world import TableObservation

Array = npt.NDArray[np.float64]
Point = Sequence[float] | Array
STRAIGHT_DOWN = np.pi
"""The first Euler angle of a tool that points down."""


@runtime_checkable
class Tabletop(Protocol):
    """What the expert needs from a world: ours, or CALVIN's own."""

    @property
    def scene(self) -> TabletopScene:
        """The table."""
        ...

    def step(self, action: Action) -> TableObservation:
        """Do an action for a thirtieth of a second."""
        ...

    def observation(self) -> TableObservation:
        """Return the present state."""
        ...

    def snapshot(self) -> Snapshot:
        """Return the snapshot of this moment for the detector."""
        ...

    def reset(self, robot_obs: Point | None = None, scene_obs: Point | None = None) -> TableObservation:
        """Put the world into a state."""
        ...

    def tasks_done(self, start: Snapshot, end: Snapshot, among: Iterable[str]) -> frozenset[str]:
        """Return which of some tasks have been done between two snapshots, according to the world's oracle."""
        ...

    def close(self) -> None:
        """Free the world's resources."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class MotionFrame:
    """One step: the observation, and the command that followed.

    Attributes:
        observation: Before the command.
        snapshot: Before the command.
        target: The commanded pose of the tool.
        gripper: The commanded gripper, -1 (close) or 1 (open).
        executed: The pose that the world was given: the commanded one, unless noise has moved it.
    """

    observation: TableObservation
    snapshot: Snapshot
    target: ArmTarget
    gripper: int
    executed: ArmTarget


@dataclass(frozen=True, slots=True)
class Manner:
    """How an expert moves; the default is the one way that its numbers say.

    Attributes:
        noise: Metres by which what is executed differs from what is commanded, in the mean square; 0 for no noise. With
            noise the expert steers by the pose that it sees, not by a timed path.
        speeds: The usual speed is multiplied by a number drawn between these for each task.
        holds: Whether it stands still before something is touched or let go, and after the fingers have closed or
            opened, so that poses that were reached replay.
        varied: Whether the grasp, the yaw and the heights are drawn anew for each task.
        seed: Of what is drawn.
    """

    noise: float = 0.0
    speeds: tuple[float, float] = (1.0, 1.0)
    holds: bool = True
    varied: bool = False
    seed: int = 0


USUAL = Manner()
"""The manner of the evaluation and of data that ask for no other."""


class Noise:
    """Correlated noise on poses, that comes and goes: a seeded random walk that is drawn back to nothing."""

    KEPT = 0.85
    """The share of a step's noise that the next one has."""
    PHASE = 20
    """The mean number of steps for which there is noise, and for which there is none."""
    RADIANS = 3.0
    """Radians of the turn for a metre of the shift."""

    def __init__(self, size: float, rng: np.random.Generator) -> None:
        self._size, self._rng = size, rng
        self._now, self._on = np.zeros(6), False

    def __call__(self, target: ArmTarget) -> ArmTarget:
        """Return what is executed of a command: the command itself in quiet phases."""
        drawn = self._rng.normal(size=6)
        if self._rng.random() < 1 / self.PHASE:
            self._on, self._now = not self._on, np.zeros(6)
        if not self._on:
            return target
        self._now = self.KEPT * self._now + np.sqrt(1 - self.KEPT**2) * self._size * drawn
        return ArmTarget(target.position + self._now[:3], target.angles + self.RADIANS * self._now[3:])


class OutOfSteps(Exception):
    """A task has used up its steps."""


class Hand:
    """The hand of a world's arm, and what it has done during one task.

    Args:
        world: The world.
        numbers: Speeds and patience.
        carried: The commanded pose and gripper before.
        noise: Disturbs what is executed; the hand then steers by the pose that it sees.
    """

    def __init__(
        self, world: Tabletop, numbers: Mapping[str, float], carried: tuple[ArmTarget, int], noise: Noise | None = None
    ) -> None:
        self.world = world
        self._noise = noise
        self._lead = numbers["lead"]
        self.target, self.gripper = carried
        self.frames: list[MotionFrame] = []
        self.now = world.snapshot()
        self.seen = world.observation()
        self._speed = (numbers["speed"], numbers["turn_speed"])
        self._near, self._settle = numbers["near"], int(numbers["settle_steps"])
        self._fingers_stop = numbers["fingers_stop"]
        self._limit = int(numbers["step_limit"])
        self._neutral = numbers["neutral_yaw"]
        self._task = ""
        self._start = self.now
        self.done_after: int | None = None
        self.detected: Snapshot | None = None
        self.at_detection = False

    def begin(self, task: str, start: Snapshot | None = None, at_detection: bool = False) -> None:
        """Start watching for a task.

        Args:
            task: Its name.
            start: What it is measured from; by default the present state.
            at_detection: Whether the next task begins at the instant at which this one is detected.
        """
        self.at_detection = at_detection
        self._task, self._start = task, self.now if start is None else start
        self.done_after = self.detected = None
        self.frames = []

    @property
    def done(self) -> bool:
        """Whether the task has been done at some step."""
        return self.done_after is not None

    @property
    def holds_done(self) -> bool:
        """Whether the task is done now."""
        return bool(self.world.tasks_done(self._start, self.now, (self._task,)))

    def block(self, name: str) -> Block:
        """Return a block as it is now."""
        return self.now.blocks[name]

    @property
    def start(self) -> Snapshot:
        """What the task is measured from."""
        return self._start

    @property
    def tool(self) -> Array:
        """Where the tool is now."""
        return self.seen.robot_obs[:3]

    def go(
        self,
        position: Point,
        *,
        yaw: float | None = None,
        tilt: float = 0.0,
        until: Callable[[], bool] | None = None,
        patience: int | None = None,
    ) -> None:
        """Move the tool to a position in a straight line, then wait until it is there.

        Args:
            position: Metres.
            yaw: About the vertical; by default as it is.
            tilt: The second Euler angle; 0 points straight down.
            until: Ends the motion as soon as it holds.
            patience: Steps to wait for the arm at the end.
        """
        goal = ArmTarget(np.asarray(position, dtype=np.float64), self._angles(yaw, tilt))
        steps = self._steps_to(goal)
        steered = self._noise is not None and steps > 1  # a single small step is one by feel
        for target in self._steer(goal, steps) if steered else self._way(goal, max(1, int(np.ceil(steps - 1e-9)))):
            self._step(target, steered)
            if until is not None and until():
                return
        for _ in range(self._settle if patience is None else patience):
            if length(self.tool - goal.position) < self._near:
                return
            self._step(goal)  # without noise: what follows begins where it should
            if until is not None and until():
                return

    def halt(self) -> None:
        """Command the position that the arm has reached, so that it brakes at once; angles stay."""
        self._step(ArmTarget(self.tool.copy(), self.target.angles))

    def hold(self, steps: float) -> None:
        """Stay at the commanded pose for some steps.

        The arm lags behind its target. Whoever replays the poses that were reached, as CALVIN's files have
        them, lags behind these once more, and needs as long to catch up before something is touched.
        """
        for _ in range(int(steps)):
            self._step(self.target)

    def grip(self, gripper: int, steps: int) -> None:
        """Open or close the hand where it is, for some steps at most: the manner without holds ends as fingers stop."""
        self.gripper = gripper
        for step in range(steps):
            before = float(self.seen.robot_obs[6])
            self._step(self.target)
            if step and abs(float(self.seen.robot_obs[6]) - before) < self._fingers_stop:
                return

    def close(self, steps: int = 1) -> None:
        """Close the hand."""
        self.grip(CLOSED, steps)

    def open(self, steps: int = 1) -> None:
        """Open the hand."""
        self.grip(OPEN, steps)

    def _angles(self, yaw: float | None, tilt: float) -> Array:
        """The shorter way round, but for the yaw, which stays within half a turn of the neutral one.

        Else the last joint would reach its end.
        """
        now = self.target.angles
        wanted = np.array([STRAIGHT_DOWN, tilt])
        turn = (wanted - now[:2] + np.pi) % (2 * np.pi) - np.pi
        return np.array([*now[:2] + turn, now[2] if yaw is None else reachable_yaw(yaw, self._neutral)])

    def _steps_to(self, goal: ArmTarget) -> float:
        distance = length(goal.position - self.target.position)
        turn = float(np.abs(goal.angles - self.target.angles).max())
        return float(max(distance / self._speed[0], turn / self._speed[1]))

    def _way(self, goal: ArmTarget, steps: int) -> Iterator[ArmTarget]:
        start = self.target
        for step in range(1, steps + 1):
            yield _between(start, goal, step / steps)

    def _steer(self, goal: ArmTarget, steps: float) -> Iterator[ArmTarget]:
        """Yield poses on the straight line to the goal, so far ahead of the place that the arm has reached as it lags.

        Where the arm is held up, the lead grows.
        """
        start, lead, before = self.target, self._lead, -1.0
        while True:
            share = self._share(start, goal)
            lead = lead + 0.5 if share - before < 0.2 / steps else max(self._lead, lead - 0.5)
            before = share
            ahead = min(1.0, share + lead / steps)
            yield _between(start, goal, ahead)
            if ahead == 1.0:
                return

    def _share(self, start: ArmTarget, goal: ArmTarget) -> float:
        """The share of a way that the arm has gone, by what takes longer on it: the distance or the turn."""
        way, turn = goal.position - start.position, goal.angles - start.angles
        if length(way) / self._speed[0] >= np.abs(turn).max() / self._speed[1]:
            share = ((self.tool - start.position) * way).sum() / (way * way).sum()
        else:
            gone = (self.seen.robot_obs[3:6] - start.angles + np.pi) % (2 * np.pi) - np.pi
            share = (gone * turn).sum() / (turn * turn).sum()
        return min(1.0, max(0.0, float(share)))

    def _step(self, target: ArmTarget, disturbed: bool = False) -> None:
        if len(self.frames) >= self._limit:
            raise OutOfSteps
        executed = self._noise(target) if disturbed and self._noise is not None else target
        self.frames.append(MotionFrame(self.seen, self.now, target, self.gripper, executed))
        self.target = target
        self.seen = self.world.step((executed.position, executed.angles, self.gripper))
        self.now = self.world.snapshot()
        if self.done_after is None and self.holds_done:
            self.done_after, self.detected = len(self.frames), self.now


def _between(start: ArmTarget, goal: ArmTarget, share: float) -> ArmTarget:
    return ArmTarget(
        start.position + share * (goal.position - start.position), start.angles + share * (goal.angles - start.angles)
    )


def reachable_yaw(yaw: float, neutral: float) -> float:
    """Return the same yaw within half a turn of the neutral one."""
    return neutral + (yaw - neutral + np.pi) % (2 * np.pi) - np.pi


# Recorded states seen again: snapshots of frames that were stored without contacts.
#
# CALVIN's frames have two vectors, ``robot_obs`` and ``scene_obs``, but neither contacts nor velocities. Without
# these no task can be detected. A world that is reset to the vectors has the contacts; everything is at rest there.


Numbers = npt.NDArray[np.float64]


class RecordedFrames(Sequence[Snapshot]):
    """The snapshots of recorded frames; each is taken on access (about half a millisecond)."""

    def __init__(self, world: Tabletop, frames: Sequence[tuple[Numbers, Numbers]]) -> None:
        """Take frames as they are.

        Args:
            world: A world of the scene that the frames were recorded in; it is reset again and again.
            frames: ``robot_obs`` (15,) and ``scene_obs`` (24,) of each frame, in order.
        """
        self._world = world
        self._frames = frames

    def __len__(self) -> int:
        return len(self._frames)

    @overload
    def __getitem__(self, place: int) -> Snapshot: ...

    @overload
    def __getitem__(self, place: slice) -> RecordedFrames: ...

    def __getitem__(self, place: int | slice) -> Snapshot | RecordedFrames:
        if isinstance(place, slice):
            return RecordedFrames(self._world, self._frames[place])
        self._world.reset(*self._frames[place])
        return self._world.snapshot()
