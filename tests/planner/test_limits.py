"""Limits: refused when they make no sense, kept while grounding too, and Ctrl-C heeded inside kernels."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.errors import LimitError, UsageError
from chorewright.files.stopping import Alarm, Stopped, promptly
from chorewright.jit.kernels import Kernel
from chorewright.planner.grounding.joins.derivation import MemoryBudget, OutOfMemory
from chorewright.planner.plan import Limit, Limits, OutOfLimits, Plan
from chorewright.planner.planning import Configuration, solve
from tests.command import chorewright, environment

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
        Limits(**limits)


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
    problem = f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {init} {pairs}) (:goal (q o1)))"
    return read, parse_problem(problem, read)


@pytest.mark.parametrize(
    ("domain", "objects", "init"), [(PRODUCT, 8, ""), (QUANTIFIED, 14, "(q o0)")], ids=["actions", "forall"]
)
def test_grounding_keeps_the_memory_limit(domain: str, objects: int, init: str) -> None:
    read, problem = many(domain, objects, init)
    for configuration in (Configuration(), FULL) if init == "" else (FULL,):
        answer = solve(read, problem, Limits(megabytes=50), configuration)
        assert answer == OutOfLimits(Limit.MEMORY, 0)


MEMORY = """
from chorewright.files.processes import resident_megabytes
from chorewright.planner.plan import Limits
from chorewright.planner.planning import Configuration, solve
from tests.planner.small_tasks import small_task
from benchmarks.corpora.planning_tasks import competition_task
blind = Configuration("astar", "blind", improve=0, rungs=())
solve(*small_task("stacks-0"), configuration=blind)
domain, problem = competition_task("parking-opt11-strips", "pfile04-014.pddl")
solve(domain, problem, Limits(evaluations=10), blind)
before = resident_megabytes()
answer = solve(domain, problem, Limits(megabytes=100), blind)
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(answer.limit.name, int(peak) * 1024 // 10**6 - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell the memory")
def test_a_search_uses_the_memory_that_it_may() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    limit, taken = done.stdout.split()
    assert limit == "MEMORY"
    assert 75 <= int(taken) <= 130


def test_room_is_asked_before_it_is_taken() -> None:
    MemoryBudget(10).check(100_000, 4, "this takes")
    with pytest.raises(OutOfMemory, match="this takes 200000 rows of 4 columns"):
        MemoryBudget(10).check(200_000, 4, "this takes")
    with pytest.raises(LimitError, match="too large to ground"):
        MemoryBudget().check(10**9, 4, "this takes")


def test_the_clock_starts_when_the_kernels_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []
    monkeypatch.setattr("chorewright.planner.planning.ensure_compiled", lambda: order.append("warm"))
    enter = Alarm.__enter__

    def entered(alarm: Alarm) -> Alarm:
        order.append("clock")
        return enter(alarm)

    monkeypatch.setattr(Alarm, "__enter__", entered)
    read, problem = many(PRODUCT.replace("?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l", ""), 2)
    assert isinstance(solve(read, problem, Limits(seconds=60)), Plan)
    assert order == ["warm", "clock"]


VISITS = """(define (domain d) (:requirements :adl :action-costs) (:predicates (at ?x) (seen ?x))
 (:functions (total-cost) - number (d ?x ?y) - number)
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (not (= ?x ?y)))
  :effect (and (not (at ?x)) (at ?y) (seen ?y) (increase (total-cost) (d ?x ?y)))))"""


def test_the_clock_is_asked_between_a_states_successors() -> None:
    count = 100
    names = [f"o{i}" for i in range(count)]
    costs = " ".join(f"(= (d {a} {b}) {7 * i * k % 41 + 1})" for i, a in enumerate(names) for k, b in enumerate(names))
    read = parse_domain(VISITS)
    text = (
        f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init (at o0) {costs})"
        " (:goal (forall (?x) (seen ?x))) (:metric minimize (total-cost)))"
    )
    slow = Configuration("astar", "lmcut", rungs=())
    answer = solve(read, parse_problem(text, read), Limits(seconds=2), slow)
    assert isinstance(answer, OutOfLimits)
    assert 0 < answer.evaluated < count  # the initial state has one successor fewer


