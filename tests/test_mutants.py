"""The faults that ``benchmarks.mutants`` puts into the package, and the tests that it lets judge them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.covering import Covering
from benchmarks.mutations import draw, mutants, room_of
from tests.command import ROOT


def _changed(source: str) -> set[str]:
    text = source.encode()
    return {mutant.applied(text).decode() for mutant in mutants("chorewright/a/b.py", text, ast.parse(text))}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", {"x = (a <= b)"}),
        ("x = a == b in c", {"x = (a != b in c)", "x = (a == b not in c)"}),
        ("x = a and b or c", {"x = (a or b) or c", "x = ((a and b) and c)"}),
        ("x = not a", {"x = a"}),
        ("x = -a + b", {"x = a + b", "x = (-a - b)"}),
        ("x = 'é' + b", set()),
        ("x = é + 1", {"x = (é - 1)", "x = é + 2"}),
        ("x += y", {"x -= y"}),
        ("x = y[a:b]", {"x = y[a + 1:b]", "x = y[a:b - 1]"}),
        (
            "x = [y for y in range(n) if y]",
            {"x = [y for y in range(n - 1) if y]", "x = [y for y in range(n) if not (y)]"},
        ),
        ("x = f(a, b, c, key=True)", {"x = f(b, a, c, key=True)", "x = f(a, b, c)", "x = f(a, b, c, key=False)"}),
        ("if a:\n    b()", {"if not (a):\n    b()"}),
    ],
)
def test_each_expression_has_its_mutants(source: str, expected: set[str]) -> None:
    assert _changed(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A text 1 < 2."""',
        "def f(x: Literal[1]) -> Annotated[int, 2]:\n    pass",
        "@cache(1)\ndef f():\n    pass",
        "raise InputError(f'{1 + 2}', line + 1)",
        "error = InputError('text', place=a + 1)",
        "note('text', 1)",
        "x = f(hint=1 + 2)",
        "assert x > 1",
        "if TYPE_CHECKING:\n    x = 1",
        "class A:\n    def __repr__(self):\n        return str(1)",
    ],
)
def test_what_people_read_and_types_are_left_alone(source: str) -> None:
    assert _changed(source) - {source.replace("hint=1 + 2", "")} == set()


def test_a_draw_is_a_part_of_a_larger_one_and_is_spread_over_the_rooms() -> None:
    small, large = draw(ROOT, 3, 20, "chorewright/files"), draw(ROOT, 3, 40, "chorewright/files")
    assert len({mutant.key for mutant in large}) == 40
    assert {mutant.key for mutant in small} < {mutant.key for mutant in large}
    assert {room_of(mutant.path) for mutant in large} == {"files"}
    assert [mutant.key for mutant in draw(ROOT, 4, 20, "chorewright/files")] != [mutant.key for mutant in small]
    for mutant in large:
        source = (ROOT / mutant.path).read_bytes()
        assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source)), mutant


TREE = {
    "setup.cfg": "[options.entry_points]\nchorewright.verbs =\n    say = chorewright.commands.families.alfred:say\n",
    "chorewright/cli.py": "",
    "chorewright/files/text.py": "",
    "chorewright/rsa/__init__.py": "",
    "chorewright/rsa/words.py": "from chorewright.files import text\n",
    "chorewright/rsa/house/steps.py": "from ..words import article\n",
    "chorewright/commands/families/alfred.py": "def say():\n    import chorewright.rsa.house.steps\n",
    "tests/command.py": "PROGRAM = ['-m', 'chorewright']\n",
    "tests/commands/test_saying.py": "from tests.command import PROGRAM\n",
    "tests/files/test_text.py": "from chorewright.files.text import wrap\n",
    "tests/files/test_a.py": "NAME = 'chorewright.files.text'\n",
    "tests/rsa/test_words.py": "import chorewright.rsa.words\n",
    "tests/rsa/house/test_all.py": "from chorewright.rsa.house.steps import step\n",
}


def test_the_nearest_tests_judge_first(tmp_path: Path) -> None:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    covering = Covering(tmp_path)
    assert covering.tests("chorewright/commands/families/alfred.py") == ["tests/commands/test_saying.py"]
    assert covering.tests("chorewright/rsa/house/steps.py") == [
        "tests/rsa/house/test_all.py",
        "tests/commands/test_saying.py",
    ]
    assert covering.tests("chorewright/rsa/words.py")[:2] == ["tests/rsa/test_words.py", "tests/rsa/house/test_all.py"]
    assert covering.tests("chorewright/files/text.py")[:2] == ["tests/files/test_text.py", "tests/files/test_a.py"]
    assert len(covering.tests("chorewright/files/text.py")) == 5
