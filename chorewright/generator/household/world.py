"""The household: iTHOR rooms and houses in which things are scattered, and the planning problems of goals there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chorewright.domains.facts import Universe
from chorewright.domains.library import Library, find_template, user_library
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, instantiate, parse_binding, reasons_against
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import UsageError
from chorewright.files.plugins import note
from chorewright.generator.household.own_scenes import read_own_scene
from chorewright.generator.household.possibilities import facts_of, missing, room_facts
from chorewright.generator.household.scene_names import named_scene
from chorewright.generator.household.spawning import elsewhere, spawn_request
from chorewright.generator.household.starts import broken_rule, start_lacks, with_start
from chorewright.generator.production.worlds import Compiled
from chorewright.problems.household.kinds import Kinds, kinds_of
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import room_names
from chorewright.problems.household.scene import Scene
from chorewright.problems.household.spawn import spawn


class HouseholdWorld:
    """Rooms with furniture, and things that can be carried, opened, cleaned, heated, cooled, sliced and filled."""

    name = "household"

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
        broken = broken_rule(goal.start, room, self.kinds.domain, problem)
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
            facts = facts_of(room)
        else:
            room = named_scene(scene or _first_room(template, goal, kinds), kinds)
            facts = room_facts(room.name, kinds)
        facts = facts.within(template.rooms)
        reasons = (
            *reasons_against(template, binding, vocabulary, facts.room_kind, facts.kinds),
            *missing(goal.goal, vocabulary, facts),
            *start_lacks(goal.start, kinds, facts.kinds, facts.places),
        )
        if reasons:
            told = "; ".join(dict.fromkeys(reasons))
            raise UsageError(f"{room.name} does not suit {template.full_name}: {told}")
        if scene is None or not scene.endswith(".json"):
            request = with_start(spawn_request(room, goal.goal, elsewhere()), room, goal.start)
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
        facts = room_facts(name, kinds)
        if not reasons_against(template, goal.binding, vocabulary, facts.room_kind, facts.kinds) and not missing(
            goal.goal, vocabulary, facts
        ):
            return name
    raise UsageError(f"no room suits {template.full_name} with {dict(goal.binding)}")
