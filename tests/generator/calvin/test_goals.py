"""Datasets of a user's goals on the table: what an index is to reach, from where, and its chains."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import load_shipped_library
from chorewright.domains.pddl.parser import parse_formula
from chorewright.errors import ChorewrightError, UsageError
from chorewright.generator.calvin.goals import goal_tasks, goal_text, target, target_chains
from chorewright.generator.calvin.pickles import read_pickled
from chorewright.generator.calvin.records import episode_frames
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.production.line import run
from chorewright.problems.calvin import published
from chorewright.problems.calvin.scenes import initial_states, scene
from chorewright.problems.calvin.tasks import CORRECT, atoms_of, state_of_atoms, task_model
from chorewright.replay.calvin.motion import RecordedFrames
from chorewright.replay.calvin.snapshot import tasks_done

ONE_AWAY = """
(define (task one-away)
  (:domain tabletop)
  (:documentation "One block away.")
  (:slots ?b - block ?c - compartment)
  (:goal (and (in ?b ?c) (lit led)))
  (:say "Put the {b} away." "Away with the {b}."))
"""


def config(*names: str, **files: str) -> GenerateConfig:
    texts = tuple((f"{name}.task", text) for name, text in files.items())
    return GenerateConfig("calvin", 1, options=(("tasks", names),) if names else (), task_files=texts)


BOTH = config("stack_block", one=ONE_AWAY)


def test_goals_fillings_and_states_take_turns() -> None:
    order = list(range(191, -1, -1))
    found = [target(BOTH, index, order) for index in range(384)]
    assert found[:50] == [target(BOTH, index, order) for index in range(50)]
    assert Counter(each.task for each in found) == {"calvin/stack_block": 192, "one-away": 192}
    fillings = Counter(each.binding for each in found if each.task == "one-away")
    assert len(fillings) == 6
    assert set(fillings.values()) == {32}
    assert len({each.state for each in found}) > 150
    universe = Universe.of(load_shipped_library().domain(CORRECT))
    for each in found:
        goal = parse_formula(goal_text(BOTH, each), load_shipped_library().domain(CORRECT))
        assert not holds(goal, atoms_of(initial_states()[each.state]), universe)


@pytest.mark.parametrize("most", [published.MOST_STATES, 5])
def test_the_chains_lead_to_the_goal(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is planned instead of all shortest chains being counted."""
    monkeypatch.setattr(published, "MOST_STATES", most)
    model, universe = task_model(CORRECT), Universe.of(load_shipped_library().domain(CORRECT))
    lengths = set()
    for index in (1, 3, 5, 7):
        wanted = target(BOTH, index, range(192))
        goal = parse_formula(goal_text(BOTH, wanted), load_shipped_library().domain(CORRECT))
        found = list(target_chains(BOTH, wanted, np.random.default_rng(index)))
        assert found == list(target_chains(BOTH, wanted, np.random.default_rng(index)))
        assert found
        for sequence, sentence in found:
            state = atoms_of(initial_states()[wanted.state])
            for name in sequence:
                after = model.successor(name, state)
                assert after is not None
                state = after
            assert holds(goal, state, universe), state_of_atoms(state)
            colour = dict(wanted.binding)["b"].removesuffix("_block")
            assert f"the {colour} block" in sentence
            lengths.add(len(sequence))
    assert len(lengths) > 1


def test_a_goal_that_cannot_be_has_no_chains() -> None:
    never = config(never=ONE_AWAY.replace("(in ?b ?c)", "(in ?b ?c) (forall (?o - block) (in ?o ?c))"))
    assert list(target_chains(never, target(never, 0, range(192)), np.random.default_rng(0))) == []


def test_a_goal_that_holds_everywhere_is_refused() -> None:
    goal = "(not (grasped ?b)) (not (placed ?b ?c))"
    always = config(always=ONE_AWAY.replace("(in ?b ?c) (lit led)", goal))
    with pytest.raises(UsageError, match=r"one-away \(.*\) holds in every initial state"):
        target(always, 0, range(192))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (config("bottling-fruit"), "of the domain handmethat, not of the tabletop"),
        (config("nix"), "there is no task 'nix'"),
        (config("stack_block", "calvin/stack_block"), "a task is given twice"),
        (config(one=ONE_AWAY.replace("lit led", "lit lamp")), "one.task:6:"),
        (config(one=ONE_AWAY.replace("?b - block", "?b in (and block place)")), "no kind can fill the slot"),
    ],
)
def test_bad_tasks_are_refused(asked: GenerateConfig, said: str) -> None:
    with pytest.raises(ChorewrightError) as caught:
        goal_tasks(asked)
    assert said in str(caught.value)


@pytest.mark.slow
def test_an_episode_of_a_goal_and_its_labels_in_calvins_layout(tmp_path: Path) -> None:
    """The expert reaches the goal; each label's window shows its task in the exported vectors alone."""
    pytest.importorskip("pybullet")
    from chorewright.generator.calvin.export.exporter import CalvinExporter
    from chorewright.replay.calvin.world import TabletopWorld

    asked = GenerateConfig("calvin", 2, options=(("tasks", ("stack_block",)),))
    run(asked, tmp_path / "made", workers=0)
    for episode in Dataset(tmp_path / "made"):
        assert episode.outcome.accepted, episode.outcome.reason
        assert episode.goal == "(exists (?b ?below - block) (on ?b ?below))"
        assert [each.level for each in episode.instructions] == ["goal", *["step"] * len(episode.plan)]
        assert episode.plan[-1].name == "stack_block"
        last = episode_frames(episode)[-1].snapshot.blocks
        assert any(block.touches and block.touches <= set(last) for block in last.values())
    CalvinExporter().write(Dataset(tmp_path / "made"), tmp_path / "layout")
    seen = 0
    with TabletopWorld(scene("D")) as world:
        for split in ("training", "validation"):
            folder = tmp_path / "layout" / split
            found = read_pickled(folder / "lang_annotations" / "auto_lang_ann.npy")
            assert isinstance(found, dict)
            for (start, end), task in zip(found["info"]["indx"], found["language"]["task"], strict=True):
                files = [np.load(folder / f"episode_{number:07d}.npz") for number in (start, end - 1)]
                frames = RecordedFrames(world, [(each["robot_obs"], each["scene_obs"]) for each in files])
                assert task in tasks_done(frames[0], frames[1])
                seen += 1
    assert seen >= 3
