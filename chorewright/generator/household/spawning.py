"""How a room is scattered for a goal, as ALFRED does it, and the rooms and problems of stored episodes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Domain, Exists, Forall, Formula, Imply, Not, Or, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.errors import InputError
from chorewright.files.records import reader_of
from chorewright.generator.dataset.episode import Episode
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import DEFAULT, SpawnRequest

MOST = 4
"""Copies of what a goal is about, at most."""
MOST_ALTERNATIVES = 8
"""Kinds of a set that a goal speaks of; of a larger one there is what there is anyway."""
FREE = 4
"""Places kept free on each kind of receptacle that a goal names."""


elsewhere = reader_of(dict[str, str], "chorewright.generator.household", "data/spawning.json", "elsewhere")
"""Returns the role of the receptacles in which nothing of a goal starts, by the goal's predicate."""


def spawn_request(scene: Scene, goal: Formula, elsewhere: Mapping[str, str]) -> SpawnRequest:
    """Return what a spawn must provide for a goal.

    One to four copies of each kind of item that the goal is about (at least as many as it counts), none of
    them in a receptacle that the goal names or in an appliance that does what the goal asks for; lamps that
    the goal wants on are off; for a goal of cleaning everything is dirty. A house, which has things of far more kinds
    than a room, has one of each other kind.

    Args:
        scene: the room.
        goal: the filled goal.
        elsewhere: predicate of a goal to the role of receptacles in which nothing of the goal starts.
    """
    kinds, vocabulary = scene.kinds, scene.kinds.vocabulary
    present = {thing.kind for thing in scene.objects}
    counts: dict[str, tuple[int, int]] = {}
    places: list[str] = []
    for type_name, least in _kinds_counted(goal):
        kind = vocabulary.kind_of_type(type_name)
        if kind is None:
            continue
        name = vocabulary.whole_of(kind.name)
        least = 1 if name else least
        name = name or kind.name
        if kinds[name].item and name in present:
            counts[name] = (max(least, counts.get(name, (1, MOST))[0]), max(least, MOST))
        elif kinds[name].receptacle and not kinds[name].item:
            places.append(name)
    asked = tuple(dict.fromkeys(predicates_wanted(goal)))
    banned = tuple(dict.fromkeys((*places, *appliances(goal, elsewhere, kinds))))
    return SpawnRequest(
        counts=counts,
        banned=dict.fromkeys(counts, banned),
        free={name: 1 if "single" in kinds[name].roles else FREE for name in dict.fromkeys(places)},
        off=tuple(name for name, kind in kinds.items() if "is-on" in asked and "toggleable" in kind.affordances),
        dirty_and_empty="cleaned" in asked,
        others=DEFAULT.others if scene.building is None else (1, 1),
    )


def appliances(goal: Formula, elsewhere: Mapping[str, str], kinds: Kinds) -> tuple[str, ...]:
    """Return the kinds of receptacles that do what a goal asks for, by the roles of ``elsewhere``."""
    roles = {elsewhere[predicate] for predicate in predicates_wanted(goal) if predicate in elsewhere}
    return tuple(name for name, kind in kinds.items() if kind.roles & roles)


def _kinds_counted(formula: Formula) -> Iterator[tuple[str, int]]:
    """Yield the types that a formula wants things of, each with how many at least."""
    if isinstance(formula, And | Or):
        for operand in formula.operands:
            yield from _kinds_counted(operand)
    elif isinstance(formula, Imply):
        yield from _kinds_counted(formula.antecedent)
        yield from _kinds_counted(formula.consequent)
    elif isinstance(formula, Exists | Forall | AtLeast):
        least = formula.count if isinstance(formula, AtLeast) else 1
        types = [name for variable in formula.variables if len(variable.types) == 1 for name in variable.types]
        for name in types:
            yield name, max(least, types.count(name) if isinstance(formula, Exists) else 1)
        for variable in formula.variables:
            if 1 < len(variable.types) <= MOST_ALTERNATIVES:
                for name in variable.types:  # of each some, and of all together enough
                    yield name, -(-least // len(variable.types))
        yield from _kinds_counted(formula.body)


def predicates_wanted(formula: Formula) -> Iterator[str]:
    """Yield the predicates that a formula wants to hold; what is negated is left out."""
    if isinstance(formula, Atom):
        yield formula.predicate
    elif isinstance(formula, And | Or):
        for operand in formula.operands:
            yield from predicates_wanted(operand)
    elif isinstance(formula, Exists | Forall | AtLeast):
        yield from predicates_wanted(formula.body)
    elif isinstance(formula, Imply):
        yield from predicates_wanted(formula.consequent)
    elif isinstance(formula, Not):
        return


# The rooms and planning problems of stored episodes: problems are made again, and trusted if the bytes agree.


def room_of(episode: Episode) -> Scene:
    """Return the room or house that an episode begins in.

    Raises:
        UsageError: Its world is no room.
    """
    room = episode.room
    assert isinstance(room, Scene)
    return room


def check_problem(problem: Problem, episode: Episode) -> Problem | None:
    """Return a problem if it is written as the episode's was, else None: another version has made that one."""
    same = hashlib.sha256(write_problem(problem).encode()).hexdigest() == episode.problem_sha256
    return problem if same else None


def read_task(episode: Episode, stored_problem: Callable[[Episode], Problem | None]) -> tuple[Domain, Problem]:
    """Return the domain and the problem of an episode; without the stored one, that of its goal in its whole scene.

    Args:
        episode: An episode in a room.
        stored_problem: Makes the episode's own problem again; None if it cannot.

    Raises:
        InputError: The episode has no scene.
    """
    if episode.scene is None:
        raise InputError(f"episode {episode.index} of {episode.benchmark} has no scene")
    domain = room_of(episode).kinds.domain
    own = stored_problem(episode)
    return domain, own or household_problem(room_of(episode), parse_formula(episode.goal, domain)).problem
