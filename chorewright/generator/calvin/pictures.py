"""Pictures of a table's episodes: rows of the picture files, moving pictures, and frames for a page.

All are drawn from the stored states. A row has each layer for both cameras: ``rgb_static``, ``depth_gripper``
and so on.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import UsageError
from chorewright.generator.calvin.records import TableFrame, episode_frames, episode_scene
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.pictures import LAYERS, FrameRequest
from chorewright.generator.showing.films import film
from chorewright.generator.showing.images import jpeg, png
from chorewright.replay.calvin.pictures import CAMERAS, TabletopRenderer

SIZES = (200, 84)
"""CALVIN's pixels on a side of the static and of the hand's camera."""

EACH = 5
"""A film shows every fifth frame: six a second."""

MILLISECONDS = 160
LINE, MARGIN = 15, 6
FRAMES_A_SECOND = 30

PAPER, TEXT = (255, 255, 255), (30, 32, 36)


def sizes(size: int | None) -> tuple[int, int]:
    """Return the pixels on a side for both cameras, of which the static one has so many."""
    return SIZES if size is None else (size, max(1, round(size * SIZES[1] / SIZES[0])))


class TablePictures:
    """Runs and draws episodes at CALVIN's table."""

    size = SIZES[0]
    layers: tuple[str, ...] = LAYERS

    def replay(self, episode: Episode) -> None:
        """Give the recorded commands to the table again."""
        from chorewright.generator.calvin.trial import replay_episode  # needs PyBullet

        replay_episode(episode)

    def schema(self, request: FrameRequest) -> pa.Schema:
        """Return the columns: each layer for each camera, e.g. ``rgb_static``."""
        return schema(request)

    def rows(self, episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
        """Yield what both cameras see in each frame."""
        return rows(episode, request)

    def page(self, episode: Episode, size: int) -> Mapping[str, object]:
        """Return both cameras' views of every fifth frame, and what was done between them."""
        return page(episode, size)

    def last_view(self, episode: Episode, size: int) -> NDArray[np.uint8]:
        """Return what the static camera sees at the end."""
        return last_view(episode, size)

    def video(self, episode: Episode, size: int | None, form: str) -> bytes:
        """Return a film of both cameras with the sentence of the task below."""
        return video(episode, size, form)

    def problem(self, episode: Episode) -> tuple[Domain, Problem] | None:
        """Return None: chains are drawn, not planned."""
        return None


def rows(episode: Episode, request: FrameRequest) -> Iterator[dict[str, object]]:
    """Yield a row for each frame, the state after the last command among them."""
    renderer = TabletopRenderer(episode_scene(episode))
    for number, frame in enumerate(episode_frames(episode)):
        row: dict[str, object] = {"episode": episode.index, "step": number}
        seen = renderer.frames(frame.robot_obs, frame.scene_obs, CAMERAS, sizes(request.size))
        for camera, picture in zip(CAMERAS, seen, strict=True):
            for layer in request.layers:
                row[f"{layer}_{camera}"] = png(picture, layer)
        if "instances" in request.layers:
            row["names"] = list(seen[0].names)
        yield row


def schema(request: FrameRequest) -> pa.Schema:
    """Return the columns of the rows."""
    fields = [("episode", pa.int64()), ("step", pa.int32())]
    fields += [(f"{layer}_{camera}", pa.binary()) for camera in CAMERAS for layer in request.layers]
    if "instances" in request.layers:
        fields.append(("names", pa.list_(pa.string())))
    return pa.schema(fields)


def both_views(renderer: TabletopRenderer, frame: TableFrame, size: int) -> NDArray[np.uint8]:
    """Return what both cameras see side by side, each so many pixels on a side."""
    seen = renderer.frames(frame.robot_obs, frame.scene_obs, CAMERAS, (size, size))
    return np.concatenate([each.rgb for each in seen], axis=1)


def video(episode: Episode, size: int | None, form: str = "gif") -> bytes:
    """Return an episode as a film: both cameras, and the sentence of the task below.

    Raises:
        UsageError: It would be too small.
        MissingExtra: What makes the form is not installed.
    """
    size = SIZES[0] if size is None else size
    if size < 64:
        raise UsageError(f"a video must be 64 pixels high at least, not {size}")
    renderer, pictures = TabletopRenderer(episode_scene(episode)), []
    frames = episode_frames(episode)
    for number in (*range(0, len(frames) - 1, EACH), len(frames) - 1):
        segment = episode.steps[min(number, len(episode.steps) - 1)].segment
        text = sentence(episode, segment)
        pictures.append(captioned(both_views(renderer, frames[number], size), text))
    return film(pictures, MILLISECONDS, 6, form)


def captioned(view: NDArray[np.uint8], text: str, lines: int = 2) -> Image.Image:
    """Return a picture with a text below it."""
    height, width = view.shape[:2]
    font = ImageFont.load_default(11)
    whole = Image.new("RGB", (width, height + 2 * MARGIN + lines * LINE), PAPER)
    whole.paste(Image.fromarray(view))
    draw = ImageDraw.Draw(whole)
    for number, line in enumerate(textwrap.wrap(text, max(16, width // 6))[:lines]):
        draw.text((MARGIN, height + MARGIN + LINE * number), line, fill=TEXT, font=font)
    return whole


def page(episode: Episode, size: int) -> dict[str, object]:
    """Return what a page of an episode shows: every fifth frame as both cameras see it, and what was done."""
    renderer, frames = TabletopRenderer(episode_scene(episode)), episode_frames(episode)
    shown = [*range(0, len(frames) - 1, EACH), len(frames) - 1]
    done = _done_at(episode)
    steps = []
    for before, at in pairwise(shown):
        tasks = [task for number, task in done.items() if before < number <= at]
        segment = episode.steps[at - 1].segment
        steps.append({"name": f"{at / FRAMES_A_SECOND:.1f} s", "segment": segment, "added": tasks, "removed": []})
    return {
        "frames": [_views(renderer, frames[at], size) for at in shown],
        "cameras": list(CAMERAS),
        "steps": steps,
        "places": [],
        "map": "",
    }


def _views(renderer: TabletopRenderer, frame: TableFrame, size: int) -> list[str]:
    """Return what each camera sees, as a page has it."""
    return [jpeg(each.rgb) for each in renderer.frames(frame.robot_obs, frame.scene_obs, CAMERAS, (size, size))]


def last_view(episode: Episode, size: int) -> NDArray[np.uint8]:
    """Return what the static camera sees at the end."""
    frame = episode_frames(episode)[-1]
    renderer = TabletopRenderer(episode_scene(episode))
    (seen,) = renderer.frames(frame.robot_obs, frame.scene_obs, CAMERAS[:1], (size,))
    return seen.rgb


def _done_at(episode: Episode) -> dict[int, str]:
    """Return the tasks by the frame in which the detector saw them done."""
    found, first = {}, 0
    for segment in episode.segments:
        details = json.loads(segment.details)
        found[first + details["done_after"]] = f"{segment.action} is done"
        first += details["frames"]
    return found


def film_strip(episode: Episode, size: int, width: int) -> Image.Image:
    """Return an episode as a strip of pictures: each task's last frame, after the very first one.

    Args:
        episode: A chain.
        size: Pixels on a side of a picture.
        width: Pictures in a row; the strip has as many rows as it needs.
    """
    renderer, frames = TabletopRenderer(episode_scene(episode)), episode_frames(episode)
    moments: list[tuple[int, str]] = [(0, "the start")]
    for number in range(len(episode.segments)):
        last = max(at for at, step in enumerate(episode.steps) if step.segment == number) + 1
        moments.append((last, sentence(episode, number)))
    shown = []
    for at, text in moments:
        (seen,) = renderer.frames(frames[at].robot_obs, frames[at].scene_obs, CAMERAS[:1], (size,))
        shown.append(np.asarray(captioned(seen.rgb, text, 3)))
    blank = np.full_like(shown[0], 255)
    shown += [blank] * (-len(shown) % width)
    lines = [np.concatenate(shown[at : at + width], axis=1) for at in range(0, len(shown), width)]
    return Image.fromarray(np.concatenate(lines))


def sentence(episode: Episode, segment: int) -> str:
    """Return what was said for a task of a chain."""
    said: Sequence[str] = [each.text for each in episode.instructions if each.segment == segment]
    return said[0] if said else episode.segments[segment].action
