"""Grounded subgoals: what the robot's fulfilling one changes, and by how much that helps the human.

The reward of a grounded subgoal is V*(s_T) - V*(γ(s_T, m_g)) (section 3.2): γ is the state once the robot
has carried out a cheapest plan for it, V* what the human's goal then costs the human. Both are found by the
planner, in the part of the scene that can matter (``problems.handmethat.relevance``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import And, Atom, Formula, GroundAtom, Not, State
from chorewright.planner.cost_to_go import Cost, CostToGo, Effort
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import Configuration, solve
from chorewright.planner.validation import simulate
from chorewright.problems.handmethat.relevance import containers, relevant, restricted
from chorewright.problems.handmethat.scene import HUMAN, ROBOT, Scene
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.rsa.descriptions import numbers, quests
from chorewright.rsa.meanings import Context, Grounding, Quest, context_of

EXACT = Effort(provable=60, proof=2_500, pool=2_500)
"""Enough to prove the costs of most goals; ``SATISFICING`` of the planner is the quick alternative."""

_CHEAPEST = Configuration(search="astar", heuristic="lmcut", improve=0, rungs=())
_MOST = Limits(evaluations=3_000)


@dataclass(frozen=True, slots=True)
class Reward:
    """What a grounded subgoal is worth.

    Attributes:
        gain: V*(s_T) - V*(s'); ``-inf`` if the goal is out of reach in s'.
        optimal: Whether both costs are proven to be the least.
        plan: What the robot does.
    """

    gain: float
    optimal: bool
    plan: tuple[GroundAction, ...]


@dataclass(frozen=True, slots=True)
class _Landing:
    """A plan of the robot's and what it changes in the human's world."""

    plan: tuple[GroundAction, ...]
    added: frozenset[GroundAtom]
    removed: frozenset[GroundAtom]


_NOTHING = _Landing((), frozenset(), frozenset())


def formula_of(context: Context, quest: Quest, grounding: Grounding) -> Formula:
    """Return what holds once a grounded subgoal is fulfilled."""
    name, argument = grounding
    match quest:
        case Quest.BRING_ME:
            return Atom("holding", (HUMAN, name))
        case Quest.MOVE_TO:
            place = context.items[context.number[str(argument)]]
            return Atom(place.relation, (name, place.name))
        case Quest.CHANGE_STATE:
            item = context.items[context.number[name]]
            states = quests().verbs[str(argument)].items()
            wanted: list[Formula] = [
                Atom(state, (name,)) if value else Not(Atom(state, (name,)))
                for state, value in states
                if state in item.features
            ]
            return wanted[0] if len(wanted) == 1 else And(tuple(wanted))


def robot_plan(scene: Scene, goal: Formula) -> tuple[GroundAction, ...] | None:
    """Return a cheapest plan of the robot's (a good one where that takes too long), or None without any."""
    problem = problem_of(restricted(scene, relevant(scene, goal)), goal, ROBOT)
    answer = solve(handmethat_domain(), problem, _MOST, _CHEAPEST)
    if not isinstance(answer, Plan):
        answer = solve(handmethat_domain(), problem)
    return answer.actions if isinstance(answer, Plan) else None


@dataclass
class Subgoals:
    """The useful subgoals of a human who wants a goal in a scene.

    Asked are subgoals about what can matter for the goal: such things and locations, moved to such places or
    to any other location. Of other things none helps by itself (fetching one may open a door on the way).

    Attributes:
        scene: The scene at the time of the request, s_T.
        goal: The human's goal, G.
        effort: How hard costs are tried to prove.
    """

    scene: Scene
    goal: Formula
    effort: Effort = EXACT
    _landings: dict[tuple[bool, str, str | None], _Landing | None] = field(default_factory=dict)
    _before: Cost | None = None

    @cached_property
    def context(self) -> Context:
        """What requests may be about."""
        return context_of(self.scene)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return relevant(self.scene, self.goal)

    def candidates(self, quest: Quest) -> tuple[Grounding, ...]:
        """Return the grounded subgoals that may be useful."""
        context = self.context
        found: list[Grounding] = []
        for argument in context.arguments(quest):
            if quest is Quest.MOVE_TO and argument not in self._kept and self._movable(str(argument)):
                continue
            for number in numbers(context.possible(quest, argument)):
                if context.items[number].name in self._kept:
                    found.append((context.items[number].name, argument))
        return tuple(found)

    def towards(self, goal: Formula, effort: Effort) -> Subgoals:
        """Return the same for another goal; what the robot does for a subgoal is planned once for both."""
        return replace(self, goal=goal, effort=effort, _before=None)

    def rewards(self, quest: Quest, among: Sequence[Grounding] | None = None) -> Mapping[Grounding, Reward]:
        """Return the rewards of all candidates, or of those given, that the robot can fulfil.

        Locations that cannot matter are all alike to the human: of those with a door or those without, one
        is asked for all.
        """
        landings: dict[Grounding, _Landing] = {}
        alike: dict[Grounding, Grounding] = {}
        first: dict[tuple[str, str], Grounding] = {}
        asked = self.candidates(quest) if among is None else among
        for grounding in asked:
            name, argument = grounding
            if quest is Quest.MOVE_TO and argument not in self._kept:
                relation = self.context.items[self.context.number[str(argument)]].relation
                other = first.setdefault((name, relation), grounding)
                if other != grounding:
                    alike[grounding] = other
                    continue
            landing = self._landing(quest, grounding)
            if landing is not None:
                landings[grounding] = landing
        found = dict(zip(landings, self._gains(list(landings.values())), strict=True))
        found.update((each, found[other]) for each, other in alike.items() if other in found)
        return {each: found[each] for each in asked if each in found}

    def gains(self, quest: Quest) -> Mapping[Grounding, float]:
        """Return the gains alone."""
        return {grounding: reward.gain for grounding, reward in self.rewards(quest).items()}

    def _movable(self, name: str) -> bool:
        return self.scene.by_name[name].category.movable

    def _landing(self, quest: Quest, grounding: Grounding) -> _Landing | None:
        """Plan a subgoal. Things in one place are brought and moved alike, but for receptacles."""
        name, argument = grounding
        if quest is Quest.CHANGE_STATE or not self.scene.by_name[name].container:
            return self._planned(quest, grounding)
        entity = self.scene.by_name[name]
        key = entity.category.receptacle, entity.container, argument
        if key not in self._landings:
            landing = self._planned(quest, grounding)
            self._landings[key] = None if landing is None else _renamed(landing, name, "?")
        known = self._landings[key]
        return None if known is None else _renamed(known, "?", name)

    def _planned(self, quest: Quest, grounding: Grounding) -> _Landing | None:
        goal = formula_of(self.context, quest, grounding)
        actions = robot_plan(self.scene, goal)
        if actions is None:
            return None
        problem = problem_of(restricted(self.scene, relevant(self.scene, goal)), goal, ROBOT)
        steps = simulate(handmethat_domain(), problem, actions)
        before = frozenset(problem.init)
        after = steps[-1].state if steps else before
        ours = {atom for atom in before ^ after if ROBOT not in atom}
        return _Landing(actions, frozenset(ours & after), frozenset(ours & before))

    @property
    def before(self) -> Cost:
        """V*(s_T)."""
        if self._before is None:
            (self._before,) = self._costs([_NOTHING])
        return self._before

    def _gains(self, landings: Sequence[_Landing]) -> list[Reward]:
        before, *costs = self._costs([_NOTHING, *landings])
        self._before = before
        return [
            Reward(
                before.cost - after.cost if after.cost < inf else -inf,
                before.optimal and after.optimal,
                landing.plan,
            )
            for landing, after in zip(landings, costs, strict=True)
        ]

    def _costs(self, landings: Sequence[_Landing]) -> list[Cost]:
        """The cost-to-go after each landing, in the smallest scene that has all that changes."""
        names = dict.fromkeys(self._kept)
        for landing in landings:
            for atom in sorted(landing.added | landing.removed):
                names.update(dict.fromkeys(name for name in atom[1:] if name in self.scene.by_name))
        for name in list(names):
            names.update(dict.fromkeys(containers(self.scene, name)))
        scene = restricted(self.scene, frozenset(names))
        now = state_of(scene)
        states: list[State] = [(now - landing.removed) | landing.added for landing in landings]
        service = CostToGo(handmethat_domain(), problem_of(scene, self.goal), states, relevant=False)
        return [service.cost(state, self.effort) for state in states]


def _renamed(landing: _Landing, old: str, new: str) -> _Landing:
    def rename(terms: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if term == old else term for term in terms)

    return _Landing(
        tuple(GroundAction(action.name, rename(action.arguments)) for action in landing.plan),
        frozenset(map(rename, landing.added)),
        frozenset(map(rename, landing.removed)),
    )
