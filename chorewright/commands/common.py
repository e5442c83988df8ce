"""Options of verbs: those of all (``--quiet``, ``--verbose``, ``--config``, ``--allow-code``), and of several."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup, TyperOption

from chorewright.errors import InputError, UsageError
from chorewright.files.plugins import ALLOWED, allow_code
from chorewright.files.text import QUIET, VERBOSE, read_docstring, tell

if TYPE_CHECKING:
    from chorewright.generator.dataset.episode import Episode
    from chorewright.generator.production.deriving import Selection

ALLOW = "--allow-code"
"""The flag that lets files name code."""


def code_path(text: str) -> str:
    """Return a path to code: the parser of options that a folder's file of settings cannot set, known by its name."""
    return text


def amount(value: object) -> str:
    """Return a whole number or a text as a text: the parser of options that a file of settings gives as either."""
    return f"{value}".strip()


WHOLE = 10_000
"""Characters of a command's help that a list of commands may show: all of its first sentence."""


class VerbGroup(TyperGroup):
    """A group whose commands have the options of every verb."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command with its examples, or nothing if there is none of this name."""
        return self.with_examples(ctx, with_common(super().get_command(ctx, cmd_name)))

    @staticmethod
    def with_examples(ctx: Any, command: Any) -> Any:
        """Let a command's help end with its examples."""
        if command is not None and not command.epilog:
            group = "" if ctx is None or ctx.parent is None else f"{ctx.info_name} "
            command.epilog = epilog(f"{group}{command.name}")
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands, each with the whole first sentence of its help."""
        names = self.list_commands(ctx)
        widest = max(map(len, names), default=0)
        for heading, listed in self.sections(names):
            told = [(f"{name:<{widest}}", self.summary(ctx, name)) for name in listed]
            with formatter.section(heading):
                formatter.write_dl([(name, text) for name, text in told if text is not None])

    def summary(self, ctx: Any, name: str) -> str | None:
        """Return the first sentence of a command's help; None if there is no such command."""
        found = self.get_command(ctx, name)
        return None if found is None else str(found.get_short_help_str(WHOLE))

    @staticmethod
    def sections(verbs: Iterable[str]) -> Sequence[tuple[str, Sequence[str]]]:
        """Return commands under headings."""
        return [("Commands", list(verbs))]


def with_common(command: Any) -> Any:
    """Give a command the options of every verb, but for those whose flags it has already.

    What the docstring of its function says of an argument becomes the help of that option.
    """
    if command is None or hasattr(command, "list_commands"):
        return command
    command.help, told = read_docstring(command.help)
    for each in command.params:
        each.help = each.help or told.get(each.name)
    taken = {flag for each in command.params for flag in each.opts}
    switch = {"is_flag": True, "default": False}
    for flags, text, more in (
        (("--quiet", "-q"), "Say results and errors only: no progress, no notes.", {"callback": _quiet, **switch}),
        (
            ("--verbose", "-v"),
            "Say which defaults come from a file, and what the run cost.",
            {"callback": _verbose, **switch},
        ),
        (("--config",), "A file of defaults in place of chorewright.toml; none for none.", {"metavar": "FILE"}),
        (
            (ALLOW,),
            "Let files name this code, as the benchmark of a dataset; may be repeated.",
            {"metavar": "MODULE:ATTRIBUTE", "multiple": True, "callback": _allow},
        ),
    ):
        free = [flag for flag in flags if flag not in taken]
        if flags[0] in free:
            name = f"common_{flags[0][2:].replace('-', '_')}"
            command.params.append(TyperOption(param_decls=[name, *free], expose_value=False, help=text, **more))
    return command


def _quiet(ctx: Any, _: Any, wanted: bool) -> None:
    typed = getattr(ctx.get_parameter_source("common_quiet"), "name", "") == "COMMANDLINE"
    if wanted and typed:
        _set(ctx, QUIET, "1")
    for line in ctx.obj or ():  # what the file of settings of a folder changes; that file cannot silence it
        tell(f"note: {line}")
    if wanted and not typed:
        _set(ctx, QUIET, "1")


