"""A household plan lowered into TEACh's actions.

Every action of the plan is one of TEACh's actions, except a go-to, which is a walk. Where the shortest walk turns
away and back for a step or two, the agent pans or steps back, as TEACh's players do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.errors import UnsupportedError
from chorewright.files.processes import Timed
from chorewright.planner.plan import GroundAction
from chorewright.problems.household.scene import Pose
from chorewright.replay.household.executor import FindRoute, LowAction, NoRoute
from chorewright.replay.household.real.simulator import HELD
from chorewright.replay.simulator import Argument, SimulatorAction
from chorewright.replay.teach.world import INTERACTIONS, MOVES, POUR
from chorewright.rsa.household.segments import Subgoal

MOVE_NAMES: Mapping[str, str] = {action.call: name for name, action in MOVES.items()}
"""Move of a route to TEACh's name of it."""

_INTERACTIONS: Mapping[str, tuple[str, int]] = {
    "pick-up": ("Pickup", 0),
    "put": ("Place", 1),
    "open": ("Open", 0),
    "close": ("Close", 0),
    "toggle-on": ("ToggleOn", 0),
    "toggle-off": ("ToggleOff", 0),
    "slice": ("Slice", 0),
    "pour": ("Pour", 1),
}
"""Action of the household domain to TEACh's, and which of its arguments that is about."""

GO_TO = "go-to"

SIDESTEP = 2
"""Steps to the side or back that are made without turning."""


@dataclass(frozen=True, slots=True)
class Detour:
    """What is done before an action of a plan besides it, and then made good.

    Attributes:
        before: The index of the plan's action. If that is no go-to, the detour ends where it began.
        actions: What is done, as ground actions; a go-to starts where the agent stands.
        event: Which of them is what the detour is about.
        fails: Whether that one cannot be done.
        stands: Poses that only it goes to, by the names that its actions have for them.
    """

    before: int
    actions: tuple[GroundAction, ...]
    event: int
    fails: bool
    stands: tuple[tuple[str, Pose], ...] = ()


@Timed("lower")
def lower_with_detours(
    plan: Sequence[GroundAction],
    subgoals: Sequence[Subgoal],
    ids: Mapping[str, str],
    poses: Mapping[str, Pose],
    find_route: FindRoute,
    detours: Sequence[Detour],
) -> tuple[tuple[LowAction, ...], tuple[int, ...]]:
    """Lower a plan into TEACh's actions, each with the number of its subgoal, which never decreases.

    Args:
        plan: The plan.
        subgoals: The plan cut by ``rsa.household.segments``.
        ids: Object names of the problem to simulator ids.
        poses: Pose names of the problem to poses.
        find_route: Finds the ways, as a navigation grid with TEACh's looks does.
        detours: They belong to the subgoal that they come before or in.

    Returns:
        The actions, and for each detour the index of the action that it is about.

    Raises:
        NoRoute: Two poses of a go-to are not connected.
        UnsupportedError: The plan has an action that TEACh has none for.
    """
    owner = {place: number for number, subgoal in enumerate(subgoals) for place in subgoal.places}
    found: list[LowAction] = []
    events: list[int] = []
    segment = 0
    here = ""  # where a detour has led to
    poses = dict(poses) | {name: pose for detour in detours for name, pose in detour.stands}
    for place, action in enumerate(plan):
        segment = max(segment, owner[place])
        for detour in detours:
            if detour.before != place:
                continue
            for number, each in enumerate(detour.actions):
                actions = _lower(each, here, segment, ids, poses, find_route)
                here = each.arguments[1] if each.name == GO_TO else here
                if number == detour.event:
                    events.append(len(found))
                    actions = [replace(actions[0], fails=detour.fails)]
                found += actions
        found += _lower(action, here, segment, ids, poses, find_route)
        here = "" if action.name == GO_TO else here
    return tuple(found), tuple(events)


def _lower(
    action: GroundAction,
    here: str,
    segment: int,
    ids: Mapping[str, str],
    poses: Mapping[str, Pose],
    find_route: FindRoute,
) -> list[LowAction]:
    """Return TEACh's actions for one of a plan; a go-to starts at the pose ``here`` if that is given."""
    if action.name != GO_TO:
        name, target = interaction_of(action, ids)
        return [LowAction(name, segment, SimulatorAction(name, {"objectId": target}))]
    start, goal = poses[here or action.arguments[0]], poses[action.arguments[1]]
    route = find_route(start, goal)
    if route is None:
        raise NoRoute(f"there is no way from {start} to {goal}")
    names = with_side_steps([MOVE_NAMES[step] for step in route])
    return [LowAction(name, segment, SimulatorAction(name)) for name in names]


def interaction_of(action: GroundAction, ids: Mapping[str, str]) -> tuple[str, str]:
    """Return TEACh's action for an action of a plan, and the id of its object.

    Raises:
        UnsupportedError: TEACh has none for it.
    """
    known = _INTERACTIONS.get(action.name)
    if known is None:
        hint = f"it knows {', '.join(_INTERACTIONS)}"
        raise UnsupportedError(f"no action of TEACh's does {action}", hint=hint)
    name, which = known
    return name, ids[action.arguments[which]]


def with_side_steps(route: Sequence[str]) -> tuple[str, ...]:
    """Return a route with pans in place of one or two steps to the side between turns there and back.

    Likewise a turn about, a step or two and a turn about become steps back. The route ends in the same pose
    and is never longer.
    """
    found: list[str] = []
    place = 0
    while place < len(route):
        for (there, back), side in _SIDEWAYS.items():
            after = place + len(there)
            end = after
            while end < len(route) and route[end] == "Forward":
                end += 1
            turned = tuple(route[place:after]) == there and tuple(route[end : end + len(back)]) == back
            if turned and 1 <= end - after <= SIDESTEP:
                found += [side] * (end - after)
                place = end + len(back)
                break
        else:
            found.append(route[place])
            place += 1
    return tuple(found)


_LEFT, _RIGHT = "Turn Left", "Turn Right"
_SIDEWAYS: Mapping[tuple[tuple[str, ...], tuple[str, ...]], str] = {
    **{((one, one), (other, other)): "Backward" for one in (_LEFT, _RIGHT) for other in (_LEFT, _RIGHT)},
    ((_LEFT,), (_RIGHT,)): "Pan Left",
    ((_RIGHT,), (_LEFT,)): "Pan Right",
}
"""Turns before and after some steps ahead to the step that does without; longer turns first."""


def build_calls(call: SimulatorAction) -> list[SimulatorAction]:
    """Return the calls of a real build of AI2-THOR that do one of TEACh's actions."""
    if call.action in MOVES:
        move = MOVES[call.action]
        return [SimulatorAction(move.call, dict(move.arguments))]
    known = INTERACTIONS.get(call.action)
    if known is None:
        return [call]
    target: dict[str, Argument] = {"objectId": call.arguments.get("objectId")}
    if call.action == POUR:
        fill = SimulatorAction("FillObjectWithLiquid", {**target, "fillLiquid": "water"})
        return [fill, SimulatorAction("EmptyLiquidFromObject", {"objectId": HELD})]
    return [SimulatorAction(known.call, {**target, **dict(known.arguments)})]
