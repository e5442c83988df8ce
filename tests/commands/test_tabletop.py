"""``chorewright chains`` on the command line: output, exit codes, and what it says of bad input."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.corpora.reference import sample
from chorewright.cli import main
from chorewright.errors import ChorewrightError, ExitCode, render
from chorewright.problems.calvin.chains import load_chains
from chorewright.problems.calvin.tasks import tasks
from chorewright.rsa.calvin.instructions import sentences
from tests.command import chorewright

SOLVED = ("open_drawer", "turn_on_led", "lift", "place_in_drawer", "lift", "place_in_drawer", "push_into_drawer")


class Done(NamedTuple):
    """What a command has printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def here(*arguments: object) -> Done:
    """Run a command in this process, which is quicker than in one of its own."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["chorewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def chains(*arguments: object) -> Any:
    """The JSON that the verb prints when all is well."""
    done = here("chains", *arguments, "--json")
    assert done.returncode == ExitCode.OK, done.stderr
    return json.loads(done.stdout)


def test_chains_with_the_numbers_that_start_them() -> None:
    """Against what CALVIN's evaluation itself sets its environment to, for each initial state."""
    published = json.loads(sample("calvin/initial_states_192.json").read_text("utf-8"))
    numbers = {str(sorted(record["state"].items())): record["scene_obs"] for record in published["states"]}
    found = chains("--compatible", "-n", 3, "--concrete")
    for chain in found:
        assert chain["robot_obs"] == published["robot_obs"]
        assert chain["scene_obs"] == pytest.approx(numbers[str(sorted(chain["initial_state"].items()))], abs=1e-8)
    [other] = chains("-n", 1, "--concrete", "--scene", "B")
    assert (len(other["robot_obs"]), len(other["scene_obs"])) == (15, 24)


@pytest.mark.parametrize("words", [("-n", 1, "--concrete"), ("--count", "--concrete", "--json")])
def test_numbers_go_with_json_and_chains(words: tuple[object, ...]) -> None:
    done = here("chains", *words)
    assert done.returncode == ExitCode.USAGE
    assert "--concrete goes with --json" in done.stderr


@pytest.mark.slow
def test_the_published_thousand() -> None:
    published = json.loads(sample("calvin/sequences_1000.json").read_text("utf-8"))
    assert chains("-n", 1000, "--compatible") == published


@pytest.mark.slow
def test_counts() -> None:
    rows = json.loads(sample("calvin/chain_counts.json").read_text("utf-8"))["initial_states"]
    for row in rows:
        del row["raw_5_step_sequences"]
    assert chains("--count", "--compatible") == {
        "initial_states": rows,
        "total": sum(row["feasible_chains"] for row in rows),
    }


def test_drawn_chains_can_be_done_and_depend_on_the_seed_only(tmp_path: Path) -> None:
    options = ("-n", 7, "--length", 4, "--from", "led=1,drawer=open", "--from", "red_block=slider_left")
    found = chains(*options, "--seed", 5)
    assert found == chains(*options, "--seed", 5)
    assert found != chains(*options)
    assert [len(chain["sequence"]) for chain in found] == [4] * 7
    assert {chain["initial_state"]["led"] for chain in found} == {0, 1}
    path = tmp_path / "chains.json"
    path.write_text(json.dumps(found), "utf-8")
    done = here("chains", "--check", path)
    assert (done.returncode, done.stdout) == (0, f"{path}: 7 of 7 chains can be done\n")


def test_nothing_depends_on_the_order_of_hashes() -> None:
    options = ("-n", 4, "--length", 3, "--say", "--seed", 2, "--json")
    found = {chorewright("chains", *options, env={"PYTHONHASHSEED": str(seed)}).stdout for seed in (0, 12345)}
    assert len(found) == 1
    assert len(json.loads(found.pop())) == 4


def test_checking_says_which_chains_cannot_be_done_and_why() -> None:
    path = sample("calvin/sequences_1000.json")
    done = here("chains", "--check", path, "--json")
    assert done.returncode == ExitCode.NEGATIVE
    rows = json.loads(done.stdout)
    assert [row["chain"] for row in rows] == list(range(1000))
    bad = [row for row in rows if not row["valid"]]
    assert len(bad) == 5
    for row in bad:
        assert row["step"] == 5
        assert row["task"].endswith("_slider")
        assert "needs (open slider_" in row["reason"]


def test_a_chain_to_a_goal_and_the_same_as_a_plan(tmp_path: Path) -> None:
    goal = "(and (forall (?b - block) (in ?b drawer)) (lit led))"
    [chain] = chains("--goal", goal, "--out", tmp_path)
    assert chain["shortest"]
    assert sorted(name if "lift" not in name else "lift" for name in chain["sequence"]) == sorted(SOLVED)
    done = here("plan", tmp_path / "domain.pddl", tmp_path / "problem.pddl", "--json")
    assert done.returncode == ExitCode.OK
    assert len(json.loads(done.stdout)["plan"]) == len(SOLVED)


