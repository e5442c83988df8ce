"""HandMeThat's verb ``play handmethat``, the text world in the terminal; and ``verify`` of the reference's files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import EpisodeChoice, find_episode
from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import check_seed, console, exit_unless, print_json, printable, readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from rich.table import Table

    from chorewright.replay.handmethat.checks import Checked
    from chorewright.replay.handmethat.task import HandMeThatTask


@verb
def play(
    seed: int = 0,
    version: int = 2,
    episode: EpisodeChoice = None,
    reference: Path | None = None,
    partial: Annotated[bool, typer.Option("--partial")] = False,
) -> None:
    """Play one episode in the terminal: you are the robot. Exit code 0 if you fulfil the request, else 1.

    Args:
        seed: Another seed, another task.
        version: Kind of tasks made from a seed: 1 (all requests) or 2.
        reference: One of the reference's files (.json, .json.gz).
        partial: See only what is where the robot stands.
    """
    from chorewright.replay.handmethat.words import words
    from chorewright.replay.handmethat.world import TextWorld
    from chorewright.rsa.handmethat.requests import question_sentence, questions

    task = _task(seed, version, episode, reference)
    world = TextWorld(task, fully_observable=not partial)

    def ending(steps: int) -> str:
        score = f"Score {world.score:g} after {say_count(world.moves, 'move')}."
        return score if world.won else f"{score}\nWhat was meant: {_meant(task)}."

    asked = (f"{words().question} {question_sentence(question)}" for question in questions())
    play_in_terminal(world, ending, [*words().free, *asked])


def _task(seed: int, version: int, episode: tuple[Path, int] | None, reference: Path | None) -> HandMeThatTask:
    """Return the task that was asked for."""
    import numpy as np

    if episode is not None and reference is not None:
        raise UsageError("--episode and --reference cannot both be given")
    if reference is not None:
        from chorewright.replay.handmethat.reference import load_reference

        return load_reference(readable(reference))
    if episode is not None:
        from chorewright.generator.handmethat.stored_task import task_of

        return task_of(find_episode("handmethat", episode))
    from chorewright.generator.handmethat.benchmark import sample_task

    check_seed(seed)
    if version not in (1, 2):
        raise UsageError(f"there is no version {version}", hint="1 or 2")
    return sample_task(np.random.default_rng(seed), version=version)


def _meant(task: HandMeThatTask) -> str:
    from chorewright.replay.handmethat.words import plain_name

    names = [
        plain_name(name) if argument is None else f"{plain_name(name)} ({_argument(task, argument)})"
        for name, argument in task.groundings[:6]
    ]
    more = ", or others" if len(task.groundings) > 6 else ""
    return " or ".join(names) + more


def _argument(task: HandMeThatTask, argument: str) -> str:
    from chorewright.replay.handmethat.words import plain_name

    return plain_name(argument) if argument in task.scene.by_name else argument


# What ``verify`` says of HandMeThat's episodes in the reference's files: what differs from ours, and why.


NAMED = 4
"""So many episodes are named for each reason."""


class ReferenceFiles:
    """HandMeThat's episodes in the reference's files: one, or a folder of them."""

    def recognises(self, folder: Path) -> bool:
        """Return whether there are such files."""
        from chorewright.replay.handmethat.reference import reference_files

        return bool(reference_files(folder))

    def verify(self, folder: Path, as_json: bool) -> None:
        """Derive again what follows from the rest, and print what differs; exit code 1 if anything does for certain.

        What differs only by costs that are not proven is told as well, but is no fault.

        Raises:
            InputError: A file is no such episode.
        """
        from chorewright.commands.progress import counting
        from chorewright.replay.handmethat.checks import CHECKS, check_reference
        from chorewright.replay.handmethat.reference import reference_files

        paths, checked = reference_files(folder), []
        with counting("verify", "episodes") as watch:
            for done, path in enumerate(paths, 1):
                checked.append(check_reference(path))
                watch(done, len(paths))
        found = [(each.name, finding) for each in checked for finding in each.findings]
        faulty = sum(each.faulty for each in checked)
        if as_json:
            print_json(
                {
                    "folder": str(folder),
                    "ok": not faulty,
                    "episodes": len(checked),
                    "checks": {check: sum(finding.check == check for _, finding in found) for check in CHECKS},
                    "problems": [
                        {
                            "episode": name,
                            "check": each.check,
                            "message": each.reason,
                            "detail": each.detail,
                            "certain": each.certain,
                        }
                        for name, each in found
                    ],
                }
            )
        elif found:
            console().print(_table(checked))
        if not as_json:
            doubtful = sum(bool(each.findings) for each in checked) - faulty
            note = f"; {doubtful} more only by costs that are not proven, which is no fault" if doubtful else ""
            said = f"{say_count(len(checked), 'episode')}, {faulty} of them with something that differs{note}"
            print(printable(f"{folder}: {said}"))
        exit_unless(not faulty)


def _table(checked: Sequence[Checked]) -> Table:
    from rich import box
    from rich.table import Table

    from chorewright.replay.handmethat.checks import CHECKS

    table = Table(box=box.SIMPLE, pad_edge=False)
    for heading in ("expected", "but", "episodes", "such as"):
        table.add_column(heading, justify="right" if heading == "episodes" else "left")
    for check, expected in CHECKS.items():
        reasons: dict[str, list[str]] = {}
        for each in checked:
            for finding in each.findings:
                if finding.check == check:
                    reasons.setdefault(finding.reason, []).append(each.name)
        for reason, names in reasons.items():
            more = ", ..." if len(names) > NAMED else ""
            table.add_row(*map(printable, (expected, reason, str(len(names)), ", ".join(names[:NAMED]) + more)))
            expected = ""
    return table
