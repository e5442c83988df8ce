"""The command line: one verb for each stage of the production line."""

from __future__ import annotations

import gc
import io
import os
import re
import sys
from typing import Protocol, cast

import typer

from chorewright import __version__
from chorewright.commands import (
    authoring,
    calvin_evaluation,
    datasets,
    doctor,
    handmethat,
    handmethat_evaluation,
    planning,
    replaying,
    tabletop,
    teach_evaluation,
    teaching,
)
from chorewright.commands.shell import exit_with, fail_stopped, open_closed_output, verb
from chorewright.errors import UsageError
from chorewright.files.signals import stop_behind

EPILOG = (
    "Exit codes: 0 ok, 1 negative verdict, 2 usage, 10-12 unsolvable or incomplete, 22-23 memory or time "
    "limit, 30+ bad input or internal error, 130 interrupted, 143 terminated."
)

_REFUSAL = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""click's UsageError; some versions of typer have a click of their own."""


class _Refusal(Protocol):
    """What is used of click's UsageError."""

    def show(self) -> None: ...

    def format_message(self) -> str: ...


app = typer.Typer(
    name="chorewright",
    help="Household tasks in, datasets of expert demonstrations out.",
    epilog=EPILOG,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(authoring.tasks)
app.command()(tabletop.chains)
app.command("compile")(authoring.compile_task)
app.command()(planning.plan)
app.command()(planning.validate)
app.command()(teaching.check)
app.command("new-task")(authoring.new_task)
app.command("check-task")(authoring.check_task)
app.command()(datasets.generate)
app.command()(datasets.verify)
app.command()(datasets.export)
app.command()(datasets.show)
app.command()(replaying.replay)
app.command()(replaying.view)
app.command()(handmethat.play)
evaluate = typer.Typer(help="Measure agents and inferences as the benchmark's papers do.", no_args_is_help=True)
evaluate.command("calvin")(calvin_evaluation.evaluate)
evaluate.command("handmethat")(handmethat_evaluation.evaluate)
evaluate.command("teach")(teach_evaluation.evaluate)
app.add_typer(evaluate, name="evaluate")
app.command("doctor")(doctor.doctor)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"chorewright {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Household tasks in, datasets of expert demonstrations out."""


def main() -> None:
    """Run the command line; what a terminal's encoding lacks is printed as an escape."""
    # No verb multiplies large matrices: numpy need not start threads for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules stay: looking through them for garbage again and again takes a tenth of a second of each start.
    gc.set_threshold(100_000, 20, 50)
    open_closed_output()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(verb(_run)())


def _run() -> int:
    """Run the verb that the arguments name, and return the exit code."""
    try:
        code = app(standalone_mode=False)
    except _REFUSAL as error:  # the words themselves are wrong
        refusal = cast("_Refusal", error)
        refusal.show()
        message = refusal.format_message() or str(error)
        hint = None
        if re.fullmatch(r"-\d", str(getattr(error, "option_name", ""))):
            hint = "a word that begins with '-' is an option; indices and counts are never negative"
            print(f"  hint: {hint}", file=sys.stderr)
        exit_with(UsageError(message, hint=hint), as_json="--json" in sys.argv)
    except typer.Abort as abort:
        stop = stop_behind(abort) or KeyboardInterrupt()
        fail_stopped(stop, as_json="--json" in sys.argv)
    finally:
        sys.stdout.flush()  # what cannot be written is an error now, not when Python has ended
    return code if isinstance(code, int) else 0
