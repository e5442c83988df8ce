"""EDH instances: what TEACh's rules say of them before, midway and at the end, and differences that restore states."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from benchmarks.originals.edh_rules import verdict
from chorewright.domains.teach.definitions import shipped_definitions
from chorewright.domains.teach.progress import check
from chorewright.domains.teach.world import LAST_PARENT, state_changes_task, world_of
from chorewright.generator.household.moments import call_of
from chorewright.generator.teach.export.exporter import edh_instances
from chorewright.generator.teach.export.format import changes, difference, state_document
from chorewright.generator.teach.export.session import TeachSession, session
from chorewright.replay.teach.world import TeachWorld
from tests.generator.teach.episodes import TASKS, episode

Thing = dict[str, Any]


@cache
def stretches(task: tuple[str, tuple[str, ...], str]) -> list[tuple[Thing, list[list[Thing]]]]:
    """Return a session's instances, each with the objects before its first action, midway and at its end."""
    one = session(episode(*task), shipped_definitions())
    states = list(moments(task, one))
    found = []
    for instance in edh_instances(one):
        start, end = instance["pred_start_idx"], len(instance["interactions"])
        assert isinstance(start, int)
        found.append((instance, [states[number]["objects"] for number in (start, (start + end) // 2, end)]))
    return found


def moments(task: tuple[str, tuple[str, ...], str], one: TeachSession) -> Iterator[Thing]:
    """Yield the state before each interaction of a session, and at its end."""
    world = TeachWorld()
    world.reset(one.initial)
    steps = iter(episode(*task).steps)
    for interaction in (*one.interactions, None):
        document = json.loads(json.dumps(state_document(world.scene(), 0.0, world.memory)))
        assert isinstance(document, dict)
        yield document
        if interaction is not None and interaction.drives:
            step = next(steps)
            assert world.step(call_of(step.action, step.arguments)).success


def judged(instance: Thing, objects: Sequence[Mapping[str, Any]]) -> tuple[bool, int, int]:
    """Return the verdict of TEACh's rules, which must be ours."""
    changes = instance["state_changes"]["objects"]
    progress = check(state_changes_task(changes), world_of(list(objects)))
    found = verdict(changes, objects)
    assert (progress.success, progress.total, progress.satisfied) == found
    return found


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task[0])
def test_instances_are_open_before_and_done_at_the_end(task: tuple[str, tuple[str, ...], str]) -> None:
    found = stretches(task)
    assert found
    for instance, (before, midway, after) in found:
        success, total, satisfied = judged(instance, before)
        assert not success
        assert total == instance["expected_init_goal_conditions_total"]
        assert satisfied == instance["expected_init_goal_conditions_satisfied"]
        judged(instance, midway)
        assert judged(instance, after) == (True, total, total)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task[0])
def test_only_what_the_rules_find_done_at_once_is_left_out(task: tuple[str, tuple[str, ...], str]) -> None:
    one = session(episode(*task), shipped_definitions())
    kept = [instance["pred_start_idx"] for instance, _ in stretches(task)]
    said = [number for number, each in enumerate(one.interactions) if each.spoken is not None]
    for last_said, end in zip(said, [*said[1:], len(one.interactions)], strict=True):
        expected = changes(one.states[last_said], one.states[end])
        done, _, _ = verdict(expected, list(one.states[last_said].values()))
        acts = any(each.touches for each in one.interactions[last_said:end])
        assert (last_said + 1 in kept) == (acts and not done)


def applied(objects: Sequence[Thing], difference: Mapping[str, Thing]) -> dict[str, Thing]:
    """Add a state difference to a state as the benchmark does: a piece is a copy of what it was cut from."""
    found = {thing["objectId"]: copy.deepcopy(thing) for thing in objects}
    cut = set()
    for name, changed in difference.items():
        if name in found:
            found[name].update(changed)
        else:
            whole = "|".join(name.split("|")[:4])
            found[name] = {**copy.deepcopy(found[whole]), **changed}
            cut.add(whole)
    return {name: thing for name, thing in found.items() if name not in cut}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task[0])
def test_differences_restore_the_states_at_both_ends_of_an_instance(task: tuple[str, tuple[str, ...], str]) -> None:
    one = session(episode(*task), shipped_definitions())
    start = json.loads(json.dumps(state_document(one.initial, 0)))["objects"]
    for instance, (before, _, after) in stretches(task):
        for name, state in (("init_state_diff", before), ("final_state_diff", after)):
            difference = json.loads(json.dumps(instance[name]["objects"]))
            there = {thing["objectId"]: thing for thing in state if not thing["isSliced"]}
            assert applied(start, difference) == there, instance["instance_id"]


def test_false_and_null_are_changes_like_others() -> None:
    """Of things that were there, and of a piece beside what it was cut from; what is as before is none."""
    loaf = {"objectType": "Bread", "isDirty": True, "isCooked": False, LAST_PARENT: "Toaster|1|1|1", "isSliced": False}
    piece = {**loaf, "objectType": "BreadSliced", "isDirty": False, LAST_PARENT: None, "isToggled": False}
    before = {"Bread|1|1|1": loaf, "Faucet|2|2|2": {"isToggled": True, "distance": 1.0}}
    after = {"Bread|1|1|1|BreadSliced_1": piece, "Faucet|2|2|2": {"isToggled": False, "distance": 2.0}}
    assert changes(before, after) == {
        "Bread|1|1|1|BreadSliced_1": {
            "objectType": "BreadSliced", "isDirty": False, LAST_PARENT: None, "isToggled": False,
        },
        "Faucet|2|2|2": {"isToggled": False},
    }  # fmt: skip
    assert difference(before, after)["objects"]["Faucet|2|2|2"] == {"isToggled": False, "distance": 2.0}
    assert difference(before, before) == {"agents": {}, "objects": {}}
