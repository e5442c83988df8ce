"""docs/figures.md and the figures that pages quote are what ``benchmarks/results`` gives; broken results are named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.table import Table as RichTable

from benchmarks import figures
from benchmarks.command import benchmark_parser, command_of, from_rich, given_path, machine
from benchmarks.results import (
    RESULTS,
    Figure,
    Machine,
    Peer,
    Report,
    Result,
    ResultError,
    Run,
    Table,
    Target,
    from_markdown,
    read,
    read_all,
    write,
)
from tests.command import ROOT, environment

FIGURES = (
    Figure("met", "episodes with all conditions met", 6570, of=6574, digits=2, target=Target("at least", 99.0)),
    Figure(
        "seconds", "planning", 0.85, "s", digits=3, target=Target("at most", 0.5), peers=(Peer("X", "25 s", "p. 3"),)
    ),
    Figure("range", "a process", "0.40 to 0.52", "s", note="on an idle machine"),
    Figure("count", "processes", 7, note="on an idle machine"),
)
TABLE = Table(("task", "n"), (("a|b", "1"), ("all", "2")), "By task", (("n", "Table 2"),))
REPORT = Report("toy", "ALFRED", "A toy's figures", "One line.", FIGURES, (TABLE,), "idle machine", "Of an old toy.")
RUN = Run("python -m benchmarks.rooms", "0123abcd", "2026-11-22", Machine(2, "A processor"), "3.11.7")
RESULT = Result(REPORT, RUN)


def document() -> dict[str, object]:
    """The result as its file has it."""
    figures = [{"name": "met", "label": "l", "value": 1, "of": 2}]
    run = {"command": "make test", "commit": "0123abcd", "date": "2026-11-22", "machine": {"cores": 2}}
    return {
        "report": {"name": "toy", "group": "ALFRED", "title": "T", "explanation": "E.", "figures": figures},
        "run": run,
    }


def test_the_pages_are_what_the_results_give() -> None:
    """``python -m benchmarks.figures`` mends the page, ``--readme`` the readme's table; the rest is named."""
    assert list(figures.faults(read_all())) == []


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(RESULT, tmp_path / "toy.json")
    assert read(tmp_path / "toy.json") == RESULT
    assert read_all(tmp_path) == {"toy": RESULT}
    assert json.loads((tmp_path / "toy.json").read_text("utf-8"))["report"]["figures"][1]["met"] is False


def test_a_file_is_named_after_its_report(tmp_path: Path) -> None:
    write(RESULT, tmp_path / "other.json")
    with pytest.raises(ResultError, match="the report's name is 'toy'"):
        read_all(tmp_path)


