"""The scripted expert: it does each of the 34 tasks by one of a dozen closed-loop skills, without learning.

A skill starts from what is seen and runs to its end: the hand lets go, or keeps what it should hold, and draws
back. If the task does not count as done then, the skill starts again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.errors import UsageError
from chorewright.replay.calvin import block_skills, motion, placing_skills
from chorewright.replay.calvin.actions import CLOSED, OPEN, Action, ArmTarget
from chorewright.replay.calvin.handling import SkillNumbers, Unfit, numbers_for, rise, skill_of, travel
from chorewright.replay.calvin.shapes import geometry
from chorewright.replay.calvin.snapshot import Snapshot
from chorewright.replay.calvin.world import TableObservation, TabletopWorld
from chorewright.replay.experts import OnlineExpert

# The skills for what is fixed to the table: drawer, door, button and switch; and the list of all skills.


__all__ = ["SKILLS", "Unfit"]


def open_drawer(hand: motion.Hand, numbers: SkillNumbers) -> None:
    """Hook the closed fingers behind the drawer's handle and draw it out."""
    way = numbers.group("drawer_hook")
    x, opening = hand.world.scene.joints["base__drawer"].origin[0], hand.now.doors["base__drawer"]
    hand.close()
    travel(hand, numbers, (x, way["y"] - opening))
    hand.go((x, way["y"] - opening, way["z"]))
    hand.go((x, way["end"], way["z"]))
    hand.go((x, way["end"] + way["ease"], way["z"]))
    rise(hand, numbers)


def close_drawer(hand: motion.Hand, numbers: SkillNumbers) -> None:
    """Push the drawer's handle from in front."""
    way = numbers.group("drawer_push")
    x, opening = hand.world.scene.joints["base__drawer"].origin[0], hand.now.doors["base__drawer"]
    before = way["face"] - opening - way["gap"]
    hand.close()
    travel(hand, numbers, (x, before))
    hand.go((x, before, way["z"]))
    hand.go((x, way["end"], way["z"]))
    hand.go((x, way["end"] - way["ease"], way["z"]))
    rise(hand, numbers)


def move_door(hand: motion.Hand, numbers: SkillNumbers, side: str) -> None:
    """Push the sliding door by the side of its handle, to the left or to the right."""
    way, joint = numbers.group("door"), hand.world.scene.joints["base__slide"]
    x, opening = joint.origin[0], hand.now.doors["base__slide"]
    if side == "left":
        edge, sign, last = way["right_edge"], 1.0, joint.high
    else:
        edge, sign, last = way["left_edge"], -1.0, joint.low
    begin = x + edge - opening + sign * (way["half"] + way["gap"])
    end = x + edge - last + sign * (way["half"] - way["overshoot"])
    hand.close()
    travel(hand, numbers, (begin, way["stand_off"]))
    hand.go((begin, way["stand_off"], way["z"]))
    hand.go((begin, way["y"], way["z"]))
    hand.go((end, way["y"], way["z"]))
    hand.go((end + sign * way["ease"], way["y"], way["z"]))
    hand.go((end + sign * way["ease"], way["stand_off"], way["z"]))
    rise(hand, numbers)


def press_button(hand: motion.Hand, numbers: SkillNumbers) -> None:
    """Press the button down until the LED has changed."""
    way, origin = numbers.group("button"), hand.world.scene.joints["base__button"].origin
    before = hand.now.lights["led"]
    x, y, bottom = origin
    hand.close()
    travel(hand, numbers, (x, y))
    hand.go((x, y, bottom + way["above"]))
    hand.go((x, y, bottom + way["deepest"]), until=lambda: hand.now.lights["led"] != before)
    hand.go((x, y, bottom + way["deepest"]), patience=0)
    hand.hold(numbers["hold"])
    hand.go((x, y, bottom + way["above"]))
    rise(hand, numbers)


def switch_on(hand: motion.Hand, numbers: SkillNumbers) -> None:
    """Push the switch up along its slope, from below.

    The tool that points straight down is near the end of the arm's reach there: it jerks, and at one speed only the
    switch comes along. In other manners than the usual one it leans, and the switch goes with it step by step.
    """
    x, y, _ = hand.world.scene.joints["base__switch"].origin
    points, tilt = numbers.points("switch_on"), numbers["switch_lean"]
    hand.close()
    travel(hand, numbers, (x, y + points[0][0]), tilt=tilt)
    for across, height in points:
        hand.go((x, y + across, height), tilt=tilt)
        hand.hold(numbers["hold"])
    rise(hand, numbers)


