"""What a demonstrator would do otherwise than a cheapest plan: where to stand to see, where to slice, when to switch.

A cheapest plan may slice an item where it shall lie in the end, or in a basin and rinse the pieces there, or turn a
lamp on before it fetches what shall be looked at. All that reaches the goal, and none of ALFRED's demonstrators does
it. Such a plan is asked for again with less allowed, or put in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.planner.plan import GroundAction, Plan
from chorewright.planner.validation import validate
from chorewright.problems.household.problem import HouseholdProblem
from chorewright.problems.household.scene import Pose
from chorewright.rsa.household.segments import GOTO, SLICE, TOGGLE, Subgoal

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

    def restricted(self, household: HouseholdProblem) -> HouseholdProblem:
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


def switched_last(domain: Domain, problem: Problem, plan: Plan, subgoals: Sequence[Subgoal]) -> Plan:
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
