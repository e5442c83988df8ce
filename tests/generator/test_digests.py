"""Episodes stay byte-identical: digests of what each benchmark makes from its default configuration.

A change that alters episodes on purpose writes the digests anew: ``python -m tests.generator.test_digests [CASE]...``
(all cases without a name).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from hashlib import sha256

import pytest

from chorewright.generator.calvin.trial import promise_of
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.records import plain
from chorewright.generator.production.benchmark import BENCHMARKS
from tests.command import ROOT

DIGESTS = ROOT / "tests" / "corpus" / "episode_digests.json"

CASES = {
    "alfred": GenerateConfig("alfred", 200),
    "teach": GenerateConfig("teach", 200),
    "handmethat1": GenerateConfig("handmethat", 200, options=(("version", ("1",)),)),
    "handmethat2": GenerateConfig("handmethat", 200, options=(("version", ("2",)),)),
    "calvin": GenerateConfig("calvin", 20),
    "objectnav": GenerateConfig("objectnav", 200),
}

SPREAD = {"calvin": (0,), "handmethat1": (0, 100)}
"""The indices that the gate makes; of the other cases three. ``-m slow`` makes all."""


PROMISED = {"calvin": promise_of}
"""What of a case's episodes is the same on every machine, where that is not all."""


def digests(case: str, indices: Sequence[int]) -> list[str]:
    """The digest of each episode of some indices, over all that the store writes and every machine makes alike."""
    config = CASES[case]
    benchmark = BENCHMARKS.find(config.benchmark)
    assignments = benchmark.assign(config, config.episodes)
    made = (benchmark.episode(index, config, assignments[index]) for index in indices)
    return [digest(PROMISED[case](each) if case in PROMISED else each) for each in made]


def digest(episode: Episode) -> str:
    """The digest of all that the store writes of an episode."""
    return sha256(_text(episode).encode()).hexdigest()[:16]


def _text(episode: Episode) -> str:
    """All of an episode under the names of its columns."""
    row = plain(episode)
    row["recipe"] = row.pop("benchmark")
    return json.dumps(row, sort_keys=True, default=str)


def check(case: str, indices: Sequence[int]) -> None:
    if case == "calvin":
        pytest.importorskip("pybullet", reason="needs the extra calvin")
    known = json.loads(DIGESTS.read_text("utf-8"))[case]
    assert digests(case, indices) == [known[index] for index in indices]


@pytest.mark.parametrize("case", CASES)
def test_some_episodes_are_as_before(case: str) -> None:
    check(case, SPREAD.get(case, (0, 77, 199)))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_all_episodes_are_as_before(case: str) -> None:
    check(case, range(CASES[case].episodes))


if __name__ == "__main__":
    made = json.loads(DIGESTS.read_text("utf-8"))
    made |= {case: digests(case, range(CASES[case].episodes)) for case in sys.argv[1:] or CASES}
    DIGESTS.write_text(json.dumps(made, indent=0) + "\n", "utf-8")
