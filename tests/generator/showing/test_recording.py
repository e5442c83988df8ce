"""Drawing datasets: the same bytes for any number of processes, after any kill, as GIF and as MP4."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import chorewright as cw
from chorewright.errors import ExitCode, StorageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.showing.films import VIDEOS, VideoRequest, film, make_videos
from chorewright.generator.showing.frames import FRAMES, FrameRequest, record
from tests.command import invoke

REQUEST = FrameRequest(size=48)
ARGUMENTS = ("--render", "rgb,depth,instances", "--video", "--size", "64", "--workers", "2")


def made(folder: Path, count: int) -> Path:
    """A dataset of short episodes, each in a shard of its own."""
    tasks = ("pick_and_place_simple",)
    options = (("tasks", tasks), ("scenes", ("FloorPlan402", "FloorPlan405")))
    run(GenerateConfig("alfred", count, shard_size=1, options=options), folder, workers=0)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("recording") / "dataset", 3)


def test_a_film_that_cannot_be_written_is_a_storage_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        cw.film(Dataset(folder)[0], tmp_path / "file" / "film.gif", size=64)


def drawn(folder: Path) -> dict[str, bytes]:
    """All files of pictures, temporary ones too."""
    found = [path for name in (FRAMES, VIDEOS) for path in (folder / name).glob("*") if path.is_file()]
    found += [path for name in (FRAMES, VIDEOS) for path in (folder / name).glob(".*")]
    return {path.name: path.read_bytes() for path in found}


def cleared(folder: Path) -> None:
    for name in (FRAMES, VIDEOS):
        for path in (folder / name).glob("*"):
            path.unlink()


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_any_number_of_processes_gives_the_same_bytes(folder: Path, workers: int) -> None:
    pictures = []
    for each in (0, workers):
        cleared(folder)
        record(folder, REQUEST, each)
        make_videos(folder, range(3), VideoRequest("gif", 64), each)
        pictures.append(drawn(folder))
    assert pictures[0] == pictures[1]
    assert len(pictures[0]) == 6
    assert all(filmed.kept for filmed in make_videos(folder, range(3), VideoRequest("gif", 64), workers))


@pytest.mark.slow
def test_what_was_killed_is_completed_to_the_same_bytes(tmp_path: Path) -> None:
    """The parent and its workers are killed at eight moments, then the same command runs to the end."""
    folder = made(tmp_path / "dataset", 6)
    command = [sys.executable, "-m", "chorewright", "replay", str(folder), *ARGUMENTS]
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    took = time.monotonic() - started
    whole = drawn(folder)
    assert len(whole) == 12
    cleared(folder)
    seen = set()
    for part in np.linspace(0.1, 0.95, 8):
        process = subprocess.Popen(
            command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(float(part) * took)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        left = drawn(folder)
        seen.add(len(left))
        assert all(content == whole[name] for name, content in left.items() if not name.startswith("."))
    assert len(seen) > 1
    subprocess.run(command, check=True, capture_output=True)
    assert drawn(folder) == whole


def shades(count: int, width: int, height: int) -> list[Image.Image]:
    """Pictures of one grey each."""
    return [Image.new("RGB", (width, height), (shade,) * 3) for shade in np.linspace(20, 230, count, dtype=int)]


@pytest.mark.parametrize("sides", [(64, 48), (65, 49)])
def test_an_mp4_holds_the_pictures_in_order(tmp_path: Path, sides: tuple[int, int]) -> None:
    """Read back by ffmpeg: number, size (even), greys, and how long the last one stays."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    pictures = shades(7, *sides)
    data = film(pictures, 200, 4, "mp4")
    assert data == film(pictures, 200, 4, "mp4")
    path = tmp_path / "film.mp4"
    path.write_bytes(data)
    frames = imageio_ffmpeg.read_frames(str(path))
    facts = next(frames)
    assert facts["source_size"] == (64, 48) if sides[0] == 64 else (66, 50)
    assert facts["fps"] == 5
    greys = [np.frombuffer(frame, np.uint8).mean() for frame in frames]
    wanted = [float(np.asarray(picture).mean()) for picture in [*pictures, *[pictures[-1]] * 3]]
    assert greys == pytest.approx(wanted, abs=4)


def test_videos_of_a_dataset_as_mp4(folder: Path) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    result = invoke(
        ["replay", str(folder), "--video", "--format", "mp4", "--size", "64", "--episode", "1", "--workers", "0"]
    )
    assert result.exit_code == 0, result.output
    count, _ = imageio_ffmpeg.count_frames_and_secs(str(folder / VIDEOS / "000001.mp4"))
    assert count == len(Dataset(folder).episode(1).steps) + 4


def test_without_ffmpeg_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    result = invoke(["replay", str(folder), "--video", "--format", "mp4"])
    assert result.exit_code == ExitCode.MISSING_EXTRA
    assert "[video]" in result.output
