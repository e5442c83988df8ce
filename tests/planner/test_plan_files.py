"""Plan files: what is read, what is refused and where, and that writing and reading agree."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.errors import ChorewrightError, InputError, InputErrors, UsageError
from chorewright.planner.plan import GroundAction, TimedStep, write_plan
from chorewright.planner.plan_files import LOG, PLAN, PlanFile, parse_plan, read_plan

A, B = GroundAction("a", ("x", "y")), GroundAction("b", ())


def steps(*actions: GroundAction) -> tuple[TimedStep, ...]:
    return tuple(TimedStep(number, action) for number, action in enumerate(actions, 1))


HALF = Fraction(1, 2)
READ = [
    ("(a x y)\n(b)\n", PlanFile(steps(A, B))),
    ("(A X Y)\r\n( b )\r\n; cost = 7 (general cost)\r\n", PlanFile(steps(A, B), 7.0)),
    (";;!domain: d\n;;!problem: p\n(b)\n; cost = 2.5 (unit cost)", PlanFile(steps(B), 2.5, "d", "p")),
    ("(a x y)(b) ; a comment (c)\n\n;(d)", PlanFile(steps(A, B))),
    ("\ufeff(b)", PlanFile(steps(B))),
    ("", PlanFile(())),
    ("0: (a x y)\n1: (b)\n; cost = 2 (unit cost)", PlanFile((TimedStep(0, A), TimedStep(1, B)), 2.0)),
    ("0.00000: (A X Y)\n1.50000: (B)", PlanFile((TimedStep(0, A), TimedStep(1 + HALF, B)))),
    ("5e-1:(a x y)\n\n 1e-3: (b)", PlanFile((TimedStep(HALF, A), TimedStep(Fraction(1, 1000), B)))),
    ("(a x y)\n7: (b) (b)", PlanFile((TimedStep(1, A), TimedStep(7, B), TimedStep(2, B)))),
    ("; LPG\nTime 0.1\n0.5:   (A X Y) [1.0000]", PlanFile((TimedStep(HALF, A, 1),))),
    ("00: (            a x y) [0]\n01: (b) [0]", PlanFile((TimedStep(0, A, 0), TimedStep(1, B, 0)))),
    ("0 : ( a\n  x y ; its objects\n)\n [ 0.5 ]\n1 : (b)", PlanFile((TimedStep(0, A, HALF), TimedStep(1, B)))),
    ("1: (b)\n0: (a x y)", PlanFile((TimedStep(1, B), TimedStep(0, A)))),
    ("ff: found legal plan as follows\n\nstep    0: A X Y\n        1: B\n        2: REACH-GOAL\n\ntime spent: 0.1 s",
     PlanFile((TimedStep(0, A), TimedStep(1, B)))),
    ("SequentialPlan:\n    a(x, y)\n    b()", PlanFile(steps(A, B))),
    ("a(x, y)\nb()", PlanFile(steps(A, B))),
    ("TimeTriggeredPlan:\n    0.5: a(x, y) [0.5]", PlanFile((TimedStep(HALF, A, HALF),))),
    ("STEP 0: a(x,y) b()\nSTEP 1: b()", PlanFile((TimedStep(0, A), TimedStep(0, B), TimedStep(1, B)))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READ)
def test_read(text: str, expected: PlanFile) -> None:
    assert parse_plan(text) == expected


LOGS = [
    ("[t=0.002s, 9924 KB] Solution found!\na x y (1)\nb (1)\n[t=0.002s] Plan length: 2 step(s).", steps(A, B)),
    ("Found Plan:\n0.0: (b)\n\nPlan-Length:1\nFound Plan:\n0.0: (a x y)\n", (TimedStep(0, A),)),
    ("Time: (ACTION) [action Duration; action Cost]\n 0.5: (A X Y) [D:0.50; C:1.00]", (TimedStep(HALF, A, HALF),)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LOGS)
def test_the_last_plan_of_an_output(text: str, expected: tuple[TimedStep, ...]) -> None:
    assert parse_plan(text, form=LOG).steps == expected
    with pytest.raises(InputErrors):
        parse_plan(text, form=PLAN)


def test_actions_are_in_the_order_of_their_times() -> None:
    plan = parse_plan("2: (b)\n1: (a x y)\n2: (b)")
    assert plan.actions == (A, B, B)
    assert plan.lines == (1, 2, 3)


@pytest.mark.parametrize(
    ("times", "sequence"), [("0 1", True), ("0 0", False), ("1 0", False), ("0 0.0001", False), ("0 0.00011", True)]
)
def test_times_that_are_a_tenth_of_the_tolerance_apart_are_one(times: str, sequence: bool) -> None:
    one, two = times.split()
    assert parse_plan(f"{one}: (b)\n{two}: (b)").is_sequence() == sequence


REFUSED = [
    ("(a x", [(1, 1)], "never closed"),
    ("(a x\n(b)", [(1, 1)], "never closed"),
    ("()", [(1, 1)], "without a name"),
    ("(a (b))", [(1, 4)], "inside an action"),
    (")", [(1, 1)], "without '('"),
    ("a x", [(1, 1)], "expected '('"),
    ("(b) [x]", [(1, 6)], "a duration is expected here, not 'x'"),
    ("(b) []", [(1, 6)], "a duration is expected here"),
    ("(b) [1", [(1, 5)], "'[' is never closed"),
    ("(b) [1] [2]\n(b) [1] [2]\n(b)", [(1, 9), (2, 9)], "a second '[' after a step"),
    ("(b) [1] [2] (b)", [(1, 9)], "a second '[' after a step"),
    ("(b) [1] [2 (b)", [(1, 12)], "a duration is expected here"),
    ("(b) [1]: [2]", [(1, 8)], "expected '('"),
    ("[1] (b)", [(1, 1)], "expected '(' before '['"),
    ("(\n0: (b)", [(1, 1)], "'(' is never closed"),
    ("-1: (b)", [(1, 1)], "expected '(' before '-1'"),
    ("b\n" * 50, [(i, 1) for i in range(1, 51)], "expected '('"),
    ("b\n" * 999, [*((i, 1) for i in range(1, 51)), (None, None)], "expected '('"),
    ("(b)\n1:\n", [(2, 1)], "no action follows '1:'"),
    ("0: 1: (b)", [(1, 4)], "expected '(' before '1'"),
    ("0 (b)", [(1, 1)], "expected '(' before '0'"),
    ("(a ?x)\n(b", [(1, 4), (2, 1)], "not a name"),
    ("(a x\n)\n()", [(3, 1)], "without a name"),
    ("; shop\n (define (domain shop)\n  (:types a)\n)", [(2, 2)], "a domain file where a plan is expected"),
    ("(DEFINE(Problem p)", [(1, 1)], "a problem file where a plan is expected"),
    ("(define)\n(define (b))", [(2, 9)], "inside an action"),
]


@pytest.mark.parametrize(("text", "places", "message"), REFUSED)
def test_refused(text: str, places: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(InputErrors) as caught:
        parse_plan(text, "my.plan")
    errors = caught.value.errors
    assert [(e.location.line, e.location.column) for e in errors if e.location] == places
    assert all(e.location is not None and e.location.path == "my.plan" for e in errors)
    assert message in errors[0].message


@pytest.mark.parametrize(
    ("token", "hinted"), [("0", True), ("0.000", True), ("1e-3", True), ("0:1", False), ("drive", False), ("-1", False)]
)
def test_a_number_without_its_colon_is_hinted_at(token: str, hinted: bool) -> None:
    with pytest.raises(InputErrors) as caught:
        parse_plan(f"{token} (drive v a b)")
    assert (f"as in {token}: (name" in (caught.value.hint or "")) == hinted
    if hinted:
        assert parse_plan(f"{token}: (drive v a b)").actions == (GroundAction("drive", ("v", "a", "b")),)


@pytest.mark.parametrize(("domain_name", "problem_name", "kind"), [
    ("gripper", "prob01.pddl", "unit"),
    ("elevators-opt08-strips", "p01.pddl", "general"),
])  # fmt: skip
def test_written_plans_read_the_same(tmp_path: Path, domain_name: str, problem_name: str, kind: str) -> None:
    domain, problem = competition_task(domain_name, problem_name)
    text = write_plan((A, B), 7.0, domain, problem)
    assert text.splitlines()[-1] == f"; cost = 7 ({kind} cost)"
    path = tmp_path / "plan"
    path.write_text(text)
    assert read_plan(path) == PlanFile(steps(A, B), 7.0, domain.name, problem.name)


@pytest.mark.parametrize(("content", "kind"), [(None, UsageError), (b"\xff\xfe(a)", InputError)])
def test_unreadable_files(tmp_path: Path, content: bytes | None, kind: type[ChorewrightError]) -> None:
    path = tmp_path / "plan"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(kind) as caught:
        read_plan(path)
    assert str(path) in str(caught.value)
