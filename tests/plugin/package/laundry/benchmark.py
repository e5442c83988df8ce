"""A benchmark of the world's tasks: all that the ready-made one does not know."""

from __future__ import annotations

from chorewright.generator.pddl.benchmark import WorldBenchmark


class WashdayBenchmark(WorldBenchmark):
    """Wash days: clothes end up clean, folded and where they belong."""

    name = "washday"
    world = "laundry"
    shares = (("train", 0.75), ("test", 0.25))
