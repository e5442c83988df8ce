"""Real ALFRED demonstrations as scenes and legs, to compare our words with people's on the same plans."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from benchmarks.alfred_language import demonstration, recording_of
from benchmarks.corpora.reference import sample
from chorewright.generator.alfred.recorded import read_meaning
from chorewright.problems.household.scene import Scene
from chorewright.rsa.household.directives import GoalMeaning, Leg


@dataclass(frozen=True)
class Demonstration:
    """A demonstration: what its goal means, its scene at the start, its legs, and what people said."""

    path: str
    meaning: GoalMeaning
    scene: Scene
    legs: tuple[Leg, ...]
    annotations: tuple[tuple[str, tuple[str, ...]], ...]


def demonstrations(step: int = 1, count: int | None = None, start: int = 0) -> Iterator[Demonstration]:
    """Yield every ``step``-th training demonstration of the sample."""
    with gzip.open(sample("alfred/demos-train.jsonl.gz"), "rt") as lines:
        for line in islice(lines, start, None if count is None else start + count * step, step):
            yield _demonstration(json.loads(line))


def _demonstration(row: dict) -> Demonstration:
    scene, legs = demonstration(row)
    meaning = read_meaning(recording_of(row), scene.kinds)
    assert meaning is not None
    said = tuple((goal, tuple(steps)) for goal, steps in row["anns"])
    return Demonstration(row["path"], meaning, scene, legs, said)
