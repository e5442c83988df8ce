"""A user's package with a world, a benchmark, an export format, an engine and a verb, driven through all verbs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.generator import Dataset
from tests.command import ROOT, digests
from tests.documents import blocks
from tests.plugin.environment import PACKAGE, Run, install, runner
from tests.test_site import site_pages


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the installed package."""
    return install(PACKAGE, tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which commands run."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def run(site: Path, work: Path) -> Run:
    """Runs chorewright where the package is installed, in a folder that holds a dataset of it."""
    run = runner(work, site)
    made = run("generate", "washday", "--episodes", 10, "--shard-size", 5, "--workers", 2, "--out", "data", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["accepted"] == 10
    return run


def done(run: Run, *words: object) -> str:
    """What a command prints that succeeds."""
    found = run(*words)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def test_its_tasks_are_listed_and_started(run: Run) -> None:
    names = [each["name"] for each in json.loads(done(run, "tasks", "--json"))]
    assert {"laundry/put_away", "laundry/hand_me", "alfred/pick_and_place_simple"} <= set(names)
    assert "shirt, towel" in done(run, "tasks", "put_away")
    done(run, "new-task", "wash-all", "--domain", "laundry")
    report = json.loads(done(run, "check-task", "wash-all.task", "--rooms", 2, "--scene", "basement", "--json"))
    assert report["solved"] == 2


def test_a_task_is_compiled_and_planned_by_its_engine(run: Run) -> None:
    slots = ("--slot", "cloth=Sock", "--slot", "place=shelf")
    said = done(run, "compile", "put_away", *slots, "--scene", "basement", "--seed", 3, "--out", "pddl")
    assert "Wash the socks, fold them and put them onto the shelf. (basement)" in said
    planned = json.loads(done(run, "plan", "pddl/domain.pddl", "pddl/problem.pddl", "--engine", "thrifty", "--json"))
    assert planned["cost"] == len(planned["plan"]) == 17
    assert "astar" in planned["configuration"]
    refused = run("compile", "put_away", "--slot", "cloth=sock", "--slot", "place=drawer", "--scene", "basement")
    assert refused.returncode == 2
    assert "basement does not suit laundry/put_away: there is no drawer" in refused.stderr


def test_attempts_of_a_task_are_those_of_generate(run: Run, work: Path) -> None:
    report = json.loads(done(run, "check-task", "laundry/hand_me", "--rooms", 3, "--json"))
    assert (report["solved"], list(report["stages"])[-2:]) == (3, ["goal", "say"])
    done(run, "generate", "washday", "--tasks", "laundry/hand_me", "--episodes", 3, "--workers", 0, "--out", "hands")
    tried = [(each["seed"], each["steps"], each["sentence"]) for each in report["trials"]]
    assert tried == [(each.seed, len(each.steps), each.instructions[0].text) for each in Dataset(work / "hands")]


def test_a_dataset_is_the_same_however_it_is_made(run: Run, work: Path) -> None:
    done(run, "generate", "washday", "--episodes", 10, "--shard-size", 5, "--workers", 0, "--out", "again")
    verdict = json.loads(done(run, "verify", "data", "--remake", 3, "--json"))
    assert (verdict["ok"], verdict["remade"]) == (True, 3)
    assert digests(work / "data" / "data") == digests(work / "again" / "data")


def test_episodes_are_shown_and_run_again(run: Run) -> None:
    shown = done(run, "show", "data", 1)
    for text in ("put_away: cloth towel, place shelf", "Put the towel onto the shelf.", "Press", "met     folded"):
        assert text in shown
    assert json.loads(done(run, "replay", "data", "--json"))["replayed"] == 10
    drawn = json.loads(done(run, "replay", "data", "--render", "rgb", "--size", 32, "--workers", 0, "--json"))
    assert drawn["frames"] > 60
    film = done(run, "replay", "data", "--video", "--episode", 1, "--size", 64, "--workers", 0)
    assert "videos 1" in film
    page = json.loads(done(run, "view", "data", 1, "--out", "episode.html", "--json"))
    assert page["bytes"] > 40_000  # with a picture for each step
    assert done(run, "view", "data", "--out", "data.html")


def test_a_benchmark_takes_sixty_lines_and_serves_the_verbs(run: Run, work: Path) -> None:
    assert len((PACKAGE / "laundry" / "folding.py").read_text("utf-8").splitlines()) <= 60
    made = json.loads(done(run, "generate", "folding", "--episodes", 4, "--workers", 0, "--out", "folded", "--json"))
    assert made["accepted"] == 4
    assert set(made["rejections"]) <= {"start", "plan"}
    assert json.loads(done(run, "verify", "folded", "--remake", 2, "--json"))["remade"] == 2
    assert json.loads(done(run, "replay", "folded", "--json"))["replayed"] == 4
    first = Dataset(work / "folded")[0]
    assert first.instructions[0].text == "Wash and fold every sock."
    assert [name for name, met in first.outcome.conditions if met] == ["goal"]
    assert "Press" in {each.action for each in first.steps}


def test_a_dataset_is_exported(run: Run) -> None:
    assert "10 episodes" in done(run, "export", "data", "--format", "diary", "--out", "diary")
    assert "--shout" in done(run, "export", "--format", "diary", "--help")
    refused = run("export", "data", "--format", "alfred", "--out", "other")
    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr


def test_the_page_shows_the_package_as_it_is() -> None:
    kept = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    files = {f"package/{path.relative_to(PACKAGE)}": path.read_text("utf-8") for path in kept}
    whole = blocks("laundry_package.md", site_pages().package_page())
    assert {each.file: each.text for each in whole} == files
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    shown = [each for each in blocks("extending.md", page) if each.file]
    assert shown
    assert all(files[each.file] == each.text for each in shown)


def test_the_verb_is_there(run: Run) -> None:
    assert json.loads(done(run, "count-clothes", "data", "--json"))["folded"] > 0


def test_misspelt_scenes_and_splits_are_refused(run: Run) -> None:
    for flag, word, hint in (("--scene", "cellar", "laundries: basement"), ("--splits", "trian", "'train'")):
        refused = run("generate", "washday", flag, word, "--out", "nothing")
        assert refused.returncode == 2
        assert hint in refused.stderr
