"""One of TEACh's tasks done in a scene: planned, lowered into TEACh's actions, run and checked at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.domains.teach.progress import Progress, check
from chorewright.errors import UnsupportedError
from chorewright.generator.household.noise import Gait, WalkNoise
from chorewright.generator.household.outlook import Stands
from chorewright.generator.production.attempts import Rejection, without_plan
from chorewright.generator.teach.compiling import TeachProblem, plan_task
from chorewright.generator.teach.mishaps import Hidden, Mishap, draw_mishap, stood_elsewhere
from chorewright.planner.plan import UNLIMITED, Answer, Limits, Plan
from chorewright.problems.household.containment import piece_number
from chorewright.problems.household.navigation import TEACH_LOOK, Grid, Motion
from chorewright.problems.household.scene import Pose, Scene, Vector
from chorewright.problems.household.sight import handles, poses_around
from chorewright.problems.household.state import ChangingState
from chorewright.replay.household.executor import Execution, LowAction, NoRoute, execute
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.simulator import Event, SimulatorAction
from chorewright.replay.teach.clicks import Click, Clicker
from chorewright.replay.teach.lowering import MOVE_NAMES, lower_with_detours, with_side_steps
from chorewright.replay.teach.world import MOVES, PICKUP, TeachWorld, teach_world
from chorewright.rsa.household.segments import Subgoal, segments

MOTIONS = {
    "Forward": Motion(0),
    "Backward": Motion(2),
    "Turn Left": Motion(turns=-1),
    "Turn Right": Motion(turns=1),
    "Look Up": Motion(looks=-1),
    "Look Down": Motion(looks=1),
    "Pan Left": Motion(-1),
    "Pan Right": Motion(1),
}
"""What TEACh's moves do."""

MOST_LOOKS = 16
"""Poses from which a target is looked for that cannot be clicked."""

MOST_POSES = 3
"""Of these, so many are told from which it can be clicked."""

MOST_STANDS = 8
"""How often a plan is tried with another pose than before."""


@dataclass(frozen=True, slots=True)
class FollowerSight:
    """What is told of an action besides itself.

    Attributes:
        position: Where the agent is after it, in metres.
        rotation: Its heading after it, in degrees.
        horizon: The camera's tilt after it, in degrees.
        x: Where in the picture the target is seen, from the left; 0 for moves.
        y: The same from the top.
        near: Of Place, the point in the room that is clicked, if it says where the thing shall lie.
    """

    position: Vector
    rotation: float
    horizon: float
    x: float = 0.0
    y: float = 0.0
    near: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class TeachDemonstration:
    """A plan that was run to its end.

    Attributes:
        compiled: The task in its scene, as a planning problem.
        plan: The plan.
        subgoals: The plan cut into subgoals; the last is the end.
        actions: TEACh's actions.
        execution: What came of them.
        sights: What is told of each action besides.
        begun: The progress at the start.
        ended: The progress at the end.
        stages: The scene after each subgoal, in the subgoals' order.
        mishaps: What went wrong on the way.
        events: The index of the action that each mishap is about.
        stands: From where things are handled besides, so that they are seen.
        unperturbed: The actions without noise, which is what is talked about; empty if there is no noise.
    """

    compiled: TeachProblem
    plan: Plan
    subgoals: tuple[Subgoal, ...]
    actions: tuple[LowAction, ...]
    execution: Execution
    sights: tuple[FollowerSight, ...]
    begun: Progress
    ended: Progress
    stages: tuple[Scene, ...] = ()
    mishaps: tuple[Mishap, ...] = ()
    events: tuple[int, ...] = ()
    stands: Stands = ()
    unperturbed: tuple[LowAction, ...] = ()


Clicks = Sequence[tuple[str, str, Click]]
"""Actions that were done one after the other, by name and object, each with its click."""


