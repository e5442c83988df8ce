"""One task in one scene: a filled goal template, the things there, and the planning problem made of both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chorewright.domains.evaluation import holds
from chorewright.domains.library import (
    find_template,
    handmethat_domain,
    household_domain,
    household_vocabulary,
    shipped_domain,
    shipped_vocabulary,
)
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.templates.goal_templates import (
    Goal,
    GoalTemplate,
    instantiate,
    parse_binding,
    parse_slots,
    unsuited,
)
from chorewright.domains.universe import Universe
from chorewright.errors import InputError, Location, UsageError
from chorewright.generator.alfred.benchmark import settings
from chorewright.generator.alfred.spawning import spawn_request
from chorewright.generator.household.possibilities import facts_of, missing, room_facts
from chorewright.problems.handmethat.goals import NoInstance
from chorewright.problems.handmethat.goals import instantiate as instantiate_in_scene
from chorewright.problems.handmethat.reference import load_scene
from chorewright.problems.handmethat.sampling import sample_scene
from chorewright.problems.handmethat.scene import Scene as SampledScene
from chorewright.problems.handmethat.states import problem_of
from chorewright.problems.tabletop.states import TabletopState, initial_states, parse_state
from chorewright.problems.tabletop.tasks import CORRECT as TABLETOP
from chorewright.problems.tabletop.tasks import atoms_of
from chorewright.problems.tabletop.tasks import problem as tabletop_problem
from chorewright.problems.thor.household import household_problem
from chorewright.problems.thor.metadata import scene_from_metadata
from chorewright.problems.thor.rooms import load_room, room_names
from chorewright.problems.thor.scene import Scene
from chorewright.problems.thor.spawn import spawn

MOST_SCENES = 500
"""How many scenes are sampled to find one that suits a task."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A filled template in a scene, as a planning problem of its domain; ``scene`` is the scene's name."""

    domain: Domain
    template: GoalTemplate
    goal: Goal
    scene: str
    problem: Problem


def compile_task(task: str | GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
    """Fill a template, make a scene for it, and make the planning problem.

    Args:
        task: a shipped task's name, or the path of a ``.task`` file, or a template.
        slots: ``slot=Kind`` for each slot without a default; HandMeThat's slots that are left out are filled
            at random.
        scene: a room's name; or the path of a ``.json``, which is taken as it is: AI2-THOR's metadata, an
            episode of HandMeThat; or a state of CALVIN's table, for example ``led=1,drawer=open``; or
            ``None`` for the first room that suits, or a sampled scene.
        seed: of the scattering or sampling.

    Raises:
        InputError: the template, metadata or episode has errors.
        UsageError: there is no such task, kind or room, or the scene does not suit.
        NoRoom: the things could not be placed with this seed.
    """
    template = find_template(task) if isinstance(task, str) else task
    compiler = _COMPILERS.get(template.domain)
    if compiler is None:
        raise UsageError(f"there are no scenes for tasks of the domain {template.domain!r}")
    return compiler(template, slots, scene, seed)


def _in_room(template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
    """Compile a household task: things are scattered in one of the iTHOR rooms."""
    vocabulary = household_vocabulary()
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
    problem = household_problem(room, goal.goal, name=name).problem
    # Slots over objects are of this scene: they must name some of its objects.
    parse_binding(template, slots, vocabulary, Universe.of(household_domain(), problem))
    return Compiled(household_domain(), template, goal, room.name, problem)


def _in_sampled_scene(template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
    """Compile a task of HandMeThat for the human, in a sampled scene or in that of an episode."""
    if any(slot.over_objects for slot in template.slots):
        raise UsageError(f"{template.full_name} has slots over objects, which sampled scenes do not fill")
    given = parse_slots(template, slots, shipped_vocabulary(template.domain))
    name = f"{template.name}-{seed}"
    if scene is None:
        suited = suitable_scene(template, given, (seed,))
        if isinstance(suited, NoInstance):
            raise UsageError(f"no scene suits {template.full_name}: {suited.reason}")
        things, goal, where = suited
    elif scene.endswith(".json"):
        things, where = load_scene(scene), Path(scene).name
        found = instantiate_in_scene(template, things, np.random.Generator(np.random.PCG64(seed)), given)
        if isinstance(found, NoInstance):
            raise UsageError(f"{where} does not suit {template.full_name}: {found.reason}")
        goal = found
    else:
        hint = "leave --scene out to sample a scene, or give an episode's .json"
        raise UsageError(f"HandMeThat has no scene called {scene!r}", hint=hint)
    problem = problem_of(things, goal.goal, name=name)
    return Compiled(handmethat_domain(), template, goal, where, problem)


def suitable_scene(
    template: GoalTemplate, given: Mapping[str, str], seed: tuple[int, ...]
) -> tuple[SampledScene, Goal, str] | NoInstance:
    """Sample scenes until one suits a template; return it with the filled goal and a name."""
    reason = NoInstance("")
    for number in range(MOST_SCENES):
        rng = np.random.Generator(np.random.PCG64((*seed, number)))
        scene = sample_scene(rng)
        goal = instantiate_in_scene(template, scene, rng, given)
        if isinstance(goal, Goal):
            return scene, goal, f"scene {'-'.join(map(str, (*seed, number)))}"
        reason = goal
    return reason


def _on_table(template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
    """Compile a task of CALVIN's tabletop in a state of the table, given or drawn."""
    domain, vocabulary = shipped_domain(template.domain), shipped_vocabulary(template.domain)
    goal = instantiate(template, parse_binding(template, slots, vocabulary, Universe.of(domain)), vocabulary)
    start = initial_state_for(goal, (seed,)) if scene is None else parse_state(scene)
    problem = tabletop_problem(start, goal.goal, name=f"{template.name}-{seed}")
    return Compiled(domain, template, goal, str(start), problem)


def initial_state_for(goal: Goal, seed: tuple[int, ...]) -> TabletopState:
    """Draw one of the evaluation's initial states in which a goal does not hold yet, if there is any."""
    universe = Universe.of(shipped_domain(TABLETOP))
    states = initial_states()
    open_yet = [state for state in states if not holds(goal.goal, atoms_of(state), universe)]
    rng = np.random.Generator(np.random.PCG64(seed))
    return (open_yet or states)[int(rng.integers(len(open_yet or states)))]


_COMPILERS: Mapping[str, Callable[[GoalTemplate, Sequence[str], str | None, int], Compiled]] = {
    "household": _in_room,
    "handmethat": _in_sampled_scene,
    TABLETOP: _on_table,
}


def load_metadata(path: Path) -> Scene:
    """Return the scene of an AI2-THOR metadata JSON file (an event's ``metadata``).

    Raises:
        InputError: it cannot be read or is not such metadata.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", location=Location(str(path), error.lineno, error.colno)) from error
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
