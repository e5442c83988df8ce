"""The ALFRED export against the format's description and against recorded plans of real demonstrations."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.corpora.reference import Corpus, sample
from chorewright.errors import DatasetCorrupt, InputError, StorageError, UnsupportedError, UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.alfred.demonstration import slots
from chorewright.generator.alfred.export.exporter import trajectory, trajectory_path, trial
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode, Instruction, Outcome, Segment, Step
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.line import run
from chorewright.generator.training.export_marker import MARKER
from chorewright.generator.training.exporter import EXPORTERS, make_exporter
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.scene import Pose, Scene, SceneObject
from tests.generator.alfred.export.layout import check_path, check_trajectory
from tests.generator.toy import toy_config
from tests.reference import each_corpus

OURS = {"Glassbottle": "Bottle"}
MACROS = ("CleanObject", "HeatObject", "CoolObject")


def _object(ident: str, kind: str, position: tuple[float, float, float]) -> SceneObject:
    return SceneObject(
        ident,
        kind,
        position,
        (0.0, 0.0, 0.0),
        position,
        (0.1, 0.1, 0.1),
        asset=f"{kind}_1",
        traits=shipped_kinds()[kind],
    )


def _grid(at: list) -> list:
    x, y, z = (value * 4 for value in at[1:])
    return [at[0], [x, x, z, z, y, y]]


def demonstration_episode(row: Mapping, index: int) -> Episode:
    """A recorded demonstration as an episode: the same ids, our names of kinds, coordinates in the scene."""
    ours = {}
    objects = {}
    for name, x, y, z, *_ in row["object_poses"]:
        kind = OURS.get(name.rpartition("_")[0], name.rpartition("_")[0])
        ident = f"{kind}|{x:+06.2f}|{y:+06.2f}|{z:+06.2f}|pose{len(objects)}"
        objects[ident] = _object(ident, kind, (x, y, z))
    kinds = {}
    for high in row["high"]:
        for key, at in (("o", "oc"), ("r", "rc")):
            if key in high and at in high:
                kinds[high[key]] = high[at]
        if high["a"] in MACROS:
            kinds[high["o"]] = high["rc"]
    for ident, (kind, *position) in kinds.items():
        if "Sliced_" not in ident:
            kind = OURS.get(kind, kind)
            first, _, rest = ident.partition("|")
            ours[ident] = OURS.get(first, first) + "|" + rest
            objects[ours[ident]] = _object(ours[ident], kind, tuple(position))
    steps = []
    for name, segment, *ids in row["low"]:
        arguments = dict(zip(("objectId", "receptacleObjectId"), (ours.get(i, i) for i in ids), strict=False))
        steps.append(Step(name, segment, json.dumps(arguments)))
    segments = []
    for number, high in enumerate(row["high"]):
        details = {"action": high["a"], "forceVisible": True}  # what our planner's record says of every subgoal
        if high["a"] == "GotoLocation":
            details["location"] = "loc|" + "|".join(map(str, high["loc"]))
        elif high["a"] != "NoOp":
            details["objectId"] = ours.get(high["o"], high["o"])
            if high["a"] in MACROS:
                held = next(low[2] for low in row["low"] if low[1] == number and low[0] == "PutObject")
                details["cleanObjectId"] = ours.get(held, held)
                details["coordinateObjectId"] = [OURS.get(held.split("|")[0], held.split("|")[0]), [0.0] * 6]
            if "r" in high:
                details["receptacleObjectId"] = ours.get(high["r"], high["r"])
            for key, at in (("coordinateObjectId", "oc"), ("coordinateReceptacleObjectId", "rc")):
                if at in high:
                    kind, box = _grid(high[at])
                    details[key] = [OURS.get(kind, kind), box]
            if high["a"] == "PickupObject" and "rc" not in high:
                details["coordinateReceptacleObjectId"] = ["Floor", [0.0] * 6]
        segments.append(Segment(high["a"], (), json.dumps(details)))
    params = row["pddl_params"]
    filled = {
        "object": params["object_target"] + ("Sliced" if params["object_sliced"] else ""),
        "movable": params["mrecep_target"],
        "receptacle": params["parent_target"],
        "lamp": params["toggle_target"],
    }
    instructions = []
    count = sum(segment.action != "NoOp" for segment in segments)
    for number in range(3):
        instructions.append(Instruction(f"Goal {number}.", "goal", number))
        instructions += [Instruction(f"Do {number} {k}.", "step", number, k) for k in range(count)]
    x, y, z, rotation, horizon = row["init"]
    scene = Scene(
        f"FloorPlan{row['scene_num']}",
        "kitchen",
        tuple(objects.values()),
        ((0, 0),),
        y,
        Pose(round(x * 4), round(z * 4), round(rotation / 90), horizon),
        dirty_and_empty=row["dirty_and_empty"],
        kinds=shipped_kinds(),
    )
    return Episode(
        benchmark="alfred",
        index=index,
        seed=row["random_seed"],
        task="alfred/" + row["task_type"] + ("_sliced" if params["object_sliced"] else ""),
        parameters=tuple((name, OURS.get(kind, kind)) for name, kind in filled.items() if kind),
        split=row["split"],
        scene=scene,
        domain_sha256="",
        problem_sha256="",
        goal="",
        plan=(),
        plan_cost=0.0,
        planner="",
        planner_configuration="",
        segments=tuple(segments),
        steps=tuple(steps),
        instructions=tuple(instructions),
        outcome=Outcome(True),
    )


def rows(corpus: Corpus = sample, step: int = 1) -> Iterator[dict]:
    with gzip.open(corpus("alfred/demos-train.jsonl.gz"), "rt") as lines:
        yield from map(json.loads, islice(lines, 0, None, step))


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return [demonstration_episode(row, index) for index, row in enumerate(rows(step=5))]


def _same(ours: list, theirs: list) -> bool:
    return ours[0] == theirs[0] and all(
        math.isclose(a, b, abs_tol=5e-3) for a, b in zip(ours[1], theirs[1], strict=True)
    )


def test_layout(episodes: list[Episode]) -> None:
    for episode in episodes:
        data = trajectory(episode)
        check_trajectory(json.loads(json.dumps(data)))
        check_path((*trajectory_path(episode), "traj_data.json"), data)


@each_corpus
def test_recorded_plans_come_out_as_recorded(corpus: Corpus) -> None:
    wrong: Counter[str] = Counter()
    total = 0
    for index, row in enumerate(rows(corpus)):
        data = trajectory(demonstration_episode(row, index))
        total += 1
        assert "/".join(trajectory_path(demonstration_episode(row, index))[:2]) == "/".join(row["path"].split("/")[:2])
        assert data["pddl_params"] == row["pddl_params"]
        high = data["plan"]["high_pddl"]
        recorded = [action for action in row["high"] if action["a"] != "NoOp"]
        assert len(high) == len(recorded) + 1
        for ours, theirs in zip(high, recorded, strict=False):
            planned = ours["planner_action"]
            assert ours["discrete_action"]["action"] == theirs["a"]
            if ours["discrete_action"]["args"] != theirs["args"]:
                wrong[f"args {theirs['a']}"] += 1
            assert planned.get("objectId") == theirs.get("o")
            assert planned.get("receptacleObjectId") == theirs.get("r")
            assert planned.get("cleanObjectId") == theirs.get("clean")
            for key, at in (("coordinateObjectId", "oc"), ("coordinateReceptacleObjectId", "rc")):
                assert (key in planned) == (at in theirs)
                if at in theirs and not _same(planned[key], _grid(theirs[at])):
                    wrong[f"{key} {theirs['a']}"] += 1
        for ours, theirs in zip(data["plan"]["low_actions"], row["low"], strict=True):
            assert ours["discrete_action"]["action"] == theirs[0]
            assert ours["high_idx"] == theirs[1]
            ids = [ours["api_action"].get(key) for key in ("objectId", "receptacleObjectId")]
            assert [ident for ident in ids if ident] == theirs[2:]
        wrong["images"] += len(data["images"]) != row["n_images"]
    # the recorder saves fewer frames where an action ends early
    assert wrong.pop("images") < 0.06 * total
    assert sum(wrong.values()) <= 0.02 * total, wrong


def test_trial_ids_are_made_of_the_provenance(episodes: list[Episode]) -> None:
    ids = {trial(episode) for episode in episodes}
    assert len(ids) == len(episodes)
    assert trial(episodes[0]) == trial(replace(episodes[0], instructions=()))
    assert trial(episodes[0]) != trial(replace(episodes[0], index=episodes[0].index + 1_000_000))


def test_tree(episodes: list[Episode], tmp_path: Path) -> None:
    target = tmp_path / "export"
    some = [*episodes[:20], replace(episodes[20], outcome=Outcome(False, "no plan"))]
    done = make_exporter("alfred", {}).write(iter(some), target)
    assert (done.episodes, done.left_out, done.files_changed) == (20, 1, 21)
    files = sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())
    assert len(files) == 22  # trajectories, splits and the marker
    splits = json.loads((target / "splits.json").read_text())
    assert {"train", "valid_seen", "valid_unseen", "tests_seen", "tests_unseen"} == set(splits), "empty ones, too"
    listed = [(split, row["task"], row["repeat_idx"]) for split, rows_ in splits.items() for row in rows_]
    assert len(listed) == len(set(listed)) == 60
    for split, task, repeat in listed:
        data = json.loads((target / split / task / "traj_data.json").read_text())
        assert repeat < len(data["turk_annotations"]["anns"])
        check_trajectory(data)
        check_path((split, *task.split("/"), "traj_data.json"), data)
    again = make_exporter("alfred", {}).write(iter(some), target)
    assert again.files_changed == 0
    broken = target / files[3]
    broken.write_text("half")
    assert make_exporter("alfred", {}).write(iter(some), target).files_changed == 1
    assert not list(target.rglob("*.tmp"))


def test_tests_lie_without_task_folder(episodes: list[Episode]) -> None:
    episode = replace(episodes[0], split="tests_seen")
    assert trajectory_path(episode) == ("tests_seen", trial(episode))


@pytest.mark.parametrize("name", ["../x", "/etc", "a\0b", "x" * 300, "", ".", "..", "a/b", "train\n", ".hidden", "ü"])
def test_names_cannot_leave_the_target(name: str, episodes: list[Episode], tmp_path: Path) -> None:
    before = set(tmp_path.parent.rglob("*"))
    with pytest.raises(StorageError):
        make_exporter("alfred", {}).write([replace(episodes[0], split=name)], tmp_path / "out")
    made = {path for path in set(tmp_path.parent.rglob("*")) - before if path.is_file()}
    assert made == {tmp_path / "out" / MARKER}


def test_links_cannot_leave_the_target(episodes: list[Episode], tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    make_exporter("alfred", {}).write([], out)
    (out / "train").symlink_to(outside)
    with pytest.raises(StorageError, match="outside"):
        make_exporter("alfred", {}).write(episodes[:1], out)
    assert not [path for path in outside.rglob("*") if path.is_file()]


def test_other_folders_are_refused(episodes: list[Episode], tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("...")
    with pytest.raises(StorageError, match="not empty"):
        make_exporter("alfred", {}).write(episodes[:1], tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / MARKER).write_text('{"format": "teach"}')
    with pytest.raises(StorageError, match="teach"):
        make_exporter("alfred", {}).write(episodes[:1], other)
    (other / MARKER).write_text("{")
    with pytest.raises(StorageError):
        make_exporter("alfred", {}).write(episodes[:1], other)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StorageError):
        make_exporter("alfred", {}).write(episodes[:1], file)


def test_an_export_holds_one_dataset(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        run(toy_config(episodes=3, seed=seed, reject=1), tmp_path / name, workers=0)
    exporter, out = make_exporter("alfred", {}), tmp_path / "out"
    one, two = Dataset(tmp_path / "one"), Dataset(tmp_path / "two")
    exporter.write(one, out)
    marker = json.loads((out / MARKER).read_text())
    assert {"format": "alfred", "dataset": one.checksum}.items() <= marker.items()
    assert marker["episodes"] == ""
    exporter.write(one, out)
    with pytest.raises(StorageError, match="another dataset") as caught:
        exporter.write(two, out)
    assert "new folder" in (caught.value.hint or "")
    with pytest.raises(StorageError, match="another dataset"):
        exporter.write([], out)


def test_a_damaged_dataset_leaves_no_export(tmp_path: Path) -> None:
    run(toy_config(episodes=9, shard_size=3), tmp_path / "data", workers=0)
    shard = sorted((tmp_path / "data" / "data").iterdir())[-1]
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    with pytest.raises(DatasetCorrupt):
        make_exporter("alfred", {}).write(Dataset(tmp_path / "data"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


SLOTS = [
    ((("dish", "Plate"),), {"object": "Plate"}),
    ((("dish", "Plate"), ("spot", "Desk")), {"object": "Plate", "receptacle": "Desk"}),
    ((("object", "Apple"), ("dish", "Bowl")), {"object": "Apple", "movable": "Bowl"}),
    ((("dish", "Bowl"), ("item", "Apple")), {"object": "Apple", "movable": "Bowl"}),
    ((("a", "Mug"), ("b", "Mug")), {"object": "Mug", "movable": "Mug"}),
    ((("lit", "DeskLamp"), ("what", "Book")), {"object": "Book", "lamp": "DeskLamp"}),
    ((("place", "Shelf"),), {"receptacle": "Shelf"}),
    ((("place", "Shelf"), ("other", "Desk")), {"receptacle": "Shelf"}),
    ((("view", "Window"),), {}),
]


@pytest.mark.parametrize(("parameters", "expected"), SLOTS)
def test_slots_of_any_name(
    parameters: tuple[tuple[str, str], ...], expected: dict[str, str], episodes: list[Episode]
) -> None:
    assert slots(parameters, shipped_kinds()) == expected
    episode = replace(episodes[0], task="my-task", parameters=parameters, split="train")
    folder = trajectory_path(episode)[1].split("-")
    assert folder[0] == "my_task"
    assert folder[1] == expected.get("object", "None")
    assert "" not in folder


def test_what_alfred_cannot_say(episodes: list[Episode]) -> None:
    episode = episodes[0]
    first = episode.segments[1]
    for broken, error in (
        (replace(episode, segments=(replace(first, action="JuggleObject"),)), UnsupportedError),
        (replace(episode, segments=(replace(first, details="{"), *episode.segments[1:])), InputError),
        (replace(episode, segments=(replace(first, details="[]"), *episode.segments[1:])), InputError),
        (replace(episode, steps=(Step("FlyAround", 0),)), UnsupportedError),
        (replace(episode, steps=(Step("PickupObject", 0, "{}"),)), InputError),
        (replace(episode, instructions=episode.instructions[:-1]), InputError),
        (replace(episode, instructions=()), InputError),
    ):
        with pytest.raises(error) as caught:
            trajectory(broken)
        assert f"episode {episode.index}" in str(caught.value.location)


SENTENCE = r"[A-Z][A-Za-z ,;'-]*[A-Za-z]\."


@pytest.mark.slow
def test_generated_episodes() -> None:
    """What the benchmark generates passes the checker, and its directives are well-formed sentences."""
    benchmark, config = BENCHMARKS.find("alfred"), GenerateConfig("alfred", 60, seed=11)
    accepted = 0
    for index, assignment in enumerate(benchmark.assign(config, config.episodes)):
        episode = benchmark.episode(index, config, assignment)
        if not episode.outcome.accepted:
            continue
        accepted += 1
        data = json.loads(json.dumps(trajectory(episode)))
        check_trajectory(data)
        check_path((*trajectory_path(episode), "traj_data.json"), data)
        texts = [line.text for line in episode.instructions]
        assert all(re.fullmatch(rf"{SENTENCE}( {SENTENCE})*", text) for text in texts), texts
    assert accepted >= 57


def test_unknown_format() -> None:
    with pytest.raises(UsageError, match="tfrecord"):
        EXPORTERS.find("tfrecord", Origin.FILE)
