"""The verb that words what is already there: a plan, a stored episode, a recorded demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, readable, verb
from chorewright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chorewright.generator.alfred.saying import Worded


@verb
def say(
    source: Annotated[
        Path,
        typer.Argument(help="A dataset's folder, a recorded demonstration (traj_data.json), or a plan file."),
    ],
    episode: Annotated[int | None, typer.Argument(help="Of a dataset: an episode's index; without it, all.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Of a plan: its task, as compile took it.")] = None,
    slot: Annotated[
        list[str] | None, typer.Option("--slot", metavar="SLOT=KIND", help="Of a plan: as compile took it.")
    ] = None,
    scene: Annotated[str | None, typer.Option("--scene", help="Of a plan: its room, as compile took it.")] = None,
    scene_seed: Annotated[int, typer.Option("--scene-seed", help="Of a plan: compile's --seed.")] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Other words for another number.")] = 0,
    annotators: Annotated[int, typer.Option("--annotators", min=1, max=20, help="How many annotators speak.")] = 3,
    as_json: AsJson = False,
) -> None:
    """Say a plan, a stored episode or a recorded demonstration in English: its goal, and a sentence a subgoal.

    A plan file is said with the options that `compile` made its problem with.
    """
    from chorewright.generator.alfred.saying import say_dataset, say_plan, say_recording

    for name, value in (("seed", seed), ("scene seed", scene_seed)):
        if value < 0:
            raise UsageError(f"the {name} must not be negative, but is {value}")
    of_plan = task is not None or bool(slot) or scene is not None or scene_seed != 0
    if not source.exists():
        readable(source)
    if episode is not None and not source.is_dir():
        raise UsageError(f"{source} is no dataset: there is no episode {episode} in it")
    found: Sequence[Worded]
    if source.is_dir() or source.suffix == ".json":
        if of_plan:
            raise UsageError("--task, --slot, --scene and --scene-seed are for plan files", hint="leave them out")
        if source.is_dir():
            found = say_dataset(source, episode, seed, annotators)
        else:
            found = [say_recording(readable(source), seed, annotators)]
    else:
        if task is None:
            raise UsageError("a plan file needs its task", hint="write --task, --slot and --scene as for compile")
        found = [say_plan(readable(source), task, slot or [], scene, scene_seed, seed, annotators)]
    if as_json:
        print_json([each.record() for each in found])
        return
    for each in found:
        print(printable(each.text()))


__all__ = ["say"]
