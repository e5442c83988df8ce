"""Limits: refused when they make no sense, kept while grounding too, and Ctrl-C heeded inside kernels."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import LimitError, UsageError
from chorewright.planner.interruption import Interruption
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan
from chorewright.planner.planning import Configuration, solve, warm
from chorewright.planner.room import OutOfRoom, Room
from chorewright.planner.search import Alarm

FULL = Configuration(rungs=())
NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": 0},
        {"seconds": -1},
        {"seconds": NAN},
        {"seconds": INFINITY},
        {"seconds": 1e12},
        {"megabytes": 0},
        {"megabytes": -5},
        {"evaluations": 0},
    ],
)
def test_senseless_limits_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="limit must be"):
        Limits(**limits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("search", "weight"), [("wastar", 0), ("wastar", -3), ("wastar", 1001), ("astar", 5), ("greedy", 2)]
)
def test_senseless_weights_are_refused(search: str, weight: int) -> None:
    with pytest.raises(UsageError, match="weight"):
        Configuration(search, "ff", weight)


PRODUCT = """(define (domain d) (:predicates (q ?x))
 (:action n :parameters (?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l) :effect (q ?a)))"""
QUANTIFIED = """(define (domain d) (:requirements :adl) (:predicates (q ?x) (r ?x ?y))
 (:action n :parameters (?a ?b) :precondition (and (q ?a)
   (forall (?c ?d ?e ?f) (imply (and (r ?a ?c) (r ?b ?d) (r ?a ?e) (r ?b ?f)) (and (r ?c ?d) (r ?e ?f)))))
  :effect (and (not (r ?a ?b)) (not (r ?b ?a)) (q ?b))))"""


def many(domain: str, objects: int, init: str = "") -> tuple[object, object]:
    names = [f"o{i}" for i in range(objects)]
    pairs = " ".join(f"(r {a} {b})" for a in names for b in names) if init else ""
    read = parse_domain(domain)
    problem = (
        f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {init} {pairs}) (:goal (q o1)))"
    )
    return read, parse_problem(problem, read)


@pytest.mark.parametrize(
    ("domain", "objects", "init"), [(PRODUCT, 8, ""), (QUANTIFIED, 14, "(q o0)")], ids=["actions", "forall"]
)
def test_grounding_keeps_the_memory_limit(domain: str, objects: int, init: str) -> None:
    read, problem = many(domain, objects, init)
    started = time.monotonic()
    for configuration in (Configuration(), FULL) if init == "" else (FULL,):
        answer = solve(read, problem, Limits(megabytes=50), configuration)  # type: ignore[arg-type]
        assert answer == OutOfLimits(Limit.MEMORY, 0)
    assert time.monotonic() - started < 20


def test_room_is_asked_before_it_is_taken() -> None:
    Room(10).check(100_000, 4, "this takes")
    with pytest.raises(OutOfRoom, match="this takes 200000 rows of 4 columns"):
        Room(10).check(200_000, 4, "this takes")
    with pytest.raises(LimitError, match="too large to ground"):
        Room().check(10**9, 4, "this takes")


def test_the_clock_starts_when_the_kernels_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []
    monkeypatch.setattr("chorewright.planner.planning.warm", lambda _: order.append("warm"))
    enter = Alarm.__enter__

    def entered(alarm: Alarm) -> Alarm:
        order.append("clock")
        return enter(alarm)

    monkeypatch.setattr(Alarm, "__enter__", entered)
    read, problem = many(PRODUCT.replace("?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l", ""), 2)
    assert isinstance(solve(read, problem, Limits(seconds=60)), Plan)  # type: ignore[arg-type]
    assert order == ["warm", "clock"]


@pytest.mark.parametrize(
    "configuration",
    [Configuration(), Configuration("astar", "lmcut", improve=0), Configuration("wastar", "add", 3, 0)],
    ids=str,
)
def test_kernels_can_be_warmed_for_every_search(configuration: Configuration) -> None:
    warm(configuration)


LONG = """
from chorewright.planner.planning import Configuration, solve
from tests.planner.tables import competition_task
domain, problem = competition_task("parking-opt11-strips", "pfile04-014.pddl")
blind = Configuration("astar", "blind", improve=0, rungs=())
print("ready", flush=True)
solve(domain, problem, configuration=blind)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_running_kernel() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        time.sleep(3)  # grounding is over by then, and the search goes on for long
        run.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, errors = run.communicate(timeout=60)
    assert time.monotonic() - sent < 1.5
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_signals_are_left_to_those_who_listen_already() -> None:
    flag = Alarm(None).flag
    with Interruption(flag), Interruption(flag) as inner:
        assert inner._ends is None
    assert signal.set_wakeup_fd(-1) == -1
    seen = []

    def elsewhere() -> None:
        with Interruption(flag) as one:
            seen.append(one._ends)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [None]
