"""The verb that makes datasets: one command for each benchmark, with that benchmark's flags."""

from __future__ import annotations

import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand

from chorewright.commands import common
from chorewright.commands.shell import (
    AsJson,
    exit_unless,
    fail_stopped,
    parse_slice,
    print_json,
    printable,
    processes,
    verb,
)
from chorewright.errors import UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.files.plugins import Registry
    from chorewright.generator.dataset.config import GenerateConfig, PlannerEffort
    from chorewright.generator.dataset.episode import RejectedIndex
    from chorewright.generator.dataset.options import Option
    from chorewright.generator.dataset.store.manifest import ShardEntry
    from chorewright.generator.dataset.store.places import Place
    from chorewright.generator.production.benchmark import AnyBenchmark
    from chorewright.generator.production.line import RunReport


# What ``generate`` says at its end of what was rejected, by reason, and what may help.


_REASONS = 5
"""So many reasons are told where no episode was accepted."""


def _count_tries(config: GenerateConfig, folder: Place, entries: Sequence[ShardEntry]) -> Mapping[str, int] | None:
    """Return how many tries of the accepted episodes were rejected, by reason; None where that tells nothing."""
    from chorewright.generator.showing.view import count_rejections

    return count_rejections(folder, entries) if _benchmark(config).counts_tries else None


def print_failure(config: GenerateConfig, rejected: Sequence[RejectedIndex]) -> None:
    """Print why no episode was accepted, and a hint if one is known."""
    reasons = Counter(rejection.reason for rejection in rejected)
    print("no episode was accepted (manifest.json has all reasons):", file=sys.stderr)
    for reason, count in reasons.most_common(_REASONS):
        print(printable(f"{count:>7}  {reason}"), file=sys.stderr)
    hint = _benchmark(config).hint(config, reasons)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)


def _benchmark(config: GenerateConfig) -> AnyBenchmark:
    from chorewright.generator.production.benchmark import BENCHMARKS

    return BENCHMARKS.find(config.benchmark, config.origin)


def _common(
    out: Annotated[str, typer.Option("--out")],
    episodes: Annotated[int, typer.Option("--episodes", "-n")] = 100,
    seed: int = 0,
    workers: int | None = None,
    shard: Annotated[str | None, typer.Option("--shard", metavar="I/N")] = None,
    shard_size: int = 0,
    episode_timeout: float = 900.0,
    on_lost: Annotated[str, typer.Option("--on-lost", metavar="reject|stop")] = "reject",
    retry_lost: Annotated[bool, typer.Option("--retry-lost")] = False,
    evaluations: common.Evaluations = None,
    time_per_episode: common.TimePerEpisode = None,
    engine: common.EngineName = None,
    plans: Annotated[int, typer.Option("--plans", min=1, max=100)] = 1,
    executor: str = "local",
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    as_json: AsJson = False,
) -> None:
    """What all benchmarks' commands have.

    Args:
        out: The dataset's folder or URL (s3://bucket/name); an interrupted run continues there.
        episodes: How many demonstrations to attempt.
        seed: Another seed, another dataset.
        workers: Processes that make episodes; all cores by default. 0 is one, too.
        shard: Make only the I-th of N parts (batch schedulers).
        shard_size: Episodes in a file; 0 for 1,000.
        episode_timeout: Seconds for an episode; a worker that takes longer is killed, and it tried again.
        on_lost: What to do when an episode has hung or killed its worker three times: leave it out, or end the run.
        retry_lost: Try episodes again that were left out for that by an earlier run.
        plans: How many different plans each start has, an episode each; where fewer are found, those are rejected.
        executor: local, or ray (needs chorewright[ray]).
        dry_run: Make a few episodes to say what the run would cost; write nothing.
    """


class PluginGroup(common.VerbGroup):
    """A group whose commands are the plug-ins of a registry; shipped ones are not loaded to be listed."""

    def registry(self) -> Registry[Any]:
        """Return the registry."""
        raise NotImplementedError

    def verb(self, name: str) -> Callable[..., None]:
        """Return the verb of a plug-in, by its name or as ``module:attribute``.

        Raises:
            UsageError: There is no such plug-in, or it cannot be loaded.
        """
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the plug-ins, and of commands that were added."""
        registry = self.registry()
        shipped = registry.targets()
        return sorted({*shipped, *registry.usable(but=shipped), *super().list_commands(ctx)})

    def list_names(self) -> tuple[str, ...]:
        """Return the same names; none is loaded."""
        return tuple(sorted({*self.registry().names(), *self.commands}))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a plug-in, or one that was added.

        Raises:
            UsageError: There is no such plug-in, or it cannot be loaded.
        """
        added = super().get_command(ctx, cmd_name)
        found = added if added is not None else common.with_common(command(cmd_name, self.verb(cmd_name)))
        return self.with_examples(ctx, found)

    def summary(self, ctx: Any, name: str) -> str | None:
        """Return the first sentence of a command's help; see ``VerbGroup.summary``."""
        outline = None if name in self.commands else self.registry().outline(name)
        listed = None if outline is None else TyperCommand(name, help=outline.summary)
        return super().summary(ctx, name) if listed is None else str(listed.get_short_help_str(common.WHOLE))


