"""What the bare command prints, the verbs by their purpose, and an example of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Annotated

import typer

from chorewright.commands.shell import verb

FIRST = """chorewright makes datasets of household tasks: plans, instructions, pictures.

Five things to do first:

  chorewright demo               make, check and see a small dataset
  chorewright tasks              list the tasks
  chorewright new-task my-task   start a task of your own
  chorewright generate --help    see which datasets can be made
  chorewright doctor --warm      check the installation, compile the planner

All verbs: chorewright --help. One verb: chorewright VERB --help.
"""

PURPOSES: Mapping[str, tuple[str, ...]] = {
    "First steps": ("demo", "init", "doctor", "completion"),
    "Tasks and domains": ("tasks", "new-task", "check-task", "new-domain", "check-domain", "check-scene", "compile"),
    "Plans and PDDL files": ("plan", "validate", "compare", "check", "fmt", "questions"),
    "Datasets": ("generate", "verify", "show", "view", "replay", "export"),
    "Agents and benchmarks": ("evaluate", "play", "say", "chains", "check-state"),
}
"""The verbs in the order in which the help lists them; what is not here, as a user's own, comes last."""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "demo": ("demo", "demo my-folder --episodes 50"),
    "init": ("init my-project",),
    "doctor": ("doctor", "doctor --warm"),
    "completion": ('eval "$(chorewright completion bash)"',),
    "tasks": ("tasks", "tasks alfred/pick_and_place_simple"),
    "new-task": ("new-task set-the-table",),
    "check-task": ("check-task set-the-table.task --rooms 4",),
    "compile": (
        "compile alfred/pick_and_place_simple --slot object=Mug --slot receptacle=Shelf --scene FloorPlan10 --out mug",
    ),
    "plan": (
        "plan domain.pddl problem.pddl -o problem.plan",
        "plan domain.pddl problem.pddl --search astar",
        "plan domain.pddl p1.pddl p2.pddl p3.pddl -o plans --workers 2",
    ),
    "validate": ("validate domain.pddl problem.pddl problem.plan", "validate d.pddl p.pddl p.plan --format github"),
    "compare": ("compare mine.pddl reference.pddl",),
    "check": ("check domain.pddl problem.pddl", "check . --format sarif"),
    "fmt": ("fmt domain.pddl", "fmt . --check", "fmt - < domain.pddl"),
    "verify": ("verify demo", "verify demo --remake 3"),
    "show": ("show demo", "show demo 0"),
    "view": ("view demo -o demo.html", "view demo 3 -o episode.html"),
    "replay": ("replay demo --render rgb,depth,instances", "replay demo --video --episode 3"),
    "export": ("export demo --format alfred --out json", "export demo --format lerobot --help"),
}
"""Commands that a verb's help shows."""


def epilog(verb: str) -> str | None:
    """Return the examples of a verb as the end of its help; None if it has none."""
    found = EXAMPLES.get(verb)
    if found is None:
        return None
    lines = [each if each.startswith("eval") else f"chorewright {each}" for each in found]
    return "\b\n" + "\n".join(["Examples:", *(f"  {line}" for line in lines)])


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
def completion(shell: Annotated[CommandShell, typer.Argument(help="The shell.")]) -> None:
    """Print a script that completes verbs and options.

    Bash: add `eval "$(chorewright completion bash)"` to ~/.bashrc; zsh: the same with zsh to ~/.zshrc; fish: write
    the script to ~/.config/fish/completions/chorewright.fish.
    """
    from typer._completion_shared import get_completion_script

    print(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell.value))


def words_typed(arguments: list[str]) -> list[str]:
    """Return the words of the command line, or those that a shell wants completed."""
    if VARIABLE not in os.environ:
        return arguments
    from typer._completion_classes import completion_init

    completion_init()
    return next((os.environ[name].split()[1:] for name in TYPED if name in os.environ), arguments)
