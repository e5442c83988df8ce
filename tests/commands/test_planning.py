"""The process: its age is that of the program, and SIGTERM ends planning with a message from its start on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.classical.generators import problem_of
from chorewright.commands.planning import read_improvement
from chorewright.domains.pddl import load_domain, load_problem, write_domain, write_problem
from chorewright.errors import UsageError
from chorewright.planner.plan_files import parse_plan
from chorewright.planner.validation import Verdict, validate
from tests.command import chorewright, command, environment

_AGE = "from chorewright.commands.planning import age; print(age())"
_BURN = "import time\nwhile time.process_time() < {}: pass\n" + _AGE
_TERMINATED_AT = """
import os, signal, sys

class Asked:
    def find_spec(self, name, path=None, target=None):
        if name == {!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Asked())
sys.argv = ["chorewright", "plan", "domain.pddl", "problem.pddl"]
from chorewright.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(
    ("before", "code", "least", "most"),
    [
        ("", _AGE, 0.0, 3.0),
        ("sleep 2; exec", _AGE, 0.0, 2.0),  # the shell that slept becomes the program
        ("", _BURN.format(0.5), 0.5, 3.5),
        ("", _BURN.format(2), 1.0, 2.0),  # what was done before the import counts a second at most
    ],
)
def test_the_age_is_that_of_the_program(before: str, code: str, least: float, most: float) -> None:
    words = ["bash", "-c", f'{before} "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    assert least < float(done.stdout) < most


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    "module", ["chorewright.domains.pddl.parser", "chorewright.planner.planning", "chorewright.planner.plan"]
)
def test_termination_while_a_plan_is_still_to_be_searched(tmp_path: Path, module: str) -> None:
    words = [sys.executable, "-c", _TERMINATED_AT.format(module)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False)
    assert (done.returncode, done.stdout) == (143, "")
    assert "terminated" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    domain, problem = problem_of("hiking", 4, 3)
    (tmp_path / "domain.pddl").write_text(write_domain(domain))
    (tmp_path / "problem.pddl").write_text(write_problem(problem))
    return tmp_path


def judge(plan: Path) -> Verdict:
    domain = load_domain(plan.parent / "domain.pddl")
    return validate(domain, load_problem(plan.parent / "problem.pddl", domain), parse_plan(plan.read_text()).actions)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("several", [False, True])
def test_the_first_plan_survives_a_kill(folder: Path, several: bool) -> None:
    words = ["plan", "--search", "anytime", "-o", "plans" if several else "one.plan", "domain.pddl", "problem.pddl"]
    if several:
        (folder / "second.pddl").write_text((folder / "problem.pddl").read_text())
        words.append("second.pddl")
    out = folder / ("plans/problem.plan" if several else "one.plan")
    with subprocess.Popen(command(*words), cwd=folder, env=environment(), stderr=subprocess.DEVNULL) as run:
        while not out.exists() and run.poll() is None:
            time.sleep(0.01)
        run.kill()
    if several:
        out.rename(folder / "one.plan")
    assert judge(folder / "one.plan").valid


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_improvement_gives_the_first_plan(folder: Path, number: int, code: int) -> None:
    words = command("plan", "-v", "--improve", 10**9, "domain.pddl", "problem.pddl", "--json")
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        first = run.stderr.readline()
        run.send_signal(number)
        output, _ = run.communicate(timeout=60)
    assert run.returncode == code
    answer = json.loads(output)
    assert answer["status"] == "interrupted"
    assert f"{answer['plans'][0]['steps']} steps" in first
    assert len(answer["plan"]) == answer["plans"][-1]["steps"]


