"""Text games of any planning problem: speed, every competition domain played; beside PDDLGym where it is at hand.

    python -m benchmarks.pddl_games [--steps 40000] [--pddlgym PYTHON] [--save] [--json FILE]

Random commands of those that are admissible, on the competition problems of blocks. ``--pddlgym`` names a Python that
has ``pddlgym`` 0.0.7: it takes random valid actions on the same problems. All times are CPU seconds.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np
from rich.console import Console

from benchmarks.command import benchmark_parser, keep
from benchmarks.corpora.reference import reference
from benchmarks.results import Figure, Report, Target
from chorewright.domains.pddl import load_domain, load_problem
from chorewright.replay.games.game import ProblemGames, game_of
from chorewright.replay.games.literal_environment import PDDLEnv
from chorewright.replay.games.play import PddlPlay

EXPERT = 1_500_000
AIM = 20_000

PEER = """
import json, sys, time
from pddlgym.core import PDDLEnv
domain, folder, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
env = PDDLEnv(domain, folder, operators_as_actions=True, dynamic_action_space=True)
env.seed(0)
state, _ = env.reset()
env.action_space.sample(state)
began = time.process_time()
for _ in range(steps):
    state, _, done, _, _ = env.step(env.action_space.sample(state))
    if done:
        state, _ = env.reset()
print(json.dumps(steps / (time.process_time() - began)))
"""
"""What PDDLGym's Python runs."""


def blocks(folder: Path) -> tuple[Path, Path]:
    """Return the domain of blocks, and a folder with nothing but its problems, made in ``folder``."""
    for path in sorted(reference("ipc/blocks").glob("*.pddl")):
        if path.name != "domain.pddl":
            (folder / path.name).write_text(path.read_text("utf-8"), encoding="utf-8")
    return reference("ipc/blocks") / "domain.pddl", folder


def rate(steps: int, step: Callable[[], None]) -> float:
    """Return how often a second a step is done."""
    began = time.process_time()
    for _ in range(steps):
        step()
    return steps / (time.process_time() - began)


def game_speed(domain: Path, folder: Path, steps: int) -> float:
    """Return steps a second of the text games themselves, admissible commands asked for at each."""
    plays = [PddlPlay(game) for game in ProblemGames(domain, folder)]
    rng = np.random.default_rng(0)
    found = []
    for play in plays:
        play.reset()

        def step(play: PddlPlay = play) -> None:
            commands = play.admissible()
            if play.step(commands[int(rng.integers(len(commands)))]).terminated:
                play.reset()

        found.append(rate(steps // len(plays), step))
    return float(np.mean(found))


def environment_speed(domain: Path, folder: Path, steps: int) -> float:
    """Return steps a second through Gymnasium, resets and admissible commands included."""
    env = gymnasium.make("chorewright.environments:chorewright/PDDL-v0", domain=domain, problems=folder)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    told = [info]

    def step() -> None:
        commands = told[0]["admissible_commands"]
        _, _, done, cut, info = env.step(commands[int(rng.integers(len(commands)))])
        told[0] = env.reset()[1] if done or cut else info

    return rate(steps, step)


def literal_speed(domain: Path, folder: Path, steps: int) -> float:
    """Return steps a second by PDDLGym's calls in our environment."""
    env = PDDLEnv(domain, folder)
    told = [env.reset(seed=0)[0]]

    def step() -> None:
        state, _, done, _, _ = env.step(env.action_space.sample(told[0]))
        told[0] = env.reset()[0] if done else state

    return rate(steps, step)


@dataclass(slots=True)
class Tally:
    """How many domains and problems there are, and how many the expert won by commands."""

    domains: int = 0
    played: int = 0
    won: int = 0


def play_all(console: Console) -> Tally:
    """Let the expert play the smallest problem of each competition domain by commands."""
    tally = Tally()
    for folder in sorted(reference("ipc").iterdir()):
        files = sorted(folder.glob("*.pddl"), key=lambda each: each.stat().st_size)
        problem = next(each for each in files if "domain" not in each.name)
        own = folder / f"{problem.stem}-domain.pddl"
        domain = load_domain(own if own.exists() else folder / "domain.pddl")
        play = PddlPlay(game_of(domain, load_problem(problem, domain)))
        play.reset()
        tally.domains += 1
        tally.played += bool(play.admissible()) and play.step(play.admissible()[0]).action is not None
        play.reset()
        expert = play.expert(EXPERT)
        while (command := expert.command()) is not None and not play.won:
            expert.follow(play.step(command).action)
        tally.won += play.won
        if not play.won:
            console.print(f"{folder.name}: the expert does not win {problem.name}")
    return tally


def main() -> None:
    """Measure, and print or save the figures."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--steps", type=int, default=40_000, help="random steps of each kind")
    parser.add_argument("--pddlgym", metavar="PYTHON", help="a Python that has pddlgym 0.0.7")
    asked = parser.parse_args()
    console = Console()
    with TemporaryDirectory() as name:
        where = blocks(Path(name))
        speeds = [
            ("game", "text game", game_speed(*where, asked.steps)),
            ("environment", "through Gymnasium", environment_speed(*where, asked.steps)),
            ("literals", "by PDDLGym's calls", literal_speed(*where, asked.steps)),
        ]
        figures = [
            Figure(
                f"steps_{key}",
                f"blocks, {label}: random steps a second",
                found,
                digits=0,
                target=Target("at least", float(AIM)) if key != "literals" else None,
            )
            for key, label, found in speeds
        ]
        if asked.pddlgym:
            words = [asked.pddlgym, "-c", PEER, *map(str, where), str(asked.steps // 20)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            peer = float(json.loads(done.stdout.splitlines()[-1]))
            figures.append(Figure("steps_peer", "blocks, PDDLGym 0.0.7: random steps a second", peer, digits=0))
            figures.append(
                Figure("ratio", "our environment's steps for one of PDDLGym's", speeds[1][2] / peer, digits=0)
            )
    tally = play_all(console)
    aim = Target("at least", 100.0)
    figures.append(Figure("played", "competition domains that play", tally.played, of=tally.domains, target=aim))
    figures.append(Figure("won", "of these, won by the expert's commands", tally.won, of=tally.domains))
    for figure in figures:
        console.print(f"{figure.label}: {figure.text}")
    explanation = "Steps of one core with the admissible commands asked for at each; CPU seconds."
    keep(asked, Report("pddl_games", "Any PDDL domain", "Text games of planning problems", explanation, tuple(figures)))


if __name__ == "__main__":
    main()
