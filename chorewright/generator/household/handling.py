"""How often a plan handles things, and a plan in place of one that handles them more often than its goal asks for.

A cheapest plan counts actions and steps alike, and a search's plan may not be cheapest: it may pick an item up four
times, or park it behind a door. A demonstrator would not. Such a plan is asked for again where picking up and opening
cost more; of the plans found, the least odd one is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Action, AndEffect, Atom, Domain, Effect, Formula, IncreaseCost, Problem
from chorewright.domains.rewriting import types_mentioned_in
from chorewright.files.lazily import Remembered
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate
from chorewright.problems.household.problem import HouseholdProblem
from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.segments import GOTO, SLICE, TOGGLE, Subgoal

DEAR: Mapping[str, tuple[float, ...]] = {"pick-up": (6.0, 15.0), "open": (4.0, 10.0), "put": (3.0, 5.0)}
"""What actions cost where handling is to be avoided, in the first try and in the next."""

TREATED: Mapping[str, int] = {
    "dirty": 1,
    "cleaned": 1,
    "hot": 1,
    "warmed": 1,
    "cool": 1,
    "cooked": 1,
    "boiled": 2,
    "filled": 1,
    "watered": 1,
    "coffee": 1,
    "sliced": 1,
}
"""How many places a thing must be put in, and taken from again, for a state that a goal asks for."""

PLACE = {"pick-up": 1, "put": 1, "slice": 2}
"""Which argument of an action is where its item lies."""

SERVES: Mapping[str, frozenset[str]] = {
    "heats": frozenset({"hot", "warmed", "cooked", "boiled"}),
    "chills": frozenset({"cool"}),
    "brews": frozenset({"coffee", "filled"}),
    "cooks": frozenset({"cooked", "boiled"}),
    "drain": frozenset({"dirty", "cleaned", "filled", "watered", "coffee", "boiled"}),
}
"""For which states of a goal a thing is put into a receptacle, by what is true of that."""


_DEAR: Remembered[Domain] = Remembered(8)


@dataclass(frozen=True, slots=True)
class Oddity:
    """What is odd about a plan.

    Attributes:
        what: ``pick-up``, ``open``, ``toggle-on`` (done too often), or ``put`` (in an unrelated place).
        name: Of the thing.
        count: How often.
        place: The unrelated place.
    """

    what: str
    name: str
    count: int
    place: str = ""


def count_pick_ups(goal: Formula) -> int:
    """Return how often the goal may ask to pick up one item: once, and once more after each treatment."""
    asked = {part.predicate for part in subformulas(goal) if isinstance(part, Atom)}
    return 1 + sum(times for name, times in TREATED.items() if name in asked)


def oddities_of(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
    """Yield what a plan handles more often than its goal asks for, and what it leaves in unrelated places."""
    counts = Counter((action.name, action.arguments[0]) for action in plan if action.name in ("pick-up", "toggle-on"))
    most = {"pick-up": count_pick_ups(problem.goal), "toggle-on": 2}
    for (name, thing), count in sorted(counts.items()):
        if count > most[name]:
            yield Oddity(name, thing, count)
    yield from _yield_left_open(plan, problem)
    yield from _park(plan, problem)


def _yield_left_open(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
    """Yield the doors that are opened more often than something is taken from behind them, put or cut there."""
    inside = {atom[1]: atom[2] for atom in problem.init if atom[0] == "in"}
    opened: Counter[str] = Counter()
    served: Counter[str] = Counter()
    for action in plan:
        if action.name == "open":
            opened[action.arguments[0]] += 1
        elif action.name in PLACE:
            around: str | None = action.arguments[PLACE[action.name]]
            while around is not None:
                served[around] += 1
                around = inside.get(around)
            inside.pop(action.arguments[0], None)
            if action.name == "put":
                inside[action.arguments[0]] = action.arguments[1]
    for door, times in opened.items():
        if times > max(1, served[door]):
            yield Oddity("open", door, times)


def _park(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
    """Yield what is put where only something else would be: behind a door, into an appliance or a vessel."""
    goal = problem.goal
    asked = {part.predicate for part in subformulas(goal) if isinstance(part, Atom)}
    named = set(types_mentioned_in(goal))
    named |= {term for part in subformulas(goal) if isinstance(part, Atom) for term in part.terms}
    facts: dict[str, set[str]] = {}
    for atom in problem.init:
        if len(atom) > 1:
            facts.setdefault(atom[1], set()).add(atom[0])
    held = {atom[1] for atom in problem.init if atom[0] == "holding"}
    before = {atom[1]: atom[2] for atom in problem.init if atom[0] == "in"}
    for action in plan:
        if action.name != "put":
            continue
        item, place = action.arguments[:2]
        known = facts.get(place, set())
        closed = "openable" in known or "furniture" not in known or known & SERVES.keys()
        serves = any(asked & states for role, states in SERVES.items() if role in known)
        vessel = "furniture" not in known and asked & {"cooked", "boiled"} and item.split("_")[0] in named
        home = before.get(item) == place or item in held
        meant = all(named & {each, each.split("_")[0]} for each in (item, place))
        if closed and not serves and not vessel and not home and not meant:
            yield Oddity("put", item, 1, place)


def oddness(plan: Sequence[GroundAction], problem: Problem) -> int:
    """Return how odd a plan is: 0 if nothing is, else the sum of what is done too often."""
    return sum(each.count for each in oddities_of(plan, problem))


def least_odd(domain: Domain, problem: Problem, plan: Plan, limits: Limits) -> Plan:
    """Return a plan that handles things less often than one that does so oddly; else that plan.

    Args:
        domain: The household.
        problem: The problem.
        plan: Its plan.
        limits: Of each search.
    """
    best, odd = plan, oddness(plan.actions, problem)
    for level in range(2):
        if odd == 0:
            break
        found = solve(dear(domain, level), problem, limits)
        if not isinstance(found, Plan):
            break
        now = oddness(found.actions, problem)
        if now < odd:
            verdict = validate(domain, problem, found.actions)
            assert verdict.valid
            best, odd = replace(found, cost=verdict.cost, optimal=False), now
    return best


def dear(domain: Domain, level: int) -> Domain:
    """Return the household with a higher cost of picking up, putting down and opening."""

    def made() -> Domain:
        return replace(domain, actions=tuple(_dearer(action, level) for action in domain.actions))

    return _DEAR.of(domain, level, made)


def _dearer(action: Action, level: int) -> Action:
    cost = DEAR.get(action.name)
    return action if cost is None else replace(action, effect=_with_cost(action.effect, cost[level]))


def _with_cost(effect: Effect, cost: float) -> Effect:
    if isinstance(effect, AndEffect):
        return AndEffect(tuple(_with_cost(each, cost) for each in effect.effects))
    return replace(effect, amount=cost) if isinstance(effect, IncreaseCost) else effect


# What a demonstrator would do otherwise than a cheapest plan: where to stand to see, where to slice, when to switch.
#
# A cheapest plan may slice an item where it shall lie in the end, or in a basin and rinse the pieces there, or turn a
# lamp on before it fetches what shall be looked at. All that reaches the goal, and none of ALFRED's demonstrators does
# it. Such a plan is asked for again with less allowed, or put in order.


Pair = tuple[str, str]
"""An item and a receptacle, by their names in the problem."""


MOST_POSES = 4
"""Poses from which one thing is tried to be handled."""


@dataclass(frozen=True, slots=True)
class Amendments:
    """What an attempt asks of the next plan.

    Attributes:
        chosen: From where some things are handled, by id, so that they are seen.
        tried: The poses of each that have been tried.
        unseen: Things, by id, that are not handled, since no pose shows them.
        blind: Things, by id, and the names of poses from which they were not seen.
        hidden: What was not seen first; empty if all was.
        unfit: Items and the receptacles that they may not be put into.
        settled: Whether a plan is taken as it is, since without these pairs there is none.
    """

    chosen: Mapping[str, Pose] = field(default_factory=dict)
    tried: Mapping[str, tuple[Pose, ...]] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    blind: frozenset[Pair] = frozenset()
    hidden: str = ""
    unfit: frozenset[Pair] = frozenset()
    settled: bool = False

    def seen_from(self, object_id: str, pose: Pose | None, hidden: str) -> Amendments | None:
        """Return these with another pose of a thing, or without the thing; None if that was left out before.

        Args:
            object_id: The thing.
            pose: From where it is seen; None if from nowhere.
            hidden: What was not seen.
        """
        told = replace(self, hidden=self.hidden or hidden)
        before = self.tried.get(object_id, ())
        if pose is not None and len(before) < MOST_POSES:
            tried = {**self.tried, object_id: (*before, pose)}
            return replace(told, chosen={**self.chosen, object_id: pose}, tried=tried)
        return None if object_id in self.unseen else replace(told, unseen=self.unseen | {object_id})

    def restrict(self, household: HouseholdProblem) -> HouseholdProblem:
        """Return a problem without what does not fit and what is not seen."""
        if not self.unfit and not self.unseen and not self.blind:
            return household
        unseen = {name for name, object_id in household.ids.items() if object_id in self.unseen}
        blind = {
            (name, pose) for name, object_id in household.ids.items() for each, pose in self.blind if each == object_id
        }
        init = tuple(
            atom
            for atom in household.problem.init
            if not (atom[0] == "fits" and (atom[1], atom[2]) in self.unfit)
            and not (atom[0] == "near" and (atom[1] in unseen or (atom[1], atom[2]) in blind))
        )
        return replace(household, problem=replace(household.problem, init=init))


def ill_sliced(plan: Sequence[GroundAction], subgoals: Sequence[Subgoal], problem: Problem) -> frozenset[Pair]:
    """Return which items the plan should not carry where, so that it slices first and deals with the pieces then.

    These are what is cut at the very end, where it shall lie, and what is cut in a basin whose tap then runs by itself.
    """
    rinses = {atom[1] for atom in problem.init if atom[0] == "rinses"}
    rinsed = {atom[2] for atom in problem.init if atom[0] == "controls" and atom[1] in rinses}
    alone = any(subgoal.action == TOGGLE and subgoal.arguments[0] in rinses for subgoal in subgoals)
    last = subgoals[-2] if len(subgoals) > 1 else None
    carried = {action.arguments[:2] for action in plan if action.name == "put"}
    found: set[Pair] = set()
    for action in plan:
        if action.name != "slice" or (action.arguments[0], action.arguments[2]) not in carried:
            continue
        item, place = action.arguments[0], action.arguments[2]
        at_the_end = last is not None and last.action == SLICE and action in last.actions
        if at_the_end or (alone and place in rinsed):
            kind = _kind(place)
            found.update((atom[1], atom[2]) for atom in problem.init if atom[0] == "fits" and atom[1] == item
                         and _kind(atom[2]) == kind)  # fmt: skip
    return frozenset(found)


def _kind(name: str) -> str:
    return name.rsplit("_", 1)[0]


def switch_last(domain: Domain, problem: Problem, plan: Plan, subgoals: Sequence[Subgoal]) -> Plan:
    """Return a plan that ends in walking to a lamp with the lamp turned on there rather than before; else as it is."""
    if len(subgoals) < 2 or subgoals[-2].action != GOTO:
        return plan
    end = subgoals[-2].pose
    for number, action in enumerate(plan.actions):
        if action.name != "toggle-on":
            continue
        moved = GroundAction(action.name, (*action.arguments[:-1], end))
        actions = (*plan.actions[:number], *plan.actions[number + 1 :], moved)
        verdict = validate(domain, problem, without_detours(actions, problem))
        if verdict.valid:
            return replace(plan, actions=without_detours(actions, problem), cost=verdict.cost, optimal=False)
    return plan


def undivided(domain: Domain, problem: Problem, plan: Plan) -> Plan:
    """Return a plan whose rinsing, heating and cooling nothing interrupts; else as it is.

    A door that is opened between putting an item into a basin or an appliance and taking it out again is opened
    afterwards, or if that is not possible, before.
    """
    controls = {(atom[1], atom[2]) for atom in problem.init if atom[0] == "controls"}
    actions = list(plan.actions)
    for first in range(len(actions)):
        put = actions[first]
        if put.name != "put":
            continue
        item, place, pose = put.arguments
        last = first + 1
        while last < len(actions) and actions[last].name in _HANDLING and actions[last].arguments[-1] == pose:
            last += 1
        if last == len(actions) or actions[last].name != "pick-up" or actions[last].arguments[0] != item:
            continue
        between = actions[first + 1 : last]
        within = [one for one in between if one.arguments[0] == place or (one.arguments[0], place) in controls]
        others = [one for one in between if one not in within]
        if not others or not within:
            continue
        whole = [actions[first], *within, actions[last]]
        for ordered in ([*whole, *others], [*others, *whole]):
            tried = [*actions[:first], *ordered, *actions[last + 1 :]]
            if validate(domain, problem, tried).valid:
                actions = tried
                break
    return plan if tuple(actions) == plan.actions else replace(plan, actions=tuple(actions))


_HANDLING = ("open", "close", "toggle-on", "toggle-off")


def without_detours(actions: Sequence[GroundAction], problem: Problem) -> tuple[GroundAction, ...]:
    """Return actions with every run of go-tos as one, to where the last leads; none where it leads nowhere else."""
    here = next((atom[1] for atom in problem.init if atom[0] == "at"), "")
    there = here
    found: list[GroundAction] = []
    for action in actions:
        if action.name == "go-to":
            there = action.arguments[1]
            continue
        if there != here:
            found.append(GroundAction("go-to", (here, there)))
            here = there
        found.append(action)
    if there != here:
        found.append(GroundAction("go-to", (here, there)))
    return tuple(found)
