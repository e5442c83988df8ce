"""All questions of a problem: so many of each kind, yes and no in turn, never the same twice.

Some have four answers to choose from; the right one stands in each place equally often.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from chorewright.domains.pddl.subformulas import conjuncts, rename
from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.pddl.writer import write_formula, write_formula_line
from chorewright.domains.rewriting import conjunction
from chorewright.files.stopping import Alarm, Stopped, promptly
from chorewright.generator.measuring.questions import yes_no
from chorewright.generator.measuring.questions.situation import FAR, ProblemQuestion, Situation
from chorewright.planner.plan import GroundAction

OPTIONS = 4


def place_answer(right: str, wrong: Sequence[str], place: int) -> tuple[str, ...]:
    """Return the options, the right one at a place."""
    options = list(wrong[: OPTIONS - 1])
    options.insert(place, right)
    return tuple(options)


def first_wrong_step(situation: Situation, rng: np.random.Generator, place: int) -> ProblemQuestion | None:
    """Ask for the first step of a spoilt plan that cannot be done.

    Each of the four steps could be the one: of plans that fail at each of them, one is drawn.
    """
    plans: dict[int, tuple[GroundAction, ...]] = {}
    for plan in yes_no.spoilt_plans(situation, rng):
        done, _ = situation.steps_run(plan)
        if done < len(situation.plan) - 1:
            plans.setdefault(done + 1, plan)
    if len(plans) < OPTIONS:
        return None
    known = sorted(plans)
    steps = [known[int(index)] for index in rng.choice(len(known), OPTIONS, replace=False)]
    right, wrong = steps[0], [str(number) for number in steps[1:]]
    told = yes_no.sentence_about(situation, situation.states[0], goal=True)
    asked = f"{yes_no.number_wording(situation, plans[right])} Which step is the first that cannot be done?"
    options = place_answer(str(right), wrong, place)
    formal = {"plan": list(map(str, plans[right]))}
    return ProblemQuestion("first wrong step", told, asked, options, str(right), formal)


def optimal_cost(situation: Situation, rng: np.random.Generator, place: int) -> ProblemQuestion | None:
    """Ask for the fewest steps to the goal; each of four successive numbers could be the one."""
    fewest = situation.fewest_steps()
    if fewest is None or not OPTIONS <= fewest < FAR:
        return None
    least = fewest - int(rng.integers(OPTIONS))
    wrong = [str(number) for number in range(least, least + OPTIONS) if number != fewest]
    rng.shuffle(wrong)
    told = yes_no.sentence_about(situation, situation.states[0], goal=True)
    options = place_answer(str(fewest), wrong, place)
    asked = "How many steps does the shortest plan for the goal have?"
    return ProblemQuestion("optimal cost", told, asked, options, str(fewest), {})


def goal_recognition(situation: Situation, rng: np.random.Generator, place: int) -> ProblemQuestion | None:
    """Ask which goal an agent that wastes no step is after: all others would make its first steps a detour.

    All four are the problem's goal with its objects exchanged, so that nothing but the steps tells them apart.
    """
    space = situation.space
    if space is None or len(space.states) < 2:
        return None
    for _ in range(TRIES):
        goal = _in_order(_exchange_objects(situation, situation.problem.goal, rng))
        distances = situation.distances(goal)
        assert distances is not None
        if 2 <= distances[0] < FAR:
            break
    else:
        return None
    steps, at = _begin(situation, distances, rng, max(1, (distances[0] + 1) // 2))
    wrong: list[Formula] = []
    for _ in range(TRIES):
        other = _in_order(_exchange_objects(situation, goal, rng))
        if other in (goal, *wrong):
            continue
        others = situation.distances(other)
        assert others is not None
        if 2 <= others[0] < min(FAR, len(steps) + others[at]):
            wrong.append(other)
        if len(wrong) == OPTIONS - 1:
            break
    said = [situation.says.goal(each) for each in (goal, *wrong)]
    if len(set(said)) < OPTIONS:
        return None
    told = yes_no.sentence_about(situation, space.states[0])
    options = place_answer(said[0], said[1:], place)
    plan = yes_no.number_wording(situation, steps)
    so_far = plan.replace("This is a plan:", "Someone wastes no step and has done this so far:")
    asked = f"{so_far} Which is the goal?"
    goals = place_answer(write_formula_line(goal), [write_formula_line(each) for each in wrong], place)
    formal = {"plan": list(map(str, steps)), "goals": list(goals)}
    return ProblemQuestion("goal recognition", told, asked, options, said[0], formal)


TRIES = 60
"""Goals that are tried at most as wrong ones."""


def _in_order(goal: Formula) -> Formula:
    """Return a goal with its parts in the order of their words."""
    return conjunction(sorted(conjuncts(goal), key=write_formula))


def _exchange_objects(situation: Situation, goal: Formula, rng: np.random.Generator) -> Formula:
    """Return a goal with objects of the same types exchanged."""
    names: dict[str, str] = {}
    for types in dict.fromkeys(each.types for each in situation.problem.objects):
        alike = [each.name for each in situation.problem.objects if each.types == types]
        names |= zip(alike, [alike[int(index)] for index in rng.permutation(len(alike))], strict=True)
    return rename(goal, names)


def _begin(
    situation: Situation, distances: list[int], rng: np.random.Generator, count: int
) -> tuple[list[GroundAction], int]:
    """Return the first steps of a shortest plan, and the state that they lead to."""
    assert situation.space is not None
    steps: list[GroundAction] = []
    at = 0
    while len(steps) < count:
        nearer = [(step, after) for step, after in situation.space.steps[at] if distances[after] == distances[at] - 1]
        step, at = nearer[yes_no.pick(rng, nearer)]
        steps.append(step)
    return steps, at


PAIRS: dict[str, Callable[[Situation, np.random.Generator], yes_no.Pair | None]] = {
    "applicability": yes_no.applicability,
    "next state": yes_no.next_state,
    "plan validity": yes_no.validity,
    "reachability": yes_no.reachability,
    "landmark": yes_no.landmark,
    "justification": yes_no.justification,
}
CHOICES: dict[str, Callable[[Situation, np.random.Generator, int], ProblemQuestion | None]] = {
    "first wrong step": first_wrong_step,
    "optimal cost": optimal_cost,
    "goal recognition": goal_recognition,
}
KINDS = (*PAIRS, *CHOICES)
ONCE = ("optimal cost",)
"""Kinds of which a problem has one question only."""


@dataclass(frozen=True, slots=True)
class QuestionStyle:
    """How many questions are made, and of which kinds; ``each`` counts pairs of yes and no, and single choices."""

    each: int = 2
    kinds: tuple[str, ...] = KINDS
    seed: int = 0


Made = TypeVar("Made")


@dataclass(slots=True)
class QuestionTime:
    """Seconds for one question, and for all, by the clock; None for no limit.

    Attributes:
        each: Seconds after which a question is left out.
        total: Seconds for all questions, from now on.
        left_out: How many were left out so far.
    """

    each: float | None = None
    total: float | None = None
    left_out: int = 0
    _started: float = field(default_factory=time.monotonic)

    def rest(self) -> float | None:
        """Return the seconds that are left for all; None if there is no limit.

        Raises:
            Stopped: None are left.
        """
        if self.total is None:
            return None
        seconds = self._started + self.total - time.monotonic()
        if seconds <= 0:
            raise Stopped
        return seconds

    def give(self, make: Callable[[], Made | None]) -> Made | None:
        """Make a question (or a pair of them) in the time for one; None where that is too short.

        Raises:
            Stopped: The time for all is over.
        """
        limits = [seconds for seconds in (self.each, self.rest()) if seconds is not None]
        if not limits:
            return make()
        with suppress(Stopped), Alarm(min(limits)) as alarm, promptly():
            found = make()
            if alarm.limit is None:
                return found
        self.rest()
        self.left_out += 1
        return None


def questions_of(
    situation: Situation, name: str, style: QuestionStyle, places: Counter[str], limit: QuestionTime | None = None
) -> Iterator[ProblemQuestion]:
    """Yield the questions of a problem.

    Args:
        situation: The problem with a plan.
        name: Its name; random numbers come from it and the style's seed alone.
        style: How many questions, and which.
        places: How many choices of each kind there are already: the places of right answers go in turn. It grows.
        limit: The time for it; none is set by default.

    Raises:
        Stopped: The time for all questions is over.
    """
    limit = limit or QuestionTime()
    for kind in style.kinds:
        words = f"{style.seed} {kind} {name}".encode()
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(words).digest()[:8], "big"))
        seen: set[str] = set()
        for _ in range(1 if kind in ONCE else style.each):
            if kind in PAIRS:
                pair = limit.give(partial(PAIRS[kind], situation, rng))
                if pair is None or any(each.asked + each.told in seen for each in pair):
                    continue
                seen.update(each.asked + each.told for each in pair)
                yield from pair
            else:
                found = limit.give(partial(CHOICES[kind], situation, rng, places[kind] % OPTIONS))
                if found is not None and found.asked + found.told not in seen:
                    places[kind] += 1
                    seen.add(found.asked + found.told)
                    yield found
