"""The verb ``init``: a project folder with a task, a file of defaults and the next commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, print_json, printable, verb, write_text
from chorewright.commands.starting.defaults import NAME
from chorewright.errors import StorageError

TASK = "first-task"

SETTINGS = f"""\
# Defaults for commands that are run in this folder; the command line wins.
# A table for each verb, a key for each option: chorewright VERB --help lists them.

[generate]
episodes = 4
seed = 0

[generate.alfred]
tasks = ["{TASK}.task"]

[check-task]
rooms = 2
"""

README = f"""\
# {{name}}

Tasks and datasets of [chorewright](https://pypi.org/project/chorewright/).

- `{TASK}.task`: a task to start from; edit it.
- `{NAME}`: defaults of the commands that are run here.

```sh
chorewright check-task {TASK}.task      # try the task in rooms
chorewright generate alfred --out data  # make a dataset of it
chorewright verify data                 # check every file
chorewright show data 0                 # read one episode
chorewright view data -o data.html      # pages to look at
```
"""


@verb
def init(
    folder: Annotated[Path, typer.Argument(help="A new folder, or one without these files.")],
    as_json: AsJson = False,
) -> None:
    """Start a project: a folder with a task of your own, defaults and the next commands."""
    from chorewright.domains.library import user_library

    name = folder.resolve().name
    files = {NAME: SETTINGS, f"{TASK}.task": user_library().scaffold(TASK), "README.md": README.format(name=name)}
    there = [each for each in files if (folder / each).exists()]
    if there:
        raise StorageError(f"{folder / there[0]} exists already", hint="choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot make {folder}: {getattr(error, 'strerror', None) or error}") from error
    for each, text in files.items():
        write_text(folder / each, text, fresh=True)
    if as_json:
        print_json({"folder": str(folder), "files": sorted(files)})
        return
    print(printable(f"{folder}: {', '.join(files)}"))
    print(printable(f"next: cd {folder}; chorewright check-task {TASK}.task"))
