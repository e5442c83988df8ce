"""The competitions' planning problems, and problems cut to some of their objects."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem

IPC = "ipc"


def competition_problems() -> list[tuple[str, str]]:
    """Return domain and problem file of every competition problem."""
    root = sample(IPC)
    return [
        (folder.name, path.name)
        for folder in sorted(root.iterdir())
        for path in sorted(folder.glob("*.pddl"))
        if not path.name.endswith("domain.pddl")
    ]


def competition_task(domain: str, problem: str) -> tuple[Domain, Problem]:
    """Read a competition problem, with the domain of its own if it has one."""
    folder = sample(IPC) / domain
    own = folder / problem.replace(".pddl", "-domain.pddl")
    text = (own if own.exists() else folder / "domain.pddl").read_text()
    parsed = parse_domain(text)
    return parsed, parse_problem((folder / problem).read_text(), parsed)


def cut(problem: Problem, keep: Collection[str]) -> Problem:
    """Return the problem with these objects only (the domain's constants stay); quantifiers range over fewer."""
    gone = {thing.name for thing in problem.objects} - set(keep)
    return replace(
        problem,
        objects=tuple(thing for thing in problem.objects if thing.name not in gone),
        init=tuple(atom for atom in problem.init if gone.isdisjoint(atom[1:])),
        values=tuple(value for value in problem.values if gone.isdisjoint(value.objects)),
    )
