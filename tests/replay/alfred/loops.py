"""The loops of published agents, retyped from their calls, around whichever package is imported: ours or ALFWorld's.

    python -m tests.replay.alfred.loops GAMES PYTHON [--games 6]     play in both, compare every text (the optional job)
    python tests/replay/alfred/loops.py GAMES --games N [--theirs]    play in one of them, print what was told as JSON

``GAMES`` is a folder of ``export --format alfworld``; ``PYTHON`` has ``alfworld`` 0.4.2 and ``textworld`` 1.7.0. The
agent is scripted: it follows the walkthrough of each game's file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Told = list[Any]
"""What an agent is told in an episode: texts, admissible commands, whether it has won."""


def config(games: Path, data: Path | None = None) -> dict[str, Any]:
    """Return ALFWorld's configuration for the games below a folder; ``data`` has its domain and grammar."""
    logic = {"domain": str(data / "alfred.pddl"), "grammar": str(data / "alfred.twl2")} if data else {}
    return {
        "dataset": {
            "data_path": str(games), "eval_id_data_path": str(games), "eval_ood_data_path": str(games),
            "num_train_games": -1, "num_eval_games": -1,
        },
        "logic": logic,
        "env": {
            "type": "AlfredTWEnv", "task_types": [1, 2, 3, 4, 5, 6], "domain_randomization": False,
            "expert_type": "planner", "goal_desc_human_anns_prob": 0,
        },
        "general": {"training_method": "dagger"},
        "dagger": {"training": {"max_nb_steps_per_episode": 50}},
    }  # fmt: skip


def walkthrough(path: str) -> list[str]:
    """Return the script of a game."""
    found: list[str] = json.loads(Path(path).read_text("utf-8"))["walkthrough"]
    return found


