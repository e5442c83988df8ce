"""TEACh's tasks on the command line: ``tasks``, ``check`` and ``compile``, exit codes and what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.problems.household.rooms import load_room
from chorewright.replay.teach.world import teach_metadata
from tests.command import chorewright, run_here
from tests.domains.teach.definition_files import SERVE, WASH, edited, write_definitions
from tests.domains.teach.test_definitions import MISTAKES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """States of a kitchen as lists, metadata and events; and things that are no states."""
    folder = tmp_path_factory.mktemp("teach")
    objects = teach_metadata(load_room("FloorPlan7"))
    plain = [{key: value for key, value in each.items() if "simbot" not in key} for each in objects]
    states: dict[str, object] = {
        "list": objects,
        "metadata": {"objects": plain, "agent": {}},
        "event": {"metadata": {"objects": plain}},
        "state": {"objects": plain, "custom_object_metadata": {str(objects[0]["objectId"]): {"a": 1}}},
        "nothing": {"agent": {}},
        "strings": ["Mug"],
        "untyped": [{"objectId": "Mug|1"}],
        "twice": [objects[0], objects[0]],
        "parents": [{"objectId": "a", "objectType": "Mug", "parentReceptacles": "Sink"}],
        "number": 5,
    }
    for name, state in states.items():
        (folder / f"{name}.json").write_text(json.dumps(state))
    (folder / "torn.json").write_text('[{"objectId": ')
    write_definitions(folder / "own")
    write_definitions(folder / "cyclic", serve=edited(SERVE, "components/mug/task_name", "Serve"))
    write_definitions(folder / "null", wash=edited(WASH, "task_anchor_object", None))
    misspelt = {"objectType": "#0", "isDirty": 0, "isBrken": 0}
    write_definitions(folder / "misspelt", wash=edited(WASH, "components/#0/conditions", misspelt))
    write_definitions(folder / "taken", serve=edited(SERVE, "task_id", 101))
    (folder / "empty").mkdir()
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, output and errors."""
    code: object = 0
    try:
        run_here(words)
    except SystemExit as stopped:
        code = stopped.code
    shown = capsys.readouterr()
    assert isinstance(code, int)
    return code, shown.out, shown.err


