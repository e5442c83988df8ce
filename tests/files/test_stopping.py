"""Every verb ends at Ctrl-C, SIGTERM and SIGHUP, at any moment: exit code, no traceback, no process left."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from chorewright import cli
from chorewright.commands import shell
from chorewright.files.stopping import Terminated, exit_code, stop_behind, stoppable
from tests.command import chorewright, command, environment

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="sends signals"),
    pytest.mark.usefixtures("hang_ups_are_heard"),
]

NUMBERS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


_AT = """
import os, signal, sys

class Asked:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Asked())
sys.argv = ["chorewright", *{words!r}]
from chorewright.__main__ import main
main()
"""

_ALFRED = "generate alfred --workers 0 -n 2 --out d"

# Each verb with a module that it imports when it begins to work: there, the signal comes.
MOMENTS = [
    ("plan domain.pddl problem.pddl", "chorewright.cli"),
    ("plan domain.pddl problem.pddl", "typer"),
    ("plan domain.pddl problem.pddl", "chorewright.commands.shell"),
    ("plan domain.pddl problem.pddl", "chorewright.planner.planning"),
    ("validate domain.pddl problem.pddl plan", "chorewright.domains.pddl.parser"),
    ("compile alfred/pick-heat-then-place --scene FloorPlan1 --out o", "chorewright.problems.household.rooms"),
    ("tasks --json", "chorewright.domains.library"),
    ("chains --json", "chorewright.problems.calvin.chains"),
    ("check-task alfred/pick-heat-then-place", "chorewright.generator.dataset.episode"),
    (_ALFRED, "numpy"),
    (_ALFRED, "pyarrow"),
    (f"{_ALFRED} --json", "chorewright.replay.household.world"),
    ("verify d", "chorewright.generator.production.verify"),
    ("export d --format alfred --out o", "chorewright.generator.dataset.store.dataset"),
    ("show d", "chorewright.generator.dataset.store.dataset"),
    ("replay d", "chorewright.generator.dataset.store.dataset"),
    ("view d -o o.html", "chorewright.generator.dataset.store.dataset"),
    ("evaluate calvin --policy expert --chains 2", "chorewright.generator.calvin.evaluation"),
    ("evaluate handmethat d --agent oracle", "chorewright.generator.handmethat.evaluation"),
    ("evaluate teach --agents planner", "chorewright.generator.teach.tatc_evaluation"),
    ("doctor", "chorewright.planner.planning"),
]


@pytest.mark.parametrize(("words", "module"), MOMENTS, ids=[f"{w.split()[0]}-{m}" for w, m in MOMENTS])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_verb_that_has_just_begun(tmp_path: Path, words: str, module: str, number: int) -> None:
    code = _AT.format(module=module, number=int(number), words=words.split())
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
    )
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert (done.returncode, word in done.stderr) == (NUMBERS[signal.Signals(number)], True), done.stderr
    assert "Traceback" not in done.stderr
    if "--json" in words:
        assert json.loads(done.stdout)["exit_code"] == done.returncode
    else:
        assert done.stdout == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def _catches_sigterm(pid: int) -> bool:
    caught = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    return bool(int(caught, 16) & 1 << (signal.SIGTERM - 1))


def _others_of_group(group: int) -> list[int]:
    """The living processes of a group but its first."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != group:
            try:
                state, _, own = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:3]
            except OSError:
                continue
            if int(own) == group and state != "Z":
                found.append(int(entry.name))
    return found


