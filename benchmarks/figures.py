"""docs/figures.md from the results of the benchmarks, and the figures that the other pages quote.

    python -m benchmarks.figures             # write docs/figures.md
    python -m benchmarks.figures --readme    # write the table of README.md as well
    python -m benchmarks.figures --check     # exit 1 if a page is not what the results give

Other pages quote a figure with a comment behind it, ``99.94 %<!-- figure: alfred_corpus/met -->``: the name of
the result, a slash and the name of the figure. In front of the comment must be the figure as docs/figures.md has
it, or rounded, with or without its unit. The table of README.md stands between ``<!-- figures: begin -->`` and
``<!-- figures: end -->``; ``benchmarks/readme_table.json`` says which figures it has.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.results import GROUPS, RESULTS, Figure, Result, ResultError, Table, read_all
from chorewright.errors import Location

ROOT = Path(__file__).resolve().parents[1]
PAGE, README, CHOSEN = ROOT / "docs" / "figures.md", ROOT / "README.md", Path(__file__).parent / "readme_table.json"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
QUOTE = re.compile(r"<!-- figure: ([^\s>]*) -->")
PLACE = re.compile(r"\{(?P<reference>[^{}:]*)(:(?P<digits>\d+))?\}")

LONG = 8
"""Rows of a table that is shown whole; longer ones are folded."""

INTRODUCTION = """# Figures

This page is made by `python -m benchmarks.figures` from `benchmarks/results`; do not edit it. Under each table stand
the command that makes it again and the commit, day and machine of the run; a figure stays that of its commit until
it is measured anew. `benchmarks/README.md` says what each benchmark measures. Seconds are CPU seconds unless a line
says otherwise. A share has its target in per cent.
"""


def page(results: Mapping[str, Result]) -> str:
    """Return docs/figures.md: an overview, then the results by group."""
    parts = [INTRODUCTION, missed(results), overview(results)]
    for group in GROUPS:
        own = [result for result in results.values() if result.report.group == group]
        if own:
            parts += [f"## {group}\n", *map(section, own)]
    return "\n".join(parts).rstrip("\n") + "\n"


def missed(results: Mapping[str, Result]) -> str:
    """Return how many targets are met, and those that are missed."""
    aimed = [(result, each) for result in results.values() for each in result.report.figures if each.target]
    rest = [(result, each) for result, each in aimed if not each.met]
    if not rest:
        return f"All {len(aimed)} targets are met.\n"
    lines = [f"{link(result)}: {each.label} {each.text} (target: {target_of(each)})" for result, each in rest]
    return "\n- ".join([f"{len(aimed) - len(rest)} of {len(aimed)} targets are met. **Missed**:\n", *lines]) + "\n"


def overview(results: Mapping[str, Result]) -> str:
    """Return a table with the first figure of each result."""
    rows = []
    for group in GROUPS:
        for result in results.values():
            if result.report.group == group and result.report.figures:
                first = result.report.figures[0]
                rows.append((link(result), first.label, _strong(first), beside(first)))
    return _markdown(("result", "headline", "here", "elsewhere"), rows)


def link(result: Result) -> str:
    """Return a link to a result's section, by the rule that code hosts make anchors by."""
    title = result.report.title
    return f"[{title}](#{re.sub(r'[^a-z0-9_ -]', '', title.lower()).replace(' ', '-')})"


def section(result: Result) -> str:
    """Return a result's heading, line of explanation, tables and origin."""
    report = result.report
    parts = [f"### {report.title}\n", f"{report.explanation}\n"]
    if report.caveat:
        parts.append(f"**{report.caveat}**\n")
    if report.figures:
        parts.append(figure_table(report.figures))
    parts += [printed(each) for each in report.tables]
    return "\n".join([*parts, f"{origin(result)}\n"])


