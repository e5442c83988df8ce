"""One task in one room: a filled goal template, a scattered scene, and the planning problem made of both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chorewright.domains.evaluation import Universe
from chorewright.domains.goal_templates import Goal, GoalTemplate, instantiate, parse_binding, unsuited
from chorewright.domains.library import find_template, household_domain, household_vocabulary
from chorewright.domains.pddl.syntax import Domain
from chorewright.errors import InputError, Location, UsageError
from chorewright.generator.alfred import settings
from chorewright.generator.alfred_spawn import spawn_request
from chorewright.generator.possibilities import facts_of, missing, room_facts
from chorewright.problems.household import HouseholdProblem, household_problem
from chorewright.problems.metadata import scene_from_metadata
from chorewright.problems.rooms import load_room, room_names
from chorewright.problems.scene import Scene
from chorewright.problems.spawn import spawn


@dataclass(frozen=True, slots=True)
class Compiled:
    """A filled template in a scene, as a planning problem of the household domain."""

    domain: Domain
    template: GoalTemplate
    goal: Goal
    scene: Scene
    household: HouseholdProblem


def compile_task(task: str | GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
    """Fill a template, scatter a room for it, and make the planning problem.

    Args:
        task: a shipped task's name, or the path of a ``.task`` file, or a template.
        slots: ``slot=Kind`` for each slot without a default.
        scene: a room's name; or the path of an AI2-THOR metadata ``.json``, which is taken as it is, nothing
            scattered; or ``None`` for the first room that suits.
        seed: of the scattering.

    Raises:
        InputError: the template or metadata has errors.
        UsageError: there is no such task, kind or room, or the room does not suit.
        NoRoom: the things could not be placed with this seed.
    """
    vocabulary = household_vocabulary()
    template = find_template(task) if isinstance(task, str) else task
    binding = parse_binding(template, slots, vocabulary)
    goal = instantiate(template, binding, vocabulary)
    if scene is not None and scene.endswith(".json"):
        room = load_metadata(Path(scene))
        facts = facts_of(room)
    else:
        room = load_room(scene or _first_room(template, goal))
        facts = room_facts(room.name)
    reasons = (
        *unsuited(template, binding, vocabulary, facts.room_kind, facts.kinds),
        *missing(goal.goal, vocabulary, facts),
    )
    if reasons:
        raise UsageError(f"{room.name} does not suit {template.full_name}: {'; '.join(reasons)}")
    if scene is None or not scene.endswith(".json"):
        request = spawn_request(room, goal.goal, vocabulary, settings().elsewhere)
        room = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
    name = f"{template.name}-{room.name}-{seed}"
    household = household_problem(room, goal.goal, name=name)
    # Slots over objects are of this scene: they must name some of its objects.
    parse_binding(template, slots, vocabulary, Universe.of(household_domain(), household.problem))
    return Compiled(household_domain(), template, goal, room, household)


def load_metadata(path: Path) -> Scene:
    """Return the scene of an AI2-THOR metadata JSON file (an event's ``metadata``).

    Raises:
        InputError: it cannot be read or is not such metadata.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg}", location=Location(str(path), error.lineno, error.colno)
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the metadata: {reason}", location=Location(str(path))) from error
    return scene_from_metadata(value, path=str(path))


def _first_room(template: GoalTemplate, goal: Goal) -> str:
    vocabulary = household_vocabulary()
    for name in room_names():
        facts = room_facts(name)
        if not unsuited(template, goal.binding, vocabulary, facts.room_kind, facts.kinds) and not missing(
            goal.goal, vocabulary, facts
        ):
            return name
    raise UsageError(f"no room suits {template.full_name} with {dict(goal.binding)}")
