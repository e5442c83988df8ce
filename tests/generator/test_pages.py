"""Pages: one file with everything in it, that a browser shows without a network."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from chorewright.domains.library import household_domain
from chorewright.generator.alfred.benchmark import stored_problem
from chorewright.generator.config import GenerateConfig
from chorewright.generator.episode import Instruction
from chorewright.generator.pages import dataset_page, episode_page
from chorewright.generator.production.line import run
from chorewright.generator.store.dataset import Dataset
from chorewright.planner.validation import validate
from tests.command import invoke

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages") / "dataset"
    run(GenerateConfig("alfred", 2, options=(("scenes", ("FloorPlan402",)),)), made, workers=0)
    return made


def held(page: str) -> dict[str, object]:
    """The data of a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    value: dict[str, object] = json.loads(found[1])
    return value


def test_an_episode_page_holds_all_that_there_is_to_see(folder: Path) -> None:
    episode = Dataset(folder).episode(0)
    page = episode_page(episode, 64)
    data = held(page)
    assert len(data["frames"]) == len(data["places"]) == len(episode.steps) + 1
    first = data["frames"][0].removeprefix("data:image/jpeg;base64,")
    assert Image.open(io.BytesIO(base64.b64decode(first))).size == (64, 64)
    assert [step["name"] for step in data["steps"]] == [step.action for step in episode.steps]
    assert sum(len(step["added"]) for step in data["steps"]) == sum(len(step.added) for step in episode.steps)
    assert [action["text"] for action in data["plan"]] == [str(action) for action in episode.plan]
    assert any(action["added"] for action in data["plan"])
    assert data["problem"].count("(:goal") == 1
    assert data["goal"] == episode.goal
    assert {each["text"] for each in data["talk"]} == {
        each.text for each in episode.instructions if each.level == "goal"
    }
    assert all(0 < x < 1 and 0 < y < 1 for x, y, _ in data["places"])


def test_pages_ask_for_nothing(folder: Path) -> None:
    dataset = Dataset(folder)
    for page in (episode_page(dataset.episode(0), 64), dataset_page("d", dataset)):
        outside = re.sub(r'"http://www\.w3\.org/2000/svg"', "", page)
        assert not re.search(r"https?://|@import|src=\"(?!data:)|<link", outside)


def test_texts_cannot_end_the_data(folder: Path) -> None:
    evil = "</script><script>alert(1)</script><!-- <b>"
    episode = replace(Dataset(folder).episode(0), task=evil, instructions=(Instruction(evil, "goal"),))
    page = episode_page(episode, 64)
    assert page.count("</script>") == 2
    assert held(page)["sentence"] == evil


def test_the_verb(folder: Path, tmp_path: Path) -> None:
    result = invoke(["view", str(folder), "1", "--size", "64", "--out", str(tmp_path / "one.html")])
    assert result.exit_code == 0
    assert held((tmp_path / "one.html").read_text("utf-8"))["title"].endswith("episode 1")
    result = invoke(["view", str(folder), "--out", str(tmp_path / "all.html"), "--json"])
    assert json.loads(result.stdout)["bytes"] == (tmp_path / "all.html").stat().st_size
    assert invoke(["view", str(folder), "9"]).exit_code == 2
    assert invoke(["view", str(folder), "1", "--size", "1"]).exit_code == 2


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium browser")
def test_a_browser_shows_them(folder: Path, tmp_path: Path) -> None:
    dataset = Dataset(folder)
    steps = len(dataset.episode(0).steps)
    pages = {"one.html#3": episode_page(dataset.episode(0), 64), "all.html": dataset_page("rooms", dataset)}
    fewest = min(len(episode.steps) for episode in dataset)
    filtered = f"const most = document.querySelector('input[type=number]'); most.value = {fewest}; changed(most);"
    changed = "function changed(from) { from.dispatchEvent(new Event('input')); }"
    pages["few.html"] = pages["all.html"] + f"<script>{changed} {filtered}</script>"
    shown = {}
    for name, page in pages.items():
        path = tmp_path / name.split("#")[0]
        path.write_text(page, encoding="utf-8")
        browser = [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path}/p",
        ]
        run_ = subprocess.run(
            [*browser, "--dump-dom", f"file://{tmp_path}/{name}"],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        shown[name] = run_.stdout
    assert f"3 / {steps}" in shown["one.html#3"]
    assert shown["one.html#3"].count('class="now"') >= 2
    assert f"2 of {len(dataset)} episodes" in shown["all.html"]
    kept = sum(len(episode.steps) == fewest for episode in dataset)
    assert f"{kept} of {len(dataset)} episodes" in shown["few.html"]
    assert shown["few.html"].count("<tr hidden") == len(dataset) - kept


def test_the_problem_is_the_one_that_was_planned_for(folder: Path) -> None:
    """The stored plan reaches the goal of the problem made again; of another one nothing is shown."""
    for episode in Dataset(folder):
        problem = stored_problem(episode)
        assert problem is not None
        assert validate(household_domain(), problem, episode.plan).valid
        plan = held(episode_page(episode, 64))["plan"]
        known = {f"({' '.join(atom)})" for atom in problem.init}
        assert len(plan) == len(episode.plan)
        assert all(action["added"] or action["removed"] for action in plan)
        for action in plan:
            assert known.isdisjoint(action["added"])
            known = (known - set(action["removed"])) | set(action["added"])
    changed = replace(episode, problem_sha256="0" * 64)
    assert stored_problem(changed) is None
    assert held(episode_page(changed, 64))["problem"] == ""