def edited(change: Callable[[dict[str, dict[str, object]]], object]) -> str:
    """A result's text after a change."""
    found = json.loads(json.dumps(document()))
    change(found)
    return json.dumps(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.json: this is no JSON file"),
        ("[]", r"x.json:\$: expected an object for a Result, got list"),
        (edited(lambda d: d.pop("run")), r"x.json:\$: a Result needs run"),
        (edited(lambda d: d["run"].pop("commit")), r"x.json:\$.run: a Run needs commit"),
        (edited(lambda d: d["run"].update(host="x")), r"x.json:\$.run: a Run has no field host"),
        (edited(lambda d: d["run"].update(commit="main")), r"x.json:\$.run: 'main' is no commit"),
        (edited(lambda d: d["run"].update(date="22.11.2026")), r"x.json:\$.run: '22.11.2026' is no date"),
        (edited(lambda d: d["run"].update(machine={"cores": "2"})), r"x.json:\$.run.machine.cores: '2' is not of the"),
        (edited(lambda d: d["report"].update(group="Cars")), r"x.json:\$.report: 'Cars' is no group"),
        (edited(lambda d: d["report"].update(explanation="a\nb")), "the explanation is not one line"),
        (edited(lambda d: d["report"].update(figures=[])), "neither figures nor tables"),
        (edited(lambda d: d["report"]["figures"].extend(d["report"]["figures"])), "two figures have one name"),
        (edited(lambda d: d["report"].update(figures=[{"name": "m", "label": "l", "value": 3, "of": 2}])),
         r"x.json:\$.report.figures\[0\]: figure 'm': 3 of 2 is no share"),
        (edited(lambda d: d["report"].update(figures=[{"name": "m", "label": "l", "value": 0.5}])), "needs 'digits'"),
        (edited(lambda d: d["report"].update(figures=[{"name": "m", "label": "l", "value": True}])), "not of the type"),
        (edited(lambda d: d["report"].update(figures=[{"name": "m", "label": "l", "value": 1, "met": False,
                                                      "target": {"bound": "at least", "value": 1}}])),
         "says met: False, but its value and target say True"),
        (edited(lambda d: d["report"].update(figures=[{"name": "m", "label": "l", "value": 1,
                                                      "target": {"bound": "about", "value": 1}}])),
         r"x.json:\$.report.figures\[0\].target.bound: 'about' is not of the type"),
        (edited(lambda d: d["report"].update(tables=[{"columns": ["a", "b"], "rows": [["1"]]}])),
         r"x.json:\$.report.tables\[0\]: row \('1',\) does not have the 2 columns"),
    ],
)  # fmt: skip
def test_a_broken_result_is_named_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, "utf-8")
    with pytest.raises(ResultError, match=message):
        read(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("figure", "text", "forms", "met"),
    [
        (FIGURES[0], "6,570 of 6,574 (99.94 %)", ("99.94 %", "6,570 of 6,574"), True),
        (FIGURES[1], "0.850 s", ("0.850 s",), False),
        (FIGURES[2], "0.40 to 0.52 s", ("0.40 to 0.52 s",), None),
        (Figure("n", "n", 24, of=24, target=Target("at least", 100.0)), "24 of 24", ("100.0 %", "24 of 24"), True),
        (Figure("n", "n", 1090008), "1,090,008", ("1,090,008",), None),
        (Figure("n", "n", 3, "s", target=Target("at most", 3.0)), "3 s", ("3 s",), True),
    ],
)  # fmt: skip
def test_how_a_figure_is_said(figure: Figure, text: str, forms: tuple[str, ...], met: bool | None) -> None:
    assert (figure.text, figure.forms, figure.met) == (text, forms, met)


def test_a_section_says_everything() -> None:
    assert (
        figures.section(RESULT)
        == """### A toy's figures

One line.

**Of an old toy.**

| figure | here | target | elsewhere |
| --- | --- | --- | --- |
| episodes with all conditions met | **6,570 of 6,574 (99.94 %)** | at least 99 %: met |  |
| planning | **0.850 s** | at most 0.5 s: **missed** | X 25 s |
| a process [1] | 0.40 to 0.52 s |  |  |
| processes [1] | 7 |  |  |

- [1] On an idle machine.
- Elsewhere: X: p. 3.

By task:

| task | n |
| --- | --- |
| a\\|b | 1 |
| all | 2 |

N: Table 2.

`python -m benchmarks.rooms` · commit 0123abcd · 2026-11-22 · 2 cores (A processor) · Python 3.11.7 · idle machine
"""
    )


def test_missed_targets_stand_on_top_and_long_tables_are_folded() -> None:
    missed = "- [A toy's figures](#a-toys-figures): planning 0.850 s (target: at most 0.5 s)"
    assert f"1 of 2 targets are met. **Missed**:\n\n{missed}\n" in figures.page({"toy": RESULT})
    long = replace(TABLE, rows=TABLE.rows * 8)
    assert "<details><summary>16 rows by task</summary>" in figures.printed(long)


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("python -m benchmarks.alfred_corpus --every 10", True),
        ("python -m benchmarks.forgotten", False),
        ("python -m pytest tests/test_figures.py", True),
        ("pytest tests/test_forgotten.py -m slow", False),
        ("pytest", False),
        ("make demo", True),
        ("make tea", False),
        ("chorewright generate alfred --episodes 2 --out DIR", True),
        ("by hand: with a stopwatch", True),
        ("rm -r results", False),
    ],
)
def test_a_command_names_what_exists(command: str, runs: bool) -> None:
    assert figures.runs(command) is runs
    result = replace(RESULT, run=replace(RUN, command=command))
    assert bool(list(figures.wrong_commands({"toy": result}))) is not runs


