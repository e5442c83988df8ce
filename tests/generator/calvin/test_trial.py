"""CALVIN's episodes on other machines: the ends of segments within bounds, and all bytes where sines are the same.

A change that alters the physics or the expert on purpose writes the fixtures anew: ``python -m
tests.generator.calvin.test_promise``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from chorewright.generator.calvin.trial import Milestone, difference, milestones
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.places import locate
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.verify import verify
from tests.command import ROOT
from tests.generator.test_digests import CASES, digest
from tests.hostile.rows import write_dataset

pytest.importorskip("pybullet", reason="needs the extra calvin")

FIXTURE = ROOT / "tests" / "corpus" / "calvin_milestones.json"
CONFIG = CASES["calvin"]


@lru_cache(maxsize=CONFIG.episodes)
def episode(index: int) -> Episode:
    benchmark = BENCHMARKS.find(CONFIG.benchmark)
    return benchmark.episode(index, CONFIG, list(benchmark.assign(CONFIG, CONFIG.episodes))[index])


@lru_cache
def whole_chain() -> Episode:
    benchmark, config = BENCHMARKS.find("calvin"), GenerateConfig("calvin", 1)
    return benchmark.episode(0, config, next(iter(benchmark.assign(config, 1))))


def last_bits() -> str:
    """A digest of what the C library's functions return, which the physics calls."""
    values = np.random.default_rng(0).uniform(-4.0, 4.0, (5000, 2)).tolist()
    results = [
        (math.sin(x), math.cos(x), math.tan(x), math.atan2(x, y), math.acos(x / 4), math.asin(y / 4), math.exp(x))
        for x, y in values
    ]
    return sha256(repr(results).encode()).hexdigest()[:16]


def check_milestones(index: int) -> None:
    known = [_milestone(record) for record in json.loads(FIXTURE.read_text("utf-8"))["milestones"][index]]
    made = list(milestones(episode(index)))
    assert [one.differs(other) for one, other in zip(known, made, strict=True)] == [""] * len(known)


def check_bytes(indices: Sequence[int]) -> None:
    known = json.loads(FIXTURE.read_text("utf-8"))
    if last_bits() != known["last_bits"]:
        pytest.skip("this C library's sines have other last bits")
    assert [digest(episode(index)) for index in indices] == [known["digests"][index] for index in indices]


def test_segments_end_within_bounds_of_the_fixture() -> None:
    check_milestones(0)


def test_all_bytes_are_as_before_where_sines_are() -> None:
    check_bytes((0,))


@pytest.mark.slow
@pytest.mark.parametrize("index", range(CONFIG.episodes))
def test_all_segments_end_within_bounds_of_the_fixture(index: int) -> None:
    check_milestones(index)


@pytest.mark.slow
def test_all_bytes_of_all_are_as_before_where_sines_are() -> None:
    check_bytes(range(CONFIG.episodes))


def test_what_is_promised_is_compared() -> None:
    one = episode(0)
    assert difference(one, one) == ""
    assert difference(one, replace(one, rejections=("another",), steps=_shifted(one, 6, 0.05))) == ""
    for other, said in (
        (replace(one, task="another"), "more than"),
        (replace(one, segments=one.segments[:-1]), "more than"),
        (replace(one, instructions=()), "more than"),
        (replace(one, steps=_shifted(one, 6, 0.2)), "segment 0: a block's place"),
        (replace(one, steps=_shifted(one, 1, 0.05)), "segment 0: a door"),
        (replace(one, steps=one.steps[20:]), "segment 0: .* frames"),
        (replace(one, steps=tuple(step for step in one.steps if step.segment)), "the segments of its steps"),
    ):
        assert re.match(said, difference(one, other))


@pytest.mark.parametrize(("metres", "near", "ok"), [(0.0, 0, True), (0.01, 1, True), (0.2, 0, False)])
def test_verify_tells_equal_from_within_bounds(metres: float, near: int, ok: bool, tmp_path: Path) -> None:
    made = whole_chain()
    write_dataset(tmp_path / "data", replace(made, steps=_shifted(made, 6, metres)) if metres else made)
    report = verify(locate(tmp_path / "data"), remake=1)
    assert (report.remade, len(report.near), report.ok) == ((0,), near, ok)


def _shifted(one: Episode, place: int, metres: float) -> tuple:
    """The steps with a number of ``scene_obs`` moved."""

    def moved(text: str) -> str:
        record = json.loads(text)
        record["scene_obs"][place] += metres
        return json.dumps(record)

    return tuple(replace(step, arguments=moved(step.arguments)) for step in one.steps)


def _milestone(record: dict) -> Milestone:
    return Milestone(
        record["frames"], tuple(record["tool"]), tuple(record["joints"]), tuple(map(tuple, record["blocks"]))
    )


if __name__ == "__main__":
    episodes = [episode(index) for index in range(CONFIG.episodes)]
    kept = {
        "last_bits": last_bits(),
        "digests": [digest(each) for each in episodes],
        "milestones": [[asdict(end) for end in milestones(each)] for each in episodes],
    }
    FIXTURE.write_text(json.dumps(kept).replace("], [{", "],\n[{") + "\n", "utf-8")
