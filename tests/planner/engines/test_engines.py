"""Other planners: found by name, held to limits, checked; and clear errors where they cannot help."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import ChorewrightError, EngineError, MissingExtra, UnsupportedError, UsageError
from chorewright.files.plugins import Origin
from chorewright.planner.engines import processes
from chorewright.planner.engines.lookup import find_engine
from chorewright.planner.engines.processes import (
    FastDownward,
    Finished,
    Pyperplan,
    fast_downward_driver,
    run_process,
    write_task,
)
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import OPTIMAL, LadderPlanner, solve
from tests.planner.fast_downward import driver
from tests.planner.tables import random_task

DOMAIN = """(define (domain d) (:requirements :strips :typing) (:types room)
 (:predicates (at ?r - room) (door ?r ?q - room) (lit ?r - room)) {functions}
 (:action go :parameters (?r ?q - room) :precondition (and (at ?r) (door ?r ?q) {more})
  :effect (and (at ?q) (not (at ?r)) {effects})))"""
PROBLEM = """(define (problem p) (:domain d) (:objects a b c - room) (:init (at a) (door a b) (door b c))
 (:goal {goal}))"""


def task(more: str = "", effects: str = "", goal: str = "(at c)", functions: str = "") -> tuple[Domain, Problem]:
    domain = parse_domain(
        DOMAIN.format(more=more, effects=effects, functions=functions).replace(":strips", ":adl :action-costs")
    )
    return domain, parse_problem(PROBLEM.format(goal=goal), domain)


def test_pyperplan_solves_and_proves() -> None:
    planner = find_engine("pyperplan")
    answer = planner.solve(*task())
    assert isinstance(answer, Plan)
    assert [str(action) for action in answer.actions] == ["(go a b)", "(go b c)"]
    assert (answer.planner, answer.cost) == ("pyperplan", 2.0)
    assert isinstance(planner.solve(*task(goal="(lit c)")), Unsolvable)


def test_pyperplan_is_given_problems_without_their_costs() -> None:
    answer = Pyperplan().solve(*competition_task("elevators-opt08-strips", "p01.pddl"), Limits(60))
    assert isinstance(answer, Plan)
    assert answer.cost > len(answer.actions)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": "(not (lit ?q))"}, "the precondition of 'go'"),
        ({"effects": "(when (lit ?q) (not (lit ?q)))"}, "'go' has conditional"),
        ({"effects": "(forall (?x - room) (lit ?x))"}, "'go' has conditional or quantified"),
        ({"goal": "(or (at b) (at c))"}, "the goal"),
    ],
)
def test_pyperplan_refuses_adl(change: dict[str, str], said: str) -> None:
    with pytest.raises(UnsupportedError, match=r"STRIPS only") as caught:
        Pyperplan().solve(*task(**change))
    assert said in caught.value.message
    assert "chorewright" in str(caught.value.hint)


def test_a_process_and_its_children_are_stopped_at_the_time_limit(tmp_path: Path) -> None:
    child = "import time; time.sleep(1.5); open('late', 'w').close()"
    command = [sys.executable, "-c", f"import subprocess; subprocess.run([{sys.executable!r}, '-c', {child!r}])"]
    assert run_process(command, tmp_path, Limits(seconds=0.5)) == Finished(None, "")
    time.sleep(1.5)
    assert not (tmp_path / "late").exists()


def test_a_planner_out_of_time_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "run_process", lambda *_: Finished(None, ""))
    assert Pyperplan().solve(*task()) == OutOfLimits(Limit.TIME, 0)


def test_a_process_is_held_to_the_memory_limit() -> None:
    assert Pyperplan().solve(*task(), Limits(megabytes=8)) == OutOfLimits(Limit.MEMORY, 0)


def test_a_wrong_plan_is_never_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def lies(command: object, folder: object, limits: object) -> Finished:
        (Path(str(folder)) / "problem.pddl.soln").write_text("(go b c)\n")
        return Finished(0, "")

    monkeypatch.setattr(processes, "run_process", lies)
    with pytest.raises(EngineError, match=r"not valid: step 1: \(go b c\) needs \(at b\)"):
        Pyperplan().solve(*task())


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("fast-upward", UsageError, "unknown engine 'fast-upward'"),
        ("sequential_plan_validator", UsageError, "not a planner"),
        ("tamer", MissingExtra, "'tamer' is not installed"),
    ],
)
def test_unknown_engines(name: str, kind: type[ChorewrightError], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        find_engine(name)
    assert caught.value.hint or kind is UsageError


def test_our_own_planner_has_a_name() -> None:
    assert find_engine("chorewright") == LadderPlanner()


@pytest.mark.parametrize("name", ["pyperplan", "fast-downward"])
def test_evaluations_limit_only_ourselves(name: str) -> None:
    with pytest.raises(UsageError, match="evaluations"):
        find_engine(name).solve(*task(), Limits(evaluations=5))


def test_fast_downward_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "fast_downward_driver", lambda python: None)
    with pytest.raises(MissingExtra) as caught:
        FastDownward().solve(*task())
    assert "[fast-downward]" in str(caught.value.hint)


needs_fast_downward = pytest.mark.skipif(
    fast_downward_driver() is None, reason="Fast Downward is not here: pip install 'chorewright[fast-downward]'"
)


@needs_fast_downward
def test_fast_downward_solves_and_proves() -> None:
    answer = FastDownward().solve(*task(goal="(or (at c) (lit a))"))
    assert isinstance(answer, Plan)
    assert answer.cost == 2
    assert isinstance(FastDownward().solve(*task(goal="(lit c)")), Unsolvable)


@needs_fast_downward
@pytest.mark.parametrize("seed", range(3))
def test_fast_downward_agrees_on_solvability(seed: int) -> None:
    for goal in range(8):
        domain, problem = random_task(seed, goal)
        theirs = FastDownward().solve(domain, problem, Limits(seconds=60))
        ours = solve(domain, problem, configuration=OPTIMAL)
        assert type(theirs) is type(ours)
        if isinstance(theirs, Plan) and isinstance(ours, Plan):
            assert ours.cost <= theirs.cost


GIVEN = ("airport-adl", "cavediving-14-adl", "citycar-opt14-adl", "miconic-fulladl", "psr-middle", "tpp")


@pytest.mark.parametrize("name", GIVEN)
def test_fast_downward_is_given_what_the_files_say(tmp_path: Path, name: str) -> None:
    script = driver()
    problem = min(file for domain, file in competition_problems() if domain == name)
    folder = sample("ipc") / name
    own = folder / problem.replace(".pddl", "-domain.pddl")
    originals = (own if own.exists() else folder / "domain.pddl", folder / problem)
    write_task(tmp_path, *write_plain(*competition_task(name, problem)))
    sizes = []
    for files in (originals, (tmp_path / "domain.pddl", tmp_path / "problem.pddl")):
        run = [sys.executable, str(script), "--translate", *map(str, files)]
        output = run_process(run, tmp_path, Limits(seconds=60)).output
        sizes.append(re.findall(r"Translator (?:variables|facts|operators|axioms|task size): \d+", output))
    assert len(sizes[0]) == 5
    assert sizes[0] == sizes[1]


OWN = """
from chorewright.planner.plan import Unsolvable


class Never:
    def solve(self, domain, problem, limits=None):
        return Unsolvable("it never tries")


class Nothing:
    pass
"""


def test_an_engine_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_engine.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_engine("own_engine:Never", Origin.PERSON).solve(*task()) == Unsolvable("it never tries")
    for name, said in (("own_engine:Nothing", "no 'solve'"), ("own_engine:Other", "Other"), ("no.such:A", "no")):
        with pytest.raises(UsageError, match=said):
            find_engine(name, Origin.PERSON)
