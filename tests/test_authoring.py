"""docs/task_files.md and docs/task_words.md list what there is, and the commands in the head of a new task work."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from chorewright.domains.library import household_domain, household_vocabulary, user_library
from tests.command import ROOT, environment, run_line

DOCUMENT = ROOT / "docs" / "task_files.md"
WORDS = ROOT / "docs" / "task_words.md"


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_line(command, folder, environment({"NO_COLOR": "1", "COLUMNS": "120"}))


def test_the_page_lists_all_sets() -> None:
    section = WORDS.read_text(encoding="utf-8").split("## Sets\n")[1]
    listed = set(re.findall(r"`([a-z-]+)`", section.split("|---|---|")[1]))
    assert listed == set(household_vocabulary().sets)


def test_the_page_lists_all_predicates() -> None:
    section = WORDS.read_text(encoding="utf-8").split("## Predicates\n")[1].split("## Sets\n")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `(")]
    listed = [found for row in rows for found in re.findall(r"`\(([^`]*)\)`", row)]
    declared = {each.name: len(each.parameters) for each in household_domain().predicates}
    assert {found.split()[0]: found.count("?") for found in listed} == declared
    assert len(listed) == len(declared)


@pytest.mark.parametrize(
    ("domain", "verbs"),
    [
        ("household", ["check-task", "compile", "generate"]),
        ("handmethat", ["check-task", "compile", "generate"]),
        ("tabletop", ["check-task", "compile"]),
    ],
)
def test_the_commands_in_the_head_of_a_new_task_work(domain: str, verbs: list[str], tmp_path: Path) -> None:
    text = user_library().scaffold("set-the-table", domain)
    (tmp_path / "set-the-table.task").write_text(text, encoding="utf-8")
    found = re.findall(r"^;   (chorewright .*?)(?:  +\S.*)?$", text, re.MULTILINE)
    assert [command.split()[1] for command in found] == verbs
    for command in found:
        short = {"check-task": " --rooms 1", "generate": " --workers 0"}.get(command.split()[1], "")
        result = run(command.replace("--episodes 20", "--episodes 2") + short, tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"


def test_the_page_lists_all_sections() -> None:
    from chorewright.domains.templates.parser import SECTIONS

    text = DOCUMENT.read_text(encoding="utf-8")
    assert re.findall(r"^\| `\((:\w+)", text, re.MULTILINE) == list(SECTIONS)


THERMOS = """{"Thermos": {"affordances": ["pickupable"], "fits": ["CounterTop", "Fridge"], "rooms": ["kitchen"]}}"""
CHILL = """(define (task chill) (:domain household) (:rooms kitchen)
  (:goal (exists (?t - thermos ?f - fridge) (and (in ?t ?f) (cold-enough ?t)))) (:say "Cool the thermos."))"""


def test_own_kinds_and_domain_reach_workers_and_readers_by_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kinds from the search path and a domain with a predicate of the user's, then a reader that has neither."""
    from chorewright.generator.dataset.store.dataset import Dataset

    own, out = tmp_path / "own" / "kinds", tmp_path / "out"
    own.mkdir(parents=True)
    (own / "thermos.json").write_text(THERMOS, encoding="utf-8")
    (tmp_path / "chill.task").write_text(CHILL, encoding="utf-8")
    shipped = (ROOT / "chorewright" / "domains" / "household" / "domain.pddl").read_text("utf-8")
    added = shipped.rstrip().removesuffix(")").replace("(:predicates", "(:predicates (cold-enough ?x - item)", 1)
    axiom = "(:derived (cold-enough ?x - item) (exists (?f - fridge) (in ?x ?f))))\n"
    (tmp_path / "mine.pddl").write_text(added + axiom, encoding="utf-8")
    monkeypatch.setenv("CHOREWRIGHT_PATH", str(tmp_path / "own"))
    options = "--tasks chill.task --domain mine.pddl --episodes 2 --workers 2 --out out"
    made = run(f"chorewright generate alfred {options}", tmp_path)
    monkeypatch.delenv("CHOREWRIGHT_PATH")
    assert made.returncode == 0, made.stderr
    dataset = Dataset(out)
    assert [name for name, _ in dataset.manifest.config.task_files] == [
        "chill.task",
        "kinds/thermos.json",
        "domains/mine.pddl",
    ]
    for episode in dataset:
        assert {thing.traits.name for thing in episode.room.objects if "Thermos" in thing.kind} == {"Thermos"}
        assert episode.room.kinds["Thermos"].fits == {"CounterTop", "Fridge"}
        assert episode.domain_sha256 == episode.room.kinds.domain_sha256
    checked = run("chorewright verify out --remake 2", tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
