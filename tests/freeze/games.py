"""Transcripts of text games: admissible commands drawn at random, with the expert's mixed in, from fixed seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import gymnasium
import numpy as np

from tests.freeze.workspace import Outputs, Workspace

GAMES = 200
COMMANDS = 20
"""Commands of a game at most."""

EXPERTS = ("extra.expert_plan", "policy_commands", "expert_command")
"""Where environments tell what their expert does next."""


def transcripts(
    name: str,
    arguments: Callable[[Workspace], Mapping[str, Any]],
    infos: Sequence[str],
    games: int = GAMES,
    expert_in: int = 4,
) -> Callable[[Workspace], Outputs]:
    """Return what plays games of an environment and gives their transcripts.

    Args:
        name: The environment's name in Gymnasium's registry.
        arguments: What it is made with.
        infos: What is told after each command besides the usual.
        games: How many games are played.
        expert_in: In one of so many games the expert is asked, since that takes time.
    """

    def make(work: Workspace) -> Outputs:
        given = dict(arguments(work))
        plain = [each for each in infos if each not in EXPERTS]
        makers = {
            asked: gymnasium.make(
                f"chorewright.environments:chorewright/{name}",
                disable_env_checker=True,
                infos=list(infos) if asked else plain,
                **given,
            ).unwrapped
            for asked in (False, True)
        }
        texts = [_transcript(makers[number % expert_in == 0], number) for number in range(games)]
        return {"games.txt": work.settled("\n".join(texts)).encode()}

    return make


def _transcript(env: gymnasium.Env[Any, Any], seed: int) -> str:
    """Return one game as lines."""
    rng = np.random.default_rng((seed, 17))
    said, info = env.reset(seed=seed)
    lines = [f"== {seed}", str(said), _told(info)]
    for _ in range(COMMANDS):
        known = list(info["admissible_commands"])
        if not known:
            break
        wanted = _expert(info)
        command = wanted if wanted and rng.random() < 0.9 else known[int(rng.integers(len(known)))]
        said, reward, done, cut, info = env.step(command)
        lines += [f"> {command}", str(said), f"reward {reward}, done {done}, cut {cut}", _told(info)]
        if done or cut:
            break
    return "\n".join(lines)


def _expert(info: Mapping[str, Any]) -> str:
    """Return the expert's next command, or nothing."""
    for name in EXPERTS:
        if found := info.get(name):
            return str(found if isinstance(found, str) else found[0])
    return ""


def _told(info: Mapping[str, Any]) -> str:
    """Return what is told besides the observation; of long lists of facts the digest."""
    texts = {name: _text(value) for name, value in sorted(info.items())}
    if "facts" in texts:
        texts["facts"] = sha256(texts["facts"].encode()).hexdigest()[:16]
    return "\n".join(f"{name}: {text}" for name, text in texts.items())


def _text(value: object) -> str:
    return " | ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


__all__ = ["transcripts"]
