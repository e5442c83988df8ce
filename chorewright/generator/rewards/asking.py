"""Questions as tasks: the kinds of ``measuring.questions``, each with its right answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import inf
from typing import ClassVar, TypeAlias

import numpy as np

from chorewright.domains.pddl.syntax import TRUE, Domain, Problem
from chorewright.errors import UsageError
from chorewright.files.english import say_list
from chorewright.files.lazily import Remembered
from chorewright.generator.measuring.questions.export import LETTERS, prompt_of
from chorewright.generator.measuring.questions.making import KINDS, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.measuring.questions.situation import YES_NO, ProblemQuestion, Situation
from chorewright.generator.rewards import drawing
from chorewright.generator.rewards.answers import answer_in, plain, reads_answer
from chorewright.generator.rewards.plans import DrawnKind
from chorewright.generator.rewards.task import Facts, RewardTask, Score, refusal
from chorewright.problems.pddl.scenes import told_key

ASKED = {kind.replace(" ", "-"): kind for kind in KINDS}
"""The kinds of questions by the names of their tasks."""

MOST_PROBLEMS = 100
"""Problems that are drawn at most for the questions of a round: not each gives rise to one of each kind."""

ROUND = 8
"""So many tasks of successive numbers are made together: to list a problem's states takes longer than to ask."""

MOST_LISTED = 1_000
"""Reachable states that are listed; of problems with more, what a relaxation proves is asked."""

TRIES = 12
"""Problems of a domain that are drawn to see whether a third of them give rise to questions of a kind."""

ABOUT_STATES = ("applicability", "next-state")
"""Questions that tell a state on the way, and no goal."""

ABOUT_STARTS = ("reachability", "goal-recognition")
"""Questions that tell the start, and no goal."""

MOST_STATES = 6
"""Pairs of questions about states of one problem."""


def _start_key(domain: Domain, problem: Problem) -> str:
    return told_key(domain, replace(problem, goal=TRUE))


Asked: TypeAlias = tuple[drawing.SolvedProblem, ProblemQuestion]
"""A question and what it is about."""

MOST_KEPT = 64

_RULES: Remembered[str] = Remembered(64)


def _rules(solved: drawing.SolvedProblem) -> str:
    """Return the rules of a problem's domain; those of the last domains are remembered."""
    return _RULES.of(solved.domain, None, lambda: rules_text(solved.domain, solved.wordings))


