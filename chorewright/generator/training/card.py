"""The card of an export, ``README.md``: columns with types and units, sizes, how it was made, and its licence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.dataset.store.dataset_folder import LICENCE, meanings
from chorewright.generator.training.trajectory import IMAGES, Trajectories

Column = tuple[str, str, str]
"""A column: name, type, and what it is, with its unit."""

RECORDED = "recorded"
"""The planner of imported episodes."""


def column(name: str, kind: str) -> Column:
    """Return a column that many exports have."""
    return name, kind, meanings()[name]


def features(reader: Trajectories[Any], sizes: Sequence[int] = ()) -> list[Column]:
    """Return the features of a benchmark's frames as columns, and its cameras if pictures are drawn.

    Args:
        reader: Of the benchmark.
        sizes: Pixels of the height of the cameras' pictures; none if there are no pictures.
    """
    told = [
        (each.name, f"{each.dtype} [{len(each.names)}]", f"{each.about}: {', '.join(each.names)}")
        for each in reader.features
    ]
    pictures = zip(reader.cameras, sizes, strict=False)
    return told + [
        (
            f"{IMAGES}.{camera.name}",
            f"uint8 [{size}, {camera.width(size)}, 3]",
            f"what the camera {camera.name} sees, in colours",
        )
        for camera, size in pictures
    ]


def details(episodes: Sequence[Episode], benchmark: str, sizes: Mapping[str, int], columns: Iterable[Column]) -> str:
    """Return the sections of a card.

    Args:
        episodes: What is exported, a dataset or some episodes.
        benchmark: Whose they are.
        sizes: How many rows there are, by what is counted.
        columns: The columns.
    """
    rows = "".join(f"| `{name}` | {kind.replace('|', ' ')} | {what} |\n" for name, kind, what in columns)
    counts = "".join(f"| {name} | {count:,} |\n" for name, count in sizes.items())
    return f"""
## Sizes

| | number |
|---|---|
{counts}
## Columns

| column | type | content |
|---|---|---|
{rows}
## How it was made

{_origin(episodes, benchmark)}
## Licence

{_licence(episodes)}
"""


def _origin(episodes: Sequence[Episode], benchmark: str) -> str:
    if not isinstance(episodes, Dataset):
        return f"Episodes of the benchmark `{benchmark}`, by chorewright.\n"
    manifest = episodes.manifest
    told = {**manifest.config.to_json()}
    told.pop("task_files", None)
    return f"""Made with chorewright {dict(manifest.tool)["chorewright"]}, by this configuration:

```json
{json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False)}
```
"""


def _licence(episodes: Sequence[Episode]) -> str:
    planners = episodes.column("planner") if isinstance(episodes, Dataset) else [each.planner for each in episodes]
    if RECORDED in set(planners):
        return "Episodes whose planner is `recorded` were imported: the licence of their recordings applies to them."
    return LICENCE