def test_a_run_of_uncommitted_code_is_no_figure() -> None:
    result = replace(RESULT, run=replace(RUN, commit="0123abcd-dirty"))
    assert list(figures.wrong_commands({"toy": result})) == [
        "toy: measured with uncommitted changes; commit them and run it again"
    ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("It is 99.94 %<!-- figure: toy/met -->.", ""),
        ("**6,570 of 6,574** <!-- figure: toy/met --> and 0.850 s<!-- figure: toy/seconds -->", ""),
        ("It is 99.9 %<!-- figure: toy/met -->, 100<!-- figure: toy/met --> or 0.8<!-- figure: toy/seconds -->.", ""),
        ("It is 0.7<!-- figure: toy/seconds -->.", "p.md:1: toy/seconds is 0.850 s, the page says otherwise"),
        ("It is 0.85 min<!-- figure: toy/seconds -->.", "p.md:1: toy/seconds is 0.850 s, the page says otherwise"),
        ("It is 0.4<!-- figure: toy/range -->.", "p.md:1: toy/range is 0.40 to 0.52 s, the page says otherwise"),
        ("It is 99.95 %<!-- figure: toy/met -->.",
         "p.md:1: toy/met is 99.94 % or 6,570 of 6,574, the page says otherwise"),
        ("5<!-- figure: toy/wheels -->",
         "p.md:1: the result 'toy' has no figure 'wheels'; it has met, seconds, range, count"),
        ("5<!-- figure: ball/met -->", "p.md:1: there is no result 'ball' for the figure 'ball/met'; see results/"),
    ],
)  # fmt: skip
def test_quoted_figures_are_checked(line: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text(line, "utf-8")
    assert list(figures.wrong_quotes({"toy": RESULT}, tmp_path / "p.md")) == ([fault] if fault else [])


def test_the_readme_s_table_stands_between_its_markers(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.json"
    rows = [
        {"what": "planned", "here": "{toy/met} in {toy/seconds:2}"},
        {"what": "p", "here": "{toy/range}", "elsewhere": "1"},
    ]
    chosen.write_text(json.dumps(rows), "utf-8")
    table = figures.readme_table({"toy": RESULT}, chosen)
    assert table.splitlines()[2:] == ["| planned | 99.94 % in 0.85 s | X 25 s |", "| p | 0.40 to 0.52 s | 1 |"]
    text = f"a\n{figures.BEGIN}\nold\n{figures.END}\nb\n"
    assert figures.with_table(text, table) == f"a\n{figures.BEGIN}\n{table}\n{figures.END}\nb\n"
    assert figures.with_table(figures.with_table(text, table), table) == figures.with_table(text, table)
    for broken in ("a\n", f"{figures.BEGIN}\n", text + text, f"{figures.END}\n{figures.BEGIN}\n"):
        with pytest.raises(ResultError, match="the table of figures has no place"):
            figures.with_table(broken, table)


def test_the_check_fails_on_a_page_that_was_edited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "figures.md"
    page.write_text(figures.page(read_all()) + "One more line.\n", "utf-8")
    monkeypatch.setattr(figures, "PAGE", page)
    assert list(figures.faults(read_all())) == [
        "docs/figures.md is not what the results give: run python -m benchmarks.figures"
    ]


def test_tables_are_taken_over_as_printed() -> None:
    assert from_markdown("| a | b |\n|---|--:|\n| 1 | x y |\n") == Table(("a", "b"), (("1", "x y"),))
    with pytest.raises(ResultError, match="no markdown table"):
        from_markdown("words")
    shown = RichTable("task", "[bold]n[/bold]")
    shown.add_row("all", "3")
    assert from_rich(shown).rows == (("all", "3"),)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["/home/me/benchmarks/rooms.py", "--every", "3", "--save"], "python -m benchmarks.rooms --every 3"),
        (["rooms.py", "--json", "/tmp/x.json", "--every=3"], "python -m benchmarks.rooms --every=3"),
        (["rooms.py", "--json=/tmp/x.json", "--conditions", "other jobs"], "python -m benchmarks.rooms"),
        (["planner.py", "--fast-downward", "/bin/x"], "python -m benchmarks.planner --fast-downward FAST-DOWNWARD"),
        (["planner.py", "--rows=/tmp/rows"], "python -m benchmarks.planner --rows=ROWS"),
        (["handmethat_doors.py", "/tmp/data", "--seed", "3"], "python -m benchmarks.handmethat_doors FILE --seed 3"),
    ],
)  # fmt: skip
def test_a_command_is_kept_without_paths_of_a_machine(words: list[str], command: str) -> None:
    assert command_of(words) == command


