"""The rooms and planning problems of stored episodes: problems are made again, and trusted if the bytes agree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.scene import Scene


def room_of(episode: Episode) -> Scene:
    """Return the room or house that an episode begins in.

    Raises:
        UsageError: Its world is no room.
    """
    room = episode.room
    assert isinstance(room, Scene)
    return room


def checked_problem(problem: Problem, episode: Episode) -> Problem | None:
    """Return a problem if it is written as the episode's was, else None: another version has made that one."""
    same = hashlib.sha256(write_problem(problem).encode()).hexdigest() == episode.problem_sha256
    return problem if same else None


def stored_task(episode: Episode, stored_problem: Callable[[Episode], Problem | None]) -> tuple[Domain, Problem]:
    """Return the domain and the problem of an episode; without the stored one, that of its goal in its whole scene.

    Args:
        episode: An episode in a room.
        stored_problem: Makes the episode's own problem again; None if it cannot.

    Raises:
        InputError: The episode has no scene.
    """
    if episode.scene is None:
        raise InputError(f"episode {episode.index} of {episode.benchmark} has no scene")
    domain = room_of(episode).kinds.domain
    own = stored_problem(episode)
    return domain, own or household_problem(room_of(episode), parse_formula(episode.goal, domain)).problem
