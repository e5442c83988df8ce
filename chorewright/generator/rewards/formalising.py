"""Problems to be written as PDDL of an English text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from chorewright.domains.formulas import conjuncts
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Atom, Problem
from chorewright.errors import ChorewrightError
from chorewright.generator.measuring.descriptions import LEVELS, describe
from chorewright.generator.rewards.answers import answer_in, lower, reads_answer
from chorewright.generator.rewards.drawing import opening, phrases, random_numbers
from chorewright.generator.rewards.plans import DrawnKind, read_problem
from chorewright.generator.rewards.task import PARTIAL, Facts, RewardTask, Score, check_choice, refusal
from chorewright.planner.equivalence import ComparisonEffort, Likeness, compare_problems
from chorewright.planner.plan import Limits

LIMITS = Limits(evaluations=50)
"""What each search for a difference may use."""

EFFORT = ComparisonEffort(states=500, operators=500, renamings=50, tries=5_000, searches=2, literals=25_000)
"""What a comparison may do."""

_DEFINE = re.compile(r"\(\s*define\b")
LETTERS = 10_000
MOST_LETTERS = 10
"""An answer may have so many times the letters of the right one, and ``LETTERS`` in any case."""

MOST_OBJECTS = 3
"""A problem may have so many times the objects that it should have; one with more is not compared."""


@dataclass(frozen=True, kw_only=True)
class FormaliseKind(DrawnKind):
    """Write a problem that is told in English as PDDL; two tasks tell a problem in two ways.

    Attributes:
        level: How it is told, one of ``LEVELS``; by default one is drawn for each task.
    """

    name: ClassVar[str] = "formalise"
    level: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("level", self.level or LEVELS[0], LEVELS)

    def task(self, seed: int, index: int) -> RewardTask:
        shared = index if self.level else index // 2
        solved = self.draws.draw_again(self.name, seed, shared)
        rng = random_numbers(self.name, "prompt", seed, index)
        first = int(random_numbers(self.name, "level", seed, shared).integers(len(LEVELS)))
        level = self.level or LEVELS[(first + index % 2) % len(LEVELS)]
        said = describe(solved.domain, solved.problem, level, solved.wordings)
        parts = [*opening(self.name, "formalise", rng), phrases()["domain"], solved.source.text.strip()]
        parts += [phrases()["problem"], said]
        facts = {"domain": solved.source.text, "problem": solved.text}
        return self._task(solved, f"{seed}/{index}", parts, solved.text.strip(), facts)

    @reads_answer
    def score(self, facts: Facts, completion: object) -> Score:
        text, _ = answer_in(completion)
        most = max(LETTERS, MOST_LETTERS * len(facts["problem"]))
        if len(text) > most:
            return refusal(f"The problem is longer than {most:,} letters.")
        if len(_DEFINE.findall(lower(text))) != 1:
            return refusal("One problem is expected: (define (problem ...) ...).")
        domain, wanted = read_problem(facts)
        try:
            given = parse_problem(text, domain)
        except (ChorewrightError, RecursionError) as error:
            first = str(error).splitlines()[0] if str(error) else "it is nested too deeply"
            return Score(0.0, {"read": 0.0}, f"The problem cannot be read: {first.rstrip('.')}.")
        likeness = _likeness(wanted, given)
        if len(given.objects) > MOST_OBJECTS * max(1, len(wanted.objects)):
            return Score(0.0, likeness, "The problem has far more objects than it should have.")
        said = compare_problems(domain, wanted, given, LIMITS, EFFORT)
        if said.likeness is Likeness.EQUIVALENT:
            return Score(1.0, {**likeness, "equivalent": 1.0}, f"The problem is right: {said.reason}.")
        reward = PARTIAL * likeness["start"] * likeness["goal"]
        verb = "is not" if said.likeness is Likeness.DIFFERENT else "may not be"
        why = f"The problem {verb} the one that was told: {said.reason}."
        return Score(reward, {**likeness, "equivalent": 0.0}, why)


def _likeness(wanted: Problem, given: Problem) -> dict[str, float]:
    """Return how much of start and goal agrees, as F1 of atoms without the objects' names, but with their types."""
    return {
        "read": 1.0,
        "start": _f1(_shapes(wanted), _shapes(given)),
        "goal": _f1(_goal_shapes(wanted), _goal_shapes(given)),
    }


def _shapes(problem: Problem) -> Counter[Hashable]:
    types: Mapping[str, Hashable] = {each.name: each.types for each in problem.objects}
    return Counter((atom[0], *(types.get(name, name) for name in atom[1:])) for atom in problem.init)


def _goal_shapes(problem: Problem) -> Counter[Hashable]:
    types: Mapping[str, Hashable] = {each.name: each.types for each in problem.objects}
    found: Counter[Hashable] = Counter()
    for part in conjuncts(problem.goal):
        atoms = [each for each in subformulas(part) if isinstance(each, Atom)]
        names = tuple((each.predicate, *(types.get(term, term) for term in each.terms)) for each in atoms)
        found[(type(part).__name__, names)] += 1
    return found


def _f1(wanted: Counter[Hashable], given: Counter[Hashable]) -> float:
    common = sum((wanted & given).values())
    return 2 * common / (sum(wanted.values()) + sum(given.values())) if common else 0.0
