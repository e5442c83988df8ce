"""How often a plan handles things, and a plan in place of one that handles them more often than its goal asks for.

A cheapest plan counts actions and steps alike, and a search's plan may not be cheapest: it may pick an item up four
times, or park it behind a door. A demonstrator would not. Such a plan is asked for again where picking up and opening
cost more; of the plans found, the least odd one is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import (
    Action,
    AndEffect,
    Atom,
    Domain,
    Effect,
    Formula,
    IncreaseCost,
    Problem,
)
from chorewright.domains.rewriting import mentioned_types
from chorewright.files.lazily import Remembered
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.validation import validate

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


def needed_pick_ups(goal: Formula) -> int:
    """Return how often the goal may ask to pick up one item: once, and once more after each treatment."""
    asked = {part.predicate for part in subformulas(goal) if isinstance(part, Atom)}
    return 1 + sum(times for name, times in TREATED.items() if name in asked)


def oddities_of(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
    """Yield what a plan handles more often than its goal asks for, and what it leaves in unrelated places."""
    counts = Counter((action.name, action.arguments[0]) for action in plan if action.name in ("pick-up", "toggle-on"))
    most = {"pick-up": needed_pick_ups(problem.goal), "toggle-on": 2}
    for (name, thing), count in sorted(counts.items()):
        if count > most[name]:
            yield Oddity(name, thing, count)
    yield from _opened(plan, problem)
    yield from _parked(plan, problem)


def _opened(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
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


def _parked(plan: Sequence[GroundAction], problem: Problem) -> Iterator[Oddity]:
    """Yield what is put where only something else would be: behind a door, into an appliance or a vessel."""
    goal = problem.goal
    asked = {part.predicate for part in subformulas(goal) if isinstance(part, Atom)}
    named = set(mentioned_types(goal))
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
