"""One of TEACh's tasks done in a scene: planned, lowered into TEACh's actions, run and checked at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.tdl.progress import Progress, check
from chorewright.errors import UnsupportedError
from chorewright.generator.attempts import Rejection
from chorewright.generator.household.sight import SIZE, SMALLEST
from chorewright.generator.teach.compiling import CompiledTask, plan_task
from chorewright.generator.teach.mishaps import Mishap, drawn_mishap
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.problems.teach.metadata import teach_world
from chorewright.problems.thor.household_state import changing_state_of
from chorewright.problems.thor.navigation import TEACH_LOOK, Grid
from chorewright.problems.thor.scene import Scene, Vector
from chorewright.replay.teach.lowering import lower_with_detours
from chorewright.replay.teach.world import MOVES, PLACE, TeachWorld
from chorewright.replay.thor.executor import Execution, LowAction, NoRoute, execute
from chorewright.replay.thor.picture import agent_camera, click_on, project
from chorewright.replay.thor.pixels.renderer import Renderer
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
        mishaps: What went wrong on the way.
        events: The index of the action that each mishap is about.
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
    mishaps: tuple[Mishap, ...] = ()
    events: tuple[int, ...] = ()


@dataclass(slots=True)
class _Onlooker:
    """Notes what is seen at each action, and how the scene stands after each subgoal.

    ``hidden`` names the first interaction whose target the agent did not see.
    """

    world: TeachWorld
    sights: list[Sight] = field(default_factory=list)
    scenes: dict[int, Scene] = field(default_factory=dict)
    hidden: str = ""
    mask: NDArray[np.bool_] | None = None
    held: str | None = None
    renderer: Renderer = field(default_factory=Renderer)

    def before(self, action: LowAction) -> None:
        room = self.world.world.room
        self.held, self.mask = room.holding, None
        target = str(action.call.arguments.get("objectId") or "")
        if target:
            self.mask = self.renderer.mask(self.world.scene(), agent_camera(room, SIZE), target)
            if int(self.mask.sum()) < SMALLEST:
                self.hidden = self.hidden or f"{action.name} {target}: the agent does not see it"

    def after(self, action: LowAction, success: bool) -> None:
        room = self.world.world.room
        self.sights.append(Sight(room.place(), room.rotation, room.horizon, *self._click(action, success)))
        self.scenes[action.segment] = self.world.scene()

    def _click(self, action: LowAction, success: bool) -> tuple[float, float]:
        """Return where the target was in the picture; of Place, near to where the thing came to lie."""
        if self.mask is None:
            return (0.0, 0.0)
        room = self.world.world.room
        placed = room.objects.get(self.held or "") if success and action.name == PLACE else None
        return click_on(self.mask, project(room, placed.centre) if placed else None) or (0.0, 0.0)


def demonstrate_teach(
    compiled: CompiledTask,
    limits: Limits = UNLIMITED,
    planner: Callable[[CompiledTask, Limits], Answer] = plan_task,
    seen: bool = False,
    rng: np.random.Generator | None = None,
) -> TeachDemonstration | Rejection:
    """Plan a task in its scene, run the plan in the THOR world and check the progress.

    Args:
        compiled: The task in its scene.
        limits: Of the search.
        planner: What finds the plan.
        seen: Whether the agent must see all that it acts on.
        rng: What goes wrong on the way is drawn from it; without it, nothing does.

    Returns:
        The demonstration, which succeeded at every step that was not meant to fail and whose progress check
        succeeds at the end; or why there is none: the task is done already (start), there is no plan (plan), no
        way (route), an action failed (replay) or its target was hidden (sight), or the check fails at the end
        (check).
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
    mishaps = drawn_mishap(answer.actions, compiled.household, compiled.scene, rng) if rng is not None else ()
    found = replay_teach(compiled, answer, begun, seen, mishaps)
    return replay_teach(compiled, answer, begun, seen) if mishaps and isinstance(found, Rejection) else found


def replay_teach(
    compiled: CompiledTask,
    plan: Plan,
    begun: Progress | None = None,
    seen: bool = False,
    mishaps: Sequence[Mishap] = (),
) -> TeachDemonstration | Rejection:
    """Run a plan of a task in the THOR world and check the progress at the end.

    Args:
        compiled: The task in its scene.
        plan: A plan for it.
        begun: The progress at the start, if it is known.
        seen: Whether the agent must see all that it acts on.
        mishaps: What goes wrong on the way.
    """
    household, scene = compiled.household, compiled.scene
    grid = Grid.of(scene, TEACH_LOOK)
    try:
        subgoals = segments(plan.actions, household.problem)
        detours = [mishap.detour for mishap in mishaps]
        actions, events = lower_with_detours(plan.actions, subgoals, household.ids, household.poses, grid, detours)
    except NoRoute as error:
        return Rejection("route", error.message)
    except UnsupportedError as error:
        return Rejection("replay", error.message)
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
    if seen and onlooker.hidden:
        return Rejection("sight", onlooker.hidden)
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
        tuple(mishaps),
        events,
    )


def _stages(start: Scene, scenes: Mapping[int, Scene], count: int) -> tuple[Scene, ...]:
    """Return the scene after each subgoal; one without an action of its own leaves it as it was."""
    found = []
    now = start
    for number in range(count):
        now = scenes.get(number, now)
        found.append(now)
    return tuple(found)