def _allow(ctx: Any, _: Any, names: Sequence[str]) -> None:
    if names:
        _set(ctx, ALLOWED, os.environ.get(ALLOWED, ""))
        allow_code(names)


def _set(ctx: Any, variable: str, value: str) -> None:
    """Set a variable of the environment, which processes that the verb starts see, too, until the verb ends."""
    before = os.environ.get(variable)
    os.environ[variable] = value
    ctx.call_on_close(lambda: os.environ.pop(variable) if before is None else os.environ.update({variable: before}))


def _verbose(ctx: Any, _: Any, wanted: bool) -> None:
    if wanted:
        _set(ctx, VERBOSE, "1")
        flags = {each.name: each.opts[0] for each in ctx.command.params}
        for name, value in (ctx.default_map or {}).items():
            print(f"note: {flags[name]} is {value!r} by default here", file=sys.stderr, flush=True)
        ctx.call_on_close(_tell_cost)


def _tell_cost() -> None:
    try:
        import resource
    except ImportError:  # as on Windows
        return
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    scale = 1 if sys.platform == "darwin" else 1024
    most = max(own.ru_maxrss, others.ru_maxrss) * scale / 1e6
    print(f"note: {seconds:.1f} CPU seconds, at most {most:.0f} MB in a process", file=sys.stderr, flush=True)


# Arguments that several verbs have.


Params = Annotated[
    list[str] | None,
    typer.Option("--params", "--param", metavar="P...", help="A task's parameters: --params 1 2, in order."),
]
MoreParams = Annotated[list[str] | None, typer.Argument(metavar="[P]...", help="More of --params.", show_default=False)]
DefinitionsFolder = Annotated[
    Path | None, typer.Option("--definitions", help="A folder of task definitions of your own.")
]

Evaluations = Annotated[
    int | None,
    typer.Option(
        "--evaluations",
        metavar="N",
        min=1,
        help="States that the planner may evaluate for an attempt, and for each part of a goal; by default the "
        "task's :effort, or the benchmark's figure.",
    ),
]
TimePerEpisode = Annotated[
    float | None,
    typer.Option(
        "--time-per-episode",
        help="Seconds of the clock for each search besides; what is rejected then depends on the machine.",
    ),
]
EngineName = Annotated[
    str | None, typer.Option("--engine", help="Another planner, as `plan --engine` takes it; its plans are validated.")
]
KindsFiles = Annotated[
    list[str] | None,
    typer.Option("--kinds", metavar="FILE", help="Your own kinds of things (JSON), besides those on the search path."),
]
DomainFile = Annotated[
    str | None, typer.Option("--domain", metavar="FILE", help="Your own PDDL domain in place of the one of its name.")
]


EpisodeChoice = Annotated[
    tuple[Path, int] | None,
    typer.Option("--episode", metavar="DIR INDEX", help="An episode of a dataset, by its index."),
]


def find_episode(benchmark: str, choice: tuple[Path, int]) -> Episode:
    """Return the episode of a benchmark that ``EpisodeChoice`` names."""
    from chorewright.generator.dataset.store.dataset import Dataset

    refuse_others(benchmark, choice[0])
    return Dataset(choice[0]).episode(choice[1])


def refuse_others(benchmark: str, folder: Path) -> None:
    """Refuse a dataset of another shipped benchmark than the one that a verb is of."""
    from chorewright.generator.dataset.store.dataset import Dataset
    from chorewright.generator.dataset.store.manifest import MANIFEST
    from chorewright.generator.production.benchmark import BENCHMARKS

    if benchmark in BENCHMARKS.targets() and (folder / MANIFEST).is_file():
        found = Dataset(folder).manifest.config.benchmark
        if found != benchmark and found in BENCHMARKS.targets():
            raise InputError(f"{folder} has episodes of {found}, not of {benchmark}")