def test_plans_of_a_series_get_cheaper(folder: Path) -> None:
    (folder / "best.plan.1").write_text("an earlier run's")
    for number in range(2, 40):
        (folder / f"best.plan.{number}").write_text("an earlier run's")
    done = chorewright("plan", "-v", "--series", "-o", "best.plan", "domain.pddl", "problem.pddl", cwd=folder)
    assert done.returncode == 0, done.stderr
    kept = [folder / f"best.plan.{number}" for number in range(1, len(list(folder.glob("best.plan.*"))) + 1)]
    costs = [judge(path).cost for path in kept]
    assert len(costs) > 1
    assert costs == sorted(set(costs), reverse=True)
    assert kept[-1].read_bytes() == (folder / "best.plan").read_bytes()
    *said, end, _ = done.stderr.splitlines()
    assert [line.split()[-1] for line in said] == [f"{cost:g}" for cost in costs]
    assert f"cost {costs[0]:g} to {costs[-1]:g}" in end


def test_when_plans_were_there_as_json(folder: Path) -> None:
    done = chorewright("plan", "--improve", "0.001x", "--json", "domain.pddl", "problem.pddl", cwd=folder)
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert answer["plans"][-1]["cost"] == answer["cost"]
    assert 0 < answer["plans"][0]["seconds"] <= answer["seconds"]


def test_a_stream_gets_one_plan(folder: Path) -> None:
    done = chorewright("plan", "-o", "/dev/stderr", "domain.pddl", "problem.pddl", cwd=folder)
    assert done.stderr.count("; cost") == 1


@pytest.mark.parametrize(
    ("text", "effort"), [(None, (None, None)), ("400", (400, None)), ("3x", (None, 3.0)), ("0.5x", (None, 0.5))]
)
def test_an_effort_of_improvement(text: str | None, effort: tuple[int | None, float | None]) -> None:
    assert read_improvement(text) == effort


@pytest.mark.parametrize("text", ["", "x", "-3", "3.5", "1e3x", "3 x", "\u0663x"])
def test_no_effort_of_improvement(text: str) -> None:
    with pytest.raises(UsageError, match="no effort of improvement"):
        read_improvement(text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--series", "needs the name of a file"),
        ("--improve 0x", "improvement limit must be positive"),
        ("--no-improvement -1", "no-improvement limit must be positive"),
        ("--improve 3x --engine pyperplan", "are those of the engine chorewright"),
    ],
)
def test_senseless_options_of_improvement(folder: Path, words: str, message: str) -> None:
    done = chorewright("plan", *words.split(), "domain.pddl", "problem.pddl", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("more", [(), ("--diverse",)])
def test_several_plans_of_a_small_problem(tmp_path: Path, more: tuple[str, ...]) -> None:
    domain = """(define (domain lamps) (:predicates (lit ?x))
      (:action press :parameters (?x) :precondition (not (lit ?x)) :effect (lit ?x)))"""
    problem = "(define (problem p) (:domain lamps) (:objects a b c) (:init) (:goal (and (lit a) (lit b))))"
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "problem.pddl").write_text(problem)
    files = (tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    done = chorewright("plan", *files, "--plans", "4", "--json", "--out", tmp_path / "p.plan", *more)
    assert done.returncode == 0, done.stderr
    plans = json.loads(done.stdout)["plans"]
    assert [each["cost"] for each in plans] == ([2, 3, 2, 3] if more else [2, 2, 3, 3])
    written = [(tmp_path / f"p.plan.{number}").read_text() for number in range(1, 5)]
    parsed = [parse_plan(text).actions for text in written]
    assert [[str(action) for action in actions] for actions in parsed] == [each["plan"] for each in plans]
    assert len(set(parsed)) == 4
    every = json.loads(chorewright("plan", *files, "--plans", "99", "--json").stdout)["plans"]
    assert len(every) == 2 + 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--plans 2 --search astar", "takes no options of searches"),
        ("--plans 2 --evaluations 9", "takes no options of searches"),
        ("--diverse", "--diverse is for --plans K"),
    ],
)
def test_senseless_options_of_several_plans(folder: Path, words: str, message: str) -> None:
    done = chorewright("plan", folder / "domain.pddl", folder / "problem.pddl", *words.split())
    assert (done.returncode, message in done.stderr) == (2, True)
