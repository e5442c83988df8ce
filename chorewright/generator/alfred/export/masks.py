"""Where ALFRED's interactions point: box, point and run-length mask of what is acted on, 300 x 300."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.generator.alfred.benchmark import alfred_world
from chorewright.generator.dataset.episode import Episode, json_object
from chorewright.generator.household.outlook import SIZE, SMALLEST
from chorewright.generator.household.replaying import moments
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import runs

Pointed: TypeAlias = Mapping[str, list[object]]


def pointed_at(episode: Episode) -> dict[int, Pointed]:
    """Return ``bbox``, ``point`` and ``mask`` of each interaction, by its step.

    They show the object, of a put the receptacle, as the agent sees it before the step. What it hardly sees
    has none.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    targets = {number: target for number, step in enumerate(episode.steps) if (target := _target(step.arguments))}
    if not targets:
        return {}
    renderer, found = Renderer(), {}
    for moment in moments(episode, SIZE, alfred_world):
        if moment.step in targets:
            mask = renderer.frame(moment.scene, moment.camera).mask(targets[moment.step])
            if int(mask.sum()) >= SMALLEST:
                found[moment.step] = _pointed(mask)
    return found


def _pointed(mask: NDArray[np.bool_]) -> Pointed:
    rows, columns = np.nonzero(mask)
    left, right, top, bottom = (int(v) for v in (columns.min(), columns.max(), rows.min(), rows.max()))
    x, y = (left + right) // 2, (top + bottom) // 2
    if not mask[y, x]:
        nearest = int(np.argmin((columns - x) ** 2 + (rows - y) ** 2))
        x, y = int(columns[nearest]), int(rows[nearest])
    # ALFRED's boxes are one row too low.
    return {"bbox": [left, top + 1, right, bottom + 1], "point": [x, y], "mask": list(runs(mask))}


def _target(arguments: str) -> str:
    told = json_object(arguments, "arguments of a step")
    return str(told.get("receptacleObjectId") or told.get("objectId") or "")
