"""Datasets as LeRobotDataset v3.0, without LeRobot or torch: frames in Parquet, pictures in videos, and their index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import option
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.pool import done_by
from chorewright.generator.training.exporter import Exported, ExportFolder, export_folder
from chorewright.generator.training.lerobot.group import (
    NO_PICTURES,
    PNG,
    Group,
    GroupRecord,
    Look,
    finished,
    write_group,
)
from chorewright.generator.training.lerobot.index import index_files, plan_export
from chorewright.generator.training.lerobot.video import CODECS, load_av


@dataclass(frozen=True, slots=True)
class LeRobotOptions:
    """The options of ``export --format lerobot``."""

    pictures: str = option("h264", "How pictures are stored.", choices=(*CODECS, PNG, NO_PICTURES))
    size: int = option(
        0, "Pixels on a side of the first camera's pictures; 0 for the benchmark's own.", metavar="N", low=0, high=2048
    )
    depth: bool = option(False, "Store depth, too, as PNG of 16 bits in millimetres.")
    language: bool = option(
        False, "Write LeRobot's columns of language, too; versions before 0.6 cannot load a dataset that has them."
    )
    workers: int = option(-1, "Processes that draw; all cores by default, 0 for this one only.", metavar="N", low=-1)


@dataclass(slots=True)
class LeRobotExporter:
    """Writes accepted episodes of any benchmark that has trajectories."""

    asked: LeRobotOptions = field(default_factory=LeRobotOptions)
    name: str = field(default="lerobot", init=False)
    accepts: tuple[str, ...] = field(default=(), init=False)
    options: type = field(default=LeRobotOptions, init=False)

    def with_options(self, options: object) -> LeRobotExporter:
        """Return an exporter with these options; see ``HasOptions``."""
        assert isinstance(options, LeRobotOptions)
        if options.pictures in CODECS:
            load_av()
        if options.pictures == "none" and (options.depth or options.size):
            raise UsageError("--depth and --size say how pictures are drawn, but --pictures is none")
        if options.size % 2:
            raise UsageError(f"videos need an even number of pixels, not --size {options.size}")
        return LeRobotExporter(options)

    def _look(self) -> Look:
        return Look(self.asked.pictures, self.asked.size or None, self.asked.depth, self.asked.language)

    def note(self) -> str:
        """Return that there are no pictures where there are none."""
        return "left out: pictures" if self.asked.pictures == "none" else ""

    def write(self, episodes: Iterable[Episode], target: Path) -> Exported:
        """Write the episodes; see ``Exporter.write``. Files that an interrupted export has finished are kept."""
        folder = export_folder(episodes, target, self.name)
        again = episodes if isinstance(episodes, Dataset) else list(episodes)
        plan = plan_export(again, self._look())
        records = {group.number: record for group in plan.groups if (record := finished(folder, group)) is not None}
        missing = [group for group in plan.groups if group.number not in records]
        workers = usable_cores() if self.asked.workers < 0 else self.asked.workers
        workers = min(workers, len(missing)) if len(missing) > 1 else 0
        changed = 0
        for number, record, count in done_by(partial(_written, folder), missing, workers, "export"):
            records[number] = record
            changed += count
        for parts, data in index_files(plan, [records[group.number] for group in plan.groups], folder):
            changed += folder.write(parts, data)
        return Exported(plan.episodes, plan.left_out, changed)


def _written(folder: ExportFolder, group: Group) -> tuple[int, GroupRecord, int]:
    return (group.number, *write_group(folder, group))
