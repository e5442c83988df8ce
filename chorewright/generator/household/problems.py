"""The planning problems of stored episodes: made again from scene and goal, and trusted if the bytes agree."""

from __future__ import annotations

import hashlib

from chorewright.domains.pddl.syntax import Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.generator.episode import Episode


def checked_problem(problem: Problem, episode: Episode) -> Problem | None:
    """Return a problem if it is written as the episode's was, else None: another version has made that one."""
    same = hashlib.sha256(write_problem(problem).encode()).hexdigest() == episode.problem_sha256
    return problem if same else None
