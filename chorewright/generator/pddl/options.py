"""The options of ``generate pddl``. What reads a user's files is imported when a file is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chorewright.generator.dataset.options import Loaded, option

TRIES = (6, 12)
"""New problems that are tried for an episode of the first band, and of others: they miss their costs more often."""


def _read_domain(words: Sequence[str]) -> Loaded:
    from chorewright.generator.pddl.sources import read_domain

    return read_domain(words)


def _read_template(words: Sequence[str]) -> Loaded:
    from chorewright.generator.pddl.sources import read_template

    return read_template(words)


def _read_problems(words: Sequence[str]) -> Loaded:
    from chorewright.generator.pddl.sources import read_problems

    return read_problems(words)


@dataclass(frozen=True, slots=True)
class PddlOptions:
    """The options of ``generate pddl``.

    Attributes:
        domain: A domain's .pddl file, its folder, or the name of a shipped one.
        template: A problem template's file, or the name of a shipped one; by default the one beside the domain.
        problems: A folder of problems, or a problem's file; may be repeated.
        bands: A band of the template, or NAME=LOW-HIGH; may be repeated. Episodes are shared evenly among them.
        optimal: Keep plans that are proven to be optimal only; bands go by the optimal cost.
        tries: How many new problems are tried for an episode until one serves.
        evaluations: The states that the planner may evaluate for a problem.
        wordings: How many ways each goal and step is said.
        splits: Only this split; may be repeated.
    """

    domain: str = option("", metavar="FILE", load=_read_domain)
    template: str = option("", metavar="FILE", load=_read_template)
    problems: tuple[str, ...] = option((), metavar="FOLDER", load=_read_problems)
    bands: tuple[str, ...] = option((), flags=("--band",), metavar="BAND")
    optimal: bool = False
    tries: int = option(0, high=1000, low=0, shown=f"{TRIES[0]}; {TRIES[1]} in bands after the first")
    evaluations: int = option(20_000, low=1)
    wordings: int = option(3, low=1, high=20)
    splits: tuple[str, ...] = option((), metavar="SPLIT")
