"""Each reader on its nasty files: a seeded sample in the gate, all of them where slow tests run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.hostile.bounds import read_bounded
from tests.hostile.readers import READERS, Reader

SAMPLE = 25
"""Cases of a reader in the gate."""

MOST_MEGABYTES, MOST_SECONDS = 200.0, 20.0
"""What a case may take; the seconds are no measure of speed, but tell what does not end from what does."""

each_reader = pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])


def hold(reader: Reader, folder: Path, sample: int | None) -> None:
    example = reader.example()
    path = folder / reader.file
    path.write_bytes(example)
    reader.read(path)
    cases = list(reader.cases(example))
    if sample is not None and len(cases) > sample:
        cases = random.Random(reader.name).sample(cases, sample)
    wrong = []
    for name, make in cases:
        path.write_bytes(make())
        reading = read_bounded(reader.read, path)
        if reading.wrong or reading.seconds > MOST_SECONDS or reading.grew > MOST_MEGABYTES:
            wrong.append(f"{name}: {reading}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])


@each_reader
def test_a_sample_of_nasty_files(reader: Reader, tmp_path: Path) -> None:
    hold(reader, tmp_path, SAMPLE)


@pytest.mark.slow
@each_reader
def test_all_nasty_files(reader: Reader, tmp_path: Path) -> None:
    hold(reader, tmp_path, None)
