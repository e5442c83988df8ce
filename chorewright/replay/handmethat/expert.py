"""The expert of HandMeThat: plans for a request by one who knows what is meant and sees everything.

Greedy best-first search with the FF heuristic plans for the nearest meant thing (the paper's section 4.1 and
appendix B).
"""

from __future__ import annotations

from collections.abc import Iterable

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Formula, Or
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.handmethat.relevance import containers, relevant, restrict
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, HandMeThatScene
from chorewright.problems.handmethat.states import problem_of
from chorewright.rsa.handmethat.meanings import Context, Grounding, Quest, context_of
from chorewright.rsa.handmethat.subgoals import formula_of

MOST_CANDIDATES = 12
"""So many of the things that are meant, the nearest ones, are planned for."""

LIMITS = Limits(evaluations=100_000)


def goal_of(context: Context, quest: Quest, groundings: Iterable[Grounding]) -> Formula:
    """Return the condition that one of some grounded subgoals is fulfilled."""
    return Or(tuple(formula_of(context, quest, each) for each in groundings))


def plan_for(groundings: Iterable[Grounding], quest: Quest, scene: HandMeThatScene) -> tuple[GroundAction, ...] | None:
    """Return a short plan of the robot for one of some grounded subgoals; None if none is found.

    Only objects that can matter are looked at, and of many subgoals those that seem nearest.
    """
    nearest = sorted(groundings, key=lambda each: _distance(each, quest, scene))[:MOST_CANDIDATES]
    if not nearest:
        return None
    goal = goal_of(context_of(scene), quest, nearest)
    part = restrict(scene, relevant(scene, goal))
    answer = solve(handmethat_domain(), problem_of(part, goal, ROBOT), LIMITS)
    return answer.actions if isinstance(answer, Plan) else None


def _distance(grounding: Grounding, quest: Quest, scene: HandMeThatScene) -> int:
    """Return a guess of how many actions a grounded subgoal takes, to choose among many of them."""
    name, argument = grounding
    steps = 0 if scene.robot.holding == name else 1
    for place in (name, argument if quest is Quest.MOVE_TO and argument is not None else HUMAN):
        if place in scene.by_name:
            steps += sum(is_closed(scene, each) for each in containers(scene, place))
            steps += scene.location_of(place) not in ("", scene.robot.at)
        else:
            steps += scene.robot.at != place
    return steps


def is_closed(scene: HandMeThatScene, name: str) -> bool:
    """Return whether a thing has a door or lid that is shut."""
    entity = scene.by_name[name]
    return entity.can_be("open") and "open" not in entity.states
