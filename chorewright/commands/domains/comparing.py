"""The verb that says whether two problems are the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, fold, print_json, printable, readable, verb
from chorewright.errors import ExitCode, UsageError


@verb
def compare(
    first: Annotated[Path, typer.Argument(metavar="A.pddl", help="A PDDL problem file.")],
    second: Annotated[Path, typer.Argument(metavar="B.pddl", help="Another problem file of the same domain.")],
    domain_file: Annotated[
        Path | None,
        typer.Option("--domain", metavar="FILE", help="Their domain; by default domain.pddl beside the first."),
    ] = None,
    evaluations: Annotated[
        int, typer.Option("--evaluations", min=1, help="What each search for a difference may evaluate.")
    ] = 50_000,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds by the clock; none by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say whether two problems are the same but for names: their starts, and their goals in all reachable states.

    Exit code 0 equivalent, 1 different, 12 not decided within limits.
    """
    from chorewright.domains.pddl import load_domain, load_problem
    from chorewright.planner.equivalence import Likeness, compare_problems
    from chorewright.planner.plan import Limits

    beside = readable(first).parent / "domain.pddl"
    if domain_file is None and not beside.is_file():
        raise UsageError(f"there is no {beside}", hint="give the problems' domain with --domain FILE")
    domain = load_domain(readable(domain_file or beside))
    problems = [load_problem(readable(path), domain) for path in (first, second)]
    limits = Limits(seconds=time_limit, evaluations=evaluations)
    found = compare_problems(domain, problems[0], problems[1], limits)
    if as_json:
        print_json(
            {
                "verdict": found.likeness.value,
                "reason": found.reason,
                "relation": found.relation or None,
                "renaming": dict(found.renaming),
                "witness": [str(step) for step in found.witness],
                "holds_in": found.holds_in or None,
            }
        )
    else:
        print(fold(f"{found.likeness.value}: {found.reason}"))
        if found.relation:
            print(f"the first goal is {found.relation}")
        if found.likeness is Likeness.EQUIVALENT:
            changed = [f"{old} = {new}" for old, new in found.renaming if old != new]
            if changed:
                print(printable(fold(f"renaming: {', '.join(changed)}")))
        if found.holds_in:
            steps = " ".join(map(str, found.witness)) or "the start"
            goal = "first" if found.holds_in == 1 else "second"
            print(printable(fold(f"only the {goal} goal holds after: {steps}")))
    codes = {Likeness.EQUIVALENT: ExitCode.OK, Likeness.DIFFERENT: ExitCode.NEGATIVE}
    sys.exit(int(codes.get(found.likeness, ExitCode.INCOMPLETE)))
