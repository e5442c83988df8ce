"""Lost workers: whose fault it was, what is tried again, and which index is left out of the dataset.

An index whose worker dies or takes too long is tried by itself, each time in a fresh process. After the third time it
is rejected, with a reason that depends on nothing but what it does. So the other indices of its part are made, and the
dataset has the same bytes however often the run was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import pyarrow.compute as pc

from chorewright.errors import ChorewrightError, UsageError, storing
from chorewright.files.pool import Lost
from chorewright.generator.dataset.episode import LOST, RejectionReason
from chorewright.generator.dataset.store import manifest, parts
from chorewright.generator.dataset.store.dataset_folder import RUN, DatasetFolder
from chorewright.generator.dataset.store.reading import read_shard
from chorewright.generator.dataset.store.shards import find_finished_shards, json_bytes, put
from chorewright.generator.production.agenda import Agenda, Job

TRIES = 3
"""How often an index, or a job of which no index is at fault, may lose its worker."""

HUNG = RejectionReason("lost", f"{LOST}it takes longer than an episode may")
DIED = RejectionReason("lost", f"{LOST}it ends its worker, or exhausts the memory")
"""The reasons of indices that are left out."""

PATIENCE = 900.0
"""Seconds that a worker may take for one episode, if the user does not say otherwise."""


class IndexWatch(Protocol):
    """Who is told of indices that are done, and of those that must be done again."""

    def episode(self, accepted: bool) -> None:
        """One more index is done."""

    def lost(self, episodes: int, accepted: int) -> None:
        """So many indices, so many of them accepted, have to be done again."""

    def note(self, message: str) -> None:
        """Something happened that the user should know."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A worker that ended amid a job.

    Attributes:
        index: The index that it was at; None if it was at none, but starting or writing.
        done: The indices of the job that it had done, which have to be done again.
        accepted: How many of them were accepted.
        how: What happened to it, for people.
        hung: Whether it was ended because it took too long.
    """

    index: int | None
    done: int
    accepted: int
    how: str
    hung: bool

    @classmethod
    def of(cls, lost: Lost) -> Loss:
        """Return the loss of a worker that told of indices."""
        done = [word.accepted for word in lost.told if word.accepted is not None]
        at = lost.told[-1].index if lost.told and lost.told[-1].accepted is None else None
        how = "took longer than --episode-timeout" if lost.hung else lost.how
        return cls(at, len(done), sum(done), how, lost.hung)


class Losses:
    """The losses of a run: decides what is done about each.

    Args:
        agenda: The run's jobs.
        watch: Who is told.
        stop: Whether the run ends where an index would be left out.
    """

    def __init__(self, agenda: Agenda, watch: IndexWatch, stop: bool) -> None:
        self._agenda, self._watch, self._stop = agenda, watch, stop
        self._count: Counter[int | Job] = Counter()

    @property
    def workers(self) -> int:
        """How many workers were lost."""
        return self._count.total()

    @property
    def retries(self) -> int:
        """How often an index or a job was tried again for that."""
        return sum(min(count, TRIES - 1) for count in self._count.values())

    def hear(self, job: Job, loss: Loss) -> None:
        """Decide what follows from a loss.

        Raises:
            ChorewrightError: It was the third one, and no index is at fault, or none may be left out.
        """
        self._watch.lost(loss.done, loss.accepted)
        what: int | Job = job if loss.index is None else loss.index
        self._count[what] += 1
        last = self._count[what] == TRIES
        if loss.index is None:
            if last:
                raise _gave_up(str(job), len(job.indices) > 1, loss)
            self._watch.note(f"a worker {loss.how}; {job} {'are' if len(job.indices) > 1 else 'is'} made again")
            self._agenda.put_back(job)
        elif not last:
            self._watch.note(f"a worker {loss.how} at episode {loss.index}; episode {loss.index} is made again")
            self._agenda.isolate(job, loss.index)
        elif self._stop:
            raise _gave_up(f"episode {loss.index}", False, loss)
        else:
            self._watch.note(f"a worker {loss.how} at episode {loss.index}, the third time; the episode is left out")
            self._agenda.leave_out(job, loss.index, HUNG if loss.hung else DIED)
            self._watch.episode(False)


def _gave_up(what: str, several: bool, loss: Loss) -> ChorewrightError:
    hint = "give episodes more time with --episode-timeout" if loss.hung else ""
    return ChorewrightError(
        f"{what} lost {'their' if several else 'its'} worker {TRIES} times, the last one {loss.how}",
        hint=f"{hint or 'if the machine ran out of memory, use fewer workers'}; finished parts are kept",
    )


# Lost indices forgotten, so that the next run tries them again; everything else of the dataset is kept.


def forget_lost(target: DatasetFolder) -> None:
    """Make a dataset with lost indices an unfinished one that lacks just their parts.

    The manifest goes last, so a run that is killed here has changed nothing.

    Raises:
        UsageError: The dataset is growing.
        StorageError: The disk is full or not writable.
        DatasetCorrupt: A shard with lost indices is damaged.
    """
    if target.held:
        hint = f"first let it grow without --retry-lost, to {target.config.episodes} episodes"
        raise UsageError("lost episodes cannot be tried again while the dataset grows", hint=hint)
    whole = find_finished_shards(target, range(target.config.shards))
    lacking = [entry for entry in whole.values() if any(each.lost for each in entry.rejected)]
    with storing(target.folder):
        for entry in lacking:
            _take_apart(target, entry)
        if lacking and (file := target.folder / manifest.MANIFEST).exists():
            for entry in whole.values():
                if entry not in lacking:
                    put(target, target.sidecar_path(entry.shard), manifest.write_sidecar(entry).encode())
            put(
                target,
                target.progress / RUN,
                json_bytes(manifest.write_header(target.config, manifest.tool_versions())),
            )
            file.unlink()
        for entry in lacking:
            target.sidecar_path(entry.shard).unlink(missing_ok=True)
        for indices in _parts(target):
            found = parts.read_part(target, indices)
            if found is not None and any(each.lost for each in found[0].rejected):
                parts.part_path(target, indices).unlink(missing_ok=True)


def _parts(target: DatasetFolder) -> Iterable[range]:
    """Return the ranges that may have a part's file: a shard's parts, and single indices."""
    yield from (indices for shard in range(target.config.shards) for indices in target.parts(shard))
    yield from (range(index, index + 1) for index in parts.find_settled_indices(target))


def _take_apart(target: DatasetFolder, entry: manifest.ShardEntry) -> None:
    """Make the parts of a shard that have no lost index parts again."""
    rows = read_shard(target.folder, entry).replace_schema_metadata(None)
    for indices in target.parts(entry.shard):
        rejected = [each for each in entry.rejected if each.index in indices]
        if not any(each.lost for each in rejected):
            index = rows["index"]
            inside = rows.filter(pc.and_(pc.greater_equal(index, indices.start), pc.less(index, indices.stop)))
            parts.write_rows(target, indices, inside, rejected, parts.read_stages(inside, rejected, entry.tally))
