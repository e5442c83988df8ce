"""Datasets drawn, exported and read back; masks and coordinates alone (``benchmarks.pictures``, small)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.pictures import check_alfred, check_teach
from chorewright.generator.alfred.export.exporter import AlfredExporter, AlfredExportOptions
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.showing.frames import FrameRequest, record
from chorewright.generator.training.exporter import make_exporter


def test_alfred_s_masks_alone_do_the_task(tmp_path: Path) -> None:
    folder = tmp_path / "alfred"
    run(GenerateConfig("alfred", 2, seed=11), folder, workers=0)
    record(folder, FrameRequest(), workers=0)
    AlfredExporter(AlfredExportOptions(images=True)).write(Dataset(folder), tmp_path / "out")
    found = check_alfred(folder, tmp_path / "out")
    assert found.misses == []
    assert found.hit == found.asked == found.masks == found.decoded
    assert found.equal == found.frames == sum(len(each.steps) + 1 for each in Dataset(folder))
    assert found.reached == found.episodes == 2


def test_teach_s_coordinates_alone_do_the_task(tmp_path: Path) -> None:
    folder = tmp_path / "teach"
    run(GenerateConfig("teach", 2, seed=11), folder, workers=0)
    make_exporter("teach", {}).write(Dataset(folder), tmp_path / "out")
    found = check_teach(folder, tmp_path / "out")
    assert found.asked >= 4
    assert found.hit >= 0.95 * found.asked
    assert found.reached == found.episodes == 2
