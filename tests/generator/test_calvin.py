"""CALVIN's episodes: what is stored, exported, checked and replayed, on three short chains."""

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

from chorewright.errors import ChorewrightError, InputError, MissingExtra, StorageError, UsageError
from chorewright.generator import calvin
from chorewright.generator.calvin import CalvinRecipe, replay_episode
from chorewright.generator.calvin_embeddings import checked, find_embedder
from chorewright.generator.calvin_evaluation import Evaluation, evaluate
from chorewright.generator.calvin_layout import check_layout, is_calvin
from chorewright.generator.calvin_pickles import pickled, read_pickled
from chorewright.generator.calvin_records import Snapshots, achieved, episode_frames, episode_scene
from chorewright.generator.calvin_settings import INSTRUCTIONS
from chorewright.generator.calvin_trial import TaskRun, Trial
from chorewright.generator.dataset import Dataset
from chorewright.generator.episode import Episode
from chorewright.generator.exports.calvin import CalvinExporter
from chorewright.generator.frames import FrameRequest, record
from chorewright.generator.production import make_episode, run
from chorewright.generator.recipe import GenerateConfig
from chorewright.generator.verify import verify
from chorewright.problems.tabletop.states import initial_states
from chorewright.replay.tabletop.detector import detected_tasks, tasks_done
from chorewright.rsa.tabletop_instructions import sentences, validation_sentence
from tests.command import ROOT, chorewright, digests

pytest.importorskip("pybullet")

