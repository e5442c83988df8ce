"""Games, agents and states: transcripts, what is played in the terminal, evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.freeze.games import transcripts
from tests.freeze.item import Item, commands, copied
from tests.freeze.verbs import BLOCKS
from tests.freeze.workspace import Outputs, Workspace

ALFRED_INFOS = ("admissible_commands", "won", "goal_conditions", "facts", "reason", "extra.expert_plan")
PDDL_INFOS = ("admissible_commands", "won", "score", "cost", "goal", "goal_conditions", "reason", "expert_command")
TYPED = "look\nhelp\nhint\ninventory\ngo to desk 1\nx\nquit\n"


def _problems(name: str) -> Callable[[Workspace], Mapping[str, Any]]:
    """Return what makes problems of a shipped domain, and gives them with it."""

    def make(work: Workspace) -> Mapping[str, Any]:
        work.run(f"new-domain mine --like {name} --out game-{name}")
        work.run(f"check-domain game-{name}/mine -n 12 --seed 9 --out game-{name}/problems")
        return {"domain": f"game-{name}/mine/domain.pddl", "problems": f"game-{name}/problems"}

    return make


def _tasks(name: str, work: Workspace) -> Mapping[str, Any]:
    """Return the tasks of a larger dataset of HandMeThat."""
    return {"tasks": work.dataset(f"many-{name}")}


GAMES = (
    Item("alfred/games", transcripts(
        "ALFWorld-v0", lambda work: {"games": work.dataset("many-alfred"), "reasons": True}, ALFRED_INFOS)),
    Item("alfred/games-drawn", transcripts("ALFWorld-v0", lambda work: {"shuffle_names": True}, ALFRED_INFOS, 40)),
    Item("alfred-houses/games", transcripts(
        "ALFWorld-v0", lambda work: {"games": work.dataset("many-alfred-houses")}, ALFRED_INFOS)),
    *(
        Item(f"{name}/games", transcripts(
            f"HandMeThat-v{name[-1]}",
            partial(_tasks, name),
            ("admissible_commands", "score", "won", "lost", "objective", "facts", "policy_commands")))
        for name in ("handmethat1", "handmethat2")
    ),
    Item("behavior/games", transcripts("BEHAVIOR-v0", lambda work: {"dataset": work.dataset("many-behavior")},
                                       PDDL_INFOS, expert_in=10)),
    *(
        Item(f"domains/games-{name}", transcripts("PDDL-v0", _problems(name), PDDL_INFOS, 50))
        for name in ("blocks", "gripper", "sokoban", "household")
    ),
)  # fmt: skip

PLAYING = (
    Item("alfred/play", commands("play alfred --episode {alfred} 0", "play alfred --seed 3", typed=TYPED)),
    Item("behavior/play", commands("play behavior --episode {behavior} 0", "play behavior --seed 2", typed=TYPED)),
    Item("handmethat2/play", commands("play handmethat --episode {handmethat2} 0 --partial", typed=TYPED)),
    Item("blocks/play", copied("reference/ipc")(commands(f"play pddl {BLOCKS[0]} {BLOCKS[1]}", typed=TYPED))),
    Item("alfred/evaluate", commands(
        "evaluate alfred {many-alfred} --agent planner -n 12 --workers 0",
        "evaluate alfred {many-alfred} --agent exploring -n 12 --workers 0 --json")),
    Item("handmethat2/evaluate", commands(*(
        f"evaluate handmethat {{many-handmethat2}} --agent {name} -n 6 --workers 0"
        for name in ("random", "heuristic", "planner", "inferring", "oracle")))),
    Item("objectnav/evaluate", commands(*(
        f"evaluate objectnav {{objectnav}} --agent {name} --workers 0"
        for name in ("random", "exploring", "shortest-path")))),
    Item("teach/evaluate", commands("evaluate teach --agents planner --sessions 1 --tasks Coffee --workers 0")),
)  # fmt: skip


def _states(work: Workspace) -> Outputs:
    """Say how far tasks are done at the end of TEACh's game files."""
    work.run(f"export {work.dataset('teach')} --format teach --out states")
    games = sorted(path.relative_to(work.folder).as_posix() for path in (work.folder / "states").rglob("*.game.json"))
    lines = [
        f"check-state {task} --state {game}" for game in games[:6] for task in ("teach/coffee", "teach/toast --json")
    ]
    return {"commands.txt": "\n".join(map(work.run, lines)).encode()}


OF_PLAYING = (*GAMES, *PLAYING, Item("teach/check-state", _states))

__all__ = ["OF_PLAYING"]
