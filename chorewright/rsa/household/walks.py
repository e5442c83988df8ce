"""Walks in words: turns, coarse distances, landmarks and walls on the way, and where the walk ends.

A walk is cut into a few straight runs (``path_phrases``); each becomes a clause, and the grammar joins them. What is
said of a run is true of it: a landmark that it ends before, one that it passes, a wall ahead of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chorewright.files.english import capital
from chorewright.problems.household.scene import GRID, STEPS, Pose
from chorewright.rsa.household.layout import RoomLayout, Route, Run, simplify, turn
from chorewright.rsa.household.mentions import RoomSpeaker
from chorewright.rsa.household.relations import Anchor

FAR = 0.5
"""Share of the room's length from which a run crosses the room (and at least 2 m)."""

WALL_AHEAD = 0.75
"""Metres before a wall at which a run ends at it."""

SHORT = 4
"""Steps up to which a run is a few steps."""


@dataclass(frozen=True, slots=True)
class WalkGoal:
    """Where a walk goes to.

    Attributes:
        phrase: the noun phrase; worded anew by each call.
        placed: whether it says its place, so that ``on your left`` after it would be misread.
        object_id: what is meant; empty for a spot.
        back: whether one has been there before.
        low: whether it is near the floor.
    """

    phrase: str
    placed: bool
    object_id: str = ""
    back: bool = False
    low: bool = False


def say_walk(route: Route, goal: WalkGoal, held: str, world: RoomLayout, speaker: RoomSpeaker) -> str:
    """Return directions along a route to a goal, without capital and full stop.

    Args:
        route: the path.
        goal: where it goes to.
        held: what is carried, in words; empty for nothing.
        world: where things are.
        speaker: who speaks.
    """
    style = speaker.style
    if not route.runs:
        return _turn_only(route, goal, held, speaker)
    if held and style.chance(0.22):
        slots = _ends(simplify(route, 1), goal)
        free = "" if goal.placed or " with " in held else " "
        return style.say("carry", {**slots, "held": held, "goal": goal.phrase, "free": free})
    runs = _tell(route, speaker.winding + int(style.chance(0.15)))
    heading = route.start.rotation
    clauses: list[str] = []
    used = {goal.object_id}
    for run in runs.runs[:-1]:
        move = _move(run, used, world, speaker)
        clauses.append(_turn(turn(heading, run.rotation), move, speaker, first=not clauses))
        heading = run.rotation
    last = runs.runs[-1]
    final = turn(last.rotation, runs.end.rotation)
    side = turn(heading, last.rotation)
    beside = final in ("left", "right") and not goal.placed and style.chance(0.35)
    if not final or beside or (final != "around" and style.chance(0.72)):
        straight = not side and not clauses and not beside and not final
        slots = {"goal": goal.phrase, **_distance(last, world), "back": goal.phrase if goal.back else ""}
        slots["front"] = " " if straight and not goal.placed else ""
        arrive = style.say("arrive beside" if beside else "arrive", {**slots, "side": final if beside else ""})
        clauses.append(_turn(side, arrive, speaker, first=not clauses))
    else:
        clauses.append(_turn(side, _move(last, used, world, speaker), speaker, first=not clauses))
        clauses.append(style.say("face around" if final == "around" else "face", {"goal": goal.phrase, "side": final}))
    said = join(clauses, speaker)
    if held and style.chance(0.1):
        return style.say("carrying", {"held": held, "walk": said})
    return said


def _tell(route: Route, most: int) -> Route:
    """Return the route with at most so many runs, more if what is forgotten is most of the way to the goal."""
    told = simplify(route, most)
    while turn(told.runs[-1].rotation, told.end.rotation) == "around" and len(told.runs) == most < 4:
        most += 1
        told = simplify(route, most, exact=True)
    return told


def _ends(route: Route, goal: WalkGoal) -> dict[str, str]:
    """Return the slot of the side on which the goal of a straight walk is, if that is so."""
    side = turn(route.start.rotation, route.runs[-1].rotation)
    straight = route.end.rotation == route.runs[-1].rotation
    return {"side": side if side in ("left", "right") and straight and not goal.placed else ""}


def join(clauses: Sequence[str], speaker: RoomSpeaker) -> str:
    """Join clauses that follow each other in time."""
    if len(clauses) <= 1:
        return "".join(clauses)
    if len(clauses) > 3:
        return join([*clauses[:2], join(clauses[2:], speaker)], speaker)
    slots = dict(zip("abc", clauses, strict=False))
    slots |= {name.upper(): capital(said) for name, said in slots.items()}
    busy = any(" and " in clause or ", " in clause for clause in clauses)
    return speaker.style.say(f"join {len(clauses)}", {**slots, "plain" if not busy else "busy": " "}).strip()


