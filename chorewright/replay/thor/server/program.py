"""The console program ``chorewright-thor``: AI2-THOR's clients start it in the place of a Unity build."""

from __future__ import annotations

import argparse
import os
import sys

from chorewright.replay.thor.server import fifo, http
from chorewright.replay.thor.server.service import Service

USAGE = """\
chorewright-thor is started by a client of AI2-THOR, in the place of its Unity build:

    Controller(local_executable_path=<path of chorewright-thor>, x_display=":0")   # ai2thor 3.1.0 to 5.0.0
    Controller().start(...) after setting local_executable_path                    # ai2thor 2.1.0

or, in one call, chorewright.replay.thor.controller()."""


def main() -> int:
    """Serve the client that started this process, by the protocol that it asks for in the environment."""
    parser = argparse.ArgumentParser(usage=USAGE, add_help=True)
    parser.add_argument("-screen-width", type=int, default=300)
    parser.add_argument("-screen-height", type=int, default=300)
    arguments, _ = parser.parse_known_args()
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


if __name__ == "__main__":
    sys.exit(main())
