"""Agents evaluated over many text games, in several processes; their number changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.alfred.games import games_at
from chorewright.generator.dataset.store.manifest import MANIFEST
from chorewright.generator.measuring.playing import play_all
from chorewright.replay.alfred.agents import Agent
from chorewright.replay.alfred.environment import MOST_STEPS
from chorewright.replay.alfred.evaluation import Played, find_agent, play_index
from chorewright.replay.alfred.game import Game
from chorewright.replay.alfred.reading import GameFiles

CHUNK = 16
"""Games that a process is given at once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Which agent plays which games.

    Attributes:
        folder: A dataset, a game file or a folder of these.
        agent: The agent's name or ``module:attribute``, as a person typed it.
        split: Only this split, or None.
        seed: Of the agents' random numbers.
        max_steps: Commands after which a game is lost.
    """

    folder: Path
    agent: str
    split: str | None = None
    seed: int = 0
    max_steps: int = MOST_STEPS


def evaluate(
    trial: Trial,
    count: int | None = None,
    workers: int | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
    log: Path | None = None,
) -> tuple[Played, ...]:
    """Play the first games, all by default, and return how each went, in their order; arguments as ``play_all``.

    Raises:
        UsageError: There is no such agent, it fails, the numbers cannot be, or the log is of something else.
        InputError: The games or the log cannot be read.
        StorageError: The log cannot be written, or another process writes it.
    """
    if trial.max_steps < 1 or trial.seed < 0:
        raise UsageError("--seed must not be negative, --max-steps at least 1")
    find_agent(trial.agent, Origin.PERSON)
    total = len(games_at(trial.folder, trial.split))
    header = {"games": _fingerprint(trial), "agent": trial.agent, "seed": trial.seed, "max_steps": trial.max_steps}
    return play_all(partial(_play, trial), Played, total, CHUNK, header, count, workers, watch, log)


def _fingerprint(trial: Trial) -> str:
    """Return what tells the games from others: a dataset's manifest, or files' names and contents; and the split."""
    whole = sha256(str(trial.split).encode())
    manifest = trial.folder / MANIFEST
    if manifest.exists():
        whole.update(manifest.read_bytes())
        return whole.hexdigest()
    games = games_at(trial.folder, trial.split)
    assert isinstance(games, GameFiles)
    for path in games.paths:
        whole.update(f"{Path(path).relative_to(trial.folder)}".encode())
        whole.update(sha256(Path(path).read_bytes()).digest())
    return whole.hexdigest()


def _play(trial: Trial, indices: Sequence[int]) -> list[Played]:
    agent, games = _agent_and_games(trial)
    return [play_index(agent, games, index, trial.seed, trial.max_steps) for index in indices]


@lru_cache(maxsize=1)
def _agent_and_games(trial: Trial) -> tuple[Agent, Sequence[Game]]:
    return find_agent(trial.agent, Origin.PERSON), games_at(trial.folder, trial.split)
