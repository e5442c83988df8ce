"""The command line: exit codes, one-line errors, JSON, and output that no data can steer."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import ExitCode
from tests.command import ROOT, chorewright, command, environment
from tests.generator.toy import NAME

DOMAIN = """\
(define (domain lamps)
  (:requirements :typing)
  (:types lamp)
  (:predicates (on ?l - lamp) (broken ?l - lamp))
  (:action switch
    :parameters (?l - lamp)
    :precondition (not (broken ?l))
    :effect (on ?l)))
"""

PROBLEM = """\
(define (problem both)
  (:domain lamps)
  (:objects a b - lamp)
  (:init)
  (:goal (and (on a) (on b))))
"""

FILES = {
    "domain.pddl": DOMAIN,
    "problem.pddl": PROBLEM,
    "unsolvable.pddl": PROBLEM.replace("(:init)", "(:init (broken a))"),
    "typo.pddl": PROBLEM.replace("(on b)", "(onn b)"),
    "open.pddl": PROBLEM[:-3],
    "fluents.pddl": DOMAIN.replace(":typing", ":typing :object-fluents").replace(
        "(:predicates", "(:functions (place ?x - lamp) - lamp)\n  (:predicates"
    ),
    "latin1.pddl": "",
    "good.plan": "(switch a)\n(switch b)\n; cost = 2 (unit cost)\n",
    "short.plan": "(switch a)\n",
    "unknown.plan": "(fly a)\n",
    "torn.plan": "(switch a",
    "empty.plan": "",
    "lying.plan": ";;!domain: rockets\n(switch a)\n(switch b)\n; cost = 7 (unit cost)\n",
    "broken.task": "x",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PDDL files and a dataset of toys, not to be changed."""
    folder = tmp_path_factory.mktemp("cli")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "latin1.pddl").write_bytes(DOMAIN.replace("lamps", "lampes-\xe9").encode("latin-1"))
    made = chorewright("generate", NAME, "-n", 9, "--shard-size", 4, "--reject", "5", "--out", folder / "toys")
    assert made.returncode == 0, made.stderr
    (folder / "other").mkdir()
    (folder / "other" / "file").write_text("x")
    return folder


DP = ("domain.pddl", "problem.pddl")
GENERATE = ("generate", NAME, "--out", "new")

