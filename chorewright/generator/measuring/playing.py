"""What agents play, by index, in several processes, with a log on which a broken run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chorewright import __version__
from chorewright.errors import UsageError
from chorewright.files.processes import usable_cores
from chorewright.generator.measuring.play_log import VERSION, open_log
from chorewright.generator.production.pool import in_order, processes

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

P = TypeVar("P", bound="DataclassInstance")
"""How an episode went."""


def play_all(
    play: Callable[[Sequence[int]], list[P]],
    kind: type[P],
    total: int,
    chunk: int,
    header: Mapping[str, object],
    count: int | None = None,
    workers: int | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
    log: Path | None = None,
) -> tuple[P, ...]:
    """Play the first episodes and return how each went, in their order.

    Args:
        play: Plays some episodes; it is sent to the processes.
        kind: What tells how an episode went.
        total: How many there are.
        chunk: How many a process is given at once.
        header: What tells the log from those of other evaluations; the version is added.
        count: How many are played, all by default.
        workers: Processes, all cores by default; 0 and 1 play in this one.
        watch: Told now and then how many of how many are done.
        log: A file that what was played is written to as it goes; what it has already is not played again.

    Raises:
        UsageError: The numbers cannot be, or the log is of something else.
        InputError: The log cannot be read.
        StorageError: The log cannot be written, or another process writes it.
    """
    if count is not None and count < 1:
        raise UsageError(f"the number of episodes must be positive, not {count}")
    if workers is not None and workers < 0:
        raise UsageError(f"the number of workers must not be negative, but is {workers}")
    total = total if count is None else min(total, count)
    header = {VERSION: __version__, **header}
    opened: AbstractContextManager[tuple[Sequence[P], Callable[[Sequence[P]], None]]]
    opened = nullcontext(((), lambda played: None)) if log is None else open_log(log, header, kind)
    with opened as (before, write):
        found = list(before[:total])
        watch(len(found), total)
        for several in _several(play, range(len(found), total), chunk, workers):
            found.extend(several)
            write(several)
            watch(len(found), total)
    return tuple(found)


def _several(
    play: Callable[[Sequence[int]], list[P]], indices: range, chunk: int, workers: int | None
) -> Iterator[list[P]]:
    workers = min(usable_cores() if workers is None else workers, -(-len(indices) // chunk))
    chunks = [indices[first : first + chunk] for first in range(0, len(indices), chunk)]
    if workers < 2:
        yield from (play([index]) for index in indices)
        return
    with processes(workers, "evaluation") as pool:
        yield from in_order(pool, play, chunks)
