"""The console program ``chorewright-thor``: AI2-THOR's clients start it in the place of a Unity build."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from chorewright.errors import ChorewrightError, render
from chorewright.replay.household.server import fifo, http
from chorewright.replay.household.server.service import Service
from chorewright.replay.household.server.stand_in import stand_in

USAGE = """\
chorewright-thor is started by a client of AI2-THOR, in the place of its Unity build:

    Controller(local_executable_path=<path of chorewright-thor>, x_display=":0")   # ai2thor 3.1.0 to 5.0.0
    Controller().start(...) after setting local_executable_path                    # ai2thor 2.1.0

or, in one call, chorewright.replay.household.controller(). Code that names no build of its own (ALFRED's,
ALFWorld's, TEACh's) finds it after

    chorewright-thor --stand-in ~/.ai2thor"""


def main() -> int:
    """Serve the client that started this process, by the protocol that it asks for in the environment."""
    parser = argparse.ArgumentParser(usage=USAGE, add_help=True)
    parser.add_argument("-screen-width", type=int, default=300)
    parser.add_argument("-screen-height", type=int, default=300)
    parser.add_argument("--stand-in", metavar="FOLDER", type=Path)
    arguments, _ = parser.parse_known_args()
    if arguments.stand_in is not None:
        return _stand_in(arguments.stand_in)
    environment, parent = os.environ, os.getppid()
    pipes = [environment.get(f"AI2THOR_FIFO_{end}_PIPE_PATH") for end in ("SERVER", "CLIENT")]
    host, port = environment.get("AI2THOR_HOST"), environment.get("AI2THOR_PORT", "")
    if all(pipes):
        service = Service(arguments.screen_width, arguments.screen_height)
        fifo.serve(service, str(pipes[0]), str(pipes[1]), parent)
    elif host and port.isdecimal():
        service = Service(arguments.screen_width, arguments.screen_height, version=2)
        http.serve(service, host, int(port), environment.get("AI2THOR_CLIENT_TOKEN", ""))
    else:
        print(USAGE, file=sys.stderr)
        return 2
    return 0


def _stand_in(folder: Path) -> int:
    try:
        paths = stand_in(folder.expanduser().absolute())
    except ChorewrightError as error:
        print(render(error), file=sys.stderr)
        return int(error.exit_code)
    print(*paths, sep="\n")
    print(f"where xdpyinfo is installed and no X server runs: export PATH={paths[-1].parent}:$PATH DISPLAY=:0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
