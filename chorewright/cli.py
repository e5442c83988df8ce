"""The command line: one verb for each stage of the production line."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, Protocol, cast

import typer
from typer.core import TyperGroup

from chorewright import __version__
from chorewright.commands import authoring, comparing, datasets, doctor, planning, replaying, trying
from chorewright.commands.exporting import export_here
from chorewright.commands.generating import BenchmarkGroup
from chorewright.commands.shell import exit_with, fail, fail_stopped, open_closed_output, verb
from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.memory import collect_rarely
from chorewright.files.plugins import entries, load, note
from chorewright.files.signals import stop_behind

EPILOG = (
    "Exit codes: 0 ok, 1 negative verdict, 2 usage, 10-12 unsolvable or incomplete, 22-23 memory or time "
    "limit, 30+ bad input or internal error, 130 interrupted, 143 terminated."
)

VERBS = "chorewright.verbs"
"""The entry-point group of verbs that come with a benchmark: ``NAME``, or ``GROUP.NAME`` for a verb in a group."""

GROUPS = {
    "evaluate": "Measure agents and inferences as the benchmarks' papers do.",
    "play": "Play an episode in the terminal.",
}

_REFUSAL = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""click's UsageError; some versions of typer have a click of their own."""


class _Refusal(Protocol):
    """What is used of click's UsageError."""

    def show(self) -> None: ...

    def format_message(self) -> str: ...


class _Stopped(Exception):
    """A signal came between typer and a verb; its cause is the signal's exception."""


class _Verbs(TyperGroup):
    """The root of the command line."""

    def invoke(self, ctx: Any) -> object:
        """Run the verb; a signal that comes between typer and the verb keeps its exit code.

        Raises:
            _Stopped: A signal came; typer would take each for Ctrl-C, and say nothing.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise _Stopped from stop


def build(words: list[str]) -> typer.Typer:
    """Return the command line as some words of it need it: what they do not name is not looked for.

    Raises:
        UsageError: They name a plug-in that cannot be loaded.
    """
    app = typer.Typer(
        name="chorewright",
        cls=_Verbs,
        help="Tasks in, datasets of expert demonstrations out.",
        epilog=EPILOG,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    app.command()(authoring.tasks)
    app.command("compile")(authoring.compile_task)
    app.command()(planning.plan)
    app.command()(planning.validate)
    app.command()(comparing.compare)
    app.command("new-task")(authoring.new_task)
    app.command("check-task")(trying.check_task)
    app.add_typer(_benchmarks(), name="generate")
    app.command()(datasets.verify)
    named = next((word for word in words if not word.startswith("-")), "")
    app.command("export")(export_here() if named == "export" else _export)
    app.command()(datasets.show)
    app.command()(replaying.replay)
    app.command()(replaying.view)
    app.command("doctor")(doctor.doctor)
    known = {each.name or getattr(each.callback, "__name__", "") for each in app.registered_commands}
    if named not in {*known, "generate"}:
        _add_verbs(app, named)
    return app


def _benchmarks() -> typer.Typer:
    return typer.Typer(
        cls=BenchmarkGroup,
        help="Make a dataset of expert demonstrations; the same command again completes an interrupted run.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _export() -> None:
    """Write a dataset in another format, for the code that reads that format."""


def _add_verbs(app: typer.Typer, named: str) -> None:
    """Add the verbs of plug-ins, ours and those of a user's packages.

    Raises:
        UsageError: The verb that is named, or one of its group, cannot be loaded; others are left out with a note.
    """
    groups: dict[str, typer.Typer] = {}
    for name, target in sorted(entries(VERBS).items()):
        group, _, single = name.rpartition(".")
        try:
            function = load(target, "verb", called=f"{name!r} ({target})")
        except UsageError as error:
            if named in (group, single):
                raise
            note(f"{error.message}; it is left out")
            continue
        if not callable(function):
            raise UsageError(f"the verb {name!r} is no function: {target}")
        if not group:
            app.command(single)(function)
            continue
        if group not in groups:
            groups[group] = typer.Typer(help=GROUPS.get(group), no_args_is_help=True, rich_markup_mode=None)
            app.add_typer(groups[group], name=group)
        groups[group].command(single)(function)
        groups[group].callback()(_group)  # a group stays one with a single command


def _group() -> None: ...


def _version(wanted: bool) -> None:
    if wanted:
        print(f"chorewright {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Tasks in, datasets of expert demonstrations out."""


def main() -> None:
    """Run the command line; what a terminal's encoding lacks is printed as an escape."""
    # No verb multiplies large matrices: numpy need not start threads for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    collect_rarely()  # at the start it would take a tenth of a second
    open_closed_output()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(verb(_run)())


def _run() -> int:
    """Run the verb that the arguments name, and return the exit code."""
    try:
        code = build(sys.argv[1:])(standalone_mode=False)
    except _REFUSAL as error:  # the words themselves are wrong
        refusal = cast("_Refusal", error)
        refusal.show()
        message = refusal.format_message() or str(error)
        hint = None
        if re.fullmatch(r"-\d", str(getattr(error, "option_name", ""))):
            hint = "a word that begins with '-' is an option; indices and counts are never negative"
            print(f"  hint: {hint}", file=sys.stderr)
        exit_with(UsageError(message, hint=hint), as_json="--json" in sys.argv)
    except ChorewrightError as error:  # a plug-in that is not there, or cannot be loaded
        fail(error, as_json="--json" in sys.argv)
    except (typer.Abort, _Stopped) as stopped:
        stop = stop_behind(stopped) or KeyboardInterrupt()
        fail_stopped(stop, as_json="--json" in sys.argv)
    finally:
        sys.stdout.flush()  # what cannot be written is an error now, not when Python has ended
    return code if isinstance(code, int) else 0
