"""The expert on demand: milliseconds of an answer in rooms, text games and at the table, and goals reached.

    python -m benchmarks.experts [--dataset DIR] [--episodes N] [--save] [--json FILE]

Each episode of a dataset of ALFRED's (60 are generated if none is given) is played in the THOR world by an agent that
does something random at a share of the steps, and what the expert says at the others. Answers that need a new plan are
counted apart. Text games are played in the same way. At the table the expert does tasks without strays.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import chorewright as cw
from benchmarks.command import benchmark_parser, given_path, keep
from benchmarks.results import Figure, Report, Target
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.household.spawning import room_of
from chorewright.problems.calvin.scenes import scene
from chorewright.replay.calvin.world import TabletopWorld
from chorewright.replay.experts import OnlineExpert
from chorewright.replay.household.world import ThorWorld
from chorewright.replay.simulator import SimulatorAction

MOST_STEPS = 400
PLANNED = 5.0
"""Milliseconds from which on an answer in a room needed a new plan."""

MOVES = ("MoveAhead", "RotateLeft", "RotateRight", "LookUp", "LookDown")
DEEDS = ("OpenObject", "CloseObject", "PickupObject", "ToggleObjectOn", "ToggleObjectOff")
TASKS = ("open_drawer", "move_slider_left", "turn_on_led", "turn_on_lightbulb", "lift_red_block_table")


@dataclass
class Answers:
    """Milliseconds of the answers after the first one of each episode, and episodes that reached the goal."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    reached: int = 0
    episodes: int = 0

    def ask(self, expert: OnlineExpert[Any], first: bool) -> Any:
        """Return the expert's next action, and keep the time."""
        begin = time.perf_counter()
        action = expert.action()
        (self.first if first else self.later).append((time.perf_counter() - begin) * 1000)
        return action

    def end(self, expert: OnlineExpert[Any]) -> None:
        """Count an episode."""
        left = expert.plan()
        self.episodes += 1
        self.reached += left is not None and not len(left)


def stray(world: ThorWorld, random: np.random.Generator) -> SimulatorAction:
    """Return a random action: a move, or something done to a thing in view."""
    name = str(random.choice([*MOVES, *DEEDS]))
    seen = [body.object_id for body in world.scene().objects if world.visible(body.object_id)]
    if name in MOVES or not seen:
        return SimulatorAction(name if name in MOVES else MOVES[0], {"forceAction": True})
    return SimulatorAction(name, {"objectId": str(random.choice(seen))})


def in_rooms(dataset: Dataset, episodes: int, share: float) -> Answers:
    """Play episodes in the THOR world, with a share of strays."""
    answers, random, world = Answers(), np.random.default_rng(0), ThorWorld()
    for place in range(min(episodes, len(dataset))):
        episode = dataset[place]
        world.reset(room_of(episode))
        expert = cw.expert(world, episode)
        for step in range(MOST_STEPS):
            action = answers.ask(expert, step == 0)
            if action is None:
                break
            world.step(stray(world, random) if random.random() < share else action)
        answers.end(expert)
    return answers


def in_games(names: Sequence[str], episodes: int, share: float) -> Answers:
    """Play text games, with a share of random commands."""
    answers, random = Answers(), np.random.default_rng(0)
    for name in names:
        env = cw.make_env(name, max_steps=None)
        expert = cw.expert(env)
        for seed in range(episodes):
            _, info = env.reset(seed=seed)
            for step in range(MOST_STEPS):
                command = answers.ask(expert, step == 0)
                if command is None:
                    break
                offered = info["admissible_commands"]
                chosen = offered[random.integers(len(offered))] if random.random() < share else command
                info = env.step(chosen)[-1]
            answers.end(expert)
    return answers


def at_the_table() -> Answers:
    """Do tasks at CALVIN's table."""
    answers = Answers()
    with TabletopWorld(scene("D")) as world:
        for task in TASKS:
            world.reset()
            expert = cw.expert(world, task)
            for step in range(MOST_STEPS):
                action = answers.ask(expert, step == 0)
                if action is None:
                    break
                world.step(action)
            answers.end(expert)
    return answers


def figures(name: str, label: str, answers: Answers, target: Target | None = None) -> list[Figure]:
    """Return what came of it."""
    planned = [each for each in answers.later if each > PLANNED]
    found = [
        Figure(f"{name}-median", f"{label}: an answer after the first, median", median(answers.later), "ms", digits=2,
               target=target),
        Figure(f"{name}-p95", f"{label}: 95 of 100 answers", float(np.percentile(answers.later, 95)), "ms", digits=2),
        Figure(f"{name}-first", f"{label}: the first answer, median", median(answers.first), "ms", digits=1),
        Figure(f"{name}-reached", f"{label}: goals reached", answers.reached, of=answers.episodes),
    ]  # fmt: skip
    if planned:
        found.append(
            Figure(f"{name}-new", f"{label}: an answer with a new plan, median", median(planned), "ms", digits=1)
        )
    return found


def main() -> None:
    """Run the benchmark."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--dataset", type=given_path, help="a dataset of ALFRED's")
    parser.add_argument("--episodes", type=int, default=60)
    asked: argparse.Namespace = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        made = Dataset(asked.dataset) if asked.dataset else cw.generate("alfred", Path(name) / "made", episodes=60)
        found: list[Figure] = []
        for share in (0.0, 0.3):
            target = Target("at most", 20.0)
            label = f"rooms, {share:.0%} of the steps astray".replace("%", " %")
            found += figures(f"rooms-{share * 100:.0f}", label, in_rooms(made, asked.episodes, share), target)
    found += figures("games", "ALFRED's text games, 20 % astray", in_games(["ALFWorld-v0"], asked.episodes // 3, 0.2))
    found += figures("table", "five tasks at CALVIN's table", at_the_table())
    told = "The expert's next action from any state: an agent strays at random, the expert leads on from there."
    keep(asked, Report("experts", "Rooms and pictures", "The expert on demand", told, tuple(found)))


if __name__ == "__main__":
    main()
