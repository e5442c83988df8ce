"""What the author of a task or scene should know besides whether an attempt was accepted: remarks and maps.

Parts of the goal that are true at the start or speak of nothing, what handles a thing too often, and the smallest
part of a goal that cannot be reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.library import user_library
from chorewright.domains.pddl.subformulas import conjuncts, subformulas
from chorewright.domains.pddl.syntax import AtLeast, Atom, Domain, Exists, Forall, Formula, Imply, Problem
from chorewright.domains.pddl.writer import write_formula_line
from chorewright.domains.rewriting import types_mentioned_in
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.household.handling import oddities_of
from chorewright.generator.household.possibilities import facts_of, possible_choices
from chorewright.planner.explanation import smallest_unreachable
from chorewright.planner.plan import GroundAction, Limits
from chorewright.problems.household.containment import is_receptacle, matters
from chorewright.problems.household.houses.building import Building, solid_walls
from chorewright.problems.household.navigation import Grid
from chorewright.problems.household.scene import GRID, Point, Pose, Scene, SceneObject, Vector
from chorewright.problems.household.sight import Touching
from chorewright.replay.household.pixels.map_view import map_view
from chorewright.replay.household.pixels.renderer import Renderer

LIMIT = Limits(evaluations=500)
"""What may go into the search for one part of a goal."""

LEFT = {"is-open": "door", "is-on": "attended"}
"""States that a demonstrator ends before walking away, with the set of what it does so with."""

SAID = {"pick-up": "picked up", "open": "opened", "toggle-on": "switched on"}
"""What is said of actions that are done too often."""


def vacuous(goal: Formula, domain: Domain, problem: Problem) -> Iterator[str]:
    """Yield the parts of a goal that hold at the start, and the quantifiers that range over nothing.

    What a demonstrator must not leave behind (``ajar``, ``running``) always holds at the start: it is left out.
    """
    universe = Universe.of(domain, problem)
    start = derive(domain, frozenset(problem.init), universe)
    parts = conjuncts(goal)
    for part in parts:
        for each in subformulas(part):
            if isinstance(each, Forall) and not all(universe.members(variable.types) for variable in each.variables):
                yield f"speaks of nothing: {write_formula_line(part)}"
                break
        else:
            if len(parts) > 1 and holds(part, start, universe) and not _tidiness(part):
                yield f"holds at the start: {write_formula_line(part)}"


def _tidiness(part: Formula) -> bool:
    atoms = [each for each in subformulas(part) if isinstance(each, Atom)]
    return all(atom.predicate in ("ajar", "running", "left-open", "left-on", "hand-empty") for atom in atoms)


def oddities(plan: Sequence[GroundAction], problem: Problem, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield what a plan handles more often than a person would, and what it puts where only something else goes."""

    def noun(name: str) -> str:
        kind = vocabulary.kind_of_type(name.split("_")[0])
        return kind.a_noun if kind else f"a {name.split('_')[0]}"

    for odd in oddities_of(plan, problem):
        if odd.what == "put":
            yield f"{noun(odd.name)} is put in or on {noun(odd.place)}, of which the goal does not speak"
        else:
            yield f"{noun(odd.name)} is {SAID[odd.what]} {odd.count} times"


def unreachable_part(goal: Formula, domain: Domain, problem: Problem, vocabulary: Vocabulary) -> str:
    """Return the smallest part of a goal that cannot be reached on its own, and what stands against it.

    Nothing if each part can be reached, or is too hard to judge: then they exclude each other.
    """
    found = smallest_unreachable(goal, domain, problem, LIMIT)
    if found is None:
        return ""
    against = _absent(found, domain, problem, vocabulary) or _against(found, vocabulary)
    return f"{write_formula_line(found)} cannot be reached{f': {against}' if against else ''}"


def _absent(part: Formula, domain: Domain, problem: Problem, vocabulary: Vocabulary) -> str:
    """Return which things a part wants to exist that the room has none of; empty if there are all."""
    universe = Universe.of(domain, problem)
    for each in subformulas(part):
        for variable in each.variables if isinstance(each, Exists | AtLeast) else ():
            if not universe.members(variable.types):
                kinds = _kinds(variable.types, vocabulary) or variable.types
                return f"there is no {' or '.join(kinds)}"
    return ""


def _against(part: Formula, vocabulary: Vocabulary) -> str:
    """Return why no thing can be in what a part wants it in, by kinds; empty if kinds are not the reason."""
    types = {
        variable.name: variable.types
        for each in subformulas(part)
        if isinstance(each, Exists | Forall | AtLeast)
        for variable in each.variables
    }
    for each in subformulas(part):
        if isinstance(each, Imply):
            return ""
        if (
            isinstance(each, Atom)
            and each.predicate in LEFT
            and each.terms[0] in types
            and not isinstance(part, Exists)
        ):
            kinds = [vocabulary.kind(name) for name in _kinds(types[each.terms[0]], vocabulary)]
            minded = [kind.name for kind in kinds if LEFT[each.predicate] in kind.sets]
            if minded:
                verb = "opens" if each.predicate == "is-open" else "turns on"
                undone = "closes" if each.predicate == "is-open" else "turns off"
                return f"whoever {verb} a {' or '.join(minded)} {undone} it before walking away"
        if isinstance(each, Atom) and each.predicate == "in" and all(term in types for term in each.terms):
            inner, outer = (_kinds(types[term], vocabulary) for term in each.terms)
            if inner and outer and not any(vocabulary.fits(a, b) for a in inner for b in outer):
                would = sorted({b for a in inner for b in vocabulary.kinds if vocabulary.fits(a, b)})
                return f"nothing of the kind {' or '.join(inner)} goes in or on a {' or '.join(outer)}" + (
                    f"; it goes in or on {', '.join(would[:8])}" if would else ""
                )
    return ""


