"""Limits and signals that fall into each phase of planning: a process must end within a second, with its exit code.

    python -m benchmarks.planner_limits [--runs N] [--save] [--json FILE]

Problems are made here, each of which spends its time in one phase: reading a large file, compiling and laying out
rules of many parameters and alternatives, grounding, tables of landmarks, searching, improving. At a random moment in
that phase, or in the first half second, a limit on processor time or on time by the clock, a memory limit, SIGTERM or
Ctrl-C comes. The overrun is counted in processor seconds, so that other jobs on the machine do not count; a process
that has found its plan before counts as kept.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.command import ROOT, benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Report, Target

ALLOWED = 1.0
"""Seconds after which a process must have ended."""

ENDINGS = ("cpu", "time", "SIGTERM", "SIGINT", "memory")
CODES = {"cpu": 23, "time": 23, "memory": 22, "SIGTERM": 143, "SIGINT": 130}
MOMENTS = {
    "reading": (0.8, 5.0),
    "rules": (0.9, 5.0),
    "axioms": (0.9, 8.0),
    "grounding": (1.0, 8.0),
    "tables": (1.8, 2.8),
    "searching": (1.0, 6.0),
    "improving": (1.0, 6.0),
}
"""When limits fall into each phase, in processor seconds from the start of the process."""
MEMORY = {"reading": (150, 280), "axioms": (200, 900), "grounding": (180, 300), "searching": (200, 500)}
"""Memory limits that fall into a phase, in megabytes; the other phases take little more than the start."""
EXTRA = {
    "grounding": ("--search", "astar"),
    "tables": ("--queues", "landmarks"),
    "improving": ("--improve", "100000000"),
}
"""More words of the command."""


def objects(count: int) -> str:
    """Return the names of so many objects."""
    return " ".join(f"o{number}" for number in range(count))


def reading() -> tuple[str, str]:
    """A problem file of many initial atoms."""
    domain = """(define (domain d) (:predicates (at ?x) (r ?x ?y))
     (:action go :parameters (?x ?y) :precondition (and (at ?x) (r ?x ?y)) :effect (and (at ?y) (not (at ?x)))))"""
    count, steps = 1000, 1000
    names = [f"o{number}" for number in range(count)]
    atoms = "\n".join(
        f"(r {one} {names[(place * 7 + step) % count]})" for place, one in enumerate(names) for step in range(steps)
    )
    return (
        domain,
        f"(define (problem p) (:domain d) (:objects {objects(count)}) (:init (at o0) {atoms}) (:goal (at o1)))",
    )


def rules() -> tuple[str, str]:
    """Actions with conditions of many alternatives and parameters: compiling rules takes the time."""
    actions = []
    for number in range(400):
        parameters = " ".join(f"?p{each}" for each in range(12))
        choices = " ".join(f"(or (r ?p{each} ?p{each + 1}) (r ?p{each + 1} ?p{each}))" for each in range(9))
        links = " ".join(f"(r ?p{each} ?p{(each * 5 + number) % 12})" for each in range(12))
        condition = f"(and {links} {choices})"
        actions.append(
            f"(:action a{number} :parameters ({parameters}) :precondition {condition} :effect (q ?p{number % 12}))"
        )
    domain = f"(define (domain d) (:requirements :adl) (:predicates (q ?x) (r ?x ?y)) {' '.join(actions)})"
    return (
        domain,
        f"(define (problem p) (:domain d) (:objects {objects(3)}) (:init (r o0 o1) (r o1 o2)) (:goal (q o2)))",
    )


def axioms() -> tuple[str, str]:
    """Axioms and nested quantifiers over many objects: laying out conditions takes the time."""
    chain = "(exists (?y ?z) (and (r ?x ?y) (r ?y ?z) (forall (?w) (imply (r ?z ?w) (s{} ?w)))))"
    derived = "\n".join(f"(:derived (s{number} ?x) {chain.format(number - 1)})" for number in range(1, 12))
    names = " ".join(f"(s{number} ?x)" for number in range(12))
    domain = f"""(define (domain d) (:requirements :adl :derived-predicates) (:predicates (r ?x ?y) {names})
     {derived} (:action a :parameters (?x ?y) :precondition (s11 ?x) :effect (and (r ?x ?y) (s0 ?y)))
     (:action b :parameters (?x ?y) :precondition (r ?x ?y) :effect (not (r ?x ?y))))"""
    pairs = " ".join(f"(r o{one} o{(one + step) % 40})" for one in range(40) for step in range(1, 6))
    return domain, f"(define (problem p) (:domain d) (:objects {objects(40)}) (:init (s0 o1) {pairs}) (:goal (s0 o2)))"


def grounding() -> tuple[str, str]:
    """Joins of many rows, all of which the goal can need."""
    count = 60
    domain = """(define (domain d) (:predicates (q ?x) (r ?x ?y) (t ?x ?y) (s ?x ?y ?z))
     (:action n :parameters (?a ?b ?c) :precondition (and (r ?a ?b) (r ?b ?c)) :effect (s ?a ?b ?c))
     (:action m :parameters (?a ?b ?c ?d) :precondition (and (s ?a ?b ?c) (s ?c ?b ?a) (t ?c ?d)) :effect (q ?d)))"""
    pairs = " ".join(f"(r o{one} o{other})" for one in range(count) for other in range(count))
    pairs += " ".join(f"(t o{one} o{(one + 1) % count})" for one in range(count))
    goal = " ".join(f"(q o{one})" for one in range(count))
    return domain, f"(define (problem p) (:domain d) (:objects {objects(count)}) (:init {pairs}) (:goal (and {goal})))"


def tables() -> tuple[str, str]:
    """A large floor of doors, all of which are to be opened and passed: thousands of landmarks."""
    size = 55
    cells = [(x, y) for x in range(size) for y in range(size)]
    domain = """(define (domain d) (:predicates (near ?a ?b) (at ?a) (seen ?a) (open ?a) (key ?a ?b))
     (:action go :parameters (?a ?b) :precondition (and (at ?a) (near ?a ?b) (open ?b))
      :effect (and (not (at ?a)) (at ?b) (seen ?b)))
     (:action unlock :parameters (?a ?b) :precondition (and (at ?a) (key ?a ?b)) :effect (open ?b)))"""
    steps = [(x, y, x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (0, 1)) if max(x + dx, y + dy) < size]
    init = [f"(near c{x}-{y} c{u}-{v}) (near c{u}-{v} c{x}-{y}) (key c{x}-{y} c{u}-{v})" for x, y, u, v in steps]
    names = [f"c{x}-{y}" for x, y in cells]
    goal = " ".join(f"(seen {name})" for name in names[1:])
    return domain, (
        f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init (at c0-0) {' '.join(init)})"
        f" (:goal (and {goal})))"
    )


def searching() -> tuple[str, str]:
    """A sliding puzzle without a solution: the search visits everything."""
    size = 4
    cells = [(row, column) for row in range(size) for column in range(size)]
    domain = """(define (domain tiles) (:predicates (on ?t ?c) (free ?c) (near ?c ?d) (tile ?t))
     (:action slide :parameters (?t ?c ?d) :precondition (and (tile ?t) (on ?t ?c) (free ?d) (near ?c ?d))
      :effect (and (on ?t ?d) (not (on ?t ?c)) (free ?c) (not (free ?d)))))"""
    near = " ".join(f"(near c{r}{c} c{s}{d})" for r, c in cells for s, d in cells if abs(r - s) + abs(c - d) == 1)
    tiles = [f"t{number}" for number in range(len(cells) - 1)]
    places = [f"c{row}{column}" for row, column in cells]
    start = " ".join(f"(tile {tile}) (on {tile} {place})" for tile, place in zip(tiles, places, strict=False))
    goal = " ".join(
        f"(on {tile} {place})" for tile, place in zip([tiles[1], tiles[0], *tiles[2:]], places, strict=False)
    )
    init = f"{start} (free {places[-1]}) {near}"
    names = " ".join((*tiles, *places))
    return domain, f"(define (problem p) (:domain tiles) (:objects {names}) (:init {init}) (:goal (and {goal})))"


def improving() -> tuple[str, str]:
    """A round trip that is found at once and improved without end."""
    count = 60
    draw = random.Random(1)
    costs = " ".join(f"(= (d o{one} o{other}) {draw.randint(1, 99)})" for one in range(count) for other in range(count))
    domain = """(define (domain trip) (:requirements :adl :action-costs) (:predicates (at ?x) (seen ?x))
     (:functions (total-cost) - number (d ?x ?y) - number)
     (:action go :parameters (?x ?y) :precondition (and (at ?x) (not (= ?x ?y)))
      :effect (and (not (at ?x)) (at ?y) (seen ?y) (increase (total-cost) (d ?x ?y)))))"""
    return domain, (
        f"(define (problem p) (:domain trip) (:objects {objects(count)}) (:init (at o0) {costs})"
        " (:goal (forall (?x) (seen ?x))) (:metric minimize (total-cost)))"
    )


PHASES = (reading, rules, axioms, grounding, tables, searching, improving)


def spent() -> float:
    """Processor seconds of all processes that have ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def of_process(process: int) -> float:
    """Processor seconds of a running process; 0 if it has just ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was ended.

    Attributes:
        code: The exit code.
        over: Processor seconds beyond the moment; 0 for a memory limit.
        errors: The error stream.
        pace: Seconds by the clock for each processor second.
    """

    code: int
    over: float
    errors: str
    pace: float


