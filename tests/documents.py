"""Pages whose blocks of code are run: what a block is, how it is run, and what it must print.

A block is fenced (``sh``, ``console``, ``python``, ``py``) or indented and begins with a program's name or an import.
A fenced block with a file name behind its language is written to that file. Before a block may be HTML comments, which
readers do not see:

- ``<!-- run: episodes=2 workers=1 -->``: the values of these options (``--episodes``; ``n=2`` for ``-n``) in all its
  commands; ``verdicts``: its commands may end with a negative verdict (exit code 1); ``continued``: a Python block goes
  on where the one before it ended.
- ``<!-- first: COMMAND -->``: a command that is run before the block.
- ``<!-- given: STATEMENTS -->``: Python before a block of it.
- ``<!-- run by trainers: NAME -->``: a check of ``tests.trainers`` runs it, with a trainer's package.
- ``<!-- not run: REASON -->``
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.command import ROOT, environment, run_line

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHELL, CONSOLE, PYTHON = ("sh", "bash"), ("console",), ("python", "py")
PROGRAMS = ("chorewright", "chorewright-thor", "python", "pip", "make")
STATEMENTS = ("import", "from")
SECONDS = 600

BY_MANY = re.compile(r"^(chorewright (?:generate|replay|view) [^#]*?)(\s+#.*)?$")
"""A command that starts a process for each core, which takes longer than the little that a page asks for."""

COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
BLOCK = re.compile(
    r"^```(?P<head>[^\n]*)\n(?P<fenced>.*?)^```$|(?P<indented>(?:^    [^\n]*\n)+)", re.MULTILINE | re.DOTALL
)


class BadPage(Exception):
    """A comment for this module that says nothing it knows."""


@dataclass(frozen=True)
class Block:
    """One block of a page.

    Attributes:
        where: File and line.
        language: ``sh``, ``console``, ``python`` or anything else, which is not run.
        file: The file to write it to, or nothing.
        text: The text inside.
        options: Values for options of its commands.
        verdicts: Whether its commands may end with exit code 1.
        first: Commands to run before.
        given: Python statements to run before.
        continued: Whether it needs the Python block before it.
        trainer: The check of ``tests.trainers`` that runs it, or nothing.
        reason: Why it is not run, or nothing.
    """

    where: str
    language: str
    file: str
    text: str
    options: dict[str, str] = field(default_factory=dict)
    verdicts: bool = False
    first: tuple[str, ...] = ()
    given: str = ""
    continued: bool = False
    trainer: str = ""
    reason: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is code at all."""
        return self.language in (*SHELL, *CONSOLE, *PYTHON)


def blocks(page: str, text: str) -> list[Block]:
    """Return the blocks of a page.

    Raises:
        BadPage: A comment is not one of the five kinds, or no block of code follows it.
    """
    found: list[Block] = []
    comments: list[str] = []
    at = 0
    for match in BLOCK.finditer(text):
        between, where = text[at : match.start()], f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        at = match.end()
        comments += COMMENT.findall(between)
        if match["indented"] is not None:
            inside = "\n".join(line[4:] for line in match["indented"].splitlines())
            word = inside.split(maxsplit=1)[0]
            if word not in (*PROGRAMS, *STATEMENTS):
                continue
            block = Block(where, "python" if word in STATEMENTS else "sh", "", inside)
        else:
            language, _, file = match["head"].strip().partition(" ")
            block = Block(where, language, file, match["fenced"])
        if comments and COMMENT.sub("", between).strip() and not between.rstrip().endswith("-->"):
            raise BadPage(f"{where}: the comment {comments[-1]!r} is not right before the block")
        if comments and not block.runs:
            raise BadPage(f"{where}: the comment {comments[-1]!r} is before a block that is not run")
        for comment in comments:
            block = _told(block, comment)
        comments = []
        found.append(block)
    if comments or COMMENT.search(text, at):
        raise BadPage(f"{page}: no block follows the comment {(comments or COMMENT.findall(text, at))[-1]!r}")
    return found


