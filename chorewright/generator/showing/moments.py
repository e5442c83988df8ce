"""Moments: a stored episode run again, and what its cameras see at its start and after each step; pictures as files.

Pictures, films, pages, windows and exports are functions over them. A family says by ``Moments`` how its simulator is
set up, stepped and drawn; a benchmark whose episodes can be run again returns them by its method ``moments``.
"""

from __future__ import annotations

import base64
import io
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import DatasetCorrupt, UsageError, storing
from chorewright.generator.dataset.episode import Episode, Step
from chorewright.generator.production.benchmark import BENCHMARKS, benchmark_if_known
from chorewright.generator.showing.views import LARGEST, SMALLEST, USUAL, CameraView
from chorewright.replay.simulator import Frame

Picture: TypeAlias = NDArray[np.uint8]
"""Rows, columns, and red, green and blue from 0 to 255."""

LAYERS = ("rgb", "depth", "instances")

WorldT = TypeVar("WorldT")
"""What a family runs its episodes in."""


@dataclass(frozen=True, slots=True)
class EpisodeCamera:
    """Who looks.

    Attributes:
        name: Its name.
        size: The pixels of its pictures' height where the user names none.
        aspect: How many times as wide as high these are.
    """

    name: str
    size: int
    aspect: float = 1.0

    def width(self, size: int) -> int:
        """Return the pixels of the width of pictures so many pixels high."""
        return max(1, round(size * self.aspect))


@dataclass(frozen=True, slots=True)
class FilmStyle:
    """How films of a family look.

    Attributes:
        milliseconds: How long a moment is shown.
        last: How many times as long the last one is.
        every: Of how many moments one is shown, on pages, too; the last one always is.
        lines: Lines of the caption below a picture; 0 for none.
        bar: Whether a bar of the segments stands above the caption.
        ahead: Whether the caption says what is done next rather than what was done last.
    """

    milliseconds: int
    last: int
    every: int = 1
    lines: int = 0
    bar: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Moment(Generic[WorldT]):
    """An episode after so many of its steps; look at it before the next one, as the world goes on.

    Attributes:
        episode: The episode.
        number: How many steps are done.
        world: The world as it is now.
        frames: Draws what the first cameras see, one for each size: pixels on a side.
    """

    episode: Episode
    number: int
    world: WorldT
    frames: Callable[[Sequence[int]], Sequence[Frame]]

    def segment(self, ahead: bool) -> int:
        """Return the segment of the last step, or of the next one; 0 if there is no step."""
        steps = self.episode.steps
        place = min(self.number, len(steps) - 1) if ahead else max(0, self.number - 1)
        return steps[place].segment if steps else 0


class Moments(ABC, Generic[WorldT]):
    """How a family's stored episodes are set up, stepped and drawn.

    A size is the pixels of a picture's height, of its sides where it is square.

    Attributes:
        cameras: Who looks; pages, films and thumbnails begin with the first one.
        layers: What of ``LAYERS`` a frame has.
        fps: Frames a second; 1 where a frame is a step and time does not matter.
        style: How films look.
        page_size: Pixels on a side of a page's pictures, at least; then empty rows at their bottoms are left out.
        oversampled: How many times as large thumbnails are drawn before they are made small.
    """

    cameras: tuple[EpisodeCamera, ...] = (EpisodeCamera("agent", 300),)
    layers: tuple[str, ...] = LAYERS
    fps: int = 1
    style: FilmStyle
    page_size: int = 0
    oversampled: int = 1

    @abstractmethod
    def set_up(self, episode: Episode) -> WorldT:
        """Return the world as an episode begins in it.

        Raises:
            DatasetCorrupt: The episode cannot begin.
        """

    @abstractmethod
    def step(self, world: WorldT, step: Step) -> str:
        """Run a step; return why it does not go as it did, or an empty text."""

    @abstractmethod
    def draw(self, world: WorldT, sizes: Sequence[int]) -> Sequence[Frame]:
        """Return what the first cameras see, so many pixels on a side each."""

    def with_view(self, view: CameraView) -> Moments[WorldT]:
        """Return what draws by other cameras.

        Raises:
            UsageError: There are none such.
        """
        if view != USUAL:
            hint = f"these episodes are seen by {', '.join(each.name for each in self.cameras)}"
            raise UsageError("the cameras of these episodes cannot be chosen; only a size N can", hint=hint)
        return self

    def moments(self, episode: Episode) -> Iterator[Moment[WorldT]]:
        """Run an episode again; yield its start, and the moment after each step. Nothing is drawn unasked.

        Raises:
            DatasetCorrupt: The episode does not run as it did.
        """
        world = self.set_up(episode)

        def frames(sizes: Sequence[int]) -> Sequence[Frame]:
            return self.draw(world, sizes)

        yield Moment(episode, 0, world, frames)
        for number, step in enumerate(episode.steps, 1):
            if why := self.step(world, step):
                raise DatasetCorrupt(
                    f"episode {episode.index} does not replay: step {number} ({step.action}) {why}",
                    hint="the dataset was made by another version of chorewright, or of its world",
                )
            yield Moment(episode, number, world, frames)

    def excerpt(self, episode: Episode) -> Iterator[Moment[WorldT]]:
        """Yield the moments that films and pages show."""
        for moment in self.moments(episode):
            if moment.number % self.style.every == 0 or moment.number == len(episode.steps):
                yield moment

    def replay(self, episode: Episode) -> None:
        """Run an episode again.

        Raises:
            DatasetCorrupt: A step does not do what was recorded.
            UnsupportedError: The episode was recorded in a world that is not here.
        """
        deque(self.moments(episode), 0)

    def last_view(self, episode: Episode, size: int) -> Picture:
        """Return what the first camera sees at the end, ``size`` pixels high.

        Raises:
            DatasetCorrupt: The episode does not run as it did.
        """
        (last,) = deque(self.moments(episode), 1)
        large = last.frames([self.oversampled * size])[0].rgb
        if self.oversampled == 1:
            return large
        return np.asarray(Image.fromarray(large).resize((self.cameras[0].width(size), size), Image.Resampling.BOX))

    def still(self, moment: Moment[WorldT], size: int) -> Picture:
        """Return a film's picture of a moment, ``size`` pixels high: what all cameras see, side by side."""
        return np.concatenate([each.rgb for each in moment.frames([size] * len(self.cameras))], axis=1)

    def map(self, world: WorldT) -> Picture | None:
        """Return the map of a page at the start; None if there is none."""
        return None

    def place(self, world: WorldT) -> Sequence[float]:
        """Return where on the map one is: fractions of its sides, and in which direction in radians."""
        return ()

    def completions(self, episode: Episode) -> Mapping[int, str]:
        """Return what is done by which moment, in words, where a step is too short to tell of it."""
        return {}

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return domain and problem that the plan solves; None if they cannot be made again to the same bytes."""
        return None


def moments_if_any(benchmark: str) -> Moments[Any] | None:
    """Return what runs and draws a benchmark's episodes; None if nothing does."""
    known = benchmark_if_known(benchmark)
    family = None if known is None else known.moments()
    return family if isinstance(family, Moments) else None