class _Onlooker:
    """Clicks on what each action is about, and notes what is seen and how the scene stands after each subgoal.

    It is the simulator that actions run in: where a click says where a thing shall lie, the action says so too.
    ``hidden`` is the first interaction whose target cannot be clicked as TEACh's wrapper wants it; if it must be,
    nothing is done from there on. ``clicks`` are the actions so far, each with its click; as long as they are those of
    an earlier run from the same scene, its clicks are taken.
    """

    def __init__(self, seen: bool, renderer: Renderer | None = None, earlier: Clicks = ()) -> None:
        self.world = TeachWorld()
        self.clicks: list[tuple[str, str, Click]] = []
        self._earlier = earlier
        self.sights: list[FollowerSight] = []
        self.scenes: dict[int, Scene] = {}
        self.hidden: Hidden | None = None
        self._seen, self._interactions = seen, 0
        self._clicker = Clicker(self.world, renderer)
        self._click = Click(0.0, 0.0)
        self._fails = False

    def reset(self, scene: Scene) -> Event:
        """Set the world up as the scene says."""
        return self.world.reset(scene)

    def step(self, action: SimulatorAction) -> Event:
        """Run an action."""
        target = str(action.arguments.get("objectId") or "")
        place = len(self.clicks)
        if self._earlier[place : place + 1] and self._earlier[place][:2] == (action.action, target):
            self._click = self._earlier[place][2]
            self._interactions += bool(target)
        else:
            self._earlier = ()
            self._click = self._clicked(action.action, target) if target else Click(0.0, 0.0)
        if self.hidden is None:
            self.clicks.append((action.action, target, self._click))
        if self._seen and self.hidden is not None:
            return Event(False, self.hidden.reason)
        return self.world.act(action.action, target, self._click.near_point)

    def scene(self) -> Scene:
        """Return the present state."""
        return self.world.scene()

    def before(self, action: LowAction) -> None:
        """Note whether the action is meant to fail: then its target need not be in reach, nor seen."""
        self._fails = action.fails

    def after(self, action: LowAction, success: bool) -> None:
        """Note what is told of the action, and the scene."""
        room, click = self.world.world.room, self._click
        self.sights.append(FollowerSight(room.place(), room.rotation, room.horizon, click.x, click.y, click.near_point))
        self.scenes[action.segment] = self.world.scene()

    def _clicked(self, action: str, target: str) -> Click:
        found = self._clicker.click(action, target)
        if isinstance(found, str) and self._fails:
            found = self._clicker.fail(action, target)
        if isinstance(found, Click):
            self._interactions += 1
            return found
        if self.hidden is None:
            around = (target, *self.world.world.room.around(target)) if self._seen else ()
            instead = tuple(self._instead(action, target)) if self._seen else ()
            poses = tuple(self._elsewhere(action, target)) if self._seen else ()
            self.hidden = Hidden(f"{action} {target}: {found}", self._interactions, around, poses, instead)
        self._interactions += 1
        return Click(0.0, 0.0)

    def _instead(self, action: str, target: str) -> Iterator[str]:
        """Yield the ids of other pieces of one whole that are as the target is, and can be clicked."""
        room = self.world.world.room
        body = room.objects.get(target)
        if action != PICKUP or body is None or not piece_number(target):
            return
        whole = target.rpartition("|")[0]
        for name, other in room.objects.items():
            alike = name != target and name.rpartition("|")[0] == whole and other.kind == body.kind
            alike = alike and (other.parents, other.attributes) == (body.parents, body.attributes)
            if alike and isinstance(self._clicker.click(action, name), Click):
                yield name

    def _elsewhere(self, action: str, target: str) -> Iterator[Pose]:
        """Yield poses from which a target can be clicked."""
        room = self.world.world.room
        body = room.objects.get(target)
        if body is None:
            return
        grid, found, before = Grid.of(room.origin, TEACH_LOOK), 0, (room.x, room.z, room.rotation, room.horizon)
        walkable = grid.reachable(room.origin.agent)
        around = [room.objects[each] for each in (target, *room.around(target)) if each in room.objects]
        for pose in poses_around(grid, room.origin.agent_y, body)[:MOST_LOOKS]:
            pose = grid.tilted(pose)
            if (pose.x, pose.z) not in walkable or not all(handles(room.origin, pose, each) for each in around[:2]):
                continue
            room.x, room.z, room.rotation, room.horizon = pose.x, pose.z, 90.0 * pose.rotation, float(pose.horizon)
            clicked = room.obstacle_to(body) is None and isinstance(self._clicker.click(action, target), Click)
            room.x, room.z, room.rotation, room.horizon = before
            if clicked:
                yield pose
                found += 1
            if found == MOST_POSES:
                return