def test_the_machine_has_cores_and_no_name() -> None:
    found = machine()
    assert found.cores >= 1
    assert found.processor != "" or not Path("/proc/cpuinfo").exists()


@pytest.mark.parametrize(
    ("arguments", "name", "figure"),
    [(["handmethat_scenes", "--scenes", "20", "--instantiable", "1"], "handmethat_scenes", "goals")],
)
def test_a_run_writes_a_valid_result(arguments: list[str], name: str, figure: str, tmp_path: Path) -> None:
    module, *words = arguments
    command = [sys.executable, "-m", f"benchmarks.{module}", *words, "--json", str(tmp_path / f"{name}.json")]
    command += ["--conditions", "beside other tests"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (result,) = read_all(tmp_path).values()
    assert result.run.command == f"python -m benchmarks.{' '.join(arguments)}"
    assert result.report.conditions == "beside other tests"
    assert figures.figure_of({name: result}, f"{name}/{figure}").value
    cells = {cell for each in result.report.tables for row in each.rows for cell in row}
    assert cells <= {cell.strip() for line in done.stdout.splitlines() for cell in line.split("|")}


def measuring() -> dict[str, str]:
    """The sources of the modules that are run as commands and write a result."""
    sources = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "benchmarks").glob("*.py"))}
    others = (
        "figures",
        "launch",
        "decoding",
        "contact_sheets",
        "alfred_looks",
        "forty_tasks",
        "tutorial_picture",
        "rewards_picture",
        "first_plans_picture",
    )
    return {name: text for name, text in sources.items() if "\ndef main()" in text and name not in others}


def test_every_benchmark_keeps_its_result() -> None:
    """All have ``--json`` and ``--save``, and say so."""
    for name, text in measuring().items():
        assert "benchmark_parser(__doc__)" in text, name
        assert "    keep(" in text, name
        assert "[--save] [--json FILE]" in text, name


def test_the_list_of_benchmarks_is_whole() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "benchmarks" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert rows == sorted(measuring())


def test_every_result_is_shown() -> None:
    page = (ROOT / "docs" / "figures.md").read_text("utf-8")
    for path in RESULTS.glob("*.json"):
        assert f"\n### {read(path).report.title}\n" in page


def test_a_path_that_is_not_there_is_a_wrong_argument(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = benchmark_parser("Measure.")
    parser.add_argument("folder", type=given_path)
    assert parser.parse_args([str(tmp_path)]).folder == tmp_path
    with pytest.raises(SystemExit) as ended:
        parser.parse_args([str(tmp_path / "nowhere")])
    assert ended.value.code == 2
    assert f"there is no {tmp_path / 'nowhere'}" in capsys.readouterr().err
