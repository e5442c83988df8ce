"""A small dataset of ALFRED's benchmark for tests: five tasks, plain, sliced and movable ones."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run

TASKS = (
    "alfred/pick_and_place_simple",
    "alfred/look_at_obj_in_light",
    "alfred/pick_heat_then_place_in_recep",
    "alfred/pick_and_place_with_movable_recep",
    "alfred/pick_cool_then_place_in_recep_sliced",
)


@lru_cache(maxsize=1)
def stored() -> Dataset:
    """Return the dataset; it is made once in a run of the tests."""
    options = (("tasks", TASKS), ("demonstrations", 1), ("annotations", 2), ("scenes", ("FloorPlan11", "FloorPlan223")))
    folder = Path(mkdtemp()) / "data"
    run(GenerateConfig("alfred", 6, options=options), folder, workers=0)
    return Dataset(folder)