CASES: list[tuple[str, int, str]] = [
    # the command's words, its exit code, and what its output or error says
    ("--version", 0, "chorewright "),
    ("--help", 0, "Exit codes: 0 ok"),
    ("frobnicate", 2, "No such command"),
    ("plan", 2, "Missing argument"),
    ("plan domain.pddl problem.pddl", 0, "(switch a)"),
    ("plan domain.pddl problem.pddl --search astar", 0, "; cost = 2 (unit cost)"),
    ("plan domain.pddl problem.pddl --search dijkstra", 2, "dijkstra"),
    ("plan domain.pddl problem.pddl --time-limit -1", 2, "must be positive"),
    ("plan domain.pddl problem.pddl --time-limit soon", 2, "is not a valid"),
    ("plan domain.pddl problem.pddl -o no/such/folder/p.plan", 36, "cannot write"),
    ("plan domain.pddl unsolvable.pddl", 10, "unsolvable"),
    ("plan domain.pddl typo.pddl", 31, "typo.pddl:5:23: "),
    ("plan domain.pddl open.pddl", 31, "open.pddl:"),
    ("plan domain.pddl missing.pddl", 2, "missing.pddl: cannot read"),
    ("plan missing.pddl problem.pddl", 2, "missing.pddl: cannot read"),
    ("plan . problem.pddl", 2, "directory"),
    ("plan domain.pddl problem.pddl -o domain.pddl", 2, "would overwrite domain.pddl"),
    ("plan domain.pddl problem.pddl -o ./problem.pddl", 2, "would overwrite problem.pddl"),
    ("plan fluents.pddl problem.pddl", 34, "fluents.pddl:4:"),
    ("plan latin1.pddl problem.pddl", 31, "latin1.pddl"),
    ("validate domain.pddl problem.pddl good.plan", 0, "good.plan: valid: cost 2"),
    ("validate domain.pddl problem.pddl short.plan", 1, "the goal is not reached: (on b)"),
    ("validate domain.pddl problem.pddl empty.plan", 1, "the goal is not reached: (on a), (on b)"),
    ("validate domain.pddl problem.pddl unknown.plan", 1, "no action 'fly'"),
    ("validate domain.pddl unsolvable.pddl good.plan", 1, "step 1: (switch a) needs (not (broken a))"),
    ("validate domain.pddl problem.pddl torn.plan", 31, "torn.plan:1:1: "),
    ("validate domain.pddl problem.pddl missing.plan", 2, "missing.plan: cannot read"),
    ("validate domain.pddl problem.pddl good.plan short.plan", 1, "good.plan: valid"),
    ("validate domain.pddl problem.pddl short.plan missing.plan good.plan", 2, "good.plan: valid"),
    ("validate domain.pddl problem.pddl torn.plan missing.plan", 31, "torn.plan:1:1: "),
    ("validate domain.pddl problem.pddl lying.plan", 0, "lying.plan: warning: the file says that the cost is 7, but"),
    ("validate domain.pddl problem.pddl lying.plan", 0, "its domain is 'rockets', not 'lamps'"),
    ("validate domain.pddl problem.pddl lying.plan", 0, "lying.plan: valid: cost 2"),
    ("validate domain.pddl problem.pddl" + " short.plan" * 256, 1, "invalid"),
    ("validate domain.pddl typo.pddl good.plan", 31, "typo.pddl:5:23"),
    ("generate nosuch --out new", 2, "there is no benchmark 'nosuch'"),
    ("generate alfred", 2, "--out"),
    (f"generate {NAME} --out new --episodes 0", 2, "number of episodes"),
    (f"generate {NAME} --out new --seed -1", 2, "the seed must be"),
    (f"generate {NAME} --out new --shard 0/3", 2, "there is no slice 0/3"),
    (f"generate {NAME} --out new --shard one", 2, "write i/N"),
    (f"generate {NAME} --out new --shard ²/3", 2, "write i/N"),
    (f"generate {NAME} --out new --shard 1/{'9' * 5000}", 2, "write i/N"),
    ("houses --out new --rooms 3-", 2, "a range is 3-8, or 5"),
    (f"houses --out new --rooms {'9' * 5000}", 2, "a range is 3-8, or 5"),
    (f"generate {NAME} --out new --workers -2", 2, "must not be negative"),
    (f"generate {NAME} --out new --dellay 1", 2, "No such option: --dellay"),
    ("generate alfred --out new --tasks missing.task", 2, "missing.task"),
    (f"generate {NAME} --out new --shard 1/0", 2, "N at least 1"),
    ("generate alfred --out new --tasks .", 2, "is a folder"),
    (f"generate {NAME} --out new --executor ray", 35, "[ray]"),
    ("generate os:system --out new", 2, "the benchmark 'os:system' cannot be made"),
    ("generate os:getcwd --out new", 2, "is no benchmark: it has no 'name'"),
    ("generate os:sep --out new", 2, "cannot be made"),
    ("generate nosuch:Benchmark --out new", 2, "PYTHONPATH=."),
    ("generate nosuch.py:Benchmark --out new", 2, "write nosuch:Benchmark"),
    ("generate alfred --out new --tasks nosuch", 2, "there is no task"),
    ("generate alfred --out new --scenes Moon", 2, "there is no room"),
    (f"generate {NAME} --out /etc/new", 2, "operating system"),
    (f"generate {NAME} --out other", 36, "not empty and not a chorewright dataset"),
    (f"generate {NAME} --out toys", 36, "holds another dataset"),
    (
        "generate alfred --out toys",
        36,
        f"another dataset: `chorewright generate {NAME}` there, `chorewright generate alfred`",
    ),
    (f"generate {NAME} --out domain.pddl", 36, "is not a folder"),
    (f"generate {NAME} --out new --executor slurm", 2, "no executor 'slurm'"),
    (f"generate {NAME} --out none --reject 1 -n 2", 1, "no episode was accepted"),
    ("verify toys", 0, "3 shards are whole; 8 episodes, 1 rejected"),
    ("verify toys --remake 9", 0, "9 made again, all equal"),
    ("play chess", 2, "No such command 'chess'"),
    ("verify missing", 2, "the folder 'missing' is not there"),
    ("verify domain.pddl", 2, "'domain.pddl' is not a folder"),
    ("verify other", 2, "it has no manifest.json"),
    ("verify toys --remake -1", 2, "must not be negative"),
    ("show toys", 0, "rejected 4 count-to-0: the die fell off the table"),
    ("show toys 3", 0, "Count to"),
    ("show toys 4", 2, "episode 4 was rejected: the die fell off the table"),
    ("show toys 9", 2, "there is no episode 9"),
    ("show toys three", 2, "is not a valid"),
    ("show other", 2, "it has no manifest.json"),
    ("show toys -1", 2, "indices and counts are never negative"),
    ("show toys --frob", 2, "No such option: --frob"),
    ("export toys --format nosuch --out new", 2, "no export format 'nosuch'"),
    ("tasks", 0, "alfred/pick_heat_then_place_in_recep"),
    ("tasks handmethat", 0, "handmethat/storing-food"),
    (f"tasks {ROOT}/tests/corpus/authoring/two-kinds-n.task", 0, "goal with n = 1: (and (at-least 1 "),
    ("export other --format alfred --out new", 2, "it has no manifest.json"),
    ("tasks nosuch", 2, "there is no task 'nosuch'"),
    ("new-task ../x", 2, "cannot name a task"),
    ("new-task x --out domain.pddl", 36, "domain.pddl"),
    ("check-task domain.pddl", 2, "is not a task file"),
    ("check-task other", 2, "is a folder, not a task"),
    ("check-task broken.task", 31, "broken.task:1:1"),
    ("compile other", 2, "is a folder, not a task"),
    ("check-task missing.task", 2, "missing.task"),
    ("check-task alfred/look_at_obj_in_light --rooms 0", 2, "at least 1"),
    ("compile nosuch", 2, "there is no task"),
    ("compile alfred/look_at_obj_in_light --slot object", 2, "SLOT=KIND"),
    ("compile alfred/look_at_obj_in_light --slot object=Mgu", 2, "Mgu"),
    ("compile alfred/look_at_obj_in_light", 2, "is not filled"),
    ("compile alfred/pick_heat_then_place_in_recep --slot object=Mug --slot receptacle=Bed", 2, ""),
    ("compile alfred/look_at_obj_in_light --slot object=Pen --slot lamp=DeskLamp --scene Moon", 2, "Moon"),
    ("compile alfred/look_at_obj_in_light --slot object=Pen --slot lamp=DeskLamp --scene x.json", 2, "x.json"),
]


