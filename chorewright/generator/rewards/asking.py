"""Questions as tasks: the kinds of ``measuring.questions``, each with its right answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

from chorewright.domains.pddl.syntax import TRUE, Domain, Problem
from chorewright.errors import UsageError
from chorewright.files.lazily import Remembered
from chorewright.generator.measuring.questions.export import LETTERS, prompt_of
from chorewright.generator.measuring.questions.making import KINDS, PAIRS, QuestionStyle, questions_of
from chorewright.generator.measuring.questions.rules import rules_text
from chorewright.generator.measuring.questions.situation import YES_NO, ProblemQuestion, Situation
from chorewright.generator.rewards.answers import UnclearAnswer, answer_in, lower
from chorewright.generator.rewards.drawing import ProblemKey, SolvedProblem, random_numbers, split_of, told_key
from chorewright.generator.rewards.plans import DrawnKind
from chorewright.generator.rewards.prompts import answer_format
from chorewright.generator.rewards.task import Facts, RewardTask, Score, refusal

ASKED = {kind.replace(" ", "-"): kind for kind in KINDS}
"""The kinds of questions by the names of their tasks."""

MOST_PROBLEMS = 100
"""Problems that are drawn at most for the questions of a round: not each gives rise to one of each kind."""

ROUND = 4
"""So many tasks of successive numbers are made together: to list a problem's states takes longer than to ask."""

MOST_LISTED = 1_000
"""Reachable states that are listed; of problems with more, what a relaxation or a short search proves is asked."""

EVALUATIONS = 50
"""What such a search may evaluate."""


ABOUT_STATES = ("applicability", "next-state")
"""Questions that tell a state on the way, and no goal."""

ABOUT_STARTS = ("reachability", "goal-recognition")
"""Questions that tell the start, and no goal."""

MOST_STATES = 6
"""Pairs of questions about states of one problem of which those of the split are taken."""


def _start_key(domain: Domain, problem: Problem) -> str:
    return told_key(domain, replace(problem, goal=TRUE))


def _state_key(solved: SolvedProblem, question: ProblemQuestion) -> str:
    state: Any = question.formal["state"]
    init = tuple(tuple(atom) for atom in state if atom[0] != "=")
    return _start_key(solved.domain, replace(solved.problem, init=init))


Asked: TypeAlias = tuple[SolvedProblem, ProblemQuestion]
"""A question and what it is about."""

MOST_KEPT = 64

_RULES: Remembered[str] = Remembered(64)


def _rules(solved: SolvedProblem) -> str:
    """Return the rules of a problem's domain; those of the last domains are remembered."""
    return _RULES.of(solved.domain, None, lambda: rules_text(solved.domain, solved.wordings))