def switch_off(hand: motion.Hand, numbers: SkillNumbers) -> None:
    """Push the switch down along its slope, from above, with a tilted tool."""
    x, y, _ = hand.world.scene.joints["base__switch"].origin
    yaw, tilt = _away_from_arm(x, y), numbers.group("switch_off")["tilt"]
    points = numbers.points("switch_off")
    hand.close()
    travel(hand, numbers, (x, y + points[0][0]), yaw=yaw, tilt=tilt)
    for across, height in points[1:]:
        hand.go((x, y + across, height), yaw=yaw, tilt=tilt)
        hand.hold(numbers["hold"])
    rise(hand, numbers)


def _away_from_arm(x: float, y: float) -> float:
    """The yaw at which a leaning tool points away from the arm's base, so that it reaches farthest."""
    base = geometry()["arm"]["base"]
    return math.atan2(y - base[1], x - base[0])


SKILLS: Mapping[str, Callable[..., None]] = {
    each.__name__: each
    for each in (
        open_drawer,
        close_drawer,
        move_door,
        press_button,
        switch_on,
        switch_off,
        block_skills.rotate,
        block_skills.push,
        block_skills.push_into_drawer,
        block_skills.lift,
        block_skills.lift_from_shelf,
        block_skills.unstack,
        placing_skills.place_on_shelf,
        placing_skills.place_in_drawer,
        placing_skills.stack,
    )
}
"""The skills by name; each takes the hand, the scene's numbers and its own arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class SkillAttempt:
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
        failed: So many frames, counted as ``done_after``, belong to what is before the last start of the skill and to
            starts that failed; 0 if the first did not fail.
    """

    task: str
    frames: tuple[motion.MotionFrame, ...]
    success: bool
    done_after: int | None
    kept: bool
    reason: str
    tries: int
    failed: int


class Expert:
    """An expert at a world's table. It keeps the commanded pose from task to task.

    Create it, or call ``begin``, after the world has been reset.

    Args:
        world: The table.
        from_detection: Count as CALVIN's evaluation does: the next task begins at the instant at which the
            detector sees the one before it done, with the hand closed, touching or holding something. What
            the skill before still does then (letting go, drawing back) is part of the next task. By default
            a task begins when the skill before it has ended.
        manner: How it moves.
    """

    def __init__(
        self, world: motion.Tabletop, *, from_detection: bool = False, manner: motion.Manner = motion.USUAL
    ) -> None:
        self.world = world
        self._usual: SkillNumbers = numbers_for(world.scene.name)
        self._from_detection, self._manner = from_detection, manner
        self.begin()

    def begin(self) -> None:
        """Forget the commanded pose and the task before: the world was reset."""
        self._rng = np.random.Generator(np.random.PCG64(self._manner.seed))
        self._noise = motion.Noise(self._manner.noise, self._rng) if self._manner.noise else None
        self.numbers = self._usual
        self._carried = self._present()
        self._detected: Snapshot | None = None
        self._since = 0

    @property
    def target(self) -> ArmTarget:
        """The commanded pose of the tool."""
        return self._carried[0]

    def perform(self, task: str, start: Snapshot | None = None) -> SkillAttempt:
        """Do a task.

        Args:
            task: Its name.
            start: What it is measured from, where it was begun before; by default the present state, or what
                ``from_detection`` says.

        Raises:
            UsageError: There is no such task.
        """
        name, *arguments = skill_of(task)
        self.numbers = self._usual.draw(self._manner, self._rng)
        hand = motion.Hand(self.world, self.numbers.single, self._carried, self._noise)
        hand.begin(task, self._detected if start is None else start, self._from_detection)
        since = self._since
        tries, last, reason = self._tried(hand, SKILLS[name], arguments)
        self._carried = (hand.target, hand.gripper)
        if self._from_detection:
            self._detected = hand.detected
            self._since = len(hand.frames) - (hand.done_after or 0)
        return SkillAttempt(
            task=task,
            frames=tuple(hand.frames),
            success=hand.done,
            done_after=None if hand.done_after is None else since + hand.done_after,
            kept=hand.holds_done,
            reason="" if hand.done else reason,
            tries=tries,
            failed=since + last if last else 0,
        )

    def _tried(self, hand: motion.Hand, skill: Callable[..., None], arguments: list[str]) -> tuple[int, int, str]:
        """Return how often a skill was started, the frame of its last start, and why it failed."""
        reason = ""
        for number in range(1, int(self.numbers["tries"]) + 1):
            last = len(hand.frames)
            try:
                skill(hand, self.numbers, *arguments)
                reason = "the skill ended without the task being done"
            except motion.OutOfSteps:
                return number, last, "out of steps"
            except Unfit as unfit:
                reason = str(unfit)
            if hand.holds_done:  # a block may be dropped after it was seen lifted
                return number, last, ""
        return int(self.numbers["tries"]), last, reason

    def _present(self) -> tuple[ArmTarget, int]:
        seen = self.world.observation().robot_obs
        angles = seen[3:6].copy()
        angles[2] = motion.reachable_yaw(angles[2], self.numbers["neutral_yaw"])
        return ArmTarget(seen[:3].copy(), angles), CLOSED if seen[14] < 0 else OPEN


