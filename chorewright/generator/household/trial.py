"""A trial of a goal template: filled and run in several rooms, to tell its author what works and what does
not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.domains.library import (
    household_domain,
    household_vocabulary,
    shipped_domain,
    shipped_vocabulary,
)
from chorewright.domains.templates.fillings import count_fillings
from chorewright.domains.templates.goal_templates import GoalTemplate, candidates, instantiate
from chorewright.errors import UsageError
from chorewright.generator.alfred.benchmark import settings
from chorewright.generator.alfred.spawning import spawn_request
from chorewright.generator.calvin.goals import GoalChain, chain_to_goal
from chorewright.generator.household.compiling import initial_state_for, suitable_scene
from chorewright.generator.household.demonstration import Rejection, demonstrate
from chorewright.generator.household.possibilities import possible_choices, room_facts
from chorewright.planner.plan import Answer, Limits, OutOfLimits, Plan
from chorewright.planner.planning import solve
from chorewright.problems.handmethat.goals import NoInstance
from chorewright.problems.handmethat.states import DOMAIN as HANDMETHAT
from chorewright.problems.handmethat.states import problem_of
from chorewright.problems.tabletop.states import initial_states
from chorewright.problems.tabletop.tasks import CORRECT as TABLETOP
from chorewright.problems.thor.rooms import load_room, room_names
from chorewright.problems.thor.spawn import NoRoom, spawn
from chorewright.replay.thor.world import ThorWorld


@dataclass(frozen=True, slots=True)
class Attempt:
    """One room's trial; ``reason`` is empty if it was solved, replayed and all goal conditions held."""

    scene: str
    binding: tuple[tuple[str, str], ...]
    reason: str
    actions: int
    steps: int
    sentence: str


@dataclass(frozen=True, slots=True)
class TrialReport:
    """A trial's attempts, and how many rooms and fillings the template suits at all.

    Where ``places`` are ``scenes``, these were sampled so as to suit.
    """

    template: str
    rooms_suited: int
    fillings: int
    attempts: tuple[Attempt, ...]
    places: str = "rooms"

    @property
    def solved(self) -> int:
        """The number of attempts that succeeded."""
        return sum(not attempt.reason for attempt in self.attempts)

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """Why the others failed, most frequent first."""
        counts = Counter(attempt.reason for attempt in self.attempts if attempt.reason)
        return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def try_template(
    template: GoalTemplate, rooms: int, seed: int, tell: Callable[[Attempt], None] = lambda attempt: None
) -> TrialReport:
    """Fill a template in up to ``rooms`` of the rooms that suit it, spread evenly, and run it in each.

    Fillings are drawn so that kinds not seen yet come first. A task of HandMeThat is filled and planned
    for the human in sampled scenes, one of the tabletop from initial states.

    Raises:
        UsageError: the template ranges over objects, or no room suits it.
    """
    if any(slot.over_objects for slot in template.slots):
        raise UsageError(f"{template.name} has slots over objects; only slots over kinds can be tried in rooms")
    if template.domain == HANDMETHAT:
        return _try_in_scenes(template, rooms, seed, tell)
    if template.domain == TABLETOP:
        return _try_on_table(template, rooms, seed, tell)
    return _try_in_rooms(template, rooms, seed, tell)


