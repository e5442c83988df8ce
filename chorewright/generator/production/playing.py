"""What agents play, by index, in several processes, with a log on which a broken run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chorewright.files.cores import usable_cores
from chorewright.generator.play_log import open_log
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
    workers: int | None,
    watch: Callable[[int, int], object],
    log: Path | None,
    header: Mapping[str, object],
) -> tuple[P, ...]:
    """Play the episodes 0 to ``total - 1`` and return how each went, in their order.

    Args:
        play: Plays some episodes; it is sent to the processes.
        kind: What tells how an episode went.
        total: How many there are.
        chunk: How many a process is given at once.
        workers: Processes, all cores by default; 0 and 1 play in this one.
        watch: Told now and then how many of how many are done.
        log: A file that what was played is written to as it goes; what it has already is not played again.
        header: What tells the log from those of other evaluations.

    Raises:
        UsageError: The log is of something else.
        InputError: The log cannot be read.
        StorageError: The log cannot be written, or another process writes it.
    """
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
