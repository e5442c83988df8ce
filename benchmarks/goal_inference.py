"""How much of HandMeThat's requests an agent understands that infers the human's goal, by hardness level.

    python -m benchmarks.goal_inference [--version 2] [--episodes 300] [--workers 2] [--seed 11] [--recorded]

Episodes are made by the recipe; `--recorded` takes the reference's instead. Each agent chooses once; counted
is the chance that what it chooses fulfils the request. "literal" takes anything that the words fit,
"heuristic" what is likest to what the human did, "inferred" does not know the goal and infers it from the
actions that it watched, "known" knows the goal.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chorewright.domains.library import collection
from chorewright.generator.handmethat import TASK, HandMeThatRecipe
from chorewright.generator.recipe import Assignment, GenerateConfig
from chorewright.replay.handmethat.agents import repeated
from chorewright.replay.handmethat.listener import Belief, listen
from chorewright.replay.handmethat.records import loads
from chorewright.replay.handmethat.reference import file_tasks
from chorewright.replay.handmethat.task import HandMeThatTask
from chorewright.rsa.goal_inference import goal_posterior, listener_with_goals
from chorewright.rsa.meanings import Grounding
from tests.reference import reference

DRAWS = 10
"""Games of the heuristic, which chooses at random among what is as good."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One episode's figures: chances of success, and what was inferred of the goal."""

    level: int
    literal: float
    heuristic: float
    inferred: float
    known: float
    template: float
    goals: int
    cpu: float


def understand(task: HandMeThatTask, version: str, seed: int) -> Understood:
    """Let all listeners hear one request."""
    true = task.template or collection("handmethat")[task.number].full_name
    tagged = [each for each in collection("handmethat") if f"version-{version}" in each.tags]
    fitting = task.context.groundings(task.utterance)
    rng = np.random.default_rng(seed)
    started = time.process_time()
    goals = goal_posterior(task.start, task.scene, task.prefix, rng, tagged)
    heard = listener_with_goals(task.scene, task.utterance, goals)
    believed = Belief(task.context, tuple(heard), tuple(heard.values())).best()[1] if heard else fitting
    cpu = time.process_time() - started
    informed = listen(task, rng)
    repeats = [chance(task, repeated(task, np.random.default_rng((seed, draw)))) for draw in range(DRAWS)]
    return Understood(
        level=task.level,
        literal=chance(task, fitting),
        heuristic=sum(repeats) / DRAWS,
        inferred=chance(task, believed),
        known=chance(task, informed.best()[1] if informed else fitting),
        template=sum(each.probability for each in goals if each.goal.template == true),
        goals=len(goals),
        cpu=cpu,
    )


def chance(task: HandMeThatTask, chosen: Collection[Grounding]) -> float:
    """Return how probably one of the chosen, all as probable, is what was meant."""
    meant = set(task.groundings)
    return sum(each in meant for each in chosen) / len(chosen) if chosen else 0.0


def made(work: tuple[GenerateConfig, Assignment, str]) -> Understood | None:
    """Make an episode and let all listeners hear it; None if there is none."""
    config, assignment, version = work
    text = dict(HandMeThatRecipe().episode(assignment.index, config, assignment).extras).get(TASK)
    return None if text is None else understand(loads(text), version, assignment.index)


def recorded(version: str) -> Iterator[Understood]:
    """Let all listeners hear the reference's requests."""
    for number, task in enumerate(file_tasks(reference("handmethat") / f"v{version}_raw")):
        yield understand(task, version, number)


def table(found: Sequence[Understood]) -> str:
    """Return a markdown table by level."""
    lines = [
        "| level | episodes | literal | heuristic | goal inferred | goal known | P(true template) "
        "| goals weighed | CPU s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for level in (1, 2, 3, 4, 0):
        own = [each for each in found if level in (0, each.level)]
        if own:
            shares = [
                100 * mean(own, name) for name in ("literal", "heuristic", "inferred", "known", "template")
            ]
            lines.append(
                f"| {level or 'all'} | {len(own)} | {' | '.join(f'{each:.1f} %' for each in shares)} | "
                f"{mean(own, 'goals'):.1f} | {mean(own, 'cpu'):.3f} |"
            )
    return "\n".join(lines)


def mean(found: Sequence[Understood], name: str) -> float:
    return float(sum(getattr(each, name) for each in found) / len(found))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--version", choices=("1", "2"), default="2")
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--recorded", action="store_true")
    arguments = parser.parse_args()
    if arguments.recorded:
        print(table(list(recorded(arguments.version))))
        return
    options = (("costs", ("satisficing",)), ("version", (arguments.version,)))
    config = GenerateConfig("handmethat", arguments.episodes, arguments.seed, options=options)
    work = [
        (config, each, arguments.version) for each in HandMeThatRecipe().assign(config, arguments.episodes)
    ]
    found: list[Understood] = []
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for number, each in enumerate(pool.imap(made, work, chunksize=2), 1):
            if each is not None:
                found.append(each)
            print(f"\r{number}/{arguments.episodes}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(table(found))


if __name__ == "__main__":
    main()
