"""``check``, ``fmt`` and the reports of ``validate``: what they find, in every format, and what they leave alone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from benchmarks.corpora.reference import SAMPLE, sample
from tests.command import ROOT, chorewright, invoke
from tests.domains.pddl.test_competition_files import PROBLEMS
from tests.problems.behavior.test_scenes import OWN

DOMAIN = """(define (domain switches)
  (:predicates (on ?x))
  (:action press
    :parameters (?x)
    :effect (on ?x)))
"""
PROBLEM = """(define (problem two)
  (:domain switches)
  (:objects a b)
  (:init)
  (:goal (and (on a) (on b))))
"""
TASK = ROOT / "chorewright" / "domains" / "household" / "tasks"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "two.pddl").write_text(PROBLEM)
    (tmp_path / "bad.pddl").write_text(PROBLEM.replace("(on b)", "(onn b, c)"))
    (tmp_path / "own.bddl").write_text(OWN)
    (tmp_path / "odd.bddl").write_text(OWN.replace("kitchen", "kichen"))
    (tmp_path / "good.plan").write_text("; both\n(press a)\n(press b)\n")
    (tmp_path / "short.plan").write_text("; cost = 1\n(press a)\n")
    (tmp_path / "odd.plan").write_text("(press a)\n\n(push b)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_shipped_files_have_no_errors() -> None:
    done = invoke(["check", str(ROOT / "chorewright" / "domains" / "classic"), str(TASK)])
    assert done.exit_code == 0, done.output
    assert re.search(r"^\d\d+ files: no errors, \d+ warnings\n\Z", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("name", sorted({path.split("/")[1] for path in PROBLEMS if path.startswith("ipc/")}))
def test_competition_files_find_their_domains(name: str) -> None:
    problems = [str(path) for path in sorted((SAMPLE / "ipc" / name).glob("*.pddl")) if path.name != "domain.pddl"]
    assert invoke(["check", *problems]).exit_code == 0


def test_domains_of_several_problems_are_told_apart(folder: Path) -> None:
    own = folder / "pairs"
    own.mkdir()
    for number in (1, 2):
        (own / f"p{number}-domain.pddl").write_text(DOMAIN.replace("(on ?x)", f"(on{number} ?x)"))
        (own / f"p{number}.pddl").write_text(PROBLEM.replace("(on ", f"(on{number} "))
    assert invoke(["check", "pairs"]).exit_code == 0
    assert invoke(["check", "two.pddl", "pairs"]).exit_code == 31
    below = folder / "instances"
    below.mkdir()
    shutil.copy(folder / "two.pddl", below)
    assert invoke(["check", "instances/two.pddl"]).exit_code == 0
    (folder / "domain.pddl").unlink()
    done = invoke(["check", "instances/two.pddl", "--format", "json"])
    assert done.exit_code == 31
    assert "there is no domain 'switches'" in json.loads(done.stdout)[0]["message"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["domain.pddl", "two.pddl"], 0),
        (["bad.pddl"], 31),
        (["own.bddl"], 0),
        (["odd.bddl", "own.bddl"], 31),
        (["nothing.pddl"], 2),
        ([".", "--domain", "domain.pddl"], 31),
        (["two.pddl", "--domain", "two.pddl"], 31),
    ],
)
def test_exit_codes(folder: Path, words: list[str], code: int) -> None:
    assert invoke(["check", *words]).exit_code == code


def test_findings_in_every_format(folder: Path) -> None:
    rows = json.loads(invoke(["check", ".", "--json"]).stdout)
    assert [(row["path"], row["line"], row["rule"]) for row in rows] == [("bad.pddl", 5, "malformed")] * len(rows)
    assert rows
    lines = invoke(["check", ".", "--format", "github"]).stdout.splitlines()
    assert len(lines) == len(rows)
    assert lines[0].startswith("::error file=bad.pddl,line=5,col=")
    log = json.loads(invoke(["check", ".", "--format", "sarif"]).stdout)
    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    known = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result, row in zip(run["results"], rows, strict=True):
        assert known[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == row["path"]
        assert place["region"] == {"startLine": row["line"], "startColumn": row["column"]}
    suites = ElementTree.fromstring(invoke(["check", ".", "--format", "junit"]).stdout)
    [suite] = suites
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0"}
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["bad.pddl"]


def test_a_plan_s_failing_step_has_its_line(folder: Path) -> None:
    words = ["validate", "domain.pddl", "two.pddl", "good.plan", "short.plan", "odd.plan", "--format"]
    done = invoke([*words, "github"])
    assert done.exit_code == 1
    first, second = done.stdout.splitlines()
    assert first.startswith("::error file=short.plan,title=chorewright invalid-plan::")
    assert second.startswith("::error file=odd.plan,line=3,title=chorewright invalid-plan::")
    suites = ElementTree.fromstring(invoke([*words, "junit"]).stdout)
    assert [case.find("failure") is None for case in suites[0]] == [True, False, False]
    results = json.loads(invoke([*words, "sarif"]).stdout)["runs"][0]["results"]
    places = [each["locations"][0]["physicalLocation"]["region"] for each in results]
    assert places == [{"startLine": 1}, {"startLine": 3}]


def test_a_broken_task_is_reported_for_validate(folder: Path) -> None:
    done = invoke(["validate", "domain.pddl", "bad.pddl", "good.plan", "--format", "github"])
    assert done.exit_code == 31
    assert done.stdout.startswith("::error file=bad.pddl,line=5,col=")
    assert invoke(["validate", "domain.pddl", "two.pddl", "good.plan", "--json", "--format", "junit"]).exit_code == 2


def test_annotations_hold_no_line_breaks_or_separators(folder: Path) -> None:
    (folder / "a,b%:c.pddl").write_text("(define (problem x))")
    [line] = invoke(["check", "a,b%:c.pddl", "--format", "github"]).stdout.splitlines()
    assert line.startswith("::error file=a%2Cb%25%3Ac.pddl,")
    [result] = json.loads(invoke(["check", "a,b%:c.pddl", "--format", "sarif"]).stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "a%2Cb%25%3Ac.pddl"}


UNTIDY = "(DEFINE (domain  x)\n(:predicates (p)   ; why\n (q)) )"
TIDY = "(DEFINE (domain x)\n  (:predicates\n    (p)  ; why\n    (q)))\n"


def test_fmt_writes_checks_and_shows(folder: Path) -> None:
    path = folder / "x.pddl"
    path.write_text(UNTIDY)
    assert invoke(["fmt", "--check", "x.pddl"]).exit_code == 1
    done = invoke(["fmt", "--diff", "x.pddl"])
    assert (done.exit_code, path.read_text()) == (0, UNTIDY)
    assert "+    (p)  ; why\n" in done.stdout
    assert invoke(["fmt", "x.pddl"]).exit_code == 0
    assert path.read_text() == TIDY
    before = path.stat().st_mtime_ns
    assert invoke(["fmt", "x.pddl"]).exit_code == 0
    assert path.stat().st_mtime_ns == before
    assert invoke(["fmt", "--check", "x.pddl"]).exit_code == 0
    assert invoke(["fmt", "-"], input=UNTIDY).stdout == TIDY


def test_fmt_keeps_line_ends_and_bytes_of_comments(folder: Path) -> None:
    path = folder / "x.pddl"
    path.write_bytes(b"(define (domain x) ; caf\xe9\r\n(:predicates (p)))\r\n")
    assert invoke(["fmt", "x.pddl"]).exit_code == 0
    assert path.read_bytes() == b"(define (domain x)  ; caf\xe9\r\n  (:predicates (p)))\r\n"


def test_fmt_leaves_what_it_cannot_read(folder: Path) -> None:
    broken = "(define (domain x) (:predicates (p))"
    (folder / "x.pddl").write_text(broken)
    (folder / "y.pddl").write_text(UNTIDY)
    (folder / "t.task").write_text("(define (task x))")
    assert invoke(["fmt", "x.pddl", "y.pddl"]).exit_code == 31
    assert ((folder / "x.pddl").read_text(), (folder / "y.pddl").read_text()) == (broken, TIDY)
    assert invoke(["fmt", "t.task"]).exit_code == 2
    assert invoke(["fmt", "empty"]).exit_code == 2


def test_hooks_are_verbs_and_the_page_s_pattern_reads_errors(folder: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["entry"] for hook in hooks] == ["chorewright check", "chorewright fmt"]
    page = (ROOT / "docs" / "continuous_integration.md").read_text()
    matcher = json.loads(page.split("```json .vscode/tasks.json\n")[1].split("```")[0])["tasks"][0]["problemMatcher"]
    pattern = re.compile(matcher["pattern"]["regexp"])
    errors = [found for found in map(pattern.match, chorewright("check", ".", cwd=folder).stderr.splitlines()) if found]
    rows = json.loads(invoke(["check", ".", "--json"]).stdout)
    assert [(found[1], int(found[2]), found[4]) for found in errors] == [
        (row["path"], row["line"], row["message"]) for row in rows
    ]


def test_the_samples_are_found() -> None:
    assert sample("ipc").is_dir()


def test_a_plan_comes_by_standard_input(folder: Path) -> None:
    good = invoke(["validate", "domain.pddl", "two.pddl", "-"], input="(press a)\r\n(press b)\n")
    assert (good.exit_code, good.stdout) == (0, "-: valid: cost 2\n")
    assert invoke(["validate", "domain.pddl", "two.pddl", "-"], input="(press a)\n").exit_code == 1
    broken = invoke(["validate", "domain.pddl", "two.pddl", "-"], input="press a)\n")
    assert broken.exit_code == 31
    assert broken.stderr.startswith("<stdin>:1:")
