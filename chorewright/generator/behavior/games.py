"""BEHAVIOR's activities as text games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from chorewright.domains.behavior.lowering import pddl_name
from chorewright.domains.behavior.reader import parse_activity
from chorewright.domains.behavior.syntax import Activity
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.files.lazily import LazySequence
from chorewright.generator.behavior.attempt import names_of, title_of
from chorewright.generator.behavior.world import find_activity
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.behavior.activity_problem import domain_of
from chorewright.problems.behavior.kinds import activity_names
from chorewright.problems.behavior.scenes import AGENT, activity_scene
from chorewright.replay.games.game import PddlGame
from chorewright.rsa.behavior.speaker import TOLD, ActivitySpeaker


def activity_game(activity: Activity, name: str, seed: int = 0, distractors: int = 0, hands: int = 1) -> PddlGame:
    """Return the game of an activity, with fixtures, tools and supplies if it cannot be done without.

    Args:
        activity: The activity.
        name: What the game is called.
        seed: Which distractors there are, and where.
        distractors: How many things lie about that the activity does not name.
        hands: How many things the robot can hold, 1 or 2.
    """
    scene = activity_scene(activity, seed, distractors, hands)
    domain = scene.domain()
    problem = scene.problem(domain)
    if isinstance(solve(domain, problem, Limits(evaluations=1)), Unsolvable):
        scene = scene.with_supplies()
        domain = scene.domain()
        problem = scene.problem(domain)
    return _game(scene.activity, domain, problem, name)


def drawn_games(version: str, hands: int = 1, distractors: int = 0) -> Callable[[np.random.Generator], PddlGame]:
    """Return what draws a game of any activity of a version."""
    names = activity_names(version)

    def draw(rng: np.random.Generator) -> PddlGame:
        name = f"{version}/{names[int(rng.integers(len(names)))]}"
        return activity_game(find_activity(name), name, int(rng.integers(2**31)), distractors, hands)

    return draw


def stored_activity(episode: Episode) -> Activity:
    """Return the activity of an episode, with everything that was added.

    Raises:
        DatasetCorrupt: It has none.
    """
    return parse_activity(episode.extra("activity"), f"the activity of episode {episode.index}")


def stored_problem(episode: Episode) -> tuple[Domain, Problem]:
    """Return the domain of an episode's synsets, and its problem.

    Raises:
        DatasetCorrupt: It has none.
    """
    domain = domain_of(stored_activity(episode))
    return domain, parse_problem(episode.extra("problem"), domain, f"the problem of episode {episode.index}")


def stored_game(episode: Episode) -> PddlGame:
    """Return the game of an episode."""
    return _game(stored_activity(episode), *stored_problem(episode), episode.task)


def _game(activity: Activity, domain: Domain, problem: Problem, name: str) -> PddlGame:
    """The game of a problem; the player is the activity's agent, which is no thing to be gone to."""
    agents = {pddl_name(each.name) for each in activity.objects if each.types[0] == AGENT}
    init = tuple(atom for atom in problem.init if agents.isdisjoint(atom))
    speaker = ActivitySpeaker(names_of(activity), title_of(activity, name))
    return PddlGame(domain, replace(problem, init=init), speaker, name, lambda atom: atom[0] in TOLD)


def stored_games(folder: Path) -> Sequence[PddlGame]:
    """Return the games of a dataset's episodes.

    Raises:
        UsageError: There is no dataset.
        DatasetCorrupt: It is damaged.
    """
    return LazySequence(Dataset(folder), stored_game)
