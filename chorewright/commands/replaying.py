"""Verbs that run stored episodes again: to see whether they still do, to draw them, to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, runtime_checkable

import typer

from chorewright.commands.common import DatasetFolder, code_path
from chorewright.commands.shell import AsJson, answer, processes, verb, write_text
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin, Registry
from chorewright.files.text import tell

if TYPE_CHECKING:
    from chorewright.generator.dataset.episode import Episode
    from chorewright.generator.showing.films import VideoRequest
    from chorewright.generator.showing.views import CameraView


@dataclass(frozen=True, slots=True)
class RealOptions:
    """The command line's options that are about a simulator outside this process.

    Attributes:
        executable: The build's path, or empty.
        size: Pixels on a side of its pictures.
        attempts: How often it may break down in one episode.
        start, step: Seconds that it may take.
        render: Whether its pictures are kept.
    """

    executable: str
    size: int
    attempts: int
    start: float
    step: float
    render: bool


class OtherSimulator(Protocol):
    """A simulator besides the world's own, found in the entry-point group ``chorewright.simulators``."""

    def replay(self, folder: Path, chosen: Sequence[int], options: RealOptions, as_json: bool) -> None:
        """Run episodes, all if none is chosen; report each, and end with exit code 1 unless all replay.

        Raises:
            UsageError: An option makes no sense, or the episodes are of another world.
            MissingExtra: The simulator cannot run here.
        """


@runtime_checkable
class HasDiagnosis(Protocol):
    """A simulator that may be missing something here."""

    def diagnosis(self) -> tuple[str, str, str]:
        """Return what ``doctor`` says of it: what it needs, what there is, and a note, which begins ``optional``."""


SIMULATORS: Registry[OtherSimulator] = Registry("chorewright.simulators", "simulator", ("replay",))


@verb
def replay(
    folder: Path,
    render: str | None = None,
    size: Annotated[str, typer.Option("--size", metavar="N|WxH")] = "",
    camera: Annotated[list[str] | None, typer.Option("--camera", metavar="CAMERA")] = None,
    fov: float | None = None,
    camera_height: float | None = None,
    looks: Annotated[int, typer.Option("--looks", metavar="N")] = 0,
    video: Annotated[bool, typer.Option("--video")] = False,
    form: Annotated[str, typer.Option("--format")] = "gif",
    episode: list[int] | None = None,
    workers: int | None = None,
    simulator: str | None = None,
    executable: Annotated[str, typer.Option("--executable", metavar="PATH", parser=code_path)] = "",
    attempts: int = 3,
    start_timeout: float = 120.0,
    step_timeout: float = 30.0,
    as_json: AsJson = False,
) -> None:
    """Run stored episodes again in the simulator; with --render or --video, draw what the agent sees.

    The same command again draws only what is missing. Exit code 1 if a step does not replay, or an episode
    on a real build is put in quarantine; FOLDER/ai2thor/report.json then says why.

    Args:
        folder: A dataset's folder.
        render: Draw these layers into FOLDER/frames: rgb,depth,instances.
        size: Pixels on a side, or WxH; by default as the benchmark's pictures usually are.
        camera: Who looks in rooms: agent, third-person, map, or NAME=KIND,fov=N,height=N,size=WxH; may be repeated.
        fov: Degrees of the pictures' height, in rooms.
        camera_height: Metres of the cameras above the floor, in rooms.
        looks: In so many other looks each camera sees the room, too: colours, lights, clutter.
        video: Write a film of each episode to FOLDER/videos.
        form: Of films: gif, or mp4 (extra video).
        episode: Only this one (videos and replays); may be repeated.
        workers: Processes; by default one for each core, 0 for none.
        simulator: ai2thor, a real build; by default the world's own simulator.
        executable: The real build's path; by default the one AI2-THOR keeps.
        attempts: How often a real build may break down in one episode.
        start_timeout: Seconds for a real build to start or load a room.
        step_timeout: Seconds for a step of a real build.
    """
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import on_this_machine
    from chorewright.generator.showing.views import USUAL, parse_view

    pixels, view = parse_view(camera or (), size, fov, camera_height, looks)
    if view != USUAL and (simulator is not None or (render is None and not video)):
        raise UsageError(
            "cameras and looks are those of pictures that are drawn here", hint="add --render rgb, or --video"
        )
    if simulator is not None:
        options = RealOptions(executable, pixels or 300, attempts, start_timeout, step_timeout, render is not None)
        SIMULATORS.find(simulator, Origin.PERSON).replay(folder, episode or [], options, as_json)
        return
    drawing = processes(workers)
    if render is not None and episode:
        raise UsageError("--render draws whole datasets", hint="leave --episode out, or use --video")
    if render is not None or video:
        folder = on_this_machine(folder, "drawing")
    dataset = Dataset(folder)
    told: dict[str, object] = {"folder": str(dataset.folder)}
    if render is not None:
        told |= _render(folder, render, pixels, view, drawing)
    chosen = [dataset.episode(index) for index in episode] if episode else dataset
    if video:
        from chorewright.generator.showing.films import VideoRequest

        indices = [each.index for each in chosen]
        told["videos"] = _videos(folder, indices, VideoRequest(form, pixels, view), min(drawing, len(indices)))
    if render is None and not video:
        told["replayed"] = sum(_replay(each) for each in chosen)
    shown = ", ".join(f"{name} {value}" for name, value in told.items() if name != "folder")
    answer(as_json, told, f"{dataset.folder}: {shown}")


