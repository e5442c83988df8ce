"""Plan files: what is read, what is refused and where, and that writing and reading agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.corpora.planning_tasks import competition_task
from chorewright.errors import ChorewrightError, InputError, InputErrors, UnsupportedError, UsageError
from chorewright.planner.plan import GroundAction
from chorewright.planner.plan_files import PlanFile, parse_plan, read_plan, write_plan

A, B = GroundAction("a", ("x", "y")), GroundAction("b", ())

READ = [
    ("(a x y)\n(b)\n", PlanFile((A, B))),
    ("(A X Y)\r\n( b )\r\n; cost = 7 (general cost)\r\n", PlanFile((A, B), 7.0)),
    (";;!domain: d\n;;!problem: p\n(b)\n; cost = 2.5 (unit cost)", PlanFile((B,), 2.5, "d", "p")),
    ("(a x y)(b) ; a comment (c)\n\n;(d)", PlanFile((A, B))),
    ("\ufeff(b)", PlanFile((B,))),
    ("", PlanFile(())),
    ("0: (a x y)\n1: (b)\n; cost = 2 (unit cost)", PlanFile((A, B), 2.0)),
    ("0.00000: (A X Y)\n1.00000: (B)", PlanFile((A, B))),
    ("0.001:(a x y)\n\n 1e-3: (b)", PlanFile((A, B))),
    ("(a x y)\n7: (b) 7: (b)", PlanFile((A, B, B))),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_read(text: str, expected: PlanFile) -> None:
    assert parse_plan(text) == expected


REFUSED = [
    ("(a x", [(1, 1)], "never closed"),
    ("(a x\n(b)", [(1, 1)], "never closed"),
    ("()", [(1, 1)], "without a name"),
    ("(a (b))", [(1, 4)], "inside an action"),
    (")", [(1, 1)], "without '('"),
    ("a x", [(1, 1)], "expected '('"),
    ("(b)\n0.000: (a x) [1.0]", [(2, 14)], "temporal"),
    ("1: (b)\n0.5: (a x)\n0: (b)", [(2, 1)], "'0.5:' follows '1:'"),
    ("2: (b)\n1: (b)\n(\n0: (b)", [(2, 1), (3, 1)], "the file (as in 1 further place)"),
    ("".join(f"{i}: (b) [1]\n" for i in range(300)), [(1, 8)], "supported (as in 299 further places)"),
    ("0: (b) [1]\n2: (b) [1]\n1: (b) [1]", [(1, 8), (3, 1)], "supported (as in 2 further places)"),
    ("b\n" * 50, [(i, 1) for i in range(1, 51)], "expected '('"),
    ("b\n" * 999, [*((i, 1) for i in range(1, 51)), (None, None)], "expected '('"),
    ("b\n" * 60 + "(b) [1]", [*((i, 1) for i in range(1, 51)), (61, 5), (None, None)], "expected '('"),
    ("(b)\n1:\n(b)", [(2, 1)], "no action follows '1:'"),
    ("0: 1: (b)", [(1, 4)], "expected '(' before '1:'"),
    ("0 (b)", [(1, 1)], "expected '(' before '0'"),
    ("(a ?x)\n(b", [(1, 4), (2, 1)], "not a name"),
    ("(a x\n)\n()", [(1, 1), (2, 1), (3, 1)], "never closed"),
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


@pytest.mark.parametrize("steps", [1, 300])
def test_temporal_plans_are_unsupported(steps: int) -> None:
    with pytest.raises(InputErrors) as caught:
        parse_plan("0.000: (a x) [1.0]\n" * steps)
    (error,) = caught.value.errors
    assert isinstance(error, UnsupportedError)
    assert caught.value.exit_code == error.exit_code


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
    assert read_plan(path) == PlanFile((A, B), 7.0, domain.name, problem.name)


@pytest.mark.parametrize(("content", "kind"), [(None, UsageError), (b"\xff\xfe(a)", InputError)])
def test_unreadable_files(tmp_path: Path, content: bytes | None, kind: type[ChorewrightError]) -> None:
    path = tmp_path / "plan"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(kind) as caught:
        read_plan(path)
    assert str(path) in str(caught.value)
