"""What goes wrong in a session: things that are tried before they can be done, and wrong things picked up.

A mishap is a detour of the plan: the Follower reaches into a closed microwave, slices without a knife, or takes
the cup for the mug, is told, and goes on. Whether the attempt fails, and whether the task is done in the end, the
simulator says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.files.records import reader_of
from chorewright.planner.plan import GroundAction
from chorewright.problems.household.problem import HouseholdProblem
from chorewright.problems.household.scene import Scene, SceneObject
from chorewright.replay.teach.lowering import GO_TO, Detour

SHUT, OPEN, RUNNING, FULL_HAND, NO_KNIFE, WRONG, DIRTY = (
    "shut", "open", "running", "full hand", "no knife", "wrong", "dirty",
)  # fmt: skip
"""Kinds of mishaps: something is put into what is shut; what is open is turned on; what runs is opened; a full hand
reaches for something; a hand without a knife slices; a thing of another kind is taken; a dirty one of the same."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """Something that goes wrong.

    Attributes:
        kind: What kind of mishap it is.
        detour: What is done.
        item: The id of the object that was meant to be dealt with.
        other: The id of what it concerns besides: the receptacle, what is held, the thing taken by mistake.
    """

    kind: str
    detour: Detour
    item: str
    other: str = ""


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
    """Goes through a plan and finds what might go wrong in it."""

    def __init__(self, plan: Sequence[GroundAction], household: HouseholdProblem, scene: Scene) -> None:
        self.plan, self.household = plan, household
        self.things = dict(_things_by_name(household, scene))
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

    def mishaps(self) -> Iterator[Mishap]:
        """Yield all that might go wrong."""
        pose = next((atom[1] for atom in self.household.problem.init if atom[0] == "at"), "")
        held = ""
        handled: set[str] = set()
        for place, action in enumerate(self.plan):
            after = self.plan[place + 1 : place + 3]
            yield from self._at(place, action, after, held, pose)
            if action.name == GO_TO:
                coming = self.plan[place + 1] if place + 1 < len(self.plan) else None
                if coming is not None and coming.name == "pick-up" and coming.arguments[0] not in handled and not held:
                    yield from self._instead(place, coming, pose)
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


def _things_by_name(household: HouseholdProblem, scene: Scene) -> Iterator[tuple[str, SceneObject]]:
    objects = {thing.object_id: thing for thing in scene.objects}
    for name, object_id in household.ids.items():
        if object_id in objects:
            yield name, objects[object_id]
