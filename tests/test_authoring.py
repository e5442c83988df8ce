"""docs/authoring.md is executed: files are written, commands and Python run, their output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chorewright.domains.library import household_domain, household_vocabulary, scaffold
from tests.command import ROOT

DOCUMENT = ROOT / "docs" / "authoring.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    return BLOCK.findall(DOCUMENT.read_text(encoding="utf-8"))


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Split a console block into commands and the lines that they print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(expected: list[str], printed: str) -> bool:
    """Compare lines; ``...`` alone stands for any lines, within a line for any text."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"[ ]*\n"
        for line in expected
    )
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    if command.startswith("chorewright "):
        command = f'"{sys.executable}" -m {command}'
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_walk_through_works_as_written(tmp_path: Path) -> None:
    code = 0
    for language, name, text in blocks():
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        if language == "python":
            result = run(f'"{sys.executable}" - <<"END"\n{text}\nEND', tmp_path)
            assert result.returncode == 0, result.stderr
        if language != "console":
            continue
        for command, expected in commands(text):
            if command == "echo $?":
                assert expected == [str(code)]
                continue
            # What is not followed by "echo $?" must succeed; that is checked by the next command.
            result = run(command, tmp_path)
            code = result.returncode
            printed = result.stdout if code == 0 else result.stderr
            assert matches(expected, printed), f"$ {command}\n{result.stdout}\n{result.stderr}"
            if code:
                assert f"$ {command}\n" + "\n".join(expected) + f"\n$ echo $?\n{code}" in text


def test_the_page_lists_all_sets() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text.split("### Sets\n")[1].split("### Constraints\n")[0]
    listed = set(re.findall(r"`([a-z-]+)`", section.split("|---|---|")[1]))
    assert listed == set(household_vocabulary().sets)


def test_the_page_lists_all_predicates() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text.split("### Predicates\n")[1].split("### Sets\n")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `(")]
    listed = [found for row in rows for found in re.findall(r"`\(([^`]*)\)`", row)]
    declared = {each.name: len(each.parameters) for each in household_domain().predicates}
    assert {found.split()[0]: found.count("?") for found in listed} == declared
    assert len(listed) == len(declared)


@pytest.mark.parametrize(
    ("domain", "verbs"),
    [
        ("household", ["check-task", "compile", "generate"]),
        ("handmethat", ["check-task", "compile", "generate"]),
        ("tabletop", ["check-task", "compile"]),
    ],
)
def test_the_commands_in_the_head_of_a_new_task_work(domain: str, verbs: list[str], tmp_path: Path) -> None:
    text = scaffold("set-the-table", domain)
    (tmp_path / "set-the-table.task").write_text(text, encoding="utf-8")
    found = re.findall(r"^;   (chorewright .*?)(?:  +\S.*)?$", text, re.MULTILINE)
    assert [command.split()[1] for command in found] == verbs
    for command in found:
        short = {"check-task": " --rooms 2", "generate": " --workers 1"}.get(command.split()[1], "")
        result = run(command.replace("--episodes 20", "--episodes 2") + short, tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stderr}"


def test_the_page_lists_all_sections() -> None:
    from chorewright.domains.templates.parser import SECTIONS

    text = DOCUMENT.read_text(encoding="utf-8")
    assert re.findall(r"^\| `\((:\w+)", text, re.MULTILINE) == list(SECTIONS)
