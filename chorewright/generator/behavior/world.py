"""The world of BEHAVIOR: its domain with all synsets, and its activities as scenes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from chorewright.domains.behavior.reader import load_activity, parse_activity
from chorewright.domains.behavior.syntax import Activity, pddl_name
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import vocabulary_of_domain
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.lazily import LazySequence
from chorewright.generator.behavior.attempt import names_of, title_of
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.pddl.world import PddlWorld
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.problems.behavior.activity_problem import DOMAIN, behavior_domain, domain_of
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity
from chorewright.problems.behavior.scenes import AGENT, activity_scene
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.game import PddlGame
from chorewright.rsa.behavior.speaker import TOLD, ActivitySpeaker

SUFFIX = ".bddl"


class BehaviorWorld(PddlWorld):
    """A household of synsets, without geometry. Its scenes are the starts of the activities."""

    name = "behavior"
    folder = DOMAIN.parent

    def __init__(self, domain: Domain | None = None) -> None:
        """Make the world of all shipped synsets, or of a domain made for one activity."""
        self._own = domain

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own or behavior_domain()

    def vocabulary(self) -> Vocabulary:
        """Return the synsets as kinds."""
        return self._kinds

    def scenes(self) -> Sequence[str]:
        """Return the names of the activities, ``100/NAME`` and ``1k/NAME``."""
        return tuple(f"{version}/{name}" for version in VERSIONS for name in activity_names(version))

    def scene(self, name: str | None, seed: int) -> PddlScene:
        """Return the start of an activity, given by name or as a file; without one, of any of BEHAVIOR-1K."""
        if name is None:
            names = activity_names("1k")
            name = f"1k/{names[int(np.random.Generator(np.random.PCG64(seed)).integers(len(names)))]}"
        activity = find_activity(name)
        return PddlScene.of(activity_scene(activity, seed).problem(self.domain()), activity.name)

    @cached_property
    def _kinds(self) -> Vocabulary:
        return vocabulary_of_domain(self.domain())


def find_activity(name: str) -> Activity:
    """Return an activity: ``100/NAME``, ``1k/NAME``, ``NAME`` (of BEHAVIOR-1K if it has it), or a ``.bddl`` file.

    Raises:
        UsageError: There is none, or the file cannot be read.
        InputErrors: The file has errors.
    """
    if name.endswith(SUFFIX):
        return load_activity(Path(name))
    version, slash, plain = name.partition("/")
    if slash and version in VERSIONS:
        return shipped_activity(plain, version)
    for each in reversed(VERSIONS):
        if name in activity_names(each):
            return shipped_activity(name, each)
    known = [each for version in VERSIONS for each in activity_names(version)]
    raise UsageError(f"there is no activity {name!r}", hint=did_you_mean(name, known))


# BEHAVIOR's activities as text games.


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


def draw_games(version: str, hands: int = 1, distractors: int = 0) -> Callable[[np.random.Generator], PddlGame]:
    """Return what draws a game of any activity of a version."""
    names = activity_names(version)

    def draw(rng: np.random.Generator) -> PddlGame:
        name = f"{version}/{names[int(rng.integers(len(names)))]}"
        return activity_game(find_activity(name), name, int(rng.integers(2**31)), distractors, hands)

    return draw


def read_activity(episode: Episode) -> Activity:
    """Return the activity of an episode, with everything that was added.

    Raises:
        DatasetCorrupt: It has none.
    """
    return parse_activity(episode.extra("activity"), f"the activity of episode {episode.index}")


def read_problem(episode: Episode) -> tuple[Domain, Problem]:
    """Return the domain of an episode's synsets, and its problem.

    Raises:
        DatasetCorrupt: It has none.
    """
    domain = domain_of(read_activity(episode))
    return domain, parse_problem(episode.extra("problem"), domain, f"the problem of episode {episode.index}")


def read_game_of_episode(episode: Episode) -> PddlGame:
    """Return the game of an episode."""
    return _game(read_activity(episode), *read_problem(episode), episode.task)


def _game(activity: Activity, domain: Domain, problem: Problem, name: str) -> PddlGame:
    """The game of a problem; the player is the activity's agent, which is no thing to be gone to."""
    agents = {pddl_name(each.name) for each in activity.objects if each.types[0] == AGENT}
    init = tuple(atom for atom in problem.init if agents.isdisjoint(atom))
    speaker = ActivitySpeaker(names_of(activity), title_of(activity, name))
    return PddlGame(domain, replace(problem, init=init), speaker, name, lambda atom: atom[0] in TOLD)


def games_of(folder: Path) -> Sequence[PddlGame]:
    """Return the games of a dataset's episodes.

    Raises:
        UsageError: There is no dataset.
        DatasetCorrupt: It is damaged.
    """
    return LazySequence(Dataset(folder), read_game_of_episode)