def _try_in_rooms(template: GoalTemplate, rooms: int, seed: int, tell: Callable[[Attempt], None]) -> TrialReport:
    """Try a household task in iTHOR rooms."""
    vocabulary = household_vocabulary()
    facts = [room_facts(name) for name in room_names()]
    choices = possible_choices(template.name, template, vocabulary, facts)
    by_room: dict[str, list[tuple[tuple[str, str], ...]]] = {}
    for choice in choices:
        for name in choice.scenes:
            by_room.setdefault(name, []).append(choice.parameters)
    if not by_room:
        raise UsageError(
            f"no room has what {template.name} needs",
            hint="check its :rooms and :needs, and that the kinds of its slots occur together in a room",
        )
    suited = [name for name in room_names() if name in by_room]
    count = min(rooms, len(suited))
    rng = np.random.Generator(np.random.PCG64(seed))
    seen: Counter[tuple[str, str]] = Counter()
    attempts = []
    for number in range(count):
        name = suited[number * len(suited) // count]
        binding = _rarest(by_room[name], seen, rng)
        seen.update(binding)
        attempts.append(_try(template, name, binding, int(rng.integers(2**31))))
        tell(attempts[-1])
    return TrialReport(template.name, len(suited), len(choices), tuple(attempts))


def _rarest(
    bindings: Sequence[tuple[tuple[str, str], ...]],
    seen: Counter[tuple[str, str]],
    rng: np.random.Generator,
) -> tuple[tuple[str, str], ...]:
    order = rng.permutation(len(bindings))
    return bindings[min(order, key=lambda place: sum(seen[pair] for pair in bindings[place]))]


def _try(template: GoalTemplate, name: str, binding: tuple[tuple[str, str], ...], seed: int) -> Attempt:
    vocabulary = household_vocabulary()
    goal = instantiate(template, binding, vocabulary)
    sentence = goal.sentences[seed % len(goal.sentences)] if goal.sentences else ""
    room = load_room(name)
    try:
        request = spawn_request(room, goal.goal, vocabulary, settings().elsewhere)
        scene = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
    except NoRoom as error:
        return Attempt(name, binding, f"spawn: {error.message}", 0, 0, sentence)
    found = demonstrate(scene, goal, household_domain(), ThorWorld(), Limits(evaluations=settings().evaluations))
    if isinstance(found, Rejection):
        return Attempt(name, binding, str(found), 0, 0, sentence)
    missed = [condition for condition, met in found.conditions if not met]
    reason = f"goal: {', '.join(missed)} not met" if missed else ""
    return Attempt(name, binding, reason, len(found.plan.actions), len(found.actions), sentence)


def _try_in_scenes(template: GoalTemplate, count: int, seed: int, tell: Callable[[Attempt], None]) -> TrialReport:
    """Plan a task of HandMeThat in sampled scenes that suit it."""
    attempts = []
    for number in range(count):
        suited = suitable_scene(template, {}, (seed, number))
        if isinstance(suited, NoInstance):
            raise UsageError(f"no scene suits {template.name}: {suited.reason}")
        scene, goal, name = suited
        problem = problem_of(scene, goal.goal)
        answer = solve(shipped_domain(HANDMETHAT), problem, Limits(evaluations=settings().evaluations))
        actions = len(answer.actions) if isinstance(answer, Plan) else 0
        attempts.append(Attempt(name, goal.binding, _planless(answer), actions, actions, goal.sentences[0]))
        tell(attempts[-1])
    fillings = count_fillings(template, shipped_vocabulary(HANDMETHAT))
    return TrialReport(template.name, count, fillings, tuple(attempts), "scenes")


def _try_on_table(template: GoalTemplate, count: int, seed: int, tell: Callable[[Attempt], None]) -> TrialReport:
    """Plan a task of CALVIN's tabletop from initial states in which its goal does not hold yet."""
    vocabulary = shipped_vocabulary(TABLETOP)
    choices = candidates(template, vocabulary)
    if not choices:
        raise UsageError(f"nothing fills the slots of {template.name}")
    attempts = []
    for number in range(count):
        goal = instantiate(template, choices[number % len(choices)], vocabulary)
        start = initial_state_for(goal, (seed, number))
        answer = chain_to_goal(start, goal.goal, limits=Limits(evaluations=settings().evaluations))
        reason = "" if isinstance(answer, GoalChain) else _planless(answer)
        steps = len(answer.chain.sequence) if isinstance(answer, GoalChain) else 0
        attempts.append(Attempt(str(start), goal.binding, reason, steps, steps, goal.sentences[0]))
        tell(attempts[-1])
    return TrialReport(template.name, len(initial_states()), len(choices), tuple(attempts), "initial states")


def _planless(answer: Answer) -> str:
    """Say why there is no plan; empty if there is one."""
    if isinstance(answer, Plan):
        return ""
    return f"plan: {'out of ' + answer.limit.value if isinstance(answer, OutOfLimits) else answer.reason}"
