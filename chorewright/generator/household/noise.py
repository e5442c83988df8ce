"""Noise in rooms: a demonstration whose walks go astray, and the expert's way on from the state that is there.

A step of a walk may be another one than the expert's: a stray step, turn or look, a grasp that is tried too early and
fails, or a walk to a receptacle in which nothing is to be fetched and a look into it. Each action that is not the
expert's keeps what the expert would have done. From where the agent is then, the expert finds its walk anew and shuts
what was opened. Subgoals stay as they are, and so does what is said of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chorewright.domains.templates.goal_templates import Goal
from chorewright.generator.dataset.episode import NOISE, PERTURBED, Step
from chorewright.generator.household.demonstration import Demonstration, conditions_after
from chorewright.generator.household.outlook import Sight
from chorewright.generator.production.attempts import Rejection
from chorewright.problems.household.navigation import Grid, Motion
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from chorewright.problems.household.sight import stand_pose
from chorewright.problems.household.state import ChangingState
from chorewright.replay.household.executor import INTERACTIONS, MOVES, LowAction, call_of, execute
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import Argument, SimulatorAction

COMMANDED = "commanded"
"""The argument of a perturbed step that says what the expert would have done: ``action``, and ``objectId`` if any."""

GRASPS, PEEKS = 0.25, 0.15
"""How many of the times that a walk goes astray are grasps that come too early, and looks into receptacles."""

ON = 0.35
"""How likely a stray step is followed by another one."""

MOST_STEPS, MOST_TIMES = 3, 8
"""Stray steps in a row, and times that one walk goes astray, at most."""

NEAREST = 3
"""Of so many receptacles, the nearest ones, the agent looks into one."""


def noise_extras(share: float) -> tuple[tuple[str, str], ...]:
    """Return the extras of an episode with so much noise."""
    return ((NOISE, f"{share:g}"),) if share else ()


def mark(action: LowAction) -> Mapping[str, object]:
    """Return the arguments that tell of an action that noise has put in the place of another; else none."""
    if action.commanded is None:
        return {}
    thing = action.commanded.call.arguments.get("objectId")
    meant = {"action": action.commanded.name, **({} if thing is None else {"objectId": thing})}
    return {PERTURBED: True, COMMANDED: meant}


def noise_of(step: Step) -> Mapping[str, object]:
    """Return what a stored step tells of noise: that it is perturbed, and what the expert would do; or nothing."""
    return {name: value for name, value in step.call().items() if name in (PERTURBED, COMMANDED)}


def without_noise(told: Mapping[str, Argument]) -> dict[str, Argument]:
    """Return a stored step's arguments without what tells of noise."""
    return {name: value for name, value in told.items() if name not in (PERTURBED, COMMANDED)}


@dataclass(frozen=True, slots=True)
class Gait:
    """How a benchmark's agent walks.

    Attributes:
        grid: Where it walks.
        motions: What its moves do, by the names of their calls.
        strays: Those that it makes astray.
        route: Returns the moves from a pose to another one; None if there is no way.
        action: Returns a move as an action of a segment.
    """

    grid: Grid
    motions: Mapping[str, Motion]
    strays: Sequence[str]
    route: Callable[[Pose, Pose], Sequence[str] | None]
    action: Callable[[str, int], LowAction]