def one_run(files: tuple[Path, Path], ending: str, moment: float, extra: tuple[str, ...], pace: float) -> Run:
    """Run ``plan`` until something ends it.

    Args:
        files: The domain and the problem.
        ending: What ends it.
        moment: When, in processor seconds; for a memory limit, in megabytes.
        extra: More words of the command.
        pace: Seconds by the clock for each processor second, by which a limit by the clock is set.
    """
    command = [sys.executable, "-m", "chorewright", "plan", *map(str, files), *extra]
    if ending == "cpu":
        command += ["--cpu-limit", f"{moment:.2f}"]
    elif ending == "time":
        command += ["--time-limit", f"{moment * pace:.2f}"]
    elif ending == "memory":
        command += ["--memory-limit", f"{moment:.0f}"]
    before, started = spent(), time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        at = moment
        signalled = ending.startswith("SIG")
        while ending == "time" and run.poll() is None and time.monotonic() - started < moment * pace:
            time.sleep(0.01)
        while signalled and run.poll() is None and of_process(run.pid) < moment:
            time.sleep(0.01)
        reached = ending == "cpu" or (ending != "memory" and run.poll() is None)
        if ending != "cpu" and reached:
            at = of_process(run.pid)
        if signalled and reached:
            run.send_signal(signal.SIGTERM if ending == "SIGTERM" else signal.SIGINT)
        _, errors = run.communicate(timeout=600)
    took = spent() - before
    pace = (time.monotonic() - started) / max(took, 0.1)
    return Run(run.returncode, took - at if reached else 0.0, errors, pace)


