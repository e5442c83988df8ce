"""The task of one episode: what the robot has watched and is asked, what is meant, and the human's goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import Formula
from chorewright.errors import InputError
from chorewright.planner.plan import GroundAction
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene
from chorewright.problems.handmethat.states import problem_of, scene_at
from chorewright.rsa.handmethat.meanings import Context, Grounding, Meaning, context_of


@dataclass(frozen=True)
class HandMeThatTask:
    """One episode ⟨s_0, G, Ω, s_T, m, u⟩ of the paper (section 3), with the facts that determine its level.

    Attributes:
        name: What it is called, for example the index of its episode.
        start: s_0, the scene before any action.
        scene: s_T, the scene at the request, with the agents where they are.
        plan: The human's whole plan.
        observed: T, how many of its actions the robot has watched.
        goal: G, over the domain's types and the names of the scene's objects.
        meaning: m.
        utterance: u.
        sentence: u in English.
        level: The hardness, 1 to 4.
        useful: A(G), of the request's type.
        understood: r, what the pragmatic listener understands.
        template: The full name of the goal's template; empty if it is not known.
        number: The goal's number in the paper's tables, from 0; -1 if it is not known.
        subgoal: The part of G that m serves.
        demonstration: Commands that fulfil the request.
    """

    name: str
    start: HandMeThatScene
    scene: HandMeThatScene
    plan: tuple[GroundAction, ...]
    observed: int
    goal: Formula
    meaning: Meaning
    utterance: Meaning
    sentence: str
    level: int
    useful: tuple[Grounding, ...] = ()
    understood: Meaning | None = None
    template: str = ""
    number: int = -1
    subgoal: Formula | None = None
    demonstration: tuple[str, ...] = ()

    @property
    def prefix(self) -> tuple[GroundAction, ...]:
        """Ω, what the robot has watched."""
        return self.plan[: self.observed]

    @cached_property
    def context(self) -> Context:
        """The things that the request may be about."""
        return context_of(self.scene)

    @cached_property
    def groundings(self) -> tuple[Grounding, ...]:
        """A(m): the grounded subgoals, any of which fulfils the request."""
        return self.context.groundings(self.meaning)


def scene_after(start: HandMeThatScene, actions: tuple[GroundAction, ...], goal: Formula) -> HandMeThatScene:
    """Return the scene after actions of the human; the robot stays where it is.

    Raises:
        InputError: An action cannot be run.
    """
    domain = handmethat_domain()
    problem = problem_of(start, goal, HUMAN)
    steps = simulate(domain, problem, actions)
    if len(steps) < len(actions):
        raise InputError(f"action {len(steps) + 1} of the human cannot be run: {actions[len(steps)]}")
    return scene_at(start, steps[-1].state) if steps else start
