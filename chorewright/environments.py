"""Gymnasium's registry: ``import chorewright.environments`` makes our environments known by their names.

``gymnasium.make("chorewright/HandMeThat-v2")`` then makes one; without the import,
``gymnasium.make("chorewright.environments:chorewright/HandMeThat-v2")`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chorewright.replay.alfred.batches import Games, TextGameEnv
    from chorewright.replay.games.environment import PddlEnv, PddlGames
    from chorewright.replay.handmethat.environment import HandMeThatEnv, Tasks
    from chorewright.replay.handmethat.world import GameRules


def hand_me_that(
    version: int = 2,
    tasks: Tasks | str | Path | None = None,
    fully_observable: bool = False,
    infos: Sequence[str] | None = None,
    rules: GameRules | None = None,
    render_mode: str | None = None,
) -> HandMeThatEnv:
    """Return HandMeThat's environment; see ``HandMeThatEnv``.

    Args:
        version: Which kind of tasks is made where none are given: 1, all goals and types of requests; 2,
            only things to bring.
        tasks: Tasks, a function that draws one, or the path of a dataset, of a file of the reference's or of
            a folder of these. By default they are made on the fly from the environment's seed.
        fully_observable: Whether all objects are seen at all times.
        infos: The entries of ``info``, all by default.
        rules: Costs and limits, the paper's by default.
        render_mode: ``ansi``, ``human`` or None.
    """
    from pathlib import Path

    from chorewright.generator.handmethat.evaluation import make_tasks, tasks_at
    from chorewright.replay.handmethat.environment import INFOS, HandMeThatEnv
    from chorewright.replay.handmethat.world import PAPER

    if tasks is None:
        tasks = make_tasks(version)
    elif isinstance(tasks, str | Path):
        tasks = tasks_at(Path(tasks))
    return HandMeThatEnv(
        tasks, fully_observable, INFOS if infos is None else infos, PAPER if rules is None else rules, render_mode
    )


for _version in (1, 2):
    gymnasium.register(
        id=f"chorewright/HandMeThat-v{_version}",
        entry_point="chorewright.environments:hand_me_that",
        kwargs={"version": _version},
    )
    # Gymnasium would warn that version 1 is out of date. The two are different tasks, so to the registry they
    # have different names; they are found by their ids as before.
    gymnasium.registry[f"chorewright/HandMeThat-v{_version}"].name = f"HandMeThat-v{_version}"


def alfworld(
    games: Games | str | Path | None = None,
    tasks: Sequence[str] = (),
    scenes: Sequence[str] = (),
    split: str | None = None,
    infos: Sequence[str] | None = None,
    max_steps: int | None = 50,
    reasons: bool = False,
    shuffle_names: bool = False,
    render_mode: str | None = None,
    observation: str = "text",
    size: int = 300,
    spellings: bool = False,
) -> TextGameEnv:
    """Return ALFWorld's text games as an environment; see ``TextGameEnv``.

    Args:
        games: Games, a function that draws one, or the path of a dataset of ALFRED's benchmark, of a game file
            or of a folder of these. By default they are made on the fly from the environment's seed.
        tasks: Which of the thirteen tasks are made on the fly.
        scenes: In which rooms.
        split: Only the games of this split, where ``games`` is a path.
        infos: The entries of ``info``; by default those that take no time.
        max_steps: Steps after which an episode is truncated; None for no limit.
        reasons: Whether a refused command is answered with the reason.
        shuffle_names: Whether things are numbered anew in each episode.
        render_mode: ``ansi``, ``human`` or None.
        observation: ``text``, ``rgb`` (the agent's picture of the same room) or ``both``.
        size: Pixels on a side of the picture.
        spellings: Whether other spellings of a command are understood, such as ``put X in Y``.
    """
    from pathlib import Path

    from chorewright.generator.alfred.drawing import make_games
    from chorewright.generator.alfred.games import games_at
    from chorewright.replay.alfred.batches import USUAL_INFOS, TextGameEnv

    if games is None:
        games = make_games(tasks, scenes)
    elif isinstance(games, str | Path):
        games = games_at(Path(games), split)
    chosen = USUAL_INFOS if infos is None else infos
    return TextGameEnv(games, chosen, max_steps, reasons, shuffle_names, render_mode, observation, size, spellings)


gymnasium.register(id="chorewright/ALFWorld-v0", entry_point="chorewright.environments:alfworld")


def pddl(
    domain: str | Path | None = None,
    problems: str | Path | Sequence[str | Path] | None = None,
    games: PddlGames | None = None,
    wordings: str | Path | None = None,
    observation: str = "text",
    reward: str = "goal",
    infos: Sequence[str] | None = None,
    max_steps: int | None = 200,
    render_mode: str | None = None,
) -> PddlEnv:
    """Return the problems of any PDDL domain as an environment; see ``PddlEnv``.

    Args:
        domain: The domain's file.
        problems: A problem file, a folder of them, or several.
        games: Instead of files: games, or a function that draws one.
        wordings: A ``.say`` file; by default the one beside the domain's.
        observation: ``text``, ``atoms`` or ``both``.
        reward: ``goal`` or ``cost``.
        infos: The entries of ``info``; by default those that take no time.
        max_steps: Steps after which an episode is truncated; None for no limit.
        render_mode: ``ansi``, ``human`` or None.
    """
    from pathlib import Path

    from chorewright.errors import UsageError
    from chorewright.replay.games.environment import PddlEnv
    from chorewright.replay.games.game import ProblemGames

    if games is None:
        if domain is None or problems is None:
            raise UsageError("give a domain and its problems, or games", hint='domain="domain.pddl", problems="folder"')
        games = ProblemGames(domain, problems, None if wordings is None else Path(wordings))
    return PddlEnv(games, observation, reward, infos, max_steps, render_mode)


gymnasium.register(id="chorewright/PDDL-v0", entry_point="chorewright.environments:pddl")


def behavior(
    activities: str | Sequence[str] = (),
    version: str = "1k",
    hands: int = 1,
    distractors: int = 0,
    dataset: str | Path | None = None,
    observation: str = "text",
    reward: str = "goal",
    infos: Sequence[str] | None = None,
    max_steps: int | None = 200,
    render_mode: str | None = None,
) -> PddlEnv:
    """Return BEHAVIOR's activities as an environment; see ``PddlEnv``.

    Args:
        activities: Names, ``1k/NAME`` or ``100/NAME``, or ``.bddl`` files; by default any of the version is drawn.
        version: ``1k`` or ``100``, where no activities are given.
        hands: How many things the robot can hold, 1 or 2.
        distractors: How many things lie about that the activity does not name.
        dataset: Instead of activities: a dataset of BEHAVIOR's benchmark.
        observation: ``text``, ``atoms`` or ``both``.
        reward: ``goal`` or ``cost``.
        infos: The entries of ``info``; by default those that take no time.
        max_steps: Steps after which an episode is truncated; None for no limit.
        render_mode: ``ansi``, ``human`` or None.
    """
    from pathlib import Path

    from chorewright.generator.behavior.world import activity_game, draw_games, find_activity, games_of
    from chorewright.replay.games.environment import PddlEnv

    names = (activities,) if isinstance(activities, str) else tuple(activities)
    games: PddlGames
    if dataset is not None:
        games = games_of(Path(dataset))
    elif names:
        games = [activity_game(find_activity(each), each, 0, distractors, hands) for each in names]
    else:
        games = draw_games(version, hands, distractors)
    return PddlEnv(games, observation, reward, infos, max_steps, render_mode)


gymnasium.register(id="chorewright/BEHAVIOR-v0", entry_point="chorewright.environments:behavior")
