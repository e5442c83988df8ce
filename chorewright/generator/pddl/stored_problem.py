"""What an episode of any domain holds: its domain, its problem, and how they are worded."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.domains.pddl.parser import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.generator.dataset.episode import Episode
from chorewright.rsa.words.files import parse_wordings
from chorewright.rsa.words.phrases import Wordings

SCENE, DOMAIN, WORDINGS, PROBLEM = "scene", "domain", "wordings", "problem"
"""The extras of an episode that say its problem: the name, and domain, wordings and problem as text."""


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """The problem of an episode.

    Attributes:
        domain: Its domain.
        problem: The problem.
        wordings: What the domain's author says of how to say it; None if nothing.
    """

    domain: Domain
    problem: Problem
    wordings: Wordings | None


def stored_problem(episode: Episode) -> StoredProblem:
    """Return the problem of an episode, with the domain and the wordings that were stored with it.

    Raises:
        DatasetCorrupt: It has none.
        InputErrors: What is stored has errors.
    """
    whose, words = f"of episode {episode.index}", dict(episode.extras).get(WORDINGS)
    domain = parse_domain(episode.extra(DOMAIN), f"the domain {whose}")
    problem = parse_problem(episode.extra(PROBLEM), domain, f"the problem {whose}")
    return StoredProblem(domain, problem, parse_wordings(words, domain, f"the wordings {whose}") if words else None)
