"""The expert in rooms: the next simulator action towards a goal, from any state of the THOR world.

A plan is made once and tried in a world of the expert's own. What has to be done, from which pose, and what is true
before each action is kept. As long as what is true is one of these states, wherever the agent has walked, only the
walk is found anew; else the expert plans again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from chorewright.domains.evaluation import holds
from chorewright.domains.formulas import Universe, derive
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Formula, State
from chorewright.errors import UnsupportedError, UsageError
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.state import ChangingState
from chorewright.replay.experts import OnlineExpert
from chorewright.replay.household.executor import MOVES, LowAction, call_of, lower
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction
from chorewright.rsa.household.segments import segments

EVALUATIONS = 50_000
"""States that the planner evaluates at most."""


@dataclass(frozen=True, slots=True)
class _Deed:
    """An action that is no walk: what is true before it, and from where it is done."""

    before: State
    pose: Pose
    call: SimulatorAction


@dataclass(frozen=True, slots=True)
class _Way:
    """A plan from a state to the goal.

    Attributes:
        tell: Returns what is true of a scene, in the plan's names.
        grid: Where the agent walks.
        deeds: What is to be done, in order.
        after: What is true at the end.
    """

    tell: ChangingState
    grid: Grid
    deeds: tuple[_Deed, ...]
    after: State


class RoomExpert(OnlineExpert[SimulatorAction]):
    """An expert for a goal in a room or house. Its actions are those of ALFRED's demonstrations.

    Args:
        world: The world; its present scene is asked for each time.
        goal: A formula over the household's types, as in a task or an episode, or its text in PDDL.
        evaluations: States that the planner evaluates at most.

    Raises:
        UsageError: The goal is no formula of the household.
    """

    def __init__(self, world: ThorWorld, goal: Formula | str, evaluations: int = EVALUATIONS) -> None:
        self._world, self._limits = world, Limits(evaluations=evaluations)
        self._goal = parse_formula(goal, world.scene().kinds.domain) if isinstance(goal, str) else goal
        self._twin = ThorWorld(world.settings)
        self._way: _Way | None = None
        self._routes: dict[tuple[Pose, Pose], tuple[str, ...] | None] = {}

    def plan(self) -> Sequence[SimulatorAction] | None:
        """Return the actions that lead to the goal; see ``OnlineExpert.plan``."""
        found = self._rest()
        if found is None:
            return None
        pose, deeds = found
        actions: list[SimulatorAction] = []
        for deed in deeds:
            walk = self._walk(pose, deed.pose)
            if walk is None:
                return None
            actions += [*walk, deed.call]
            pose = deed.pose
        return actions

    def action(self) -> SimulatorAction | None:
        """Return the next action; only the first walk is found for it."""
        found = self._rest()
        if found is None or not found[1]:
            return None
        pose, (deed, *_) = found
        walk = self._walk(pose, deed.pose)
        return None if walk is None else walk[0] if walk else deed.call

    def _rest(self) -> tuple[Pose, Sequence[_Deed]] | None:
        """Return where the agent is, and what is still to be done; None if no way is known."""
        scene = self._world.scene()
        rest = self._recognise(scene)
        if rest is None:
            self._way = self._find(scene)
            rest = self._way.deeds if self._way else None
        return None if rest is None else (scene.agent, rest)

    def _recognise(self, scene: Scene) -> Sequence[_Deed] | None:
        """Return what is left of the plan; None if this is no state of it."""
        way = self._way
        if way is None:
            return None
        now = _without_place(way.tell(scene))
        if now == way.after:
            return ()
        for place in range(len(way.deeds) - 1, -1, -1):
            if way.deeds[place].before == now:
                return way.deeds[place:]
        return None

    def _find(self, scene: Scene) -> _Way | None:
        """Plan from a scene, and try the plan in the twin."""
        grid = Grid.of(scene)
        household = household_problem(scene, self._goal, grid=grid)
        problem, domain = household.problem, scene.kinds.domain
        tell = ChangingState(household.ids, household.begun)
        universe = Universe.of(domain, problem)
        if holds(self._goal, derive(domain, frozenset(problem.init), universe), universe):
            return _Way(tell, grid, (), _without_place(tell(scene)))
        answer = solve(domain, problem, self._limits)
        if not isinstance(answer, Plan):
            return None
        try:
            subgoals = segments(answer.actions, problem)
            actions = lower(subgoals, household.ids, household.poses, grid.route, scene.agent, problem.init)
        except UnsupportedError:
            return None
        self._routes.clear()
        return self._try(_Way(tell, grid, (), frozenset()), scene, actions)

    def _try(self, way: _Way, scene: Scene, actions: Sequence[LowAction]) -> _Way | None:
        """Carry a plan out in the twin; None if one of its actions fails."""
        twin, tell = self._twin, way.tell
        twin.reset(scene)
        deeds: list[_Deed] = []
        before = _without_place(tell(scene))
        for action in actions:
            if action.call.action not in MOVES:
                deeds.append(_Deed(before, twin.scene().agent, action.call))
            if not twin.step(action.call).success:
                return None
            if action.call.action not in MOVES:
                before = _without_place(tell(twin.scene()))
        return _Way(tell, way.grid, tuple(deeds), before)

    def _walk(self, start: Pose, end: Pose) -> Sequence[SimulatorAction] | None:
        """Return a shortest walk; None if there is none."""
        if (start, end) not in self._routes:
            assert self._way is not None
            self._routes[start, end] = self._way.grid.route(start, end)
        route = self._routes[start, end]
        return None if route is None else list(map(call_of, route))


def _without_place(state: State) -> State:
    """Return what is true, but for where the agent is."""
    return frozenset(atom for atom in state if atom[0] != "at")


class RoomExperts:
    """Makes experts for the THOR world."""

    def expert(self, environment: object, goal: object) -> RoomExpert | None:
        """Return an expert for a world of rooms; see ``ExpertSource.expert``."""
        if not isinstance(environment, ThorWorld):
            return None
        text = getattr(goal, "goal", goal)  # of an episode, or of a filled task
        if not text:
            raise UsageError("a room has no goal of its own", hint='give goal="(exists (?m - mug) ...)", or an episode')
        return RoomExpert(environment, cast("Formula | str", text))
