"""Exports grow with their dataset, to the bytes of one made at once, and ``verify`` checks them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.errors import StorageError, UsageError
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.training import huggingface, lerobot, lerobot_group
from chorewright.generator.training.export_marker import MARKER, ExportMarker, export_problems, read_marker
from chorewright.generator.training.exporter import Exported, ExportFolder, export_dataset, make_exporter
from chorewright.generator.training.lerobot_group import Group, GroupRecord
from tests.command import chorewright, digests
from tests.generator.toy import NAME, toy_config

FORMATS = {"huggingface": {"workers": 0}, "lerobot": {"pictures": "png", "size": 16, "workers": 0}, "minari": {}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One dataset at two ages."""
    folder = tmp_path_factory.mktemp("made")
    for name, episodes in (("young", 13), ("old", 30)):
        run(toy_config(episodes=episodes, shard_size=10, reject=7), folder / name, workers=0)
    return folder


def export(form: str, source: Dataset, out: Path) -> Exported:
    return export_dataset(make_exporter(form, FORMATS[form]), source, out)


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let numbers of files change as datasets grow."""
    monkeypatch.setitem(huggingface.LARGEST, "episodes", 4)
    monkeypatch.setattr(lerobot, "FRAMES", 4)


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_grows_with_its_dataset(form: str, made: Path, tmp_path: Path) -> None:
    young, old = Dataset(made / "young"), Dataset(made / "old")
    export(form, young, tmp_path / "grown")
    assert list(export_problems(tmp_path / "grown")) == []
    export(form, old, tmp_path / "grown")
    export(form, old, tmp_path / "once")
    assert digests(tmp_path / "grown") == digests(tmp_path / "once")
    assert list(export_problems(tmp_path / "grown")) == []
    with pytest.raises(StorageError, match="of more of the dataset's episodes"):
        export(form, young, tmp_path / "grown")
    assert digests(tmp_path / "grown") == digests(tmp_path / "once")


@pytest.mark.parametrize("form", ["chat", "descriptions", "lerobot", "tasks"])
def test_nothing_is_exported_of_no_episodes(form: str, made: Path, tmp_path: Path) -> None:
    none = Dataset(made / "young").filter(where="index < 0")
    with pytest.raises(UsageError, match="no accepted episode to export"):
        export_dataset(make_exporter(form, FORMATS.get(form, {})), none, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_other_options_are_refused(made: Path, tmp_path: Path) -> None:
    source, out = Dataset(made / "young"), tmp_path / "out"
    export("lerobot", source, out)
    before = digests(out)
    other = make_exporter("lerobot", {"pictures": "png", "size": 24, "workers": 0})
    with pytest.raises(StorageError, match="holds an export with other options"):
        export_dataset(other, source, out)
    export("lerobot", source, out)
    assert digests(out) == before
    export("minari", source, tmp_path / "usual")
    assert "options" not in read_marker(tmp_path / "usual" / MARKER).to_json()


def test_a_group_of_frames_that_stays_is_not_drawn_again(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Dataset(made / "old").filter(split="train")
    export("lerobot", old.at(old.places[: len(old) // 2]), tmp_path / "out")
    drawn: list[int] = []
    write = lerobot_group.write_group

    def watched(folder: ExportFolder, group: Group) -> tuple[GroupRecord, int]:
        drawn.append(group.number)
        return write(folder, group)

    monkeypatch.setattr(lerobot_group, "write_group", watched)
    export("lerobot", old, tmp_path / "out")
    groups = len(list((tmp_path / "out").glob("meta/groups/*.json")))
    assert 0 < len(drawn) < groups


def test_a_wider_selection_adds_and_another_one_is_refused(made: Path, tmp_path: Path) -> None:
    old = Dataset(made / "old")
    export("huggingface", old.filter(where="index < 9"), tmp_path / "out")
    export("huggingface", old.filter(where="index < 15 OR index > 25"), tmp_path / "out")
    with pytest.raises(StorageError, match="the export of other episodes"):
        export("huggingface", old.filter(where="index > 3"), tmp_path / "out")
    run(toy_config(episodes=30, shard_size=10, reject=7, seed=9), tmp_path / "other", workers=0)
    with pytest.raises(StorageError, match="the export of another dataset"):
        export("huggingface", Dataset(tmp_path / "other"), tmp_path / "out")


def test_growth_is_told_by_ranges_of_indices() -> None:
    def marker(episodes: str, configuration: str = "a") -> ExportMarker:
        return ExportMarker("x", None, configuration, episodes)

    assert marker("0-3,7").grows_to(marker("0-9"))
    assert marker("").grows_to(marker("5"))
    assert not marker("0-3,7").grows_to(marker("0-6,8-9"))
    assert not marker("0-3").grows_to(marker("0-9", "b"))
    assert not marker("0", "").grows_to(marker("0", ""))
    assert not marker("0-99999999999999").grows_to(marker("0-9"))


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 3}', '{"format": "x", "episodes": "a-b"}'])
def test_a_damaged_marker_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / MARKER).write_text(text)
    with pytest.raises(StorageError, match="is damaged"):
        read_marker(tmp_path / MARKER)


def test_verify_knows_exports(made: Path, tmp_path: Path) -> None:
    words = ("export", made / "old", "--format", "huggingface", "--out", "out", "--allow-code", NAME)
    done = chorewright(*words, "--where", "index < 20", "--episodes", 12, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "12 episodes" in done.stdout
    done = chorewright("verify", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"out: an export as huggingface; {count(tmp_path)} files are whole\n")
    some = next((tmp_path / "out" / "data").iterdir())
    some.write_bytes(some.read_bytes() + b" ")
    (tmp_path / "out" / "README.md").unlink()
    done = chorewright("verify", "out", "--json", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert {each["file"]: each["message"] for each in told["problems"]} == {
        "README.md": "is missing",
        f"data/{some.name}": "has another checksum than the export wrote",
    }
    done = chorewright(*words, "--where", "index < 20", "--episodes", 12, cwd=tmp_path)
    assert chorewright("verify", "out", cwd=tmp_path).returncode == 0
    (tmp_path / "out" / MARKER).unlink()
    done = chorewright("verify", "out", cwd=tmp_path)
    assert "damaged" not in done.stderr
    assert "is no dataset" in done.stderr
    done = chorewright(*words, "--episodes", "900..", cwd=tmp_path)
    assert "no episode is left" in done.stderr


def count(folder: Path) -> int:
    return sum(path.is_file() for path in (folder / "out").rglob("*")) - 1