@pytest.mark.parametrize(("words", "code", "says"), CASES, ids=[case[0][:70] for case in CASES])
def test_exit_codes_and_messages(folder: Path, words: str, code: int, says: str) -> None:
    done = chorewright(*words.split(), cwd=folder)
    assert done.returncode == code, done.stderr
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "new").exists()
    if code:
        assert (done.stderr + done.stdout).strip()


JSON_CASES: list[tuple[str, int, dict[str, object]]] = [
    ("plan domain.pddl problem.pddl --json", 0, {"status": "solved", "plan": ["(switch a)", "(switch b)"]}),
    ("plan domain.pddl unsolvable.pddl --json", 10, {"status": "unsolvable"}),
    ("verify toys --json", 0, {"ok": True, "shards": 3, "accepted": 8, "rejected": 1, "problems": []}),
    ("show toys --json", 0, {"accepted": 8, "attempted": 9}),
    ("show toys 3 --json", 0, {"index": 3, "task": "count-to-3"}),
    ("tasks alfred/look_at_obj_in_light --json", 0, {"domain": "household", "conditions": ["held", "lit"]}),
    (f"generate {NAME} --out made -n 3 --workers 1 --json", 0, {"accepted": 3, "finished": True}),
]


JSON_ERRORS = [
    ("plan domain.pddl typo.pddl", 31, ("typo.pddl", 5, 23), "'onn' is not declared"),
    ("plan domain.pddl missing.pddl", 2, ("missing.pddl", None, None), "cannot read"),
    ("plan domain.pddl", 2, (None, None, None), "Missing argument"),
    ("plan domain.pddl problem.pddl --out -", 2, (None, None, None), "not '-'"),
    ("data merge toys --out -", 2, (None, None, None), "not '-'"),
    ("show toys -1", 2, (None, None, None), "No such option"),
    ("show toys 99", 2, (None, None, None), "there is no episode 99"),
    ("tasks nosuch", 2, (None, None, None), "there is no task 'nosuch'"),
    ("new-task ../x", 2, (None, None, None), "cannot name a task"),
    ("check-task broken.task", 31, ("broken.task", 1, 1), ""),
    ("generate nosuch --out new", 2, (None, None, None), "there is no benchmark"),
    ("export toys --format nosuch --out new", 2, (None, None, None), "no export format"),
]


