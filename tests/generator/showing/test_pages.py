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
from statistics import median

import pytest
from PIL import Image

from chorewright.domains.library import household_domain
from chorewright.generator.alfred.demonstration import read_problem
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode, Instruction, Step
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.showing.pages import _own_parameters, _sentence, dataset_page, episode_page, step_name
from chorewright.planner.validation import validate
from tests.command import ROOT, invoke
from tests.generator.toy import NAME, toy_config

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


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([("Go.", "step", 0), ("Put it.", "goal", None), ("Place it.", "goal", None)], "Put it."),
        ([("Now clean it.", "goal", 3), ("Tidy up.", "goal", None)], "Tidy up."),
        ([("Hello.", "utterance", 0), ("Now clean it.", "goal", 3)], "Now clean it."),
        ([("Hello.", "utterance", 0), ("Hi.", "utterance", 0)], "Hello."),
        ([], "tidy"),
    ],
)
def test_an_episode_is_about_its_goal(said: list[tuple[str, str, int | None]], sentence: str) -> None:
    texts = tuple(Instruction(text, level, segment=segment) for text, level, segment in said)
    assert _sentence(Episode("alfred", 0, 0, "tidy", (), "train", instructions=texts)) == sentence


def test_an_episode_page_holds_all_that_there_is_to_see(folder: Path) -> None:
    episode = Dataset(folder).episode(0)
    page = episode_page(episode, 64)
    data = held(page)
    assert len(data["frames"]) == len(data["places"]) == len(episode.steps) + 1
    first = data["frames"][0].removeprefix("data:image/jpeg;base64,")
    assert Image.open(io.BytesIO(base64.b64decode(first))).size == (64, 64)
    assert [step["name"] for step in data["steps"]] == [step_name(step) for step in episode.steps]
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
    for page in (episode_page(dataset.episode(0), 64), dataset_page([dataset], "d")):
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
    words = ["view", str(folder), "--pages", "1", "--workers", "0", "--size", "64", "--out"]
    result = invoke([*words, str(tmp_path / "all.html"), "--json"])
    rows = held((tmp_path / "all.html").read_text("utf-8"))["episodes"]
    assert [row["page"] for row in rows] == ["all_pages/000000.html", ""]
    linked = held((tmp_path / "all_pages" / "000000.html").read_text("utf-8"))
    assert linked["title"].endswith("episode 0")
    assert json.loads(result.stdout)["bytes"] == (tmp_path / "all.html").stat().st_size
    beside = ["view", str(folder), "0", "--beside", f"{folder}:1", "--size", "64", "--out", str(tmp_path / "two.html")]
    assert invoke(beside).exit_code == 0
    [other] = held((tmp_path / "two.html").read_text("utf-8"))["others"]
    assert other["title"].endswith("episode 1")
    assert invoke(["view", str(folder), "0", "--beside", str(folder)]).exit_code == 2
    assert invoke(["view", str(folder), "--beside", f"{folder}:1"]).exit_code == 2
    assert invoke(["view", str(folder), "9"]).exit_code == 2
    assert invoke(["view", str(folder), "1", "--size", "1"]).exit_code == 2


KEYS = """
const press = key => list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })), told = [];
press("End"); told.push(selected);
press("Home"); told.push(selected);
press("ArrowDown"); told.push(selected);
press("Enter"); told.push(by("details").open);
by("details").querySelector("button").click(); told.push(by("details").open);
document.body.dataset.told = told.join(" ");
"""
"""Presses keys in a gallery and notes what they do."""

