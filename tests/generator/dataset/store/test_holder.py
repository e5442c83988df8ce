"""Holders of locks: a process that has ended, a number given again, another boot, another container."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.generator.dataset.store.remote_lock import Holder, Host, read_holder, this_process

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system has no /proc")


def host(folder: Path, stat: str | None = None) -> Host:
    """A host of whose processes this one is the only one that is told about, if any."""
    if stat is not None:
        (folder / str(os.getpid())).mkdir()
        (folder / str(os.getpid()) / "stat").write_text(stat)
    return Host("here", "boot-1", "pid:[1]", folder)


def stat(state: str, born: int) -> str:
    """As proc(5) has it, with a name that means harm."""
    return f"{os.getpid()} (a) Z (b) {state} " + " ".join(["0"] * 18) + f" {born} 0 0"


OWN = Holder(os.getpid(), "here", "now", "boot-1", "pid:[1]", 77)


@pytest.mark.parametrize(
    ("holder", "told", "alive"),
    [
        pytest.param(OWN, stat("S", 77), True, id="it runs"),
        pytest.param(OWN, stat("Z", 77), False, id="a zombie"),
        pytest.param(OWN, stat("X", 77), False, id="dead"),
        pytest.param(OWN, stat("S", 78), False, id="its number was given again"),
        pytest.param(replace(OWN, born=0), stat("S", 78), True, id="it has not said when it was started"),
        pytest.param(replace(OWN, boot="boot-0"), stat("S", 77), False, id="the host was started again"),
        pytest.param(replace(OWN, boot=""), stat("S", 77), True, id="it has not said since which boot"),
        pytest.param(replace(OWN, numbers="pid:[2]"), stat("Z", 77), True, id="a container that nobody sees into"),
        pytest.param(replace(OWN, numbers="pid:[2]", boot="boot-0"), None, False, id="a container before the boot"),
        pytest.param(replace(OWN, host="there", boot="boot-0"), stat("Z", 77), True, id="another host"),
        pytest.param(replace(OWN, pid=2**22 + 1), None, False, id="no such process"),
        pytest.param(OWN, None, True, id="a system that does not tell, as macOS"),
        pytest.param(OWN, "torn", True, id="a system that tells something else"),
        pytest.param(replace(OWN, pid=2**80), None, True, id="a number that is none"),
    ],
)
def test_who_may_still_run(tmp_path: Path, holder: Holder, told: str | None, alive: bool) -> None:
    assert holder.alive(host(tmp_path, told)) is alive


def test_this_process_runs() -> None:
    assert read_holder(this_process()).alive()


@LINUX
def test_a_real_zombie_holds_nothing() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    here = Host()
    state = here.state(child.pid)
    assert state is not None
    holder = Holder(child.pid, here.name, "now", here.boot, here.numbers, state[1])
    assert holder.alive()
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its number stays taken
    assert not holder.alive()
    child.communicate()


@pytest.mark.parametrize(
    "value",
    [{}, {"pid": 1}, {"pid": "1", "host": "h", "started": ""}, {"pid": -1, "host": "h", "started": ""}],
    ids=str,
)
def test_texts_that_name_nobody(value: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError)):
        read_holder(value)
