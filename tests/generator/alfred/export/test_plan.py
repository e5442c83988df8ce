"""Pictures in ALFRED's layout, read as ALFRED's own code reads them; acting on the masks alone."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chorewright.generator.alfred.benchmark import world_for_alfred
from chorewright.generator.alfred.demonstration import names_in_alfred
from chorewright.generator.alfred.export.exporter import AlfredExporter, AlfredExportOptions, trial
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.moments import HouseholdMoments
from chorewright.generator.production.line import run
from tests.command import invoke
from tests.generator.alfred.export.layout import check_trajectory


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An episode with a fridge in it, and one without."""
    made = tmp_path_factory.mktemp("images") / "dataset"
    tasks = ("pick_cool_then_place_in_recep", "look_at_obj_in_light")
    scenes = ("FloorPlan10", "FloorPlan301")
    run(GenerateConfig("alfred", 2, seed=4, options=(("tasks", tasks), ("scenes", scenes))), made, workers=0)
    return made


def trajectories(out: Path) -> dict[str, tuple[dict, list[Path]]]:
    """Each trial's document, and its pictures in the order in which ALFRED's extractor sorts them."""
    found = {}
    for path in out.rglob("traj_data.json"):
        data = json.loads(path.read_text("utf-8"))
        check_trajectory(data)
        found[data["task_id"]] = (data, sorted((path.parent / "raw_images").iterdir()))
    return found


def pixels(path: Path) -> np.ndarray:
    picture = Image.open(path)
    assert picture.mode == "RGB"
    return np.asarray(picture)


def frames_kept(data: dict, pictures: list[Path]) -> list[Path]:
    """What ALFRED's featurize keeps of the pictures: one for each action, and the last."""
    actions = len(data["plan"]["low_actions"]) + 1
    if actions == len(pictures):
        return pictures
    keep: list[Path | None] = [None] * actions
    for place, image in enumerate(data["images"]):
        if keep[image["low_idx"]] is None:
            keep[image["low_idx"]] = pictures[place]
    keep[-1] = pictures[-1]
    assert all(keep)
    return [one for one in keep if one is not None]


@pytest.mark.parametrize("filler", [False, True])
def test_the_reader_s_frames_are_those_before_each_action(folder: Path, tmp_path: Path, filler: bool) -> None:
    written = AlfredExporter(AlfredExportOptions(True, filler)).write(Dataset(folder), tmp_path / "out")
    found = trajectories(tmp_path / "out")
    assert len(found) == written.episodes == 2
    for episode in Dataset(folder):
        data, pictures = found[trial(episode)]
        assert [path.name for path in pictures] == [f"{number:09d}.png" for number in range(len(pictures))]
        assert len(pictures) == len(data["images"]) + (10 if filler else 1)
        kept = frames_kept(data, pictures)
        assert len(kept) == len(episode.steps) + 1
        for moment, path in zip(HouseholdMoments(world_for_alfred).moments(episode), kept, strict=True):
            assert (pixels(path) == moment.world.frame(300).rgb).all()


def test_the_filler_is_what_alfred_s_recorder_saves(folder: Path, tmp_path: Path) -> None:
    """Turns move on by tenths; interactions stand still before and after; the end is shown ten times."""
    AlfredExporter(AlfredExportOptions(filler=True)).write(Dataset(folder), tmp_path / "out")
    for data, pictures in trajectories(tmp_path / "out").values():
        drawn = [path.read_bytes() for path in pictures]
        assert len(set(drawn[-11:])) == 1
        of_action: dict[int, list[bytes]] = {}
        for image, picture in zip(data["images"], drawn, strict=False):
            of_action.setdefault(image["low_idx"], []).append(picture)
        closings = 0
        for number, action in enumerate(data["plan"]["low_actions"]):
            name, shown = action["discrete_action"]["action"], of_action[number]
            if name.startswith(("Rotate", "Look")):
                assert len(set(shown)) == len(shown) == 11
            elif name.startswith("MoveAhead"):
                assert len(shown) == 2
            else:
                cools = len(shown) - names_in_alfred().frames[name]
                closings += cools == names_in_alfred().cool_close
                changes = [place for place, (a, b) in enumerate(pairwise(shown), 1) if a != b]
                assert changes in ([], [names_in_alfred().before[name] + (cools > 0)])
        for one, other in pairwise(range(len(data["plan"]["low_actions"]))):
            assert of_action[one][-1] == of_action[other][0]
        assert closings == (data["task_type"] == "pick_cool_then_place_in_recep")


def test_a_broken_export_is_completed(folder: Path, tmp_path: Path) -> None:
    """A picture that is missing comes back with its document; what is complete is left alone."""
    out = tmp_path / "out"
    first = AlfredExporter(AlfredExportOptions(images=True)).write(Dataset(folder), out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert first.files_changed == len(before) - 1  # the marker is not counted
    assert AlfredExporter(AlfredExportOptions(images=True)).write(Dataset(folder), out).files_changed == 0
    document = next(out.rglob("traj_data.json"))
    picture = sorted((document.parent / "raw_images").iterdir())[3]
    document.unlink()
    picture.unlink()
    assert AlfredExporter(AlfredExportOptions(images=True)).write(Dataset(folder), out).files_changed == 2
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("form", "option", "says"),
    [("handmethat", "--images", "No such option: --images"), ("calvin", "--filler", "No such option: --filler")],
)
def test_formats_without_pictures(folder: Path, tmp_path: Path, form: str, option: str, says: str) -> None:
    out = tmp_path / "out"
    told = invoke(["export", str(folder), "--format", form, "--out", str(out), option])
    assert told.exit_code == 2
    assert says in " ".join(told.output.split())
    assert not out.exists()
