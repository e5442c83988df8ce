"""The production line: benchmarks make episodes, the store writes them, exporters convert them.

``run`` makes a dataset from a ``GenerateConfig`` or completes a broken one; ``Dataset`` reads it. A
``Benchmark`` (``alfred``) turns an index into an ``Episode``; ``store`` and ``manifest`` hold what makes
datasets resumable.
"""

from chorewright.generator.benchmark import Benchmark
from chorewright.generator.config import Assignment, GenerateConfig
from chorewright.generator.episode import Episode
from chorewright.generator.production.line import run
from chorewright.generator.store.dataset import Dataset

__all__ = ["Assignment", "Benchmark", "Dataset", "Episode", "GenerateConfig", "run"]
