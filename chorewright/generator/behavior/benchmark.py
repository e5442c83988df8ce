"""BEHAVIOR's benchmark: the activities in turn, each planned, carried out in the symbolic world, and said in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from chorewright.domains.behavior.reader import parse_activity, write_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_domain, write_formula, write_problem
from chorewright.errors import UsageError
from chorewright.files.spelling import did_you_mean
from chorewright.generator.behavior.attempt import STAGES, Candidate, Made, attempt, sentences, title_of
from chorewright.generator.behavior.options import SUFFIX, BehaviorOptions
from chorewright.generator.dataset.config import Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Outcome
from chorewright.generator.dataset.options import read_options
from chorewright.generator.dataset.store.digests import text_sha256
from chorewright.generator.production.attempts import (
    Attempt,
    TaskTrials,
    blank_episode,
    make_episode,
    run_trial,
    with_plan,
)
from chorewright.planner.plan import Limits
from chorewright.problems.behavior.kinds import activity_names, shipped_activity

if TYPE_CHECKING:
    from chorewright.generator.pddl.moments import WorldMoments
    from chorewright.generator.production.benchmark import TaskLanguage

SCENE, PROBLEM, ACTIVITY, SCORES = "scene", "problem", "activity", "scores"
"""The extras of an episode: scene's name, planning problem, activity as BDDL, score at start and end."""

SPLITS = (("train", 0.8), ("valid", 0.1), ("test", 0.1))
EVALUATIONS = 100_000
TRIES = 3


class BehaviorBenchmark:
    """Episodes of BEHAVIOR-100 or BEHAVIOR-1K, or of a user's own activities."""

    name = "behavior"
    world = "behavior"
    options = BehaviorOptions
    stages = STAGES

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: the activities in a drawn order, again and again.

        Raises:
            UsageError: There is no such activity or split.
        """
        asked = _options(config)
        order = random_for(config, 0, stream=1).permutation(len(_activities(config)))
        drawn = [list(_activities(config))[place] for place in order]
        splits = dict(zip(drawn, _splits(asked.splits), strict=False))
        names = [each for each in drawn if not asked.splits or splits[each] in asked.splits]
        if not names:
            raise UsageError(f"no activity is in the split {' or '.join(asked.splits)}", hint="ask for more activities")
        return [
            Assignment(index, name, (), "", splits[name], index // len(names))
            for index, name in zip(range(count), cycle(names), strict=False)
        ]

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: the first accepted attempt, else the last one."""
        return make_episode(self, config, assignment)

    def candidates(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        rng: np.random.Generator,
        tried: Sequence[Attempt[Candidate, Made]],
    ) -> Iterator[Candidate]:
        """Yield the activity with other distractors; without distractors every attempt would be the same."""
        asked = _options(config)
        activity = _activities(config)[assignment.task]
        for _ in range(TRIES if asked.distractors else 1):
            yield Candidate(assignment.task, activity, int(rng.integers(2**31)), asked.distractors, asked.hands)

    def attempt(self, config: GenerateConfig, candidate: Candidate) -> Attempt[Candidate, Made]:
        """Run all stages for a candidate, or up to the first that fails."""
        return attempt(candidate, Limits(evaluations=EVALUATIONS))

    def write(
        self,
        config: GenerateConfig,
        assignment: Assignment,
        tried: Sequence[Attempt[Candidate, Made]],
        rng: np.random.Generator,
    ) -> Episode:
        """Say the last attempt in words and write it down."""
        last = tried[-1]
        made, candidate = last.made, last.candidate
        assert made is not None, "every attempt has a problem"
        problem = write_problem(made.problem)
        domain = text_sha256(write_domain(made.domain))
        blank = replace(
            blank_episode(config, assignment, tried, candidate.seed, domain),
            parameters=(),
            problem_sha256=text_sha256(problem),
            goal=write_formula(made.problem.goal),
            steps=made.steps,
            outcome=Outcome(last.accepted, last.reason, made.conditions),
            extras=(
                (SCENE, assignment.task),
                (PROBLEM, problem),
                (ACTIVITY, write_activity(made.scene.activity)),
                (SCORES, " ".join(f"{each:.4f}" for each in made.scores)),
            ),
        )
        plan = made.plan
        if plan is None:
            return blank
        return replace(
            with_plan(blank, plan),
            instructions=sentences(title_of(candidate.activity, candidate.name), made, rng),
        )

    def trials(self, config: GenerateConfig, count: int, attempts: int) -> TaskTrials:
        """Return the attempts of one activity that ``generate`` makes, with other distractors each."""
        names = tuple(_activities(config))
        if len(names) != 1:
            raise UsageError("give one activity to check")
        return TaskTrials(
            names[0],
            "scenes",
            count,
            1,
            self.stages,
            tuple(partial(run_trial, self, config, each, attempts) for each in self.assign(config, count)),
        )

    def moments(self) -> WorldMoments:
        """Return what runs episodes again and draws what is where."""
        from chorewright.generator.behavior.pictures import ActivityWorld
        from chorewright.generator.pddl.moments import state_moments

        return state_moments(ActivityWorld)

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the domain of an episode's synsets, and its problem."""
        from chorewright.generator.behavior.games import stored_problem

        return stored_problem(episode)

    def task_language(self) -> TaskLanguage:
        """Return the activities as tasks."""
        from chorewright.generator.behavior.tasks import BehaviorTasks

        return BehaviorTasks()


def _options(config: GenerateConfig) -> BehaviorOptions:
    return read_options(BehaviorOptions, config)


def _activities(config: GenerateConfig) -> dict[str, Activity]:
    """The activities that a dataset is to be made of, by name: the user's files, then the named ones, else all.

    Raises:
        UsageError: There is no such activity.
    """
    asked = _options(config)
    found = {
        name.removesuffix(SUFFIX): parse_activity(text, name)
        for name, text in config.task_files
        if name.endswith(SUFFIX)
    }
    known = activity_names(asked.version)
    for name in asked.tasks:
        plain = name.removeprefix("behavior/").removeprefix(f"{asked.version}/")
        if plain not in known:
            hint = did_you_mean(plain, known)
            raise UsageError(f"there is no activity {plain!r} in BEHAVIOR-{asked.version}", hint=hint)
        found[plain] = shipped_activity(plain, asked.version)
    return found or {name: shipped_activity(name, asked.version) for name in known}


def _splits(asked: Sequence[str]) -> Iterator[str]:
    """Yield a split for each activity, by their shares from the beginning (Sainte-Lague).

    Raises:
        UsageError: There is no such split.
    """
    known = [name for name, _ in SPLITS]
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) or f"splits: {', '.join(known)}"
            raise UsageError(f"there is no split {name!r}", hint=hint)
    shares = dict(SPLITS)
    given = dict.fromkeys(shares, 0)
    while True:
        name = max(shares, key=lambda each: shares[each] / (given[each] + 0.5))
        given[name] += 1
        yield name
