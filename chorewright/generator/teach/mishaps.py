"""What changes a session's plan: mishaps that go wrong first, and visits moved to where the Follower sees more.

A mishap is a detour of the plan: the Follower reaches into a closed microwave, slices without a knife, or takes
the cup for the mug, is told, and goes on. Whether the attempt fails, and whether the task is done in the end, the
simulator says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from chorewright.files.records import reader_of
from chorewright.generator.household.outlook import Stands
from chorewright.generator.teach.compiling import TeachProblem, compile_in
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.validation import validate
from chorewright.problems.household.navigation import LEVEL, TEACH_LOOK, Grid
from chorewright.problems.household.problem import HouseholdProblem
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.state import pose_name
from chorewright.replay.household.refusals import NOT_VISIBLE, TOO_FAR, RefusalReason
from chorewright.replay.household.room import TEACH_SETTINGS, Room
from chorewright.replay.teach.clicks import Click
from chorewright.replay.teach.lowering import GO_TO, Detour

SHUT, OPEN, RUNNING, FULL_HAND, NO_KNIFE, WRONG, DIRTY, FAR, UNSEEN = (
    "shut", "open", "running", "full hand", "no knife", "wrong", "dirty", "far", "unseen",
)  # fmt: skip
"""Kinds of mishaps: something is put into what is shut; what is open is turned on; what runs is opened; a full hand
reaches for something; a hand without a knife slices; a thing of another kind is taken; a dirty one of the same; one
stops too far from what one reaches for, or turned away from it."""

STEPS_BACK = 5
"""Steps short of its goal where the Follower may stop too early, at most."""

TURNS = {-1: "right", 1: "left"}
"""A quarter turn short of the heading at the goal (or beyond it) to the turn that makes it good."""

APART = 15.0
"""Degrees outside the picture from which on a thing is not seen."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """Something that goes wrong.

    Attributes:
        kind: What kind of mishap it is.
        detour: What is done.
        item: The id of the object that was meant to be dealt with.
        other: The id of what it concerns besides: the receptacle, what is held, the thing taken by mistake.
        way: The way to turn to see the object that was meant.
    """

    kind: str
    detour: Detour
    item: str
    other: str = ""
    way: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """How often each kind of mishap happens where it can, and what is taken for what."""

    chances: Mapping[str, float]
    confused: Mapping[str, frozenset[str]]


figures = reader_of(Figures, "chorewright.generator.teach", "data/mishaps.json")
"""Returns the shipped figures."""


def draw_mishap(
    plan: Sequence[GroundAction], household: HouseholdProblem, scene: Scene, rng: np.random.Generator
) -> tuple[Mishap, ...]:
    """Return a mishap for a plan, or none: in most sessions all goes well.

    Args:
        plan: The plan.
        household: What it was made for.
        scene: The scene at the start.
        rng: The only source of chance.
    """
    chances = figures().chances
    drawn = [kind for kind, toss in zip(chances, rng.random(len(chances)), strict=True) if toss < chances[kind]]
    if not drawn:
        return ()
    found = possible_mishaps(plan, household, scene)
    for kind in drawn:
        possible = [mishap for mishap in found if mishap.kind == kind]
        if possible:
            return (possible[int(rng.integers(len(possible)))],)
    return ()


def possible_mishaps(plan: Sequence[GroundAction], household: HouseholdProblem, scene: Scene) -> tuple[Mishap, ...]:
    """Return all that might go wrong in a plan, in its order; whether it can be done so, the simulator says."""
    return tuple(_Finder(plan, household, scene).mishaps())


class _Finder:
    """Finds what might go wrong in a plan."""

    def __init__(self, plan: Sequence[GroundAction], household: HouseholdProblem, scene: Scene) -> None:
        self.plan, self.household = plan, household
        objects = {thing.object_id: thing for thing in scene.objects}
        self.things = {name: objects[each] for name, each in household.ids.items() if each in objects}
        self.init = frozenset(household.problem.init)
        self.inside = {atom[1]: atom[2] for atom in household.problem.init if atom[0] == "in"}
        self.near: dict[str, list[str]] = {}
        for atom in household.problem.init:
            if atom[0] == "near":
                self.near.setdefault(atom[1], []).append(atom[2])
        self.distances = {
            value.objects: value.value for value in household.problem.values if value.function == "distance"
        }
        self.touched = frozenset(name for action in plan for name in action.arguments)
        self.room = Room(scene, TEACH_SETTINGS)
        self.walkable = Grid.of(scene, TEACH_LOOK).reachable(scene.agent)

    def mishaps(self) -> Iterator[Mishap]:
        """Yield all that might go wrong."""
        pose = next((atom[1] for atom in self.household.problem.init if atom[0] == "at"), "")
        held = ""
        handled: set[str] = set()
        for place, action in enumerate(self.plan):
            yield from self._at(place, action, self.plan[place + 1 : place + 3], held, pose)
            if action.name == GO_TO:
                coming = self.plan[place + 1] if place + 1 < len(self.plan) else None
                if coming is not None and coming.name == "pick-up" and coming.arguments[0] not in handled and not held:
                    yield from self._instead(place, coming, pose)
                    yield from self._short(place, coming, pose)
                pose = action.arguments[1]
            elif action.name == "pick-up":
                held = action.arguments[0]
                handled.add(held)
            elif action.name == "put":
                held = ""

    def _at(
        self, place: int, action: GroundAction, after: Sequence[GroundAction], held: str, pose: str
    ) -> Iterator[Mishap]:
        """Yield what might be tried too early right before an action, where the agent stands."""
        following = after[0] if after else None
        if following is None:
            return
        thing = action.arguments[0]
        ids = self.household.ids
        if action.name == "open" and following.name == "put" and following.arguments[1] == thing:
            yield Mishap(SHUT, Detour(place, (following,), 0, True), ids[following.arguments[0]], ids[thing])
        if action.name == "close" and following.name == "toggle-on" and following.arguments[0] == thing:
            yield Mishap(OPEN, Detour(place, (following,), 0, True), ids[thing])
        if action.name == "toggle-off" and following.name == "open" and following.arguments[0] == thing:
            yield Mishap(RUNNING, Detour(place, (following,), 0, True), ids[thing])
        seen = following.name == "pick-up" and ("exposed", following.arguments[0]) in self.init
        if action.name == "put" and seen and following.arguments[0] not in (thing, action.arguments[1]):
            yield Mishap(FULL_HAND, Detour(place, (following,), 0, True), ids[following.arguments[0]], ids[thing])

    def _instead(self, place: int, coming: GroundAction, pose: str) -> Iterator[Mishap]:
        """Yield what might be done instead of walking to a thing and picking it up."""
        wanted = self.things.get(coming.arguments[0])
        if wanted is None:
            return
        item = wanted.object_id
        for name, thing in self.things.items():
            if name in self.touched or not self._lies_openly(name):
                continue
            kind = ""
            if thing.kind in figures().confused.get(wanted.kind, ()):
                kind = WRONG
            elif thing.kind == wanted.kind and thing.attributes.is_dirty and not wanted.attributes.is_dirty:
                kind = DIRTY
            there = self._nearest(name, pose) if kind else ""
            if there:
                receptacle = self.inside[name]
                taken = (
                    GroundAction("pick-up", (name, receptacle, there)),
                    GroundAction("put", (name, receptacle, there)),
                )
                walk = (GroundAction(GO_TO, (pose, there)),) if there != pose else ()
                yield Mishap(kind, Detour(place, (*walk, *taken), len(walk), False), item, thing.object_id)
        knife = coming.arguments[0]
        cut = next((each for each in self.plan[place:] if each.name == "slice" and each.arguments[1] == knife), None)
        if cut is None or self.inside.get(cut.arguments[0]) != cut.arguments[2]:
            return
        there = self._nearest(cut.arguments[0], pose)
        if there and ("exposed", cut.arguments[0]) in self.init:
            walk = (GroundAction(GO_TO, (pose, there)),) if there != pose else ()
            tried = GroundAction("slice", (*cut.arguments[:3], there))
            detour = Detour(place, (*walk, tried), len(walk), True)
            yield Mishap(NO_KNIFE, detour, self.household.ids[cut.arguments[0]], item)

    def _short(self, place: int, coming: GroundAction, pose: str) -> Iterator[Mishap]:
        """Yield what goes wrong where the walk to what lies openly ends too early, or without its last turn."""
        if not self._lies_openly(coming.arguments[0]):
            return
        item = self.household.ids[coming.arguments[0]]
        box = self.room.objects[item].centre, self.room.objects[item].size
        goal = self.household.poses[self.plan[place].arguments[1]]
        ahead = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}[goal.rotation]
        for steps in range(1, STEPS_BACK):
            there = replace(goal, x=goal.x - steps * ahead[0], z=goal.z - steps * ahead[1], horizon=LEVEL)
            if (there.x, there.z) not in self.walkable:
                break
            if self._stands(there, item) == TOO_FAR and self.room.sees(*box, -APART):
                yield Mishap(FAR, self._try_from(place, coming, pose, there), item)
                break
        for turn, way in TURNS.items():
            there = replace(goal, rotation=(goal.rotation + turn) % 4, horizon=LEVEL)
            if self._stands(there, item) == NOT_VISIBLE and not self.room.sees(*box, APART):
                yield Mishap(UNSEEN, self._try_from(place, coming, pose, there), item, way=way)

    def _stands(self, there: Pose, item: str) -> RefusalReason | None:
        """Let the agent stand at a pose; return why it cannot act on a thing from there."""
        room = self.room
        room.x, room.z, room.rotation, room.horizon = there.x, there.z, 90.0 * there.rotation, float(there.horizon)
        obstacle = room.obstacle_to(room.objects[item])
        return None if obstacle is None else obstacle[0]

    def _try_from(self, place: int, coming: GroundAction, pose: str, there: Pose) -> Detour:
        """Return the detour that tries an action from a pose before the walk to where it can be done."""
        name = pose_name(there)
        return Detour(place, (GroundAction(GO_TO, (pose, name)), coming), 1, True, ((name, there),))

    def _lies_openly(self, name: str) -> bool:
        """Whether a thing lies by itself on furniture that is neither a door's nor a sink's nor full."""
        place = self.inside.get(name, "")
        on = {("furniture", place), ("exposed", name), ("present", name)} <= self.init
        awkward = any((word, place) in self.init for word in ("openable", "drain", "single", "toggleable"))
        return bool(place) and on and not awkward and name not in self.inside.values()

    def _nearest(self, name: str, pose: str) -> str:
        """Return the pose nearest to one from which a thing is touched; nothing if there is none."""
        poses = self.near.get(name, ())
        if pose in poses:
            return pose
        reached = [(self.distances[(pose, each)], each) for each in poses if (pose, each) in self.distances]
        return min(reached)[1] if reached else ""


# Standing elsewhere: a plan's visit is moved to where the Follower sees what it handles there.
#
# A plan tells from where a thing is handled, but not what hides it by then: a pot before the knobs of the stove, a loaf
# before its slices. Then the plan stays as it is but for the pose, and its problem says that one may stand there, too.


@dataclass(frozen=True, slots=True)
class Hidden:
    """An interaction whose target cannot be clicked.

    Attributes:
        reason: What it is, and why.
        number: The number of interactions before it.
        around: The ids of the target and of what it lies in by then.
        poses: From where it can be clicked, the nearest first.
        instead: The ids of other pieces that would do as well, and can be clicked.
        clicks: The actions before it by name and object, each with its click.
    """

    reason: str
    number: int
    around: tuple[str, ...] = ()
    poses: tuple[Pose, ...] = ()
    instead: tuple[str, ...] = ()
    clicks: tuple[tuple[str, str, Click], ...] = ()


def stood_elsewhere(compiled: TeachProblem, plan: Plan, hidden: Hidden, stands: Stands) -> Iterator[Moved]:
    """Yield a plan's problems and the plan itself with what is hidden handled from elsewhere, the nearest first.

    Of pieces of one whole, another is taken before.

    Args:
        compiled: The plan's task.
        plan: The plan; nothing goes wrong in it.
        hidden: What is hidden.
        stands: What the problem says already.
    """
    household = compiled.household
    names = {object_id: name for name, object_id in household.ids.items()}
    places = [place for place, action in enumerate(plan.actions) if action.name != GO_TO]
    if hidden.number >= len(places):
        return
    for other in hidden.instead:
        exchanged = _exchange(plan.actions, places[hidden.number], names[other])
        verdict = validate(compiled.domain, compiled.problem, exchanged)
        if verdict.valid:
            yield Moved(compiled, replace(plan, actions=exchanged, cost=verdict.cost, optimal=False), stands)
    before = plan.actions[places[hidden.number]].arguments[-1]
    runs = list(_visits(plan.actions, before))
    for pose in hidden.poses:
        name = pose_name(pose)
        if name == before:
            continue
        own = [run for run in runs if places[hidden.number] in run]
        for chosen in (own, runs) if len(runs) > 1 else (own,):
            actions = _rename(plan.actions, chosen, name)
            if actions is None:
                continue
            touched = {each for run in chosen for place in run for each in plan.actions[place].arguments}
            touched |= {names[each] for each in hidden.around if each in names}
            near = [atom[1] for atom in household.problem.init if atom[0] == "near" and atom[2] == before]
            added = tuple((household.ids[each], pose) for each in dict.fromkeys(near) if each in touched)
            wider = with_stands(compiled, (*stands, *added))
            verdict = validate(wider.domain, wider.problem, actions)
            if verdict.valid:
                yield Moved(wider, replace(plan, actions=actions, cost=verdict.cost, optimal=False), (*stands, *added))
                break


@dataclass(frozen=True, slots=True)
class Moved:
    """A task's problem with further poses, a plan for it, and all that the problem says besides."""

    compiled: TeachProblem
    plan: Plan
    stands: Stands


