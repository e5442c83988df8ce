"""Make items: each group in a process and a folder of its own, its items one after the other."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory

from tests.freeze.frozen import digest, keep
from tests.freeze.items import DATASETS, ITEMS, LOOSE, Item
from tests.freeze.workspace import Outputs, Workspace, working_in

Names = tuple[str, ...]
"""The items of a group that one process makes."""

_PATIENCE = 5.0
"""Seconds that a process has to end when the command is stopped."""


@dataclass(frozen=True, slots=True)
class Made:
    """An item that was made: its digest, or which packages it needs, or its trouble; CPU seconds."""

    name: str
    digest: str = ""
    missing: tuple[str, ...] = ()
    trouble: str = ""
    seconds: float = 0.0


def chosen(names: Sequence[str], quick: bool = False) -> list[Item]:
    """Return the items whose names are among some, or begin with them as a group; all without names."""
    wanted = [each for each in ITEMS if not quick or each.quick]
    return [each for each in wanted if not names or each.name in names or each.group in names]


def make(items: Sequence[Item], workers: int, folder: Path | None = None) -> Iterator[Made]:
    """Make items and yield them as they are ready; when this is closed, their processes end.

    Args:
        items: The items.
        workers: Processes; 0 for this one.
        folder: Where their files are kept.
    """
    ordered = sorted(items, key=lambda each: each.group)
    groups = [tuple(each.name for each in found) for _, found in groupby(ordered, key=lambda each: each.group)]
    if workers:
        yield from _make_in_processes(groups, workers, folder)
        return
    for names in groups:
        yield from make_group(names, folder)


def _make_in_processes(groups: Sequence[Names], workers: int, folder: Path | None) -> Iterator[Made]:
    """Make groups in processes, so many at a time; items of a process that breaks down are made with trouble."""
    context = multiprocessing.get_context("spawn")
    waiting, running, ready = list(groups), dict[SpawnProcess, set[str]](), set[str]()
    with context.Manager() as manager:
        queue: Queue[Made] = manager.Queue()
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    names = waiting.pop(0)
                    process = context.Process(target=_fill, args=(queue, folder, names))
                    process.start()
                    running[process] = set(names)
                ended = [process for process in running if not process.is_alive()]
                for each in _waiting_in(queue):
                    ready.add(each.name)
                    yield each
                for process in ended:
                    lost = sorted(running.pop(process) - ready)
                    yield from (Made(name, trouble=f"its process ended with {process.exitcode}") for name in lost)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.join(_PATIENCE)
                process.kill()


def _waiting_in(queue: Queue[Made]) -> Iterator[Made]:
    """Yield what is in a queue, after a fifth of a second without anything."""
    with suppress(Empty):
        while True:
            yield queue.get(timeout=0.2)


def _fill(queue: Queue[Made], folder: Path | None, names: Names) -> None:
    with suppress(KeyboardInterrupt):
        for each in make_group(names, folder):
            queue.put(each)


def make_group(names: Names, folder: Path | None = None) -> Iterator[Made]:
    """Make items of one group in a new folder, and yield them."""
    with TemporaryDirectory(prefix="freeze-") as place, working_in(Path(place)):
        group = names[0].partition("/")[0]
        work = Workspace(Path(place), DATASETS, group in LOOSE)
        for item in chosen(names):
            missing = tuple(name for name in item.needs if find_spec(name) is None)
            yield Made(item.name, missing=missing) if missing else _made(item, work, folder)


def _made(item: Item, work: Workspace, folder: Path | None) -> Made:
    began = time.process_time()
    try:
        outputs = item.make(work)
    except Exception as error:  # told beside the item's name; the others are made
        return Made(item.name, trouble=f"{type(error).__name__}: {error}")
    if folder is not None:
        keep(folder, item.name, outputs)
    return Made(item.name, digest(outputs), seconds=time.process_time() - began)


def outputs_of(name: str) -> Outputs:
    """Return the files of one item, made anew."""
    [item] = [each for each in ITEMS if each.name == name]
    with TemporaryDirectory(prefix="freeze-") as place, working_in(Path(place)):
        return item.make(Workspace(Path(place), DATASETS, item.group in LOOSE))


__all__ = ["Made", "chosen", "make", "make_group", "outputs_of"]
