"""README.md and docs/: every block of code is run, page by page in a folder of its own, and prints what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import ROOT
from tests.documents import PAGES, BadPage, Block, Runner, blocks, commands, matches
from tests.trainers.__main__ import CHECKS

QUICK = ("README.md", "authoring.md", "task_files.md", "own_kinds.md", "pddl.md", "rooms.md", "thor_world.md")
"""Pages that are run in the gate; the others are slow."""

MOST_NOT_RUN = 11


def page_blocks(path: Path) -> list[Block]:
    return blocks(path.name, path.read_text("utf-8"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=str(path.relative_to(ROOT)), marks=[] if path.name in QUICK else pytest.mark.slow)
        for path in PAGES
    ],
)
def test_a_page_s_blocks_run(path: Path, tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    for block in page_blocks(path):
        runner.run(block)


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    found = [block for path in PAGES for block in page_blocks(path)]
    left_out = [f"{block.where}: {block.reason}" for block in found if block.reason]
    assert len(left_out) <= MOST_NOT_RUN, "\n".join(left_out)
    assert sum(block.runs for block in found) >= 40
    assert {block.trainer for block in found} - {""} <= CHECKS.keys()
    for block in found:
        commands(block)


PAGE = """
<!-- first: echo hello > hello.txt -->
<!-- run: n=2 episodes=3 -->
```sh
cat hello.txt -n 1   # its lines
true --episodes 50 \\
  --out data
```

    python -c "print(1)"

<!-- not run: needs a build of AI2-THOR -->

    chorewright replay data --simulator ai2thor

    just text

```json deep/file.json
{}
```

```console
$ cat deep/file.json
{}
$ cat nothing
cat: ...
$ echo $?
1
```

<!-- run: verdicts -->
```sh
false
```
<!-- given: y = 1 -->
```python
x = 3
```
<!-- run: continued -->
```py
assert x + y == 4
```
"""


def test_blocks_are_found_and_run(tmp_path: Path) -> None:
    found = blocks("page.md", PAGE)
    assert [block.language for block in found] == ["sh", "sh", "sh", "json", "console", "sh", "python", "py"]
    assert [block.where for block in found][:2] == ["page.md:4", "page.md:10"]
    assert [text.split() for text, _ in commands(found[0])] == [
        ["cat", "hello.txt", "-n", "2", "#", "its", "lines"],
        ["true", "--episodes", "3", "--out", "data"],
    ]
    assert [bool(block.reason) for block in found] == [False, False, True, *[False] * 5]
    runner = Runner(tmp_path)
    for block in found:
        if block.where != "page.md:4":
            runner.run(block)
    with pytest.raises(AssertionError, match=r"page.md:4\n\$ cat hello.txt -n 2"):
        runner.run(found[0])
    assert (tmp_path / "page" / "hello.txt").read_text("utf-8") == "hello\n"


@pytest.mark.parametrize(
    "text",
    [
        "```sh\nfalse\n```\n",
        "<!-- run: verdicts -->\n```sh\nexit 2\n```\n",
        "```console\n$ echo no\nyes\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ false\n...\n$ echo $?\n2\n```\n",
        "```python\nassert False\n```\n",
        "```python\nx = 1\n```\n```python\nprint(x)\n```\n",
        "<!-- first: false -->\n```sh\ntrue\n```\n",
    ],
)
def test_what_fails_is_told(text: str, tmp_path: Path) -> None:
    *before, last = blocks("page.md", text)
    runner = Runner(tmp_path)
    for block in before:
        runner.run(block)
    with pytest.raises(AssertionError, match=r"page.md:\d"):
        runner.run(last)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- not run -->\n```sh\ntrue\n```\n",
        "<!-- not run: -->\n```sh\ntrue\n```\n",
        "<!-- run: quickly -->\n```sh\ntrue\n```\n",
        "<!-- skip: slow -->\n```sh\ntrue\n```\n",
        "<!-- not run: slow -->\ntext\n",
        "<!-- not run: slow -->\ntext\n```sh\ntrue\n```\n",
        "<!-- not run: slow -->\n```json\n{}\n```\n",
    ],
)
def test_comments_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(BadPage, match=r"page.md"):
        blocks("page.md", text)


def test_an_option_that_no_command_has_is_refused() -> None:
    [block] = blocks("page.md", "<!-- run: episodes=2 -->\n```sh\ntrue --episode 3\n```\n")
    with pytest.raises(BadPage, match="no command has the option 'episodes'"):
        commands(block)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a", "b"], "a\nb\n", True),
        (["a", "...", "c"], "a\nx\ny\nc\n", True),
        (["a ... c"], "a 12 c", True),
        (["a"], "a\nb\n", False),
        (["a.c"], "abc\n", False),
        ([], "", True),
        ([], "a\n", False),
    ],
)
def test_lines_are_compared(expected: list[str], printed: str, same: bool) -> None:
    assert matches(expected, printed) is same
