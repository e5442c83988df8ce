"""The PDDL domains of the tabletop, against the published symbolic model in every state that is reached."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import load_shipped_library
from chorewright.errors import UsageError
from chorewright.problems.calvin.scenes import TabletopState, initial_states, state_of_record
from chorewright.problems.calvin.tasks import (
    COMPATIBLE,
    CORRECT,
    NO_WAY,
    SEVERAL_WAYS,
    VARIANTS,
    atoms_of,
    state_of_atoms,
    task,
    task_model,
    task_of,
    tasks,
    transitions,
)

Record = Mapping[str, Any]


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return dict(json.loads(sample("calvin/symbolic_task_model.json").read_text("utf-8")))


def outcomes(model: Record, name: str, state: Record) -> Iterator[Record]:
    """The states after each variant of a task that applies, as the published model has it."""
    for variant in model["tasks"][name]:
        allowed = variant["condition"].items()
        if all(state[key] in (value if isinstance(value, list) else [value]) for key, value in allowed):
            yield {**state, **variant["effect"]}


def reached(variant: str) -> list[TabletopState]:
    model = task_model(variant)
    return [state_of_atoms(state) for state in transitions(model, initial_states()).states]


def test_tasks_and_categories_are_the_published_ones(published: dict[str, Any]) -> None:
    assert {name: each.category for name, each in tasks().items()} == published["task_categories"]
    assert list(tasks()) == list(published["tasks"])


def test_the_compatible_domain_is_the_published_model(published: dict[str, Any]) -> None:
    """In each state that any number of tasks reaches: what can be done in one way, and what it changes."""
    model = task_model(COMPATIBLE)
    for state in reached(COMPATIBLE):
        for name, after in zip(tasks(), model.successors(atoms_of(state)), strict=True):
            found = list(outcomes(published, name, state.record()))
            if len(found) == 1:
                assert not isinstance(after, int), (name, state)
                assert state_of_atoms(after).record() == found[0]
            else:
                assert after in (NO_WAY, SEVERAL_WAYS), (name, state)


def test_the_correct_domain_differs_where_the_published_model_is_wrong(published: dict[str, Any]) -> None:
    """Blocks go into the compartment that is open, two at most, and to push one the others must be away."""
    model = task_model(CORRECT)
    seen = set()
    for state in reached(CORRECT):
        places = list(state.blocks.values())
        for name, after in zip(tasks(), model.successors(atoms_of(state)), strict=True):
            found = list(outcomes(published, name, state.record()))
            mine = None if isinstance(after, int) else state_of_atoms(after).record()
            if (mine is None and len(found) != 1) or [mine] == found:
                continue
            seen.add(name)
            if name == "place_in_slider":
                into = "slider_left" if state.slider == "right" else "slider_right"
                if mine is None:
                    assert places.count(into) == 2
                else:
                    assert into in mine.values()
                    assert [each for each in mine if mine[each] != state.record()[each]][-1] == "grasped"
            else:
                assert name == "push_into_drawer"
                assert places.count("table") == 1
                assert "drawer" in places
                assert not {"stacked_top", "grasped"} & set(places)
    assert seen == {"place_in_slider", "push_into_drawer"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_state_that_is_reached_can_be(variant: str) -> None:
    """No block is in two places, and atoms and variables say the same."""
    for state in reached(variant):
        assert state_of_record(state.record()) == state
        assert state_of_atoms(atoms_of(state)) == state
    starts = initial_states()
    model = task_model(variant)
    table = transitions(model, starts)
    assert [state_of_atoms(state) for state in table.states[: len(starts)]] == list(starts)
    assert len(set(table.states)) == len(table.states) == len(table.after)


@pytest.mark.parametrize("variant", VARIANTS)
def test_applicable_is_what_the_formulas_say(variant: str) -> None:
    model = task_model(variant)
    universe = Universe.of(load_shipped_library().domain(variant))
    for state in transitions(model, initial_states()[::24]).states[::17]:
        for name, ways in model.ways.items():
            found = [way for way in ways if holds(way.precondition, state, universe, way.binding)]
            assert list(model.applicable(name, state)) == found
            assert (model.successor(name, state) is None) == (len(found) != 1)
            assert bool(model.unmet(name, state)) == (not found)


def test_every_action_is_one_task() -> None:
    for variant in VARIANTS:
        ways = task_model(variant).ways
        assert set(ways) == set(tasks())
        assert all(ways.values())
        for name, each in ways.items():
            assert {task_of(way.action, way.arguments) for way in each} == {name}
    assert task("lift_red_block_table").action == "lift_block_table"
    with pytest.raises(UsageError, match="no tabletop task") as caught:
        task("lift_red_block_tabel")
    assert caught.value.hint is not None
    assert "lift_red_block_table" in caught.value.hint
    for action in (("fly",), ("lift_block_table", "green_block")):
        with pytest.raises(UsageError, match="none of the tabletop tasks"):
            task_of(action[0], action[1:])
    with pytest.raises(UsageError, match="no variant"):
        task_model("official")
