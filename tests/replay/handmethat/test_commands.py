"""The verbs play, evaluate and verify for HandMeThat: output and exit codes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright import __version__
from chorewright.replay.handmethat.reference import file_name, reference_of_task
from tests.command import chorewright, run_here
from tests.replay.handmethat.tasks import stored

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two episodes in the reference's format."""
    for number, task in enumerate(stored()[:2]):
        path = tmp_path / file_name(task, number)
        path.write_text(json.dumps(reference_of_task(task, number)))
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a verb in this process; returns exit code, output and errors."""

    def verb(*arguments: object, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        monkeypatch.setenv("COLUMNS", "120")  # test runners set it to what their own terminal has
        try:
            run_here(arguments)
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return verb


def test_playing_to_the_end_wins(run: Run, files: Path) -> None:
    task = stored()[0]
    path = files / file_name(task, 0)
    typed = "\n".join(["help", "", "nonsense", *task.demonstration, "look"])
    code, out, _ = run("play", "handmethat", "--reference", path, typed=typed)
    assert code == 0
    assert task.sentence in out
    assert "I can't understand." in out
    assert out.endswith("You reach the goal!\nScore 95 after 5 moves.\n")


@pytest.mark.parametrize(
    ("typed", "score"), [("", "0 after 0 moves"), ("stop\n", "-1 after 1 move"), ("i\nl\n", "0 after 0 moves")]
)
def test_leaving_loses_and_tells_what_was_meant(run: Run, files: Path, typed: str, score: str) -> None:
    path = files / file_name(stored()[0], 0)
    code, out, _ = run("play", "handmethat", "--reference", path, "--partial", typed=typed)
    assert code == 1
    assert out.endswith(f"Score {score}.\nWhat was meant: pad 1.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["play", "handmethat", "--seed", "-1"], 2, "must not be negative"),
        (["play", "handmethat", "--version", "3"], 2, "no version 3"),
        (["play", "handmethat", "--reference", "nowhere.json"], 2, "cannot read"),
        (["play", "handmethat", "--reference", "FOLDER"], 2, "a folder"),
        (["evaluate", "handmethat", "nowhere", "--agent", "random"], 2, "no such file"),
        (["evaluate", "handmethat", "FOLDER", "--agent", "genius"], 2, "no agent 'genius'"),
        (["evaluate", "handmethat", "FOLDER", "--agent", "random", "-n", "0"], 2, "must be at least 1, not 0"),
        (["evaluate", "handmethat", "FOLDER", "--agent", "random", "--seed", "-2"], 2, "must be at least 0, not -2"),
        (["evaluate", "handmethat", "FOLDER", "--agent", "random", "--workers", "-2"], 2, "must be at least 0, not -2"),
        (["evaluate", "handmethat", "FOLDER", "--agent", "random", "--paper", "3"], 2, "must be 1 to 2, not 3"),
    ],
)
def test_wrong_arguments(run: Run, files: Path, arguments: list[str], code: int, message: str) -> None:
    given = [str(files) if each == "FOLDER" else each for each in arguments]
    found, _, err = run(*given)
    assert (found, message in err) == (code, True), err


def test_evaluation_as_json(run: Run, files: Path) -> None:
    code, out, _ = run("evaluate", "handmethat", files, "--agent", "oracle", "--json", "--workers", "0")
    assert code == 0
    found = json.loads(out)
    assert found["results"]["all"]["success"] == 1.0
    assert found["results"]["all"]["episodes"] == 2
    assert found["version"] == 2
    assert found["paper"]["Heuristic"]["level 2"] == {"score": 59.5, "success": 0.64, "moves": 4.1}


def test_evaluation_as_a_table_beside_the_papers(run: Run, files: Path) -> None:
    code, out, _ = run("evaluate", "handmethat", files, "--agent", "random", "-n", "1", "--workers", "0", "--partial")
    assert code == 0
    assert "-40.0 (0.0%, N/A)" in out
    assert "Human" in out
    assert "(100.0%, 7.8)" in out


@pytest.mark.parametrize("verb", ["verify", "evaluate"])
@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("_useful_objects", [["pad#99", None]], "$._useful_objects: pad_99 is not in the scene"),
        ("current_object_dict", {}, "$.current_object_dict: floor is missing"),
        ("current_object_dict", [], "$.current_object_dict: expected a JSON object"),
    ],
)
def test_files_edited_by_hand(run: Run, files: Path, verb: str, key: str, value: object, message: str) -> None:
    path = files / file_name(stored()[0], 0)
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    arguments = ["evaluate", "handmethat", path, "--agent", "random"] if verb == "evaluate" else [verb, path]
    code, _, err = run(*arguments)
    assert (code, f"{path.name}:1:" in err, f":{message}" in err) == (31, True, True), err


def test_an_unfinished_dataset_is_no_folder_of_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "made" / ".progress").mkdir(parents=True)
    code, _, err = run("evaluate", "handmethat", tmp_path / "made", "--agent", "random")
    assert (code, "made is unfinished" in err) == (1, True), err


def test_nobody_plays_where_the_input_is_closed(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", lambda text: None)
    code, out, err = run("play", "handmethat", "--reference", files / file_name(stored()[0], 0))
    assert (code, err) == (1, "")
    assert "Score 0 after 0 moves." in out


def test_verification(run: Run, files: Path) -> None:
    (files / file_name(stored()[1], 1)).unlink()  # it was made with costs that are not proven
    code, out, _ = run("verify", files)
    assert (code, "1 episode," in out) == (0, True), out
    path = files / file_name(stored()[0], 0)
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "_objects_in_meaning": [], "level": 1}))
    code, out, _ = run("verify", files, "--json")
    found = json.loads(out)
    assert (code, found["ok"], found["episodes"]) == (1, False, 1)
    assert {each["check"] for each in found["problems"]} == {"meaning", "level", "numbers"}
    code, out, _ = run("verify", files)
    assert (code, "things that fit are not stored" in out) == (1, True)


@pytest.mark.parametrize(("costs", "code"), [("satisficing", 0), ("proven", 1)])
def test_what_differs_by_costs_that_are_not_proven_is_no_fault(costs: str, code: int, run: Run, tmp_path: Path) -> None:
    task = next(each for each in stored() if len(each.useful) > 1)
    left_out = next(each for each in task.useful if each not in task.groundings)
    fewer = replace(task, useful=tuple(each for each in task.useful if each != left_out))
    path = tmp_path / file_name(fewer, 0)
    path.write_text(json.dumps(reference_of_task(fewer, 0, costs)))
    found, out, _ = run("verify", tmp_path, "--json")
    verdict = json.loads(out)
    assert (found, verdict["ok"]) == (code, not code)
    assert any(each["certain"] for each in verdict["problems"]) is bool(code)
    assert "useful" in {each["check"] for each in verdict["problems"]}
    found, out, _ = run("verify", tmp_path)
    said = " ".join(out.split())
    assert found == code
    assert ("1 more only by costs that are not proven, which is no fault" in said) is (code == 0)


@pytest.mark.slow
def test_workers_do_not_matter(files: Path) -> None:
    for number in range(2, 20):
        task = stored()[number % 6]
        (files / file_name(task, number)).write_text(json.dumps(reference_of_task(task, number)))
    outputs = {
        chorewright(
            "evaluate",
            "handmethat",
            files,
            "--agent",
            "heuristic",
            "--json",
            "--workers",
            workers,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for workers, seed in ((0, "0"), (2, "1"), (3, "2"))
    }
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["results"]["all"]["episodes"] == 20


def test_a_broken_evaluation_goes_on_where_it_ended(run: Run, files: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    command = ("evaluate", "handmethat", files, "--agent", "heuristic", "--workers", "0", "--json")
    _, whole, _ = run(*command, "--log", log)
    written = log.read_bytes()
    assert written.count(b"\n") == 3
    assert run(*command) == (0, whole, "")
    for end in (0, 20, written.index(b"\n") + 1, len(written) - 9, len(written)):
        log.write_bytes(written[:end])
        code, out, err = run(*command, "--log", log)
        assert (code, out, log.read_bytes()) == (0, whole, written), err
    lines = written.splitlines()
    lines[1] = lines[1].replace(b'"moves": 4', b'"moves": 44').replace(b'"moves": 5', b'"moves": 55')
    log.write_bytes(b"\n".join(lines[:2]) + b"\n")
    _, other, _ = run(*command, "--log", log)
    assert json.loads(other)["results"] != json.loads(whole)["results"]  # it was not played again


@pytest.mark.parametrize(
    ("content", "arguments", "code", "message"),
    [
        (None, ["--seed", "1"], 2, "of another evaluation: seed 0, not 1"),
        (None, ["--agent", "random"], 2, "agent 'oracle', not 'random'"),
        (None, ["--partial"], 2, "of another evaluation: partial False, not True"),
        (b"score\n", [], 31, "not JSON"),
        (b"[]\n", [], 31, "a JSON object is expected here"),
        (b"{}\n", [], 31, "not the log of an evaluation"),
        (b'{"won": true}\n', [], 31, "not the score of an episode"),
    ],
)
def test_logs_of_something_else(
    run: Run, files: Path, tmp_path: Path, content: bytes | None, arguments: list[str], code: int, message: str
) -> None:
    log = tmp_path / "log.jsonl"
    command = ["evaluate", "handmethat", str(files), "--workers", "0", "-n", "1", "--log", str(log)]
    run(*command, "--agent", "oracle")
    kept = log.read_bytes()
    if content is not None:
        header = (
            b"" if message.startswith(("not JSON", "a JSON object", "not the log")) else kept[: kept.index(b"\n") + 1]
        )
        log.write_bytes(header + content)
    found, _, err = run(*command, "--agent", "oracle", *arguments)
    assert (found, message in err) == (code, True), err


def logged(files: Path, log: Path) -> tuple[object, ...]:
    """The words that evaluate one episode and log it."""
    options = ("--workers", "0", "-n", "1", "--agent", "oracle", "--log", log)
    return ("evaluate", "handmethat", files, *options)


@pytest.mark.parametrize(
    ("changed", "code", "message"),
    [
        ({}, 0, ""),
        ({"chorewright": "0.0.9"}, 2, f"is of version 0.0.9 of chorewright, not {__version__}"),
        ({"chorewright": None}, 2, f"is of an unknown version of chorewright, not {__version__}"),
        ({"chorewright": [1], "seed": 7}, 2, f"is of version [1] of chorewright, not {__version__}"),
        ({"chorewright": None, "seed": None}, 31, "not the log of an evaluation"),
        ({"more": 1}, 31, "not the log of an evaluation"),
    ],
)
def test_logs_of_other_versions(
    run: Run, files: Path, tmp_path: Path, changed: dict[str, object], code: int, message: str
) -> None:
    log = tmp_path / "log.jsonl"
    command = logged(files, log)
    run(*command)
    header, rest = log.read_text().split("\n", 1)
    values = {**json.loads(header), **changed}
    first = json.dumps({name: value for name, value in values.items() if value is not None})
    log.write_text(f"{first}\n{rest}")
    found, _, err = run(*command)
    assert (found, message in err) == (code, True), err


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [('": ', '" :', False), ('": ', '":  ', False), ('": ', '": ', True)],  # the first is of the same size
)
def test_logs_of_files_edited_since(run: Run, files: Path, tmp_path: Path, old: str, new: str, same: bool) -> None:
    log = tmp_path / "log.jsonl"
    command = logged(files, log)
    run(*command)
    path = files / file_name(stored()[1], 1)
    path.write_text(path.read_text().replace(old, new, 1))
    code, _, err = run(*command)
    assert (code, "of another evaluation: episodes" in err) == ((0, False) if same else (2, True)), err


@pytest.mark.parametrize(
    ("place", "said"), [("", "cannot be written: Is a directory"), ("no/log", "there is no folder {}/no")]
)
def test_logs_that_cannot_be_written(run: Run, files: Path, place: str, said: str) -> None:
    command = ("evaluate", "handmethat", files, "--agent", "oracle", "--workers", "0", "--json", "--log")
    code, out, _ = run(*command, files / place)
    (error,) = json.loads(out)["errors"]
    assert (code, said.format(files) in error["message"]) == (36, True), error
