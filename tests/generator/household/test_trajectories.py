"""The rooms' trajectories: poses that follow from the actions, sentences that follow the subgoals."""

from __future__ import annotations

import numpy as np
import pytest

from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.moments import STOP
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.training.huggingface import frame_rows
from chorewright.generator.training.trajectory import trajectories_of, wordings


@pytest.fixture(scope="module", params=["alfred", "teach"])
def episode(request: pytest.FixtureRequest) -> Episode:
    benchmark = BENCHMARKS.find(request.param)
    config = GenerateConfig(request.param, 3)
    return benchmark.episode(1, config, benchmark.assign(config, 3)[1])


def test_poses_follow_from_the_actions(episode: Episode) -> None:
    reader = trajectories_of(episode.benchmark)
    columns = reader.columns(episode)
    state, names = np.asarray(columns["observation.state"]), list(columns["action.name"])
    assert names == [*(step.action for step in episode.steps), STOP]
    assert len(reader.sentences(episode).tasks) == len(state) == len(names)
    for before, after, name in zip(state, state[1:], names, strict=False):
        if name.startswith(("Move", "Forward")):
            turn = np.deg2rad(before[3])
            assert after[:3] - before[:3] == pytest.approx([0.25 * np.sin(turn), 0, 0.25 * np.cos(turn)], abs=1e-5)
        if "Left" in name and not name.startswith("Pan"):
            assert (before[3] - after[3]) % 360 == 90
    numbers = {name: int(number) for name, number in zip(names, np.asarray(columns["action"])[:, 0], strict=True)}
    assert len(set(numbers.values())) == len(numbers)
    objects = dict(zip(names, columns["action.object"], strict=True))
    assert "|" in objects[next(name for name in names if name.startswith("Pickup"))]
    assert objects[STOP] == ""


def test_sentences_follow_the_subgoals(episode: Episode) -> None:
    said = trajectories_of(episode.benchmark).sentences(episode)
    own = [each for each in episode.instructions if each.annotation == 0]
    assert set(said.tasks) == {next(each.text for each in own if each.level == "goal")}
    orders = {each.text for each in own if each.level == "step"}
    assert set(said.subtasks) <= orders | set(said.tasks)
    at = {step.segment for step in episode.steps}
    by_segment = {each.segment: each.text for each in own if each.level == "step" and each.segment in at}
    for step, text in zip(episode.steps, said.subtasks, strict=False):
        assert by_segment.get(step.segment, text) == text


def test_other_annotators_say_the_same_in_other_words(episode: Episode) -> None:
    said = trajectories_of(episode.benchmark).sentences(episode)
    told = wordings(episode, said.tasks[0])
    assert told[0] == said.tasks[0]
    goals = {each.text for each in episode.instructions if each.level == "goal"}
    assert set(told) == (goals if episode.benchmark == "alfred" else {said.tasks[0]})
    rows = frame_rows([episode], None, trajectories_of(episode.benchmark), worded=True)
    assert rows["task_wordings"][0].as_py() == told
    assert all(text in each.as_py() for text, each in zip(said.subtasks, rows["subtask_wordings"], strict=True))


def test_a_picture_of_each_frame(episode: Episode) -> None:
    reader = trajectories_of(episode.benchmark)
    seen = [frames[0].rgb for frames in reader.pictures(episode, 40)]
    assert len(seen) == len(episode.steps) + 1
    assert {each.shape for each in seen} == {(40, 40, 3)}
