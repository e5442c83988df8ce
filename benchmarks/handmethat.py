"""HandMeThat episodes next to the paper's and the reference's: processor time, levels, lengths, rejections.

    python -m benchmarks.handmethat [--version 2] [--episodes 2000] [--costs optimal] [--workers 2] [--seed 0]
                                    [--rows FILE [--most 300]] [--save] [--json FILE]

The episodes are made by the benchmark and thrown away. With a file, their figures are kept in it, and only those
that it lacks are made, so that many can be made in pieces. The paper's figures are those of Wan et al. 2022,
the reference's processor seconds were taken by running its public code (7 to 11.4 for an episode of version
2, more than 25 for one of version 1).
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks.command import benchmark_parser, keep
from benchmarks.results import Figure, Peer, Report, Target, from_markdown
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.handmethat.benchmark import HandMeThatBenchmark
from chorewright.generator.handmethat.stored_task import TASK
from chorewright.replay.handmethat.task import loads
from chorewright.rsa.handmethat.subgoals import COSTS

PAPER_LEVELS = {"1": (25.0, 25.0, 25.0, 25.0), "2": (3.5, 67.6, 24.4, 4.6)}
PAPER_SEEN, PAPER_PLAN, PAPER_EPISODES = 15, 25, {"1": 10_000, "2": 116_146}
COSTS_SAID = {"optimal": "optimal costs", "satisficing": "costs of good plans"}
SECONDS = {("1", "optimal"): 1.5, ("1", "satisficing"): 0.5, ("2", "optimal"): 0.4, ("2", "satisficing"): 0.15}
"""CPU seconds an episode that are aimed at, by version and costs."""
REFERENCE_SECONDS = {"1": "25.0", "2": "7.0 to 11.4"}


@dataclass(frozen=True, slots=True)
class Made:
    """One episode's figures: lengths are 0 if not accepted, ``peak`` is the process's so far, in kB."""

    index: int
    task: str
    quest: str
    level: int
    wanted: bool
    accepted: bool
    proven: bool
    attempts: int
    rejections: tuple[str, ...]
    seen: int
    plan: int
    demonstration: int
    useful: int
    cpu: float
    peak: int


@lru_cache(maxsize=1)
def benchmark() -> HandMeThatBenchmark:
    """Return the benchmark, one per process."""
    return HandMeThatBenchmark()


def make(work: tuple[GenerateConfig, Assignment]) -> Made:
    """Make one episode; return its figures."""
    config, assignment = work
    started = time.process_time()
    episode = benchmark().episode(assignment.index, config, assignment)
    cpu = time.process_time() - started
    extras, asked = dict(episode.extras), dict(assignment.parameters)
    task = loads(extras[TASK]) if episode.outcome.accepted else None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Made(
        index=assignment.index,
        task=episode.task,
        quest=asked["request"],
        level=task.level if task else 0,
        wanted=task is not None and str(task.level) == asked.get("level", str(task.level)),
        accepted=task is not None,
        proven=extras.get("costs") == "proven",
        attempts=episode.attempts,
        rejections=episode.rejections,
        seen=task.observed if task else 0,
        plan=len(task.plan) if task else 0,
        demonstration=len(task.demonstration) if task else 0,
        useful=len(task.useful) if task else 0,
        cpu=cpu,
        peak=peak // 1024 if sys.platform == "darwin" else peak,
    )


def by_group(made: Sequence[Made], of: str) -> str:
    """Return a markdown table of the episodes by goal or by type of request."""
    lines = [
        f"| {of} | episodes | accepted % | attempts | CPU s mean | median | seen | plan | proven % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted({getattr(one, of) for one in made}):
        own = [one for one in made if getattr(one, of) == name]
        good = [one for one in own if one.accepted] or own
        lines.append(
            f"| {name} | {len(own)} | {share(own, 'accepted'):.1f} | {mean(own, 'attempts'):.2f} | "
            f"{mean(own, 'cpu'):.3f} | {statistics.median(one.cpu for one in own):.3f} | "
            f"{mean(good, 'seen'):.1f} | {mean(good, 'plan'):.1f} | {share(good, 'proven'):.1f} |"
        )
    return "\n".join(lines)


def figures(made: Sequence[Made], version: str) -> str:
    """Return a markdown table of the figures over all episodes."""
    good = [one for one in made if one.accepted]
    levels = Counter(one.level for one in good)
    seconds = sum(one.cpu for one in made) / max(1, len(good))
    rows = [
        ("episodes accepted", f"{len(good)} of {len(made)}", ""),
        ("CPU s per accepted episode", f"{seconds:.3f}", f"{REFERENCE_SECONDS[version]} (reference)"),
        ("CPU s, median; 95th percentile", " ".join(f"{each:.3f}" for each in quantiles(made)), ""),
        ("all costs proven", f"{share(good, 'proven'):.1f} %", "none (reference)"),
        ("scenes tried per episode", f"{mean(made, 'attempts'):.2f}", ""),
        ("actions seen (T)", f"{mean(good, 'seen'):.1f}", str(PAPER_SEEN)),
        ("actions of the plan", f"{mean(good, 'plan'):.1f}", str(PAPER_PLAN)),
        ("commands of the demonstration", f"{mean(good, 'demonstration'):.1f}", "mostly 4 to 5"),
        ("useful subgoals", f"{mean(good, 'useful'):.1f}", ""),
        ("goals", str(len({one.task for one in good})), {"1": "69", "2": "25"}[version]),
        *(
            (f"level {level}", f"{100 * levels[level] / max(1, len(good)):.1f} %", f"{paper:.1f} %")
            for level, paper in enumerate(PAPER_LEVELS[version], 1)
        ),
        ("peak memory of a process", f"{max(one.peak for one in made) / 1024:.0f} MB", ""),
        (
            f"all {PAPER_EPISODES[version]:,} on 2 cores, hours",
            f"{seconds * PAPER_EPISODES[version] / 2 / 3600:.1f}",
            "240 to 370 CPU hours (reference)" if version == "2" else "",
        ),
    ]
    return "\n".join(
        ["| figure | here | paper |", "|---|---|---|", *(f"| {a} | {b} | {c or '-'} |" for a, b, c in rows)]
    )


def rejections(made: Sequence[Made]) -> str:
    """Return a markdown table of why scenes were rejected, by stage."""
    reasons = Counter(reason.split(": ", 1)[1] for one in made for reason in one.rejections)
    tried = sum(one.attempts for one in made)
    stages: Counter[str] = Counter()
    for reason, count in reasons.items():
        stages[reason if reason.startswith("request") else reason.split(":")[0]] += count
    lines = ["| rejected at | scenes | % of those tried |", "|---|---|---|"]
    lines += [f"| {stage} | {count} | {100 * count / tried:.1f} |" for stage, count in stages.most_common()]
    return "\n".join(lines)


def mean(made: Sequence[Made], field: str) -> float:
    return float(sum(getattr(one, field) for one in made)) / max(1, len(made))


def share(made: Sequence[Made], field: str) -> float:
    return 100 * mean(made, field)


def quantiles(made: Sequence[Made]) -> tuple[float, float]:
    ordered = sorted(one.cpu for one in made)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]


def report(made: Sequence[Made], version: str, costs: str) -> Report:
    """Return the figures of all episodes."""
    good = [one for one in made if one.accepted]
    seconds = sum(one.cpu for one in made) / max(1, len(good))
    peer = Peer("reference", f"{REFERENCE_SECONDS[version]} s", "the reference's public code, run by us")
    proven = sum(one.proven for one in good)
    shown = [
        from_markdown(figures(made, version)),
        from_markdown(by_group(made, "quest" if version == "1" else "task")),
    ]
    if any(one.rejections for one in made):
        shown.append(from_markdown(rejections(made)))
    return Report(
        name=f"handmethat-{version}-{costs}",
        group="HandMeThat",
        title=f"HandMeThat's episodes of version {version}, {COSTS_SAID[costs]}",
        explanation="Episodes of the recipe, beside the paper's and the CPU seconds of the reference's code.",
        figures=(
            Figure("cpu_seconds", "CPU an accepted episode", seconds, "s", digits=3,
                   target=Target("at most", SECONDS[version, costs]), peers=(peer,)),
            Figure("accepted", "episodes accepted", len(good), of=len(made)),
            Figure("proven", "episodes with all costs proven", proven, of=max(1, len(good)),
                   target=Target("at least", 90) if (version, costs) == ("2", "optimal") else None),
            Figure("peak_memory", "peak memory of a process", round(max(one.peak for one in made) / 1024), "MB"),
            Figure("hours", f"all {PAPER_EPISODES[version]:,} on 2 cores",
                   seconds * PAPER_EPISODES[version] / 2 / 3600, "h", digits=1),
        ),
        tables=tuple(shown),
    )  # fmt: skip


def main() -> None:
    """Make the episodes and print the tables."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--version", choices=sorted(PAPER_LEVELS), default="2")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--costs", choices=sorted(COSTS), default="optimal")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="A file for the figures of each episode, one a line.")
    parser.add_argument("--most", type=int, help="Make at most so many more episodes.")
    arguments = parser.parse_args()
    options = (("costs", (arguments.costs,)), ("version", (arguments.version,)))
    config = GenerateConfig("handmethat", arguments.episodes, arguments.seed, options=options)
    known = read(arguments.rows)
    lacking = [each for each in benchmark().assign(config, arguments.episodes) if each.index not in known][
        : arguments.most
    ]
    warm = GenerateConfig("handmethat", 4, arguments.seed + 1, options=options)
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        warming = [(warm, one) for one in benchmark().assign(warm, 4) for _ in range(arguments.workers)]
        pool.map(make, warming, chunksize=1)
        for one in pool.imap(make, [(config, one) for one in lacking], chunksize=4):
            known[one.index] = one
            if arguments.rows:
                with arguments.rows.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
    made = [known[index] for index in sorted(known)]
    print(figures(made, arguments.version))
    print()
    print(by_group(made, "quest"))
    print()
    print(by_group(made, "task"))
    print()
    print(rejections(made))
    keep(arguments, report(made, arguments.version, arguments.costs))


def read(path: Path | None) -> dict[int, Made]:
    """Return the figures that a file has, by index; none if there is no file."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {row["index"]: Made(**{**row, "rejections": tuple(row["rejections"])}) for row in rows}


if __name__ == "__main__":
    main()