def moment_of(draw: random.Random, phase: str, ending: str, early: bool) -> float:
    """When a limit falls: in the phase, or early, while modules are imported."""
    if ending == "memory":
        return draw.uniform(*MEMORY[phase])
    return draw.uniform(0.02, 0.6) if early else draw.uniform(*MOMENTS[phase])


def main() -> None:
    """Print, for each phase and ending, the worst overrun."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would theirs
    draw = random.Random(arguments.seed)
    shown = Table("phase", "ending", "runs", "ended by it", "longest overrun, CPU s")
    worst: dict[tuple[str, str], float] = {}
    codes: dict[tuple[str, str], Counter[int]] = {}
    with tempfile.TemporaryDirectory() as name:
        files = {}
        for made in PHASES:
            files[made.__name__] = Path(name, f"{made.__name__}-d.pddl"), Path(name, f"{made.__name__}-p.pddl")
            for path, text in zip(files[made.__name__], made(), strict=True):
                path.write_text(text, "utf-8")
        cases = [(phase, ending) for ending in ENDINGS for phase in files if ending != "memory" or phase in MEMORY]
        kept = 0
        pace = 1.0
        for number in range(arguments.runs):
            phase, ending = cases[number % len(cases)]
            moment = moment_of(draw, phase, ending, number % 9 == 0)
            run = one_run(files[phase], ending, moment, EXTRA.get(phase, ()), pace)
            code, over, errors, pace = run.code, run.over, run.errors, run.pace
            good = over <= ALLOWED and code in (0, 10, CODES[ending]) and "Traceback" not in errors
            kept += good
            key = phase, ending
            worst[key] = max(worst.get(key, 0.0), over)
            codes.setdefault(key, Counter())[code] += 1
            note = "" if good else f"  BROKEN: exit code {code}, {errors.strip()[-200:]}"
            print(f"{number:4} {phase:10} {ending:8} at {moment:5.2f}: {over:+.2f} s{note}", flush=True)
    for key, count in codes.items():
        shown.add_row(*key, str(count.total()), str(count[CODES[key[1]]]), f"{worst[key]:.2f}")
    print(f"{kept} of {arguments.runs} ended within {ALLOWED:g} s, the longest overrun is {max(worst.values()):.2f} s")
    figures = (
        Figure("kept", "runs that ended within 1 CPU second", kept, of=arguments.runs, target=Target("at least", 100)),
        Figure("worst", "longest overrun, CPU", max(worst.values()), "s", digits=2, target=Target("at most", ALLOWED)),
    )
    explanation = (
        "Limits and signals that fall into reading, compiling rules, laying out, grounding, tables of landmarks, "
        "search, improvement; one in nine into the imports."
    )
    tables = (from_rich(shown, "The overrun is in processor seconds; memory limits are judged by exit code."),)
    keep(arguments, Report("planner_limits", "Planner", "Limits and signals", explanation, figures, tables))


if __name__ == "__main__":
    main()