def moments_of(benchmark: str, view: CameraView = USUAL) -> Moments[Any]:
    """Return what runs and draws a benchmark's episodes.

    Args:
        benchmark: The benchmark.
        view: The cameras; see ``Moments.with_view``.

    Raises:
        MissingPlugin: The benchmark is not installed.
        UsageError: They have no pictures, or the benchmark cannot be loaded.
    """
    family = BENCHMARKS.find(benchmark).moments()
    if not isinstance(family, Moments):
        raise UsageError(f"episodes of the benchmark {benchmark} have no pictures")
    return family.with_view(view)


def check_size(size: int | None) -> None:
    """Check how many pixels a picture has on a side; None stands for a benchmark's own size.

    Raises:
        UsageError: It is none that can be drawn.
    """
    if size is not None and not SMALLEST <= size <= LARGEST:
        raise UsageError(f"pictures must be {SMALLEST} to {LARGEST} pixels on a side, not {size}")


def camera_sizes(cameras: Sequence[EpisodeCamera], size: int | None, multiple: int = 1) -> tuple[int, ...]:
    """Return the pixels on a side of each camera's pictures, of which the first has so many, the others in proportion.

    Args:
        cameras: The cameras.
        size: The first one's pixels; None for the cameras' own.
        multiple: What the others' are multiples of: 2 for videos.
    """
    if size is None:
        return tuple(camera.size for camera in cameras)
    shares = (size * camera.size / cameras[0].size / multiple for camera in cameras[1:])
    return (size, *(multiple * max(1, round(share)) for share in shares))


def caption(episode: Episode, segment: int) -> str:
    """Return the sentence of the first annotator that belongs to a segment, else that of the whole."""
    told = [each for each in episode.instructions if each.annotation == 0]
    own = [each.text for each in told if each.segment == segment]
    whole = [each.text for each in told if each.segment is None]
    return (own or whole or [episode.task])[0]


# Pictures as files' bytes: JPEG inside pages, PNG in rows of layers.


QUALITY = 82
"""JPEG's quality."""

MILLIMETRES = 1000.0

FASTEST = 1
"""The level of PNG's compression: higher ones take several times as long for a tenth less."""


def jpeg_bytes(picture: NDArray[np.uint8]) -> bytes:
    """Return a picture as a JPEG file."""
    sink = io.BytesIO()
    Image.fromarray(picture).save(sink, "JPEG", quality=QUALITY)
    return sink.getvalue()


def jpeg(picture: NDArray[np.uint8]) -> str:
    """Return a picture as the address of an image in a page."""
    return "data:image/jpeg;base64," + base64.b64encode(jpeg_bytes(picture)).decode("ascii")


def png(frame: Frame, layer: str) -> bytes:
    """Return a layer of a picture as PNG."""
    pixels: NDArray[np.generic] = frame.rgb
    if layer == "depth":
        pixels = np.minimum(np.rint(frame.depth * MILLIMETRES), 65535).astype(np.uint16)
    elif layer == "instances":
        pixels = (frame.instances + 1).astype(np.uint16)
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, "PNG", compress_level=FASTEST)
    return sink.getvalue()


def write_picture(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write a picture in the format that a file's name says.

    Raises:
        UsageError: The name says none that is known.
        StorageError: It cannot be written.
    """
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(f"a picture is a .png or .jpg file, not {str(path)!r}")
    with storing(path, hint=None):
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(path)
