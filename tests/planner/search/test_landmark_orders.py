"""Reasonable orders are what enumeration of all states finds to be so, and close no cycle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import load_domain, parse_problem
from chorewright.planner.grounding.grounding import ground
from chorewright.planner.search.heuristics.disjunctive_landmarks import exclusive, with_reasonable_orders
from chorewright.planner.search.heuristics.landmarks import Landmarks, accept, find_landmarks, to_come
from chorewright.planner.search.search import UNBOUNDED, Budget, Prepared, prepare
from chorewright.planner.search.states import holds, successor
from tests.planner.small_tasks import small_task
from tests.planner.tables import states_of

MOST_STATES = 600
NAMES = (
    "stacks-0", "stacks-1", "stacks-2", "stacks-3", "hands-0", "parcels-2", "ferry-0", "tiles-0", "lift-1",
    "drinks-0", "settlers-0", "islands-1", "power-0", "tidying-0", "cases-1", "network-0",
    "blocks/probBLOCKS-4-1", "gripper/prob01", "depot/p01",
)  # fmt: skip

Facts = frozenset[int]


def prepared(name: str) -> Prepared:
    task = ground(*small_task(name))
    assert task is not None
    return prepare(task)


def ordered(p: Prepared) -> tuple[Landmarks, Landmarks]:
    """The landmarks without and with reasonable orders."""
    marks = find_landmarks(p.initial, p.guide)
    return marks, with_reasonable_orders(p.task, p.guide, marks)


def added(one: Landmarks, other: Landmarks) -> list[tuple[int, int]]:
    """The pairs of landmarks that the second orders and the first does not."""
    return [(i, j) for j in range(one.options.size) for i in other.first.of(j) if i not in one.first.of(j)]


def successors(p: Prepared, state: np.ndarray) -> list[np.ndarray]:
    """The states that one operator leads to."""
    found = []
    for o in range(p.task.operator_count):
        if all(holds(state, fact) for fact in p.task.precondition.of(o)):
            following = np.empty_like(state)
            successor(state, o, p.moves, following)
            found.append(following)
    return found


def reachable(p: Prepared, without: int = -1) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """States on ways that never make a fact true, breadth first, each with the states that it leads to."""
    seen, waiting, found = {p.initial.tobytes()}, [p.initial], []
    while waiting and len(found) < MOST_STATES:
        state = waiting.pop(0)
        found.append((state, successors(p, state)))
        for each in found[-1][1]:
            if each.tobytes() not in seen and (without < 0 or not holds(each, without)):
                seen.add(each.tobytes())
                waiting.append(each)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_no_state_has_two_facts_that_exclude_each_other(name: str) -> None:
    p = prepared(name)
    keys = exclusive(p.task)
    for state, _ in reachable(p)[:500]:
        true = [f for f in range(p.task.fact_count) if holds(state, f)]
        for column in range(keys.shape[1]):
            held = [key for key in keys[true, column].tolist() if key >= 0]
            assert len(held) == len(set(held))


@pytest.mark.parametrize("name", NAMES)
def test_a_landmark_is_gone_when_one_ordered_before_it_is_first_made_true(name: str) -> None:
    p = prepared(name)
    marks, more = ordered(p)
    for earlier, later in added(marks, more):
        (one,), (other,) = marks.options.of(earlier), marks.options.of(later)
        if holds(p.initial, one):
            continue
        for state, following in reachable(p, without=one):
            for each in following:
                if holds(each, one):
                    assert not (holds(state, other) and holds(each, other))


@pytest.mark.parametrize("name", NAMES)
def test_orders_close_no_cycle_and_leave_the_landmarks_as_they_are(name: str) -> None:
    p = prepared(name)
    marks, more = ordered(p)
    assert more.options.items.tolist() == marks.options.items.tolist()
    assert [more.before.of(k) for k in range(more.options.size)] == [
        marks.before.of(k) for k in range(marks.options.size)
    ]
    done: set[int] = set()
    while len(done) < more.options.size:
        ready = {k for k in range(more.options.size) if k not in done and done.issuperset(more.first.of(k))}
        assert ready
        done |= ready


def test_stacks_are_ordered_from_below() -> None:
    domain = load_domain(sample("ipc/blocks/domain.pddl"))
    table = " ".join(f"(ontable {b}) (clear {b})" for b in "abcd")
    text = f"(define (problem p) (:domain blocks) (:objects a b c d) (:init (handempty) {table}) (:goal {{}}))"
    goals = [("a", "b"), ("b", "c"), ("c", "d")]
    wanted = " ".join(f"(on {one} {other})" for one, other in goals)
    task = ground(domain, parse_problem(text.format(f"(and {wanted})"), domain))
    assert task is not None
    p = prepare(task)
    marks, more = ordered(p)
    name = {k: task.atom(marks.options.of(k)[0]) for k in range(marks.options.size)}
    found = {(name[i], name[j]) for i, j in added(marks, more) if marks.goal[i] and marks.goal[j]}
    assert found == {(("on", *low), ("on", *high)) for high, low in pairwise(goals)}


@pytest.mark.parametrize("name", NAMES)
def test_reached_landmarks_are_those_of_their_definition(name: str) -> None:
    p = prepared(name)
    _, marks = ordered(p)
    found = p.search("greedy", "ff", 1, UNBOUNDED, Budget(100_000, 10**6, np.zeros(1, np.int64)))
    assert found.operators is not None
    accepted = np.zeros((marks.options.size + 63) // 64, np.uint64)
    reached: set[int] = set()
    for state in states_of(p, found.operators):
        true = {k for k in range(marks.options.size) if holds(state, marks.options.of(k)[0])}
        while more := {k for k in true - reached if reached.issuperset(marks.first.of(k))}:
            reached |= more
        accept(accepted.copy(), state, marks, accepted)
        assert {k for k in range(marks.options.size) if holds(accepted, k)} == reached
        wanted = {
            k
            for k in range(marks.options.size)
            if k not in reached or (k not in true and (marks.goal[k] or not reached.issuperset(marks.before.of(k))))
        }
        assert to_come(accepted, state, marks) == sum(int(marks.cost[k]) for k in wanted)