def _replay(episode: Episode) -> int:
    """Run an episode's steps again; return 1, so that episodes can be counted."""
    from chorewright.generator.showing.moments import moments_of

    moments_of(episode.benchmark).replay(episode)
    return 1


def _render(folder: Path, layers: str, size: int | None, view: CameraView, workers: int) -> dict[str, object]:
    from chorewright.generator.showing.frames import FrameRequest, Recorded, record

    request = FrameRequest(tuple(layer.strip() for layer in layers.split(",")), size, view)
    shown = {"frames": 0, "shards": 0}

    def hear(recorded: Recorded) -> None:
        shown["frames"] += recorded.frames
        shown["shards"] += 1
        state = "there already" if recorded.kept else "drawn"
        tell(f"shard {recorded.shard}: {recorded.frames} frames {state}")

    record(folder, request, workers, hear)
    return dict(shown)


def _videos(folder: Path, indices: list[int], request: VideoRequest, workers: int) -> int:
    from chorewright.generator.showing.films import Filmed, make_videos

    def hear(filmed: Filmed) -> None:
        state = "there already" if filmed.kept else "made"
        tell(f"video of episode {filmed.episode} {state}")

    return len(make_videos(folder, indices, request, workers, hear))


def _read_episode(text: str) -> Episode:
    """Return the episode that ``DIR:INDEX`` names.

    Raises:
        UsageError: It names none.
    """
    from chorewright.generator.dataset.store.dataset import Dataset

    folder, colon, index = text.rpartition(":")
    if not (colon and folder and index.isascii() and index.isdigit()):
        raise UsageError(f"{text!r} names no episode", hint="write DIR:INDEX, for example --beside demo:4")
    return Dataset(folder).episode(int(index))


@verb
def view(
    folder: DatasetFolder,
    episode: Annotated[int | None, typer.Argument()] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None,
    size: int = 300,
    pages: Annotated[int, typer.Option("--pages", metavar="N")] = 0,
    beside: Annotated[list[str] | None, typer.Option("--beside", metavar="DIR:INDEX")] = None,
    workers: int | None = None,
    as_json: AsJson = False,
) -> None:
    """Write an episode, or a dataset, as one HTML page that opens offline.

    A dataset's page is a gallery with statistics. With --pages it links to pages of the episodes in a folder beside it.

    Args:
        episode: An episode's index; without it, all episodes in a table.
        out: The page; by default view.html or 000017.html here.
        size: Pixels on a side of the agent's view.
        pages: Of a dataset: write the pages of the first N episodes, too; -1 for all.
        beside: Show this episode beside it; may be repeated.
        workers: Processes that draw; by default one for each core, 0 for none.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.production.benchmark import BENCHMARKS
    from chorewright.generator.showing.moments import check_size
    from chorewright.generator.showing.pages import dataset_page, episode_page

    drawing = processes(workers)
    check_size(size)
    dataset = Dataset(folder)
    if beside and episode is None:
        raise UsageError("--beside is about one episode, not about a whole dataset", hint="give the episode's index")
    if episode is None:
        path = out or Path("view.html")
        with counting("draw", "episodes") as drawn:
            page = dataset_page(
                [dataset],
                dataset.folder.resolve().name,
                pages=path.with_name(f"{path.stem}_pages"),
                paged=len(dataset) if pages < 0 else pages,
                size=size,
                workers=drawing,
                tell=drawn,
            )
    else:
        page = episode_page(dataset.episode(episode), size, list(map(_read_episode, beside or ())))
        path = out or Path(f"{episode:06}.html")
    write_text(path, page)
    try:
        BENCHMARKS.find(dataset.manifest.config.benchmark)
    except UsageError as error:
        tell(f"note: the page has no pictures: {error.message}" + (f"; {error.hint}" if error.hint else ""))
    length = len(page.encode())
    answer(as_json, {"page": str(path), "bytes": length}, f"{path}: {length / 1e3:,.0f} kB")
