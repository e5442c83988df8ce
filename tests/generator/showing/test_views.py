"""Cameras that a user asks for: words and their mistakes, several at once, other looks; the usual ones stay."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import chorewright as cw
from chorewright.errors import UsageError
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.cameras import KINDS
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.showing.frames import FrameRequest, frame_path, record
from chorewright.generator.showing.moments import camera_sizes, moments_of
from chorewright.generator.showing.views import USUAL, CameraRequest, parse_view
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.windows import FrameWindows


@pytest.fixture(scope="module")
def episode() -> Episode:
    benchmark, config = BENCHMARKS.find("alfred"), GenerateConfig("alfred", 1)
    return benchmark.episode(0, config, benchmark.assign(config, 1)[0])


def test_words_are_cameras() -> None:
    assert parse_view() == (None, USUAL)
    assert parse_view(size="128") == (128, USUAL)
    pixels, view = parse_view(("agent", "wide=agent,fov=100,size=64x48", "map"), "320x240", height=1.2)
    assert pixels is None
    assert view.requests(CameraRequest("agent", "agent"), KINDS) == (
        CameraRequest("agent", "agent", (320, 240), None, 1.2),
        CameraRequest("wide", "agent", (64, 48), 100.0, 1.2),
        CameraRequest("map", "map", (320, 240)),
    )
    names = [each.name for each in parse_view(looks=2)[1].requests(CameraRequest("agent", "agent"), KINDS)]
    assert names == ["agent", "agent_look1", "agent_look2"]


@pytest.mark.parametrize(
    ("words", "size", "said"),
    [
        (("agent", "agent"), "", "two cameras are called 'agent'"),
        (("a=agent,fow=90",), "", "a camera has no 'fow'"),
        (("a=agent,fov=wide",), "", "'fov=wide' has no number"),
        (("a=agent,fov=500",), "", "fov must be 1 to 179 degrees, not 500"),
        (("../x",), "", "a name of letters and digits"),
        ((), "320*240", "a size is N or WxH in pixels"),
        ((), "8x8", "16 to 2048 pixels"),
        ((), "9999", "16 to 2048 pixels"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], size: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("*", r"\*").replace("..", r"\.\.")):
        parse_view(words, size)


@pytest.mark.parametrize(
    ("benchmark", "word", "said"),
    [
        ("alfred", "agnet", "there is no camera 'agnet'"),
        ("alfred", "map,fov=60", "takes no fov"),
        ("calvin", "map", "there is no camera 'map'"),
        ("calvin", "static,size=64x32", "are square"),
        ("calvin", "static,look=1", "one look"),
    ],
)
def test_families_say_which_cameras_they_have(benchmark: str, word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        moments_of(benchmark, parse_view((word,))[1])


def test_several_cameras_at_once(episode: Episode) -> None:
    view = parse_view(("agent", "wide=agent,fov=100", "low=agent,height=0.4", "third-person", "map"), "96x64")[1]
    family = moments_of("alfred", view)
    start = next(iter(family.moments(episode)))
    seen = start.frames(camera_sizes(family.cameras, None))
    assert [each.rgb.shape for each in seen] == [(64, 96, 3)] * 5
    assert len({each.rgb.tobytes() for each in seen}) == 5
    own, _, _, behind, above = ({each.names[k] for k in np.unique(each.instances) if k >= 0} for each in seen)
    assert "agent_0" in behind & above
    assert "agent_0" not in own, "the agent does not see itself"


def test_the_usual_camera_by_its_name_draws_the_usual_picture(episode: Episode) -> None:
    usual = cw.render(episode, 0, 64)
    assert cw.render(episode, 0, 64, camera="agent").tobytes() == usual.tobytes()
    assert cw.render(episode, 0, "64x64", fov=60).tobytes() == usual.tobytes()
    assert cw.render(episode, 0, "80x64", camera="map").size == (80, 64)
    assert cw.render(episode, size="80x64").size == (80, 64)


def test_a_look_differs_and_comes_again(episode: Episode) -> None:
    usual, first, second = (cw.render(episode, 0, 64, look=number).tobytes() for number in (0, 1, 2))
    assert len({usual, first, second}) == 3
    assert cw.render(episode, 0, 64, look=1).tobytes() == first


def test_only_clutter_hides_anything_in_another_look(episode: Episode) -> None:
    family = moments_of("alfred", parse_view(looks=1)[1])
    for moment in family.moments(episode):
        plain, other = moment.frames((64, 64))
        new = np.array([each.startswith("Clutter_") for each in (*other.names, "")])[other.instances]
        assert (new | (plain.depth == other.depth)).all()


def test_a_dataset_is_drawn_by_cameras_and_windows_see_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    run(GenerateConfig("alfred", 1), folder, workers=0)
    words = ("agent", "top=map,size=48x32")
    record(folder, FrameRequest(("rgb",), None, parse_view(words, "32x24", looks=1)[1]), 0)
    columns = pq.read_table(frame_path(folder, 0)).column_names
    assert columns == ["episode", "step", "rgb_agent", "rgb_top", "rgb_agent_look1", "rgb_top_look1"]
    before = frame_path(folder, 0).read_bytes()
    (again,) = record(folder, FrameRequest(("rgb",), None, parse_view(words, "32x24", looks=1)[1]), 0)
    assert again.kept
    (other,) = record(folder, FrameRequest(("rgb",), None, parse_view(words, "32x24")[1]), 0)
    assert not other.kept
    record(folder, FrameRequest(("rgb",), None, parse_view(words, "32x24", looks=1)[1]), 0)
    assert frame_path(folder, 0).read_bytes() == before, "the same look again"
    asked = {"pictures": "png", "size": "32x24", "cameras": words, "looks": 1, "workers": 0}
    make_exporter("lerobot", asked).write(Dataset(folder), tmp_path / "lerobot")
    told = json.loads((tmp_path / "lerobot" / "meta" / "info.json").read_bytes())["features"]
    assert told["observation.images.agent_look1"]["shape"] == [24, 32, 3]
    assert told["observation.images.top"]["shape"] == [32, 48, 3]
    windows = FrameWindows(Dataset(folder), length=2, pictures=True, size="32x24", cameras=words, looks=1)
    item = windows[0]
    assert item["observation.images.agent"].shape == item["observation.images.agent_look1"].shape == (2, 3, 24, 32)
    assert item["observation.images.top"].shape == (2, 3, 32, 48)