KERNELS = """
import sys
from chorewright.errors import ChorewrightError
from chorewright.planner.cost_to_go import costs_to_go as cost_to_go
from chorewright.jit.kernels import Kernel
from chorewright.planner.search.configuration import SEARCHES, Configuration
from chorewright.planner.cost_to_go.costs_to_go import OPTIMAL, SATISFICING, CostToGo, Effort
from chorewright.planner.plan import Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.warming import warm, warm_costs
from tests.planner.small_tasks import small_task

kernels = {
    f"{kernel.__module__}.{kernel.__qualname__}": kernel
    for name, module in sorted(sys.modules.items()) if name.startswith("chorewright.planner.")
    for kernel in vars(module).values() if isinstance(kernel, Kernel)
}


def signatures():
    return {name: list(kernel.entry.signatures) for name, kernel in kernels.items() if kernel.entry}


assert not signatures()
warm()
known = signatures()
before = sum(map(len, known.values()))
plans = 0
for name in NAMES:
    domain, problem = small_task(name)
    for search, heuristics in SEARCHES.items():
        for heuristic in heuristics:
            try:
                answer = solve(domain, problem, Limits(evaluations=3000), Configuration(search, heuristic))
            except ChorewrightError:
                continue
            plans += isinstance(answer, Plan)
later = [name for name, found in signatures().items() if found != known.get(name)]
warm_costs()
known = signatures()
domain, problem = small_task("handmethat-0")
cost_to_go.LARGE = 0
costs = CostToGo(domain, problem, [frozenset(problem.init)])
for effort in (OPTIMAL, SATISFICING, Effort(provable=1)):
    plans += costs.plan(frozenset(problem.init), effort) is not None
later += [name for name, found in signatures().items() if found != known.get(name)]
dispatchers = {name: getattr(kernel.entry, "dispatcher", kernel.entry) for name, kernel in kernels.items()}
missed = [name for name, dispatcher in dispatchers.items() if dispatcher and dispatcher.stats.cache_misses]
several = [name for name, found in signatures().items() if len(found) > 1]
print(before, plans, later, several, missed, sep=";")
"""
FEW = ("stacks-0", "power-0", "household-2")
MORE = ("tiles-0", "network-1", "oddities-0", "cases-0", "handmethat-1", "household-6", "depot/p03")


@pytest.mark.parametrize("names", [FEW, pytest.param(MORE, marks=pytest.mark.slow)], ids=["few", "more"])
def test_no_search_needs_a_kernel_that_was_not_warmed(names: tuple[str, ...]) -> None:
    run = [sys.executable, "-c", KERNELS.replace("NAMES", repr(names))]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    before, plans, later, several, _ = done.stdout.split(";")
    assert int(before) >= 15
    assert int(plans) > 10 * len(names)
    assert later == "[]"
    assert several == "[]", "processes that write two signatures' code at once could mix them up"


