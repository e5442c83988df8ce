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
from pathlib import Path

import pytest

from chorewright.files.signals import Terminated, exit_code, stop_behind, stoppable
from tests.command import chorewright, command, environment

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")

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
    ("validate domain.pddl problem.pddl plan", "chorewright.planner.validation"),
    ("compile alfred/pick-heat-then-place --scene FloorPlan1 --out o", "chorewright.problems.thor.rooms"),
    ("tasks --json", "chorewright.domains.library"),
    ("chains --json", "chorewright.problems.tabletop.chains"),
    ("check-task alfred/pick-heat-then-place", "chorewright.generator.episode"),
    (_ALFRED, "numpy"),
    (_ALFRED, "pyarrow"),
    (f"{_ALFRED} --json", "chorewright.replay.thor.world"),
    ("verify d", "chorewright.generator.store.verify"),
    ("export d --format alfred --out o", "chorewright.generator.store.shards"),
    ("show d", "chorewright.generator.store.dataset"),
    ("replay d", "chorewright.generator.store.dataset"),
    ("view d -o o.html", "chorewright.generator.store.dataset"),
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
