"""The verb ``check-domain``: problems of a domain drawn, solved and said, for the author of its files."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb, write_text
from chorewright.errors import ExitCode, StorageError, UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.pddl.problem_benchmark import DomainReport, ProblemTrial


@verb
def check_domain(
    domain: Annotated[
        str | None, typer.Argument(help="A domain's folder or .pddl file, or a shipped one; without it, list those.")
    ] = None,
    template: Annotated[
        str | None,
        typer.Option("--template", metavar="FILE", help="Its problem template; by default the one beside it."),
    ] = None,
    problems: Annotated[
        list[Path] | None, typer.Option("--problems", metavar="FOLDER", help="Problems instead of a template.")
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", help="How many problems to try.")] = 20,
    bands: Annotated[
        list[str] | None, typer.Option("--band", metavar="BAND", help="A band, or NAME=LOW-HIGH; may be repeated.")
    ] = None,
    optimal: Annotated[
        bool, typer.Option("--optimal", help="Prove plans to be optimal; bands go by their costs.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Other problems.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Write the accepted problems and their plans there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Try a domain: draw problems, solve them, say what is rejected and why, and how one sounds.

    Exit code 1 if no problem is accepted.
    """
    from chorewright.commands.progress import counting
    from chorewright.generator.dataset.options import configure
    from chorewright.generator.pddl.problem_benchmark import ProblemBenchmark, try_problems

    if domain is None and template is None:
        _list(as_json)
        return
    if count < 1 or seed < 0:
        raise UsageError("--count must be at least 1, and --seed not negative")
    benchmark = ProblemBenchmark()
    given = {
        "domain": domain,
        "template": template,
        "problems": [str(each) for each in problems or ()],
        "bands": bands,
        "optimal": optimal,
    }
    config = configure(benchmark, benchmark.name, count, given, seed=seed)
    with counting("check-domain") as tell:
        report = try_problems(benchmark, config, lambda done: tell(done, count))
    written = [] if out is None else _write(report, out)
    if as_json:
        print_json(_json(report, written))
    else:
        _print(report)
        if out is not None:
            plans = "its plan" if len(written) == 1 else "their plans"
            print(printable(f"{out}: {say_count(len(written), 'problem')} with {plans}"))
    if not report.accepted:
        sys.exit(int(ExitCode.NEGATIVE))


def _list(as_json: bool) -> None:
    """List the shipped domains that have a template."""
    from rich.table import Column, Table

    from chorewright.problems.pddl.template_files import classic_names, classic_template

    found = {name: classic_template(name) for name in classic_names()}
    if as_json:
        rows = [
            {"name": name, "documentation": each.documentation, "bands": [str(band) for band in each.bands]}
            for name, each in found.items()
        ]
        print_json(rows)
        return
    table = Table("domain", Column("problems", overflow="fold"), Column("bands by plan cost", overflow="fold"))
    for name, each in found.items():
        table.add_row(name, each.documentation, ", ".join(str(band) for band in each.bands))
    console().print(table)


def _print(report: DomainReport) -> None:
    from rich.table import Column, Table

    table = Table("band", *(Column(head, justify="right") for head in ("accepted", "least", "median", "most cost")))
    for name, trials in report.bands().items():
        costs = _costs(trials)
        ends = (f"{min(costs):g}", f"{median(costs):g}", f"{max(costs):g}") if costs else ("-", "-", "-")
        table.add_row(name or "any", f"{len(costs)} of {len(trials)}", *ends)
    console().print(table)
    total = sum(report.reasons.values())
    print(printable(f"{len(report.accepted)} of {len(report.trials)} episodes have a problem; rejected: {total}"))
    for reason, times in list(report.reasons.items())[:12]:
        print(printable(f"  {times:>4}  {reason}"))
    if report.accepted:
        said = report.accepted[0].episode.instructions
        for level in ("state", "goal", "step", "change"):
            text = next((each.text for each in said if each.level == level), "")
            print(printable(f'  {level:<6} "{text}"'))


def _costs(trials: tuple[ProblemTrial, ...]) -> list[float]:
    return [each.plan.cost for each in trials if each.plan is not None]


def _json(report: DomainReport, written: list[str]) -> dict[str, object]:
    return {
        "episodes": len(report.trials),
        "accepted": len(report.accepted),
        "bands": {
            name or "any": {"episodes": len(trials), "costs": sorted(_costs(trials))}
            for name, trials in report.bands().items()
        },
        "rejections": dict(report.reasons),
        "sentences": [each.text for each in report.accepted[0].episode.instructions] if report.accepted else [],
        "files": written,
    }


def _write(report: DomainReport, folder: Path) -> list[str]:
    """Write the accepted problems with their plans; return the problems' files."""
    from chorewright.domains.pddl.writer import write_problem

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {folder}: {getattr(error, 'strerror', None) or error}") from error
    written = []
    for each in report.accepted:
        if each.problem is None or each.plan is None:
            continue
        path = folder / f"{Path(each.problem.name).stem}.pddl"
        write_text(path, write_problem(each.problem))
        lines = [str(action) for action in each.plan.actions]
        write_text(path.with_suffix(".plan"), "\n".join((*lines, f"; cost = {each.plan.cost:g}", "")))
        written.append(str(path))
    return written
