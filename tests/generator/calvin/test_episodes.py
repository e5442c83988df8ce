"""CALVIN's episodes: what is stored, tried, said, drawn and embedded, on three short chains."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from chorewright.errors import ChorewrightError, InputError, MissingExtra
from chorewright.files.plugins import Origin
from chorewright.generator.calvin import trial
from chorewright.generator.calvin.benchmark import CalvinBenchmark
from chorewright.generator.calvin.evaluation import CalvinEvaluation
from chorewright.generator.calvin.export.exporter import CalvinExporter, CalvinExportOptions
from chorewright.generator.calvin.export.files import check, find_embedder
from chorewright.generator.calvin.goals import INSTRUCTIONS
from chorewright.generator.calvin.layout import check_layout
from chorewright.generator.calvin.options import CalvinTrial
from chorewright.generator.calvin.records import Snapshots, achieve, episode_frames, episode_scene
from chorewright.generator.calvin.trial import ChainTrial, TaskRun, replay_episode
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.production.agenda import make_episode
from chorewright.generator.production.line import run
from chorewright.generator.production.verify import verify
from chorewright.generator.showing.frames import FrameRequest, record
from chorewright.problems.calvin.scenes import initial_states
from chorewright.replay.calvin.snapshot import detected_tasks, tasks_done
from chorewright.rsa.calvin.instructions import sentences, validation_sentence
from tests.command import ROOT, chorewright, digests
from tests.generator.calvin.chains import CONFIG

pytest.importorskip("pybullet")


def test_three_chains_are_made(folder: Path, episodes: list[Episode]) -> None:
    assert [episode.index for episode in episodes] == [0, 1, 2]
    assert not verify(folder).problems
    assert [episode.split for episode in episodes] == ["training", "training", "validation"]
    assert [episode_scene(episode).name for episode in episodes] == ["D", "B", "D"]
    for episode in episodes:
        assert len(episode.segments) == len(episode.plan) == len(episode.instructions) == 1
        assert set(json.loads(dict(episode.extras)["replays"]).values()) == {True}
        for segment, said in zip(episode.segments, episode.instructions, strict=True):
            known = sentences(segment.action)
            held_out = validation_sentence(segment.action)
            assert said.text == held_out if episode.split == "validation" else said.text in known


def test_tasks_are_detected_again_from_what_is_stored(episodes: list[Episode]) -> None:
    for episode in episodes:
        frames, first = episode_frames(episode), 0
        for number, segment in enumerate(episode.segments):
            details = json.loads(segment.details)
            assert sum(step.segment == number for step in episode.steps) == details["frames"]
            start, task = frames[first].snapshot, (segment.action,)
            done = first + details["done_after"]
            assert tasks_done(start, frames[done].snapshot, task) == {segment.action}
            assert not any(tasks_done(start, each.snapshot, task) for each in frames[first:done])
            first += details["frames"]
        assert len(frames) == len(episode.steps) + 1


def test_packed_snapshots_are_the_snapshots(episodes: list[Episode]) -> None:
    frames = episode_frames(episodes[0])
    packed, plain = Snapshots(frames), [frame.snapshot for frame in frames]
    assert list(packed) == plain
    assert list(packed[5:40:7]) == plain[5:40:7]
    assert packed[3:][-1] == plain[-1]
    assert len(packed[10:20]) == 10


def test_the_first_frame_is_the_initial_state(episodes: list[Episode]) -> None:
    for episode in episodes:
        state = initial_states()[int(dict(episode.parameters)["initial_state"])]
        first = episode_frames(episode)[0].snapshot
        assert first.lights == {"lightbulb": state.lightbulb, "led": state.led}
        assert (first.doors["base__drawer"] > 0.1) == (state.drawer == "open")
        assert (first.doors["base__slide"] > 0.1) == (state.slider == "left")


def test_commands_stay_within_the_clip(episodes: list[Episode]) -> None:
    relative = np.concatenate([[f.relative_command for f in episode_frames(e)[:-1]] for e in episodes])
    assert (np.abs(relative[:, :6]) <= 1).all()


def test_an_episode_depends_on_its_index_only(episodes: list[Episode]) -> None:
    benchmark = CalvinBenchmark()
    assert make_episode(benchmark, CONFIG, benchmark.assign(CONFIG, 3)[0]) == episodes[0]


@pytest.mark.parametrize(
    ("options", "chains", "starts"), [({}, 4, 8), ({"scatter": "0"}, 4, 4), ({"replays": "commanded"}, 1, 1)], ids=str
)
def test_a_chain_that_does_not_replay_is_tried_from_another_start_then_another_chain(
    options: dict[str, str], chains: int, starts: int, episodes: list[Episode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CALVIN's own actions count unless the user leaves them out."""
    config = GenerateConfig("calvin", 1, options=tuple((name, (value,)) for name, value in options.items()))
    tried: list[tuple[tuple[str, ...], bytes]] = []

    def done(world: object, start: tuple[Any, Any], tasks: tuple[str, ...], *_: object) -> ChainTrial:
        tried.append((tasks, start[1].tobytes()))
        runs = tuple(TaskRun(task, number, 1, 1, 1) for number, task in enumerate(tasks))
        return ChainTrial(runs, tuple(frames), "")

    frames = episode_frames(episodes[0])[-6:]
    lost = achieve(frames)[1].tolist()
    monkeypatch.setattr(trial, "run_chain", done)
    monkeypatch.setattr(
        trial, "replay", lambda world, start, runs, form, _: "lost" if np.array_equal(form, lost) else ""
    )
    benchmark = CalvinBenchmark()
    episode = benchmark.episode(0, config, benchmark.assign(config, 1)[0])
    assert (len(tried), len(set(tried))) == (starts, starts)
    order = list(dict.fromkeys(tasks for tasks, _ in tried))
    assert [tasks for tasks, _ in tried] == [tasks for tasks in order for _ in range(starts // chains)]
    assert len(order) == chains
    assert episode.outcome.accepted == (chains == 1)
    assert len(episode.rejections) == (0 if chains == 1 else starts)


@pytest.mark.slow
def test_a_chain_of_five(tmp_path: Path) -> None:
    benchmark, config = CalvinBenchmark(), GenerateConfig("calvin", 1, options=(("scatter", ("0.01",)),))
    episode = benchmark.episode(0, config, benchmark.assign(config, 1)[0])
    assert episode.outcome.accepted
    assert len({segment.action for segment in episode.segments}) == 5
    test_tasks_are_detected_again_from_what_is_stored([episode])
    test_commands_stay_within_the_clip([episode])
    replay_episode(episode)
    CalvinExporter().write([episode], tmp_path)
    assert not check_layout(tmp_path).problems


@pytest.mark.slow
def test_the_same_bytes_by_two_workers(folder: Path, tmp_path: Path) -> None:
    config = GenerateConfig("calvin", 3, shard_size=1, options=CONFIG.options)
    for workers in (0, 2):
        run(config, tmp_path / str(workers), workers=workers)
    assert digests(tmp_path / "0") == digests(tmp_path / "2")


@pytest.mark.parametrize(
    "option",
    [
        ("length", "0"),
        ("length", "1.5"),
        ("length", "x"),
        ("length", "99"),
        ("scenes", "E"),
        ("scatter", "1"),
        ("scatter", "nan"),
        ("colour", "red"),
    ],
    ids=str,
)
def test_options_that_cannot_be(option: tuple[str, str]) -> None:
    config = GenerateConfig("calvin", 1, options=((option[0], (option[1],)),))
    with pytest.raises(ChorewrightError):
        CalvinBenchmark().assign(config, 1)


@pytest.mark.slow
def test_sentences_of_the_user(tmp_path: Path) -> None:
    """CALVIN's own format: a task and its sentences; ours are held out where the user gives none."""
    mine = {task: [f"please {task} {number}" for number in range(3)] for task in detected_tasks()}
    text = yaml.safe_dump(mine)
    config = GenerateConfig("calvin", 2, options=(("length", ("1",)),), task_files=((INSTRUCTIONS[0], text),))
    benchmark = CalvinBenchmark()
    training, validation = (benchmark.episode(i, config, benchmark.assign(config, 2)[i]) for i in range(2))
    assert training.instructions[0].text in mine[training.segments[0].action]
    assert validation.instructions[0].text == validation_sentence(validation.segments[0].action)


@pytest.mark.parametrize(
    "files", [(("x.task", "(define)"),), ((INSTRUCTIONS[1], "{}"),), ((INSTRUCTIONS[0], "open_drawer: [a]"),)], ids=str
)
def test_sentences_that_cannot_be(files: tuple[tuple[str, str], ...]) -> None:
    config = GenerateConfig("calvin", 1, task_files=files)
    with pytest.raises(ChorewrightError):
        CalvinBenchmark().assign(config, 1)


# Pictures.


def test_pictures_in_the_layout(tmp_path: Path, episodes: list[Episode]) -> None:
    CalvinExporter(CalvinExportOptions(images=True, workers=0)).write(episodes[:1], tmp_path)
    report = check_layout(tmp_path)
    assert not report.problems
    assert report.splits[0].pictures == ("rgb_static", "rgb_gripper", "depth_static", "depth_gripper")


def test_pictures_beside_the_dataset(folder: Path, tmp_path: Path, episodes: list[Episode]) -> None:
    import pyarrow.parquet as pq

    shutil.copytree(folder, tmp_path / "dataset")
    (made,) = record(tmp_path / "dataset", FrameRequest(("rgb", "depth"), 64), 0)
    assert made.frames == sum(len(episode.steps) + 1 for episode in episodes)
    columns = pq.read_schema(tmp_path / "dataset" / "frames" / "shard-00000.parquet").names
    assert columns == ["episode", "step", "rgb_static", "depth_static", "rgb_gripper", "depth_gripper"]
    assert record(tmp_path / "dataset", FrameRequest(("rgb", "depth"), 64), 0)[0].kept


# Embeddings.


def fails(texts: Sequence[str]) -> object:
    raise RuntimeError("no model")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda texts: np.zeros((len(texts), 3)), "zero"),
        (lambda texts: np.full((len(texts), 3), np.nan), "zero or not finite"),
        (lambda texts: np.ones(len(texts)), "shape"),
        (lambda texts: np.ones((1, 3)), "shape"),
        (fails, "no model"),
        (lambda texts: "words", "failed"),
    ],
)
def test_vectors_that_are_none(function: Callable[[Sequence[str]], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(function, "mine")(["one", "two"])


@pytest.mark.parametrize("name", ["mine", "no.such.module:f", "json:nothing", "json:__doc__", ":", "../x:f"])
def test_no_embedder(name: str) -> None:
    with pytest.raises(ChorewrightError):
        find_embedder(name, Origin.PERSON)


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, extra, ask in (
        ("pybullet", "calvin", lambda: CalvinBenchmark().assign(CONFIG, 3)),
        ("pybullet", "calvin", lambda: play(CalvinEvaluation(), CalvinTrial(agent="expert", chains=1))),
        ("sentence_transformers", "calvin-language", lambda: find_embedder("sentence-transformers")),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra) as caught:
            ask()
        assert f"[{extra}]" in str(caught.value.hint)


@pytest.mark.slow
def test_without_pybullet_stored_chains_are_shown_drawn_checked_and_exported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pybullet.py").write_text("raise ImportError('not here')")
    shutil.copytree(folder, tmp_path / "dataset")
    env = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    for words in (
        ("verify", "dataset"),
        ("show", "dataset", "0"),
        ("export", "dataset", "--format", "calvin", "--out", "layout"),
        ("verify", "layout"),
        ("view", "dataset", "0", "--size", "32"),
    ):
        done = chorewright(*words, cwd=tmp_path, env=env)
        assert done.returncode == 0, (words, done.stderr)
    done = chorewright("replay", "dataset", cwd=tmp_path, env=env)
    assert done.returncode == 35
    assert "[calvin]" in done.stderr
