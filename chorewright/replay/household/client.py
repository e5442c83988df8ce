"""AI2-THOR's own Python client, driving the THOR world in a process beside it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from chorewright.errors import MissingExtra, UsageError
from chorewright.files.extras import pip_install

if TYPE_CHECKING:
    from ai2thor.controller import Controller

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
