"""A goal template of HandMeThat filled at random for a scene: reachable, and not yet true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from chorewright.domains.formulas import Universe, holds, rename_types, types_mentioned_in
from chorewright.domains.library import handmethat_domain, load_shipped_library
from chorewright.domains.pddl.syntax import TRUE, State
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate, candidates
from chorewright.domains.templates.goal_templates import instantiate as fill
from chorewright.domains.templates.slots import in_order, random_fillings, slot_groups
from chorewright.errors import InputError
from chorewright.problems.handmethat.feasibility import feasible
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene
from chorewright.problems.handmethat.states import DOMAIN, problem_of, state_of

FIRST_DRAWS = 20
"""How many fillings are tried at first."""

MOST_DRAWS = 200
"""How many are tried of those that are possible group by group, when the first were not."""


@dataclass(frozen=True, slots=True)
class NoInstance:
    """Why a template has no instance in a scene."""

    reason: str


def universe_of(scene: HandMeThatScene, actor: str = HUMAN) -> Universe:
    """Return the objects of a scene by type."""
    return Universe.of(handmethat_domain(), problem_of(scene, TRUE, actor))


def instantiate(
    template: GoalTemplate,
    scene: HandMeThatScene,
    rng: np.random.Generator,
    fixed: Mapping[str, str] | None = None,
) -> Goal | NoInstance:
    """Fill a template's slots with categories of a scene, at random.

    The goal does not hold in the scene, every type in it has an object, and there are enough objects for it.

    Args:
        template: A template of this domain without slots over objects.
        scene: The scene.
        rng: What the choice is drawn from.
        fixed: Slots that are filled already, by name.

    Raises:
        InputError: ``fixed`` names an unknown slot or category.
    """
    for name in fixed or {}:
        if name not in template.slot_names:
            raise InputError(f"{template.full_name} has no slot {name!r}")
    state, universe = state_of(scene), universe_of(scene)
    for name in types_mentioned_in(template.goal):
        if not name.startswith("?") and not universe.members((name,)):
            return NoInstance(f"there is no {name.replace('-', ' ')}")
    if not feasible(template.goal, state, universe):
        return NoInstance("there are too few objects of the types that the task names")
    groups: list[Sequence[Binding]] = []
    for group in _groups(template):
        own = {name: kind for name, kind in (fixed or {}).items() if name in group.slot_names}
        present = [each for each in _candidates(group, tuple(own.items())) if _present(each, scene)]
        if not present:
            return NoInstance(_lack(group, "nothing", own))
        groups.append(present)
    some = _draw(template, groups, FIRST_DRAWS, rng, state, universe)
    if isinstance(some, Goal):
        return some
    for place, group in enumerate(_groups(template)):
        groups[place] = [each for each in groups[place] if _enough(template, each, state, universe)]
        if not groups[place]:
            return NoInstance(_lack(group, "too few objects", fixed or {}))
    return _draw(template, groups, MOST_DRAWS, rng, state, universe)


_groups = lru_cache(maxsize=512)(slot_groups)


@lru_cache(maxsize=2048)
def _candidates(group: GoalTemplate, fixed: Binding) -> tuple[Binding, ...]:
    return candidates(group, load_shipped_library().vocabulary(DOMAIN), dict(fixed))


def _draw(
    template: GoalTemplate,
    groups: Sequence[Sequence[Binding]],
    most: int,
    rng: np.random.Generator,
    state: State,
    universe: Universe,
) -> Goal | NoInstance:
    """Return the first of the fillings in random order that is possible and not yet true."""
    already = False
    for binding in islice(random_fillings(groups, rng), most):
        goal = fill(template, in_order(binding, template), load_shipped_library().vocabulary(DOMAIN))
        if holds(goal.goal, state, universe):
            already = True
        elif feasible(goal.goal, state, universe):
            return goal
    return NoInstance("it is true already" if already else "there are not enough objects for all its parts")


def _present(binding: Binding, scene: HandMeThatScene) -> bool:
    return all(kind in scene.by_category for _, kind in binding)


def _enough(template: GoalTemplate, binding: Binding, state: State, universe: Universe) -> bool:
    """Return whether the goal is possible as far as these slots go."""
    types = {f"?{name}": kind for name, kind in binding}
    return feasible(rename_types(template.goal, types), state, universe)


def _lack(group: GoalTemplate, what: str, fixed: Mapping[str, str]) -> str:
    slots = ", ".join(f"?{name}" for name in group.slot_names)
    given = [f"{name}={kind}" for name, kind in fixed.items() if name in group.slot_names]
    return f"the scene has {what} to fill {slots}{' with ' if given else ''}{', '.join(given)}"
