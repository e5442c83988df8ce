"""Grounded subgoals: what changes when the robot fulfils one, and how much that helps the human.

The reward of a grounded subgoal is V*(s_T) - V*(γ(s_T, m_g)) (section 3.2). γ is the state after the robot has
carried out a cheapest plan for it, and V* is what the human's goal costs the human from a state. The planner
computes both in the part of the scene that can matter (``problems.handmethat.scene``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from chorewright.domains.library import handmethat_domain
from chorewright.domains.pddl.syntax import And, Atom, Formula, Not, State
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING, Cost, CostToGo, Effort
from chorewright.planner.plan import GroundAction
from chorewright.problems.handmethat.scene import HUMAN, HandMeThatScene, containers, relevant, restrict
from chorewright.problems.handmethat.states import problem_of, state_of
from chorewright.rsa import numbers
from chorewright.rsa.handmethat import COST_NAMES
from chorewright.rsa.handmethat.descriptions import quests
from chorewright.rsa.handmethat.landings import Landing, Landings, Symmetry
from chorewright.rsa.handmethat.meanings import Context, Grounding, Quest, context_of

EXACT = Effort(provable=60, proof=2_500, pool=2_500)
"""Enough to prove the costs of most goals; ``SATISFICING`` of the planner is the quick alternative."""

COSTS: Mapping[str, Effort] = dict(zip(COST_NAMES, (EXACT, SATISFICING), strict=True))
"""How cost-to-go is found: proven to be the least where possible, or that of a good plan."""

LARGE = 300
"""Tasks with at least this many operators are first planned piece by piece: twice as fast, with shorter plans."""

MOST_IMPROVED = 100
"""Where costs are not proven, plans are improved from at most this many states."""


@dataclass(frozen=True, slots=True)
class Reward:
    """What a grounded subgoal is worth.

    Attributes:
        gain: V*(s_T) - V*(s'); ``-inf`` if the goal is out of reach in s'.
        helps: Whether it brings the goal nearer, if that is proven: by bounds on both costs.
        optimal: Whether both costs are proven to be the least.
        plan: What the robot does.
    """

    gain: float
    helps: bool | None
    optimal: bool
    plan: tuple[GroundAction, ...]

    @property
    def proven(self) -> bool:
        """Whether everything that requests depend on is proven: how much a subgoal helps, or that it does not help."""
        return self.optimal or self.helps is False

    @staticmethod
    def of(before: Cost, after: Cost, plan: tuple[GroundAction, ...]) -> Reward:
        """Return the reward of a plan, given the costs-to-go before and after it."""
        gain = before.cost - after.cost if max(before.cost, after.cost) < inf else -inf
        helps = None
        if after.cost < before.lower_bound < inf:
            helps = True
        elif after.lower_bound >= before.cost:
            helps = False
        return Reward(gain, helps, before.optimal and after.optimal, plan)


def formula_of(context: Context, quest: Quest, grounding: Grounding) -> Formula:
    """Return the formula that holds once a grounded subgoal is fulfilled."""
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


@dataclass
class Subgoals:
    """The useful subgoals for a human with a goal in a scene.

    Asked are subgoals about what can matter for the goal: such things and locations, moved to such places or
    to any other location. Of other things none helps by itself (fetching one may open a door on the way).

    Attributes:
        scene: The scene at the time of the request, s_T.
        goal: The human's goal, G.
        effort: How hard costs are tried to prove.
    """

    scene: HandMeThatScene
    goal: Formula
    effort: Effort = EXACT
    _known: dict[tuple[bool, str, str | None], Landing | None] = field(default_factory=dict)
    _before: Cost | None = None

    @cached_property
    def context(self) -> Context:
        """The things that requests may be about."""
        return context_of(self.scene)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return relevant(self.scene, self.goal)

    @cached_property
    def _landings(self) -> Landings:
        return Landings(self.scene)

    def candidates(self, quest: Quest) -> tuple[Grounding, ...]:
        """Return the grounded subgoals that may be useful."""
        context = self.context
        found: list[Grounding] = []
        for argument in context.arguments(quest):
            if (
                quest is Quest.MOVE_TO
                and argument not in self._kept
                and self.scene.by_name[str(argument)].category.movable
            ):
                continue
            for number in numbers(context.possible(quest, argument)):
                if context.items[number].name in self._kept:
                    found.append((context.items[number].name, argument))
        return tuple(found)

    def towards(self, goal: Formula, effort: Effort) -> Subgoals:
        """Return the same for another goal; the robot's plans for subgoals are shared by both."""
        return replace(self, goal=goal, effort=effort, _before=None)

    def rewards(self, quest: Quest, among: Sequence[Grounding] | None = None) -> Mapping[Grounding, Reward]:
        """Return the rewards of all candidates, or of those given, that the robot can fulfil.

        Locations that cannot matter are all alike to the human: of those with a door or those without, one
        is asked for all.
        """
        landings: dict[Grounding, Landing] = {}
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
            found = self._landing(quest, grounding)
            if found is not None:
                landings[grounding] = found
        rewards = self._gains(landings)
        rewards.update((each, rewards[other]) for each, other in alike.items() if other in rewards)
        return {each: rewards[each] for each in asked if each in rewards}

    def gains(self, quest: Quest) -> Mapping[Grounding, float]:
        """Return the gains alone."""
        return {grounding: reward.gain for grounding, reward in self.rewards(quest).items()}

    def _landing(self, quest: Quest, grounding: Grounding) -> Landing | None:
        """Plan a subgoal. Things in one place are brought and moved alike, but for receptacles."""
        name, argument = grounding
        goal = formula_of(self.context, quest, grounding)
        entity = self.scene.by_name[name]
        if quest is Quest.CHANGE_STATE or not entity.container:
            return self._landings.of(goal)
        key = entity.category.receptacle, entity.container, argument
        if key not in self._known:
            found = self._landings.of(goal)
            self._known[key] = found and found.renamed({name: "?"})
        known = self._known[key]
        return known and known.renamed({"?": name})

    @property
    def before(self) -> Cost:
        """V*(s_T)."""
        if self._before is None:
            self._costs({})
        assert self._before is not None
        return self._before

    def _gains(self, landings: Mapping[Grounding, Landing]) -> dict[Grounding, Reward]:
        """What each landing gains; nothing where the search gave up at the state before, or after it."""
        symmetry = Symmetry(self.scene, self.goal)
        shapes = {each: symmetry.shape(landing, [name for name in each if name]) for each, landing in landings.items()}
        asked = {shape: landings[each] for each, shape in reversed(shapes.items())}
        costs = self._costs(asked)
        before = self.before
        return {each: Reward.of(before, costs[shape], landings[each].plan) for each, shape in shapes.items()}

    def _costs(self, landings: Mapping[Hashable, Landing]) -> dict[Hashable, Cost]:
        """The cost-to-go after each landing, in the smallest scene that has all that changes.

        Sets the cost before. Where that cannot be proven, no other proof is tried: differences between
        proven costs and those of good plans would mean little. Where there is none, no other is asked for.
        """
        names = dict.fromkeys(self._kept)
        for each in landings.values():
            for atom in sorted(each.added | each.removed):
                names.update(dict.fromkeys(name for name in atom[1:] if name in self.scene.by_name))
        for name in list(names):
            names.update(dict.fromkeys(containers(self.scene, name)))
        scene = restrict(self.scene, frozenset(names))
        now = state_of(scene)
        states: dict[Hashable, State] = {shape: (now - each.removed) | each.added for shape, each in landings.items()}
        problem = problem_of(scene, self.goal)
        service = CostToGo(handmethat_domain(), problem, [now, *states.values()], relevant=False, large=LARGE)
        effort = self.effort
        before = service.cost(now, replace(effort, pool=None))
        if not before.optimal and effort.provable:
            improve = effort.improve if len(states) <= MOST_IMPROVED else 0
            effort = replace(effort, provable=0, pool=None, improve=improve)
            before = replace(service.cost(now, effort), lower_bound=before.lower_bound)
        self._before = before
        if before.cost == inf:
            return dict.fromkeys(states, before)
        return {shape: service.cost(state, effort) for shape, state in states.items()}
