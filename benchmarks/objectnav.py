"""ObjectNav's episodes: accepted, CPU time, shortest paths beside an independent search, and the shipped agents.

    python -m benchmarks.objectnav [--episodes N] [--houses N] [--workers N] [--save] [--json FILE]

Half of the episodes are in the 120 rooms, half in generated houses. The independent search is Dijkstra's algorithm
(networkx) over the places that a simulated agent reaches by trying MoveAhead everywhere; the target is reached at the
first place from which the simulator's metadata call it visible and the whole picture shows it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import networkx as nx
from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.originals.walks import shortest_metres, walked_graph
from benchmarks.results import Figure, Report, Table, Target
from chorewright.files.pool import carry_out
from chorewright.files.processes import usable_cores
from chorewright.generator.dataset.options import configure
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.objectnav.benchmark import ObjectNavBenchmark, tasks_at
from chorewright.generator.objectnav.evaluation import AGENTS, ObjectNavEvaluation, means
from chorewright.generator.objectnav.options import ObjectNavTrial
from chorewright.generator.production.line import run
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.rooms import named_scene
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.objectnav.world import SETTINGS

SHARE = 25
"""Episodes that a process checks before it reports."""

TIMED = 50
"""Episodes whose CPU time is measured, in one process."""


@lru_cache(maxsize=128)
def graph_of(name: str) -> nx.Graph:
    """Return the places of a scene that can be walked to."""
    return walked_graph(named_scene(name, shipped_kinds()))


def checked(folder: Path, indices: Sequence[int]) -> list[bool]:
    """Return whether the shortest paths of some episodes are as long as those of the independent search."""
    tasks, world = tasks_at(folder), ThorWorld(SETTINGS)
    found = []
    for index in indices:
        task = tasks[index]
        found.append(shortest_metres(task.scene, task.target, graph_of(task.scene.name), world) == task.shortest)
    return found


def seconds(benchmark: ObjectNavBenchmark, scenes: Sequence[str], count: int) -> float:
    """Return the mean CPU seconds of an episode, its scene known."""
    config = configure(benchmark, "objectnav", 2 * count, {"scenes": tuple(scenes)})
    given = benchmark.assign(config, 2 * count)
    for each in given[:count]:
        benchmark.episode(each.index, config, each)
    started = time.process_time()
    for each in given[count:]:
        benchmark.episode(each.index, config, each)
    return (time.process_time() - started) / count


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=1000, help="half in rooms, half in houses")
    parser.add_argument("--houses", type=int, default=100, help="houses that half of them are in")
    parser.add_argument("--workers", type=int, default=usable_cores(), help="processes")
    asked = parser.parse_args()
    console, benchmark = Console(), ObjectNavBenchmark()
    figures: list[Figure] = []
    rows: list[tuple[str, ...]] = []
    half = asked.episodes // 2
    with tempfile.TemporaryDirectory() as folder:
        accepted = equal = 0
        for place, words in (("rooms", ()), ("houses", (f"houses:0-{asked.houses - 1}",))):
            path = Path(folder) / place
            config = configure(benchmark, "objectnav", half, {"scenes": words})
            run(config, str(path), workers=asked.workers)
            count = len(tasks_at(path))
            accepted += count
            jobs = [range(first, min(first + SHARE, count)) for first in range(0, count, SHARE)]
            equal += sum(sum(each) for each in carry_out(partial(checked, path), jobs, asked.workers, "check"))
            for agent in AGENTS:
                trial = ObjectNavTrial(dataset=str(path), agent=agent, workers=asked.workers)
                whole = means(play(ObjectNavEvaluation(), trial))
                name = agent.replace("-", "_")
                rows.append(
                    (
                        f"{agent}, {place}",
                        f"{100 * whole['success']:.1f}",
                        f"{whole['spl']:.3f}",
                        f"{whole['soft_spl']:.3f}",
                        f"{whole['left']:.2f}",
                        f"{whole['steps']:.0f}",
                    )
                )
                target = Target("at least", 1.0) if agent == "shortest-path" else None
                label = f"SPL of the agent {agent} in {place}"
                figures.append(Figure(f"{name}_{place}", label, whole["spl"], digits=3, target=target))
        first = [
            Figure("accepted", "episodes accepted", accepted, of=2 * half, target=Target("at least", 99.0)),
            Figure(
                "equal",
                "shortest paths as long as those of the independent search",
                equal,
                of=accepted,
                target=Target("at least", 100.0),
            ),
        ]
        spent = 1000 * seconds(benchmark, [f"houses:0-{TIMED - 1}"], TIMED)
        first.append(Figure("time", "CPU time of an episode in a house that is there", spent, "ms", digits=0))
    figures = [*first, *figures]
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    heads = ("agent and place", "success %", "SPL", "SoftSPL", "left m", "actions")
    caption = f"{half} episodes in the 120 rooms and {half} in {asked.houses} houses of 1 to 10 rooms; seed 0"
    explanation = "Episodes are generated, their paths searched anew by networkx, and played by the shipped agents."
    report = Report("objectnav", "ObjectNav", "Object-goal navigation", explanation, tuple(figures))

    keep(asked, replace(report, tables=(Table(heads, tuple(rows), caption),)))


if __name__ == "__main__":
    main()