@dataclass(frozen=True, kw_only=True)
class QuestionKind(DrawnKind):
    """Answer a question about a problem; the class of a kind of questions names it."""

    _made: dict[tuple[int, int], list[Asked]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def task(self, seed: int, index: int) -> RewardTask:
        key = seed, index // ROUND
        made = self._made.get(key)
        if made is None:
            made = self._ask(*key)
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            self._made[key] = made
        solved, question = made[index % ROUND]
        prompt = [answer_format("question", options=_ways(question.options))]
        prompt.append(prompt_of(question, _rules(solved)))
        facts = {"options": list(question.options), "answer": question.answer}
        more = {"options": float(len(question.options))}
        return self._task(solved, f"{seed}/{index}", prompt, question.answer, facts, **more)

    def _ask(self, seed: int, number: int) -> list[Asked]:
        """Return the questions of a round, in any order, as many of a problem as there are."""
        kind = ASKED[self.name]
        rng = random_numbers(self.name, "question", seed, number)
        made: list[Asked] = []
        for tried in range(MOST_PROBLEMS):
            solved = self.draws.draw(f"{self.name} {tried}", seed, number, self._key)
            if solved.domain.durative_actions:
                raise UsageError(f"there are no questions about durative actions: {solved.domain.name}")
            situation = Situation(
                solved.domain, solved.problem, solved.plan.actions, solved.wordings, MOST_LISTED, EVALUATIONS
            )
            style = QuestionStyle(self._each(kind), (kind,), int(rng.integers(2**31)))
            places = Counter({kind: int(rng.integers(len(LETTERS)))})
            made += [
                (solved, question)
                for question in questions_of(situation, f"{seed}-{number}", style, places)
                if self._key or split_of(_state_key(solved, question)) == self.split
            ][: ROUND - len(made)]
            if len(made) == ROUND:
                return [made[int(each)] for each in rng.permutation(ROUND)]
        raise UsageError(f"no problem gives rise to a question of the kind {kind}", hint="choose other domains")

    def _each(self, kind: str) -> int:
        """How many pairs or choices are made of a problem."""
        return MOST_STATES if self._key is None else ROUND // 2 if kind in PAIRS else ROUND

    @property
    def _key(self) -> ProblemKey | None:
        """What questions that are equal but for names share: what is told of their problems; None for states."""
        return None if self.name in ABOUT_STATES else _start_key if self.name in ABOUT_STARTS else told_key

    def score(self, facts: Facts, completion: object) -> Score:
        try:
            text, _ = answer_in(completion)
        except UnclearAnswer as error:
            return refusal(f"{error}.")
        options: Sequence[str] = facts["options"]
        meant = _option(text, options)
        if meant is None:
            return refusal(f"The answer is none of the options: write {_ways(options)}.")
        right = meant == facts["answer"]
        why = "The answer is right." if right else f"The right answer is: {facts['answer']}"
        return Score(float(right), {"right": float(right)}, why.rstrip(".") + ".")


def _ways(options: Sequence[str]) -> str:
    return "yes or no" if tuple(options) == YES_NO else f"the letter of an option, {', '.join(LETTERS[: len(options)])}"


def _option(text: str, options: Sequence[str]) -> str | None:
    """Return which option an answer means, by its words or its letter; None for none, or for two."""
    said = _plain(text)
    if tuple(options) != YES_NO:
        letter = re.fullmatch(r"\(?([a-z])\)?[.):]?(?: (.*))?", said)
        place = LETTERS.lower().find(letter[1]) if letter else -1
        if letter and 0 <= place < len(options) and (letter[2] is None or letter[2] == _plain(options[place])):
            return options[place]
    found = [option for option in options if _plain(option) == said]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return " ".join(lower(text).split()).rstrip(".!")


@dataclass(frozen=True, kw_only=True)
class ApplicabilityKind(QuestionKind):
    name: ClassVar[str] = "applicability"


@dataclass(frozen=True, kw_only=True)
class NextStateKind(QuestionKind):
    name: ClassVar[str] = "next-state"


@dataclass(frozen=True, kw_only=True)
class PlanValidityKind(QuestionKind):
    name: ClassVar[str] = "plan-validity"


@dataclass(frozen=True, kw_only=True)
class ReachabilityKind(QuestionKind):
    name: ClassVar[str] = "reachability"


@dataclass(frozen=True, kw_only=True)
class LandmarkKind(QuestionKind):
    name: ClassVar[str] = "landmark"


@dataclass(frozen=True, kw_only=True)
class JustificationKind(QuestionKind):
    name: ClassVar[str] = "justification"


@dataclass(frozen=True, kw_only=True)
class FirstWrongStepKind(QuestionKind):
    name: ClassVar[str] = "first-wrong-step"


@dataclass(frozen=True, kw_only=True)
class OptimalCostKind(QuestionKind):
    name: ClassVar[str] = "optimal-cost"


@dataclass(frozen=True, kw_only=True)
class GoalRecognitionKind(QuestionKind):
    name: ClassVar[str] = "goal-recognition"
