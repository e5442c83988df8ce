"""The planning problem of a stored episode, made again from its scene and goal, as PDDL."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from chorewright.domains.library import household_domain
from chorewright.domains.pddl.parser import parse_formula
from chorewright.domains.pddl.syntax import Problem
from chorewright.domains.pddl.writer import write_problem
from chorewright.domains.tdl.definitions import shipped_definitions
from chorewright.errors import ChorewrightError
from chorewright.generator.episode import Episode
from chorewright.generator.teach.compiling import compile_in
from chorewright.problems.thor.household import household_problem

TEACH = "teach"


def stored_problem(episode: Episode) -> Problem | None:
    """Return the problem, or None if it cannot be made again to the same bytes.

    It cannot where the episode has no plan, the goal is of a domain of the user's, or another version of the
    program made it.
    """
    if episode.scene is None or not episode.problem_sha256:
        return None
    try:
        goal = parse_formula(episode.goal, household_domain())
        if episode.recipe == TEACH:
            params = [value for _, value in episode.parameters]
            task = shipped_definitions().task(episode.task.removeprefix(f"{TEACH}/"), params)
            name = f"{task.name}-{episode.scene.name}-{episode.seed}"
            problem = compile_in(task, goal, episode.scene, name).household.problem
        else:
            problem = household_problem(episode.scene, goal).problem
    except ChorewrightError:
        return None
    same = hashlib.sha256(write_problem(problem).encode()).hexdigest() == episode.problem_sha256
    return problem if same else None


def shortened(problem: Problem) -> str:
    """Return a problem's text; of its numbers (distances between poses) only how many there are."""
    text = write_problem(replace(problem, values=()))
    note = f"; {len(problem.values)} numbers (distances between poses) are left out here\n"
    return note + text if problem.values else text