class Scout:
    """A world in which a perturbed demonstration is tried while it is made: what would fail, and what is seen."""

    def __init__(self, scene: Scene, renderer: Renderer) -> None:
        """Set the world up; ``renderer`` draws what is looked at."""
        self._scene, self._world, self._probe = scene, ThorWorld(), ThorWorld()
        self._sight = Sight(self._world, renderer)
        self._world.reset(scene)

    def follow(self, action: LowAction) -> None:
        """Run an action of the demonstration."""
        self._world.step(action.call)

    def fails(self, action: LowAction) -> bool:
        """Return whether an action is about something in view, and cannot be done now."""
        told = action.call.arguments
        target = str(told.get("receptacleObjectId") or told.get("objectId") or "")
        if not target or not self._sight.sees(target):
            return False
        self._probe.reset(self._world.scene())
        return not self._probe.step(action.call).success

    def find_closed(self, grid: Grid, here: Pose) -> Sequence[tuple[SceneObject, Pose]]:
        """Return shut receptacles near the agent, whose hand is empty, and from where they are opened."""
        room = self._world.room
        if room.holding is not None:
            return ()
        walked = grid.distances_from(here)
        found = []
        for body in self._scene.objects:
            if body.traits.item or not body.traits.closable or room.objects[body.object_id].attributes.is_open:
                continue
            pose = stand_pose(self._scene, grid, body)
            state = None if pose is None else grid.state(pose)
            if pose is not None and state is not None and (far := int(walked.reshape(-1)[state])) >= 0:
                found.append((far, body.object_id, body, grid.tilted(pose)))
        return [(body, pose) for _, _, body, pose in sorted(found, key=lambda each: each[:2])[:NEAREST]]

    def opens(self, action: LowAction) -> bool:
        """Return whether what an action opens is in view, and it opens."""
        if not self._sight.sees(str(action.call.arguments["objectId"])):
            return False
        self._probe.reset(self._world.scene())
        return self._probe.step(action.call).success


@dataclass(slots=True)
class WalkNoise:
    """Perturbs demonstrations.

    Attributes:
        gait: How the agent walks.
        share: Of how many steps of a walk one goes astray, as a share.
        rng: The only source of chance.
        scout: The world in which it is tried; without it, only steps, turns and looks go astray.
        actions: What was made so far.
        places: Where among these the actions of the demonstration are that are no moves, by their places in it.
    """

    gait: Gait
    share: float
    rng: np.random.Generator
    scout: Scout | None = None
    actions: list[LowAction] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    def perturb(self, demonstrated: Sequence[LowAction], start: Pose) -> tuple[LowAction, ...]:
        """Return a demonstration with walks that go astray.

        Args:
            demonstrated: The actions of one without noise, to be made from a pose.
            start: The pose.
        """
        here, number = start, 0
        while number < len(demonstrated):
            action = demonstrated[number]
            walk = list(_walk_at(demonstrated, number, self.gait.motions))
            if not walk:
                self.places[number] = len(self.actions)
                self._add(action)
                number += 1
                continue
            number += len(walk)
            coming = demonstrated[number] if number < len(demonstrated) else None
            here = self._walk(here, walk, coming)
        return tuple(self.actions)

    def _walk(self, here: Pose, walk: Sequence[LowAction], coming: LowAction | None) -> Pose:
        """Add a walk after which an action comes; return where it ends."""
        goal = here
        for each in walk:
            goal = self._after(goal, each)
        leg = _Leg(goal, walk[0].segment, coming)
        rest, left, eager = deque(walk), MOST_TIMES, False
        while rest or left:
            expert = rest[0] if rest else coming
            if eager and rest and self._grasps_early(leg, rest[0]):
                eager = False
            elif left and expert is not None and self.rng.random() < self.share:
                left -= 1
                kind = self.rng.random()
                if self.scout is not None and kind < GRASPS:
                    eager = True  # as soon as what is reached for is in view
                    continue
                peeks = self.scout is not None and kind < GRASPS + PEEKS
                there = self._peek(here, leg) if peeks else None
                here = self._stray(here, leg, expert) if there is None else there
                rest = deque(self._rest(here, leg))
            elif rest:
                here = self._step(here, rest.popleft())
            else:
                break
        return here

    def _rest(self, here: Pose, leg: _Leg) -> Sequence[LowAction]:
        """Return the expert's way on."""
        found = self.gait.route(here, leg.goal)
        assert found is not None  # where the agent came from, it can go back to
        return [self.gait.action(name, leg.segment) for name in found]

    def _grasps_early(self, leg: _Leg, expert: LowAction) -> bool:
        """Add the action after a walk too early, if it is about something in view and fails; return whether it is."""
        if self.scout is None or leg.coming is None or not self.scout.fails(leg.coming):
            return False
        self._add(replace(leg.coming, segment=leg.segment, fails=True, commanded=expert))
        return True

    def _stray(self, here: Pose, leg: _Leg, expert: LowAction) -> Pose:
        """Add a few stray steps; return where they lead."""
        grid, motions = self.gait.grid, self.gait.motions
        for _ in range(MOST_STEPS):
            ways = [
                name
                for name in self.gait.strays
                if name != expert.call.action and grid.after(here, motions[name]) is not None
            ]
            name = ways[int(self.rng.integers(len(ways)))]
            here = self._step(here, replace(self.gait.action(name, leg.segment), commanded=expert))
            if self.rng.random() >= ON:
                break
            rest = self._rest(here, leg)
            if not rest and leg.coming is None:
                break
            expert = rest[0] if rest or leg.coming is None else leg.coming
        return here

    def _peek(self, here: Pose, leg: _Leg) -> Pose | None:
        """Add a walk to a receptacle and a look into it; return where that is done, or None if there is none."""
        if self.scout is None or leg.coming is None:
            return None
        found = [each for each in self.scout.find_closed(self.gait.grid, here) if each[0].object_id not in leg.things]
        if not found:
            return None
        body, pose = found[int(self.rng.integers(len(found)))]
        route = self.gait.route(here, pose)
        if not route:
            return None
        for name in route:
            expert = next(iter(self._rest(here, leg)), leg.coming)
            action = self.gait.action(name, leg.segment)
            here = self._step(here, action if name == expert.call.action else replace(action, commanded=expert))
        opening, closing = (
            LowAction(name, leg.segment, SimulatorAction(name, {"objectId": body.object_id}))
            for name in (INTERACTIONS["open"], INTERACTIONS["close"])
        )
        if self.scout.opens(opening):
            expert = next(iter(self._rest(here, leg)), leg.coming)
            self._add(replace(opening, commanded=expert))
            self._add(closing)
        return here

    def _step(self, here: Pose, action: LowAction) -> Pose:
        self._add(action)
        return self._after(here, action)

    def _after(self, here: Pose, action: LowAction) -> Pose:
        there = self.gait.grid.after(here, self.gait.motions[action.call.action])
        assert there is not None  # it is a step of a route, or was looked at before
        return there

    def _add(self, action: LowAction) -> None:
        self.actions.append(action)
        if self.scout is not None:
            self.scout.follow(action)


