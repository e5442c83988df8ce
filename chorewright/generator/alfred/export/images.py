"""The pictures of an ALFRED trajectory: ``raw_images`` of 300 x 300, and the list that tells whose they are.

One picture before each low-level action and one at the end, as in ALFRED's quick-start features; or, with the
filler, all that its recorder saves: turns and tilts in tenths, and delays before and after interactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chorewright.generator.alfred.benchmark import alfred_world
from chorewright.generator.alfred.export.names import Json
from chorewright.generator.alfred.names import alfred_names
from chorewright.generator.dataset.episode import Episode, Segment, Step
from chorewright.generator.household.outlook import SIZE
from chorewright.generator.household.replaying import Moment, moments
from chorewright.generator.showing.images import png
from chorewright.replay.household.picture import agent_camera
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS, Room

FOLDER = "raw_images"
"""Where ALFRED's feature extractor looks for pictures."""

ENDING = 10
"""Pictures of the end in the filler; the list leaves them out."""

TENTHS = 10
"""Pictures of a turn or tilt, the last one at its end."""


def image_name(number: int) -> str:
    """Return the name of a picture."""
    return f"{number:09d}.png"


def recorded_images(steps: Sequence[Step], segments: Sequence[Segment]) -> list[Json]:
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
    renderer = Renderer()

    def drawn(moment: Moment) -> bytes:
        return png(renderer.frame(moment.scene, moment.camera), "rgb")

    counts = _counts(episode.steps, segments) if filler else [1] * len(episode.steps)
    before: Moment | None = None
    shown = b""
    for moment in moments(episode, SIZE, alfred_world):
        after = drawn(moment)
        if before is not None:
            step, count = episode.steps[moment.step - 1], counts[moment.step - 1]
            if not filler:
                yield shown
            elif alfred_names().before.get(step.action) is None:
                yield shown
                yield from (drawn(part) for part in _parts(before, moment, count - 1))
                yield after
            else:
                first = _before(step, count)
                yield from [shown] * first
                yield from [after] * (count - first)
        before, shown = moment, after
    yield from [shown] * (ENDING if filler else 1)


def _image(step: Step, number: int, place: int) -> Json:
    return {"high_idx": step.segment, "image_name": image_name(place), "low_idx": number}


def _counts(steps: Sequence[Step], segments: Sequence[Segment]) -> list[int]:
    """Return how many pictures ALFRED's recorder saves for each step."""
    names = alfred_names()
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
    names = alfred_names()
    return names.before[step.action] + (count > names.frames[step.action])


def _parts(before: Moment, after: Moment, count: int) -> Iterator[Moment]:
    """Yield the moments between two, in equal parts of a turn or tilt; a step ahead has none."""
    start, end = before.camera, after.camera
    turn = (end.rotation - start.rotation + 180) % 360 - 180
    tilt = end.horizon - start.horizon
    room = Room(before.scene, ALFRED_SETTINGS)
    for part in range(1, count):
        room.rotation = (start.rotation + turn * part / TENTHS) % 360
        room.horizon = start.horizon + tilt * part / TENTHS
        yield Moment(before.step, room.scene(), agent_camera(room, SIZE))