def single(base: Any, given: dict[str, Any], name: str) -> Any:
    """Return an environment of one game: a class of its own that sets ``game_files``, as AgentBench and AgentGym do."""

    class SingleAlfredTWEnv(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.config, self.train_eval, self.game_files, self.num_games = given, "eval_out_of_distribution", [name], 1
            super().__init__(given, train_eval="eval_out_of_distribution")
            self.game_files = [name]

    return SingleAlfredTWEnv().init_env(batch_size=1)


def react(base: Any, given: dict[str, Any], name: str) -> Told:
    """ReAct, Reflexion: one game at a time, the first paragraph cut off, the arrival's place cut off."""
    env = single(base, given, name)
    observations, info = env.reset()
    prompt = "\n".join(observations[0].split("\n\n")[1:])
    told: Told = ["/".join(info["extra.gamefile"][0].split("/")[-3:-1])]
    for action in walkthrough(name):
        observations, _, done, info = env.step([action])
        seen, won, over = observations[0], info["won"][0], done[0]
        if seen.startswith("You arrive at loc "):
            seen = seen[seen.find(". ") + 2 :]
        prompt += f"\n> {action}\n{seen}"
        if over:
            break
    return [*told, prompt, bool(won)]


class VerlWorker:
    """verl-agent: an environment of one game in a worker, seeded; reward ten times ``won``."""

    def __init__(self, seed: int, env: Any) -> None:
        self.env = env
        self.env.seed(seed)

    def reset(self) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        observations, infos = self.env.reset()
        infos["observation_text"] = observations
        return observations, infos

    def step(self, action: str) -> tuple[Any, float, bool, dict[str, Any]]:
        """Do an action."""
        observations, _, dones, infos = self.env.step([action])
        infos["observation_text"] = observations
        return observations, 10.0 * float(infos["won"][0]), bool(dones[0]), infos


def verl(base: Any, given: dict[str, Any], name: str) -> Told:
    """verl-agent's worker; what cannot be done is an action like any."""
    worker = VerlWorker(7, single(base, given, name))
    observations, infos = worker.reset()
    told: Told = [observations[0], infos["admissible_commands"][0]]
    for action in ("<think>no such command</think>", *walkthrough(name)):
        observations, reward, done, infos = worker.step(action)
        told += [observations[0], reward, done, infos["admissible_commands"][0]]
    return told


def agentbench(base: Any, given: dict[str, Any], name: str) -> Told:
    """AgentBench, AgentGym: what a model says becomes an admissible command; none fits, its first word decides."""
    env = single(base, given, name)
    observations, infos = env.reset()
    told: Told = [observations[0]]
    for wanted in walkthrough(name):
        offered = [each for each in infos["admissible_commands"][0] if each != "help"]
        action = wanted if wanted in offered else offered[0]
        observations, _, dones, infos = env.step([action])
        told += [action, observations[0], bool(dones[0])]
    return [*told, bool(infos["won"][0])]


def tales(textworld: Any, wrappers: list[Any], name: str) -> Told:
    """TALES: TextWorld opens a game file; done stands for the score."""
    asked = textworld.EnvInfos(
        score=True, max_score=True, won=True, lost=True, feedback=True, moves=True, admissible_commands=True,
        extras=["walkthrough", "expert_plan"],
    )  # fmt: skip
    env = textworld.start(name, asked, wrappers=wrappers)
    observation, info = env.reset()
    told: Told = [observation, info["extra.walkthrough"]]
    for action in info["extra.walkthrough"]:
        observation, score, done, info = env.step(action)
        told += [observation, score, done, info["moves"], info["won"], info["lost"], info["admissible_commands"]]
    return told


def ours(games: Path) -> dict[str, Callable[[str], Told]]:
    """Return the loops with our imports."""
    from chorewright.replay.alfred import textworld
    from chorewright.replay.alfred.batches import AlfredTWEnv

    return _loops(AlfredTWEnv, config(games), textworld, [textworld.Filter, textworld.AlfredDemangler()])


def theirs(games: Path) -> dict[str, Callable[[str], Told]]:
    """Return the loops with ALFWorld's imports."""
    import alfworld.agents.environment.alfred_tw_env as alfred  # type: ignore[import-not-found]
    import textworld  # type: ignore[import-not-found]
    from textworld.envs.wrappers import Filter  # type: ignore[import-not-found]

    data = Path(alfred.__file__).parents[2] / "data"
    return _loops(alfred.AlfredTWEnv, config(games, data), textworld, [Filter, alfred.AlfredDemangler()])


def _loops(base: Any, given: dict[str, Any], textworld: Any, wrappers: list[Any]) -> dict[str, Callable[[str], Told]]:
    return {
        "ReAct": lambda name: react(base, given, name),
        "verl-agent": lambda name: verl(base, given, name),
        "AgentBench": lambda name: agentbench(base, given, name),
        "TALES": lambda name: tales(textworld, wrappers, name),
    }


def some(games: Path, most: int) -> list[str]:
    """Return the paths of so many games that ALFWorld collects, spread over the folder."""
    found = sorted(str(path) for path in games.rglob("game.tw-pddl"))
    found = [path for path in found if "Sliced" not in path and "movable" not in path]
    return found[:: max(1, len(found) // most)][:most]


def played(loops: dict[str, Callable[[str], Told]], paths: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what each loop was told in each game."""
    for path in paths:
        for name, loop in loops.items():
            yield {"loop": name, "game": path, "told": loop(path)}


def main() -> None:
    """Play in one package, or in both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("python", nargs="?")
    parser.add_argument("--games", type=int, default=6)
    parser.add_argument("--theirs", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    paths = some(folder, arguments.games)
    if arguments.python is None:
        print(json.dumps(list(played(theirs(folder) if arguments.theirs else ours(folder), paths))), file=sys.stderr)
        return
    words = [arguments.python, __file__, str(folder), "--games", str(arguments.games), "--theirs"]
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(words, env=outside, check=True, capture_output=True, text=True)
    expected = json.loads(done.stderr.strip().splitlines()[-1])
    failed = 0
    for one, other in zip(json.loads(json.dumps(list(played(ours(folder), paths)))), expected, strict=True):
        same = one == other
        failed += not same
        print("ok  " if same else "FAIL", one["loop"], "|", "/".join(Path(one["game"]).parts[-3:-1]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
