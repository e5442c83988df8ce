"""The command line: one verb for each stage of the production line."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from typing import Any, cast

import typer
from typer.core import TyperGroup

from chorewright import __version__
from chorewright.commands import authoring, checking, datasets, evaluating, planning, replaying, validating
from chorewright.commands.common import VerbGroup
from chorewright.commands.datasets import export_verb
from chorewright.commands.evaluating import EvaluationGroup
from chorewright.commands.families import domains
from chorewright.commands.generating import BenchmarkGroup
from chorewright.commands.shell import exit_with, fail, fail_stopped, open_closed_output, verb
from chorewright.commands.starting import defaults, doctor, first_screen
from chorewright.commands.starting.first_screen import by_purpose, read_shipped
from chorewright.errors import ChorewrightError, UsageError
from chorewright.files.plugins import Origin, allow_code, entries, load
from chorewright.files.processes import collect_rarely
from chorewright.files.stopping import stop_behind
from chorewright.files.text import note, wrap_output

EPILOG = (
    "Exit codes: 0 ok, 1 negative verdict, 2 usage, 10-12 unsolvable or incomplete, 22-23 memory or time "
    "limit, 30+ bad input or internal error, 130 interrupted, 143 terminated."
)

VERBS = "chorewright.verbs"
"""The entry-point group of verbs that come with a benchmark: ``NAME``, or ``GROUP.NAME`` for a verb in a group."""

GROUPS = {
    "data": "Make datasets of others: merge, filter, sample, split, relabel, import.",
    "evaluate": "Measure agents and inferences as the benchmarks' papers do.",
    "play": "Play an episode in the terminal.",
    "serve": "Serve tasks to trainers of language models.",
}

WIDEST = 100
"""Help is as wide as the terminal, but not wider than this many columns."""

_REFUSAL = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""click's UsageError; some versions of typer have a click of their own."""


class _Stopped(Exception):
    """A signal came between typer and a verb; its cause is the signal's exception."""


class _Verbs(VerbGroup):
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

    sections = staticmethod(by_purpose)


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
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    )
    app.callback()(_root)
    named = next((word for word in words if not word.startswith("-")), "")
    verbs: dict[str, Callable[..., None]] = {
        "tasks": authoring.tasks,
        "compile": authoring.compile_task,
        "plan": planning.plan,
        "validate": validating.validate,
        "check": checking.check,
        "fmt": checking.fmt,
        "compare": domains.compare,
        "new-task": authoring.new_task,
        "check-task": evaluating.check_task,
        "verify": datasets.verify,
        "export": export_verb(words) if named == "export" else _export,
        "show": datasets.show,
        "replay": replaying.replay,
        "view": replaying.view,
        "doctor": doctor.doctor,
        "demo": first_screen.demo,
        "init": first_screen.init,
        "completion": first_screen.completion,
    }
    for name, each in verbs.items():
        app.command(name)(each)
    made = "Make a dataset of expert demonstrations; the same command again completes an interrupted run."
    app.add_typer(_group_of(BenchmarkGroup, made), name="generate")
    groups = {"evaluate": _group_of(EvaluationGroup, GROUPS["evaluate"])}
    app.add_typer(groups["evaluate"], name="evaluate")
    if named not in {*verbs, "generate"}:
        _add_verbs(app, named, set(verbs), groups)
    return app


def verb_names() -> list[str]:
    """Return the names of all verbs and groups of verbs; nothing is imported."""
    root: Any = typer.main.get_command(build(["doctor"]))
    return sorted({*root.list_commands(None), *(name.partition(".")[0] for name in entries(VERBS))})


def _group_of(kind: type[TyperGroup], text: str) -> typer.Typer:
    return typer.Typer(
        cls=kind,
        help=text,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _export() -> None:
    """Write a dataset in another format, for the code that reads that format."""


def _add_verbs(app: typer.Typer, named: str, known: set[str], groups: dict[str, typer.Typer]) -> None:
    """Add the verbs of plug-ins, ours and those of a user's packages, but for names that are known already.

    Raises:
        UsageError: The verb that is named, or one of its group, cannot be loaded; others are left out with a note.
    """
    for name, target in sorted(entries(VERBS).items()):
        group, _, single = name.rpartition(".")
        if name in known:
            continue
        try:
            function = load(target, "verb", Origin.PERSON, called=f"{name!r} ({target})")
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
            groups[group] = _group_of(VerbGroup, GROUPS.get(group, ""))
            app.add_typer(groups[group], name=group)
        groups[group].command(single)(function)
        groups[group].callback()(_group)  # a group stays one with a single command


def _group() -> None: ...


def _version(wanted: bool) -> None:
    if wanted:
        print(f"chorewright {__version__}")
        raise typer.Exit


def _root(
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Tasks in, datasets of expert demonstrations out."""
    if ctx.invoked_subcommand is None:
        print(read_shipped("first.txt"), end="")


def main() -> None:
    """Run the command line; what a terminal's encoding lacks is printed as an escape."""
    # No verb multiplies large matrices: numpy need not start threads for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    collect_rarely()  # at the start it would take a tenth of a second
    open_closed_output()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if "--json" not in sys.argv:
        wrap_output()
    sys.exit(verb(_run)(as_json="--json" in sys.argv))


def _run(as_json: bool) -> int:
    """Run the verb that the arguments name, and return the exit code."""
    try:
        words = first_screen.words_to_complete() if first_screen.VARIABLE in os.environ else sys.argv[1:]
        named, words = defaults.without_flag(words)
        if named is not None:
            os.environ[defaults.VARIABLE] = named
        if trusted := defaults.code_allowed(words):
            allow_code(trusted)
        app = build(words)
        files = () if first_screen.VARIABLE in os.environ else defaults.settings_files()
        root = typer.main.get_command(app) if files else None
        known = defaults.default_map(root, files, words, verb_names) if files else {}
        told = defaults.changes(root, files, words) if files else []
        code = app(words, standalone_mode=False, prog_name=first_screen.PROGRAM, default_map=known, obj=told)
        if code == 130:
            raise KeyboardInterrupt  # which typer has taken for an end of its own
    except _REFUSAL as error:  # the words themselves are wrong
        refusal: Any = error
        refusal.show()
        message = refusal.format_message() or str(error)
        hint = None
        if re.fullmatch(r"-\d", str(getattr(error, "option_name", ""))):
            hint = "a word that begins with '-' is an option; indices and counts are never negative"
            print(f"  hint: {hint}", file=sys.stderr)
        exit_with(UsageError(message, hint=hint), as_json=as_json)
    except ChorewrightError as error:  # a plug-in that is not there, or cannot be loaded
        fail(error, as_json=as_json)
    except (typer.Abort, _Stopped) as stopped:
        fail_stopped(stop_behind(stopped) or KeyboardInterrupt(), as_json=as_json)
    finally:
        sys.stdout.flush()  # what cannot be written is an error now, not when Python has ended
    return code if isinstance(code, int) else 0