def _told(block: Block, comment: str) -> Block:
    kind, _, rest = (part.strip() for part in comment.partition(":"))
    if kind == "not run" and rest:
        return replace(block, reason=" ".join(rest.split()))
    if kind == "run by trainers" and rest:
        return replace(block, trainer=rest)
    if kind == "first" and rest:
        return replace(block, first=(*block.first, rest))
    if kind == "given" and rest:
        return replace(block, given=f"{block.given}{rest}\n")
    if kind == "run" and rest:
        for word in rest.split():
            name, _, value = word.partition("=")
            if word == "continued":
                block = replace(block, continued=True)
            elif word == "verdicts":
                block = replace(block, verdicts=True)
            elif name and value:
                block = replace(block, options={**block.options, name: value})
            else:
                raise BadPage(f"{block.where}: {word!r} is no option's value")
        return block
    raise BadPage(
        f"{block.where}: {comment!r} is none of 'run: ...', 'first: ...', 'given: ...', 'run by trainers: ...', "
        "'not run: REASON'"
    )


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a block with the lines that each shall print; only a console's lines are checked.

    Raises:
        BadPage: None of its commands has an option that a comment gives a value.
    """
    found: list[tuple[str, list[str]]] = []
    if block.language in CONSOLE:
        for line in block.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
    else:
        lines = block.text.replace("\\\n", " ").splitlines()
        found = [(line.strip(), []) for line in lines if line.strip() and not line.strip().startswith("#")]
    for name, value in block.options.items():
        flag = re.compile(rf"(?<!\S)({'-' if len(name) == 1 else '--'}{re.escape(name)})[ =]\S+")
        if not any(flag.search(command) for command, _ in found):
            raise BadPage(f"{block.where}: no command has the option {name!r}")
        found = [(flag.sub(rf"\1 {value}", command), lines) for command, lines in found]
    return found


def matches(expected: list[str], printed: str) -> bool:
    """Compare lines; ``...`` alone stands for any lines, within a line for any text."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"[ ]*\n"
        for line in expected
    )
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


class Runner:
    """Runs the blocks of a page in a folder, in their order."""

    def __init__(self, folder: Path) -> None:
        """Make the programs of the package and this Python findable by their names."""
        self.folder = folder / "page"
        self.folder.mkdir()
        programs = folder / "programs"
        programs.mkdir()
        for name, words in {
            "chorewright": "-m chorewright",
            "chorewright-thor": "-m chorewright.replay.household.server.program",
            "python": "",
        }.items():
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
        path = f"{programs}:{environment().get('PATH', '')}"
        self.environment = environment({"PATH": path, "HOME": str(folder), "NO_COLOR": "1", "COLUMNS": "120"})
        self.python = ""
        self.code = 0

    def run(self, block: Block) -> None:
        """Run a block, or write its file.

        Raises:
            AssertionError: A command fails, or prints what the page does not say.
        """
        if block.reason or block.trainer:
            return
        for command in block.first:
            done = self._do(command)
            assert done.returncode == 0, f"{block.where}\n$ {command}\n{done.stdout}{done.stderr}"
        if block.file:
            target = self.folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language in PYTHON:
            self._run_python(block)
        elif block.runs:
            for command, expected in commands(block):
                self._run_command(block, command, expected)

    def _run_python(self, block: Block) -> None:
        code = f"{block.given}{block.text}"
        self.python = f"{self.python}\n{code}" if block.continued else code
        (self.folder / "_page.py").write_text(self.python, encoding="utf-8")
        done = self._do("python _page.py")
        assert done.returncode == 0, f"{block.where}\n{done.stdout}{done.stderr}"

    def _run_command(self, block: Block, command: str, expected: list[str]) -> None:
        if command == "echo $?":
            assert expected == [str(self.code)], f"{block.where}: the exit code is {self.code}"
            return
        done = self._do(command)
        self.code = done.returncode
        said = f"{block.where}\n$ {command}\n{done.stdout}{done.stderr}[exit code {done.returncode}]"
        if block.language in CONSOLE:
            assert done.returncode == 0 or expected, said
            printed = {done.stdout, done.stderr, done.stdout + done.stderr}
            assert any(matches(expected, each) for each in printed), said
        else:
            assert done.returncode in ((0, 1) if block.verdicts else (0,)), said

    def _do(self, command: str) -> subprocess.CompletedProcess[str]:
        command = BY_MANY.sub(r"\1 --workers 0\2", command)
        return run_line(command, self.folder, self.environment, SECONDS)