@pytest.mark.parametrize(("words", "code", "place", "says"), JSON_ERRORS, ids=[e[0][:50] for e in JSON_ERRORS])
def test_errors_are_json_too(folder: Path, words: str, code: int, place: tuple[object, ...], says: str) -> None:
    done = chorewright(*words.split(), "--json", cwd=folder)
    value = json.loads(done.stdout)
    assert (done.returncode, value["status"], value["exit_code"]) == (code, "error", code)
    first = value["errors"][0]
    assert (first["path"], first["line"], first["column"]) == place
    assert says in first["message"]
    assert set(first) == {"path", "line", "column", "message", "hint"}
    assert done.stderr.strip()


def test_a_damaged_manifest_is_a_verdict_in_json(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder / "toys", tmp_path / "d"))
    for text in ("{", None):
        (copy / "manifest.json").write_text(text) if text else (copy / "manifest.json").unlink()
        done = chorewright("verify", "d", "--json", cwd=tmp_path)
        value = json.loads(done.stdout)
        assert (done.returncode, value["ok"], value["problems"][0]["file"]) == (1, False, "manifest.json")
        assert "same generate command" in value["problems"][0]["hint"]


def test_a_stray_file_gets_the_right_advice(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder / "toys", tmp_path / "d"))
    (copy / "data" / "notes.txt").write_text("x")
    done = chorewright("verify", "d", cwd=tmp_path)
    assert done.returncode == 1
    assert "hint: move strange files away" in done.stderr
    assert "generate" not in done.stderr


def test_a_plan_replaces_a_plan_and_leaves_no_other_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "p.plan").write_text("old")
    (tmp_path / "link.plan").symlink_to("p.plan")
    words = ("plan", *(folder / name for name in DP))
    assert chorewright(*words, "-o", tmp_path / "link.plan").returncode == 0
    assert (tmp_path / "p.plan").read_text().startswith(";;!domain: lamps")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.plan", "p.plan"]
    assert "(switch a)" in chorewright(*words, "-o", "/dev/stdout").stdout


