"""Make items: each group in a process and a folder of its own, its items one after the other."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

from tests.freeze.frozen import digest, keep
from tests.freeze.items import DATASETS, ITEMS, LOOSE, Item
from tests.freeze.workspace import Outputs, Workspace, working_in


@dataclass(frozen=True, slots=True)
class Made:
    """An item that was made: its digest, or why there is none; CPU seconds."""

    name: str
    digest: str = ""
    trouble: str = ""
    seconds: float = 0.0


def chosen(names: Sequence[str], quick: bool = False) -> list[Item]:
    """Return the items whose names are among some, or begin with them as a group; all without names."""
    wanted = [each for each in ITEMS if not quick or each.quick]
    return [each for each in wanted if not names or each.name in names or each.group in names]


def make(items: Sequence[Item], workers: int, folder: Path | None = None) -> Iterator[Made]:
    """Make items and yield them as they are ready.

    Args:
        items: The items.
        workers: Processes; 0 for this one.
        folder: Where their files are kept.
    """
    ordered = sorted(items, key=lambda each: each.group)
    groups = [tuple(each.name for each in found) for _, found in groupby(ordered, key=lambda each: each.group)]
    if not workers:
        for names in groups:
            yield from make_group(names, folder)
        return
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(workers, maxtasksperchild=1) as pool:
        queue: Queue[Made] = manager.Queue()
        running = pool.map_async(partial(_fill, queue, folder), groups, chunksize=1)
        for _ in items:
            yield queue.get()
        running.get()


def _fill(queue: Queue[Made], folder: Path | None, names: Sequence[str]) -> None:
    for each in make_group(names, folder):
        queue.put(each)


def make_group(names: Sequence[str], folder: Path | None = None) -> Iterator[Made]:
    """Make items of one group in a new folder, and yield them."""
    with TemporaryDirectory(prefix="freeze-") as place, working_in(Path(place)):
        group = names[0].partition("/")[0]
        work = Workspace(Path(place), DATASETS, group in LOOSE)
        for item in chosen(names):
            missing = [name for name in item.needs if find_spec(name) is None]
            if missing:
                yield Made(item.name, trouble=f"needs {', '.join(missing)}")
                continue
            began = time.process_time()
            yield _made(item, work, folder, began)


def _made(item: Item, work: Workspace, folder: Path | None, began: float) -> Made:
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
