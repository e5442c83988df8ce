"""A scene as a planning problem of the household domain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, permutations, repeat

import numpy as np

from chorewright.domains.pddl.subformulas import terms_in
from chorewright.domains.pddl.syntax import Formula, FunctionValue, GroundAtom, Problem, Typed
from chorewright.domains.pddl.writer import pddl_name
from chorewright.domains.rewriting import predicates_mentioned_in, types_mentioned_in
from chorewright.problems.household import state
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import Pose, Scene
from chorewright.problems.household.sight import Touching

DOMAIN = "household"

_AS_USUAL: Mapping[str, Pose] = {}


@dataclass(frozen=True, slots=True)
class HouseholdProblem:
    """A problem with what its names stand for: the simulator's object ids, and the agent's poses.

    Attributes:
        problem: The problem.
        ids: The object id of each name.
        poses: The pose of each name.
        begun: The ids of the doors that stood open and of the appliances that ran at the start: how a tidy
            demonstrator leaves these is its own affair.
    """

    problem: Problem
    ids: Mapping[str, str]
    poses: Mapping[str, Pose]
    begun: frozenset[str] = frozenset()


def household_problem(
    scene: Scene,
    goal: Formula,
    *,
    tidy: bool = True,
    careful: bool = False,
    name: str | None = None,
    grid: Grid | None = None,
    fits: Collection[tuple[str, str]] = (),
    unfit: Collection[tuple[str, str]] = (),
    first_piece: int = 1,
    chosen: Mapping[str, Pose] = _AS_USUAL,
    also: Sequence[tuple[str, Pose]] = (),
) -> HouseholdProblem:
    """Return the planning problem of reaching a goal in a scene.

    Declared are all items, the fixtures that an action may concern (receptacles, what opens, runs, holds
    liquid or drains), the pieces of the items whose piece type the goal mentions, and the poses from which
    each is touched. A thing that cannot be reached has no ``near``.

    Args:
        scene: The room; each object has at most one direct parent.
        goal: The goal formula over the household's types, or over the names ``<type>_<n>`` of this problem.
        tidy: Doors are closed and appliances turned off before walking away.
        careful: Appliances that ran at the start are turned off, too, once they were used. Neither coffee nor a
            dish with something on it is put into a sink, nor liquids poured into other vessels.
        name: The problem's name; by default the scene's.
        grid: The navigable grid, if it is not the scene's own.
        fits: Kinds of items and receptacles that take them besides what the vocabulary says.
        unfit: Kinds of items and receptacles that are not put together although the vocabulary says so.
        first_piece: The number in the id of a thing's first piece.
        chosen: From where some things are handled, by id, where the usual poses will not do.
        also: From where fixtures are handled besides, by id.
    """
    grid = grid or Grid.of(scene)
    things = state.things_of(scene, _find_mentions(goal))
    poses: dict[str, Pose] = {}
    init: list[GroundAtom] = [("tidy",)] if tidy else []
    init.extend([("careful",)] if careful else [])
    init.extend(state.static_atoms(things, frozenset(fits), frozenset(unfit)))
    if "upon" in predicates_mentioned_in(goal):
        init.extend(state.upon_atoms(scene, things))
    init.extend(state.changing_atoms(scene, things))
    init.append(("at", _name(scene.agent, poses)))
    init.extend(_near(scene, things, poses, grid, chosen))
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    init.extend(("near", names[each], _name(pose, poses)) for each, pose in also)
    values = tuple(_distances(poses, grid))
    objects = [Typed(thing.name, (thing.kind.name.lower(),)) for thing in things]
    objects.extend(Typed(pose, ("pose",)) for pose in poses)
    problem = Problem(
        name=pddl_name(name or scene.name),
        domain=DOMAIN,
        objects=tuple(objects),
        init=tuple(dict.fromkeys(init)),
        values=values,
        goal=goal,
        minimize_cost=True,
    )
    return HouseholdProblem(problem, state.object_names(things, first_piece), poses, state.open_or_running(things))


def _find_mentions(goal: Formula) -> set[str]:
    """Return the types that a formula quantifies over, and those of the objects it names."""
    objects = (term for term in terms_in(goal) if not term.startswith("?"))
    return {*types_mentioned_in(goal), *(name.split("_", 1)[0] for name in objects)}


def _name(pose: Pose, poses: dict[str, Pose]) -> str:
    """Return a pose's name; poses are declared in the order of their first use."""
    name = state.pose_name(pose)
    poses.setdefault(name, pose)
    return name


def _near(
    scene: Scene, things: Sequence[state.NamedThing], poses: dict[str, Pose], grid: Grid, chosen: Mapping[str, Pose]
) -> Iterator[GroundAtom]:
    """Yield from where each thing is touched."""
    names = {thing.object.object_id: thing.name for thing in things if thing.object is not None}
    objects = [thing.object for thing in things if thing.object is not None]
    for object_id, pose in Touching(scene, grid, objects, chosen):
        yield ("near", names[object_id], _name(grid.tilted(pose), poses))


def _distances(poses: dict[str, Pose], grid: Grid) -> Iterator[FunctionValue]:
    """Yield the steps from each pose to each other that can be walked to; there are thousands."""
    matrix = grid.distances(list(poses.values()))
    others = ~np.eye(len(matrix), dtype=bool)
    steps = matrix[others]
    walked = steps >= 0
    pairs = compress(permutations(poses, 2), walked.tolist())
    values = zip(repeat("distance"), pairs, steps[walked].astype(float).tolist(), strict=False)
    return map(FunctionValue._make, values)