@pytest.mark.parametrize(("words", "code", "holds"), JSON_CASES, ids=[case[0][:50] for case in JSON_CASES])
def test_json_is_one_value_on_standard_output(folder: Path, words: str, code: int, holds: dict[str, object]) -> None:
    done = chorewright(*words.split(), cwd=folder)
    assert done.returncode == code, done.stderr
    value = json.loads(done.stdout)
    assert {key: value[key] for key in holds} == holds


def test_validate_reports_every_plan_in_json(folder: Path) -> None:
    plans = ("good.plan", "short.plan", "missing.plan", "torn.plan", "lying.plan")
    done = chorewright("validate", *DP, *plans, "--json", cwd=folder)
    assert done.returncode == ExitCode.BAD_INPUT
    rows = json.loads(done.stdout)
    assert [row["status"] for row in rows] == ["valid", "invalid", "unreadable", "unreadable", "valid"]
    assert [len(row.get("warnings", ())) for row in rows] == [0, 0, 0, 0, 2]


def test_an_error_has_line_caret_and_hint(folder: Path) -> None:
    done = chorewright("plan", "domain.pddl", "typo.pddl", cwd=folder)
    lines = done.stderr.splitlines()
    assert lines[0].startswith("typo.pddl:5:23: ")
    assert lines[1].rstrip().endswith("(onn b))))")
    assert lines[2].index("^") == lines[1].index("onn")
    assert "on" in lines[3]


@pytest.mark.parametrize("number", range(1, 9))
def test_malformed_files_of_the_reference_are_located(number: int) -> None:
    names = {path.name: path for path in sample("planner/malformed").iterdir()}
    [domain] = [path for name, path in names.items() if name.startswith(f"{number}_") and "_domain" in name]
    done = chorewright("plan", domain, str(domain).replace("_domain", "_problem"))
    assert done.returncode >= 30
    first = done.stderr.splitlines()[0]
    assert first.split(":")[1].isdigit(), first
    assert first.split(":")[2].isdigit(), first
    assert "Traceback" not in done.stderr


def test_an_internal_error_is_one_line_and_a_hint(folder: Path) -> None:
    script = (
        "import chorewright.generator.production.verify as v, chorewright.cli as c, sys\n"
        "def fail(*a, **k): raise RuntimeError('wheel\\x1b[31m came off')\n"
        "v.verify = fail\n"
        "sys.argv = ['chorewright', 'verify', 'toys']\n"
        "c.main()\n"
    )
    for debug in ("", "1"):
        done = subprocess.run(
            [command()[0], "-c", script],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment({"CHOREWRIGHT_DEBUG": debug}),
            check=False,
        )
        assert done.returncode == ExitCode.INTERNAL
        assert "internal error: RuntimeError: wheel\\x1b[31m came off" in done.stderr
        assert "CHOREWRIGHT_DEBUG=1" in done.stderr
        assert ("Traceback" in done.stderr) == bool(debug)


