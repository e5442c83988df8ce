"""The verb that looks after the installation."""

from __future__ import annotations

import platform
import re
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Annotated

import typer

from chorewright.commands.shell import AsJson, console, exit_unless, print_json, verb
from chorewright.commands.starting.defaults import settings_files
from chorewright.files.plugins import pip_install
from chorewright.files.processes import usable_cores
from chorewright.files.text import tell

KINDS = ("all searches", "costs-to-go", "numbers", "pictures")
"""Kinds of work that need kernels of their own, in the order in which they take long to compile."""


@verb
def doctor(warm: Annotated[bool, typer.Option("--warm")] = False, as_json: AsJson = False) -> None:
    """Report versions, extras and what is missing; exit code 1 if something needed is missing.

    Args:
        warm: Compile the kernels of the planner and of pictures now, in about two minutes, so that the first run is
            quick; other users of the installation use them, too.
    """
    from chorewright.commands.replaying import SIMULATORS, HasDiagnosis

    rows = [("python", platform.python_version(), ""), *((name, *_version(name)) for name in sorted(_requirements()))]
    for extra, package in _extras():
        version, missing = _version(package)
        rows.append((package, version, f"optional: {pip_install(extra)}" if missing else ""))
    settings, (seconds, problem) = ", ".join(each.path for each in settings_files()) or "none", _first_plan()
    rows += [each.diagnosis() for each in SIMULATORS.usable().values() if isinstance(each, HasDiagnosis)]
    rows += [("settings", settings, ""), ("cores", str(usable_cores()), "")]
    rows.append(("first plan", f"{seconds:.2f} s", problem))
    if warm:
        from chorewright.files.pool import carry_out

        rows.append(("next plan", f"{_first_plan()[0]:.2f} s", ""))
        tell("note: loading the other kernels, or compiling those that are not there yet")
        warmed = carry_out(_warm, KINDS, min(usable_cores(), len(KINDS)), "compilation")
        rows += [(kind, f"{seconds:.2f} s", "") for kind, seconds in zip(KINDS, warmed, strict=True)]
    bad = [row for row in rows if row[2] and not row[2].startswith("optional")]
    if as_json:
        print_json({"ok": not bad, "checks": [{"name": n, "value": v, "note": note} for n, v, note in rows]})
    else:
        from rich.table import Table

        table = Table("what", "value", "note", title="chorewright doctor", title_justify="left")
        for row in rows:
            table.add_row(*row)
        console().print(table)
    exit_unless(not bad)


def _warm(kind: str) -> float:
    """Compile what a kind of work needs; return the seconds."""
    from chorewright.planner import warming

    uses: tuple[Callable[[], None], ...] = warming.warm, warming.warm_costs, warming.warm_numbers, _first_pictures
    started = time.monotonic()
    dict(zip(KINDS, uses, strict=True))[kind]()
    return time.monotonic() - started


def _extras() -> list[tuple[str, str]]:
    """Return the package of each extra, by the extra's name; the developers' tools are left out."""
    found = []
    for requirement in metadata.requires("chorewright") or ():
        package, marked, extra = requirement.partition("extra ==")
        name = extra.strip().strip("\"'")
        if marked and name != "dev" and _applies(requirement):
            found.append((name, re.split(r"[^A-Za-z0-9_.-]", package, maxsplit=1)[0]))
    return sorted(found)


def _requirements() -> list[str]:
    needed = (each for each in metadata.requires("chorewright") or () if "extra ==" not in each and _applies(each))
    return [each.split(";")[0].split(">")[0].split("=")[0].split("<")[0].strip() for each in needed]


def _applies(requirement: str) -> bool:
    """Whether a requirement is for this version of Python."""
    bound = re.search(r'python_version (<|>=) "3\.(\d+)"', requirement)
    return bound is None or (sys.version_info >= (3, int(bound[2]))) == (bound[1] == ">=")


def _version(name: str) -> tuple[str, str]:
    try:
        return metadata.version(name), ""
    except metadata.PackageNotFoundError:
        return "-", f"missing: pip install {name}"


def _first_plan() -> tuple[float, str]:
    """Plan one household problem, which compiles every kernel that is not compiled yet; return seconds,
    problem."""
    from chorewright.files.plugins import Origin
    from chorewright.generator.production.worlds import WORLDS
    from chorewright.planner.plan import Plan
    from chorewright.planner.planning import solve

    started = time.monotonic()
    worlds = (WORLDS.find(name, Origin.FILE) for name in WORLDS.names())
    compiled = next((found for world in worlds if (found := world.example()) is not None), None)
    if compiled is None:
        return 0.0, "missing: no world is installed (pip install it again)"
    answer = solve(compiled.domain, compiled.problem)
    seconds = time.monotonic() - started
    return seconds, "" if isinstance(answer, Plan) else f"missing: a plan for {compiled.goal.template}"


def _first_pictures() -> None:
    """Draw an episode of each benchmark that a newcomer is shown, which needs the kernels of pictures."""
    from chorewright.commands.starting.first_screen import first_looks
    from chorewright.generator.dataset.options import configure
    from chorewright.generator.production.benchmark import BENCHMARKS
    from chorewright.generator.showing.moments import moments_of

    for name, look in first_looks():
        benchmark, family = BENCHMARKS.find(name), moments_of(name)
        config = configure(benchmark, name, 1, look.options)
        family.last_view(benchmark.episode(0, config, benchmark.assignments(config, 1)[0]), family.cameras[0].size)
