"""The verb that lets a person play the text world in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.playing import play_in_terminal
from chorewright.commands.shell import readable, verb
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.replay.handmethat.task import HandMeThatTask


@verb
def play(
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another task.")] = 0,
    version: Annotated[
        int, typer.Option("--version", help="Kind of tasks made from a seed: 1 (all requests) or 2.")
    ] = 2,
    episode: Annotated[
        tuple[Path, int] | None,
        typer.Option("--episode", metavar="DIR INDEX", help="An episode of a dataset, by its index."),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", help="One of the reference's files (.json, .json.gz).")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="See only what is where the robot stands.")] = False,
) -> None:
    """Play one episode in the terminal: you are the robot. Exit code 0 if you fulfil the request, else 1."""
    from chorewright.replay.handmethat.words import words
    from chorewright.replay.handmethat.world import TextWorld
    from chorewright.rsa.handmethat.clarification import question_sentence, questions

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
        from chorewright.generator.dataset.store.dataset import Dataset
        from chorewright.generator.handmethat.stored_task import task_of

        return task_of(Dataset(episode[0]).episode(episode[1]))
    from chorewright.generator.handmethat.benchmark import sample_task

    if seed < 0:
        raise UsageError(f"the seed must not be negative, but is {seed}")
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
