"""The PDDL files of a folder as an editor asks for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chorewright.domains.pddl.editing.mentions import Sort
from chorewright.domains.pddl.editing.workspace import Workspace
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.domains.pddl.writer import write_domain, write_problem
from chorewright.errors import UsageError

DOMAIN = """(define (domain boxes)
  (:requirements :strips :typing)
  (:types box place - object)
  (:constants home - place)
  (:predicates
    (at ?b - box ?p - place) ; b is there
    (open ?b - box))
  (:action carry
    :parameters (?b - box ?from ?to - place)
    :precondition (and (at ?b ?from) (not (open ?b)))
    :effect (and (at ?b ?to) (not (at ?b ?from)))))
"""
PROBLEM = """(define (problem one)
  (:domain boxes)
  (:objects red blue - box yard - place)
  (:init (at red home) (at blue yard))
  (:goal (at red yard)))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "one.pddl").write_text(PROBLEM)
    (tmp_path / "two.pddl").write_text(PROBLEM.replace("problem one", "problem two"))
    (tmp_path / "other.pddl").write_text(DOMAIN.replace("domain boxes", "domain crates"))
    return tmp_path


def offset(text: str, before: str, word: str) -> int:
    """Where a word is behind a text."""
    start = text.index(before) + len(before)
    return start + next(re.finditer(rf"(?<![\w?-]){re.escape(word)}(?![\w-])", text[start:])).start() + 1


def test_a_problem_knows_its_domain(folder: Path) -> None:
    files = Workspace()
    one = str(folder / "one.pddl")
    assert files.domain_of(one) == str(folder / "d.pddl")
    assert files.family(one) == [str(folder / name) for name in ("d.pddl", "one.pddl", "two.pddl")]
    place = files.definition(one, offset(PROBLEM, "(:goal", "at"))
    assert place is not None
    assert (place.path, place.mention.offset) == (str(folder / "d.pddl"), DOMAIN.index("at ?b - box"))
    assert files.describe(one, offset(PROBLEM, "(:goal", "at")) == "predicate (at ?b - box ?p - place)\nb is there"
    assert files.describe(one, offset(PROBLEM, "(:goal", "red")) == "object red - box"
    assert files.describe(one, offset(PROBLEM, "(at red", "home")) == "object home - place"


def test_renaming_keeps_what_files_mean(folder: Path) -> None:
    """The renamed files are the same as the parsed ones with another name."""
    files = Workspace()
    path = str(folder / "d.pddl")
    changes = files.rename(path, offset(DOMAIN, ":predicates", "at"), "is-at")
    assert set(changes) == {str(folder / name) for name in ("d.pddl", "one.pddl", "two.pddl")}
    before = {name: (folder / name).read_text() for name in ("d.pddl", "one.pddl")}
    for changed, mentions in changes.items():
        text = Path(changed).read_text()
        for each in sorted(mentions, key=lambda each: -each.offset):
            text = text[: each.offset] + "is-at" + text[each.end :]
        Path(changed).write_text(text)
    domain = load_domain(path)
    problem = load_problem(folder / "one.pddl", domain)
    assert write_domain(domain).replace("is-at", "at") == written(before["d.pddl"], folder)[0]
    assert write_problem(problem).replace("is-at", "at") == written(before["d.pddl"], folder, before["one.pddl"])[1]


def written(domain: str, folder: Path, problem: str = "") -> tuple[str, str]:
    """Files in the writer's form."""
    (folder / "before-d.pddl").write_text(domain)
    read = load_domain(folder / "before-d.pddl")
    (folder / "before-p.pddl").write_text(problem)
    return write_domain(read), write_problem(load_problem(folder / "before-p.pddl", read)) if problem else ""


def test_a_variable_and_an_object_are_renamed_in_their_own_file_only(folder: Path) -> None:
    files = Workspace()
    one, path = str(folder / "one.pddl"), str(folder / "d.pddl")
    assert {
        place: len(found) for place, found in files.rename(one, offset(PROBLEM, ":objects", "red"), "green").items()
    } == {one: 3}
    found = files.rename(path, offset(DOMAIN, ":parameters", "?b"), "?crate")
    assert [len(each) for each in found.values()] == [5]
    assert all(each.sort is Sort.VARIABLE for each in found[path])


@pytest.mark.parametrize(
    ("word", "name", "said"),
    [
        ("at", "2x", "is no name"),
        ("at", "and", "a meaning of its own"),
        ("at", "open", "another predicate already"),
        ("?b", "crate", "is no name of a variable"),
        ("?b", "?to", "another variable already"),
        (":strips", "x", "no name here"),
    ],
)
def test_names_that_would_change_the_meaning_are_refused(folder: Path, word: str, name: str, said: str) -> None:
    where = ":requirements" if word.startswith(":") else ":action carry"
    with pytest.raises(UsageError, match=said):
        Workspace().rename(str(folder / "d.pddl"), offset(DOMAIN, where, word), name)


def test_completion_says_what_may_stand_there(folder: Path) -> None:
    files = Workspace()
    path = str(folder / "d.pddl")

    def offered(text: str, until: str, at: str = path) -> list[str]:
        files.set(at, text)
        return [each.text for each in files.complete(at, text.index(until) + len(until))]

    assert "at" in offered(DOMAIN, ":precondition (")
    assert "forall" in offered(DOMAIN, ":precondition (")
    assert offered(DOMAIN, "(and (at ?") == ["?b", "?from", "?to"]
    assert offered(DOMAIN, "?from ?to - ") == ["box", "place", "object"]
    assert ":effect" in offered(DOMAIN, "\n    :")
    one = str(folder / "one.pddl")
    assert offered(PROBLEM, "(:goal (at ", one) == ["blue", "home", "red", "yard"]


def test_mistakes_are_those_of_check_and_follow_what_is_open(folder: Path) -> None:
    files = Workspace()
    path, one = str(folder / "d.pddl"), str(folder / "one.pddl")
    assert files.mistakes(path) == files.mistakes(one) == []
    files.set(path, DOMAIN.replace("(open ?b - box)", "(closed ?b - box)"))
    (mistake,) = files.mistakes(path)
    assert (mistake.line, "open" in mistake.message) == (10, True)
    files.set(one, PROBLEM.replace("(at blue yard)", "(at blue yrad)"))
    files.close(path)
    (mistake,) = files.mistakes(one)
    assert (mistake.line, mistake.column) == (4, PROBLEM.split("\n")[3].index("yard") + 1)
    assert "yard" in mistake.hint
    files.set(one, PROBLEM.replace("boxes", "boxs"))
    assert "no domain 'boxs'" in files.mistakes(one)[0].message


def test_a_folder_that_is_not_there_has_no_other_files() -> None:
    files = Workspace()
    files.set("/no/such/folder/d.pddl", DOMAIN)
    assert files.mistakes("/no/such/folder/d.pddl") == []
    assert files.text("/no/such/folder/other.pddl") == ""
    files.set("untitled:Untitled-1", "(define")
    assert files.mistakes("untitled:Untitled-1") != []
