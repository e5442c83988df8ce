"""Many problems by one command: lines, records, plan files and the worst exit code."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from chorewright.commands.plan_batch import severity
from tests.command import chorewright, command, environment

DOMAIN = """(define (domain lamps) (:predicates (on ?x) (broken ?x))
 (:action switch :parameters (?x) :precondition (not (broken ?x)) :effect (on ?x)))"""
PROBLEM = "(define (problem {}) (:domain lamps) (:objects a b) (:init {}) (:goal (and (on a) (on b))))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "domain.pddl").write_text(DOMAIN, "utf-8")
    for name, init in (("good", ""), ("half", "(on a)"), ("never", "(broken a)"), ("typo", "(broke a)")):
        (tmp_path / f"{name}.pddl").write_text(PROBLEM.format(name, init), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("good", "half"), 0),
        (("good", "never", "half"), 10),
        (("never", "missing", "good"), 2),
        (("typo", "missing", "never"), 31),
    ],
    ids=str,
)
@pytest.mark.parametrize("workers", [1, 2])
def test_each_problem_has_its_line_and_the_worst_code_counts(
    folder: Path, names: tuple[str, ...], code: int, workers: int
) -> None:
    files = [f"{name}.pddl" for name in names]
    done = chorewright("plan", "domain.pddl", *files, "--workers", workers, "-o", "plans", cwd=folder)
    assert done.returncode == code, done.stderr
    lines = {
        "good": "good.pddl: solved: 2 steps, cost 2",
        "half": "half.pddl: solved: 1 step, cost 1",
        "never": "never.pddl: unsolvable: the goal cannot be reached even when nothing is ever deleted",
        "missing": "missing.pddl: error (exit code 2)",
        "typo": "typo.pddl: error (exit code 31)",
    }
    assert done.stdout.splitlines() == [lines[name] for name in names]
    assert ("typo.pddl:1:" in done.stderr) == ("typo" in names)
    assert ("missing.pddl: cannot read" in done.stderr) == ("missing" in names)
    solved = sorted(f"{name}.plan" for name in names if name in ("good", "half"))
    assert sorted(path.name for path in (folder / "plans").iterdir()) == solved


def test_plans_are_those_of_single_commands(folder: Path) -> None:
    single = chorewright("plan", "domain.pddl", "good.pddl", "-o", "good.plan", cwd=folder)
    assert single.returncode == 0
    assert chorewright("plan", "domain.pddl", "good.pddl", "half.pddl", "-o", "plans", cwd=folder).returncode == 0
    assert (folder / "plans/good.plan").read_bytes() == (folder / "good.plan").read_bytes()


def test_json_is_one_list(folder: Path) -> None:
    names = ("good", "never", "typo")
    done = chorewright("plan", "domain.pddl", *(f"{name}.pddl" for name in names), "--json", cwd=folder)
    records = json.loads(done.stdout)
    assert [(each["problem"], each["status"], each["exit_code"]) for each in records] == [
        ("good.pddl", "solved", 0),
        ("never.pddl", "unsolvable", 10),
        ("typo.pddl", "error", 31),
    ]
    assert records[0]["plan"] == ["(switch a)", "(switch b)"]
    assert records[2]["errors"][0]["line"] == 1
    assert done.returncode == 31


def test_limits_are_each_problems(folder: Path) -> None:
    done = chorewright("plan", "domain.pddl", "good.pddl", "half.pddl", "--evaluations", 2, "--json", cwd=folder)
    assert [each["status"] for each in json.loads(done.stdout)] == ["out of evaluations", "solved"]
    assert done.returncode == 12


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("good.pddl", "other/good.pddl", "-o", "plans"), "would both be plans/good.plan"),
        (("good.pddl", "half.pddl", "-o", "domain.pddl"), "with several problems, --out is a folder"),
        (("good.pddl", "here.plan", "-o", "."), "would overwrite here.plan"),
        (("good.pddl", "half.pddl", "--workers", "0"), "--workers"),
    ],
    ids=["clash", "file", "input", "workers"],
)
def test_what_cannot_be_meant_is_refused(folder: Path, words: tuple[str, ...], said: str) -> None:
    (folder / "other").mkdir()
    (folder / "other/good.pddl").write_text(PROBLEM.format("other", ""), "utf-8")
    (folder / "here.plan").write_text(PROBLEM.format("here", ""), "utf-8")
    done = chorewright("plan", "domain.pddl", *words, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


GRID = """(define (domain towers) (:predicates (clear ?x) (on ?x ?y) (smaller ?x ?y))
 (:action move :parameters (?d ?f ?t)
  :precondition (and (smaller ?t ?d) (on ?d ?f) (clear ?d) (clear ?t))
  :effect (and (clear ?f) (on ?d ?t) (not (on ?d ?f)) (not (clear ?t)))))"""


def towers(count: int) -> str:
    """The towers of Hanoi: no search finds the way for many discs soon."""
    discs = [f"d{i}" for i in range(count)]
    sizes = " ".join(f"(smaller {a} {b})" for i, b in enumerate(discs) for a in (*discs[i + 1 :], "x", "y", "z"))
    tower = " ".join(f"(on {a} {b})" for a, b in zip(discs, (*discs[1:], "x"), strict=True))
    goal = tower.replace(" x)", " z)")
    return (
        f"(define (problem hanoi) (:domain towers) (:objects x y z {' '.join(discs)})"
        f" (:init {sizes} {tower} (clear d0) (clear y) (clear z)) (:goal (and {goal})))"
    )


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_all_and_closes_the_list(
    tmp_path: Path, workers: int, number: signal.Signals, code: int
) -> None:
    (tmp_path / "domain.pddl").write_text(GRID, "utf-8")
    (tmp_path / "first.pddl").write_text(towers(2), "utf-8")
    (tmp_path / "long.pddl").write_text(towers(40), "utf-8")
    words = ("plan", "domain.pddl", "first.pddl", "long.pddl", "--json", "--search", "astar", "--heuristic", "blind")
    with subprocess.Popen(
        command(*words, "--workers", workers),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "[\n"
        output = process.stdout.read(1)
        while not output.endswith("}") or output.count("{") > output.count("}"):
            output += process.stdout.read(1)
        process.send_signal(number)
        output += process.stdout.read()
        process.wait(timeout=120)
        assert process.stderr is not None
        errors = process.stderr.read()
    assert process.returncode == code, errors
    assert [each["status"] for each in json.loads("[" + output)] == ["solved"]


def test_the_order_of_exit_codes() -> None:
    assert sorted((30, 0, 22, 2, 10, 36, 12, 31, 23), key=severity) == [0, 10, 12, 22, 23, 2, 30, 31, 36]
