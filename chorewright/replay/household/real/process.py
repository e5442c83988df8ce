"""The process of AI2-THOR's client, which can be ended together with its build if it hangs."""

from __future__ import annotations

import ctypes.util
import os
import shutil
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import util
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from chorewright.errors import MissingExtra, UsageError
from chorewright.files.plugins import pip_install

if TYPE_CHECKING:
    from ai2thor.controller import Controller


# Checks whether a real build of AI2-THOR can run here: client, build and display, and what to install.


STORE = ("s3-us-west-2.amazonaws.com", 443)
"""Where AI2-THOR's client gets builds from."""

PATIENCE = 4.0
"""Seconds to wait for that host."""

SOCKETS = Path("/tmp/.X11-unix")
INSTALL = "chorewright-thor stands in for a build: --executable <its path>"


def check_build(executable: str = "") -> None:
    """Look for what a real build needs, within 10 s.

    Args:
        executable: The build's path; empty for the one that AI2-THOR's client keeps or fetches.

    Raises:
        UsageError: The path is no program.
        MissingExtra: There is no client, no build, or no display for it; the hint says what to install.
    """
    if util.find_spec("ai2thor") is None:
        raise MissingExtra("AI2-THOR's client is not installed", hint=pip_install("thor"))
    if executable:
        path = Path(executable)
        if not path.is_file() or not os.access(path, os.X_OK):
            raise UsageError(f"{executable} is not an executable program", hint="give the path of a build")
        return
    problem = display_problem()
    if problem:
        raise MissingExtra(
            f"no build of AI2-THOR can run here: {problem}",
            hint=f"start an X server and set DISPLAY, or apt-get install libvulkan1 (needs a GPU); {INSTALL}",
        )
    if not kept_builds() and not _reachable(*STORE):
        raise MissingExtra(
            f"no build of AI2-THOR is kept in ~/.ai2thor/releases, and {STORE[0]} cannot be reached",
            hint="where there is a network, run: python -c 'from ai2thor.controller import Controller; "
            f"Controller(download_only=True)', and copy ~/.ai2thor here; {INSTALL}",
        )


def kept_builds() -> list[str]:
    """Return the names of the builds that AI2-THOR's client has fetched."""
    folder = Path.home() / ".ai2thor" / "releases"
    found = folder.glob("thor-*/thor-*") if folder.is_dir() else ()
    return sorted(path.name for path in found if path.is_file() and path.name == path.parent.name)


def display_problem() -> str:
    """Return why no build can draw here, empty if one can."""
    if not sys.platform.startswith("linux") or ctypes.util.find_library("vulkan"):
        return ""
    display = os.environ.get("DISPLAY", "")
    if not display:
        return "there is no X server (DISPLAY is not set) and no Vulkan"
    number = display.rpartition(":")[2].split(".")[0]
    if display.startswith(":") and not (SOCKETS / f"X{number}").exists():
        return f"there is no X server at {display}, and no Vulkan"
    return ""


def _reachable(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), PATIENCE):
            return True
    except OSError:
        return False


# AI2-THOR's own Python client, driving the THOR world in a process beside it.


PROGRAM = "chorewright-thor"


def program_path() -> Path:
    """Return the path of the console program, for ``Controller(local_executable_path=...)``.

    Raises:
        UsageError: It is not installed.
    """
    beside = Path(sys.executable).with_name(PROGRAM)
    found = beside if beside.exists() else shutil.which(PROGRAM)
    if found is None:
        raise UsageError(f"the program {PROGRAM} is not installed", hint="install chorewright with pip")
    return Path(found)


def controller(scene: str = "FloorPlan1", **parameters: object) -> Controller:
    """Return a ``Controller`` of the ``ai2thor`` package (3.1 to 5.0) whose build is the THOR world.

    No X server is needed or looked for.

    Args:
        scene: The room.
        parameters: Those of ``ai2thor.controller.Controller``.

    Raises:
        MissingExtra: The package ``ai2thor`` is not installed.
        UsageError: The program ``chorewright-thor`` is not installed.
    """
    try:
        from ai2thor.controller import Controller
    except ImportError:
        raise MissingExtra("AI2-THOR's client is not installed", hint=pip_install("thor")) from None

    if "local_executable_path" not in parameters:
        parameters["local_executable_path"] = str(program_path())
    # 3.1.0 looks for an X server where ``xdpyinfo`` is installed.
    beside = type("Controller", (Controller,), {"check_x_display": lambda self, display: None})
    return cast("Controller", beside(scene=scene, **{"x_display": ":0", **parameters}))


LOOK = 0.5
"""Seconds between two looks at whether the build still lives."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a build answers: AI2-THOR's metadata, and the picture if it sent one."""

    metadata: Mapping[str, object]
    frame: NDArray[np.uint8] | None


@dataclass(frozen=True, slots=True)
class Broken:
    """What went wrong between client and build."""

    reason: str


def drive(connection: Connection, parameters: Mapping[str, object]) -> None:
    """Start a client, then run the actions that come through a connection until it closes.

    The first answer is the start's. An action is a mapping; ``{"reset": room}`` loads a room.

    Args:
        connection: Actions come in, ``Seen`` or ``Broken`` go out.
        parameters: Those of the client's ``Controller``.
    """
    os.setsid()  # so that the build can be ended with this process
    client, over = None, Event()
    Thread(target=_watch, args=(connection, over), daemon=True).start()
    try:
        client = controller(**cast("dict[str, Any]", parameters))  # the client checks them
        connection.send(_sight_of(client.last_event))
        while True:
            action = connection.recv()
            try:
                event = client.reset(action["reset"]) if "reset" in action else client.step(action)
            except ValueError:  # an action that the build does not know
                event = client.last_event
            connection.send(_sight_of(event))
    except EOFError:
        pass
    except Exception as error:  # whatever a client raises is the build's fault, and told as such
        connection.send(Broken(f"{type(error).__name__}: {error}"))
    finally:
        over.set()
        if client is not None:
            client.stop()


def _watch(connection: Connection, over: Event) -> None:
    """Tell of a build that has ended: a client waits for its pipes until its patience is at an end."""
    last = 0
    while hasattr(os, "waitid") and not over.wait(LOOK):
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            continue
        if ended is None:
            continue
        if ended.si_pid == last and not over.is_set():  # others of the client's children are waited for at once
            connection.send(Broken(f"the build died with status {ended.si_status}"))
            os._exit(1)
        last = ended.si_pid


def _sight_of(event: object) -> Seen:
    metadata, frame = getattr(event, "metadata", {}), getattr(event, "frame", None)
    return Seen({**metadata}, None if frame is None else np.ascontiguousarray(frame))