class BenchmarkGroup(PluginGroup):
    """``chorewright generate``: its commands are the benchmarks that are installed."""

    def registry(self) -> Registry[Any]:
        """Return the benchmarks."""
        from chorewright.generator.production.benchmark import BENCHMARKS

        return BENCHMARKS

    def verb(self, name: str) -> Callable[..., None]:
        """Return the verb that makes datasets of a benchmark."""
        return generate_verb(name, *description_of(self.registry(), name))


def command(name: str, function: Callable[..., None]) -> Any:
    """Return a function as a command of click's."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.command(name)(function)
    found = typer.main.get_command(app)
    found.name = name
    return found


def description_of(registry: Registry[Any], name: str) -> tuple[str, type]:
    """Return a plug-in's summary and the dataclass of its options; a shipped one is not loaded for them.

    Raises:
        UsageError: There is no such plug-in, or it cannot be loaded.
    """
    from chorewright.files.plugins import Origin, load

    outline = registry.outline(name)
    if outline is not None and "options" in outline.imported:
        return outline.summary, cast("type", load(outline.imported["options"], "options", Origin.PERSON))
    plugin = registry.find(name, Origin.PERSON)
    return (inspect.getdoc(type(plugin)) or name).splitlines()[0], plugin.options


def generate_verb(name: str, summary: str, options: type) -> Callable[..., None]:
    """Return the verb that makes datasets of a benchmark: the common flags, and one for each of its options."""
    from chorewright.generator.dataset.options import declare

    own = declare(options)

    def generate(**given: Any) -> None:
        from chorewright.files.plugins import Origin
        from chorewright.generator.dataset.options import configure
        from chorewright.generator.dataset.store.places import locate
        from chorewright.generator.production.benchmark import BENCHMARKS

        benchmark = BENCHMARKS.find(name, Origin.PERSON)
        words = {each.name: given.pop(each.name) for each in own}
        effort = effort_of(given.get("evaluations"), given["time_per_episode"], given["engine"], given["plans"])
        config = configure(
            benchmark, name, given["episodes"], words, seed=given["seed"], shard_size=given["shard_size"], effort=effort
        )
        if not given["episode_timeout"] > 0:
            raise UsageError(f"--episode-timeout must be positive, but is {given['episode_timeout']:g}")
        out = locate(given["out"])
        if given["dry_run"]:
            _estimate(config, out, given["shard"], given["workers"], given["as_json"])
            return
        _run(config, out, given)

    generate.__doc__ = f"{summary}\n\n    The same command again completes an interrupted run."
    return verb(with_options(generate, _common, own))


def effort_of(evaluations: int | None, seconds: float | None, engine: str | None, plans: int = 1) -> PlannerEffort:
    """Return what the planner may do for an attempt by the words of the command line.

    Raises:
        UsageError: The time is not positive, or there is no such engine.
    """
    from chorewright.generator.dataset.config import PlannerEffort
    from chorewright.planner.plan import NAME

    if evaluations is not None and engine not in (None, NAME):
        raise UsageError(f"--evaluations is for the engine {NAME}, not for {engine}", hint="use --time-per-episode")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--time-per-episode must be positive, but is {seconds:g}")
    if engine:
        from chorewright.files.plugins import Origin
        from chorewright.planner.engines.lookup import find_engine

        find_engine(engine, Origin.PERSON)
    return PlannerEffort(evaluations or 0, seconds or 0.0, "" if engine is None or engine == NAME else engine, plans)


def with_options(
    function: Callable[..., None], base: Callable[..., None], own: Sequence[Option]
) -> Callable[..., None]:
    """Give a function that takes keywords the parameters of another one and those of options, which go before.

    Its docstring gets what that of the other one says of them.
    """
    names = {each.name for each in own}
    given = inspect.signature(base, eval_str=True).parameters.values()
    parameters = [*(each for each in given if each.name not in names), *map(_parameter, own)]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in parameters}
    arguments = (inspect.getdoc(base) or "").partition("\n\n")[2]
    function.__doc__ = f"{inspect.getdoc(function)}\n\n{arguments}"
    return function


def _parameter(option: Option) -> inspect.Parameter:
    """Return an option as a keyword of a command; a flag that may be repeated gives a list."""
    metavar = option.metavar or ("|".join(option.choices) if option.choices else None)
    kind: Any = list[str] if option.kind is tuple else option.kind
    default: Any = option.default
    if option.required:
        default = inspect.Parameter.empty
    elif option.kind is tuple or default is None or (option.kind is str and not default):
        kind, default = kind | None, None
    names = [option.flag, *option.flags]
    if default is True:
        names[0] += f"/--no-{option.flag[2:]}"
    shown = option.shown or True
    declared: Any = (
        typer.Argument(help=option.help, metavar=metavar)
        if option.argument
        else typer.Option(
            *names,
            help=option.help,
            metavar=metavar,
            show_default=shown,
            parser=common.code_path if option.code else None,
        )
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, declared]
    )


def _run(config: GenerateConfig, out: Place, given: Mapping[str, Any]) -> None:
    """Make a dataset and tell what came of it; exit code 1 if no episode was accepted.

    Args:
        config: What is made.
        out: Where.
        given: The common flags.
    """
    from chorewright.commands.progress import pace_of, watching
    from chorewright.commands.tables import run_json, run_lines
    from chorewright.files.text import tell
    from chorewright.generator.production.attempts import DEFECT
    from chorewright.generator.production.line import run
    from chorewright.generator.showing.view import tries_lines

    # One worker at least, unless a debugger shall see the episodes made in this process.
    workers = 1 if given["workers"] == 0 and not os.environ.get("CHOREWRIGHT_DEBUG") else given["workers"]
    slice_of, as_json = parse_slice(given["shard"]), given["as_json"]
    how = {name: given[name] for name in ("executor", "on_lost", "retry_lost")}
    try:
        with watching() as watch:
            report = run(
                config, out, workers=workers, slice_of=slice_of, watch=watch, patience=given["episode_timeout"], **how
            )
    except KeyboardInterrupt as stop:
        fail_stopped(stop, "what was finished is kept; the same command continues", as_json=as_json)
    entries = report.kept + report.made
    accepted = report.accepted
    tries = _count_tries(config, out, entries)
    defects = [each for each in report.rejected if each.reason.startswith(f"{DEFECT}: ")]
    if as_json:
        told = _report_json(report, out, round(watch.rate, 3))
        told["defects"] = [f"episode {r.index}: {r.reason}" for r in defects]
        print_json({**told, **run_json(report), **({} if tries is None else {"tries": dict(tries)})})
    else:
        made = f"{watch.done_here} made now ({pace_of(watch.rate)})" if watch.done_here else "nothing was missing"
        print(printable(f"{out}: {accepted} of {say_count(report.attempted, 'episode')} accepted; {made}"))
        if report.manifest is None:
            print("other parts are still missing; whoever finishes the last one writes the manifest")
        for line in run_lines(report):
            tell(printable(line))
    for rejection in defects[:5]:
        print(printable(f"episode {rejection.index} met a {rejection.reason}"), file=sys.stderr)
    if defects:
        tell("hint: CHOREWRIGHT_DEBUG=1 shows where a defect is")
    tried = sum(entry.accepted for entry in entries)
    for line in tries_lines(tries or {}, tried) if not as_json else ():
        print(printable(line))
    if accepted == 0:
        print_failure(config, report.rejected)
    exit_unless(accepted > 0)


def _estimate(config: GenerateConfig, out: Place, shard: str | None, workers: int | None, as_json: bool) -> None:
    """Tell what a run would cost."""
    from chorewright.commands.tables import estimate

    found = estimate(config, out, parse_slice(shard))
    cores = max(1, processes(workers))
    hours = found.core_hours / cores
    if as_json:
        told = {
            "episodes": found.episodes,
            "missing": found.missing,
            "sampled": found.sampled,
            "accepted": found.accepted,
            "seconds_an_episode": round(found.seconds, 4),
            "core_hours": round(found.core_hours, 6),
            "workers": cores,
            "hours": round(hours, 6),
            "bytes": found.bytes,
        }
        print_json({"folder": str(out), **told})
        return
    missing = f"{found.missing} of {say_count(found.episodes, 'episode')}"
    print(printable(f"{out}: {missing} still to be made; nothing was written"))
    if found.missing:
        print(f"sample    {found.sampled} made, {found.accepted} accepted")
        print(f"cost      {found.seconds:.2f} processor seconds an episode, {found.core_hours:.2f} core hours in all")
        print(f"time      {hours:.2f} hours with {cores} worker{'s' * (cores > 1)}")
        print(f"size      {found.bytes / 1e6:,.1f} MB")


def _report_json(report: RunReport, out: Place, rate: float) -> dict[str, object]:
    return {
        "folder": str(out),
        "episodes": report.attempted,
        "accepted": report.accepted,
        "shards_kept": len(report.kept),
        "shards_made": len(report.made),
        "finished": report.manifest is not None,
        "rate": rate,
    }
