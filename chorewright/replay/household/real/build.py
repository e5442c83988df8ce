"""Checks whether a real build of AI2-THOR can run here: client, build and display, and what to install."""

from __future__ import annotations

import ctypes.util
import os
import socket
import sys
from importlib import util
from pathlib import Path

from chorewright.errors import MissingExtra, UsageError
from chorewright.files.extras import pip_install

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
