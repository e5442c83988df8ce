"""What the runs took that made a dataset: seconds by stage, lost workers, retries.

They stand in ``report.json`` beside the manifest, those of the i-th of N slices in ``report-i-of-N.json``. They differ
from run to run, so no checksum covers them, ``verify`` does not look at them, and exports leave them out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from chorewright.errors import InputError, StorageError
from chorewright.files.records import decode_record
from chorewright.files.text import storage_error
from chorewright.generator.dataset.store.dataset_folder import REPORT, DatasetFolder, children, read_text
from chorewright.generator.dataset.store.places import Place, write_whole


@dataclass(frozen=True, slots=True)
class Measures:
    """What some runs took.

    Attributes:
        runs: How many they were; a run that was killed has left nothing.
        seconds: By the clock, one run after the other.
        lost_workers: How many workers died or were killed since they took too long.
        retries: How often an episode was tried again for that.
        stages: Seconds of all workers by stage.
    """

    runs: int = 0
    seconds: float = 0.0
    lost_workers: int = 0
    retries: int = 0
    stages: Mapping[str, float] = field(default_factory=dict)

    def plus(self, other: Measures) -> Measures:
        """Return what both took."""
        names = sorted({*self.stages, *other.stages})
        return Measures(
            self.runs + other.runs,
            self.seconds + other.seconds,
            self.lost_workers + other.lost_workers,
            self.retries + other.retries,
            {name: self.stages.get(name, 0.0) + other.stages.get(name, 0.0) for name in names},
        )

    def to_json(self) -> dict[str, object]:
        """Return the measures as JSON values; seconds are rounded to milliseconds."""
        return {
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
            "lost_workers": self.lost_workers,
            "retries": self.retries,
            "stages": {name: round(self.stages[name], 3) for name in sorted(self.stages)},
        }


def read_measures(folder: Place) -> Measures:
    """Return what all runs in a dataset's folder took; files that are damaged count for nothing."""
    return _sum(_read(path) for path in children(folder, REPORT))


def add_measures(target: DatasetFolder, slice_of: tuple[int, int] | None, measures: Measures) -> None:
    """Add what a run took to the file of its like.

    Raises:
        StorageError: The disk is full or not writable.
    """
    path = target.folder / ("report-{}-of-{}.json".format(*slice_of) if slice_of else "report.json")
    try:
        both = _read(path).plus(measures) if path.exists() else measures
        text = json.dumps(both.to_json(), indent=1) + "\n"
        write_whole(path, text.encode(), target.temporary(path))
    except OSError as error:
        raise storage_error(error, path) from error


def _sum(several: Iterable[Measures]) -> Measures:
    whole = Measures()
    for each in several:
        whole = whole.plus(each)
    return whole


def _read(path: Place) -> Measures:
    with suppress(StorageError, InputError):
        return decode_record(Measures, read_text(path))
    return Measures()
