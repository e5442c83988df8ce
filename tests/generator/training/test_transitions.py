"""Minari: files that h5py alone reads here; the package itself reads them in the job of tests/exchange."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from gymnasium import spaces

from chorewright.errors import MissingExtra, UnsupportedError, UsageError
from chorewright.files.plugins import pip_install
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.generator.training.exporter import make_exporter
from chorewright.generator.training.trajectory import places_by_split
from chorewright.generator.training.transitions import MinariExporter, space_json, transitions_of
from chorewright.replay.handmethat.environment import HandMeThatEnv
from tests.command import chorewright, digests
from tests.generator.toy import toy_config


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy") / "d"
    run(toy_config(30, 10, reject=7), folder, workers=0)
    return folder


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("requests") / "d"
    run(GenerateConfig("handmethat", 2, 1), folder, workers=0)
    return folder


def test_trajectories_become_a_dataset_for_each_split(toy: Path, tmp_path: Path) -> None:
    dataset = Dataset(toy)
    done = MinariExporter().write(dataset, tmp_path / "m")
    assert (done.episodes, done.files_changed) == (len(dataset), 4)
    assert MinariExporter().write(dataset, tmp_path / "m").files_changed == 0
    source, seen = transitions_of(dataset.manifest.config.benchmark), 0
    for split, places in places_by_split(dataset)[0].items():
        [data] = tmp_path.glob(f"m/chorewright/*/{split}-v0/data")
        metadata = json.loads((data / "metadata.json").read_text())
        assert metadata["dataset_id"] == data.parent.relative_to(tmp_path / "m").as_posix()
        assert metadata["total_episodes"] == len(places)
        assert "env_spec" not in metadata
        with h5py.File(data / "main_data.hdf5") as file:
            steps = 0
            for number, episode in enumerate(dataset[place] for place in places):
                group = file[f"episode_{number}"]
                assert (group.attrs["source_index"], group.attrs["original_split"]) == (episode.index, episode.split)
                found = source.transitions(episode)
                size = len(episode.steps) - 1
                assert group["observations/state"].shape == (size + 1, 2)
                assert np.array_equal(group["observations/state"], found.observations["state"])
                assert np.array_equal(group["actions/action"], found.actions["action"])
                assert [each.decode() for each in group["actions/word"]] == found.actions["word"]
                assert list(group["terminations"]) == [False] * (size - 1) + [True] * bool(size)
                assert group["rewards"][()].sum() == bool(size)
                steps += size
                seen += 1
            assert metadata["total_steps"] == steps
    assert seen == len(dataset)


def test_the_same_episodes_give_the_same_bytes(toy: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        MinariExporter().write(Dataset(toy), tmp_path / name)
    assert digests(tmp_path / "one") == digests(tmp_path / "other")


def test_the_text_world_says_what_is_stored(requests: Path, tmp_path: Path) -> None:
    """The environment is made from the metadata, begins with the stored options, and does the same again."""
    import gymnasium
    from gymnasium.envs.registration import EnvSpec

    MinariExporter().write(Dataset(requests), tmp_path / "m")
    played = 0
    for data in tmp_path.glob("m/chorewright/handmethat/*/data"):
        spec = EnvSpec.from_json(json.loads((data / "metadata.json").read_text())["env_spec"])
        env = gymnasium.make(spec, disable_env_checker=True)
        with h5py.File(data / "main_data.hdf5") as file:
            for group in file.values():
                said, _ = env.reset(options={"task": group.attrs["options/task"]})
                turns = [env.step(command.decode()) for command in group["actions"]]
                assert [said, *(turn[0] for turn in turns)] == [each.decode() for each in group["observations"]]
                assert [turn[1] for turn in turns] == list(group["rewards"])
                assert [turn[2] for turn in turns] == list(group["terminations"])
                assert turns[-1][2]
                played += 1
    assert played == len(Dataset(requests))


def test_spaces_are_written() -> None:
    space = spaces.Dict(
        {"a": spaces.Box(-1, 2, (2,), np.float32), "b": spaces.Discrete(3, start=1), "c": spaces.Text(5)}
    )
    value = json.loads(space_json(space))["subspaces"]
    assert value["a"] == {"type": "Box", "dtype": "float32", "shape": [2], "low": [-1, -1], "high": [2, 2]}
    assert value["b"] == {"type": "Discrete", "dtype": "int64", "start": 1, "n": 3}
    assert value["c"]["max_length"] == 5
    assert len(json.loads(space_json(HandMeThatEnv(lambda rng: None, infos=()).observation_space))["charset"]) > 90
    with pytest.raises(UnsupportedError, match="MultiBinary"):
        space_json(spaces.MultiBinary(3))


def test_the_verb(toy: Path, tmp_path: Path) -> None:
    words = ("export", toy, "--format", "minari", "--namespace", "mine/dice", "--out", tmp_path / "m", "--json")
    result = chorewright(*words)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["episodes"] == len(Dataset(toy))
    assert sorted(path.name for path in (tmp_path / "m" / "mine" / "dice").iterdir()) == ["train-v0", "validation-v0"]


@pytest.mark.parametrize("name", ["x", "a b", "a//b", "/a", "a.b", "../x"])
def test_a_bad_namespace_is_refused(name: str) -> None:
    """Minari cannot list datasets any more where there is one with a malformed id."""
    with pytest.raises(UsageError, match="cannot be a namespace"):
        make_exporter("minari", {"namespace": name})


def test_without_h5py_the_extra_is_named(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtra) as caught:
        make_exporter("minari", {})
    assert caught.value.hint == pip_install("minari")
