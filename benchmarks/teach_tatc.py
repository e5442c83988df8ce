"""TEACh's Two-Agent Task Completion: our planning Commander and Follower beside the paper's rule agents.

    python -m benchmarks.teach_tatc --sessions 20 --workers 2

Every session has other parameters, another room and another scattering. The paper's figures are those of
Table 5: success rates and actions per session of its rule-based agents, and actions per session of people.
"""

from __future__ import annotations

import argparse
import time

from rich.console import Console
from rich.table import Table

from chorewright.generator.teach.tatc_evaluation import PLANNER, Played, evaluate_agents, summary, tasks

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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20, help="of each task")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes; 0: this one only")
    options = parser.parse_args()
    began = time.monotonic()
    groups: dict[str, list[Played]] = {name: [] for name in tasks()}
    for one in evaluate_agents(tasks(), options.sessions, options.seed, options.workers, PLANNER):
        groups[one.task].append(one)
    groups["overall"] = [one for group in groups.values() for one in group]
    table = Table(title="TATC: success and actions per session, ours and the paper's (Table 5)")
    table.add_column("")
    for heading in ("n", "SR %", "rules %", "actions", "rules", "people", "said", "failed"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, group in groups.items():
        if name == "overall":
            table.add_section()
        result, (rules, rule_actions, people) = summary(group), PAPER[name]
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


if __name__ == "__main__":
    main()