def origin(result: Result) -> str:
    """Return the line that says where a result comes from."""
    run = result.run
    command = run.command.capitalize() if run.command.startswith("by hand") else f"`{run.command}`"
    machine = f"{run.machine.cores} cores" + (f" ({run.machine.processor})" if run.machine.processor else "")
    python = f"Python {run.python}" if run.python else ""
    facts = (command, f"commit {run.commit}", run.date, machine, python, result.report.conditions)
    return " · ".join(filter(None, facts))


def figure_table(figures: tuple[Figure, ...]) -> str:
    """Return the key figures as a table, their notes below it; columns that nothing stands in are left out."""
    notes = list(dict.fromkeys(one.note for one in figures if one.note))
    rows = [
        (one.label + (f" [{notes.index(one.note) + 1}]" if one.note else ""), _strong(one), verdict(one), beside(one))
        for one in figures
    ]
    heads = ("figure", "here", "target", "elsewhere")
    used = [place for place in range(4) if place < 2 or any(row[place] for row in rows)]
    sources = dict.fromkeys(f"{peer.name}: {peer.source}" for one in figures for peer in one.peers)
    shown = _markdown([heads[place] for place in used], [[row[place] for place in used] for row in rows])
    below = [f"- [{number}] {note[0].upper()}{note[1:]}.\n" for number, note in enumerate(notes, 1)]
    below += [f"- Elsewhere: {'; '.join(sources)}.\n"] if sources else []
    return "\n".join([shown, "".join(below)]) if below else shown


def _strong(figure: Figure) -> str:
    return f"**{figure.text}**" if figure.target else figure.text


def target_of(figure: Figure) -> str:
    """Return a figure's target as text, empty if it has none."""
    if figure.target is None:
        return ""
    unit = " %" if figure.of is not None else f" {figure.unit}" if figure.unit else ""
    value = figure.target.value if figure.of is None else round(figure.target.value, 1)
    return f"{figure.target.bound} {value:,g}{unit}"


def verdict(figure: Figure) -> str:
    """Return a figure's target and whether it is met."""
    return "" if figure.target is None else f"{target_of(figure)}: {'met' if figure.met else '**missed**'}"


def beside(figure: Figure) -> str:
    """Return what others report."""
    return "; ".join(f"{peer.name} {peer.value}" for peer in figure.peers)


def printed(table: Table) -> str:
    """Return a table in markdown with its caption and sources; a long one is folded."""
    text = f"{table.caption}:\n\n" if table.caption else ""
    text += _markdown(table.columns, table.rows)
    if table.sources:
        text += "\n" + "; ".join(f"{what[0].upper()}{what[1:]}: {where}" for what, where in table.sources) + ".\n"
    if len(table.rows) <= LONG:
        return text
    summary = f"{len(table.rows)} rows by {table.columns[0] or 'case'}"
    return f"<details><summary>{summary}</summary>\n\n{text}\n</details>\n"


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def figure_of(results: Mapping[str, Result], reference: str) -> Figure:
    """Return the figure that a reference ``RESULT/FIGURE`` names.

    Raises:
        ResultError: There is no such result or figure.
    """
    name, _, key = reference.partition("/")
    if name not in results:
        raise ResultError(f"there is no result {name!r} for the figure {reference!r}", hint=f"see {RESULTS.name}/")
    found = {figure.name: figure for figure in results[name].report.figures}
    if key not in found:
        raise ResultError(f"the result {name!r} has no figure {key!r}", hint=f"it has {', '.join(found) or 'none'}")
    return found[key]


def readme_table(results: Mapping[str, Result], chosen: Path = CHOSEN) -> str:
    """Return the table of README.md: what is measured, here, elsewhere.

    Args:
        results: All results.
        chosen: A JSON list of rows: ``what`` is text, ``here`` is text with figures in braces
            (``{alfred_corpus/met}``, or with 2 decimals ``{alfred_corpus/ratio:2}``), ``elsewhere`` is text;
            without it the figures' peers stand there.
    """

    def said(match: re.Match[str]) -> str:
        figure = figure_of(results, match["reference"])
        whole = figure.text if figure.value == figure.of else figure.forms[0]
        return figure.rounded(int(match["digits"])) if match["digits"] else whole

    rows = []
    for row in json.loads(chosen.read_text("utf-8")):
        named = [figure_of(results, match["reference"]) for match in PLACE.finditer(row["here"])]
        others = row.get("elsewhere") or "; ".join(filter(None, map(beside, named)))
        rows.append((row["what"], PLACE.sub(said, row["here"]), others))
    return _markdown(("", "chorewright", "others"), rows).rstrip("\n")


