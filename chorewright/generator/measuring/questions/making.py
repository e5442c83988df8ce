"""All questions of a problem: so many of each kind, yes and no in turn, never the same twice.

Some have four answers to choose from; the right one stands in each place equally often.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.domains.pddl.syntax import Atom, Formula
from chorewright.domains.pddl.writer import write_formula
from chorewright.domains.rewriting import conjunction, conjuncts
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
    """Ask for the first step of a spoilt plan that cannot be done."""
    for plan in yes_no.spoilt_plans(situation, rng):
        done = len(situation.run(plan)) - 1
        if done == len(plan) or len(plan) < OPTIONS:
            continue
        right = done + 1
        others = sorted((n for n in range(1, len(plan) + 1) if n != right), key=lambda n: (abs(n - right), n))
        wrong = [str(number) for number in others[: OPTIONS - 1]]
        rng.shuffle(wrong)
        told = yes_no.sentence_about(situation, situation.states[0], goal=True)
        asked = f"{yes_no.number_wording(situation, plan)} Which step is the first that cannot be done?"
        options = place_answer(str(right), wrong, place)
        return ProblemQuestion("first wrong step", told, asked, options, str(right), {"plan": list(map(str, plan))})
    return None


def optimal_cost(situation: Situation, rng: np.random.Generator, place: int) -> ProblemQuestion | None:
    """Ask for the fewest steps to the goal, from the start or a state of the plan."""
    fewest = situation.fewest_steps()
    if fewest is None or fewest == 0 or fewest >= FAR:
        return None
    near = [fewest + offset for offset in (-2, -1, 1, 2, 3) if fewest + offset > 0]
    wrong = [str(near[int(index)]) for index in rng.choice(len(near), OPTIONS - 1, replace=False)]
    told = yes_no.sentence_about(situation, situation.states[0], goal=True)
    options = place_answer(str(fewest), wrong, place)
    asked = "How many steps does the shortest plan for the goal have?"
    return ProblemQuestion("optimal cost", told, asked, options, str(fewest), {})


def goal_recognition(situation: Situation, rng: np.random.Generator, place: int) -> ProblemQuestion | None:
    """Ask which goal an agent that wastes no step is after: all others would make its first steps a detour."""
    space = situation.space
    if space is None or len(space.states) < 2:
        return None
    goal = situation.problem.goal
    size = max(1, len(conjuncts(goal)))
    distances = situation.distances(goal)
    assert distances is not None
    if not 2 <= distances[0] < FAR:
        return None
    steps, at = _begin(situation, distances, rng, max(1, (distances[0] + 1) // 2))
    done = len(steps)
    changed = {atom[0] for atom in situation.atoms}
    asked_of = {part.predicate for part in conjuncts(goal) if isinstance(part, Atom)} & changed or changed
    wrong: list[Formula] = []
    for _ in range(60):
        state = space.states[yes_no.pick(rng, space.states)]
        atoms = sorted(atom for atom in state if atom[0] in asked_of and atom not in space.states[0])
        if not atoms:
            continue
        count = min(size, len(atoms))
        picked = [atoms[int(index)] for index in sorted(rng.choice(len(atoms), count, replace=False))]
        other = conjunction([Atom(atom[0], atom[1:]) for atom in picked])
        others = situation.distances(other)
        assert others is not None
        if others[0] < FAR and done + others[at] > others[0] and other not in wrong:
            wrong.append(other)
        if len(wrong) == OPTIONS - 1:
            break
    if len(wrong) < OPTIONS - 1:
        return None
    told = yes_no.sentence_about(situation, space.states[0])
    said = [situation.says.goal(each) for each in (goal, *wrong)]
    if len(set(said)) < OPTIONS:
        return None
    options = place_answer(said[0], said[1:], place)
    plan = yes_no.number_wording(situation, steps)
    so_far = plan.replace("This is a plan:", "Someone wastes no step and has done this so far:")
    asked = f"{so_far} Which is the goal?"
    goals = place_answer(_flat(goal), [_flat(each) for each in wrong], place)
    formal = {"plan": list(map(str, steps)), "goals": list(goals)}
    return ProblemQuestion("goal recognition", told, asked, options, said[0], formal)


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


def _flat(goal: Formula) -> str:
    return " ".join(write_formula(goal).split())


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


def questions_of(
    situation: Situation, name: str, style: QuestionStyle, places: Counter[str]
) -> Iterator[ProblemQuestion]:
    """Yield the questions of a problem.

    Args:
        situation: The problem with a plan.
        name: Its name; random numbers come from it and the style's seed alone.
        style: How many questions, and which.
        places: How many choices of each kind there are already: the places of right answers go in turn. It grows.
    """
    for kind in style.kinds:
        words = f"{style.seed} {kind} {name}".encode()
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(words).digest()[:8], "big"))
        seen: set[str] = set()
        for _ in range(1 if kind in ONCE else style.each):
            if kind in PAIRS:
                pair = PAIRS[kind](situation, rng)
                if pair is None or any(each.asked + each.told in seen for each in pair):
                    continue
                seen.update(each.asked + each.told for each in pair)
                yield from pair
            else:
                found = CHOICES[kind](situation, rng, places[kind] % OPTIONS)
                if found is not None and found.asked + found.told not in seen:
                    places[kind] += 1
                    seen.add(found.asked + found.told)
                    yield found
