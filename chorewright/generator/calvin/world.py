"""CALVIN's tabletop as a world: states of the table, and the planning problems of goals on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import load_shipped_library, user_library
from chorewright.domains.pddl.syntax import Domain
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, instantiate, parse_binding
from chorewright.domains.vocabulary import Vocabulary
from chorewright.generator.production.worlds import Compiled, World
from chorewright.problems.calvin.scenes import TabletopState, initial_states, parse_state
from chorewright.problems.calvin.tasks import CORRECT, atoms_of, problem


class TableWorld(World):
    """A table with a drawer, a sliding door, two lamps and three blocks."""

    name = CORRECT

    def domain(self) -> Domain:
        """Return the domain of the 34 tasks."""
        return load_shipped_library().domain(self.name)

    def vocabulary(self) -> Vocabulary:
        """Return the types of the domain."""
        return load_shipped_library().vocabulary(self.name)

    def templates(self) -> tuple[GoalTemplate, ...]:
        """Return the shipped goals on the table."""
        return tuple(each for each in user_library().templates() if each.domain == self.name)

    def compile(self, template: GoalTemplate, slots: Sequence[str], scene: str | None, seed: int) -> Compiled:
        """Compile a task in a state of the table, given or drawn; see ``World.compile``."""
        shipped = load_shipped_library()
        domain, vocabulary = shipped.domain(template.domain), shipped.vocabulary(template.domain)
        goal = instantiate(template, parse_binding(template, slots, vocabulary, Universe.of(domain)), vocabulary)
        start = initial_state_for(goal, (seed,)) if scene is None else parse_state(scene)
        given = problem(start, goal.goal, name=f"{template.name}-{seed}")
        return Compiled(domain, template, goal, str(start), given)


def initial_state_for(goal: Goal, seed: tuple[int, ...]) -> TabletopState:
    """Draw one of the evaluation's initial states in which a goal does not hold yet, if there is any."""
    universe = Universe.of(load_shipped_library().domain(CORRECT))
    states = initial_states()
    open_yet = [state for state in states if not holds(goal.goal, atoms_of(state), universe)]
    rng = np.random.Generator(np.random.PCG64(seed))
    return (open_yet or states)[int(rng.integers(len(open_yet or states)))]
