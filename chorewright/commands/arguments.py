"""Arguments that several verbs have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chorewright.errors import UsageError

Params = Annotated[
    list[str] | None,
    typer.Option("--params", "--param", metavar="P...", help="A task's parameters: --params 1 2, in order."),
]
MoreParams = Annotated[list[str] | None, typer.Argument(metavar="[P]...", help="More of --params.", show_default=False)]
DefinitionsFolder = Annotated[
    Path | None, typer.Option("--definitions", help="A folder of task definitions of your own.")
]

KindsFiles = Annotated[
    list[str] | None,
    typer.Option("--kinds", metavar="FILE", help="Your own kinds of things (JSON), besides those on the search path."),
]
DomainFile = Annotated[
    str | None, typer.Option("--domain", metavar="FILE", help="Your own PDDL domain in place of the one of its name.")
]


def gathered(params: list[str] | None, more: list[str] | None) -> list[str]:
    """Return the parameters of ``--params P P``: the first is the option's, the others are left over."""
    if more and not params:
        raise UsageError(f"{more[0]!r} is one argument too many", hint="parameters follow --params")
    return [*(params or ()), *(more or ())]
