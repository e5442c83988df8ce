"""An episode as a moving picture: what the agent sees, the map, the sentence, and a bar of segments."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.errors import UsageError
from chorewright.generator.episode import Episode
from chorewright.generator.replaying import Moment, moments
from chorewright.problems.scene import Vector
from chorewright.replay.thor.pixels.map_view import map_view
from chorewright.replay.thor.pixels.renderer import Renderer

VIDEOS = "videos"
MILLISECONDS = 240
"""How long a moment is shown; the last one four times as long."""

BAR, LINE, MARGIN = 14, 15, 6
PAPER, TEXT, DONE, NOW, LATER = (255, 255, 255), (30, 32, 36), (96, 150, 110), (214, 120, 52), (214, 216, 220)


def video_path(folder: Path, index: int) -> Path:
    """Return the file of an episode's video."""
    return folder / VIDEOS / f"{index:06}.gif"


def video(episode: Episode, size: int) -> bytes:
    """Return an episode as an animated GIF.

    Args:
        episode: Its steps are run again.
        size: Pixels on a side of the agent's view, and of the map beside it.

    Raises:
        UsageError: There is nothing to see of it.
    """
    if size < 64:
        raise UsageError(f"a video must be 64 pixels high at least, not {size}")
    renderer, pictures = Renderer(), []
    seen: list[Moment] = []
    marks = _marks(episode)
    for moment in moments(episode, size):
        seen.append(moment)
        view = renderer.frame(moment.scene, moment.camera).rgb
        plan = map_view(renderer, moment.scene, size, [each.scene.agent for each in seen], marks)[:size]
        pictures.append(_picture(episode, moment.step, np.concatenate((view, plan), axis=1)))
    sink = io.BytesIO()
    first, *rest = [picture.quantize(128, dither=Image.Dither.NONE) for picture in pictures]
    times = [MILLISECONDS] * len(rest) + [4 * MILLISECONDS]
    first.save(sink, "GIF", save_all=True, append_images=rest, duration=times, loop=0, optimize=False)
    return sink.getvalue()


def _marks(episode: Episode) -> dict[str, Vector]:
    """The places that the segments are about, by kind."""
    bodies = {body.object_id: body for body in episode.room.objects}
    told = " ".join(step.arguments for step in episode.steps)
    return {name.split("|")[0]: body.centre for name, body in bodies.items() if f'"{name}"' in told}


def _picture(episode: Episode, step: int, view: NDArray[np.uint8]) -> Image.Image:
    """Put the sentence and the bar below a view."""
    width, font = view.shape[1], ImageFont.load_default(11)
    segment = episode.steps[max(0, step - 1)].segment if episode.steps else 0
    lines = textwrap.wrap(_sentence(episode, segment), max(20, width // 6))[:3]
    whole = Image.new("RGB", (width, view.shape[0] + BAR + 2 * MARGIN + 3 * LINE), PAPER)
    whole.paste(Image.fromarray(view))
    draw = ImageDraw.Draw(whole)
    top = view.shape[0] + MARGIN
    for left, right, ink in _bar(episode, step, segment, width):
        draw.rectangle((left, top, right - 1, top + BAR - 4), fill=ink)
    for number, line in enumerate(lines):
        draw.text((MARGIN, top + BAR + LINE * number), line, fill=TEXT, font=font)
    return whole


def _bar(
    episode: Episode, step: int, segment: int, width: int
) -> Sequence[tuple[float, float, tuple[int, int, int]]]:
    """The segments as stretches of the bar, each as long as it has steps."""
    total = max(1, len(episode.steps))
    found, start = [], 0
    for number in range(len(episode.segments)):
        count = sum(each.segment == number for each in episode.steps)
        ink = DONE if step >= start + count else NOW if number == segment else LATER
        if count:
            found.append((width * start / total, width * (start + count) / total - 1, ink))
        start += count
    return found


def _sentence(episode: Episode, segment: int) -> str:
    """The sentence that belongs to a segment, else that of the whole."""
    said = [each for each in episode.instructions if each.annotation == 0]
    own = [each.text for each in said if each.segment == segment]
    whole = [each.text for each in said if each.segment is None]
    return (own or whole or [episode.task])[0]
