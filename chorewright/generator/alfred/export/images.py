"""What is seen of an ALFRED trajectory, 300 x 300: pictures with the list that tells whose they are, boxes and masks.

``raw_images`` has one picture before each low-level action and one at the end, as in ALFRED's quick-start features;
or, with the filler, all that its recorder saves: turns and tilts in tenths, and delays before and after interactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.alfred.export.plan import Json
from chorewright.generator.alfred.records import names_in_alfred
from chorewright.generator.dataset.episode import Episode, Segment, Step, json_object
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.household.outlook import SIZE, SMALLEST
from chorewright.generator.showing.images import png
from chorewright.problems.household.scene import Scene
from chorewright.replay.household.pixels.camera import Camera, agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.pointing import runs
from chorewright.replay.household.room import ALFRED_SETTINGS, Room

Pointed: TypeAlias = Mapping[str, list[object]]

FOLDER = "raw_images"
"""Where ALFRED's feature extractor looks for pictures."""

ENDING = 10
"""Pictures of the end in the filler; the list leaves them out."""

TENTHS = 10
"""Pictures of a turn or tilt, the last one at its end."""


def image_name(number: int) -> str:
    """Return the name of a picture."""
    return f"{number:09d}.png"


def recorder_images(steps: Sequence[Step], segments: Sequence[Segment]) -> list[Json]:
    """Return the list of the pictures that ALFRED's recorder saves for these steps."""
    found: list[Json] = []
    for number, count in enumerate(_counts(steps, segments)):
        for _ in range(count):
            found.append(_image(steps[number], number, len(found)))
    return found


def step_images(steps: Sequence[Step]) -> list[Json]:
    """Return the list of one picture for each step."""
    return [_image(step, number, number) for number, step in enumerate(steps)]


def draw_images(episode: Episode, segments: Sequence[Segment], filler: bool) -> Iterator[bytes]:
    """Yield an episode's pictures in order, as PNG.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    counts = _counts(episode.steps, segments) if filler else [1] * len(episode.steps)
    before: tuple[Scene, Camera] | None = None
    shown = b""
    for moment in HouseholdMoments(world_for_alfred).moments(episode):
        after, camera = png(moment.frames([SIZE])[0], "rgb"), moment.world.camera(SIZE)
        if before is not None:
            step, count = episode.steps[moment.number - 1], counts[moment.number - 1]
            if not filler:
                yield shown
            elif names_in_alfred().before.get(step.action) is None:
                yield shown
                yield from _parts(moment.world.renderer, *before, camera, count - 1)
                yield after
            else:
                first = _before(step, count)
                yield from [shown] * first
                yield from [after] * (count - first)
        before, shown = (moment.world.scene, camera), after
    yield from [shown] * (ENDING if filler else 1)


def locate_targets(episode: Episode) -> dict[int, Pointed]:
    """Return where interactions point, by step: box, point and run-length mask of what is acted on.

    They show the object, of a put the receptacle, as the agent sees it before the step. What it hardly sees
    has none.

    Raises:
        DatasetCorrupt: A step does not replay.
    """
    targets = {number: target for number, step in enumerate(episode.steps) if (target := _target(step.arguments))}
    if not targets:
        return {}
    shown = {}
    for moment in HouseholdMoments(world_for_alfred).moments(episode):
        if moment.number in targets:
            mask = moment.frames([SIZE])[0].mask(targets[moment.number])
            if int(mask.sum()) >= SMALLEST:
                shown[moment.number] = _locate(mask)
    return shown


def _image(step: Step, number: int, place: int) -> Json:
    return {"high_idx": step.segment, "image_name": image_name(place), "low_idx": number}


def _counts(steps: Sequence[Step], segments: Sequence[Segment]) -> list[int]:
    """Return how many pictures ALFRED's recorder saves for each step."""
    names = names_in_alfred()
    cooled: set[int] = set()
    found = []
    for step in steps:
        count = names.frames.get(step.action, 0)
        cooling = step.segment < len(segments) and segments[step.segment].action == "CoolObject"
        if cooling and step.action == "CloseObject" and step.segment not in cooled:
            cooled.add(step.segment)
            count += names.cool_close
        found.append(count)
    return found


def _before(step: Step, count: int) -> int:
    """Return how many of an interaction's pictures are of before; the closing that cools has one more."""
    names = names_in_alfred()
    return names.before[step.action] + (count > names.frames[step.action])


def _parts(renderer: Renderer, scene: Scene, start: Camera, end: Camera, count: int) -> Iterator[bytes]:
    """Yield what is seen between two moments, in equal parts of a turn or tilt; a step ahead has none."""
    turn = (end.rotation - start.rotation + 180) % 360 - 180
    tilt = end.horizon - start.horizon
    room = Room(scene, ALFRED_SETTINGS)
    for part in range(1, count):
        room.rotation = (start.rotation + turn * part / TENTHS) % 360
        room.horizon = start.horizon + tilt * part / TENTHS
        yield png(renderer.frame(room.scene(), agent_camera(room, SIZE)), "rgb")


def _locate(mask: NDArray[np.bool_]) -> Pointed:
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
