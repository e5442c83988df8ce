"""Putting the program where existing code looks for its build, and answering for an X server.

ALFRED, ALFWorld (client 2.1.0) and TEACh (3.1.0) start the build with a fixed name in a folder of AI2-THOR's, and so
does client 5.0.0 where no build is named, for a screen (Linux64) or without (CloudRendering). With a script there that
starts our program, they run unmodified.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from importlib import resources
from pathlib import Path

from chorewright.errors import StorageError


def stand_in(folder: Path, python: str = sys.executable) -> list[Path]:
    """Write a starting script under the name of each build that existing code pins; return their paths.

    The last is ``bin/xdpyinfo``, which says that there is an X server: the clients before 5.0.0 ask it, where
    it is installed, and our program needs none.

    Args:
        folder: AI2-THOR's own, ``~/.ai2thor``, or the one that TEACH_AI2THOR_BASE_DIR names.
        python: The interpreter that has chorewright.

    Raises:
        StorageError: Something else is there, or nothing can be written.
    """
    source = resources.files("chorewright.replay") / "data" / "thor_dialects.json"
    builds: list[str] = json.loads(source.read_text("utf-8"))["builds"]
    start = f'#!/bin/sh\nexec {shlex.quote(python)} -m chorewright.replay.household.server.program "$@"\n'
    texts = {folder / "releases" / name / name: start for name in builds}
    told = json.dumps({"about": "chorewright", "server_types": ["FIFO", "WSGI"]})
    texts |= {folder / "releases" / name / "metadata.json": told for name in builds if VERSIONED.match(name)}
    texts[folder / "bin" / "xdpyinfo"] = f"#!/bin/sh\n# {MARK}\nexit 0\n"
    for path in texts:
        if path.exists() and not _ours(path):
            raise StorageError(f"{path} exists already and does not belong to chorewright")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o644 if path.suffix else 0o755)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename}: {error.strerror}") from None
    return list(texts)


VERSIONED = re.compile(r"thor-\w+-[0-9a-f]{40}$")
"""Names of builds beside which a client reads what protocols they speak."""

MARK = "chorewright: there is an X server as far as AI2-THOR's clients need to know"


def _ours(path: Path) -> bool:
    return path.is_file() and b"chorewright" in path.read_bytes()[:4096]