# The words after "chorewright", the exit code, and a part of what is said.
CASES: list[tuple[str, int, str]] = [
    ("tasks teach/sandwich", 0, "  2 toast, #0 lettuce, #1 tomato in the plate"),
    ("tasks teach/Sandwich", 0, "#1: slices of tomato"),
    ("tasks teach/sandwhich", 2, "did you mean 'sandwich'?"),
    ("check-state teach/coffee --state list.json", 1, "not done: 2 of 3 goal conditions"),
    ("check-state teach/Coffee --state metadata.json", 1, "not done: 2 of 3 goal conditions"),
    ("check-state teach/coffee --state event.json", 1, "not done: 2 of 3 goal conditions"),
    ("check-state teach/coffee --state state.json", 1, "not done"),
    ("check-state coffee --state list.json", 1, "not done: 2 of 3 goal conditions"),
    ("check-state teach/clean-x --params Plate --state list.json", 0, "done: 4 of 4 goal conditions"),
    ("check-state teach/clean-x --params Plate --state list.json --strict", 0, "done: 4 of 4 goal conditions"),
    ("check-state teach/clean-x --state list.json --params Plate", 0, "done: 4 of 4 goal conditions"),
    ("check-state teach/clean-x --params Plat --state list.json", 1, "not done"),
    ("check-state teach/clean-x --params Plat --state list.json", 1, "class 'Plat'; did you mean 'Plate'?"),
    ("check-state teach/sandwich --params 1 few --state list.json", 2, "#1 of Sandwich: 'few' is no determiner"),
    ("check-state teach/breakfast --params 1 2 --state list.json", 2, "'chorewright tasks teach/breakfast' tells"),
    ("tasks teach/coffee --definitions taken", 31, "the task_id 101 is that of"),
    ("check-state teach/clean-x --state list.json", 2, "Clean X takes 1 parameter, but 0 were given"),
    ("check-state teach/clean-x --params Plate Mug --state list.json", 2, "but 2 were given"),
    ("check-state teach/put-all-x-on-y --params Fork in Sink --state list.json", 1, "- The Fork"),
    ("check-state teach/nothing --state list.json", 2, "there is no TEACh task 'nothing'"),
    ("check-state teach/nothing --state list.json", 2, "lists them; --definitions adds your own"),
    (
        "check-state teach/wash-x --params Mug --state list.json --definitions misspelt",
        1,
        "'isBrken'; did you mean 'isBroken'",
    ),
    ("check-state teach/coffee", 2, "Missing parameter: state"),
    ("check-state teach/coffee --state missing.json", 2, "missing.json: cannot read"),
    ("check-state teach/coffee --state empty", 2, "it is a folder"),
    ("check-state teach/coffee --state torn.json", 31, "torn.json:1:15: not JSON"),
    ("check-state teach/coffee --state nothing.json", 31, ":$: expected a list of objects, or"),
    ("check-state teach/coffee --state number.json", 31, ":$: expected a list of objects"),
    ("check-state teach/coffee --state strings.json", 31, ":$[0]: expected an object's metadata"),
    ("check-state teach/coffee --state untyped.json", 31, ":$[0].objectType: 'objectType' must be"),
    ("check-state teach/coffee --state twice.json", 31, ":$[1].objectId: the objectId"),
    ("check-state teach/coffee --state parents.json", 31, ":$[0].parentReceptacles: "),
    ("check-state teach/serve --params 1 --state list.json --definitions own", 1, "Put 1 washed mug(s) on one"),
    ("check-state teach/sandwich --params 1 1 --state list.json --definitions own", 1, "not done"),
    ("check-state teach/serve --params 1 --state list.json --definitions nowhere", 2, "no folder 'nowhere'"),
    ("check-state teach/serve --params 1 --state list.json --definitions empty", 2, "has no task definition"),
    ("check-state teach/serve --params 1 --state list.json --definitions list.json", 31, "list.json:1:1:$: "),
    ("check-state teach/serve --params 1 --state list.json --definitions cyclic", 31, "the task contains itself"),
    ("check-state teach/serve --params 1 --state list.json --definitions null", 31, "has no anchor object"),
    ("compile teach/sandwich --scene FloorPlan7", 2, "Sandwich takes 2 parameters, but 0 were given"),
    ("compile teach/sandwich --params 1 1 --scene FloorPlan301", 2, "does not suit Sandwich: there is no"),
    ("compile teach/sandwich --params 1 1 --scene FloorPlan99", 2, "FloorPlan99"),
    ("compile teach/sandwich --params 1 1 --slot object=Mug", 2, "has parameters, no slots"),
    ("compile teach/boil-x --params Potatoe --scene FloorPlan7", 2, "#0 of Boil X: there is no type 'Potatoe'"),
    ("generate teach --definitions cyclic --out made", 31, "the task contains itself"),
    ("generate teach --definitions own --task teach/serve --out made", 2, "the 1 parameters of Serve"),
    ("generate teach --definitions own --task serve --params few --out made", 2, "'few' is no determiner"),
    ("generate teach --definitions nowhere --out made", 2, "no folder 'nowhere'"),
    ("generate alfred --definitions own --out made", 2, "No such option: --definitions"),
    ("evaluate teach --agents planner --definitions own", 2, "--agents play the shipped tasks"),
    ("compile teach/coffee --any-objects --strict --scene FloorPlan7", 2, "--strict does not"),
    ("compile alfred/pick_and_place_simple --params 1", 2, "are for tasks with parameters"),
    ("compile alfred/pick_and_place_simple --strict", 2, "are for tasks with parameters"),
    ("compile teach/coffee --params", 2, "requires an argument"),
    ("compile teach/coffee surplus --scene FloorPlan7", 2, "'surplus' is one argument too many"),
]


