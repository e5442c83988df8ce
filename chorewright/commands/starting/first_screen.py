"""What a newcomer meets: the bare command's text, the verbs by their purpose with examples, and first verbs.

These are ``completion`` in a shell, ``demo``, a small dataset to look at, and ``init``, a project folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, answer, make_folder, print_json, printable, verb, write_text
from chorewright.commands.starting.defaults import NAME
from chorewright.errors import DatasetCorrupt, StorageError
from chorewright.files.english import say_count
from chorewright.files.processes import usable_cores
from chorewright.files.text import read_text

if TYPE_CHECKING:
    from chorewright.generator.production.benchmark import FirstLook

PURPOSES: Mapping[str, tuple[str, ...]] = {
    "First steps": ("demo", "init", "doctor", "completion"),
    "Tasks and domains": (
        *("tasks", "new-task", "check-task", "new-domain", "check-domain", "check-scene", "houses", "compile"),
    ),
    "Plans and PDDL files": ("plan", "validate", "compare", "check", "fmt", "lsp", "questions"),
    "Datasets": ("generate", "verify", "show", "view", "replay", "data", "export"),
    "Agents and benchmarks": ("evaluate", "play", "rewards", "say", "serve", "chains", "check-state"),
}
"""The verbs in the order in which the help lists them; what is not here, as a user's own, comes last."""


def read_shipped(name: str) -> str:
    """Return a text for newcomers, ``data/NAME``."""
    return read_text(Path(__file__).parent / "data" / name)


def by_purpose(verbs: Iterable[str]) -> list[tuple[str, Sequence[str]]]:
    """Return verbs in groups with their headings."""
    there = set(verbs)
    groups: list[tuple[str, Sequence[str]]] = [
        (heading, [name for name in names if name in there]) for heading, names in PURPOSES.items()
    ]
    others = sorted(there.difference(*PURPOSES.values()))
    return [(heading, names) for heading, names in (*groups, ("Others", others)) if names]


# The verb ``completion``: the script with which a shell completes verbs and options.


PROGRAM = "chorewright"
VARIABLE = "_CHOREWRIGHT_COMPLETE"
"""The environment variable by which a shell asks for completions."""

TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The environment variables in which shells pass what is typed so far."""


class CommandShell(str, Enum):
    """A shell that is known."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@verb
def completion(shell: CommandShell) -> None:
    """Print a script that completes verbs and options.

    Bash: add `eval "$(chorewright completion bash)"` to ~/.bashrc; zsh: the same with zsh to ~/.zshrc; fish: write
    the script to ~/.config/fish/completions/chorewright.fish.

    Args:
        shell: The shell.
    """
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell.value))


def words_to_complete() -> list[str]:
    """Return the words of a command line that a shell wants completed."""
    from typer._completion_classes import completion_init

    completion_init()
    return next((os.environ[name].split()[1:] for name in TYPED if name in os.environ), [])


# The verb ``demo``: a small dataset that is made, checked and shown, anywhere chorewright is installed.


def first_looks() -> list[tuple[str, FirstLook]]:
    """Return the installed benchmarks that a newcomer is shown, and what of them, in order."""
    from chorewright.generator.production.benchmark import BENCHMARKS

    looks = [(name, each.first_look) for name, each in BENCHMARKS.usable().items() if each.first_look is not None]
    return sorted(looks, key=lambda each: (each[1].place, each[0]))


@verb
def demo(
    folder: Annotated[Path, typer.Argument()] = Path("chorewright-demo"),
    episodes: Annotated[int, typer.Option("--episodes", "-n", min=1)] = 12,
    seed: int = 0,
    as_json: AsJson = False,
) -> None:
    """Make small datasets of several benchmarks, check them, and write them as one HTML page, with one of each episode.

    The first run on a machine compiles the planner, which takes about a minute.

    Args:
        folder: The folder of the datasets and their page.
        episodes: How many demonstrations to attempt.
        seed: Another seed, another dataset.
    """
    from chorewright.commands.progress import counting, watching
    from chorewright.generator.dataset.options import configure
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.places import locate
    from chorewright.generator.production.benchmark import BENCHMARKS
    from chorewright.generator.production.line import run
    from chorewright.generator.production.verify import verify as check
    from chorewright.generator.showing.pages import dataset_page

    datasets = []
    looks = first_looks()
    of_all = sum(look.share for _, look in looks)
    for number, (name, look) in enumerate(looks):
        shares = [episodes * each.share // of_all for _, each in looks]
        count = shares[number] if number else episodes - sum(shares[1:])  # what is left over is the first one's
        if not count:
            continue
        config = configure(BENCHMARKS.find(name), name, count, look.options, seed=seed)
        place = locate(folder / name)
        # Processes that all compile the planner would take longer than one.
        workers = 0 if episodes <= 64 else usable_cores()
        with watching() as watch:
            run(config, place, workers=workers, watch=watch)
        report = check(place)
        if not report.ok:
            raise DatasetCorrupt(f"{place}: {report.problems[0]}")
        datasets.append(Dataset(place))
    page, sides = folder / "demo.html", folder / "demo_pages"
    with counting("draw", "episodes") as tell:
        text = dataset_page(
            datasets, folder.resolve().name, pages=sides, paged=episodes, workers=usable_cores(), tell=tell
        )
    write_text(page, text)
    made = {str(each.folder): len(each) for each in datasets}
    if as_json:
        told = {"folder": str(folder), "episodes": sum(made.values()), "datasets": list(made), "page": str(page)}
        print_json(told)
        return
    for name, stored in made.items():
        print(printable(f"{name}: {say_count(stored, 'episode')}, every file checked"))
    first = datasets[0][0]
    length = f"{say_count(len(first.plan), 'action')}, {say_count(len(first.steps), 'step')}"
    print(printable(f'the first: "{first.instructions[0].text}" ({length})'))
    print(printable(f"open {page} in a browser; then try:"))
    of_first = next(iter(made))
    for words in (f"show {of_first} 0", f"replay {of_first} --video --episode {first.index}", "new-task my-task"):
        print(printable(f"  chorewright {words}"))


# The verb ``init``: a project folder with a task, a file of defaults and the next commands.


TASK = "first-task"


@verb
def init(folder: Path, as_json: AsJson = False) -> None:
    """Start a project: a folder with a task of your own, defaults and the next commands.

    Args:
        folder: A new folder, or one without these files.
    """
    from chorewright.domains.library import user_library

    words = {"name": folder.resolve().name, "benchmark": first_looks()[0][0], "task": TASK, "settings": NAME}
    files = {NAME: read_shipped("project.toml").format(**words), f"{TASK}.task": user_library().scaffold(TASK)}
    files["README.md"] = read_shipped("project.md").format(**words)
    there = [each for each in files if (folder / each).exists()]
    if there:
        raise StorageError(f"{folder / there[0]} exists already", hint="choose another folder")
    make_folder(folder)
    for each, text in files.items():
        write_text(folder / each, text, fresh=True)
    lines = f"{folder}: {', '.join(files)}", f"next: cd {folder}; chorewright check-task {TASK}.task"
    answer(as_json, {"folder": str(folder), "files": sorted(files)}, *lines)
