"""Inferences on disk: the reference's sample, the verb that measures them, and every mistake in files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora.reference import SAMPLE
from chorewright.errors import ChorewrightError
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.teach.evaluation import InferenceScore, TeachEvaluation, without_inference
from chorewright.generator.teach.metrics import kind_of_instance, read_game
from chorewright.generator.teach.options import TeachTrial
from tests.command import chorewright

TFD, EDH = "synth0001.tfd", "synth0001.edh0"


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE / "teach" / "sample_data", folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return folder


def inferences(folder: Path) -> list[InferenceScore]:
    scores = play(TeachEvaluation(), TeachTrial(dataset=str(folder), workers=0))
    return [each for each in scores if isinstance(each, InferenceScore)]


def _edit(path: Path, change: Callable[[Any], None]) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def _episode(value: Any) -> Any:
    return value["tasks"][0]["episodes"][0]


def test_the_sample_succeeds(sample: Path) -> None:
    found = inferences(sample)
    assert {one.instance for one in found} == {TFD, EDH}
    for one in found:
        assert (one.task, one.measured.success, one.measured.goal_conditions) == ("Coffee", True, 1.0)
        assert (one.measured.reference_length, one.measured.length) == (5, 5)
    assert {one.kind: one.measured.initial.total for one in found} == {"edh": 8, "tfd": 3}


def test_an_inference_that_lost_its_coffee_fails(sample: Path) -> None:
    def spill(value: Any) -> None:
        custom = _episode(value)["final_state"]["custom_object_metadata"]
        custom["Mug|+01.00|+00.90|+00.00"]["simbotIsFilledWithCoffee"] = False

    for name in (TFD, EDH):
        _edit(sample / f"inference__{name}.json", spill)
    for one in inferences(sample):
        assert not one.measured.success
        assert one.measured.goal_conditions == {"edh": 0.75, "tfd": 0.0}[one.kind]


def test_an_inference_without_an_end_counts_as_broken(sample: Path) -> None:
    _edit(sample / f"inference__{TFD}.json", lambda value: _episode(value).pop("final_state"))
    measured = next(one for one in inferences(sample) if one.kind == "tfd").measured
    assert (measured.success, measured.error, measured.completed) == (False, True, 0)


def test_stops_and_failures_are_read_from_the_actions(sample: Path) -> None:
    actions = [{"action": "Forward", "success": 0}, {"action": "Stop", "success": 1}]
    (sample / f"pred_actions__{TFD}.json").write_text(json.dumps(actions))
    measured = next(one for one in inferences(sample) if one.kind == "tfd").measured
    assert (measured.stopped, measured.failures, measured.length) == (True, 1, 2)


def test_instances_without_inference_are_told(sample: Path) -> None:
    (sample / f"inference__{EDH}.json").rename(sample / "inference__synth0001.tfd.json.bak")
    trial, kinds = TeachTrial(dataset=str(sample)), frozenset(each.kind for each in inferences(sample))
    assert kinds == {"tfd"}  # no EDH was inferred at all
    assert without_inference(trial, kinds) == ()
    shutil.copy(next((sample / "tfd_instances").rglob("*.json")), sample / "tfd_instances" / "synth0002.tfd.json")
    assert without_inference(trial, kinds) == ("synth0002.tfd",)


MISTAKES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no inference": (lambda at: [each.unlink() for each in at.glob("inference__*")] and None, "inferences"),
    "no actions": (lambda at: (at / f"pred_actions__{TFD}.json").unlink(), "pred_actions__"),
    "no instance": (lambda at: next((at / "tfd_instances").rglob("*.json")).unlink(), TFD),
    "not JSON": (lambda at: _write(at / f"inference__{TFD}.json", "{"), "not JSON"),
    "nested": (lambda at: _write(at / f"inference__{TFD}.json", "[" * 100_000), "nested"),
    "not UTF-8": (lambda at: (at / f"inference__{TFD}.json").write_bytes(b"\xff"), "UTF-8"),
    "no game": (lambda at: _write(at / f"inference__{TFD}.json", "[]"), "tasks"),
    "no episodes": (
        lambda at: _edit(at / f"inference__{TFD}.json", lambda v: v["tasks"][0].update(episodes=[])),
        "exactly one",
    ),
    "bad state": (
        lambda at: _edit(at / f"inference__{TFD}.json", lambda v: _episode(v).update(final_state=[1])),
        "$.tasks[0].episodes[0].final_state",
    ),
    "bad action": (lambda at: _write(at / f"pred_actions__{TFD}.json", "[1]"), "$[0]"),
    "no changes": (
        lambda at: _edit(
            next((at / "edh_instances").rglob("*.json")), lambda v: v.update(state_changes={"objects": 1})
        ),
        "$.state_changes.objects",
    ),
    "no totals": (
        lambda at: _edit(
            next((at / "edh_instances").rglob("*.json")), lambda v: v.pop("expected_init_goal_conditions_total")
        ),
        "expected_init_goal_conditions_total",
    ),
    "unknown task": (
        lambda at: _edit(next((at / "games").rglob("*.json")), lambda v: v["tasks"][0].update(task_name="Make Tea")),
        "Make Tea",
    ),
}


def _write(path: Path, text: str) -> None:
    path.write_text(text)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(sample: Path, mistake: str) -> None:
    spoil, said = MISTAKES[mistake]
    spoil(sample)
    with pytest.raises(ChorewrightError) as caught:
        inferences(sample)
    assert said in f"{caught.value.location or ''} {caught.value.message}"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.edh0", "edh"), ("a.edh12", "edh"), ("a.tfd", "tfd"), ("a.edh", None), ("a.game", None), ("a", None)],
)
def test_kinds_of_instances(name: str, kind: str | None) -> None:
    assert kind_of_instance(name) == kind


def test_a_game_is_read_with_its_task_and_actions(sample: Path) -> None:
    game = read_game(next((sample / "games").rglob("*.game.json")))
    assert (game.task, game.params, game.world) == ("Coffee", (), "FloorPlan1")
    assert [each.action for each in game.interactions()] == [500, 100, 100, 2, 200, 201, 204, 100, 500]


def test_the_verb_prints_tables_and_json(sample: Path) -> None:
    told = chorewright("evaluate", "teach", str(sample))
    assert told.returncode == 0
    assert "EDH" in told.stdout
    assert "overall" in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80
    value = json.loads(chorewright("evaluate", "teach", str(sample), "--json").stdout)
    for kind in ("edh", "tfd"):
        assert value[kind]["success"] == {"num_successes": 1, "num_evals": 1, "success_rate": 1.0}
        assert set(value[kind]["tasks"]) == {"Coffee"}
    state = next((sample / "games").rglob("*.game.json"))
    assert chorewright("check-state", "teach/coffee", "--state", str(state)).returncode == 0


@pytest.mark.parametrize("words", [["teach", "nowhere"], ["chess", "x"]])
def test_the_verb_refuses(words: list[str]) -> None:
    told = chorewright("evaluate", *words)
    assert told.returncode == 2
    assert "Traceback" not in told.stderr
