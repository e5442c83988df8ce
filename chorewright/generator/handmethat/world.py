"""HandMeThat's world: scenes sampled from its object space, and the planning problems of a human's goals there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from chorewright.domains.library import handmethat_domain, load_shipped_library, user_library
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, parse_slots
from chorewright.domains.vocabulary import Vocabulary
from chorewright.errors import UsageError
from chorewright.generator.production.worlds import Compiled, World
from chorewright.problems.handmethat.goals import NoInstance, instantiate
from chorewright.problems.handmethat.scene import HandMeThatScene, sample_scene
from chorewright.problems.handmethat.states import load_scene, problem_of

MOST_SCENES = 500
"""How many scenes are sampled to find one that suits a task."""


class HandMeThatWorld(World):
    """A house in text: a human and a robot among a hundred objects."""

    name = "handmethat"

    def domain(self) -> Domain:
        """Return HandMeThat's domain."""
        return handmethat_domain()

    def vocabulary(self) -> Vocabulary:
        """Return HandMeThat's object space."""
        return load_shipped_library().vocabulary(self.name)

    def templates(self) -> tuple[GoalTemplate, ...]:
        """Return HandMeThat's goals, by their numbers."""
        return user_library().collection(self.name)

    def compile(self, template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
        """Compile a task for the human, in a sampled scene or in that of an episode; see ``World.compile``.

        Slots that are left out are filled at random.
        """
        if any(slot.over_objects for slot in template.slots):
            raise UsageError(f"{template.full_name} has slots over objects, which sampled scenes do not fill")
        given = parse_slots(template, slots, load_shipped_library().vocabulary(template.domain))
        name = f"{template.name}-{seed}"
        if scene is None:
            suited = suitable_scene(template, given, (seed,))
            if isinstance(suited, NoInstance):
                raise UsageError(f"no scene suits {template.full_name}: {suited.reason}")
            things, goal, where = suited
        elif scene.endswith(".json"):
            things, where = load_scene(scene), Path(scene).name
            found = instantiate(template, things, np.random.Generator(np.random.PCG64(seed)), given)
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
) -> tuple[HandMeThatScene, Goal, str] | NoInstance:
    """Sample scenes until one suits a template; return it with the filled goal and a name."""
    reason = NoInstance("")
    for number in range(MOST_SCENES):
        rng = np.random.Generator(np.random.PCG64((*seed, number)))
        scene = sample_scene(rng)
        goal = instantiate(template, scene, rng, given)
        if isinstance(goal, Goal):
            return scene, goal, f"scene {'-'.join(map(str, (*seed, number)))}"
        reason = goal
    return reason
