"""HandMeThat's agents over one dataset, beside the paper's rows: success, moves and questions by level.

    python -m benchmarks.handmethat_agents DATASET [--agents random heuristic inferring planner oracle] [--episodes 500]
                                           [--partial] [--workers 2] [--logs DIR] [--save] [--json FILE]

The dataset is one of ``chorewright generate handmethat``. With a folder for logs each episode is written to one of
its files once it is played, and those that are there are not played again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.results import Figure, Peer, Report, from_markdown
from chorewright.generator.handmethat.assignment import HandMeThatTrial
from chorewright.generator.handmethat.evaluation import (
    ALL,
    LEVELS,
    Cell,
    HandMeThatEvaluation,
    HandMeThatScore,
    LevelMeans,
    by_level,
    likely_version,
    list_agents,
    paper_rows,
)
from chorewright.generator.measuring.evaluation import play

PAPERS = {"random": "Random", "heuristic": "Heuristic"}
"""The paper's players that are ours; people and learned models are others."""
TABLES = {(1, True): 3, (1, False): 2, (2, True): 6, (2, False): 5}
SOURCE = "Wan et al. 2022 (HandMeThat), Table"


def row(agent: str, found: Mapping[str, LevelMeans], paper: Sequence[Cell]) -> str:
    """Return an agent's line of the table, the paper's success in brackets."""
    cells = []
    for place, level in enumerate(LEVELS):
        ours = f"{100 * found[level].success:.1f}" if level in found else "-"
        cells.append(f"{ours} ({100 * paper[place].success:.1f})" if paper else ours)
    every = found[ALL]
    moves = "-" if every.moves is None else f"{every.moves:.1f}"
    return (
        f"| {agent} | {every.episodes} | {' | '.join(cells)} | {100 * every.success:.1f} | {moves} | "
        f"{every.questions:.2f} |"
    )


def table(played: Mapping[str, Sequence[HandMeThatScore]], paper: Mapping[str, Sequence[Cell]]) -> str:
    """Return a markdown table of all agents."""
    lines = [
        "| agent | episodes | level 1 | level 2 | level 3 | level 4 | all | moves | questions per episode |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    first = by_level(next(iter(played.values())))
    counts = (f"({first[level].episodes})" if level in first else "(0)" for level in LEVELS)
    lines.append(f"| episodes of the level | - | {' | '.join(counts)} | ({first[ALL].episodes}) | - | - |")
    lines += [row(agent, by_level(own), paper.get(PAPERS.get(agent, ""), ())) for agent, own in played.items()]
    return "\n".join(lines)


def report(played: Mapping[str, Sequence[HandMeThatScore]], partial: bool) -> Report:
    """Return the figures of all agents."""
    version = likely_version(next(iter(played.values())))
    paper = paper_rows(version, not partial)
    number = TABLES[version, not partial]
    figures = []
    for agent, own in played.items():
        found = by_level(own)
        groups = [(ALL, "all levels"), *((level, level) for level in LEVELS if level in found and agent == "inferring")]
        for group, said in groups:
            result = found[group]
            error = 100 * sqrt(result.success * (1 - result.success) / result.episodes)
            cells = paper.get(PAPERS.get(agent, ""), ())
            peers = (
                (Peer("the paper's", f"{100 * cells[LEVELS.index(group)].success:.1f} %", f"{SOURCE} {number}"),)
                if cells and group != ALL
                else ()
            )
            figures.append(
                Figure(
                    agent if group == ALL else f"{agent}_{group.replace(' ', '_')}",
                    f"success of `{agent}`, {said}, {result.episodes} episodes",
                    100 * result.success,
                    "%",
                    digits=1,
                    peers=peers,
                    note=f"standard error {error:.1f} points",
                )
            )
    seen = "partial" if partial else "full"
    return Report(
        name=f"handmethat_agents-{version}{'-partial' if partial else ''}",
        group="HandMeThat",
        title=f"HandMeThat's agents, version {version}, {seen} observation",
        explanation="Success in %, in brackets the paper's players of the same kind. `planner` knows the goal as the "
        "paper's listener does, `inferring` is not told it, `oracle` knows what is meant.",
        figures=tuple(figures),
        tables=(from_markdown(table(played, paper), sources={"in brackets": f"{SOURCE} {number}"}),),
    )


def main() -> None:
    """Let the agents play and print the table."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("dataset", type=given_path)
    parser.add_argument("--agents", nargs="+", choices=tuple(list_agents()), default=list(list_agents()))
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--partial", action="store_true", help="the agents see only what is where they stand")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--logs", type=Path, help="a folder for what was played")
    asked = parser.parse_args()
    seen = "partial" if asked.partial else "full"
    if asked.logs:
        asked.logs.mkdir(parents=True, exist_ok=True)
    played = {
        agent: play(
            HandMeThatEvaluation(),
            HandMeThatTrial(
                dataset=str(asked.dataset),
                agent=agent,
                partial=asked.partial,
                episodes=asked.episodes,
                workers=asked.workers,
                log=str(asked.logs / f"{asked.dataset.name}-{agent}-{seen}.log") if asked.logs else "",
            ),
        )
        for agent in asked.agents
    }
    made = report(played, asked.partial)
    print(table(played, paper_rows(likely_version(next(iter(played.values()))), not asked.partial)))
    keep(asked, made)


if __name__ == "__main__":
    main()
