"""Who holds a dataset's lock: a process on a host, as the lock's text says."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass

from chorewright.errors import StorageError


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock."""

    pid: int
    host: str
    started: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, started {self.started}"

    def alive(self) -> bool:
        """Whether the process may still run; one on another host may, as far as this one can know."""
        if self.host != socket.gethostname():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return True


def this_process() -> dict[str, object]:
    """Return what a lock's text says of the process that takes it."""
    started = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    return {"pid": os.getpid(), "host": socket.gethostname(), "started": started}


def is_held(folder: object, holders: Iterable[Holder]) -> StorageError:
    """Return the error that others are writing to a dataset's folder."""
    who = "; ".join(map(str, holders)) or "a run that has not said who it is"
    return StorageError(
        f"another run is writing to {folder}: {who}",
        hint="wait for it or stop it; the same command then continues where it ended",
    )