CONFIG = GenerateConfig("calvin", 3, options=(("length", ("1",)), ("scenes", ("D", "B"))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("calvin") / "dataset"
    run(CONFIG, target, workers=0)
    return target


@pytest.fixture(scope="module")
def episodes(folder: Path) -> list[Episode]:
    return list(Dataset(folder))


@pytest.fixture(scope="module")
def layout(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("calvin") / "layout"
    CalvinExporter(embed=checked(lengths, "lengths")).write(Dataset(folder), target)
    return target


def lengths(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array([[len(text), 1.0, text.count("e")] for text in texts])


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
    recipe = CalvinRecipe()
    assert make_episode(recipe, CONFIG, recipe.assign(CONFIG, 3)[0]) == episodes[0]


@pytest.mark.parametrize(
    ("options", "chains", "starts"),
    [({}, 4, 8), ({"scatter": "0"}, 4, 4), ({"replays": "commanded"}, 1, 1)],
    ids=str,
)
def test_a_chain_that_does_not_replay_is_tried_from_another_start_then_another_chain(
    options: dict[str, str],
    chains: int,
    starts: int,
    episodes: list[Episode],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CALVIN's own actions count unless the user leaves them out."""
    config = GenerateConfig("calvin", 1, options=tuple((name, (value,)) for name, value in options.items()))
    tried: list[tuple[tuple[str, ...], bytes]] = []

    def done(world: object, start: tuple[Any, Any], tasks: tuple[str, ...]) -> Trial:
        tried.append((tasks, start[1].tobytes()))
        runs = tuple(TaskRun(task, number, 1, 1, 1) for number, task in enumerate(tasks))
        return Trial(runs, tuple(frames), "")

    frames = episode_frames(episodes[0])[-6:]
    lost = achieved(frames)[1].tolist()
    monkeypatch.setattr(calvin, "run_chain", done)
    monkeypatch.setattr(
        calvin, "replay", lambda world, start, runs, form: "lost" if np.array_equal(form, lost) else ""
    )
    recipe = CalvinRecipe()
    episode = recipe.episode(0, config, recipe.assign(config, 1)[0])
    assert (len(tried), len(set(tried))) == (starts, starts)
    order = list(dict.fromkeys(tasks for tasks, _ in tried))
    assert [tasks for tasks, _ in tried] == [tasks for tasks in order for _ in range(starts // chains)]
    assert len(order) == chains
    assert episode.outcome.accepted == (chains == 1)
    assert len(episode.rejections) == (0 if chains == 1 else starts)


@pytest.mark.slow
def test_a_chain_of_five(tmp_path: Path) -> None:
    recipe, config = CalvinRecipe(), GenerateConfig("calvin", 1, options=(("scatter", ("0.01",)),))
    episode = recipe.episode(0, config, recipe.assign(config, 1)[0])
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
    assert tree(tmp_path / "0") == tree(tmp_path / "2")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


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
        CalvinRecipe().assign(config, 1)


@pytest.mark.slow
def test_sentences_of_the_user(tmp_path: Path) -> None:
    """CALVIN's own format: a task and its sentences; ours are held out where the user gives none."""
    mine = {task: [f"please {task} {number}" for number in range(3)] for task in detected_tasks()}
    text = yaml.safe_dump(mine)
    config = GenerateConfig("calvin", 2, options=(("length", ("1",)),), task_files=((INSTRUCTIONS[0], text),))
    recipe = CalvinRecipe()
    training, validation = (recipe.episode(i, config, recipe.assign(config, 2)[i]) for i in range(2))
    assert training.instructions[0].text in mine[training.segments[0].action]
    assert validation.instructions[0].text == validation_sentence(validation.segments[0].action)


@pytest.mark.parametrize(
    "files",
    [(("x.task", "(define)"),), ((INSTRUCTIONS[1], "{}"),), ((INSTRUCTIONS[0], "open_drawer: [a]"),)],
    ids=str,
)
def test_sentences_that_cannot_be(files: tuple[tuple[str, str], ...]) -> None:
    config = GenerateConfig("calvin", 1, task_files=files)
    with pytest.raises(ChorewrightError):
        CalvinRecipe().assign(config, 1)


# The layout.


def test_the_layout_has_no_problem(layout: Path, episodes: list[Episode]) -> None:
    report = check_layout(layout)
    assert not report.problems
    frames = {episode.index: len(episode.steps) for episode in episodes}
    assert [(split.name, split.frames, split.episodes) for split in report.splits] == [
        ("training", frames[0] + frames[1], 2),
        ("validation", frames[2], 1),
    ]


def test_what_is_read_back_is_what_is_stored(layout: Path, episodes: list[Episode]) -> None:
    """Read as CALVIN's own loader does: by NumPy, with pickles allowed."""
    scenes = np.load(layout / "training" / "scene_info.npy", allow_pickle=True).item()
    assert list(scenes) == ["calvin_scene_B", "calvin_scene_D"]
    read = []
    for split in ("training", "validation"):
        ids = np.load(layout / split / "ep_start_end_ids.npy")
        assert (np.load(layout / split / "ep_lens.npy") == ids[:, 1] - ids[:, 0] + 1).all()
        for first, last in ids:
            files = [layout / split / f"episode_{number:07d}.npz" for number in range(first, last + 1)]
            (name,) = [each for each, (low, high) in scenes.items() if low <= first <= last <= high]
            read.append((split, name, [dict(np.load(file)) for file in files]))
    assert len(list(layout.rglob("episode_*.npz"))) == sum(len(rows) for _, _, rows in read)
    for episode in episodes:
        (rows,) = [
            rows
            for split, name, rows in read
            if split == episode.split and name == episode_scene(episode).full_name
        ]
        frames = episode_frames(episode)
        actions, relative = achieved(frames)
        for number, row in enumerate(rows):
            assert set(row) == {
                *("actions", "rel_actions", "robot_obs", "scene_obs"),
                *("commanded_actions", "commanded_rel_actions"),
            }
            assert (row["robot_obs"] == frames[number].robot_obs).all()
            assert (row["scene_obs"] == frames[number].scene_obs).all()
            assert (row["actions"] == actions[number]).all()
            assert (row["rel_actions"] == relative[number]).all()
            assert (row["commanded_actions"] == frames[number].command).all()
        assert (rows[-1]["actions"][:6] == frames[-1].robot_obs[:6]).all()


def test_statistics_are_those_of_the_frames(layout: Path) -> None:
    rows = [dict(np.load(file)) for file in sorted((layout / "training").glob("episode_*.npz"))]
    told = yaml.safe_load((layout / "training" / "statistics.yaml").read_text())
    for name in ("robot_obs", "scene_obs"):
        values = np.array([row[name] for row in rows])
        assert np.allclose(told[name][0]["mean"], values.mean(axis=0), atol=1e-5)
        assert np.allclose(told[name][0]["std"], values.std(axis=0), atol=1e-5)
    actions = np.array([row["actions"] for row in rows])
    assert np.allclose(told["act_min_bound"], actions.min(axis=0), atol=1e-5)
    assert np.allclose(told["act_max_bound"], actions.max(axis=0), atol=1e-5)


def test_the_configuration_resolves_to_the_scene(layout: Path) -> None:
    told = yaml.safe_load((layout / "validation" / ".hydra" / "merged_config.yaml").read_text())
    assert told["env"]["scene_cfg"] == "${scene}"
    assert told["scene"]["objects"]["fixed_objects"]["table"]["file"].endswith("calvin_table_D.urdf")
    assert list(told["scene"]["objects"]["movable_objects"]) == ["block_red", "block_blue", "block_pink"]


def test_annotations_are_embedded_or_left_out(layout: Path, folder: Path, tmp_path: Path) -> None:
    CalvinExporter().write(Dataset(folder), tmp_path / "plain")
    for split in ("training", "validation"):
        file = Path(split, "lang_annotations", "auto_lang_ann.npy")
        told = np.load(layout / file, allow_pickle=True).item()
        plain = np.load(tmp_path / "plain" / file, allow_pickle=True).item()
        assert plain["info"] == told["info"]
        assert "emb" not in plain["language"], "no stand-ins for embeddings"
        assert (told["language"]["emb"][:, 0] == lengths(told["language"]["ann"])).all()
    told = np.load(layout / "validation" / "lang_annotations" / "embeddings.npy", allow_pickle=True).item()
    assert sorted(told) == sorted(detected_tasks())
    for task, row in told.items():
        assert row["ann"] == [validation_sentence(task)]
        assert (row["emb"] == lengths(row["ann"])[None]).all()
    assert not (tmp_path / "plain" / "validation" / "lang_annotations" / "embeddings.npy").exists()
    assert not check_layout(tmp_path / "plain").problems


def test_annotated_windows_hold_their_task(layout: Path, episodes: list[Episode]) -> None:
    ids = np.load(layout / "training" / "ep_start_end_ids.npy")
    told = np.load(layout / "training" / "lang_annotations" / "auto_lang_ann.npy", allow_pickle=True).item()
    order = [episodes[1], episodes[0]]  # scene B comes before scene D
    for (first, end), task in zip(told["info"]["indx"], told["language"]["task"], strict=True):
        place = int(np.searchsorted(ids[:, 0], first, side="right")) - 1
        frames = episode_frames(order[place])
        start, last = (frames[at - ids[place, 0]].snapshot for at in (first, end - 1))
        assert tasks_done(start, last) == {task}


def frame(split: Path, number: int = 3) -> Path:
    return sorted(split.glob("episode_*.npz"))[number]


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        path = frame(split)
        values = dict(np.load(path))
        values[name] = change(values.get(name))
        np.savez_compressed(path, **values)

    return spoil


def replaced(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        path = split / name
        value = read_pickled(path)
        value = change(value)
        if isinstance(value, np.ndarray):
            np.save(path, value)
        else:
            path.write_bytes(pickled(value))

    return spoil


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        text = (split / name).read_text()
        assert old in text
        (split / name).write_text(text.replace(old, new))

    return spoil


def without_key(name: str) -> Callable[[Path], None]:
    def spoil(split: Path) -> None:
        values = dict(np.load(frame(split)))
        del values[name]
        np.savez_compressed(frame(split), **values)

    return spoil


def code(split: Path) -> None:
    """Annotations that would run a command."""

    class Call:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {split}/touched",)

    value = np.empty((), object)
    value[()] = {"language": Call()}
    np.save(split / "lang_annotations" / "auto_lang_ann.npy", value, allow_pickle=True)


def put(values: Any, at: Any, value: Any) -> Any:
    values = values.copy()
    values[at] = value
    return values


def language(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def of(value: Any) -> Any:
        change(value)
        return value

    return replaced("lang_annotations/auto_lang_ann.npy", of)


ANN = "lang_annotations/auto_lang_ann.npy"
SPOILED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "frame gone": (lambda split: frame(split).unlink(), "episode_", "is missing"),
    "frame too many": (
        lambda split: shutil.copy(frame(split), split / "episode_9999999.npz"),
        "9999999",
        "no episode",
    ),
    "frame cut off": (
        lambda split: frame(split).write_bytes(frame(split).read_bytes()[:300]),
        "episode_",
        "cannot be read",
    ),
    "frame empty": (lambda split: frame(split).write_bytes(b""), "episode_", "cannot be read"),
    "key gone": (without_key("scene_obs"), "episode_", "lacks scene_obs"),
    "shape": (changed("robot_obs", lambda v: v[:14]), "episode_", "robot_obs of the wrong shape"),
    "type": (changed("actions", lambda v: v.astype(int)), "episode_", "actions of the wrong"),
    "objects": (changed("actions", lambda v: np.array([{}], object)), "episode_", "cannot be read"),
    "not finite": (changed("scene_obs", lambda v: put(v, 3, np.nan)), "episode_", "scene_obs"),
    "gripper": (changed("actions", lambda v: put(v, 6, 0.5)), "episode_", "gripper"),
    "relative": (changed("rel_actions", lambda v: put(v, 0, v[0] + 0.1)), "episode_", "do not lead"),
    "pose": (changed("robot_obs", lambda v: put(v, 1, v[1] + 0.01)), "episode_", "another pose"),
    "a picture in one": (
        changed("rgb_static", lambda v: np.zeros((200, 200, 3), np.uint8)),
        "episode_",
        "pictures",
    ),
    "ids overlap": (replaced("ep_start_end_ids.npy", lambda v: put(v, (1, 0), v[0, 1])), "ep_start", "share"),
    "ids backwards": (replaced("ep_start_end_ids.npy", lambda v: v[:, ::-1]), "ep_start", "ends before"),
    "ids broken numbers": (replaced("ep_start_end_ids.npy", lambda v: v * 1.0), "ep_start", "integers"),
    "lengths": (replaced("ep_lens.npy", lambda v: v + 1), "ep_lens", "differs"),
    "lengths of another": (replaced("ep_lens.npy", lambda v: v[:1]), "ep_lens", "shape"),
    "scene gone": (lambda split: (split / "scene_info.npy").unlink(), "scene_info", "missing"),
    "scene short": (
        replaced("scene_info.npy", lambda v: {k: [a, b - 1] for k, (a, b) in v.items()}),
        "scene_info",
        "no scene",
    ),
    "scene unknown": (
        replaced("scene_info.npy", lambda v: {f"{k}2": w for k, w in v.items()}),
        "scene_info",
        "names",
    ),
    "scene list": (replaced("scene_info.npy", lambda v: [1, 2]), "scene_info", "structure"),
    "statistics": (
        edited("statistics.yaml", "act_min_bound: [-", "act_min_bound: ["),
        "statistics",
        "exceed",
    ),
    "statistics text": (edited("statistics.yaml", "act_min_bound", "act_min"), "statistics", "structure"),
    "no yaml": (edited("statistics.yaml", "robot_obs:", "robot_obs: ["), "statistics", "no YAML"),
    "target": (edited("statistics.yaml", "NormalizeVector", "Normalise"), "statistics", "target"),
    "config gone": (
        lambda split: (split / ".hydra" / "config.yaml").unlink(),
        "config.yaml",
        "cannot be read",
    ),
    "config": (edited(".hydra/merged_config.yaml", "PlayTableSimEnv", "Env"), "merged", "environment"),
    "code": (code, ANN, "is not read"),
    "sentence": (language(lambda v: v["language"]["ann"].append("x")), ANN, "sentences"),
    "task": (language(lambda v: v["language"]["task"].__setitem__(0, "dance")), ANN, "dance"),
    "span": (language(lambda v: v["info"]["indx"].__setitem__(0, (0, 65))), ANN, "span"),
    "span outside": (
        language(lambda v: v["info"]["indx"].__setitem__(0, (10**6, 10**6 + 64))),
        ANN,
        "no episode",
    ),
    "zeros": (language(lambda v: v["language"]["emb"].__imul__(0)), ANN, "zero"),
    "embedding shape": (
        language(lambda v: v["language"].update(emb=v["language"]["emb"][:, 0])),
        ANN,
        "shape",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_the_checker_sees(name: str, layout: Path, tmp_path: Path) -> None:
    spoil, file, message = SPOILED[name]
    shutil.copytree(layout / "training", tmp_path / "training")
    if file == ANN:
        told: Any = read_pickled(tmp_path / "training" / ANN)
        assert told["language"]["ann"], "there is an annotation to spoil"
    spoil(tmp_path / "training")
    found = [str(problem) for problem in check_layout(tmp_path).problems]
    assert any(file in each and message in each for each in found), found
    assert not (tmp_path / "training" / "touched").exists()


def test_what_is_a_layout(layout: Path, folder: Path, tmp_path: Path) -> None:
    assert is_calvin(layout)
    assert is_calvin(layout / "validation")
    assert not is_calvin(folder)
    with pytest.raises(UsageError):
        check_layout(tmp_path)
    shutil.copytree(layout / "validation", tmp_path / "validation")
    shutil.copytree(layout / "validation", tmp_path / "training")
    assert any("numbers" in message for _, message in check_layout(tmp_path).problems)


def test_an_export_is_not_mixed_with_another(layout: Path, tmp_path: Path, episodes: list[Episode]) -> None:
    with pytest.raises(StorageError, match="another dataset"):
        CalvinExporter().write(episodes[:1], layout)


# Pictures.


def test_pictures_in_the_layout(tmp_path: Path, episodes: list[Episode]) -> None:
    CalvinExporter(images=True).write(episodes[:1], tmp_path)
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
        checked(function, "mine")(["one", "two"])


@pytest.mark.parametrize("name", ["mine", "no.such.module:f", "json:nothing", "json:__doc__", ":", "../x:f"])
def test_no_embedder(name: str) -> None:
    with pytest.raises(ChorewrightError):
        find_embedder(name)


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, extra, ask in (
        ("pybullet", "calvin", lambda: CalvinRecipe().assign(CONFIG, 3)),
        ("pybullet", "calvin", lambda: evaluate(Evaluation("expert", chains=1))),
        ("sentence_transformers", "calvin-language", lambda: find_embedder("sentence-transformers")),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra) as caught:
            ask()
        assert f"chorewright[{extra}]" in str(caught.value.hint)


@pytest.mark.slow
def test_without_pybullet_stored_chains_are_shown_drawn_checked_and_exported(
    folder: Path, tmp_path: Path
) -> None:
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
    assert "chorewright[calvin]" in done.stderr


# The command line.


def test_verbs_of_the_layout(folder: Path, layout: Path, tmp_path: Path) -> None:
    """Export, verify and a damaged file, each with its exit code and words."""
    out = tmp_path / "out"
    done = chorewright("export", folder, "--format", "calvin", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "3 episodes" in done.stdout
    assert "left out: pictures" in done.stdout
    assert "embeddings" in done.stdout
    done = chorewright("verify", out, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], len(told["splits"])) == (0, True, 2)
    frame(out / "training").unlink()
    done = chorewright("verify", out)
    assert done.returncode == 1
    assert "is missing" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("generate", "alfred", "--instructions", "FOLDER/manifest.json", "-n", "1", "--out", "x"),
            2,
            "calvin",
        ),
        (("generate", "calvin", "--option", "replays=some", "-n", "1", "--out", "x"), 2, "replays"),
        (
            ("export", "FOLDER", "--format", "calvin", "--out", "x", "--embeddings", "mine"),
            2,
            "module:function",
        ),
        (("generate", "calvin", "--scene", "E", "-n", "1", "--out", "x"), 2, "scene"),
        (("generate", "calvin", "--option", "length=0", "-n", "1", "--out", "x"), 2, "chain"),
        (("evaluate", "calvin", "--policy", "nobody"), 2, "module:Class"),
        (("evaluate", "calvin", "--policy", "json:loads"), 2, "policy"),
    ],
    ids=str,
)
def test_words_that_are_refused(
    words: tuple[str, ...], code: int, said: str, folder: Path, tmp_path: Path
) -> None:
    done = chorewright(*(word.replace("FOLDER", str(folder)) for word in words), cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_verbs_from_generation_to_replay(tmp_path: Path) -> None:
    target = tmp_path / "made"
    words = ("generate", "calvin", "-n", "2", "--scene", "D", "--option", "length=2", "--out", target)
    assert chorewright(*words).returncode == 0
    before = digests(target)
    assert chorewright(*words).returncode == 0
    assert digests(target) == before
    assert chorewright("verify", target, "--remake", "1").returncode == 0
    assert chorewright("show", target, "0").returncode == 0
    assert "2" in chorewright("replay", target, "--json").stdout
    done = chorewright("replay", target, "--render", "rgb,depth", "--video", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert (target / "frames" / "shard-00000.parquet").exists()
    assert len(list((target / "videos").glob("*.gif"))) == 2
    done = chorewright("view", target, "0", "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