# Verbs that take long, or start other processes; the signal reaches the whole group, as that of a terminal does.
LONG = [
    ("generate alfred --workers 2 -n 4000 --out d", 3.0),
    ("check-task alfred/pick_heat_then_place_in_recep --rooms 400 --json", 2.0),
    ("evaluate teach --agents planner --workers 2 --sessions 400", 3.0),
    ("plan --engine pyperplan domain.pddl problem.pddl", 2.0),
    ("tasks", 0.4),
]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize(("words", "seconds"), LONG, ids=[words.split()[0] for words, _ in LONG])
@pytest.mark.parametrize("number", NUMBERS)
def test_any_moment(tmp_path: Path, words: str, seconds: float, number: int) -> None:
    """From the moment that the program knows of signals: exit code, no traceback, nobody left, nothing half written."""
    (tmp_path / "domain.pddl").write_text(_TOWERS)
    disks = [f"d{k}" for k in range(30)]
    chain = " ".join(f"(on {a} {b}) (smaller {a} {b})" for a, b in pairwise(disks))
    (tmp_path / "problem.pddl").write_text(
        f"(define (problem p) (:domain towers) (:objects {' '.join(disks)}) (:init {chain}) (:goal (on d29 d0)))"
    )
    rng = random.Random(f"{words} {number}")
    process = subprocess.Popen(
        command(*words.split()),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not _catches_sigterm(process.pid):
        assert process.poll() is None
        time.sleep(0.001)
    time.sleep(rng.random() * seconds)
    ended = process.poll()
    if ended is None:
        os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == NUMBERS[signal.Signals(number)], errors
    assert "Traceback" not in errors
    deadline = time.monotonic() + 120
    while _others_of_group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _others_of_group(process.pid)
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_stop_that_typer_takes_for_an_end_is_told(
    number: signal.Signals,
    word: str,
    as_json: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = typer.Typer()
    app.command()(lambda: os.kill(os.getpid(), number))
    monkeypatch.setattr(cli, "build", lambda words: app)
    monkeypatch.setattr(sys, "argv", ["chorewright"])
    with pytest.raises(SystemExit) as ended:
        shell.verb(cli._run)(as_json=as_json)
    assert ended.value.code == NUMBERS[number]
    said = capsys.readouterr()
    assert word in said.err
    assert (json.loads(said.out)["exit_code"] if as_json else None) == (NUMBERS[number] if as_json else None)


_TOWERS = """(define (domain towers) (:predicates (on ?a ?b) (smaller ?a ?b))
 (:action swap :parameters (?a ?b ?c) :precondition (and (on ?a ?b) (on ?b ?c)) :effect (and (on ?a ?c) (on ?c ?b)))
 (:action turn :parameters (?a ?b ?c) :precondition (and (on ?a ?b) (smaller ?b ?c)) :effect (on ?c ?b)))
"""


@pytest.fixture
def own_handlers() -> Callable[[], Mapping[int, object]]:
    return lambda: {number: signal.getsignal(number) for number in NUMBERS}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_an_exception_while_the_block_lasts(
    number: signal.Signals, own_handlers: Callable[[], Mapping[int, object]]
) -> None:
    before = own_handlers()
    with pytest.raises(KeyboardInterrupt) as stopped, stoppable(), stoppable():
        signal.raise_signal(number)
    assert exit_code(stopped.value) == NUMBERS[number]
    assert own_handlers() == before
    assert isinstance(stopped.value, Terminated) == (number != signal.SIGINT)


def test_another_error_that_a_signal_was_made_into_is_the_signal() -> None:
    def library() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise ImportError("cannot import") from None

    with pytest.raises(Terminated), stoppable():
        library()


def test_a_block_may_end_by_itself_after_a_signal() -> None:
    def leaving() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Terminated as stop:
            sys.exit(exit_code(stop))

    with pytest.raises(SystemExit, match="143"), stoppable():
        leaving()


def test_ctrl_c_within_the_making_of_a_class_gives_the_exit_code(tmp_path: Path) -> None:
    """CPython would end by SIGINT, were it not for ``__main__``."""
    code = """
import os, signal, sys

def parse(*words, **options):
    exec("os.kill(os.getpid(), signal.SIGINT)\\nfor _ in range(9): pass", globals())

sys.argv = ["chorewright", "tasks"]
from chorewright.__main__ import main
import chorewright.cli
chorewright.cli.build = lambda words: parse
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_the_stop_behind_an_error() -> None:
    stop = Terminated(signal.SIGHUP)
    error = ImportError("one")
    error.__context__ = ValueError("two")
    assert stop_behind(error) is None
    error.__context__.__cause__ = stop
    assert stop_behind(error) is stop
    error.__context__.__cause__ = error  # round
    assert stop_behind(error) is None


def test_what_a_program_ignores_or_handles_itself_is_left_alone() -> None:
    heard: list[int] = []
    before = {signal.SIGTERM: signal.getsignal(signal.SIGTERM), signal.SIGHUP: signal.getsignal(signal.SIGHUP)}
    try:
        signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with stoppable():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert heard == [signal.SIGTERM]


def test_other_threads_are_left_alone() -> None:
    seen: list[object] = []

    def work() -> None:
        with stoppable():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


def test_ignored_signals_stay_ignored_by_the_program(tmp_path: Path) -> None:
    """As ``nohup`` has it."""
    code = "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    code += _AT.format(module="chorewright.domains.library", number=int(signal.SIGHUP), words=["tasks", "--json"])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
    )
    assert done.returncode == 0
    assert done.stdout == chorewright("tasks", "--json", cwd=tmp_path).stdout
