"""How a room is scattered for a goal, as ALFRED does it; stored episodes' rooms and problems; the household's world."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from chorewright.domains.facts import Universe
from chorewright.domains.library import Library, find_template, user_library
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Domain, Exists, Forall, Formula, Imply, Not, Or, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, instantiate, parse_binding, reasons_against
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import InputError, UsageError
from chorewright.files.records import reader_of
from chorewright.files.text import note
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household import possibilities
from chorewright.generator.household.own_scenes import read_own_scene
from chorewright.generator.production.worlds import Compiled, World
from chorewright.problems.household.bans import Ban
from chorewright.problems.household.kinds import Kinds, kinds_of
from chorewright.problems.household.places import receptacles
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import named_scene, room_names
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import DEFAULT, SpawnRequest, spawn

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
    them in a receptacle that the goal names, in what is within it (unless a kind fits nowhere else), or in an
    appliance that does what the goal asks for; lamps that the goal wants on are off; for a goal of cleaning
    everything is dirty. A house, which has things of far more kinds than a room, has one of each other kind.

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
    ban = Ban.of(scene, banned)
    fixtures = (each.thing for each in receptacles(scene))
    free = {thing.kind for thing in fixtures if not (thing.kind in ban.kinds or ban.touches(thing))}
    return SpawnRequest(
        counts=counts,
        banned=dict.fromkeys(counts, banned),
        free={name: 1 if "single" in kinds[name].roles else FREE for name in dict.fromkeys(places)},
        off=tuple(name for name, kind in kinds.items() if "is-on" in asked and "toggleable" in kind.affordances),
        dirty_and_empty="cleaned" in asked,
        others=DEFAULT.others if scene.building is None else (1, 1),
        within=any(free.isdisjoint(kinds[name].fits) for name in counts),
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


# The household: iTHOR rooms and houses in which things are scattered, and the planning problems of goals there.


class HouseholdWorld(World):
    """Rooms with furniture, and things that can be carried, opened, cleaned, heated, cooled, sliced and filled."""

    name = "household"
    keeps_starts = True

    def __init__(self, library: Library | None = None) -> None:
        """Take the kinds and the domain of a library, by default of the one with the user's search path."""
        self._library = library

    @property
    def kinds(self) -> Kinds:
        """What can be named and done."""
        return kinds_of(self._library or user_library())

    def with_library(self, library: Library) -> HouseholdWorld:
        """Return the world with the kinds and the domain of a library."""
        return HouseholdWorld(library)

    def domain(self) -> Domain:
        """Return the household domain."""
        return self.kinds.domain

    def vocabulary(self) -> Vocabulary:
        """Return the kinds of things: those of AI2-THOR and the user's."""
        return self.kinds.vocabulary

    def templates(self) -> tuple[GoalTemplate, ...]:
        """Return the shipped goal templates of the household."""
        return tuple(each for each in user_library().templates() if each.domain == self.name)

    def example(self) -> Compiled:
        """Return the problem of a hot mug on the coffee machine."""
        template = find_template("alfred/pick_heat_then_place_in_recep")
        return self.compile(template, ["object=Mug", "receptacle=CoffeeMachine"], None, 0)

    def compile(self, template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
        """Compile a task in an iTHOR room, a house, or a scene of AI2-THOR's metadata; see ``World.compile``."""
        goal, room = self.start(template, slots, scene, seed)
        problem = self.problem(goal, room, f"{template.name}-{room.name}-{seed}")
        broken = possibilities.broken_rule(goal.start, room, self.kinds.domain, problem)
        if broken:
            raise UsageError(f"{room.name} does not start as {template.full_name} says: {broken} does not hold")
        # Slots over objects are of this scene: they must name some of its objects.
        parse_binding(template, slots, self.kinds.vocabulary, Universe.of(self.kinds.domain, problem))
        return Compiled(self.kinds.domain, template, goal, room.name, problem)

    def start(self, template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> tuple[Goal, Scene]:
        """Return the goal of a filled template, and the scene that ``compile`` makes for it.

        Raises:
            UsageError: The room does not suit the task.
        """
        kinds, vocabulary = self.kinds, self.kinds.vocabulary
        binding = parse_binding(template, slots, vocabulary)
        goal = instantiate(template, binding, vocabulary)
        if scene is not None and scene.endswith(".json"):
            room = load_metadata(Path(scene), kinds)
            facts = possibilities.facts_of(room)
        else:
            room = named_scene(scene or _first_room(template, goal, kinds), kinds)
            facts = possibilities.room_facts(room.name, kinds)
        facts = facts.within(template.rooms)
        reasons = (
            *reasons_against(template, binding, vocabulary, facts.room_kind, facts.kinds),
            *possibilities.missing(goal.goal, vocabulary, facts),
            *possibilities.start_lacks(goal.start, kinds, facts.kinds, facts.places),
        )
        if reasons:
            told = "; ".join(dict.fromkeys(reasons))
            raise UsageError(f"{room.name} does not suit {template.full_name}: {told}")
        if scene is None or not scene.endswith(".json"):
            request = possibilities.with_start(spawn_request(room, goal.goal, elsewhere()), room, goal.start)
            room = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
        return goal, room

    def problem(self, goal: Goal, scene: Scene, name: str = "household") -> Problem:
        """Return the planning problem of a goal in a scene."""
        return household_problem(scene, goal.goal, name=name).problem


def load_metadata(path: Path, kinds: Kinds) -> Scene:
    """Return the scene of an AI2-THOR metadata JSON file (an event's ``metadata``), or of a house's file.

    Raises:
        UsageError: It cannot be read.
        InputError, InputErrors: It is neither.
    """
    own = read_own_scene(path, kinds)
    for each in own.notes:
        note(f"{path}: {each}")
    return own.scene


def _first_room(template: GoalTemplate, goal: Goal, kinds: Kinds) -> str:
    vocabulary = kinds.vocabulary
    for name in room_names():
        facts = possibilities.room_facts(name, kinds)
        if not reasons_against(
            template, goal.binding, vocabulary, facts.room_kind, facts.kinds
        ) and not possibilities.missing(goal.goal, vocabulary, facts):
            return name
    raise UsageError(f"no room suits {template.full_name} with {dict(goal.binding)}")
