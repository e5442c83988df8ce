"""This process: how many cores it may use, how much memory it takes, the seconds of its stages, and its end."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from time import perf_counter
from types import TracebackType
from typing import NoReturn

from chorewright.errors import causes

# How many processor cores this process may use: its affinity, and the quota of its control group.


_SELF = Path("/proc/self")


def usable_cores(about: Path = _SELF) -> int:
    """Return the number of cores that this process may use, at least 1.

    It is the least of the cores that the scheduler gives to the process and of the quotas of its control groups
    (version 1 or 2, as containers and batch schedulers set them); a part of a core counts as a whole one.

    Args:
        about: The folder of files ``cgroup`` and ``mountinfo`` as Linux has them of a process.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *_quotas(about)]))


def _quotas(about: Path) -> Iterator[int]:
    """Yield the quota in cores of each control group that limits the process; nothing of what cannot be read."""
    try:
        groups = (about / "cgroup").read_text("utf-8").splitlines()
        mounts = (about / "mountinfo").read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in groups:
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number != "0" and "cpu" not in controllers.split(","):
            continue
        for root, mounted in _yield_mounts(mounts, unified=number == "0"):
            for folder in _up_from(mounted, _below(root, group)):
                quota = _quota(folder)
                if quota is not None:
                    yield quota


def _yield_mounts(mounts: list[str], unified: bool) -> Iterator[tuple[str, Path]]:
    """Yield which group is mounted where: those of version 2, or those of version 1 that count time."""
    for line in mounts:
        before, _, behind = line.partition(" - ")
        fields, kind = before.split(), behind.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        if kind[0] == ("cgroup2" if unified else "cgroup") and (unified or "cpu" in kind[2].split(",")):
            yield _unescape(fields[3]), Path(_unescape(fields[4]))


def _unescape(text: str) -> str:
    """Return a path of ``mountinfo``, which writes blanks as ``\\040``."""
    return text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")


def _below(root: str, group: str) -> PurePosixPath:
    """Return a group's path below the mounted one; inside a container the mounted one is the container's own."""
    path = PurePosixPath(group)
    return path.relative_to(root) if path.is_relative_to(root) else PurePosixPath()


def _up_from(mounted: Path, below: PurePosixPath) -> Iterator[Path]:
    """Yield a group's folder and those of the groups that hold it."""
    if ".." in below.parts:  # a group outside of the container
        below = PurePosixPath()
    for part in (below, *below.parents):
        folder = mounted / part.relative_to("/") if part.is_absolute() else mounted / part
        yield folder


def _quota(folder: Path) -> int | None:
    """Return a group's quota in cores, rounded up; None if it has none."""
    both = _words(folder / "cpu.max") or [*_words(folder / "cpu.cfs_quota_us"), *_words(folder / "cpu.cfs_period_us")]
    try:
        quota, period = map(int, both)
    except ValueError:  # there is none, or it is "max"
        return None
    return -(-quota // period) if quota > 0 and period > 0 else None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text("ascii").split()
    except (OSError, ValueError):
        return []


# This process's memory: how much it takes, whether it ran out, and how often it is looked through for garbage.


_MEGABYTE = 1_000_000

EXHAUSTED = 22
"""The exit code, which ``errors.ExitCode`` has too; where memory runs out early, that module cannot be imported."""

_SIGNS = (
    "failed to map segment",
    "cannot allocate memory",
    "can't start new thread",
    "error return without exception set",
    "returned null without setting an exception",
    "could not initialize py",
)
"""What dynamic linkers, Python and numpy say, in errors of other kinds, where there is no memory for what they load."""

_RESERVE = [bytearray(2 * _MEGABYTE)]
"""Let go where an error may come from memory that ran out: whoever says so needs some."""


def resident_megabytes() -> int:
    """The memory that this process takes now; where the system does not tell, the most that it has taken."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) // _MEGABYTE


def is_exhausted(error: BaseException) -> bool:
    """Return whether an error comes from memory that ran out, also while a library was loaded."""
    _RESERVE.clear()
    return any(
        isinstance(each, MemoryError)
        or (isinstance(each, OSError) and each.errno == errno.ENOMEM)
        or any(sign in str(each).lower() for sign in _SIGNS)
        for each in causes(error)
    )


def collect_rarely() -> None:
    """Look through all values for garbage less often: most of them stay, and few are in cycles."""
    gc.set_threshold(100_000, 20, 50)


_JSON = """{{
  "status": "error",
  "errors": [{{"path": null, "line": null, "column": null, "message": "{message}", "hint": null}}],
  "exit_code": {code}
}}
"""


def leave_at_once(message: str, code: int) -> NoReturn:
    """End this process with a word on standard error, with ``--json`` as JSON, too; no more is imported for it."""
    with suppress(OSError):
        os.write(2, f"{message}\n".encode())
        if "--json" in sys.argv:
            os.write(1, _JSON.format(message=message, code=code).encode())
    os._exit(code)


# A stopwatch for the stages of a work: each second counts for the innermost stage, and costs a microsecond.
#
# Code marks its stages with ``Timed``, as a context or a decorator. Without a stopwatch that runs (``measure``), a mark
# does nothing.


class Stopwatch:
    """The seconds of each stage so far."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds of the stages that were entered, by name."""
        return self._seconds

    def enter(self, stage: str) -> None:
        """Begin a stage; the one around it rests."""
        self._book()
        self._stages.append(stage)

    def leave(self) -> None:
        """End the innermost stage."""
        self._book()
        self._stages.pop()

    def _book(self) -> None:
        now = perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self._seconds[stage] = self._seconds.get(stage, 0.0) + now - self._since
        self._since = now


_RUNNING: ContextVar[Stopwatch | None] = ContextVar("chorewright.stopwatch", default=None)


@contextmanager
def redirect_descriptor(number: int, target: int) -> Iterator[None]:
    """Let a file descriptor lead where another leads; where either is closed, nothing changes."""
    try:
        saved = os.dup(number)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            os.dup2(target, number)
        yield
    finally:
        os.dup2(saved, number)
        os.close(saved)


@contextmanager
def measure() -> Iterator[Stopwatch]:
    """Yield a stopwatch that runs while the context lasts."""
    stopwatch = Stopwatch()
    token = _RUNNING.set(stopwatch)
    try:
        yield stopwatch
    finally:
        _RUNNING.reset(token)


class Timed(ContextDecorator):
    """Marks a stage: ``with Timed("plan"):``, or ``@Timed("plan")`` above a function."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __enter__(self) -> None:
        stopwatch = _RUNNING.get()
        if stopwatch is not None:
            stopwatch.enter(self._stage)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        stopwatch = _RUNNING.get()
        if stopwatch is not None:
            stopwatch.leave()
