"""The verb ``check-domain``: problems of a domain drawn, solved and said, for the author of its files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from chorewright.commands.shell import AsJson, console, print_json, printable, verb, write_text
from chorewright.errors import ExitCode, StorageError, UsageError
from chorewright.files.english import say_count

if TYPE_CHECKING:
    from chorewright.generator.dataset.episode import Episode


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
        made = try_problems(benchmark, config, lambda done: tell(done, count))
    accepted = [each for each in made if each.outcome.accepted]
    written = [] if out is None else _write(accepted, out)
    if as_json:
        print_json(_json(made, accepted, written))
    else:
        _print(made, accepted)
        if out is not None:
            plans = "its plan" if len(written) == 1 else "their plans"
            print(printable(f"{out}: {say_count(len(written), 'problem')} with {plans}"))
    if not accepted:
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


def _bands(made: Sequence[Episode]) -> dict[str, list[Episode]]:
    """Return the episodes of each band, in order."""
    from chorewright.generator.pddl.problem_benchmark import band_of

    found: dict[str, list[Episode]] = {}
    for each in made:
        found.setdefault(band_of(each) or "any", []).append(each)
    return found


def _reasons(made: Sequence[Episode]) -> dict[str, int]:
    """Return why problems were rejected, most frequent first."""
    counts = Counter(str(reason) for each in made for reason in each.rejections)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _print(made: Sequence[Episode], accepted: Sequence[Episode]) -> None:
    from rich.table import Column, Table

    table = Table("band", *(Column(head, justify="right") for head in ("accepted", "least", "median", "most cost")))
    for name, episodes in _bands(made).items():
        costs = _costs(episodes)
        ends = (f"{min(costs):g}", f"{median(costs):g}", f"{max(costs):g}") if costs else ("-", "-", "-")
        table.add_row(name, f"{len(costs)} of {len(episodes)}", *ends)
    console().print(table)
    reasons = _reasons(made)
    total = sum(reasons.values())
    print(printable(f"{len(accepted)} of {len(made)} episodes have a problem; rejected: {total}"))
    for reason, times in list(reasons.items())[:12]:
        print(printable(f"  {times:>4}  {reason}"))
    if accepted:
        said = accepted[0].instructions
        for level in ("state", "goal", "step", "change"):
            text = next((each.text for each in said if each.level == level), "")
            print(printable(f'  {level:<6} "{text}"'))


def _costs(episodes: Sequence[Episode]) -> list[float]:
    return [each.plan_cost for each in episodes if each.outcome.accepted]


def _json(made: Sequence[Episode], accepted: Sequence[Episode], written: list[str]) -> dict[str, object]:
    return {
        "episodes": len(made),
        "accepted": len(accepted),
        "bands": {
            name: {"episodes": len(episodes), "costs": sorted(_costs(episodes))}
            for name, episodes in _bands(made).items()
        },
        "rejections": _reasons(made),
        "sentences": [each.text for each in accepted[0].instructions] if accepted else [],
        "files": written,
    }


def _write(accepted: Sequence[Episode], folder: Path) -> list[str]:
    """Write the accepted problems with their plans; return the problems' files."""
    from chorewright.generator.pddl.sources import PROBLEM, SCENE

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot write {folder}: {getattr(error, 'strerror', None) or error}") from error
    written = []
    for each in accepted:
        path = folder / f"{Path(each.extra(SCENE)).stem}.pddl"
        write_text(path, each.extra(PROBLEM))
        lines = [str(action) for action in each.plan]
        write_text(path.with_suffix(".plan"), "\n".join((*lines, f"; cost = {each.plan_cost:g}", "")))
        written.append(str(path))
    return written