def with_table(text: str, table: str) -> str:
    """Return README.md's text with the table between its markers.

    Raises:
        ResultError: The markers are not there once each, in their order.
    """
    before, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in after:
        raise ResultError(
            "the table of figures has no place",
            location=Location("README.md"),
            hint=f"write the lines {BEGIN} and {END} where it is to stand",
        )
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def wrong_quotes(results: Mapping[str, Result], path: Path) -> Iterator[str]:
    """Yield what is wrong with the figures that a page quotes."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for match in QUOTE.finditer(line):
            try:
                figure = figure_of(results, match[1])
            except ResultError as error:
                yield f"{path.name}:{number}: {error.message}; {error.hint}"
                continue
            if not figure.ends(line[: match.start()].rstrip(" *`")):
                yield f"{path.name}:{number}: {match[1]} is {' or '.join(figure.forms)}, the page says otherwise"


def wrong_commands(results: Mapping[str, Result]) -> Iterator[str]:
    """Yield the results whose command cannot be run, or that were measured with uncommitted changes."""
    for name, result in results.items():
        if not runs(result.run.command):
            yield f"{name}: no module, verb, target or file is named by the command {result.run.command!r}"
        if result.run.commit.endswith("-dirty"):
            yield f"{name}: measured with uncommitted changes; commit them and run it again"


def runs(command: str) -> bool:
    """Return whether a command names a module, a verb of chorewright, a make target or test files that exist."""
    if command.startswith("by hand: "):
        return True
    words = shlex.split(command)
    words = words[1:] if words[0] == "time" else words
    match words:
        case ["python", "-m", "pytest", *rest] | ["pytest", *rest]:
            files = [word for word in rest if word.startswith("tests/")]
            return bool(files) and all((ROOT / name.partition("::")[0]).exists() for name in files)
        case ["python", "-m", module, *_]:
            return (ROOT / f"{module.replace('.', '/')}.py").exists() and importlib.util.find_spec(module) is not None
        case ["make", target]:
            return f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8")
        case ["chorewright", *_] | ["python", "-c", *_]:
            return True
    return False


def faults(results: Mapping[str, Result]) -> Iterator[str]:
    """Yield where the pages are not what the results give."""
    yield from wrong_commands(results)
    if not PAGE.exists() or PAGE.read_text("utf-8") != page(results):
        yield "docs/figures.md is not what the results give: run python -m benchmarks.figures"
    text = README.read_text("utf-8")
    table = readme_table(results)
    if (BEGIN in text or END in text) and with_table(text, table) != text:
        yield "README.md's table is not what the results give: run python -m benchmarks.figures --readme"
    for path in (README, *sorted((ROOT / "docs").glob("*.md"))):
        yield from wrong_quotes(results, path)


def main() -> None:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readme", action="store_true", help="write the table of README.md too")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if something is not as it should be"
    )
    arguments = parser.parse_args()
    try:
        results = read_all()
        if arguments.check:
            found = list(faults(results))
            print("\n".join(found), file=sys.stderr)
            sys.exit(bool(found))
        PAGE.write_text(page(results), encoding="utf-8")
        if arguments.readme:
            README.write_text(with_table(README.read_text("utf-8"), readme_table(results)), encoding="utf-8")
    except ResultError as error:
        sys.exit(f"{error}\n  hint: {error.hint}" if error.hint else str(error))


if __name__ == "__main__":
    main()
