"""Three short chains at two tables, and what is exported of them: for all tests of CALVIN's episodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from chorewright.generator.calvin.export.exporter import CalvinExporter
from chorewright.generator.calvin.export.files import check
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from tests.generator.calvin.chains import CONFIG, lengths


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("calvin") / "dataset"
    run(CONFIG, target, workers=0)
    return target


@pytest.fixture(scope="session")
def episodes(folder: Path) -> list[Episode]:
    return list(Dataset(folder))


@pytest.fixture(scope="session")
def layout(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("calvin") / "layout"
    exporter = CalvinExporter()
    exporter.embed = check(lengths, "lengths")
    exporter.write(Dataset(folder), target)
    return target