@pytest.mark.slow
def test_what_doctor_has_warmed_is_loaded_from_disk(tmp_path: Path) -> None:
    places = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert chorewright("doctor", "--warm", env=places, timeout=600).returncode in (0, 1)
    compiled = {each.name for each in (tmp_path / "chorewright").iterdir()}
    assert chorewright("demo", str(tmp_path / "demo"), "--episodes", "4", env=places, timeout=600).returncode == 0
    assert {each.name for each in (tmp_path / "chorewright").iterdir()} == compiled
    child = KERNELS.replace("NAMES", repr(FEW))
    done = subprocess.run(
        [sys.executable, "-c", child], env=environment(places), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().split(";")[-1] == "[]"


LONG = """
from chorewright.planner.planning import Configuration, solve
from benchmarks.corpora.planning_tasks import competition_task
domain, problem = competition_task("parking-opt11-strips", "pfile04-014.pddl")
blind = Configuration("astar", "blind", improve=0, rungs=())
print("ready", flush=True)
solve(domain, problem, configuration=blind)
"""


WIDE = """
from dataclasses import replace
from chorewright.planner.planning import solve
from tests.planner.test_limits import JOINED, many
domain, problem = many(JOINED, 60, "(q o0)")
print("ready", flush=True)
solve(domain, replace(problem, init=problem.init[1:]))
"""
JOINED = """(define (domain d) (:predicates (q ?x) (r ?x ?y) (s ?x ?y ?z))
 (:action n :parameters (?a ?b ?c) :precondition (and (r ?a ?b) (r ?b ?c)) :effect (s ?a ?b ?c))
 (:action m :parameters (?a ?b ?c ?d) :precondition (and (s ?a ?b ?c) (s ?b ?c ?d)) :effect (q ?d)))"""


def processor_seconds(process: int | None = None) -> float:
    """Of a running process, or of all that have ended."""
    if process is None:
        return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    if not Path("/proc").is_dir():
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("program", [LONG, WIDE], ids=["searching", "grounding"])
def test_ctrl_c_ends_a_running_kernel(program: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        time.sleep(3)  # grounding is over by then, and the search goes on for long
        earlier, spent = processor_seconds(), processor_seconds(run.pid)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert processor_seconds() - earlier - spent < 1.5
    assert errors.splitlines()[-1] == "KeyboardInterrupt"


def test_signals_are_left_to_those_who_listen_already() -> None:
    with Alarm() as outer, Alarm() as inner:
        assert outer.listens
        assert not inner.listens
    assert signal.set_wakeup_fd(-1) == -1
    seen = []

    def elsewhere() -> None:
        with Alarm() as one:
            seen.append(one.listens)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [False]


def interrupted(*managers: AbstractContextManager[object]) -> list[str]:
    """What happens after Ctrl-C inside of some managers."""
    happened = []
    try:
        with ExitStack() as stack:
            for manager in managers:
                stack.enter_context(manager)
            signal.raise_signal(signal.SIGINT)
            happened.append("here")
    except KeyboardInterrupt:
        happened.append("KeyboardInterrupt")
    return happened


def test_a_signal_sets_the_flag_and_is_raised_at_the_end() -> None:
    alarm = Alarm()
    assert interrupted(alarm) == ["here", "KeyboardInterrupt"]
    assert alarm.flag[0] == 1
    with Alarm() as following:
        time.sleep(0.05)
    assert following.flag[0] == 0, "what the first one heard must not reach the second"


def test_promptly_a_signal_is_raised_at_once() -> None:
    assert interrupted(Alarm(), promptly()) == ["KeyboardInterrupt"]


def wait_promptly() -> None:
    with promptly():
        while True:
            pass


def test_promptly_a_limit_is_raised_at_once() -> None:
    with Alarm(0.05) as alarm:
        with pytest.raises(Stopped):
            wait_promptly()
        assert alarm.limit is Limit.TIME
        with pytest.raises(Stopped), promptly():
            raise AssertionError("it was met before")


def test_promptly_nothing_is_raised_inside_of_a_kernel() -> None:
    reached = []

    def run() -> int:
        signal.raise_signal(signal.SIGINT)
        reached.append("inside")
        return 1

    kernel = Kernel(run, {})  # type: ignore[arg-type]
    kernel._entry = run
    with pytest.raises(KeyboardInterrupt), Alarm(), promptly():
        reached.append(kernel())
    assert reached == ["inside"]


@pytest.mark.parametrize(
    ("limits", "limit"),
    [((None, 0.05, None), Limit.CPU), ((None, None, 1), Limit.MEMORY), ((0.05, 60.0, 10**6), Limit.TIME)],
)
def test_an_alarm_says_which_limit_was_met(limits: tuple[float, float, int], limit: Limit) -> None:
    with Alarm(*limits) as alarm:
        while not alarm.flag[0]:
            pass
        assert alarm.limit is limit


def test_an_alarm_that_runs_may_be_handed_to_a_search() -> None:
    read, problem = many(PRODUCT.replace("?b ?c ?d ?e ?f ?g ?h ?i ?j ?k ?l", ""), 2)
    with Alarm(600) as alarm:
        assert isinstance(solve(read, problem, alarm=alarm), Plan)
        assert alarm.running
    assert not alarm.running


DEAF = """
import os, signal, sys, time
from chorewright.files.stopping import Alarm, stoppable

def give_up(limit, number):
    print(limit, number)
    return 7

with stoppable(), Alarm({seconds}, give_up=give_up):
    {before}
    while True:
        time.sleep(60)  # goes on after a signal
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    ("seconds", "before", "said"),
    [
        (0.1, "", "Limit.TIME None"),
        (None, "os.kill(os.getpid(), signal.SIGTERM)", f"None {int(signal.SIGTERM)}"),
        (None, "os.kill(os.getpid(), signal.SIGHUP)", f"None {int(signal.SIGHUP)}"),
    ],
)
def test_what_does_not_end_is_given_up(
    seconds: float | None, before: str, said: str, hang_ups_are_heard: object
) -> None:
    code = DEAF.format(seconds=seconds, before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (7, f"{said}\n"), done.stderr
