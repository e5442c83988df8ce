"""LoTa-Bench's evaluator runs to its end with a scripted language model, whose successes are the script's."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from benchmarks.originals.connectors import Played, play
from benchmarks.originals.lota_bench import DONE, FOUND, MOST_STEPS, Planner, ScriptedModel, Task, evaluate, skill_set
from chorewright.generator.alfred.export.embodiedbench_skills import can_be_found, choices, dialect
from chorewright.generator.alfred.export.exporter import trajectory
from tests.generator.alfred.test_thor_env import GATE, episode

EXAMPLES = "Human: Put a pen on the desk.\nRobot: 1. find a pen, 2. pick up the pen, 3. done.\n"


@lru_cache(maxsize=8)
def known(index: int) -> tuple[Task, Played]:
    """A task, and how our expert does it."""
    traj = trajectory(episode(index))
    return Task(traj), play(traj, None, apart=False)


def check(indices: tuple[int, ...], folder: Path, *, cut: int = MOST_STEPS, blind: bool = True) -> None:
    """Evaluate the expert's skills as a model's, cut short after some; compare with the same said to the simulator."""
    tasks = [known(index)[0] for index in indices]
    scripts = {known(index)[0].instruction: known(index)[1].skills[:cut] for index in indices}
    assert len(scripts) == len(tasks), "instructions differ"
    assert {skill for script in scripts.values() for skill in script} <= set(skill_set(dialect("lota-bench")))
    results = evaluate(tasks, Planner(ScriptedModel(scripts), EXAMPLES), folder, blind=blind)
    chosen = [task for task in tasks if task.traj["task_type"] != "pick_two_obj_and_place"]
    assert [result["trial"] for result in results] == [task.traj["task_id"] for task in chosen]
    for task, result in zip(chosen, results, strict=True):
        said = tuple(scripts[task.instruction])
        assert result["inferred_steps"] == [*said, DONE][:MOST_STEPS]
        same = play(task.traj, said[:MOST_STEPS], apart=False)
        assert (result["success"], sum(map(bool, result["failures"]))) == (same.won, same.failures)
        assert json.loads((folder / f"{result['trial']}_0.json").read_text("utf-8")) == result
        assert result["pictures"] == (0 if blind else 1 + len(result["failures"]))
        assert result["targets"]["object_target"] == task.traj["pddl_params"]["object_target"]
    if cut == MOST_STEPS:
        assert any(result["success"] for result in results)
    else:
        assert not any(result["success"] for result in results)


def test_the_exporter_knows_every_skill_that_a_model_may_choose() -> None:
    spoken = dialect("lota-bench")
    assert choices(spoken) | {DONE} == set(skill_set(spoken))


def test_the_expert_goes_beside_what_a_skill_leads_to() -> None:
    assert all(map(can_be_found, FOUND))
    assert not any(map(can_be_found, ("Floor", "PaperTowelRoll", "Window")))


@pytest.mark.parametrize("cut", [MOST_STEPS, 2], ids=["all", "two skills"])
def test_successes_are_the_scripts(cut: int, tmp_path: Path) -> None:
    check(GATE, tmp_path, cut=cut)


def test_a_picture_is_taken_after_each_skill(tmp_path: Path) -> None:
    check(GATE[:1], tmp_path, blind=False)


@pytest.mark.slow
def test_successes_are_the_scripts_over_more_tasks(tmp_path: Path) -> None:
    offered = set(skill_set(dialect("lota-bench")))
    made = [
        index for index in range(0, 200, 10) if episode(index).outcome.accepted and offered >= {*known(index)[1].skills}
    ]
    assert len(made) >= 15
    check(tuple({known(index)[0].instruction: index for index in made}.values()), tmp_path)
