"""Episodes of any world run again: what its simulator shows at each moment, as a picture or as text on paper."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_domain
from chorewright.errors import DatasetCorrupt, UsageError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.digests import text_sha256
from chorewright.generator.pddl.stages import simulator_of, step_of
from chorewright.generator.production.pictures import LAYERS, FrameRequest
from chorewright.generator.production.worlds import World
from chorewright.generator.showing.films import film
from chorewright.generator.showing.images import jpeg, png
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.simulator import Event, Frame, Observation, SimulatorAction

MILLISECONDS = 600
"""How long a moment of a film is shown; the last one three times as long."""

SMALLEST = 64
LINE, LETTER, MARGIN = 14, 7, 8
PAPER, TEXT = (255, 255, 255), (30, 32, 36)


@dataclass(frozen=True, slots=True)
class WorldPictures:
    """Runs stored episodes in the simulator of their world, and draws what the first of its cameras sees.

    Attributes:
        world: Their world.
        size: Pixels on a side of a picture where the user names none.
        layers: All; what a simulator does not know is empty.
    """

    world: World
    size: int = 300
    layers: tuple[str, ...] = LAYERS

    def replay(self, episode: Episode) -> None:
        """Run the steps again, and compare what each of them changes."""
        for _ in self._moments(episode):
            pass

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns: a PNG for each layer."""
        return picture_schema(request)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield a row for each moment, the start first."""
        for number, seen in enumerate(self._moments(episode)):
            frame = drawn(seen, request.size or self.size)
            row: dict[str, object] = {"episode": episode.index, "step": number}
            row |= {layer: png(frame, layer) for layer in request.layers}
            if "instances" in request.layers:
                row["names"] = list(frame.names)
            yield row

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return the frames of a page."""
        return {"frames": [jpeg(each) for each in self.views(episode, size)]}

    def views(self, episode: Episode, size: int) -> Iterator[NDArray[np.uint8]]:
        """Yield what is seen at each moment, the start first."""
        for seen in self._moments(episode):
            yield drawn(seen, size).rgb

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return what is seen at the end."""
        seen = None
        for each in self._moments(episode):
            seen = drawn(each, size).rgb
        assert seen is not None, "an episode has a start"
        return seen

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film, a moment for each step."""
        size = size or self.size
        if size < SMALLEST:
            raise UsageError(f"a video must be at least {SMALLEST} pixels high, not {size}")
        pictures = [Image.fromarray(drawn(seen, size).rgb) for seen in self._moments(episode)]
        return film(pictures, MILLISECONDS, 3, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return the stored problem; None if there is none, or the world's domain has changed since."""
        domain, text = self.world.domain(), dict(episode.extras).get("problem")
        if text is None or text_sha256(write_domain(domain)) != episode.domain_sha256:
            return None
        return domain, parse_problem(text, domain, f"the problem of episode {episode.index}")

    def _moments(self, episode: Episode) -> Iterator[Observation]:
        """Run an episode again, and yield what is seen at the start and after each step.

        Raises:
            DatasetCorrupt: A step is refused, or changes something else than it did; or the domain has changed.
        """
        known = self.problem(episode)
        if known is None:
            raise DatasetCorrupt(
                f"episode {episode.index} was made with another domain than the one of the world {self.world.name}",
                hint="install the version of the world that made it",
            )
        simulator = simulator_of(self.world)
        scene = PddlScene.of(known[1], dict(episode.extras).get("scene", ""))
        _require(simulator.reset(scene), episode, "the start")
        state = frozenset(simulator.state())
        yield simulator.observation()
        for number, step in enumerate(episode.steps, 1):
            call = SimulatorAction(step.action, step.call())
            _require(simulator.step(call), episode, f"step {number} ({step.action})")
            before, state = state, frozenset(simulator.state())
            if step_of(call, step.segment, before, state) != step:
                raise DatasetCorrupt(
                    f"episode {episode.index} does not replay: step {number} ({step.action}) changes something else",
                    hint="the world or its simulator has changed since the dataset was made",
                )
            yield simulator.observation()


def picture_schema(request: FrameRequest) -> pa.Schema:
    """Return the columns of pictures: a PNG for each layer, and what the numbers of instances stand for."""
    fields = [("episode", pa.int64()), ("step", pa.int32()), *((layer, pa.binary()) for layer in request.layers)]
    if "instances" in request.layers:
        fields.append(("names", pa.list_(pa.string())))
    return pa.schema(fields)


def _require(event: Event, episode: Episode, where: str) -> None:
    if not event.success:
        raise DatasetCorrupt(f"episode {episode.index} does not replay: {where} is refused: {event.error_message}")


def drawn(seen: Observation, size: int) -> Frame:
    """Return what the first camera sees, ``size`` pixels on a side; its text on paper if there is no camera."""
    for draw in seen.pictures.values():
        return draw(size)
    return Frame.of_colours(paper(seen.text, size))


def paper(text: str, size: int) -> NDArray[np.uint8]:
    """Return a text as a picture; what does not fit is left out at the end.

    Returns:
        (size, size, 3) uint8.
    """
    picture = Image.new("RGB", (size, size), PAPER)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(11)
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, max(8, (size - 2 * MARGIN) // LETTER))]
    for number, line in enumerate(lines[: max(1, (size - 2 * MARGIN) // LINE)]):
        draw.text((MARGIN, MARGIN + LINE * number), line, fill=TEXT, font=font)
    return np.asarray(picture, np.uint8)
