"""The verb ``completion``: the script with which a shell completes verbs and options."""

from __future__ import annotations

import os
from enum import Enum
from typing import Annotated

import typer

from chorewright.commands.shell import verb

PROGRAM = "chorewright"
VARIABLE = "_CHOREWRIGHT_COMPLETE"
"""The environment variable by which a shell asks for completions."""

TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""The environment variables in which shells pass what is typed so far."""


class Shell(str, Enum):
    """A shell that is known."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@verb
def completion(shell: Annotated[Shell, typer.Argument(help="The shell.")]) -> None:
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
