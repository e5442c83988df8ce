"""Planning many small problems: one command for all of them beside one command for each.

    python -m benchmarks.plan_batch [--problems N] [--sample M] [--save] [--json FILE]

The problems are carrying tasks with a few balls in random rooms. A sample of them is planned by single
processes, half before the batch and half after it. Both are warm, and both give the same plans.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Report, Target

ROOT = Path(__file__).resolve().parents[1]
DOMAIN = """(define (domain balls) (:requirements :strips)
 (:predicates (at ?r) (in ?b ?r) (held ?b) (free) (room ?r) (ball ?b))
 (:action go :parameters (?from ?to) :precondition (and (room ?from) (room ?to) (at ?from))
  :effect (and (at ?to) (not (at ?from))))
 (:action take :parameters (?b ?r) :precondition (and (ball ?b) (room ?r) (in ?b ?r) (at ?r) (free))
  :effect (and (held ?b) (not (in ?b ?r)) (not (free))))
 (:action drop :parameters (?b ?r) :precondition (and (ball ?b) (room ?r) (held ?b) (at ?r))
  :effect (and (in ?b ?r) (free) (not (held ?b)))))"""
ROOMS, BALLS = 4, 4


def problem(number: int) -> str:
    """Return a problem: each ball is to go from one random room to another."""
    draw = random.Random(number)
    rooms, balls = [f"r{i}" for i in range(ROOMS)], [f"b{i}" for i in range(BALLS)]
    places = [draw.sample(rooms, 2) for _ in balls]
    facts = [*(f"(room {r})" for r in rooms), *(f"(ball {b})" for b in balls), "(free)", f"(at {draw.choice(rooms)})"]
    facts += [f"(in {ball} {start})" for ball, (start, _) in zip(balls, places, strict=True)]
    goal = " ".join(f"(in {ball} {end})" for ball, (_, end) in zip(balls, places, strict=True))
    return (
        f"(define (problem balls-{number}) (:domain balls) (:objects {' '.join((*rooms, *balls))})\n"
        f" (:init {' '.join(facts)})\n (:goal (and {goal})))\n"
    )


def run(*words: object) -> float:
    """Run ``chorewright plan``; return the seconds that it took, start and end included."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "chorewright", "plan", *map(str, words)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def measure(problems: int, sample: int, folder: Path) -> tuple[float, float]:
    """Return the seconds of a single process (the median) and those of the batch, for each problem.

    Raises:
        SystemExit: A plan of the batch differs from that of a single process.
    """
    domain = folder / "domain.pddl"
    domain.write_text(DOMAIN, "utf-8")
    files = [folder / f"p{number:05}.pddl" for number in range(problems)]
    for number, file in enumerate(files):
        file.write_text(problem(number), "utf-8")
    chosen = files[:: max(1, problems // sample)][:sample]
    run(domain, files[0])  # what is not compiled yet is compiled now
    single: list[float] = []

    def alone(some: list[Path]) -> None:
        single.extend(run(domain, file, "-o", file.with_suffix(".single")) for file in some)

    alone(chosen[::2])
    batch = run(domain, *files, "-o", folder / "plans")
    alone(chosen[1::2])
    for file in chosen:
        if file.with_suffix(".single").read_bytes() != (folder / "plans" / f"{file.stem}.plan").read_bytes():
            raise SystemExit(f"the plans of {file.name} differ")
    return statistics.median(single), batch / problems


def main() -> None:
    """Print the seconds a problem, and their ratio."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        single, batch = measure(arguments.problems, arguments.sample, Path(folder))
    print(f"one process each: {single:.2f} s a problem (median of {arguments.sample})")
    print(f"one batch: {1000 * batch:.1f} ms a problem ({arguments.problems} problems)")
    print(f"ratio: {single / batch:.0f}")
    figures = (
        Figure("single", "a process of its own, wall", single, "s", digits=2, target=Target("at most", 1.0)),
        Figure("batch", "a problem of the batch, wall", 1000 * batch, "ms", digits=1),
        Figure("ratio", "times faster by the batch", single / batch, digits=0, target=Target("at least", 20)),
    )
    explanation = f"{arguments.problems:,} small problems by one command beside one command for each (a sample)."
    keep(arguments, Report("plan_batch", "Planner", "Many small problems", explanation, figures))


if __name__ == "__main__":
    main()
