"""Cards: each column, its unit, sizes, origin and licence; and the names of splits in all formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.training import card
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.trajectory import Trajectories, common_split
from tests.generator.toy import toy_config


@pytest.mark.parametrize(
    ("split", "common"),
    [
        ("train", "train"),
        ("training", "train"),
        ("valid_seen", "validation"),
        ("validation", "validation"),
        ("tests_unseen", "test"),
        ("test_seen", "test"),
        ("mine", "mine"),
    ],
)
def test_splits_have_the_same_names_everywhere(split: str, common: str) -> None:
    assert common_split(split) == common


@pytest.mark.parametrize("benchmark", ["alfred", "teach", "calvin"])
def test_each_feature_says_what_it_is(benchmark: str) -> None:
    reader = BENCHMARKS.find(benchmark).moments()
    assert isinstance(reader, Trajectories)
    for name, kind, what in card.features(reader, [100] * len(reader.cameras)):
        assert name
        assert kind
        assert not what.startswith(":"), name


def test_the_card_of_an_export(tmp_path: Path) -> None:
    run(toy_config(episodes=3), tmp_path / "made", workers=0)
    made = Dataset(tmp_path / "made")
    make_exporter("huggingface", {}).write(made, tmp_path / "out")
    told = (tmp_path / "out" / "README.md").read_text("utf-8")
    for section in ("## Sizes", "## Columns", "## How it was made", "## Licence"):
        assert section in told
    assert '"benchmark": ' in told
    assert "| `original_split` | string |" in told
    assert "MIT" in told
    recorded = [replace(each, planner="recorded") for each in made]
    assert "the licence of their recordings" in card.details(recorded, "toy", {}, ())