@dataclass(frozen=True, slots=True)
class SessionAttempt:
    """A plan for one of TEACh's tasks in its scene, made, run in the THOR world and checked.

    Attributes:
        compiled: The task in its scene.
        limits: Of the search.
        planner: What finds the plan.
        seen: Whether TEACh's wrapper must take each click for what it means: seen, in reach.
        rng: What goes wrong on the way is drawn from it; without it, nothing does.
        renderer: What draws; it may serve many attempts.
        noise: The share of the steps of walks that go astray, and the seed of the draws.
    """

    compiled: TeachProblem
    limits: Limits = UNLIMITED
    planner: Callable[[TeachProblem, Limits], Answer] = plan_task
    seen: bool = False
    rng: np.random.Generator | None = None
    renderer: Renderer | None = None
    noise: tuple[float, tuple[int, ...]] = (0.0, ())

    def demonstrate(self) -> TeachDemonstration | Rejection:
        """Run the stages: with what goes wrong, without it, and from elsewhere as long as something cannot be clicked.

        Returns:
            The demonstration, which succeeded at every step that was not meant to fail and whose progress check
            succeeds at the end; or why there is none: the task is done already (start), there is no plan (plan), no
            way (route), an action failed (replay) or its target cannot be clicked from anywhere (sight), or the
            check fails at the end (check).
        """
        compiled = self.compiled
        if check(compiled.task, teach_world(compiled.scene)).success:
            return Rejection("start", "the task is done already")
        answer = self.planner(compiled, self.limits)
        if not isinstance(answer, Plan):
            return without_plan(answer)
        rng = self.rng
        mishaps = () if rng is None else draw_mishap(answer.actions, compiled.household, compiled.scene, rng)
        found = self.replay(answer, mishaps)
        if mishaps and not isinstance(found, TeachDemonstration):
            found = self.replay(answer, earlier=found.clicks if isinstance(found, Hidden) else ())
        if not isinstance(found, Hidden):
            return found
        ways, earlier = [stood_elsewhere(compiled, answer, found, ())], found.clicks
        for _ in range(MOST_STANDS):
            moved = None
            while ways and (moved := next(ways[-1], None)) is None:
                ways.pop()
            if moved is None:
                break
            again = replace(self, compiled=moved.compiled).replay(moved.plan, earlier=earlier)
            if isinstance(again, TeachDemonstration):
                return replace(again, stands=moved.stands)
            if isinstance(again, Hidden):
                earlier = again.clicks
                ways.append(stood_elsewhere(moved.compiled, moved.plan, again, moved.stands))
        return Rejection("sight", found.reason)

    def replay(
        self, plan: Plan, mishaps: Sequence[Mishap] = (), earlier: Clicks = ()
    ) -> TeachDemonstration | Rejection | Hidden:
        """Run a plan and check the progress at the end.

        Args:
            plan: A plan for the task.
            mishaps: What goes wrong on the way.
            earlier: The clicks of another run from the same scene.

        Returns:
            The demonstration; why there is none; or the first target that cannot be clicked, if it must be seen.
        """
        household, scene, task = self.compiled.household, self.compiled.scene, self.compiled.task
        grid = Grid.of(scene, TEACH_LOOK)
        try:
            subgoals = segments(plan.actions, household.problem)
            detours = [mishap.detour for mishap in mishaps]
            actions, events = lower_with_detours(
                plan.actions, subgoals, household.ids, household.poses, grid.route, detours
            )
        except UnsupportedError as error:
            return Rejection("route" if isinstance(error, NoRoute) else "replay", error.message)
        unperturbed: tuple[LowAction, ...] = ()
        if self.noise[0]:
            unperturbed, (actions, events) = actions, self._perturb(actions, events, grid)
        onlooker, state = _Onlooker(self.seen, self.renderer, earlier), ChangingState(household.ids, household.begun)
        execution = execute(actions, onlooker, scene, state, onlooker, MOVES)
        if self.seen and onlooker.hidden is not None:
            return replace(onlooker.hidden, clicks=tuple(onlooker.clicks))
        if execution.failure:
            return Rejection("replay", execution.failure)
        ended = check(task, teach_world(execution.final))
        if not ended.success:
            missed = [goal.description or str(goal.key) for goal in ended.subgoals if not goal.success]
            return Rejection("check", f"{ended.satisfied} of {ended.total}; missed: {' '.join(missed)}")
        return TeachDemonstration(
            self.compiled,
            plan,
            subgoals,
            actions,
            execution,
            tuple(onlooker.sights),
            check(task, teach_world(scene)),
            ended,
            _stages(scene, onlooker.scenes, len(subgoals)),
            tuple(mishaps),
            events,
            unperturbed=unperturbed,
        )

    def _perturb(
        self, actions: Sequence[LowAction], events: Sequence[int], grid: Grid
    ) -> tuple[tuple[LowAction, ...], tuple[int, ...]]:
        """Return actions whose walks go astray, and where among them those are that mishaps are about."""

        def route(start: Pose, end: Pose) -> Sequence[str] | None:
            found = grid.route(start, end)
            return None if found is None else with_side_steps([MOVE_NAMES[step] for step in found])

        gait = Gait(
            grid, MOTIONS, tuple(MOTIONS), route, lambda name, segment: LowAction(name, segment, SimulatorAction(name))
        )
        noise = WalkNoise(gait, self.noise[0], np.random.default_rng(self.noise[1]))
        perturbed = noise.perturb(actions, self.compiled.scene.agent)
        return perturbed, tuple(noise.places[event] for event in events)


def _stages(start: Scene, scenes: Mapping[int, Scene], count: int) -> tuple[Scene, ...]:
    """Return the scene after each subgoal; one without an action of its own leaves it as it was."""
    found = []
    now = start
    for number in range(count):
        now = scenes.get(number, now)
        found.append(now)
    return tuple(found)
