"""TEACh's session files: read by a strict reader of the format, and inferred from by the files themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import state_changes_task, world_of
from chorewright.errors import InputError
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.teach.evaluation import InferenceScore, TeachEvaluation, without_inference
from chorewright.generator.teach.export.exporter import TeachExporter, TeachExportOptions, documents, game
from chorewright.generator.teach.export.format import state_document
from chorewright.generator.teach.export.session import TeachSession, game_id, session
from chorewright.generator.teach.metrics import scores
from chorewright.generator.teach.options import TeachTrial
from chorewright.generator.training.exporter import make_exporter
from chorewright.replay.teach.world import TeachWorld
from tests.generator.teach.episodes import TASKS, episode
from tests.generator.teach.export.layout import INDEX, load_edh, load_game, load_tfd


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teach")
    report = make_exporter("teach", {}).write([episode(*task) for task in TASKS], folder)
    assert (report.episodes, report.left_out) == (len(TASKS), 0)
    return folder


def test_the_reader_reads_the_sample_of_the_reference() -> None:
    folder = sample("teach/sample_data")
    games = folder / "games"
    loaded = load_game(next(games.rglob("*.game.json")))
    assert loaded.task == "Coffee"
    _, again = load_tfd(next((folder / "tfd_instances").rglob("*.json")), games)
    assert again == loaded
    edh = json.loads(next((folder / "edh_instances").rglob("*.json")).read_text())
    progress = check(state_changes_task(edh["state_changes"]["objects"]), world_of(loaded.initial))
    assert progress.total == edh["expected_init_goal_conditions_total"]
    assert progress.satisfied == edh["expected_init_goal_conditions_satisfied"]


def test_the_reader_reads_what_is_exported(exported: Path) -> None:
    games = [load_game(path) for path in sorted((exported / "games").rglob("*.json"))]
    assert sorted(each.task for each in games) == sorted(name for name, _, _ in TASKS)
    for each in games:
        task = shipped_definitions().task(each.task, each.params)
        assert not check(task, world_of(each.initial)).success
        assert check(task, world_of(each.final)).success
        checks = [one for one in each.interactions if one["action_id"] == 500]
        assert [one["success"] for one in checks] == [0] * (len(checks) - 1) + [1]
    tfd = sorted((exported / "tfd_instances").rglob("*.json"))
    edh = sorted((exported / "edh_instances").rglob("*.json"))
    assert {load_tfd(path, exported / "games")[1].game for path in tfd} == {each.game for each in games}
    assert {load_edh(path, exported / "games")[1].game for path in edh} == {each.game for each in games}


def test_edh_instances_are_stretches_between_utterances_in_which_objects_are_touched(exported: Path) -> None:
    for path in sorted((exported / "games").rglob("*.json")):
        loaded = load_game(path)
        stretches: list[tuple[int, list[int]]] = []
        for number, each in enumerate(loaded.interactions):
            if each["action_id"] == 100:
                stretches.append((number + 1, []))
            elif each["agent_id"] == 1 and stretches:
                stretches[-1][1].append(each["action_id"])
        wanted = [(start, [*ids, 0]) for start, ids in stretches if any(number >= 200 for number in ids)]
        paths = sorted((exported / "edh_instances").rglob(f"{loaded.game}.edh*.json"))
        assert {path.name for path in paths} == {f"{loaded.game}.edh{place}.json" for place in range(len(paths))}
        for path in paths:
            instance, _ = load_edh(path, exported / "games")
            ids = [each["action_id"] for each in instance["driver_actions_future"]]
            assert (instance["pred_start_idx"], ids) in wanted


def _inferred(one: TeachSession, actions: list[dict[str, Any]]) -> dict[str, Any]:
    """A game file whose end is that of some actions."""
    world = TeachWorld()
    world.reset(one.initial)
    for each in actions:
        if each["action_name"] != "Stop":
            assert world.act(each["action_name"], each["oid"] or "").success
    document: dict[str, Any] = json.loads(json.dumps(game(one)))
    document["tasks"][0]["episodes"][0]["final_state"] = state_document(world.scene(), 0.0, world.memory)
    return document


@pytest.mark.parametrize("perfect", [True, False])
def test_inferences_of_the_reference_s_actions_succeed_and_of_none_fail(
    exported: Path, tmp_path: Path, perfect: bool
) -> None:
    sessions = {game_id(episode(*task)): session(episode(*task), shipped_definitions()) for task in TASKS}
    for path in [*(exported / "edh_instances").rglob("*.json"), *(exported / "tfd_instances").rglob("*.json")]:
        instance = json.loads(path.read_text())
        future = instance["driver_actions_future"] if perfect else []
        done = [*instance.get("driver_action_history", []), *future]
        name = instance["instance_id"]
        document = _inferred(sessions[instance["game_id"]], done)
        (tmp_path / f"inference__{name}.json").write_text(json.dumps(document))
        predicted = [{"action": each["action_name"]} for each in future]
        (tmp_path / f"pred_actions__{name}.json").write_text(json.dumps(predicted))
    trial = TeachTrial(inference=str(tmp_path), instances=str(exported), workers=0)
    found = [each for each in play(TeachEvaluation(), trial) if isinstance(each, InferenceScore)]
    assert without_inference(trial, frozenset(("edh", "tfd"))) == ()
    for kind in ("edh", "tfd"):
        group = [one for one in found if one.kind == kind]
        assert len(group) >= len(TASKS)
        for one in group:
            assert one.measured.success is perfect, one
            assert one.measured.needed > 0
            assert one.measured.weight == 1.0
            assert one.measured.stopped is perfect
        total = scores([one.measured for one in group])
        assert total.completed == (total.needed if perfect else 0)
        assert total.goal_conditions_micro == float(perfect)


def test_pictures_can_be_asked_for_later(tmp_path: Path) -> None:
    """A second export to the same folder adds them, a third finds all there."""
    one = episode(*TASKS[0])
    exporter = make_exporter("teach", {})
    assert exporter.write([one], tmp_path).files_changed > 1
    assert not (tmp_path / "images").exists()
    drawing = TeachExporter(TeachExportOptions(images=True))
    first = drawing.write([one], tmp_path)
    assert first.files_changed == len(list((tmp_path / "images" / "valid_seen" / game_id(one)).iterdir())) > 40
    assert drawing.write([one], tmp_path).files_changed == 0


def test_the_same_episodes_give_the_same_bytes_and_ids_of_the_format() -> None:
    one = episode(*TASKS[0])
    assert json.dumps(documents(one)) == json.dumps(documents(one))
    left, right = game_id(one).split("_")
    assert (len(left), len(right)) == (16, 4)
    assert game_id(one) != game_id(replace(one, seed=4))


def test_numbers_of_the_actions() -> None:
    assert (INDEX[200], INDEX[211], INDEX[100], INDEX[300]) == (15, 26, 33, 14)  # as the format says


def _with_step(one: Episode, **told: object) -> Episode:
    arguments = {**json.loads(one.steps[0].arguments), **told}
    kept = {key: value for key, value in arguments.items() if value != "gone"}
    return replace(one, steps=(replace(one.steps[0], arguments=json.dumps(kept)), *one.steps[1:]))


BROKEN = {
    "task": lambda one: replace(one, task="Make Tea"),
    "parameters": lambda one: replace(one, parameters=(("0", "x"),)),
    "scene": lambda one: replace(one, scene=None),
    "steps[0].arguments.time": lambda one: _with_step(one, time="gone"),
    "steps[0].arguments.pose": lambda one: _with_step(one, pose=[1, 2]),
    "steps[0].arguments": lambda one: replace(one, steps=(replace(one.steps[0], arguments="{"), *one.steps[1:])),
    "steps[0]": lambda one: replace(one, steps=(replace(one.steps[0], action="Fly"), *one.steps[1:])),
    "extras.dialogue": lambda one: replace(one, extras=(("dialogue", "["),)),
    "extras.dialogue[0].before": lambda one: replace(one, extras=(("dialogue", '[{"before": 9999}]'),)),
    "extras.dialogue[0].agent": lambda one: replace(one, extras=(("dialogue", '[{"before": 0}]'),)),
    "extras.dialogue[0].time": lambda one: replace(
        one, extras=(("dialogue", '[{"before": 0, "agent": 1, "action": "Text"}]'),)
    ),
    "extras.dialogue[0]": lambda one: replace(
        one, extras=(("dialogue", '[{"before": 0, "agent": 0, "time": 1, "action": "Shout"}]'),)
    ),
}


@pytest.mark.parametrize("where", BROKEN)
def test_episodes_that_lack_something_are_refused_with_the_place(where: str) -> None:
    with pytest.raises(InputError) as caught:
        documents(BROKEN[where](episode(*TASKS[0])))
    location = caught.value.location
    assert location is not None
    assert location.json_path is not None
    assert location.json_path.startswith(where.partition("[")[0] if where != "parameters" else "task")
