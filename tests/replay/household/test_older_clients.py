"""The unmodified clients of AI2-THOR that ALFRED, ALFWorld and TEACh pin, each in an environment of its own.

``CHOREWRIGHT_CLIENT_VENVS`` names a folder with such environments, ``v2.1.0`` and ``v3.1.0``; else pip makes
them, or the tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

import pytest

from chorewright.replay.household.server.program import stand_in
from tests.command import environment

pytestmark = pytest.mark.slow
CLIENTS = Path(__file__).with_name("clients")
BESIDE = {"2.1.0": ("setuptools<81",), "3.1.0": ("setuptools<81", "opencv-python-headless")}


def interpreter(version: str, folder: Path) -> Path:
    """Return the interpreter of an environment with the client; skip where none can be made."""
    given = os.environ.get("CHOREWRIGHT_CLIENT_VENVS")
    place = Path(given or folder) / f"v{version}"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        wanted = [f"ai2thor=={version}", *BESIDE[version]]
        made = subprocess.run(
            [python, "-m", "pip", "install", "-q", *wanted], capture_output=True, text=True, check=False
        )
        if made.returncode:
            pytest.skip(f"pip cannot install ai2thor {version}: {made.stderr.strip()[-200:]}")
    return python


@pytest.mark.parametrize(("version", "client"), [("2.1.0", "alfred.py"), ("3.1.0", "teach.py")])
def test_the_client_does_what_its_users_do(version: str, client: str, tmp_path: Path) -> None:
    """No path is given to 2.1.0, and no X server runs, even where ``xdpyinfo`` is installed."""
    python = interpreter(version, tmp_path)
    folder = tmp_path / "home" / ".ai2thor"
    paths = stand_in(folder)
    env = environment({"HOME": str(folder.parent), "PATH": f"{paths[-1].parent}:{os.environ['PATH']}"})
    env.pop("DISPLAY", None)
    done = subprocess.run(
        [python, CLIENTS / client, folder], capture_output=True, text=True, env=env, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["done"]
