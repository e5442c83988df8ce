"""Every malformed input gets its errors, all in one run, each at its line and column with its hint.

The inputs are files of ``tests/corpus/pddl`` that end with what is expected, one line an error:
``; expect line:column beginning of the message | beginning of the hint !``; ``!`` says that the error is
an ``UnsupportedError``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.corpora.reference import sample
from chorewright.domains.pddl import load_domain, load_problem
from chorewright.errors import ChorewrightError, ExitCode, InputErrors, UnsupportedError, render
from tests.command import ROOT

CORPUS = ROOT / "tests" / "corpus" / "pddl"
PATHS = {
    path.name: path for folder in (CORPUS, ROOT / "tests" / "corpus" / "pddl_timed") for path in folder.glob("*.*.pddl")
}
FILES = sorted(PATHS)
EXPECT = re.compile(r"; expect (\d+):(\d+) (.*?)(?: \| (.*?))?( !)?$")


def errors_of(path: Path) -> tuple[ChorewrightError, ...]:
    house = load_domain(CORPUS / "house.pddl")
    with pytest.raises(InputErrors) as caught:
        load_problem(path, house) if path.name.endswith(".problem.pddl") else load_domain(path)
    return caught.value.errors


@pytest.mark.parametrize("name", FILES)
def test_each_error_is_found_where_it_is(name: str) -> None:
    path = PATHS[name]
    expected = [EXPECT.match(line) for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = [match.groups() for match in expected if match]
    errors = errors_of(path)
    found = [(str(error.location.line), str(error.location.column)) for error in errors if error.location]
    assert found == [(line, column) for line, column, *_ in wanted], [str(error) for error in errors]
    for error, (_, _, message, hint, unsupported) in zip(errors, wanted, strict=True):
        assert error.message.startswith(message)
        assert hint is None or (error.hint or "").startswith(hint)
        assert isinstance(error, UnsupportedError) == bool(unsupported)


@pytest.mark.parametrize("name", FILES)
def test_rendered_errors_show_the_line_and_a_caret(name: str) -> None:
    path = PATHS[name]
    errors = errors_of(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for error in errors:
        assert error.location is not None
        shown = render(error).splitlines()
        assert shown[0].startswith(f"{path}:{error.location.line}:{error.location.column}: ")
        assert shown[2].strip() == "^"
        line = lines[(error.location.line or 1) - 1]
        column = (error.location.column or 1) - 1
        if column < len(line) and line.isprintable() and len(line) <= 110:
            assert shown[1][len(shown[2]) - 1] == line[column]


# The case and its file, line, column, and a word of the message or hint.
CASES = [
    ("1_missing_paren", "domain", 7, 19, "'(and' is not closed before ':effect'"),
    ("2_undefined_predicate", "domain", 11, 33, "the predicate 'inn' is not declared"),
    ("3_wrong_arity", "domain", 12, 18, "'carry' takes 1 argument, not 2"),
    ("4_type_error_init", "problem", 3, 22, "'r2' is a room, but 'in' takes a ball here"),
    ("5_undefined_object_goal", "problem", 4, 22, "the object 'b9' is not declared"),
    ("6_unbound_variable", "domain", 8, 22, "the variable '?z' is not bound here"),
    ("7_undefined_type", "domain", 10, 23, "the type 'bal' is not declared"),
    ("8_extra_paren_and_keyword", "domain", 11, 5, "':precond' is not a part of an action"),
]


@pytest.mark.parametrize(("case", "file", "line", "column", "message"), CASES)
def test_the_reference_cases(case: str, file: str, line: int, column: int, message: str) -> None:
    folder = sample("planner/malformed")
    with pytest.raises(InputErrors) as caught:
        load_problem(folder / f"{case}_problem.pddl", load_domain(folder / f"{case}_domain.pddl"))
    (error,) = caught.value.errors
    assert error.location is not None
    assert (error.location.line, error.location.column) == (line, column)
    assert error.location.path == str(folder / f"{case}_{file}.pddl")
    assert error.message.startswith(message)
    assert caught.value.exit_code >= ExitCode.INTERNAL


def test_only_unsupported_features_have_their_own_exit_code() -> None:
    codes = {}
    for name in ("durative-action", "duplicates"):
        with pytest.raises(InputErrors) as caught:
            load_domain(CORPUS / f"{name}.domain.pddl")
        codes[name] = caught.value.exit_code
    assert codes == {"durative-action": ExitCode.UNSUPPORTED, "duplicates": ExitCode.BAD_INPUT}
