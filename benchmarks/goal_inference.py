"""How much of HandMeThat's requests an agent understands that infers the human's goal, by hardness level.

    python -m benchmarks.goal_inference [--version 2] [--episodes 300] [--workers 2] [--seed 11]
        [--dataset DIR] [--recorded] [--rows FILE] [--save] [--json FILE]
    python -m benchmarks.goal_inference --picture docs/pictures/goal_inference.png

Episodes are made by the benchmark; `--dataset` takes those of a dataset, `--recorded` the reference's instead.
Each agent chooses once; counted is the chance that what it chooses fulfils the request. "literal" takes
anything that the words fit, "heuristic" what is likest to what the human did, "inferred" does not know the
goal and infers it from the actions that it watched and the rules by which the version's episodes are made, "known"
knows the goal. "bound" is the chance of a listener that infers with the true goal among those that it weighs: about
what an ideal one reaches, which weighs all; it is the inferring one where that weighs the true goal anyway. "expected"
is what the inferring listener gives its own choice: that it is right about the odds, the table by confidence shows.
`--rows` appends each episode's figures to a file; what is there already is not heard again. `--picture` draws the saved
results of both versions: how often choices are right, over what the listener gives them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import RESULTS, Figure, Peer, Report, Table, Target, from_markdown, read
from chorewright.domains.library import user_library
from chorewright.domains.templates.goal_templates import Goal
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.handmethat.benchmark import HandMeThatBenchmark
from chorewright.generator.handmethat.evaluation import tasks_at
from chorewright.generator.handmethat.stored_task import TASK
from chorewright.generator.handmethat.trajectory import rules_of
from chorewright.replay.handmethat.agents import repeat
from chorewright.replay.handmethat.expert import Belief, listen
from chorewright.replay.handmethat.task import HandMeThatTask, loads
from chorewright.rsa.handmethat.goal_inference import ProbableGoal, goal_posterior, listener_with_goals
from chorewright.rsa.handmethat.meanings import Grounding

DRAWS = 10
"""Games of the heuristic, which chooses at random among what is as good."""

SHARES = ("literal", "heuristic", "inferred", "bound", "expected", "known", "template")
"""What the table says in %."""

NATURAL = (3.5, 67.6, 24.4, 4.6)
"""Shares of the levels 1 to 4 in % where none is asked for: version 2 in the paper's section 5.1."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One episode's figures: chances of success, and what was inferred of the goal."""

    level: int
    literal: float
    heuristic: float
    inferred: float
    bound: float
    expected: float
    known: float
    template: float
    goals: int
    cpu: float
    known_cpu: float
    quest: str


def understand(task: HandMeThatTask, version: str, seed: int) -> Understood:
    """Let all listeners hear one request."""
    true = task.template or user_library().collection("handmethat")[task.number].full_name
    fitting = task.context.groundings(task.utterance)
    rng = np.random.default_rng(seed)
    started = time.process_time()
    rules = rules_of(int(version))

    def choice(also: Sequence[Goal]) -> tuple[tuple[ProbableGoal, ...], float, Sequence[Grounding]]:
        goals = goal_posterior(
            task.start, task.scene, task.prefix, rng, utterance=task.utterance, rules=rules, also=also
        )
        heard = listener_with_goals(task.scene, task.utterance, goals, rules=rules)
        belief = Belief(task.context, tuple(heard), tuple(heard.values()))
        return goals, *(belief.best() if heard else (1 / len(fitting), fitting))

    goals, expected, believed = choice(())
    cpu = time.process_time() - started
    weighed = len(fitting) == 1 or any(each.goal.goal == task.goal for each in goals)
    ideal = believed if weighed else choice([Goal(true, (), task.goal, (), ())])[2]
    started = time.process_time()
    informed = listen(task, rng)
    known_cpu = time.process_time() - started
    repeats = [chance(task, repeat(task, np.random.default_rng((seed, draw)))) for draw in range(DRAWS)]
    return Understood(
        level=task.level,
        literal=chance(task, fitting),
        heuristic=sum(repeats) / DRAWS,
        inferred=chance(task, believed),
        bound=chance(task, ideal),
        expected=expected,
        known=chance(task, informed.best()[1] if informed else fitting),
        template=sum(each.probability for each in goals if each.goal.template == true),
        goals=len(goals),
        cpu=cpu,
        known_cpu=known_cpu,
        quest=task.utterance.quest.value,
    )


def chance(task: HandMeThatTask, chosen: Collection[Grounding]) -> float:
    """Return how probably one of the chosen, all as probable, is what was meant."""
    meant = set(task.groundings)
    return sum(each in meant for each in chosen) / len(chosen) if chosen else 0.0


@dataclass(frozen=True, slots=True)
class Work:
    """One episode to be heard: of a folder, or made by the benchmark where there is none."""

    index: int
    version: str
    folder: Path | None
    config: GenerateConfig
    assignment: Assignment | None = None


def heard(work: Work) -> tuple[int, Understood | None]:
    """Let all listeners hear an episode; None if there is none."""
    if work.folder is not None:
        return work.index, understand(tasks_at(work.folder)[work.index], work.version, work.index)
    assert work.assignment is not None
    episode = HandMeThatBenchmark().episode(work.index, work.config, work.assignment)
    text = dict(episode.extras).get(TASK)
    return work.index, None if text is None else understand(loads(text), work.version, work.index)


def table(found: Sequence[Understood]) -> str:
    """Return a markdown table by level."""
    lines = [
        "| level | episodes | literal | heuristic | goal inferred | bound | expected | goal known | P(true template) "
        "| goals weighed | CPU s | known |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for level in (1, 2, 3, 4, 0):
        own = [each for each in found if level in (0, each.level)]
        if own:
            shares = [100 * mean(own, name) for name in SHARES]
            lines.append(
                f"| {level or 'all'} | {len(own)} | {' | '.join(f'{each:.1f} %' for each in shares)} | "
                f"{mean(own, 'goals'):.1f} | {mean(own, 'cpu'):.3f} | {mean(own, 'known_cpu'):.3f} |"
            )
    return "\n".join(lines)


BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
"""Limits of what the inferring listener gives its own choice."""


def reliability(found: Sequence[Understood]) -> str:
    """Return a markdown table of how often choices are right, by what the listener gives them."""
    lines = ["| the listener's own odds | episodes | said | right |", "|---|---|---|---|"]
    for low, high in pairwise(BINS):
        own = [each for each in found if low <= each.expected < high or (high == 1 and each.expected >= 1)]
        if own:
            said, right = (100 * mean(own, name) for name in ("expected", "inferred"))
            lines.append(f"| {low:.0%} to {high:.0%} | {len(own)} | {said:.1f} % | {right:.1f} % |")
    return "\n".join(lines)


PANEL, EDGE, INK, FILL = 330, 60, "#222222", "#3b6ea5"


def panel(draw: ImageDraw.ImageDraw, left: int, title: str, tables: Sequence[Table]) -> None:
    """Draw how often choices are right over what is given them: circles for bins, numbers for levels."""

    def at(said: str, right: str) -> tuple[float, float]:
        share = [float(each.removesuffix(" %")) / 100 for each in (said, right)]
        return left + share[0] * PANEL, EDGE + (1 - share[1]) * PANEL

    levels, bins = tables[0].rows, tables[1].rows
    draw.text((left, 18), title, fill=INK, font_size=17)
    draw.rectangle((left, EDGE, left + PANEL, EDGE + PANEL), outline=INK)
    draw.line((left, EDGE + PANEL, left + PANEL, EDGE), fill="#999999")
    for share in (0, 50, 100):
        draw.text((left + share / 100 * PANEL, EDGE + PANEL + 6), f"{share} %", fill=INK, font_size=13, anchor="mt")
        draw.text((left - 6, EDGE + (1 - share / 100) * PANEL), f"{share}", fill=INK, font_size=13, anchor="rm")
    most = max(int(row[1]) for row in bins)
    for _, count, *shares in bins:
        x, y = at(*shares)
        radius = 4 + 14 * (int(count) / most) ** 0.5
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=FILL, width=2)
    said, right = map(list(tables[0].columns).index, ("expected", "goal inferred"))
    for row in levels[:-1]:
        draw.text(at(row[said], row[right]), row[0], fill="#b03030", font_size=20, anchor="mm")
    draw.text((left + PANEL / 2, EDGE + PANEL + 32), "what the listener gives its choice", fill=INK, font_size=14,
              anchor="mm")  # fmt: skip


def picture() -> Image.Image:
    """Return the calibration of both versions, from the saved results."""
    made = Image.new("RGB", (2 * (PANEL + EDGE) + EDGE, PANEL + 2 * EDGE), "white")
    draw = ImageDraw.Draw(made)
    for version in (1, 2):
        tables = read(RESULTS / f"goal_inference-{version}.json").report.tables
        left = EDGE + (version - 1) * (PANEL + EDGE)
        panel(draw, left, f"version {version}: choices that are right, in %", tables)
    return made


def mean(found: Sequence[Understood], name: str) -> float:
    return float(sum(getattr(each, name) for each in found) / len(found))


def main() -> None:
    """Measure and print the table."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--version", choices=("1", "2"), default="2")
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--dataset", type=given_path)
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--rows", type=Path, help="Append each episode's figures here.")
    parser.add_argument("--picture", type=Path, help="Draw the saved results into this file; measure nothing.")
    arguments = parser.parse_args()
    if arguments.picture is not None:
        picture().save(arguments.picture, optimize=True)
        return
    folder = arguments.dataset
    if arguments.recorded:
        folder = reference("handmethat") / f"v{arguments.version}_raw"
    found = kept(arguments.rows)
    work = [each for each in works(arguments, folder) if each.index not in found]
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for index, each in pool.imap(heard, work, chunksize=2):
            found[index] = each
            if arguments.rows is not None:
                with arguments.rows.open("a") as file:
                    file.write(json.dumps([index, asdict(each) if each else None]) + "\n")
            print(f"\r{len(found)}/{arguments.episodes}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    every = [each for _, each in sorted(found.items()) if each is not None]
    print(table(every))
    print(f"\n{reliability(every)}")
    keep(arguments, report(every, arguments.version, arguments.recorded))
    for quest in sorted({each.quest for each in every}):
        if len({each.quest for each in every}) > 1:
            print(f"\n{quest}:\n\n{table([each for each in every if each.quest == quest])}")


def report(every: Sequence[Understood], version: str, recorded: bool) -> Report:
    """Return the figures of all listeners."""

    def figure(name: str, label: str, own: Sequence[Understood]) -> Figure:
        peers = (
            Peer("knowing the goal", f"{100 * mean(own, 'known'):.1f} %", "same run"),
            Peer("the words alone", f"{100 * mean(own, 'literal'):.1f} %", "same run"),
        )
        text = f"{label} resolved by goal inference"
        return Figure(name, text, 100 * mean(own, "inferred"), "%", digits=1, peers=peers)

    levels = [(level, [each for each in every if each.level == level]) for level in (1, 2, 3, 4)]
    natural = sum(share * mean(own, "inferred") for share, (_, own) in zip(NATURAL, levels, strict=True) if own)
    natural /= sum(share for share, (_, own) in zip(NATURAL, levels, strict=True) if own)
    share = 100 * mean(every, "inferred") / mean(every, "bound")
    return Report(
        name=f"goal_inference-{'recorded' if recorded else version}",
        group="HandMeThat",
        title="HandMeThat, when the goal is not known: " + ("recorded episodes" if recorded else f"version {version}"),
        explanation="Four listeners hear the same requests and choose once: the chance in % of choosing what is meant. "
        '"Goal inferred" sees the human\'s actions, the scene and the request; "expected" is the chance that it gives '
        'its own choice; "goal known" is the paper\'s listener.',
        figures=(
            *(figure(f"level_{level}", f"level {level}", own) for level, own in levels if own and level in (2, 3)),
            figure("all", "all levels", every),
            Figure("share", "all levels, as a share of the bound", share, "%", digits=1, target=Target("at least", 95)),
            Figure("bound", "what a listener reaches that weighs the true goal too", 100 * mean(every, "bound"), "%",
                   digits=1),
            Figure("natural", "all levels, each as often as people's requests are of it", 100 * natural, "%", digits=1),
            Figure("expected", "all levels, by the listener's own odds", 100 * mean(every, "expected"), "%", digits=1),
        ),
        tables=(from_markdown(table(every)), from_markdown(reliability(every))),
    )  # fmt: skip


def works(arguments: argparse.Namespace, folder: Path | None) -> list[Work]:
    """Return the episodes that are asked for."""
    options = (("costs", ("satisficing",)), ("version", (arguments.version,)))
    config = GenerateConfig("handmethat", arguments.episodes, arguments.seed, options=options)
    if folder is None:
        return [
            Work(each.index, arguments.version, None, config, each)
            for each in HandMeThatBenchmark().assign(config, arguments.episodes)
        ]
    count = min(arguments.episodes, len(tasks_at(folder)))
    return [Work(index, arguments.version, folder, config) for index in range(count)]


def kept(path: Path | None) -> dict[int, Understood | None]:
    """Return what a file has of an earlier run."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {index: Understood(**values) if values else None for index, values in lines}


if __name__ == "__main__":
    main()