def test_what_is_said_for_each_task(tmp_path: Path) -> None:
    options = ("-n", 2, "--seed", 3, "--length", 3, "--from", "led=1")
    drawn = chains(*options)
    said = chains(*options, "--say")
    assert [{key: chain[key] for key in ("initial_state", "sequence")} for chain in said] == drawn
    for chain in said:
        for task, sentence in zip(chain["sequence"], chain["instructions"], strict=True):
            assert sentence in sentences(task)
    own = tmp_path / "own.yaml"
    own.write_text("".join(f"{task}:\n- own {task}\n" for task in tasks()), "utf-8")
    [chain] = chains("--goal", "(open drawer)", "--say", "--annotations", own)
    assert chain["instructions"] == ["own open_drawer"]
    own.write_text("open_drawr: [x]", "utf-8")
    done = here("chains", "--say", "--annotations", own)
    assert done.returncode == ExitCode.BAD_INPUT
    assert done.stderr.startswith(f"{own}:1:1: there is no tabletop task 'open_drawr'")


def test_no_chain_leads_to_a_goal_that_cannot_be() -> None:
    done = here("chains", "--goal", "(forall (?b - block) (in ?b slider_left))", "--json")
    assert done.returncode == ExitCode.UNSOLVABLE
    assert json.loads(done.stdout)[0]["sequence"] is None
    assert "no chain leads to the goal" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--from", "drawr=open"), ExitCode.USAGE, "did you mean 'drawer'?"),
        (("--from", "lde=1"), ExitCode.USAGE, "did you mean 'led'?"),
        (("--from", "drawer=opened"), ExitCode.USAGE, "did you mean 'open'?"),
        (("--length", "12"), ExitCode.USAGE, "--any-category"),
        (("--length", "1000", "--any-category"), ExitCode.BAD_INPUT, "at most 100"),
        (("-n", "-3"), ExitCode.USAGE, "negative"),
        (("-n", "99999", "--from", ""), ExitCode.USAGE, "there are only"),
        (("--count", "--goal", "(lit led)"), ExitCode.USAGE, "exclude one another"),
        (("--out", "x"), ExitCode.USAGE, "--out goes with --goal"),
        (("--goal", "(lit lamp)"), ExitCode.BAD_INPUT, "--goal:1:6: "),
        (("--check", "nowhere.json"), ExitCode.USAGE, "nowhere.json: cannot read"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], code: ExitCode, said: str) -> None:
    done = here("chains", *arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


STATE = '{"led": 0, "lightbulb": 0, "slider": "right", "drawer": "closed", "red_block": "table", '
STATE += '"blue_block": "table", "pink_block": "table", "grasped": 0}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: not JSON"),
        ("[\n{]", "2:2: not JSON"),
        ("{}", "1:1:$: expected a list of chains"),
        ("[1]", "1:2:$[0]: this is not a chain"),
        ('[{"initial_state": {}}]', "this is not a chain"),
        ('[{"initial_state": {}, "sequence": []}]', "$[0].sequence: expected a list of tasks"),
        ('[{"initial_state": {}, "sequence": ["turn_on_ledd"]}]', "did you mean 'turn_on_led'?"),
        ('[{"initial_state": {}, "sequence": [[]]}]', "$[0].sequence[0]: there is no tabletop task"),
        ('[{"initial_state": {}, "sequence": ["turn_on_led"]}]', "$[0].initial_state: the state lacks led"),
        ('[{"initial_state": [], "sequence": ["turn_on_led"]}]', "an object of variables"),
        (
            '[\n{"sequence": ["turn_on_led"],\n "initial_state":\n ' + STATE.replace('"led": 0', '"led": "on"') + "}]",
            "4:3:$[0].initial_state.led: led cannot be 'on'",
        ),
        (
            '[{"sequence": ["turn_on_led"], "initial_state": ' + STATE.replace('"led"', '"lamp"') + "}]",
            "$[0].initial_state.lamp: a state has no variable 'lamp'",
        ),
        ("[" * 100, "nested deeper"),
        ("\x00", "not JSON"),
    ],
)
def test_bad_files(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "chains.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ChorewrightError) as caught:
        load_chains(path)
    assert caught.value.exit_code == ExitCode.BAD_INPUT
    assert render(caught.value).startswith(str(path))
    assert said in render(caught.value)


def test_a_bad_file_is_shown_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "chains.json"
    path.write_text('[\n {"sequence": 1}]', "utf-8")
    done = here("chains", "--check", path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert done.stderr.startswith(f"{path}:2:2:$[0]: this is not a chain")
    assert "Traceback" not in done.stderr
