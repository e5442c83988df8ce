"""Demonstrations: the commands of an expert who knows the meaning, planned and then verified by a replay.

Greedy best-first search with the FF heuristic plans for the nearest meant thing (the paper's section 4.1 and
appendix B). The expert sees everything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chorewright.domains.library import handmethat_domain
from chorewright.files.stopwatch import Timed
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.handmethat.relevance import containers, relevant, restricted
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, Scene
from chorewright.problems.handmethat.states import problem_of
from chorewright.replay.handmethat.commands import command_of
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.replay.handmethat.world import TextWorld, goal_of
from chorewright.rsa.handmethat.meanings import Grounding, Quest, context_of

MOST_CANDIDATES = 12
"""So many of the things that are meant, the nearest ones, are planned for."""

LIMITS = Limits(evaluations=100_000)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Commands that fulfil a request.

    Attributes:
        actions: The robot's actions.
        commands: The same as commands.
        grounding: The grounded subgoal that they fulfil.
    """

    actions: tuple[GroundAction, ...]
    commands: tuple[str, ...]
    grounding: Grounding


@Timed("replay")
def demonstrate(task: HandMeThatTask) -> Demonstration | str:
    """Plan how to fulfil a request and replay the plan in the text world; otherwise return why this fails."""
    quest = task.meaning.quest
    actions = plan_for(task.groundings, quest, task.scene)
    if actions is None:
        return "no plan fulfils the request"
    commands = tuple(map(command_of, actions))
    world = TextWorld(task)
    world.reset()
    for command in commands:
        world.step(command)
    if not world.won:
        return "the plan does not fulfil the request in the text world"
    return Demonstration(actions, commands, world.fulfilled()[0])


def plan_for(groundings: Iterable[Grounding], quest: Quest, scene: Scene) -> tuple[GroundAction, ...] | None:
    """Return a short plan of the robot for one of some grounded subgoals; None if none is found.

    Only objects that can matter are looked at, and of many subgoals those that seem nearest.
    """
    nearest = sorted(groundings, key=lambda each: _distance(each, quest, scene))[:MOST_CANDIDATES]
    if not nearest:
        return None
    goal = goal_of(context_of(scene), quest, nearest)
    part = restricted(scene, relevant(scene, goal))
    answer = solve(handmethat_domain(), problem_of(part, goal, ROBOT), LIMITS)
    return answer.actions if isinstance(answer, Plan) else None


def _distance(grounding: Grounding, quest: Quest, scene: Scene) -> int:
    """Return a guess of how many actions a grounded subgoal takes, to choose among many of them."""
    name, argument = grounding
    steps = 0 if scene.robot.holding == name else 1
    for place in (name, argument if quest is Quest.MOVE_TO and argument is not None else HUMAN):
        if place in scene.by_name:
            steps += sum(_closed(scene, each) for each in containers(scene, place))
            steps += scene.location_of(place) not in ("", scene.robot.at)
        else:
            steps += scene.robot.at != place
    return steps


def _closed(scene: Scene, name: str) -> bool:
    entity = scene.by_name[name]
    return entity.can_be("open") and "open" not in entity.states
