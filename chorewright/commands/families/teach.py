"""TEACh's verb ``check-state``: how far one of its tasks is done in a state."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.common import DefinitionsFolder, MoreParams, Params, gather
from chorewright.commands.shell import AsJson, exit_unless, print_entry, print_json, printable, readable, verb

if TYPE_CHECKING:
    from chorewright.domains.teach.definition import TeachTask
    from chorewright.domains.teach.progress import Progress
    from chorewright.domains.teach.world import ObjectWorld


@verb
def check_state(
    task: str,
    state: Annotated[Path, typer.Option("--state")],
    more: MoreParams = None,
    params: Params = None,
    strict: Annotated[bool, typer.Option("--strict")] = False,
    definitions: DefinitionsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Tell how far a TEACh task is done in a simulator's state. Exit code 1 if it is not done.

    Args:
        task: A TEACh task, e.g. teach/Sandwich or teach/put-all-x-on-y.
        state: The state: a JSON list of object metadata, AI2-THOR's metadata, or a game file (its end).
        strict: Each dish has its own plate and slices; counts are capped.
    """
    from chorewright.domains.teach.progress import check as check_progress
    from chorewright.domains.teach.progress import progress_json
    from chorewright.generator.teach.compiling import load, task_name

    filled = load(definitions).task(task_name(task), gather(params, more))
    world = _world(readable(state))
    _warn_of_unknown_words(filled, world)
    progress = check_progress(filled, world, strict=strict)
    if as_json:
        print_json(progress_json(progress))
    else:
        _print_progress(progress, filled, strict)
    exit_unless(progress.success)


def _warn_of_unknown_words(task: TeachTask, world: ObjectWorld) -> None:
    """Say on standard error which types, classes or properties a task asks for that nothing has, as after a typo."""
    from chorewright.domains.library import household_vocabulary
    from chorewright.domains.teach.compiler import unknown_words

    for error in unknown_words(task, household_vocabulary(), world):
        hint = f"; {error.hint}" if error.hint else ""
        print(printable(f"note: {error.message}{hint}"), file=sys.stderr)


def _world(state: Path) -> ObjectWorld:
    """Return the state that a file holds; that of a game of TEACh's is the final one."""
    from chorewright.domains.library import household_vocabulary
    from chorewright.domains.teach.world import world_of
    from chorewright.files.json_source import load_json
    from chorewright.generator.teach.metrics import GAME, is_game, read_game

    known = household_vocabulary().classes
    if state.name.endswith(GAME):  # these may be large
        return read_game(state).state("final_state", known)
    source = load_json(state)
    if is_game(source.value):
        return read_game(state).state("final_state", known)
    return world_of(source.value, known, path=str(state))


def _print_progress(progress: Progress, task: TeachTask, strict: bool) -> None:
    """Print the sub-goals, each with its goal conditions, and below those that are open what is missing."""
    from chorewright.domains.teach.world import sentences_of

    verdict = f"{'done' if progress.success else 'not done'}: {progress.satisfied} of {progress.total}"
    print(printable(progress.description))
    asked = sentences_of(progress, task)
    widest = max((len(f"{each.satisfied}/{each.total}") for each in progress.subgoals), default=0)
    for subgoal, sentence in zip(progress.subgoals, asked, strict=True):
        mark = "done" if subgoal.success else "open"
        head = f"  {mark}  {f'{subgoal.satisfied}/{subgoal.total}':>{widest}}  "
        print_entry(sentence, head, len(head))
        missing: dict[str, dict[str, None]] = {}
        for step in subgoal.steps:
            if not step.success:
                missing.setdefault(step.desc, {})[step.object_id] = None
        for what, objects in missing.items():
            print_entry(what, " " * len(head) + "- ", len(head) + 2)
            for object_id in objects:
                print_entry(object_id, " " * (len(head) + 4), len(head) + 4)
    print(f"{verdict} goal conditions")
    if strict and not progress.success and all(each.success for each in progress.subgoals):
        print("  though all hold: some objects serve twice, and --strict wants every dish to have its own")