@dataclass(frozen=True, kw_only=True)
class QuestionKind(DrawnKind):
    """Answer a question about a problem; the class of a kind of questions names it."""

    evaluations: ClassVar[int] = 500
    each: ClassVar[int] = ROUND
    """How many pairs or choices are made of a problem."""
    later: ClassVar[int] = 0
    """How many questions are about starts on the way of a problem's plan."""
    _made: Remembered[list[Asked]] = field(
        default_factory=lambda: Remembered(MOST_KEPT), init=False, repr=False, compare=False
    )

    def task(self, seed: int, index: int) -> RewardTask:
        key = seed, index // ROUND
        solved, question = self._made.of(self, key, lambda: self._ask(*key))[index % ROUND]
        prompt = [drawing.answer_format("question", options=_ways(question.options))]
        prompt.append(prompt_of(question, _rules(solved)))
        facts = {"options": list(question.options), "answer": question.answer}
        more = {"options": float(len(question.options))}
        letter = LETTERS[question.options.index(question.answer)]
        gold = question.answer if question.options == YES_NO else letter
        return self._task(solved, f"{seed}/{index}", prompt, gold, facts, **more)

    @cached_property
    def _names(self) -> dict[str, float]:
        """The domains with such questions, as far as some tries can say; one alone is not tried.

        Of each, how many objects are too many: from there on no problem that was tried gave a question.
        """
        names = self.draws.names
        tried = {name: inf if len(names) == 1 else self._limit(name) for name in names}
        return {name: limit for name, limit in tried.items() if limit}

    def _limit(self, name: str) -> float:
        sizes: dict[bool, list[int]] = {True: [], False: []}
        for tried in range(TRIES):
            rng = drawing.random_numbers(self.name, "try", name, self.band, tried)
            with suppress(UsageError):
                solved = self.draws.draw_of(name, rng, self._key)
                sizes[any(self._questions(solved, f"{tried}", rng))].append(len(solved.problem.objects))
            if 3 * len(sizes[True]) >= TRIES:
                return min((each for each in sizes[False] if each > max(sizes[True])), default=inf)
        return 0

    def _ask(self, seed: int, number: int) -> list[Asked]:
        """Return the questions of a round, in any order, as many of a problem as there are."""
        rng = drawing.random_numbers(self.name, "question", seed, number)
        made: list[Asked] = []
        for tried in range(MOST_PROBLEMS if self._names else 0):
            solved = self.draws.draw(f"{self.name} {tried}", seed, number, self._key, self._names)
            later = self.draws.later(solved, rng) if self.later else ()
            for problems, most in (((solved,), ROUND), (later, self.later)):
                found = ((each, asked) for each in problems for asked in self._questions(each, f"{seed}-{number}", rng))
                made += islice(found, min(most, ROUND - len(made)))
            if len(made) == ROUND:
                return [made[int(each)] for each in rng.permutation(ROUND)]
        raise UsageError(
            f"no problem gives rise to a question of the kind {ASKED[self.name]}", hint="choose other domains"
        )

    def _questions(
        self, solved: drawing.SolvedProblem, name: str, rng: np.random.Generator
    ) -> Iterator[ProblemQuestion]:
        """Yield what is asked about a problem."""
        if solved.domain.durative_actions:
            raise UsageError(f"there are no questions about durative actions: {solved.domain.name}")
        kind, domain, problem = ASKED[self.name], solved.domain, solved.problem
        shortest = solved.plan.optimal and not problem.minimize_cost and problem.metric is None
        about = domain, problem, solved.plan.actions, solved.wordings
        asks = (
            None
            if self._key
            else lambda state: drawing.split_of(_start_key(domain, drawing.begin_at(problem, state))) == self.split
        )
        situation = Situation(*about, MOST_LISTED, evaluations=0, shortest=shortest, asks=asks)
        style = QuestionStyle(self.each, (kind,), int(rng.integers(2**31)))
        places = Counter({kind: int(rng.integers(len(LETTERS)))})
        yield from questions_of(situation, name, style, places)

    @property
    def _key(self) -> drawing.ProblemKey | None:
        """What questions that are equal but for names share: what is told of their problems; None for states."""
        return None if self.name in ABOUT_STATES else _start_key if self.name in ABOUT_STARTS else told_key

    @reads_answer
    def score(self, facts: Facts, completion: object) -> Score:
        text, _ = answer_in(completion)
        options: Sequence[str] = facts["options"]
        meant = _option(text, options)
        if meant is None:
            return refusal(f"The answer is none of the options: write {_ways(options)}.")
        right = meant == facts["answer"]
        return Score(float(right), {"right": float(right)}, f"The answer is {'right' if right else 'wrong'}.")


def _ways(options: Sequence[str]) -> str:
    letters = say_list(LETTERS[: len(options)], "or")
    return "yes or no" if tuple(options) == YES_NO else f"the letter of an option, {letters}"


def _option(text: str, options: Sequence[str]) -> str | None:
    """Return which option an answer means, by its words or its letter; None for none, or for two."""
    said = plain(text)
    if tuple(options) != YES_NO:
        letter = re.fullmatch(r"(?:option |choice )?\(?([a-z])\)?[.):]?(?: (.*))?", said)
        place = LETTERS.lower().find(letter[1]) if letter else -1
        if letter and 0 <= place < len(options) and (letter[2] is None or letter[2] == plain(options[place])):
            return options[place]
    found = [option for option in options if plain(option) == said]
    return found[0] if len(found) == 1 else None


class ApplicabilityKind(QuestionKind):
    name: ClassVar[str] = "applicability"
    each: ClassVar[int] = MOST_STATES


class NextStateKind(QuestionKind):
    name: ClassVar[str] = "next-state"
    each: ClassVar[int] = MOST_STATES


class PlanValidityKind(QuestionKind):
    name: ClassVar[str] = "plan-validity"
    each: ClassVar[int] = ROUND // 2


class ReachabilityKind(QuestionKind):
    name: ClassVar[str] = "reachability"
    each: ClassVar[int] = ROUND // 2


class LandmarkKind(QuestionKind):
    name: ClassVar[str] = "landmark"


class JustificationKind(QuestionKind):
    name: ClassVar[str] = "justification"
    each: ClassVar[int] = ROUND // 2


class FirstWrongStepKind(QuestionKind):
    name: ClassVar[str] = "first-wrong-step"


class OptimalCostKind(QuestionKind):
    name: ClassVar[str] = "optimal-cost"
    optimal: ClassVar[bool] = True
    evaluations: ClassVar[int] = 5_000
    later: ClassVar[int] = 1


class GoalRecognitionKind(QuestionKind):
    name: ClassVar[str] = "goal-recognition"
