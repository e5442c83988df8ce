"""The verbs for authors of domains: what they write works as it is, and what is wrong is told with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.commands.families.domains import ENDINGS
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.planner.plan_files import read_plan
from chorewright.planner.validation import validate
from chorewright.problems.pddl.template_files import classic_names
from tests.command import chorewright, invoke


def test_a_new_domain_works_as_it_is(tmp_path: Path) -> None:
    done = invoke(["new-domain", "Parcels", "--out", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    files = json.loads(done.stdout)["files"]
    assert files == [str(tmp_path / "parcels" / f"domain{ending}") for ending in ENDINGS]
    folder, out = tmp_path / "parcels", tmp_path / "problems"
    done = invoke(["check-domain", str(folder), "--count", "8", "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["accepted"] == 8
    domain = load_domain(folder / "domain.pddl")
    assert domain.name == "parcels"
    for path in report["files"]:
        problem = load_problem(path, domain)
        assert validate(domain, problem, read_plan(Path(path).with_suffix(".plan")).actions).valid
    again = invoke(["new-domain", "parcels", "--out", str(tmp_path)])
    assert again.exit_code == 36
    assert "exists" in again.output + again.stderr


def test_small_problems_are_solved_before_anything_is_compiled(tmp_path: Path) -> None:
    done = chorewright("check-domain", "gripper", "-n", 3, "--band", "easy", env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("like", classic_names())
def test_a_domain_like_a_shipped_one(like: str, tmp_path: Path) -> None:
    assert invoke(["new-domain", "mine", "--out", str(tmp_path), "--like", like]).exit_code == 0
    done = invoke(["check-domain", str(tmp_path / "mine"), "--count", "2", "--band", "easy"])
    assert done.exit_code == 0, done.output + done.stderr


def test_domains_are_listed() -> None:
    done = invoke(["check-domain", "--json"])
    assert [each["name"] for each in json.loads(done.stdout)] == list(classic_names())
    assert "Rearrange towers" in invoke(["check-domain"]).output


def test_rejections_are_told(tmp_path: Path) -> None:
    """A lamp that is on already, or broken."""
    (tmp_path / "domain.pddl").write_text(
        "(define (domain d) (:requirements :adl) (:predicates (lit) (broken))"
        " (:action turn-on :precondition (and (not (lit)) (not (broken))) :effect (lit)))",
        encoding="utf-8",
    )
    (tmp_path / "domain.template").write_text(
        "(define (template t) (:domain d) (:init (one-of (lit) (broken))) (:goal (lit)))", encoding="utf-8"
    )
    done = invoke(["check-domain", str(tmp_path), "--count", "2", "--json"])
    assert done.exit_code == 1
    reasons = json.loads(done.stdout)["rejections"]
    assert any(each.startswith("start: trivial") for each in reasons)
    assert any(each.startswith("plan: unsolvable") for each in reasons)
    assert any(each.startswith("duplicate: ") for each in reasons)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["new-domain", "1st"], 2, "is no name of a domain"),
        (["new-domain", "a", "--like", "bloks"], 2, "did you mean 'blocks'"),
        (["check-domain", "bloks"], 2, "did you mean 'blocks'"),
        (["check-domain", "blocks", "--count", "0"], 2, "--count must be at least 1"),
        (["check-domain", "nowhere.pddl"], 2, "nowhere.pddl"),
        (["check-domain", "blocks", "--band", "x=3-1"], 2, "is no band"),
    ],
)
def test_wrong_words(
    words: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke(words)
    assert done.exit_code == code
    assert message in done.output + done.stderr


def test_mistakes_in_files_have_places(tmp_path: Path) -> None:
    invoke(["new-domain", "mine", "--out", str(tmp_path)])
    template = tmp_path / "mine" / "domain.template"
    template.write_text(template.read_text("utf-8").replace("(hands-free)", "(hand-free)"), encoding="utf-8")
    done = invoke(["check-domain", str(tmp_path / "mine")])
    assert done.exit_code == 31
    said = done.output + done.stderr
    assert "domain.template:" in said
    assert "did you mean 'hands-free'" in said