def _turn(side: str, move: str, speaker: RoomSpeaker, first: bool) -> str:
    """Return a move with the turn before it."""
    if not side:
        return move
    rule = "turned around" if side == "around" else "turned"
    return speaker.style.say(rule, {"side": side, "move": move, "first": " " if first else ""})


def _distance(run: Run, world: RoomLayout) -> dict[str, str]:
    """Return the slots of how far a run goes: one of step, few, straight, cross has a value."""
    far = run.steps * GRID >= max(2.0, FAR * world.length)
    name = "step" if run.steps <= 1 else "few" if run.steps <= SHORT else "cross" if far else "straight"
    return {each: " " if each == name else "" for each in ("step", "few", "cross", "straight")}


def _move(run: Run, used: set[str], world: RoomLayout, speaker: RoomSpeaker) -> str:
    """Say a run that does not end at the goal: to a landmark or wall ahead, past one, or how far."""
    slots = _distance(run, world)
    found: dict[str, Anchor] = {}
    if run.steps > 1:
        for name, find in (("mark", nearest_ahead), ("passed", _mark_passed)):
            anchor = find(run, [mark for mark in speaker.marks if not used & set(mark.members)])
            if anchor:
                found[name] = anchor
    if found and speaker.style.chance(0.75 if "mark" in found else 0.35):
        name = "mark" if "mark" in found else "passed"
        used.update(found[name].members)
        thing = world.thing(found[name].members[0])
        return speaker.style.say(f"move {name}", {name: lambda: speaker.the(thing), **slots})
    wall = run.steps > 1 and not found and _wallnearest_ahead(run, speaker)
    if wall and speaker.style.chance(0.8):
        return speaker.style.say("move wall", slots)
    return speaker.style.say("move", slots)


def nearest_ahead(run: Run, marks: Sequence[Anchor]) -> Anchor | None:
    """Return the landmark ahead within a metre of the end of a run."""
    return _nearest(run, marks, lambda right, ahead: right[0] <= 0.1 and right[1] >= -0.1 and 0 < ahead[0] <= 1.0, 0)


def _mark_passed(run: Run, marks: Sequence[Anchor]) -> Anchor | None:
    """Return the landmark that a run passes within a metre, well before its end."""
    length = run.steps * GRID
    if run.steps <= SHORT:
        return None
    return _nearest(
        run, marks, lambda right, ahead: ahead[1] <= -0.25 and ahead[0] >= -length and _aside(right) <= 1.0, 1
    )


def _aside(right: tuple[float, float]) -> float:
    return right[0] if right[0] >= 0 else -right[1] if right[1] <= 0 else 9.0


def _nearest(
    run: Run, marks: Sequence[Anchor], fits: Callable[[tuple[float, float], tuple[float, float]], bool], key: int
) -> Anchor | None:
    pose = Pose(run.end[0], run.end[1], run.rotation, 0)
    best: tuple[float, Anchor] | None = None
    for mark in marks:
        if not mark.passed:
            continue
        right, ahead = mark.box.seen(pose)
        if fits(right, ahead):
            rank = ahead[0] if key == 0 else _aside(right)
            if best is None or rank < best[0]:
                best = rank, mark
    return best[1] if best else None


def _wallnearest_ahead(run: Run, speaker: RoomSpeaker) -> bool:
    """Whether a run ends before a wall of the room."""
    dx, dz = STEPS[run.rotation]
    x, z = run.end[0] * GRID, run.end[1] * GRID
    gaps = [
        (room.high[0] - x if dx > 0 else x - room.low[0]) if dx else (room.high[2] - z if dz > 0 else z - room.low[2])
        for room in speaker.rooms
    ]
    return bool(gaps) and max(gaps) <= WALL_AHEAD


def _turn_only(route: Route, goal: WalkGoal, held: str, speaker: RoomSpeaker) -> str:
    """Say a path without steps: a turn, or a look up or down; up is above the eyes."""
    side = turn(route.start.rotation, route.end.rotation)
    slots = {"goal": goal.phrase, "side": side, "held": held, "low": " " if goal.low else ""}
    if side:
        return speaker.style.say("face around" if side == "around" else "turn to", slots)
    tilt = route.end.horizon - route.start.horizon
    up = tilt < 0 and route.end.horizon <= 0
    return speaker.style.say("look down" if tilt > 0 else "look up" if up else "stay", slots)
