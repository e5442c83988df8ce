"""Chains of tasks, against the published thousand, the published counts, and brute force."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.errors import LimitError, UsageError
from chorewright.problems.calvin.chains import Chain, ChainSpace, fault
from chorewright.problems.calvin.published import find_published_chains
from chorewright.problems.calvin.scenes import TabletopState, initial_states, parse_state, state_of_record
from chorewright.problems.calvin.tasks import COMPATIBLE, CORRECT, atoms_of, state_of_atoms, task_model, tasks


def published() -> list[dict[str, Any]]:
    return list(json.loads(sample("calvin/sequences_1000.json").read_text("utf-8")))


def counts() -> dict[str, Any]:
    return dict(json.loads(sample("calvin/chain_counts.json").read_text("utf-8")))


def chain_of(record: dict[str, Any]) -> Chain:
    return Chain(state_of_record(record["initial_state"]), tuple(record["sequence"]))


@pytest.fixture(scope="module")
def thousand() -> tuple[Chain, ...]:
    return find_published_chains()


def test_the_published_thousand_come_out_of_the_same_stream(thousand: tuple[Chain, ...]) -> None:
    assert [chain.record() for chain in thousand] == published()


@pytest.mark.parametrize("number", [0, 1, 193])
def test_the_procedure_gives_any_number(number: int, thousand: tuple[Chain, ...]) -> None:
    """Fewer chains are the first ones of each state."""
    found = find_published_chains(number)
    per_state = Counter(chain.initial_state for chain in found)
    assert len(found) == number
    assert set(found) <= set(thousand)
    for place, state in enumerate(initial_states()):
        assert per_state[state] == number // 192 + (place < number % 192)


def test_counts_are_the_published_ones() -> None:
    rows = counts()["initial_states"]
    space = ChainSpace(variant=COMPATIBLE)
    assert [start.record() for start in space.starts] == [row["state"] for row in rows]
    assert [space.count(start) for start in space.starts] == [row["feasible_chains"] for row in rows]
    assert [space.task_sets(start) for start in space.starts] == [row["distinct_task_sets"] for row in rows]


@pytest.mark.slow
def test_all_million_chains_are_the_published_union_and_shares() -> None:
    space = ChainSpace(variant=COMPATIBLE)
    union: set[tuple[str, ...]] = set()
    share = dict.fromkeys(tasks(), 0.0)
    for start in space.starts:
        every = [chain.sequence for chain in space.chains(start)]
        assert len(every) == len(set(every)) == space.count(start)
        union.update(every)
        for name, times in Counter(name for sequence in every for name in sequence).items():
            share[name] += times / len(every) / 5 / len(space.starts)
    assert len(union) == counts()["union_distinct_chains"]
    assert share == pytest.approx(counts()["expected_task_prob"])


def test_the_table_as_it_is_refuses_just_the_chains_that_want_a_block_from_behind_the_door() -> None:
    """Of the published thousand the five of them; each reason says where the block is, and is believed."""
    chains = [chain_of(record) for record in published()]
    assert not any(fault(chain, COMPATIBLE) for chain in chains)
    refused = {number: found for number, chain in enumerate(chains) if (found := fault(chain))}
    assert sorted(refused) == [number for number, chain in enumerate(chains) if wants_hidden_block(chain)]
    assert len(refused) == 5
    for number, found in refused.items():
        name = chains[number].sequence[found.step - 1]
        assert found.task == name
        assert name.startswith("lift_")
        assert name.endswith("_slider")
        assert "needs (open slider_" in found.reason
        assert "the published model believes in" in found.reason


def wants_hidden_block(chain: Chain) -> bool:
    """Whether a block is lifted from the compartment that the door covers, by plain bookkeeping."""
    door = chain.initial_state.slider
    inside = dict(chain.initial_state.blocks)
    held = ""
    for name in chain.sequence:
        if name.startswith("move_slider"):
            door = name.removeprefix("move_slider_")
        if name.startswith("lift_"):
            held = name.split("_")[1] + "_block"
            if name.endswith("_slider") and inside[held] == f"slider_{door}":
                return True
        if name == "place_in_slider":
            inside[held] = {"right": "slider_left", "left": "slider_right"}[door]
    return False


@pytest.mark.parametrize(
    ("length", "any_category", "variant"),
    [(3, False, CORRECT), (2, True, CORRECT), (2, True, COMPATIBLE), (2, False, COMPATIBLE)],
)
@pytest.mark.parametrize("start", [initial_states()[95], parse_state("red_block=drawer,drawer=open")])
def test_counts_and_order_are_those_of_brute_force(
    start: TabletopState, length: int, any_category: bool, variant: str
) -> None:
    """All sequences of some of the 34 tasks, tried one by one."""
    space = ChainSpace([start], length, variant, any_category)
    every = product(tasks(), repeat=length) if any_category else permutations(tasks(), length)
    feasible = [names for names in every if steps(names, start, variant, any_category)]
    assert [chain.sequence for chain in space.chains(start)] == feasible
    assert space.count(start) == len(feasible)
    for number in range(0, len(feasible), 7):
        assert space.chain(start, number).sequence == feasible[number]
    for number in (-1, len(feasible)):
        with pytest.raises(IndexError):
            space.chain(start, number)
    assert space.task_sets(start) == len({frozenset(names) for names in feasible})


def steps(names: tuple[str, ...], start: TabletopState, variant: str, any_category: bool) -> bool:
    """Whether tasks can be done one after the other."""
    model, state = task_model(variant), atoms_of(start)
    categories = [tasks()[name].category for name in names]
    if not any_category and len(set(categories)) < len(categories):
        return False
    for name in names:
        after = model.successor(name, state)
        if after is None:
            return False
        state = after
    return True


def test_drawing_is_uniform() -> None:
    """Chi-squared over the two-task chains of a state; the mean is the degrees of freedom."""
    start = initial_states()[0]
    space = ChainSpace([start], 2)
    rng = np.random.default_rng(7)
    times = Counter(space.draw(start, rng) for _ in range(40 * space.count(start)))
    assert set(times) == set(space.chains(start))
    squares = sum((each - 40) ** 2 / 40 for each in times.values())
    free = space.count(start) - 1
    assert abs(squares - free) < 4 * (2 * free) ** 0.5


def test_a_sample_is_even_over_the_states_and_without_repetitions() -> None:
    space = ChainSpace()
    found = space.sample(500, np.random.default_rng(3))
    assert found == space.sample(500, np.random.default_rng(3))
    assert found != space.sample(500, np.random.default_rng(4))
    assert len(set(found)) == 500
    assert set(Counter(chain.initial_state for chain in found).values()) == {2, 3}
    assert not any(fault(chain) for chain in found)
    assert any(fault(chain, COMPATIBLE) for chain in found)
    start = space.starts[0]
    all_of_one = ChainSpace([start], 2)
    count = all_of_one.count(start)
    every = all_of_one.sample(count, np.random.default_rng(0))
    assert sorted(every, key=str) == sorted(all_of_one.chains(start), key=str)
    with pytest.raises(UsageError, match=f"only {count} chains of 2 tasks"):
        all_of_one.sample(count + 1, np.random.default_rng(0))
    assert space.sample(0, np.random.default_rng(0)) == ()


@pytest.mark.parametrize(("length", "any_category"), [(1, False), (8, False), (11, False), (30, True)])
def test_chains_of_any_length(length: int, any_category: bool) -> None:
    """With more than 64 bits of chains too."""
    starts = initial_states()[::50]
    space = ChainSpace(starts, length, any_category=any_category)
    for start in starts:
        if space.count(start) == 0:
            with pytest.raises(UsageError, match="no chain"):
                space.draw(start, np.random.default_rng(0))
            continue
        chain = space.draw(start, np.random.default_rng(0))
        assert len(chain.sequence) == length
        assert fault(chain, any_category=any_category) is None
        last = space.chain(start, space.count(start) - 1)
        assert fault(last, any_category=any_category) is None
    assert length < 30 or space.count(starts[0]) > 2**64


@pytest.mark.parametrize(
    ("length", "any_category", "error"),
    [(0, False, UsageError), (-1, True, UsageError), (12, False, UsageError), (101, True, LimitError)],
)
def test_a_length_that_cannot_be_is_refused(length: int, any_category: bool, error: type[Exception]) -> None:
    with pytest.raises(error):
        ChainSpace([TabletopState()], length, any_category=any_category)


@pytest.mark.parametrize(
    ("start", "sequence", "step", "reason"),
    [
        ("", ["open_drawer", "close_drawer"], 2, "open_drawer is of the same"),
        ("", ["close_drawer"], 1, "(close_drawer) needs (open drawer)"),
        ("", ["place_in_drawer"], 1, "(place_in_drawer red_block) needs (grasped red_block) and (open drawer)"),
        ("", ["lift_red_block_table", "stack_block"], 2, "needs (forall (?o - block)"),
        ("led=1", ["turn_on_led"], 1, "(turn_on led) needs (not (lit led)); the state is led=1"),
        (
            "red_block=slider_left,blue_block=slider_left",
            ["lift_pink_block_table", "place_in_slider"],
            2,
            "(not (exists",
        ),
        ("drawer=open", ["push_into_drawer"], 1, "(push_into_drawer red_block) needs (forall"),
        ("slider=left", ["lift_red_block_slider"], 1, "(lift_block_slider red_block slider_right) needs (in"),
    ],
)
def test_a_fault_names_the_step_and_what_is_lacking(start: str, sequence: list[str], step: int, reason: str) -> None:
    found = fault(Chain(parse_state(start), tuple(sequence)), CORRECT)
    assert found is not None
    assert (found.step, found.task) == (step, sequence[step - 1])
    assert reason in found.reason
    assert str(found).startswith(f"step {step}, {sequence[step - 1]}: ")


def test_a_third_block_does_not_fit_and_the_next_ones_go_on() -> None:
    """What the state becomes along a chain that the published model would not allow."""
    start = parse_state("red_block=slider_left,blue_block=drawer,drawer=open")
    model, state = task_model(CORRECT), atoms_of(start)
    for name in ("push_into_drawer", "lift_pink_block_drawer", "place_in_slider", "lift_blue_block_drawer"):
        after = model.successor(name, state)
        assert after is not None, name
        state = after
    assert state_of_atoms(state).pink_block == "slider_left"
    assert model.successor("place_in_slider", state) is None
    assert task_model(COMPATIBLE).successor("push_into_drawer", atoms_of(start)) is None


def test_chains_of_unknown_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="no tabletop task 'fly'"):
        fault(Chain(TabletopState(), ("fly",)))
    with pytest.raises(UsageError, match="the number of chains cannot be -1"):
        find_published_chains(-1)
