"""Subgoals lowered into simulator actions, and run one by one until the first that fails.

The actions are ALFRED's: five ways to move or look, and seven interactions. A GotoLocation is a shortest
route between poses; CleanObject, HeatObject and CoolObject are the benchmark's rigid expansions; a door is
opened when it hides what is touched and closed again, unless the next subgoal reaches behind it too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from chorewright.domains.pddl.syntax import GroundAtom, State
from chorewright.errors import UnsupportedError
from chorewright.files.processes import Timed
from chorewright.problems.household.scene import Pose, Scene
from chorewright.replay.simulator import Argument, Event, SimulatorAction
from chorewright.rsa.household.segments import CLEAN, COOL, GOTO, HEAT, Subgoal

MOVES: Mapping[str, str] = {
    "MoveAhead": "MoveAhead_25",
    "RotateLeft": "RotateLeft_90",
    "RotateRight": "RotateRight_90",
    "LookUp": "LookUp_15",
    "LookDown": "LookDown_15",
}
"""Simulator action to ALFRED's name of it, for the actions that ALFRED names otherwise."""

INTERACTIONS: Mapping[str, str] = {
    "pick-up": "PickupObject",
    "put": "PutObject",
    "open": "OpenObject",
    "close": "CloseObject",
    "toggle-on": "ToggleObjectOn",
    "toggle-off": "ToggleObjectOff",
    "slice": "SliceObject",
}
"""Action of the household domain to the simulator's; pouring takes ``FILL`` and ``EMPTY``."""

FILL, EMPTY = "FillObjectWithLiquid", "EmptyLiquidFromObject"
"""What a pour is done by: what it is poured into is filled, unless it drains; what is held is emptied."""


def call_of(step: str) -> SimulatorAction:
    """Return the simulator call of a step of a route."""
    arguments: dict[str, Argument] = {"moveMagnitude": 0.25} if step == "MoveAhead" else {}
    return SimulatorAction(step, {**arguments, "forceAction": True})


FindRoute: TypeAlias = Callable[[Pose, Pose], tuple[str, ...] | None]
"""Returns a shortest sequence of moves, turns and looks from one pose to another, or None if there is none."""