DatasetFolder = Annotated[str, typer.Argument(help="A dataset's folder, or its URL (s3://bucket/name).")]
OutFolder = Annotated[Path, typer.Option("--out", "-o", help="A new folder, or one written to before.")]
DomainPath = Annotated[Path, typer.Argument(metavar="DOMAIN", help="A PDDL domain file.")]
ProblemPath = Annotated[Path, typer.Argument(metavar="PROBLEM", help="A PDDL problem file.")]
ProblemPaths = Annotated[list[Path], typer.Argument(metavar="PROBLEM...", help="PDDL problem files.")]
Lenient = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Warn of what other readers do not mind: another domain's name, repeated objects, values of undeclared "
        "functions, (in-package).",
    ),
]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", help="Seconds by the clock; none by default.")]


# Which episodes of a dataset a verb takes.


Tasks = Annotated[list[str] | None, typer.Option("--task", metavar="TASK", help="Only this task; may be repeated.")]
Splits = Annotated[list[str] | None, typer.Option("--split", metavar="SPLIT", help="Only this split; may be repeated.")]
Rooms = Annotated[list[str] | None, typer.Option("--room", metavar="ROOM", help="Only this room; may be repeated.")]
Length = Annotated[
    str | None, typer.Option("--length", metavar="LOW..HIGH", help="Only episodes of so many steps; 20.. for at least.")
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="CONDITION", help="Only what meets this: \"plan_cost < 40 AND parameters.object = 'Mug'\"."
    ),
]


def choose(
    tasks: Sequence[str] | None,
    splits: Sequence[str] | None,
    rooms: Sequence[str] | None,
    length: str | None,
    where: str | None,
) -> Selection:
    """Return which episodes the flags of a command select.

    Raises:
        UsageError: The length is no range.
    """
    from chorewright.generator.production.deriving import Selection

    steps = None if length is None else read_range(length)
    return Selection(tuple(tasks or ()), tuple(splits or ()), tuple(rooms or ()), steps, where or "")


def read_range(text: str) -> tuple[int, int]:
    """Return the first and last number of a range: ``10..40``, ``20..``, ``..15``, or one number.

    Raises:
        UsageError: It is none.
    """
    match = re.fullmatch(r"(\d{0,9})(?:(\.\.)(\d{0,9}))?", text)
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"{text!r} is no range of numbers", hint="as 10..40, 20.. or ..15")
    low = int(match[1] or 0)
    return low, int(match[3] or 10**9) if match[2] else low


def gather(params: list[str] | None, more: list[str] | None) -> list[str]:
    """Return the parameters of ``--params P P``: the first is the option's, the others are left over."""
    if more and not params:
        raise UsageError(f"{more[0]!r} is one argument too many", hint="parameters follow --params")
    return [*(params or ()), *(more or ())]


def name_task(task: str) -> str:
    """Return a task's name; that of an activity's file with the benchmark before it that reads such files."""
    return f"behavior/{task}" if task.endswith(".bddl") and not task.lower().startswith("behavior/") else task


# Examples of commands that the help of a verb shows.


EXAMPLES: Mapping[str, Sequence[str]] = json.loads(
    (Path(__file__).parent / "starting" / "data" / "examples.json").read_text("utf-8")
)


def epilog(verb: str) -> str | None:
    """Return the examples of a verb as the end of its help; None if it has none."""
    found = EXAMPLES.get(verb)
    if found is None:
        return None
    lines = [each if each.startswith("eval ") else f"chorewright {each}" for each in found]
    columns = shutil.get_terminal_size().columns - 4  # where help is indented
    return "\b\n" + "\n".join(["Examples:", *(_break_line(line, columns) for line in lines)])


_WORD = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")


def _break_line(line: str, columns: int) -> str:
    """Return a command in lines of so many columns, as a shell reads it; quoted words stay whole."""
    whole = _WORD.sub(lambda word: word[0].replace(" ", "\0"), line)
    parts = textwrap.wrap(whole, columns - 4, break_long_words=False, break_on_hyphens=False)
    return " \\\n".join(f"{'    ' if number else '  '}{part}" for number, part in enumerate(parts)).replace("\0", " ")
