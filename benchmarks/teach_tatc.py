"""TEACh's Two-Agent Task Completion: our planning Commander and Follower beside the paper's rule agents.

    python -m benchmarks.teach_tatc --sessions 20 --workers 2 [--save] [--json FILE]

Every session has other parameters, another room and another scattering. The paper's figures are those of
Table 5: success rates and actions per session of its rule-based agents, and actions per session of people.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.command import benchmark_parser, from_rich, keep
from benchmarks.results import Figure, Peer, Report
from benchmarks.results import Table as Values
from chorewright.generator.measuring.evaluation import play
from chorewright.generator.teach.evaluation import TeachEvaluation
from chorewright.generator.teach.options import TeachTrial
from chorewright.generator.teach.tatc_evaluation import PLANNER, SessionScore, means, tasks

TABLE2, TABLE5 = (f"Padmakumar et al. 2022 (TEACh), Table {number}" for number in (2, 5))
PAPER: dict[str, tuple[float, str, str]] = {
    "Water Plant": (26.70, "230.26", "67.93"),
    "Coffee": (54.55, "120.24", "72.29"),
    "Clean All X": (52.98, "182.38", "96.92"),
    "Put All X On Y": (52.91, "126.82", "103.53"),
    "Boil X": (0.0, "", "130.13"),
    "Plate Of Toast": (0.0, "", "136.11"),
    "N Slices Of X In Y": (22.51, "248.77", "146.23"),
    "Put All X In One Y": (50.98, "150.09", "147.80"),
    "N Cooked Slices Of X In Y": (1.67, "424.25", "189.26"),
    "Sandwich": (0.0, "", "241.61"),
    "Salad": (1.55, "351.20", "253.94"),
    "Breakfast": (0.0, "", "359.90"),
    "overall": (24.40, "161.54", "164.65"),
}
"""Success in percent and actions per session of the rule agents, actions per session of people."""


def main() -> None:
    """Print the table, and what it took."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--sessions", type=int, default=20, help="of each task")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes; 0: this one only")
    options = parser.parse_args()
    began = time.monotonic()
    groups: dict[str, list[SessionScore]] = {name: [] for name in tasks()}
    trial = TeachTrial(agent=PLANNER, sessions=options.sessions, seed=options.seed, workers=options.workers)
    for one in play(TeachEvaluation(), trial):
        if isinstance(one, SessionScore):
            groups[one.task].append(one)
    groups["overall"] = [one for group in groups.values() for one in group]
    table = Table(title="TATC: success and actions per session, ours and the paper's (Table 5)")
    table.add_column("")
    for heading in ("n", "SR %", "rules %", "actions", "rules", "people", "said", "failed"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, group in groups.items():
        if name == "overall":
            table.add_section()
        result, (rules, rule_actions, people) = means(group), PAPER[name]
        table.add_row(
            name,
            str(result.sessions),
            f"{100 * result.success:.1f}",
            f"{rules:.1f}",
            f"{result.actions:.1f}",
            rule_actions,
            people,
            f"{result.utterances:.1f}",
            f"{result.failures:.1f}",
        )
    console = Console(width=100)
    console.print(table)
    for one in groups["overall"]:
        if not one.success:
            console.print(f"failed: {one}", highlight=False)
    console.print(f"{time.monotonic() - began:.0f} s with {options.workers} processes")
    keep(options, report(groups["overall"], from_rich(table, sources={"rules": TABLE5, "people": TABLE2})))


def report(played: Sequence[SessionScore], table: Values) -> Report:
    """Return the figures of all sessions."""
    rules, rule_actions, people = PAPER["overall"]
    return Report(
        name="teach_tatc",
        group="TEACh",
        title="TEACh: two agents",
        explanation="The planning Commander and Follower beside the paper's rule-based agents and people; a session "
        "ends after 1000 actions of both agents together or 30 failed ones.",
        figures=(
            Figure("success", "sessions completed", sum(one.success for one in played), of=len(played),
                   peers=(Peer("rule agents", f"{rules:.2f} %", TABLE5),),
                   note="two things are easier than for the paper's agents: the THOR world has no physics, and an "
                   "object that the Commander looks up is shown with its whole state"),
            Figure("actions", "actions a session, both agents", means(played).actions, digits=1,
                   peers=(Peer("rule agents", rule_actions, TABLE5), Peer("people", people, TABLE2))),
        ),
        tables=(table,),
    )  # fmt: skip


if __name__ == "__main__":
    main()