@dataclass(frozen=True, slots=True)
class LowAction:
    """A simulator call with the benchmark's name for it and the number of its subgoal.

    ``fails`` tells that it is meant to fail: an agent tries what cannot be done yet. Where noise has perturbed a
    demonstration, ``commanded`` is what the expert would have done.
    """

    name: str
    segment: int
    call: SimulatorAction
    fails: bool = False
    commanded: LowAction | None = None


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """A low-level action that was run, and the atoms that it changed."""

    action: LowAction
    success: bool
    added: tuple[GroundAtom, ...] = ()
    removed: tuple[GroundAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of running the actions; ``failure`` tells why they were not run to their end, or is empty."""

    steps: tuple[ExecutedStep, ...]
    failure: str
    final: Scene
    state: State


class RoomSimulator(Protocol):
    """What the executor asks of a simulator of rooms."""

    def reset(self, scene: Scene) -> Event:
        """Set the room up as the scene says."""
        ...

    def step(self, action: SimulatorAction) -> Event:
        """Run one action."""
        ...

    def scene(self) -> Scene:
        """Return the present state as a scene."""
        ...


class StepWatch(Protocol):
    """Looks at the simulator before and after each action."""

    def before(self, action: LowAction) -> None:
        """Look before an action is run."""
        ...

    def after(self, action: LowAction, success: bool) -> None:
        """Look after it."""
        ...


class NoRoute(UnsupportedError):
    """A GotoLocation leads to a pose that cannot be walked to."""


@dataclass(slots=True)
class _Lowering:
    """Lowers subgoals one after the other; ``open`` and ``on`` follow the doors and appliances.

    ``brewed`` are the coffee machines that have run, ``coffee`` is what was taken out of them.
    """

    ids: Mapping[str, str]
    open: set[str]
    on: set[str]
    drains: frozenset[str] = frozenset()
    brews: frozenset[str] = frozenset()
    brewed: set[str] = field(default_factory=set)
    coffee: set[str] = field(default_factory=set)
    segment: int = 0
    actions: list[LowAction] = field(default_factory=list)

    def move(self, steps: Iterable[str]) -> None:
        self.actions += (LowAction(MOVES[step], self.segment, call_of(step)) for step in steps)

    def do(self, verb: str, thing: str, receptacle: str = "") -> None:
        """Add one interaction; opening what is open, or turning off what is off, is left out."""
        where = {"open": self.open, "close": self.open, "toggle-on": self.on, "toggle-off": self.on}.get(verb)
        if where is not None:
            starts = verb in ("open", "toggle-on")
            if (thing in where) == starts:
                return
            (where.add if starts else where.discard)(thing)
        arguments: dict[str, Argument] = {"objectId": self.ids[thing]}
        if verb == "put":
            arguments |= {"receptacleObjectId": self.ids[receptacle], "forceAction": True, "placeStationary": True}
        name = INTERACTIONS[verb]
        self.actions.append(LowAction(name, self.segment, SimulatorAction(name, arguments)))

    def pour(self, vessel: str, target: str) -> None:
        """Add what pouring from a vessel takes: a drain only swallows, anything else is filled."""
        if target not in self.drains:
            liquid = "coffee" if vessel in self.coffee else "water"
            arguments: dict[str, Argument] = {"objectId": self.ids[target], "fillLiquid": liquid}
            self.actions.append(LowAction(FILL, self.segment, SimulatorAction(FILL, arguments)))
        self.coffee.discard(vessel)
        emptied = SimulatorAction(EMPTY, {"objectId": self.ids[vessel]})
        self.actions.append(LowAction(EMPTY, self.segment, emptied))

    def interact(self, subgoal: Subgoal) -> None:
        """Lower a subgoal's interactions without the doors around it."""
        if subgoal.action == CLEAN:
            item, basin, faucet = subgoal.arguments
            self.do("toggle-off", faucet)
            self.do("put", item, basin)
            self.do("toggle-on", faucet)
            self.do("toggle-off", faucet)
            self.do("pick-up", item)
        elif subgoal.action in (HEAT, COOL):
            item, appliance = subgoal.arguments
            self.do("put", item, appliance)
            self.do("close", appliance)
            if subgoal.action == HEAT:
                self.do("toggle-on", appliance)
                self.do("toggle-off", appliance)
            self.do("open", appliance)
            self.do("pick-up", item)
        else:
            for action in subgoal.actions:
                thing = action.arguments[0]
                if action.name in ("open", "close") and thing in subgoal.doors:
                    continue
                if action.name == "pick-up" and action.arguments[1] in self.brewed:
                    self.coffee.add(thing)
                if action.name == "toggle-on" and thing in self.brews:
                    self.brewed.add(thing)
                if action.name == "pour":
                    self.pour(*action.arguments[:2])
                    continue
                if action.name not in INTERACTIONS:
                    raise UnsupportedError(
                        f"no action of the simulator does {action}", hint=f"it knows {', '.join(INTERACTIONS)}, pour"
                    )
                self.do(action.name, thing, action.arguments[1] if action.name == "put" else "")


@Timed("lower")
def lower(
    subgoals: Sequence[Subgoal],
    ids: Mapping[str, str],
    poses: Mapping[str, Pose],
    find_route: FindRoute,
    start: Pose,
    init: Iterable[GroundAtom],
) -> tuple[LowAction, ...]:
    """Lower the subgoals of a plan into ALFRED's low-level actions.

    Args:
        subgoals: a plan cut by ``rsa.household.segments``.
        ids: object names of the problem to simulator ids.
        poses: pose names of the problem to poses.
        find_route: finds the ways, as a navigation grid does.
        start: where the agent stands.
        init: the problem's initial atoms (what is open and what is on).

    Raises:
        NoRoute: two poses of consecutive subgoals are not connected.
        UnsupportedError: the plan does something that the simulator has no action for.
    """
    atoms = tuple(init)
    lowering = _Lowering(
        ids,
        open={atom[1] for atom in atoms if atom[0] == "is-open"},
        on={atom[1] for atom in atoms if atom[0] == "is-on"},
        drains=frozenset(atom[1] for atom in atoms if atom[0] == "drain"),
        brews=frozenset(atom[1] for atom in atoms if atom[0] == "brews"),
        coffee={atom[1] for atom in atoms if atom[0] == "coffee"},
    )
    chills = {atom[1] for atom in atoms if atom[0] == "chills"}
    pose = start
    for number, subgoal in enumerate(subgoals):
        lowering.segment = number
        if subgoal.action == GOTO:
            goal = poses[subgoal.pose]
            route = find_route(pose, goal)
            if route is None:
                raise NoRoute(f"there is no way from {pose} to {goal}")
            lowering.move(route)
            pose = goal
            continue
        for door in subgoal.doors:
            lowering.do("open", door)
        lowering.interact(subgoal)
        following = subgoals[number + 1].doors if number + 1 < len(subgoals) else ()
        for door in reversed(subgoal.doors):
            shuts = any(action.name == "close" and action.arguments[0] == door for action in subgoal.actions)
            wanted = door in following and not (shuts and door in chills)  # closing a fridge is what cools
            if not wanted and _is_closed_in_visit(door, subgoals, number):
                lowering.do("close", door)
    return tuple(lowering.actions)


def _is_closed_in_visit(door: str, subgoals: Sequence[Subgoal], number: int) -> bool:
    """Whether the plan closes the door before it goes elsewhere."""
    for subgoal in subgoals[number:]:
        if subgoal.action == GOTO:
            return False
        last = [action.name for action in subgoal.actions if action.arguments[:1] == (door,)][-1:]
        if last == ["close"]:
            return True
    return False


@Timed("replay")
def execute(
    actions: Sequence[LowAction],
    simulator: RoomSimulator,
    scene: Scene,
    observe: Callable[[Scene], State],
    watch: StepWatch | None = None,
    moves: Container[str] = MOVES,
) -> Execution:
    """Run the actions from a scene; stop at the first that fails, or that succeeds although it is meant to fail.

    Args:
        actions: low-level actions.
        simulator: it is reset to ``scene`` first.
        scene: the start.
        observe: a scene's true atoms (``ChangingState`` of ``problems.household.state``).
        watch: what looks on.
        moves: the calls that move the agent or its camera only.
    """
    event = simulator.reset(scene)
    if not event.success:
        return Execution((), f"reset: {event.error_message}", scene, observe(scene))
    state = observe(scene)
    steps: list[ExecutedStep] = []
    for index, action in enumerate(actions):
        if watch is not None:
            watch.before(action)
        event = simulator.step(action.call)
        if watch is not None:
            watch.after(action, event.success)
        if not event.success and action.fails:
            steps.append(ExecutedStep(action, False))
            continue
        if action.fails or not event.success:
            steps.append(ExecutedStep(action, event.success))
            described = " ".join(str(value) for value in action.call.arguments.values() if isinstance(value, str))
            reason = event.error_message or "it was meant to fail"
            failure = f"step {index} {action.name} {described}".rstrip() + f": {reason}"
            return Execution(tuple(steps), failure, simulator.scene(), state)
        walking = index + 1 < len(actions) and actions[index + 1].call.action in moves
        if action.call.action in moves and walking:  # a walk's atoms change at its end
            steps.append(ExecutedStep(action, True))
            continue
        after = observe(simulator.scene())
        steps.append(ExecutedStep(action, True, tuple(sorted(after - state)), tuple(sorted(state - after))))
        state = after
    return Execution(tuple(steps), "", simulator.scene(), state)
