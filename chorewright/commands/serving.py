"""The verb that serves tasks to trainers of language models."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from chorewright.commands.shell import verb

ENVIRONMENTS = {"pddl": "domain-game"}
"""Names of environments that are not those of their kinds of tasks."""


@verb
def openenv(
    environment: Annotated[
        str,
        typer.Option(
            "--env",
            metavar="KIND[:DOMAIN]",
            help="The kind of tasks, perhaps of a domain: household, pddl:blocks (a game of a domain), plan:blocks, ...",
        ),
    ] = "household",
    host: Annotated[str, typer.Option("--host", help="The address to listen at; others reach 0.0.0.0.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port.")] = 8000,
    sessions: Annotated[int, typer.Option("--sessions", min=1, help="The most sessions at a time.")] = 64,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed, other tasks.")] = 0,
) -> None:
    """Serve tasks as an OpenEnv environment until the process is ended; each session has a task of its own."""
    from chorewright.rewards.openenv import serve

    name, _, domain = environment.partition(":")
    print(f"serving {environment} at http://{host}:{port}", file=sys.stderr, flush=True)
    source = {"domain": domain} if domain else {}
    serve(ENVIRONMENTS.get(name, name), host, port, sessions, seed, **source)
