"""All competition files parse, mean what an independent reader says, and survive being written again."""

from __future__ import annotations

import pytest

from benchmarks.corpora.reference import SAMPLE, sample
from chorewright.domains.pddl import load_domain, load_problem, parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from tests.command import ROOT

HOUSEHOLD = ROOT / "chorewright" / "domains" / "household" / "domain.pddl"
PROBLEMS = sorted(
    str(path.relative_to(SAMPLE))
    for folder in ("ipc/*", "planner/a")
    for path in SAMPLE.glob(f"{folder}/*.pddl")
    if path.name != "domain.pddl"
)


def load(name: str) -> tuple[Domain, Problem]:
    path = sample(name)
    domain = load_domain(path.parent / "domain.pddl")
    return domain, load_problem(path, domain)


def test_the_corpus_is_whole() -> None:
    assert len(PROBLEMS) == 84 + 6


@pytest.mark.parametrize("name", PROBLEMS)
def test_written_again_it_is_the_same(name: str) -> None:
    domain, problem = load(name)
    assert parse_domain(write_domain(domain)) == domain
    assert parse_problem(write_problem(problem), domain) == problem


def test_the_household_domain_is_the_same_when_written_again() -> None:
    domain = load_domain(HOUSEHOLD)
    assert parse_domain(write_domain(domain)) == domain


SMALL = ["blocks", "gripper", "depot", "rovers", "elevators-opt08-strips", "miconic-simpleadl"]


@pytest.mark.parametrize("name", SMALL)
def test_unified_planning_agrees(name: str) -> None:
    compare_with_unified_planning(next(entry for entry in PROBLEMS if entry.startswith(f"ipc/{name}/")))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_unified_planning_agrees_on_all(name: str) -> None:
    compare_with_unified_planning(name)


def compare_with_unified_planning(name: str) -> None:
    """They read what we read, and what we write means the same to them; skip what they do not read."""
    io = pytest.importorskip("unified_planning.io")
    path = sample(name)
    domain, problem = load(name)
    try:
        theirs = io.PDDLReader().parse_problem(str(path.parent / "domain.pddl"), str(path))
    except Exception as error:
        pytest.skip(f"unified-planning does not read it: {error!r:.80}")
    assert [action.name for action in domain.actions] == [action.name.lower() for action in theirs.actions]
    for ours, other in zip(domain.actions, theirs.actions, strict=True):
        assert [entry.name[1:] for entry in ours.parameters] == [entry.name.lower() for entry in other.parameters]
        for entry, parameter in zip(ours.parameters, other.parameters, strict=True):
            if len(entry.types) == 1:
                assert entry.types[0] == str(parameter.type).split(" ")[0].lower()
    names = {entry.name for entry in (*domain.constants, *problem.objects)}
    assert names == {entry.name.lower() for entry in theirs.all_objects}
    true = set()
    for fluent, value in theirs.explicit_initial_values.items():
        if value.is_true():
            true.add((fluent.fluent().name.lower(), *(str(term).lower() for term in fluent.args)))
    assert set(problem.init) == true
    again = io.PDDLReader().parse_problem_string(write_domain(domain), write_problem(problem))
    assert again == theirs