def with_stands(compiled: TeachProblem, stands: Stands) -> TeachProblem:
    """Return a compiled task in whose problem some things are handled from elsewhere, too."""
    return compile_in(
        compiled.task, compiled.goal, compiled.scene, compiled.problem.name, strict=compiled.strict, stands=stands
    )


def _exchange(plan: Sequence[GroundAction], start: int, other: str) -> tuple[GroundAction, ...]:
    """Return a plan in which from an action on its object and another one change places."""
    own = plan[start].arguments[0]
    roles = {own: other, other: own}
    after = (GroundAction(each.name, tuple(roles.get(name, name) for name in each.arguments)) for each in plan[start:])
    return (*plan[:start], *after)


def _visits(plan: Sequence[GroundAction], pose: str) -> Iterator[range]:
    """Yield the places of a plan's actions of each visit to a pose, the go-to left out."""
    start = 0
    for place in range(len(plan) + 1):
        if place == len(plan) or plan[place].name == GO_TO:
            run = range(start, place)
            if len(run) and plan[start].arguments[-1] == pose:
                yield run
            start = place + 1


def _rename(plan: Sequence[GroundAction], visits: Sequence[range], after: str) -> tuple[GroundAction, ...] | None:
    """Return a plan with some of its visits at another pose, which is valid unless one is next to a visit there.

    None if one of them is the first.
    """
    found = list(plan)
    for run in visits:
        if run.start == 0:
            return None
        for place in run:
            found[place] = GroundAction(found[place].name, (*found[place].arguments[:-1], after))
        came = found[run.start - 1].arguments[0]
        found[run.start - 1] = GroundAction(GO_TO, (came, after))
        if run.stop < len(plan):
            found[run.stop] = GroundAction(GO_TO, (after, found[run.stop].arguments[1]))
    return tuple(found)