@pytest.mark.parametrize(("verb", "first"), [("tasks --json", "[\n"), ("tasks", None)])
def test_a_closed_pipe_is_not_an_error(folder: Path, verb: str, first: str | None) -> None:
    words = " ".join(command(*verb.split()))
    done = subprocess.run(
        ["bash", "-c", f"{words} | head -n 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        check=False,
    )
    assert first in (None, done.stdout)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["plan domain.pddl problem.pddl", "--version"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_an_error(folder: Path, words: str, unbuffered: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(command(*words.split()))} >&-"],
        cwd=folder,
        env=environment({"PYTHONUNBUFFERED": unbuffered}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (36, "Bad file descriptor: output\n")


@pytest.mark.parametrize("env", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, {"NO_COLOR": "1"}])
def test_show_works_on_any_terminal(folder: Path, env: dict[str, str]) -> None:
    for words in (("show", "toys"), ("show", "toys", "3"), ("tasks",), ("doctor",)):
        done = chorewright(*words, cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout
        assert [line for line in done.stdout.splitlines() if line.endswith(" ")] == []


def test_compile_plan_and_validate_a_household_task(tmp_path: Path) -> None:
    slots = ("--slot", "object=Mug", "--slot", "receptacle=CoffeeMachine")
    words = ("compile", "alfred/pick_heat_then_place_in_recep", *slots, "--scene", "FloorPlan10", "--seed", 3)
    for name in ("one", "two"):
        assert chorewright(*words, "--out", tmp_path / name, env={"PYTHONHASHSEED": name[1:2] and "7"}).returncode == 0
    files = [tmp_path / "one" / name for name in ("domain.pddl", "problem.pddl")]
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    assert chorewright("plan", *files, "-o", tmp_path / "p.plan").returncode == 0
    done = chorewright("validate", *files, tmp_path / "p.plan")
    assert (done.returncode, "valid: cost" in done.stdout) == (0, True)


def test_a_household_dataset_goes_all_the_way(tmp_path: Path) -> None:
    words = ("generate", "alfred", "-n", 4, "--seed", 2, "--scenes", "FloorPlan3", "--scenes", "FloorPlan301")
    made = chorewright(*words, "--out", "d", "--workers", 1, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    checked = chorewright("verify", "d", "--remake", 2, cwd=tmp_path)
    assert (checked.returncode, "2 made again, all equal" in checked.stdout) == (0, True), checked.stderr
    shown = chorewright("show", "d", 0, cwd=tmp_path)
    assert "GotoLocation(" in shown.stdout
    assert "accepted after" in shown.stdout
    exports = [
        json.loads(chorewright("export", "d", "--format", "alfred", "--out", "x", "--json", cwd=tmp_path).stdout)
        for _ in range(2)
    ]
    assert [export["files_changed"] > 0 for export in exports] == [True, False]
    assert len(list((tmp_path / "x").rglob("traj_data.json"))) == exports[0]["episodes"] == 4


LIMITS = [
    ("--time-limit", 1, 23, "no plan was found within 1 s ("),
    ("--time-limit", 0.01, 23, "0.01 s went by before the search began: starting, reading the files and "),
    ("--memory-limit", 250, 22, "no plan was found within 250 MB ("),
    ("--memory-limit", 1, 22, "no plan was found within 1 MB: the planner itself takes "),
    ("--evaluations", 10, 12, "no plan was found within 10 evaluations"),
]


@pytest.mark.parametrize(("limit", "value", "code", "said"), LIMITS)
def test_each_limit_has_its_exit_code(limit: str, value: float, code: int, said: str) -> None:
    folder = sample("ipc/parking-opt11-strips")
    problem = max(path for path in folder.iterdir() if "domain" not in path.name)
    words = ("plan", folder / "domain.pddl", problem, "--search", "astar", "--heuristic", "blind", limit, value)
    done = chorewright(*words)
    assert done.returncode == code
    assert said in " ".join(done.stderr.split())  # folded, by the path's length


def test_a_new_task_goes_all_the_way(tmp_path: Path) -> None:
    assert chorewright("new-task", "Tidy-Up", cwd=tmp_path).returncode == 0
    assert chorewright("new-task", "Tidy-Up", cwd=tmp_path).returncode == ExitCode.STORAGE
    checked = chorewright("check-task", "tidy-up.task", "--rooms", 2, "--json", cwd=tmp_path)
    report = json.loads(checked.stdout)
    assert (checked.returncode, report["tried"], report["solved"]) == (0, 2, 2)
    words = ("generate", "alfred", "--tasks", "tidy-up.task", "-n", 3, "--out", "d", "--workers", 1)
    made = chorewright(*words, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    (tmp_path / "tidy-up.task").write_text((tmp_path / "tidy-up.task").read_text() + "; later\n")
    changed = chorewright(*words, cwd=tmp_path)
    assert (changed.returncode, "other task files" in changed.stderr) == (ExitCode.STORAGE, True)
