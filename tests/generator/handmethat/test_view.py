"""What ``generate`` and ``show`` say of HandMeThat: each figure is counted again from the stored episodes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.handmethat.assignment import settings
from chorewright.generator.handmethat.evaluation import rules_at
from chorewright.generator.handmethat.stored_task import task_of
from chorewright.generator.handmethat.trajectory import rules_of
from chorewright.generator.showing.view import SHOWN, count_reasons, tries_lines
from chorewright.rsa.handmethat.requests import action_sentence
from tests.command import run_here

Run = Callable[..., tuple[int, str, str]]

EPISODES = 4


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a verb in this process; returns exit code, output and errors."""

    def verb(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "400")
        try:
            run_here(arguments)
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return verb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of version 1."""
    out = tmp_path_factory.mktemp("handmethat") / "set"
    run_here(words(out))
    return out


def words(folder: Path) -> list[object]:
    """The command that makes it, or finds it complete."""
    made = ["generate", "handmethat", "--version", "1", "--costs", "satisficing", "--workers", "0"]
    return [*made, "-n", EPISODES, "--seed", "17", "--out", folder]


def tries(folder: Path) -> Counter[str]:
    return Counter(each.partition(": ")[2] for episode in Dataset(folder) for each in episode.rejections)


def test_generate_counts_rejected_tries_by_reason(run: Run, folder: Path) -> None:
    code, out, _ = run(*words(folder))
    found = tries(folder)
    assert code == 0
    assert found
    assert f"rejected attempts by reason ({found.total()}, " in out
    for reason, count in found.items():
        assert f"{count:>7}  {reason}\n" in out
    code, out, _ = run(*words(folder), "--json")
    assert json.loads(out)["tries"] == found


def test_an_overview_has_the_shares_of_requests_and_levels(run: Run, folder: Path) -> None:
    tasks = [task_of(episode) for episode in Dataset(folder)]
    code, out, _ = run("show", folder, "--json")
    found = json.loads(out)
    assert code == 0
    assert {
        (request, int(level)): count
        for request, levels in found["requests"].items()
        for level, count in levels.items()
        if count
    } == Counter((task.meaning.quest.value, task.level) for task in tasks)
    assert found["costs"] == {"satisficing": len(tasks)}
    assert found["tries"] == tries(folder)
    assert sum(each["episodes"] for each in found["tasks"]) == len(tasks)
    for each in found["tasks"]:
        of_goal = [task for task in tasks if task.template == each["task"]]
        for name, values in (
            ("watched", [task.observed for task in of_goal]),
            ("planned", [len(task.plan) for task in of_goal]),
            ("helped", [len(task.demonstration) for task in of_goal]),
        ):
            assert each[name] == pytest.approx(sum(values) / len(values), abs=1e-3)
    _, out, _ = run("show", folder)
    for level, count in Counter(task.level for task in tasks).items():
        assert f"level {level}" in out
        assert f"{count} ({100 * count / len(tasks):.1f} %)" in out
    for word in ("conditions", " rooms ", "segments"):
        assert word not in out


def test_an_episode_tells_all_that_its_level_follows_from(run: Run, folder: Path) -> None:
    for episode in Dataset(folder):
        task = task_of(episode)
        code, out, _ = run("show", folder, episode.index)
        assert code == 0
        watched, left = out.split(f"T = {task.observed}: the human stops and says")
        for number, action in enumerate(task.plan):
            line = f"{number + 1:>3}. {action_sentence(action)}"
            assert (line in watched, line in left) == (number < task.observed, number >= task.observed), line
        assert f'"{task.sentence}"' in left
        assert f"level   {task.level}: A(m) " in left
        for name, count in (
            ("u", len(task.context.groundings(task.utterance))),
            ("m", len(task.groundings)),
            ("G", len(task.useful)),
        ):
            assert f"A({name})" in left
            assert f" {count}: " in left, name
        assert all(command in left for command in task.demonstration)
        assert left.count("rejected: ") == len(episode.rejections)


@pytest.mark.parametrize(("version", "hint"), [("2", True), ("1", False)])
def test_goals_of_few_actions_are_told_of(
    version: str, hint: bool, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = replace(settings(), tries=12, tries_each=12, stops={1: 1, 2: 1}, draws={1: 1, 2: 1})
    for module in ("benchmark", "assignment"):
        monkeypatch.setattr(f"chorewright.generator.handmethat.{module}.settings", lambda: few)
    asked = ["generate", "handmethat", "--tasks", "handmethat/cleaning-floors", "--version", version]
    code, _, errors = run(*asked, "--costs", "satisficing", "-n", 1, "--workers", 0, "--out", tmp_path)
    if hint:
        assert code == 1
        assert "the plan is too short to stop within it (" in errors
    assert ("--version 1" in errors) is hint


def test_reasons_beyond_the_most_frequent_are_counted_together() -> None:
    rejections = [f"t: reason {number}" for number in range(SHOWN + 5) for _ in range(number + 1)]
    found = count_reasons(rejections)
    lines = list(tries_lines(found, 10))
    assert sum(found.values()) == len(rejections)
    assert len(lines) == SHOWN + 2
    assert lines[0].startswith(f"rejected attempts by reason ({len(rejections)}, {len(rejections) / 10:.1f} ")
    assert sum(int(line.split()[0]) for line in lines[1:]) == len(rejections)
    assert list(tries_lines({}, 3)) == []


def test_a_dataset_says_by_which_rules_it_is_made(folder: Path, tmp_path: Path) -> None:
    assert rules_at(folder) == rules_of(1) != rules_of(2)
    assert rules_at(tmp_path) is None