WORDS = """
clearTimeout(waiting);
statistics();
const words = [...by("charts").lastChild.querySelectorAll("button > :first-child")];
document.body.dataset.words = words.map(each => each.textContent).join(" ");
document.body.dataset.lengths = by("charts").firstChild.lastChild.textContent;
all[0].about = "word ".repeat(400);
refresh();
document.body.dataset.lines = list.querySelector(".row").children[4].style.webkitLineClamp;
"""
"""Notes the words that a gallery counts, what it says of lengths, and after how many lines it cuts a long sentence."""


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium browser")
def test_a_browser_shows_them(folder: Path, tmp_path: Path) -> None:
    dataset = Dataset(folder)
    steps = len(dataset.episode(0).steps)
    pages = {"one.html#3": episode_page(dataset.episode(0), 64), "all.html": dataset_page([dataset], "rooms")}
    pages["two.html"] = episode_page(dataset.episode(0), 64, [dataset.episode(1)])
    fewest = min(len(episode.steps) for episode in dataset)
    filtered = f"{{ const at = document.querySelector('input[type=number]'); at.value = {fewest}; changed(at); }}"
    changed = "function changed(from) { from.dispatchEvent(new Event('input')); }"
    pages["keys.html"] = pages["all.html"] + f"<script>{KEYS}</script>"
    pages["words.html"] = pages["all.html"] + f"<script>{WORDS}</script>"
    pages["few.html"] = pages["all.html"] + f"<script>{changed} {filtered}</script>"
    shown = {}
    for name, page in pages.items():
        path = tmp_path / name.split("#")[0]
        path.write_text(page, encoding="utf-8")
        browser = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/p"]
        run_ = subprocess.run(
            [*browser, "--enable-logging=stderr", "--dump-dom", f"file://{tmp_path}/{name}"],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        shown[name] = run_.stdout
        assert "CONSOLE" not in run_.stderr, "no errors on the console"
    assert f"3 / {steps}" in shown["one.html#3"]
    assert shown["one.html#3"].count('class="now"') >= 2
    assert " × " in shown["one.html#3"], "steps that repeat are one chip"
    assert shown["two.html"].count("<article>") == 2
    assert f"2 of {len(dataset)} episodes" in shown["all.html"]
    assert 'data-told="1 0 1 true false"' in shown["keys.html"]
    words = re.findall(r'data-words="([^"]*)"', shown["words.html"])[0].split()
    assert len(words) == 12
    assert {"the", "to", "on", "a"}.isdisjoint(words), "function words tell nothing"
    assert f", median {median(len(each.steps) for each in dataset):g}," in shown["words.html"]
    assert 'data-lines="4"' in shown["words.html"]
    kept = sum(len(episode.steps) == fewest for episode in dataset)
    assert f"{kept} of {len(dataset)} episodes" in shown["few.html"]
    assert shown["few.html"].count('role="option"') == kept


def test_steps_are_named_with_what_they_act_on() -> None:
    named = [
        ("PickupObject", '{"objectId": "Mug|+00.10|+00.93|-01.20"}', "PickupObject Mug"),
        ("take", '{"object": "mug#1"}', "take mug#1"),
        ("MoveAhead", '{"moveMagnitude": 0.25}', "MoveAhead"),
        ("RotateLeft_90", '{"action": "RotateLeft", "forceAction": true}', "RotateLeft_90"),
        ("go", '["kitchen"]', "go kitchen"),
        ("pick-up", '{"arguments": ["robot", "cup_1"], "command": "take the cup"}', "take the cup"),
    ]
    assert [step_name(Step(action, 0, arguments)) for action, arguments, _ in named] == [each[2] for each in named]


def test_a_gallery_of_the_toy(tmp_path: Path) -> None:
    """Episodes without pictures: rows have what filters, order and search need."""
    run(toy_config(9, reject=4), tmp_path / "d", workers=0)
    data = held(dataset_page([Dataset(tmp_path / "d")], "d"))
    assert data["subtitle"] == f"7 episodes of {NAME}, seed 3, 2 rejected"
    first = data["episodes"][0]
    assert (first["tasks"], first["room"], first["split"], first["level"]) == (["count-to-0"], "Room0", "train", "")
    assert first["parameters"] == [["object", "thing0"]]
    assert [who for who, _ in first["sentences"]] == ["goal", "step"]
    assert [row["index"] for row in data["episodes"]] == [0, 1, 2, 4, 5, 6, 8]


def test_numbers_of_teach_are_named(folder: Path) -> None:
    """By the notes of its definitions; what is a word, or a note that lists choices, has no name."""
    salad = tuple((str(place), value) for place, value in enumerate("210"))
    told = replace(Dataset(folder)[0], benchmark="teach", task="Salad", parameters=salad)
    named = [("slices of lettuce", "2"), ("slices of tomato", "1"), ("cooked slices of potato", "0")]
    assert _own_parameters(told) == named
    slices = (("0", "2"), ("1", "Tomato"), ("2", "on"), ("3", "Plate"))
    told = replace(told, task="N Slices Of X In Y", parameters=slices)
    assert _own_parameters(told) == [("how many slices", "2"), ("", "Tomato"), ("", "on"), ("", "Plate")]
    told = replace(told, task="Toggle X All Y", parameters=(("0", "on"), ("1", "1"), ("2", "Lights")))
    assert _own_parameters(told) == [("", "on"), ("", "1"), ("", "Lights")]
    told = replace(told, task="Task of a user", parameters=salad)
    assert _own_parameters(told) == [("", "2"), ("", "1"), ("", "0")]


def test_a_gallery_stands_beside_the_paper(folder: Path, tmp_path: Path) -> None:
    dataset = Dataset(folder)
    found = {label: (ours, paper) for label, ours, paper in held(dataset_page([dataset], "d", pictures=0))["paper"]}
    steps = sum(len(episode.steps) for episode in dataset) / len(dataset)
    assert found["actions a demonstration"] == (f"{steps:.1f}", "49.7")
    assert found["demonstrations"] == ("2", "8,055")
    run(toy_config(3), tmp_path / "d", workers=0)
    assert held(dataset_page([Dataset(tmp_path / "d")], "d"))["paper"] == [], "the toy has no paper"


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it, of ``#rgb`` or ``#rrggbb``."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("template", ["view.html", "gallery.html"])
def test_texts_have_enough_contrast(template: str) -> None:
    """At least 4.5:1, in light and dark."""
    text = (ROOT / "chorewright" / "generator" / "showing" / "data" / template).read_text("utf-8")
    light, dark = re.findall(r":root \{ (--ink.*?) \}", text)
    colours = dict(re.findall(r"--(\w+): (#\w+)", light))
    for theme in (colours, colours | dict(re.findall(r"--(\w+): (#\w+)", dark))):
        inks = [name for name in ("ink", "soft", "done", "now", "minus", "mark") if name in theme]
        for ground in ("card", "ground"):
            for ink in inks:
                high, low = sorted((luminance(theme[ink]), luminance(theme[ground])), reverse=True)
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground, theme)


def test_the_problem_is_the_one_that_was_planned_for(folder: Path) -> None:
    """The stored plan reaches the goal of the problem made again; of another one nothing is shown."""
    for episode in Dataset(folder):
        problem = read_problem(episode)
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
    assert read_problem(changed) is None
    assert held(episode_page(changed, 64))["problem"] == ""