# The expert on demand, from any state of the table.


NEAR = 0.01
"""Metres from where the plan has the tool, its fingers, doors or blocks; farther off, the expert plans again."""

_PLACES = [*range(6), *(first + axis for first in (6, 12, 18) for axis in range(3))]
"""The numbers of ``scene_obs`` that are no angles of blocks."""


class TableExpert(OnlineExpert[Action]):
    """An expert for a task at a table: its skill is tried from the present state in a table of the expert's own.

    The task is measured from the state in which the expert was made. Actions are commanded poses with the gripper.
    While tool, doors and blocks are where the plan has them, it goes on; else the skill begins anew from there.

    Args:
        world: The table: ours, or CALVIN's own.
        task: One of the 34 tasks.

    Raises:
        UsageError: There is no such task.
    """

    def __init__(self, world: motion.Tabletop, task: str) -> None:
        skill_of(task)
        self._world, self._task, self._start = world, task, world.snapshot()
        self._twin: TabletopWorld | None = None
        self._frames: Sequence[motion.MotionFrame] = ()
        self._asked: bytes = b""

    def plan(self) -> Sequence[Action] | None:
        """Return the actions that do the task; see ``OnlineExpert.plan``."""
        if self._world.tasks_done(self._start, self._world.snapshot(), (self._task,)):
            return ()
        seen = self._world.observation()
        asked = seen.robot_obs.tobytes() + seen.scene_obs.tobytes()
        if asked != self._asked:
            self._asked = asked
            if len(self._frames) > 1 and _is_near(self._frames[1].observation, seen):
                self._frames = self._frames[1:]
            elif len(self._frames) < 2 or not _is_near(self._frames[0].observation, seen):
                self._frames = self._try(seen)
        return [(each.target.position, each.target.angles, each.gripper) for each in self._frames] or None

    def _try(self, seen: TableObservation) -> Sequence[motion.MotionFrame]:
        """Return the steps of the skill from a state; none if it does not do the task."""
        if self._twin is None:
            self._twin = TabletopWorld(self._world.scene)
        self._twin.reset(seen.robot_obs, seen.scene_obs)
        attempt = Expert(self._twin).perform(self._task, self._start)
        return attempt.frames if attempt.success else ()


def _is_near(one: TableObservation, other: TableObservation) -> bool:
    """Whether two states are about the same, as far as a skill goes on in the same way."""
    hand = [0, 1, 2, 6]
    gaps = (one.robot_obs[hand] - other.robot_obs[hand], one.scene_obs[_PLACES] - other.scene_obs[_PLACES])
    return all(float(np.abs(each).max()) <= NEAR for each in gaps)


class TableExperts:
    """Makes experts for CALVIN's table."""

    def expert(self, environment: object, goal: object) -> TableExpert | None:
        """Return an expert for a table and a task; see ``ExpertSource.expert``."""
        if not isinstance(environment, motion.Tabletop):
            return None
        if not isinstance(goal, str):
            raise UsageError("a table has no goal of its own", hint='give a task: goal="open_drawer"')
        return TableExpert(environment, goal)