@pytest.mark.parametrize(("words", "code", "message"), CASES, ids=[case[0] for case in CASES])
def test_commands(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    if any(said in message for said in ("requires an argument", "Missing", "No such option")):
        with pytest.raises(Exception, match=message):  # the words are wrong: what main() shows
            run(capsys, *words.split())
        return
    found, output, errors = run(capsys, *words.split())
    assert (found, message in output + errors) == (code, True), output + errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_every_mistake_in_a_definition_has_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], every: int
) -> None:
    """The table of mistakes, through the command line: bad input, with the file and the JSON path."""
    state = tmp_path / "state.json"
    state.write_text("[]")
    for number, (place, value, json_path, message) in enumerate(MISTAKES[::every]):
        own = write_definitions(tmp_path / str(number), serve=edited(SERVE, place, value))
        words = ("check-state", "teach/serve", "--params", "1", "--state", state, "--definitions", own, "--json")
        code, output, errors = run(capsys, *words)
        assert code == 31, (place, value, errors)
        rows = json.loads(output)["errors"]
        found = [row for row in rows if row.get("json_path") == json_path and message in row["message"]]
        assert found, (place, value, rows)
        assert str(found[0]["path"]).startswith(str(own))
        assert found[0]["line"] >= 1
        assert json_path in errors


def test_check_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check-state", "teach/Coffee", "--state", folder / "list.json", "--json")
    code, output, _ = run(capsys, *words)
    found: dict[str, Any] = json.loads(output)
    assert (code, found["success"], found["goal_conditions_total"]) == (1, 0, 3)
    assert found["goal_conditions_satisfied"] == 2
    (mug,) = found["subgoals"]
    assert mug["success"] == 0
    (keys,) = mug["problem_keys"].values()
    assert keys[0]["property_name"] == "simbotIsFilledWithCoffee"
    assert keys[0]["desired_property_value"] == 1


def test_all_tasks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "tasks", "--json")
    rows = {row["name"]: row for row in json.loads(output)}
    assert code == 0
    for name in shipped_definitions().names:
        assert len(rows[f"teach/{name}"]["params"]) == shipped_definitions().find(name).nparams


def test_output_fits_a_narrow_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder)
    breakfast = "check-state teach/Breakfast --params 1 2 2 Plate 1 Bowl 1 1 1 1 1 1 1 CounterTop --state list.json"
    for words in (breakfast, "tasks teach/breakfast", "tasks teach/put-all-x-in-one-y"):
        _, output, _ = run(capsys, *words.split())
        assert max(map(len, output.splitlines())) <= 80


def test_what_is_compiled_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """compile, plan and validate as a user runs them; a plan for certain objects is one for any objects."""
    words = ("compile", "teach/Sandwich", "--params", "1", "2", "--scene", "FloorPlan7", "--seed", "3")
    files = ("domain.pddl", "problem.pddl")
    monkeypatch.chdir(tmp_path)
    for command in (
        (*words, "--strict"),
        ("plan", "--improve", "0", *files, "-o", "sandwich.plan"),
        (*words, "--any-objects"),
        ("validate", *files, "sandwich.plan"),
    ):
        code, _, errors = run(capsys, *command)
        assert code == 0, errors


@pytest.mark.slow
def test_the_same_files_whatever_the_hash_seed(tmp_path: Path) -> None:
    words = ("compile", "teach/breakfast", "--seed", "3", "--scene", "FloorPlan4", "--params")
    params = ("2", "1", "1", "Plate", "1", "Bowl", "1", "1", "1", "1", "0", "1", "1", "DiningTable")
    found = set()
    for seed in ("1", "2", "3"):
        done = chorewright(*words, *params, cwd=tmp_path, env={"PYTHONHASHSEED": seed})
        assert done.returncode == 0, done.stderr
        found.add((tmp_path / "problem.pddl").read_bytes())
    assert len(found) == 1
