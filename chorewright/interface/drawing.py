"""Pictures, films and pages of episodes and scenes."""

from __future__ import annotations

import html
import io
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from PIL import Image

from chorewright.errors import UsageError, storing
from chorewright.files.english import say_count
from chorewright.files.records import check_types
from chorewright.files.text import write_atomically
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.remarks import scene_map
from chorewright.generator.showing.films import episode_film
from chorewright.generator.showing.frames import FrameRequest
from chorewright.generator.showing.moments import Moment, check_size, jpeg, moments_if_any, moments_of, png
from chorewright.generator.showing.pages import dataset_page, episode_page, speak, step_name
from chorewright.generator.showing.view import place_of
from chorewright.generator.showing.views import USUAL, CameraView, parse_view
from chorewright.problems.household.scene import Scene


@check_types
def render(
    shown: Episode | Scene,
    step: int | None = None,
    size: int | str = 300,
    camera: str = "",
    fov: float | None = None,
    camera_height: float | None = None,
    look: int = 0,
) -> Image.Image:
    """Draw what the agent of an episode sees, or the map of a scene.

    Args:
        shown: An episode or a scene.
        step: After how many steps, 0 for the start; by default the end.
        size: Pixels on a side, or ``"320x240"``.
        camera: Who looks in a room: ``agent``, ``third-person`` or ``map``.
        fov: Degrees of the picture's height.
        camera_height: Metres of the camera above the floor.
        look: The number of another look of a room; 0 for the usual one.

    Raises:
        UsageError: The episode's benchmark has no pictures or no such cameras, or there is no such step.
    """
    pixels, view = _view(size, camera, fov, camera_height, look)
    if isinstance(shown, Scene):
        if step is not None:
            raise UsageError("a scene has no steps")
        if view != USUAL or pixels is None:
            raise UsageError("a scene is drawn as its map, with a size N", hint="cameras are those of episodes")
        return Image.fromarray(scene_map(shown, size=pixels))
    family = moments_of(shown.benchmark, view)
    size = pixels or family.cameras[0].size
    if step is None:
        return Image.fromarray(family.last_view(shown, size))
    for moment in family.moments(shown):
        if moment.number == step:
            return _image(moment, size, "rgb")
    raise UsageError(f"episode {shown.index} has {say_count(len(shown.steps), 'step')}, but step {step} is asked for")


@check_types
def frames(
    episode: Episode,
    size: int | str = 300,
    layer: str = "rgb",
    camera: str = "",
    fov: float | None = None,
    camera_height: float | None = None,
    look: int = 0,
) -> Iterator[Image.Image]:
    """Yield what the agent sees before the first step and after each.

    Args:
        episode: It is run again.
        size: As that of ``render``.
        layer: ``rgb``, ``depth`` or ``instances``.
        camera: As that of ``render``.
        fov: As that of ``render``.
        camera_height: As that of ``render``.
        look: As that of ``render``.

    Raises:
        UsageError: The benchmark has no pictures or no such cameras.
    """
    pixels, view = _view(size, camera, fov, camera_height, look)
    FrameRequest((layer,), pixels)  # checks both
    family = moments_of(episode.benchmark, view)
    for moment in family.moments(episode):
        yield _image(moment, pixels or family.cameras[0].size, layer)


def _view(
    size: int | str, camera: str, fov: float | None, camera_height: float | None, look: int
) -> tuple[int | None, CameraView]:
    words = [f"{camera or 'agent'},look={look}" if look else camera] if camera or look else []
    return parse_view(words, str(size), fov, camera_height)


def _image(moment: Moment[object], size: int, layer: str) -> Image.Image:
    """Return what the first camera sees."""
    return Image.open(io.BytesIO(png(moment.frames([size])[0], layer)))


@check_types
def film(episode: Episode, path: str | PathLike[str], size: int | None = None) -> None:
    """Write a film of an episode: a GIF, or MP4 (extra ``video``), as the name of the file says.

    Args:
        episode: It is run again.
        path: The film.
        size: Pixels on a side; by default what the benchmark's pictures usually have.

    Raises:
        UsageError: The benchmark has no pictures, or the name ends otherwise.
        MissingExtra: What makes films is not installed.
        StorageError: The film cannot be written.
    """
    check_size(size)
    target = Path(path)
    _write(target, episode_film(episode, size, target.suffix.lower().lstrip(".")))


@check_types
def view(shown: Episode | Dataset, path: str | PathLike[str], size: int = 300) -> None:
    """Write one HTML page that opens offline: an episode with its player, or a dataset's gallery.

    Args:
        shown: An episode or a dataset.
        path: The page.
        size: Pixels on a side of the agent's view.

    Raises:
        StorageError: The page cannot be written.
    """
    check_size(size)
    if isinstance(shown, Episode):
        page = episode_page(shown, size)
    else:
        page = dataset_page([shown], shown.folder.resolve().name, size=size)
    _write(Path(path), page.encode())


def _write(path: Path, data: bytes) -> None:
    with storing(path):
        write_atomically(path, data)


# How values look in a notebook: an episode with its film strip, a scene as its map.


_SIZE = 240


def episode_html(episode: Episode) -> str:
    """Return an episode as HTML: its task, its last view if there are pictures, what is said, and its steps."""
    family = moments_if_any(episode.benchmark)
    picture = "" if family is None else f'<img src="{jpeg(family.last_view(episode, _SIZE))}" alt="the last view">'
    words = [text for _, text in speak(episode)]
    said = "".join(f"<li>{html.escape(text)}</li>" for text in words[:12])
    if len(words) > 12:
        said += f"<li>and {len(words) - 12} more</li>"
    steps = ", ".join(html.escape(step_name(step)) for step in episode.steps[:60])
    more = f" and {len(episode.steps) - 60} more" if len(episode.steps) > 60 else ""
    count = say_count(len(episode.steps), "step")
    head = f"{episode.task}, episode {episode.index} in {place_of(episode)}" if place_of(episode) else episode.task
    return (
        f'<div style="display:flex;gap:1em"><div>{picture}</div><div><b>{html.escape(head)}</b>'
        f"<ul>{said}</ul></div></div><details><summary>{count}</summary>{steps}{more}</details>"
    )


def scene_png(scene: Scene) -> bytes:
    """Return the map of a scene as a PNG."""
    stream = io.BytesIO()
    Image.fromarray(scene_map(scene, size=400)).save(stream, "PNG")
    return stream.getvalue()
