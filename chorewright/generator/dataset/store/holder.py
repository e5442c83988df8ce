"""Who holds a dataset's lock: a process on a host, as the lock's text says, and whether it still runs.

A process's number is given again, to another process and in each container, and a process that has ended keeps it
until its parent has noticed. So the text also says since which boot of the host the process runs, in which set of
process numbers (a container has its own), and when it was started. Linux tells all this in ``/proc``. Elsewhere, as
on macOS, the number alone decides: a process of that number that lives counts as the holder.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from chorewright.errors import StorageError

_ENDED = ("Z", "X", "x")
"""States of a process that has ended, and whose number is not free yet: proc(5)."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine, or a container on one, as a process sees it.

    Attributes:
        name: The host's name.
        boot: Since which boot it runs; empty where the system does not tell.
        numbers: The set of process numbers that is seen; empty where the system does not tell.
        processes: The folder that tells about processes.
    """

    name: str = field(default_factory=socket.gethostname)
    boot: str = field(default_factory=lambda: _line(Path("/proc/sys/kernel/random/boot_id")))
    numbers: str = field(default_factory=lambda: _link(Path("/proc/self/ns/pid")))
    processes: Path = Path("/proc")

    def state(self, pid: int) -> tuple[str, int] | None:
        """Return a process's state, a letter, and when it was started, in ticks since the boot.

        None where the system does not tell.
        """
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold blanks and parentheses.
            rest = (self.processes / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
            return rest[0].decode("ascii"), int(rest[19])
        return None


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock.

    Attributes:
        pid: Its number.
        host: The name of its host.
        started: When it took the lock.
        boot: As ``Host`` has it; empty where it is not known.
        numbers: As ``Host`` has it; empty where it is not known.
        born: When the process was started, in ticks since the boot; 0 where it is not known.
    """

    pid: int
    host: str
    started: str
    boot: str = ""
    numbers: str = ""
    born: int = 0

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, started {self.started}"

    def alive(self, here: Host | None = None) -> bool:
        """Whether the process may still run, as far as one on a host can know.

        One on another host may, and so may one whose number belongs to another container.

        Args:
            here: The host of the process that asks; by default this process's.
        """
        here = here or Host()
        if self.host != here.name:
            return True
        if self.boot and here.boot and self.boot != here.boot:
            return False
        if self.numbers and here.numbers and self.numbers != here.numbers:
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):  # it is somebody else's
            pass
        state = here.state(self.pid)
        return state is None or (state[0] not in _ENDED and self.born in (0, state[1]))


def this_process() -> dict[str, object]:
    """Return what a lock's text says of the process that takes it."""
    here, pid = Host(), os.getpid()
    started = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    state = here.state(pid)
    return asdict(Holder(pid, here.name, started, here.boot, here.numbers, state[1] if state else 0))


def read_holder(value: Mapping[str, object]) -> Holder:
    """Return the holder that a lock's text names.

    Raises:
        ValueError, KeyError, TypeError: It names none.
    """
    pid, born = value["pid"], value.get("born", 0)
    if not isinstance(pid, int) or not isinstance(born, int) or pid < 0:
        raise ValueError(f"{pid!r} is no process")
    boot, numbers = str(value.get("boot", "")), str(value.get("numbers", ""))
    return Holder(pid, str(value["host"]), str(value["started"]), boot, numbers, born)


def is_held(folder: object, holders: Iterable[Holder]) -> StorageError:
    """Return the error that others are writing to a dataset's folder."""
    who = "; ".join(map(str, holders)) or "a run that has not said who it is"
    return StorageError(
        f"another run is writing to {folder}: {who}",
        hint="wait for it or stop it; the same command then continues where it ended",
    )


def _line(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text("ascii").strip()
    return ""


def _link(path: Path) -> str:
    with suppress(OSError):
        return os.readlink(path)
    return ""
