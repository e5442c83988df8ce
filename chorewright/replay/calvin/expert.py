"""The scripted expert: it does each of the 34 tasks by one of a dozen closed-loop skills, without learning.

A skill starts from what is seen and runs to its end: the hand lets go, or keeps what it should hold, and draws
back. If the task does not count as done then, the skill starts again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chorewright.errors import UsageError
from chorewright.replay.calvin.actions import CLOSED, OPEN, Target
from chorewright.replay.calvin.motion import Frame, Hand, OutOfSteps, Tabletop, reachable_yaw
from chorewright.replay.calvin.skill_numbers import Numbers, numbers_for, skill_of
from chorewright.replay.calvin.skills import SKILLS, Unfit
from chorewright.replay.calvin.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One attempt of the expert at a task.

    Attributes:
        task: Its name.
        frames: Every step, in order.
        success: Whether the detector saw it done at some step (as CALVIN's evaluation judges).
        done_after: After how many steps, None if never. They are counted from the moment at which the task
            begins: with ``from_detection`` when the detector saw the one before it done.
        kept: Whether the task still counts as done after the last step.
        reason: Why it failed, or empty.
        tries: How often the skill was started.
    """

    task: str
    frames: tuple[Frame, ...]
    success: bool
    done_after: int | None
    kept: bool
    reason: str
    tries: int


class Expert:
    """An expert at a world's table. It keeps the commanded pose from task to task.

    Create it, or call ``begin``, after the world has been reset.

    Args:
        world: The table.
        from_detection: Count as CALVIN's evaluation does: the next task begins at the instant at which the
            detector sees the one before it done, with the hand closed, touching or holding something. What
            the skill before still does then (letting go, drawing back) is part of the next task. By default
            a task begins when the skill before it has ended.
    """

    def __init__(self, world: Tabletop, *, from_detection: bool = False) -> None:
        self.world = world
        self.numbers: Numbers = numbers_for(world.scene.name)
        self._from_detection = from_detection
        self.begin()

    def begin(self) -> None:
        """Forget the commanded pose and the task before: the world was reset."""
        self._carried = self._present()
        self._detected: Snapshot | None = None
        self._since = 0

    @property
    def target(self) -> Target:
        """The commanded pose of the tool."""
        return self._carried[0]

    def perform(self, task: str) -> Attempt:
        """Do a task.

        Raises:
            UsageError: There is no such task.
        """
        skill = skill_of(task)
        if skill is None:
            raise UsageError(f"there is no tabletop task {task!r}", hint="'chorewright tasks' lists them")
        hand = Hand(self.world, self.numbers.single, self._carried)
        hand.begin(task, self._detected, self._from_detection)
        since = self._since
        name, *arguments = skill
        tries, reason = self._tried(hand, SKILLS[name], arguments)
        self._carried = (hand.target, hand.gripper)
        if self._from_detection:
            self._detected = hand.detected
            self._since = len(hand.frames) - (hand.done_after or 0)
        return Attempt(
            task=task,
            frames=tuple(hand.frames),
            success=hand.done,
            done_after=None if hand.done_after is None else since + hand.done_after,
            kept=hand.holds_done,
            reason="" if hand.done else reason,
            tries=tries,
        )

    def _tried(self, hand: Hand, skill: Callable[..., None], arguments: list[str]) -> tuple[int, str]:
        reason = ""
        for number in range(1, int(self.numbers["tries"]) + 1):
            try:
                skill(hand, self.numbers, *arguments)
                reason = "the skill ended without the task being done"
            except OutOfSteps:
                return number, "out of steps"
            except Unfit as unfit:
                reason = str(unfit)
            if hand.holds_done:  # a block may be dropped after it was seen lifted
                return number, ""
        return int(self.numbers["tries"]), reason

    def _present(self) -> tuple[Target, int]:
        seen = self.world.observation().robot_obs
        angles = seen[3:6].copy()
        angles[2] = reachable_yaw(angles[2], self.numbers["neutral_yaw"])
        return Target(seen[:3].copy(), angles), CLOSED if seen[14] < 0 else OPEN
