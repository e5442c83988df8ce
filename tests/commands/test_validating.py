"""Reports for machines: JUnit's counts, cases and failures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command import invoke

DOMAIN = "(define (domain d) (:predicates (on ?x)) (:action press :parameters (?x) :effect (on ?x)))"
PROBLEM = "(define (problem p) (:domain d) (:objects a) (:init) (:goal (on a)))"


@pytest.mark.parametrize(("wrong", "failures"), [((), 0), (("one",), 1), (("one", "two"), 2)])
def test_a_junit_report_counts_a_case_for_each_file(tmp_path: Path, wrong: tuple[str, ...], failures: int) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    for name in ("one", "two"):
        (tmp_path / f"{name}.pddl").write_text(PROBLEM.replace("(on a)", "(onn a)") if name in wrong else PROBLEM)
    done = invoke(["check", str(tmp_path), "--format", "junit"])
    assert done.exit_code == (31 if wrong else 0)
    [suite] = ElementTree.fromstring(done.stdout)
    counts = {"tests": "3", "failures": str(failures), "errors": "0", "skipped": "0"}
    assert suite.attrib == {"name": "chorewright", **counts}
    failed = [Path(case.attrib["name"]).stem for case in suite if case.find("failure") is not None]
    assert (len(suite), failed) == (3, list(wrong))
