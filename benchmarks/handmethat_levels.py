"""Why HandMeThat's level shares are what they are: exact shares, by enumerating what is meant and said.

    python -m benchmarks.handmethat_levels [--episodes 250] [--seed 7] [--save] [--json FILE]

For states of version 2 (the goals in equal parts, as the benchmark makes them), and for the states of the
reference's 51 recorded episodes, the table has the probability of each level over all m and u, not only over
the one that was drawn: with our costs, and with variants. "misled" is A(m) not in A(r), of no level in the
paper; the reference's code counts it as level 4.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import Figure, Report, from_markdown
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.handmethat.benchmark import HandMeThatBenchmark
from chorewright.generator.handmethat.stored_task import TASK
from chorewright.planner.cost_to_go.costs_to_go import SATISFICING
from chorewright.replay.handmethat.reference import file_tasks
from chorewright.replay.handmethat.task import HandMeThatTask, loads
from chorewright.rsa.handmethat.meanings import Context, Grounding, Quest
from chorewright.rsa.handmethat.subgoals import Subgoals
from chorewright.rsa.handmethat.utility import hardness, pool, useful_extent
from chorewright.rsa.speech_acts import Floats, speech_acts

PAPER = (4008, 78488, 28343, 5307)


def shares(context: Context, gains: Mapping[Grounding, float]) -> Floats | None:
    """Return the probabilities of being misled and of levels 1 to 4; None if nothing would help."""
    meanings = pool(context, Quest.BRING_ME, gains)
    if not meanings.meanings:
        return None
    acts = speech_acts(meanings)
    useful = useful_extent(context, gains)
    columns, first, count = np.unique(acts.utterance_class, return_index=True, return_counts=True)
    classes, example = np.unique(acts.meaning_class, return_index=True)
    prior = np.bincount(acts.meaning_class, np.exp(meanings.log_prior))
    found = np.zeros(5)
    for column, utterance, alike in zip(columns, first, count, strict=True):
        said = acts.utterances[int(utterance)]
        taken = acts.understand(said)
        for row, meaning in zip(classes, example, strict=True):
            chance = prior[row] * np.exp(acts.log_speaker[row, column]) * alike
            if chance > 1e-9:
                level = hardness(context, useful, meanings.meanings[int(meaning)], said, taken)
                found[level or 0] += chance
    return found


def table(name: str, tasks: Sequence[HandMeThatTask], goals: Collection[int]) -> list[str]:
    """Return the rows of some states: as they are, with variants, and some goals alone in equal parts."""
    variants: dict[str, list[Floats]] = defaultdict(list)
    by_goal: dict[int, list[Floats]] = defaultdict(list)
    by_size: dict[int, list[Floats]] = defaultdict(list)
    for task in tasks:
        subgoals = Subgoals(task.scene, task.goal, SATISFICING)
        gains = subgoals.gains(Quest.BRING_ME)
        found = shares(subgoals.context, gains)
        if found is None:
            continue
        variants["as they are"].append(found)
        by_goal[task.number].append(found)
        by_size[min(5, sum(gain > 0 for gain in gains.values()))].append(found)
        for label, changed in (
            ("all useful subgoals alike", {g: 2.0 if gain > 0 else gain for g, gain in gains.items()}),
            ("one more for being brought", {g: gain + 1 for g, gain in gains.items()}),
        ):
            other = shares(subgoals.context, changed)
            if other is not None:
                variants[label].append(other)
    rows = [row(f"{name}: {label}", len(some), mean(some)) for label, some in variants.items()]
    present = [by_goal[goal] for goal in sorted(goals) if goal in by_goal]
    equal = mean([mean(some) for some in present])
    rows.append(row(f"{name}: the {len(present)} recorded goals, in equal parts", sum(map(len, present)), equal))
    for size, some in sorted(by_size.items()):
        rows.append(row(f"{name}: {size}{' or more' if size == 5 else ''} useful", len(some), mean(some)))
    return rows


def mean(some: Sequence[Floats]) -> Floats:
    return np.asarray(np.mean(some, axis=0))


def row(name: str, count: int, found: Floats) -> str:
    levels = " | ".join(f"{100 * each:.1f}" for each in (*found[1:], found[0]))
    return f"| {name} | {count} | {levels} |"


def main() -> None:
    """Make states and print the table."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=250)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    recorded = list(file_tasks(reference("handmethat") / "v2_raw"))
    goals = {task.number for task in recorded}
    options = (("costs", ("satisficing",)), ("version", ("2",)))
    config = GenerateConfig("handmethat", arguments.episodes, arguments.seed, options=options)
    benchmark = HandMeThatBenchmark()
    made = []
    for each in benchmark.assign(config, arguments.episodes):
        text = dict(benchmark.episode(each.index, config, each).extras).get(TASK)
        made += [loads(text)] if text else []
        print(f"\r{each.index + 1}/{arguments.episodes}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    paper = np.array([0, *PAPER]) / sum(PAPER)
    ours, others = table("ours", made, goals), table("recorded", recorded, goals)
    lines = [
        "| states | episodes | level 1 % | 2 | 3 | 4 | misled |",
        "|---|---|---|---|---|---|---|",
        row("paper", sum(PAPER), paper).replace(" 0.0 |", " - |"),
        *ours,
        *others,
    ]
    print("\n".join(lines))
    keep(arguments, report("\n".join(lines), distance(lines[2], ours[0])))


def distance(paper: str, ours: str) -> float:
    """Return the largest difference between two rows' levels, in points."""
    pairs = zip(*(line.strip("| ").split(" | ")[2:6] for line in (paper, ours)), strict=True)
    return max(abs(float(one) - float(other)) for one, other in pairs)


def report(text: str, points: float) -> Report:
    """Return the table as a result."""
    return Report(
        name="handmethat_levels",
        group="HandMeThat",
        title="HandMeThat's levels",
        explanation="The probability of each level in %, over all that may be meant and said, at states of version 2 "
        "(the 25 goals in equal parts) and at those of the reference's recorded episodes.",
        figures=(Figure("distance", "points from the paper's shares, the worst level", points, digits=1),),
        tables=(from_markdown(text, sources={"paper": "Wan et al. 2022 (HandMeThat)"}),),
        conditions='"misled", A(m) not in A(r), is no level of the paper and drawn again here; the released code '
        "counts it as level 4",
    )


if __name__ == "__main__":
    main()
