"""The production line: benchmarks make episodes, the store writes them, exporters convert them.

``production.line.run`` makes a dataset from a ``GenerateConfig`` or completes a broken one; ``Dataset`` reads it. A
``Benchmark`` turns an index into an ``Episode``. ``dataset`` keeps episodes, ``production`` makes them, ``training``,
``showing`` and ``measuring`` are what is done with them; the other folders are families, and ``pddl`` any domain.

A name is imported when it is used first: a verb that makes no dataset does not import what writes them.
"""

from typing import TYPE_CHECKING

from chorewright.files.lazily import importer

if TYPE_CHECKING:
    from chorewright.generator.dataset.config import Assignment, GenerateConfig
    from chorewright.generator.dataset.episode import Episode
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.benchmark import Benchmark
    from chorewright.generator.production.line import run
else:
    __getattr__ = importer(
        __name__,
        {
            "Assignment": "chorewright.generator.dataset.config",
            "Benchmark": "chorewright.generator.production.benchmark",
            "Dataset": "chorewright.generator.dataset.store.dataset",
            "Episode": "chorewright.generator.dataset.episode",
            "GenerateConfig": "chorewright.generator.dataset.config",
            "run": "chorewright.generator.production.line",
        },
    )

__all__ = ["Assignment", "Benchmark", "Dataset", "Episode", "GenerateConfig", "run"]
