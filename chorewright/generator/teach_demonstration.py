"""One of TEACh's tasks done in a scene: planned, lowered into TEACh's actions, run and checked at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chorewright.domains.tdl.progress import Progress, check
from chorewright.generator.demonstration import Rejection
from chorewright.generator.teach_compiling import CompiledTask, plan_task
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.problems.household import changing_state_of
from chorewright.problems.navigation import TEACH_LOOK, Grid
from chorewright.problems.scene import Scene, Vector
from chorewright.problems.teach_metadata import teach_world
from chorewright.replay.executor import Execution, LowAction, NoRoute, execute
from chorewright.replay.teach import MOVES, PLACE, TeachWorld
from chorewright.replay.teach_lowering import lower_for_teach
from chorewright.replay.thor.picture import relative_coordinate
from chorewright.replay.thor.room import Room
from chorewright.rsa.segments import Subgoal, segments

UNLIMITED = Limits()


@dataclass(frozen=True, slots=True)
class Sight:
    """What is told of an action besides itself.

    Attributes:
        position: Where the agent is after it, in metres.
        rotation: Its heading after it, in degrees.
        horizon: The camera's tilt after it, in degrees.
        x: Where in the picture the target is seen, from the left; 0 for moves.
        y: The same from the top.
    """

    position: Vector
    rotation: float
    horizon: float
    x: float = 0.0
    y: float = 0.0


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
    """

    compiled: CompiledTask
    plan: Plan
    subgoals: tuple[Subgoal, ...]
    actions: tuple[LowAction, ...]
    execution: Execution
    sights: tuple[Sight, ...]
    begun: Progress
    ended: Progress
    stages: tuple[Scene, ...] = ()


@dataclass(slots=True)
class _Onlooker:
    """Notes what is seen at each action, and how the scene stands after each subgoal."""

    world: TeachWorld
    sights: list[Sight] = field(default_factory=list)
    scenes: dict[int, Scene] = field(default_factory=dict)
    where: tuple[float, float] = (0.0, 0.0)
    held: str | None = None

    def before(self, action: LowAction) -> None:
        room = self.world.world.room
        self.held = room.holding
        self.where = self._seen(room, str(action.call.arguments.get("objectId", "")))

    def after(self, action: LowAction, success: bool) -> None:
        room = self.world.world.room
        if success and action.name == PLACE and self.held is not None:
            self.where = self._seen(room, self.held)
        place = room.place()
        self.sights.append(Sight(place, room.rotation, room.horizon, *self.where))
        self.scenes[action.segment] = self.world.scene()

    def _seen(self, room: Room, target: str) -> tuple[float, float]:
        body = room.objects.get(target)
        return (0.0, 0.0) if body is None else relative_coordinate(room, body)


def demonstrate_teach(
    compiled: CompiledTask,
    limits: Limits = UNLIMITED,
    planner: Callable[[CompiledTask, Limits], Answer] = plan_task,
) -> TeachDemonstration | Rejection:
    """Plan a task in its scene, run the plan in the THOR world and check the progress.

    Returns:
        The demonstration, which succeeded at every step and whose progress check succeeds at the end; or why
        there is none: the task is done already (start), there is no plan (plan), no way (route), an action
        failed (replay), or the check fails at the end (check).
    """
    begun = check(compiled.task, teach_world(compiled.scene))
    if begun.success:
        return Rejection("start", "the task is done already")
    answer = planner(compiled, limits)
    if isinstance(answer, Unsolvable):
        return Rejection("plan", answer.reason)
    if isinstance(answer, OutOfLimits):
        reason = f"out of {answer.limit.value} after {answer.evaluated} evaluations"
        return Rejection("plan", reason, answer.evaluated)
    return replay_teach(compiled, answer, begun)


def replay_teach(
    compiled: CompiledTask, plan: Plan, begun: Progress | None = None
) -> TeachDemonstration | Rejection:
    """Run a plan of a task in the THOR world and check the progress at the end.

    Args:
        compiled: The task in its scene.
        plan: A plan for it.
        begun: The progress at the start, if it is known.
    """
    household, scene = compiled.household, compiled.scene
    subgoals = segments(plan.actions, household.problem)
    grid = Grid.of(scene, TEACH_LOOK)
    try:
        actions = lower_for_teach(plan.actions, subgoals, household.ids, household.poses, grid)
    except NoRoute as error:
        return Rejection("route", error.message)
    world = TeachWorld()
    onlooker = _Onlooker(world)
    execution = execute(
        actions,
        world,
        scene,
        lambda now: changing_state_of(now, household.ids, household.begun),
        onlooker,
        MOVES,
    )
    if execution.failure:
        return Rejection("replay", execution.failure)
    ended = check(compiled.task, teach_world(execution.final))
    if not ended.success:
        missed = [goal.description or str(goal.key) for goal in ended.subgoals if not goal.success]
        return Rejection("check", f"{ended.satisfied} of {ended.total}; missed: {' '.join(missed)}")
    return TeachDemonstration(
        compiled,
        plan,
        subgoals,
        actions,
        execution,
        tuple(onlooker.sights),
        begun or check(compiled.task, teach_world(scene)),
        ended,
        _stages(scene, onlooker.scenes, len(subgoals)),
    )


def _stages(start: Scene, scenes: Mapping[int, Scene], count: int) -> tuple[Scene, ...]:
    """Return the scene after each subgoal; one without an action of its own leaves it as it was."""
    found = []
    now = start
    for number in range(count):
        now = scenes.get(number, now)
        found.append(now)
    return tuple(found)
