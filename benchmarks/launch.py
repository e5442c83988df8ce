"""A command in a process of its own, from a small parent: what it took, in processor seconds and memory.

    python -S -m benchmarks.launch FILE COMMAND...

Linux counts what a process held between fork and exec as its own peak, so a command that a large process
starts seems to be as large. This module imports little and starts the command; FILE gets its exit code,
processor seconds and peak megabytes (of the largest of it and its children) as JSON.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Run the command and write what it took."""
    target, *command = sys.argv[1:]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    with open(target, "w") as file:
        seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        json.dump({"exit": os.waitstatus_to_exitcode(status), "seconds": seconds, "megabytes": megabytes}, file)


if __name__ == "__main__":
    main()
