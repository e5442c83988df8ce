"""A chain of CALVIN's tasks to any goal on its table, by planning over the domain of the 34 tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chorewright.domains.library import shipped_domain
from chorewright.domains.pddl.syntax import Formula
from chorewright.planner.configuration import DEFAULT, Configuration
from chorewright.planner.plan import Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.tabletop.chains import Chain
from chorewright.problems.tabletop.states import TabletopState
from chorewright.problems.tabletop.tasks import CORRECT, problem, task_of

UNLIMITED = Limits()
OPTIMAL_EVALUATIONS = 20_000
"""How long the shortest chain is looked for before a short one has to do."""


@dataclass(frozen=True, slots=True)
class GoalChain:
    """A chain to a goal, whether it is certainly a shortest one, and the plan it is made of."""

    chain: Chain
    optimal: bool
    plan: Plan


def chain_to_goal(
    start: TabletopState, goal: Formula, variant: str = CORRECT, limits: Limits = UNLIMITED
) -> GoalChain | Unsolvable | OutOfLimits:
    """Plan a chain of tasks after which a goal holds.

    Each task can be done in just one way when its turn comes, as the domain asks; unlike in the chains of the
    evaluation, tasks of one category may repeat.

    Args:
        start: Where the chain starts.
        goal: A formula over the predicates and constants of the domain.
        variant: The domain.
        limits: What the search for a chain that need not be the shortest may use.
    """
    domain = shipped_domain(variant)
    given = problem(start, goal, variant)
    shortest = Configuration.usual("astar", None, None, None, "turns")
    effort = replace(limits, evaluations=min(OPTIMAL_EVALUATIONS, limits.evaluations or OPTIMAL_EVALUATIONS))
    answer = solve(domain, given, effort, shortest)
    if isinstance(answer, OutOfLimits):
        answer = solve(domain, given, limits, DEFAULT)
    if not isinstance(answer, Plan):
        return answer
    sequence = tuple(task_of(action.name, action.arguments) for action in answer.actions)
    return GoalChain(Chain(start, sequence), answer.optimal, answer)