@dataclass(frozen=True, slots=True)
class _Leg:
    """A walk: where it leads, its segment, and what is done there."""

    goal: Pose
    segment: int
    coming: LowAction | None

    @property
    def things(self) -> frozenset[Argument]:
        """What is dealt with at its end."""
        return frozenset() if self.coming is None else frozenset(self.coming.call.arguments.values())


_MOTIONS = {
    "MoveAhead": Motion(0),
    "RotateLeft": Motion(turns=-1),
    "RotateRight": Motion(turns=1),
    "LookUp": Motion(looks=-1),
    "LookDown": Motion(looks=1),
}
"""ALFRED's moves."""


def with_noise(
    found: Demonstration, scene: Scene, goal: Goal, share: float, rng: np.random.Generator, renderer: Renderer
) -> Demonstration | Rejection:
    """Return a demonstration with ALFRED's moves whose walks go astray, or why it fails then.

    Args:
        found: One without noise.
        scene: The start.
        goal: The goal, whose conditions are looked at again.
        share: Of how many steps of a walk one goes astray, as a share.
        rng: The only source of chance.
        renderer: What draws.
    """
    grid, household = Grid.of(scene), found.household
    gait = Gait(
        grid,
        _MOTIONS,
        tuple(_MOTIONS),
        lambda start, end: grid.route(start, end, rng),
        lambda name, segment: LowAction(MOVES[name], segment, call_of(name)),
    )
    actions = WalkNoise(gait, share, rng, Scout(scene, renderer)).perturb(found.actions, scene.agent)
    execution = execute(actions, ThorWorld(), scene, ChangingState(household.ids, household.begun))
    if execution.failure:
        return Rejection("replay", execution.failure)
    conditions = conditions_after(execution.final, goal, household, scene.kinds.domain)
    return replace(found, execution=execution, conditions=conditions)


def _walk_at(actions: Sequence[LowAction], start: int, motions: Mapping[str, Motion]) -> Iterator[LowAction]:
    """Yield the moves of one segment from an action on."""
    for action in actions[start:]:
        if action.call.action not in motions or action.segment != actions[start].segment:
            return
        yield action