def _kinds(types: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    found = (vocabulary.kind_of_type(each) for each in types)
    return tuple(kind.name for kind in found if kind is not None)


# Maps for the author of a task or a scene: the room from above, with what a goal is about and what is reached.


SIZE = 600
"""Pixels on a side."""
MOST = 24
"""Things that are numbered on a map."""


def scene_map(scene: Scene, goal: Formula | None = None, size: int = SIZE) -> NDArray[np.uint8]:
    """Return a map of a scene, (height, size, 3), with a legend below it.

    Numbered are the things of the kinds that a goal speaks of; without a goal, what nobody can reach.

    Args:
        scene: The scene.
        goal: A filled goal.
        size: Pixels on a side.
    """
    things = [thing for thing in scene.objects if thing.traits.item or matters(thing)]
    reached = {object_id for object_id, _ in Touching(scene, Grid.of(scene), things)}
    types = set() if goal is None else set(types_mentioned_in(goal))
    wholes = {scene.kinds.vocabulary.whole_of(thing) for thing in scene.kinds if thing.lower() in types}
    kinds = {name for name in scene.kinds if name.lower() in types} | wholes
    marks: dict[str, Vector] = {}
    counts: Counter[str] = Counter()
    for thing in things:
        out = thing.object_id not in reached
        if len(marks) < MOST and (out if goal is None else thing.kind in kinds):
            counts[thing.kind] += 1
            marks[f"{thing.kind} {counts[thing.kind]}{': out of reach' if out else ''}"] = thing.centre
    return map_view(Renderer(), scene, size, (), marks)


# What there is to say of a scene: a map of where one can stand, what is reached from there, what tasks suit.


POINT, AGENT, WALL = ".", "@", "#"


@dataclass(frozen=True, slots=True)
class SceneReport:
    """A scene as its author sees it.

    Attributes:
        map: Lines, north at the top: standing points, the agent, a letter for each piece of furniture, and a house's
            walls.
        legend: The letters, each with the furniture and the number of poses that it is reached from.
        reach: Each receptacle of the furniture, with the number of poses that it is reached from.
        unreachable: What an action may concern and cannot be reached from anywhere.
        tasks: The shipped tasks that suit, with the number of their fillings.
    """

    map: tuple[str, ...]
    legend: tuple[tuple[str, str], ...]
    reach: tuple[tuple[str, int], ...]
    unreachable: tuple[str, ...]
    tasks: tuple[tuple[str, int], ...]


def scene_report(scene: Scene) -> SceneReport:
    """Return what there is to say of a scene."""
    things = [thing for thing in scene.objects if thing.traits.item or matters(thing)]
    poses: dict[str, set[Pose]] = {thing.object_id: set() for thing in things}
    for object_id, pose in Touching(scene, Grid.of(scene), things):
        poses[object_id].add(pose)
    furniture = [thing for thing in things if not thing.traits.item and is_receptacle(thing)]
    reach = tuple((thing.object_id, len(poses[thing.object_id])) for thing in furniture)
    signs = dict(zip((thing.object_id for thing in furniture), ascii_letters, strict=False))
    legend = tuple((signs[name], f"{name}: {count} pose{'s' * (count != 1)}") for name, count in reach if name in signs)
    unreachable = tuple(thing.object_id for thing in things if not poses[thing.object_id])
    return SceneReport(tuple(_map(scene, furniture, signs)), legend, reach, unreachable, _tasks(scene))


def _map(scene: Scene, furniture: list[SceneObject], signs: dict[str, str]) -> Iterator[str]:
    cells: dict[Point, str] = {}
    for thing in sorted(furniture, key=lambda each: each.centre[1]):
        sign = signs.get(thing.object_id, "*")
        (x, _, z), (width, _, depth) = thing.centre, thing.size
        for column in range(round((x - width / 2) / GRID), round((x + width / 2) / GRID) + 1):
            for row in range(round((z - depth / 2) / GRID), round((z + depth / 2) / GRID) + 1):
                if thing.kind != "Floor":
                    cells[column, row] = sign
    if scene.building is not None:
        cells |= dict.fromkeys(_wall_cells(scene.building), WALL)
    cells |= dict.fromkeys(scene.grid, POINT)
    cells[scene.agent.x, scene.agent.z] = AGENT
    columns, rows = ([point[axis] for point in cells] for axis in (0, 1))
    for row in range(max(rows), min(rows) - 1, -1):
        yield "".join(cells.get((column, row), " ") for column in range(min(columns), max(columns) + 1)).rstrip()


def _wall_cells(building: Building) -> Iterator[Point]:
    for (x0, z0), (x1, z1) in solid_walls(building.house):
        steps = max(1, round(max(abs(x1 - x0), abs(z1 - z0)) / GRID))
        for step in range(steps + 1):
            share = step / steps
            yield round((x0 + share * (x1 - x0)) / GRID), round((z0 + share * (z1 - z0)) / GRID)


def _tasks(scene: Scene) -> tuple[tuple[str, int], ...]:
    facts = facts_of(scene)
    counts = {
        template.full_name: len(possible_choices(template.full_name, template, scene.kinds, [facts]))
        for template in user_library().templates()
        if template.domain == scene.kinds.domain.name
    }
    return tuple((name, count) for name, count in counts.items() if count)
