"""Problems drawn for tasks: from shipped templates or the user's, each with a plan, in one of two splits; and prompts.

A problem's split follows from its key, which problems share that differ in nothing but names. So no problem of the
evaluation split is a renamed one of the training split, whatever the seeds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from math import inf
from typing import Any, TypeAlias

import numpy as np

from chorewright.domains.pddl.syntax import Domain, Problem, State
from chorewright.domains.pddl.writer import write_problem
from chorewright.domains.phrases import Wordings
from chorewright.errors import UsageError
from chorewright.files.english import require_known
from chorewright.files.lazily import Remembered
from chorewright.files.records import reader_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.measuring.descriptions import describe
from chorewright.generator.measuring.questions.rules import forms_text, rules_text
from chorewright.generator.pddl.sources import ProblemSource, read_domain, read_template, source_of
from chorewright.generator.rewards.task import check_choice
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.progression import states_along
from chorewright.planner.search.configuration import DEFAULT, OPTIMAL, Configuration
from chorewright.problems.pddl.rules import Band
from chorewright.problems.pddl.scenes import NoScene, renaming_key, told_key
from chorewright.problems.pddl.template_files import classic_names
from chorewright.rsa.words.verbaliser import Verbaliser

SPLITS = ("train", "eval")
STYLES = ("pddl", "english", "both")
EVAL_SHARE = 5
"""One key of so many belongs to the evaluation split."""

MOST_DRAWS = 2_000
"""Problems that are drawn at most for one task."""

GOALS = 8
"""Goals that are drawn at most for a start: to draw another start takes longer."""

MOST_TRIES = 300
"""Problems that are drawn to see whether a domain has any of a split."""


ProblemKey: TypeAlias = Callable[[Domain, Problem], str]
"""A text that problems share for which the same may be asked, but for names."""


def split_of(key: str) -> str:
    """Return the split of what has a key."""
    return SPLITS[hashlib.sha256(key.encode()).digest()[0] % EVAL_SHARE == 0]


def begin_at(problem: Problem, state: State) -> Problem:
    """Return a problem that begins in a state; its values are as before."""
    return replace(problem, init=tuple(atom for atom in sorted(state) if atom[0] != "="))


def random_numbers(*words: object) -> np.random.Generator:
    """Return a generator that depends on some words alone."""
    digest = hashlib.sha256(" ".join(map(str, words)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


@dataclass(frozen=True)
class SolvedProblem:
    """A problem with a plan.

    Attributes:
        name: What its domain was asked for by.
        source: What it was drawn from.
        problem: The problem.
        plan: The best plan that is known.
        band: The template's band that its cost is in; empty if in none.
    """

    name: str
    source: ProblemSource
    problem: Problem
    plan: Plan
    band: str

    @property
    def domain(self) -> Domain:
        return self.source.domain

    @property
    def wordings(self) -> Wordings:
        return self.source.says.wordings

    @property
    def key(self) -> str:
        """What problems share that differ in nothing but names."""
        return renaming_key(self.domain, self.problem)

    @cached_property
    def text(self) -> str:
        """The problem as PDDL."""
        return write_problem(self.problem)

    def say(self, style: str) -> str:
        """Return the problem with its domain in one of ``STYLES``: as PDDL, in English, or both."""
        said, parts = phrases(), []
        if style != "english":
            parts += [said["domain"], self.source.text.strip(), said["problem"], self.text.strip()]
        if style != "pddl":
            parts += [said["rules"], rules_text(self.domain, self.wordings), said["problem"]]
            parts.append(describe(self.domain, self.problem, "grouped", self.wordings))
        if style == "english":
            says = Verbaliser.of(self.domain, self.problem.objects, self.wordings)
            things = (*self.domain.constants, *self.problem.objects)
            names = "\n".join(f"{each.name}: {says.name(each.name)}" for each in things)
            parts += [said["actions"], forms_text(self.domain), said["objects"], names]
        return "\n\n".join(parts)


@dataclass(frozen=True)
class ProblemDraws:
    """Where problems come from.

    Attributes:
        domain: Shipped domains' names, or a domain's file with its template beside it; all shipped ones by default.
        template: A template's file, or a shipped one's name, if it is not the domain's.
        band: Only problems whose plans cost what this band of the template says.
        split: One of ``SPLITS``.
        optimal: Whether plans are proven to be of least cost.
        evaluations: What the planner may evaluate for a plan; of problems that need more no tasks are made.
    """

    domain: str | Sequence[str] = ()
    template: str = ""
    band: str = ""
    split: str = "train"
    optimal: bool = False
    evaluations: int = 5_000
    _known: dict[str, ProblemSource] = field(default_factory=dict, init=False, repr=False, compare=False)
    _last: Remembered[SolvedProblem] = field(default_factory=Remembered, init=False, repr=False, compare=False)

    def check(self) -> None:
        """Check all that can be said wrong.

        Raises:
            UsageError: There is no such split, domain, template or band.
            InputErrors: A file has errors.
        """
        check_choice("split", self.split, SPLITS)
        for name in self.names if self.domain or self.band or self.template else ():
            self.source(name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The domains."""
        named = (self.domain,) if isinstance(self.domain, str) else tuple(self.domain)
        return tuple(filter(None, named)) or classic_names()

    def bands(self) -> tuple[str, ...]:
        """Return the bands that all domains' templates have, in the order of the first one."""
        sources = [self.source(name) for name in self.names]
        known = [[band.name for band in each.template.bands] if each.template else [] for each in sources]
        return tuple(name for name in known[0] if all(name in each for each in known))

    def source(self, name: str) -> ProblemSource:
        """Return what problems of a domain are drawn from.

        Raises:
            UsageError: There is no such domain, template or band.
            InputErrors: A file has errors.
        """
        if name not in self._known:
            domain = read_domain([name])
            template = read_template([self.template]) if self.template else None
            files = (*domain.files, *(template.files if template else ()))
            found = _read_source(files, domain.values[0], template.values[0] if template else "")
            if self.band:
                _band(found, self.band)
            self._known[name] = found
        return self._known[name]

    def draw(
        self,
        kind: str,
        seed: int,
        index: int,
        key: ProblemKey | None = told_key,
        names: Mapping[str, float] | None = None,
    ) -> SolvedProblem:
        """Return the problem of a task.

        Args:
            kind: The kind of tasks.
            seed: Other problems for each.
            index: Which task.
            key: Says by which key a problem belongs to a split; None if it belongs to both.
            names: The only domains to draw from, and how many objects are too many of each; all by default.

        Raises:
            UsageError: There is no such problem that the planner solves within its limits.
        """
        rng = random_numbers(kind, seed, index)
        name = self._choose(self.names if names is None else tuple(names), rng, key)
        return self.draw_of(name, rng, key, inf if names is None else names[name])

    def draw_again(self, kind: str, seed: int, index: int) -> SolvedProblem:
        """Return what ``draw`` returns; the last problems are kept for other tasks about them."""
        return self._last.of(self, (kind, seed, index), lambda: self.draw(kind, seed, index))

    def draw_twice(self, kind: str, seed: int, index: int) -> SolvedProblem:
        """Return what ``draw`` returns; of two tasks about a problem the second begins on the way of the first plan."""
        first = self.draw_again(kind, seed, index // 2)
        rng = random_numbers(kind, "later", seed, index)
        later = self.later(first, rng) if index % 2 else iter((first,))
        return next(later, None) or self.draw(f"{kind} alone", seed, index)

    def later(self, solved: SolvedProblem, rng: np.random.Generator) -> Iterator[SolvedProblem]:
        """Yield problems that begin on the way of a plan and are solved by its rest, in any order.

        At least half of the plan is left. There are none where actions have costs or change numbers, or where atoms
        are derived.
        """
        domain, problem, actions = solved.domain, solved.problem, solved.plan.actions
        if domain.axioms or problem.values or problem.metric is not None:
            return
        states = states_along(domain, problem, actions)
        for at in map(int, rng.permutation(len(actions) // 2) + 1):
            begun = begin_at(problem, states[at])
            cost = solved.plan.cost - at
            band = _band(solved.source, solved.band) if solved.band else None
            if (band is None or band.includes(cost)) and split_of(told_key(domain, begun)) == self.split:
                plan = replace(solved.plan, actions=actions[at:], cost=cost)
                yield replace(solved, problem=begun, plan=plan)

    def draw_of(self, name: str, rng: np.random.Generator, key: ProblemKey | None, limit: float = inf) -> SolvedProblem:
        """Return a problem of a domain; see ``draw``."""
        source = self.source(name)
        for problem, band in islice(self._scenes(source, rng, key), MOST_DRAWS):
            if problem is None or len(problem.objects) >= limit:
                continue
            if key is not None and split_of(key(source.domain, problem)) != self.split:
                continue
            plan = self._solve(source.domain, problem)
            if plan is None or not plan.actions or (band is not None and not band.includes(plan.cost)):
                continue
            return SolvedProblem(name, source, problem, plan, band.name if band else "")
        where = f" of band {self.band}" if self.band else ""
        raise UsageError(
            f"no problem of {name}{where} for the split {self.split} was found in {MOST_DRAWS:,} draws",
            hint="choose another band, or a template with more room",
        )

    def _choose(self, names: Sequence[str], rng: np.random.Generator, key: ProblemKey | None) -> str:
        """Return a domain that has problems of the split."""
        left = list(names)
        while left:
            name = left.pop(int(rng.integers(len(left))))
            if key is None or self._has(name, key):
                return name
        raise UsageError(
            f"no problem of {', '.join(names)} is of the split {self.split}: too few differ in more than names",
            hint="choose another domain or band, or a template with more room",
        )

    def _has(self, name: str, key: ProblemKey) -> bool:
        """Whether a domain has problems of the split, as far as some tries can say; the tries are always the same."""
        source = self.source(name)

        def look() -> bool:
            rng = random_numbers("split", name, self.band)
            drawn = islice(self._scenes(source, rng, key), MOST_TRIES)
            keys = (key(source.domain, problem) for problem, _ in drawn if problem is not None)
            return any(split_of(each) == self.split for each in keys)

        return _ROOMS.of(source, (name, self.band, self.split, key), look)

    def _scenes(
        self, source: ProblemSource, rng: np.random.Generator, key: ProblemKey | None
    ) -> Iterator[tuple[Problem | None, Band | None]]:
        """Yield problems and the bands that they were drawn for, without end; no problem if there is none by a seed.

        Goals are drawn anew, several for a start, if the key tells them apart.
        """
        assert source.drawer is not None
        assert source.template is not None
        bands, goals = source.template.bands, GOALS if key is told_key else 1
        while True:
            band = _band(source, self.band) if self.band else bands[int(rng.integers(len(bands)))] if bands else None
            seed = rng.integers(2**32, size=4).tolist()
            try:
                for problem in source.drawer.draw_goals(seed, band.numbers if band else (), goals):
                    yield problem, band
            except NoScene:
                yield None, band

    def _solve(self, domain: Domain, problem: Problem) -> Plan | None:
        configuration: Configuration = OPTIMAL if self.optimal else DEFAULT
        answer = solve(domain, problem, Limits(evaluations=self.evaluations), configuration)
        if not isinstance(answer, Plan) or (self.optimal and not answer.optimal):
            return None
        return answer


_ROOMS: Remembered[bool] = Remembered(512)


@lru_cache(maxsize=64)
def _read_source(files: tuple[tuple[str, str], ...], domain: str, template: str) -> ProblemSource:
    """Return what ``source_of`` returns; the last sources serve all kinds."""
    return source_of(GenerateConfig("pddl", 1, task_files=files), domain, template)


def _band(source: ProblemSource, name: str) -> Band:
    bands = {each.name: each for each in source.template.bands} if source.template else {}
    message = f"the template of {source.domain.name} has no band {name!r}"
    require_known(name, bands, message, f"bands: {', '.join(bands) or 'none'}")
    return bands[name]


# Prompts: a problem as PDDL, in English or both, and how an answer is written.

phrases = reader_of(dict[str, Any], "chorewright.generator.rewards", "data/prompts.json")
"""The sentences of all prompts."""


def opening(kind: str, form: str, rng: np.random.Generator) -> list[str]:
    """Return how a prompt begins: one of its kind's sentences, and the form of an answer."""
    ways: Sequence[str] = phrases()[kind]
    return [ways[int(rng.integers(len(ways)))], answer_format(form)]


def answer_format(name: str, **parts: str) -> str:
    """Return how an answer is written."""
    said: str = phrases()["formats"][name]
    return said.format(**parts) if parts else said


def say_commands(domain: Domain, wordings: Wordings, example: str) -> str:
    """Return the commands of a problem's game: ``stack BLOCK on BLOCK; ...``."""
    says = Verbaliser.of(domain, (), wordings)
    told = [
        says.wordings.actions[action.name][0].fill(
            [(says.kind(each.types) or "thing").upper() for each in action.parameters]
        )
        for action in domain.actions
    ]
    return answer_format("game", commands="; ".join(told), example=example)
