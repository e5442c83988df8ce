"""BDDL read and written: every shipped activity, errors at their place, and its meaning beside a brute force."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from chorewright.domains.behavior.reader import parse_activity, write_activity
from chorewright.domains.behavior.syntax import (
    Activity,
    Condition,
    Connective,
    Quantified,
    atoms_of,
    bddl_name,
    constant,
    lower_condition,
    pddl_name,
)
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.pddl.syntax import Atom
from chorewright.errors import InputErrors, LimitError
from chorewright.problems.behavior.activity_problem import activity_problem, domain_of
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, shipped_activity

ALL = [(version, name) for version in VERSIONS for name in activity_names(version)]

SMALL = """(define (problem tidy-0)
    (:domain omnigibson)
    (:objects cup.n.01_1 cup.n.01_2 - cup.n.01
              cabinet.n.01_1 - cabinet.n.01
              floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
    (:init (ontop cup.n.01_1 floor.n.01_1) (not (open cabinet.n.01_1)) ; closed
           (inroom cabinet.n.01_1 kitchen) (ontop agent.n.01_1 floor.n.01_1))
    (:goal (and (forall (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?cabinet.n.01_1))
                (forn (1) (?cup.n.01 - cup.n.01) (nextto ?cup.n.01 ?cup.n.01_1)))))
"""


def tokens(text: str) -> Any:
    """A text as nested lists of words, independently of the reader."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text).lower()):
        if word == "(":
            stack.append([])
        elif word == ")":
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(word)
    [[tree]] = stack
    return tree


def test_there_are_all_activities() -> None:
    assert [len(activity_names(version)) for version in VERSIONS] == [100, 1016]


def test_what_is_written_reads_the_same() -> None:
    for version, name in ALL:
        activity = shipped_activity(name, version)
        text = write_activity(activity)
        assert parse_activity(text) == activity, name


def test_writing_keeps_the_tree() -> None:
    assert tokens(write_activity(parse_activity(SMALL))) == tokens(SMALL)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("(inside ?cup", "(insde ?cup", 8, 48, "no predicate 'insde'"),
        ("(not (open cabinet.n.01_1))", "(not (open))", 6, 49, "'open' takes 1 object, not 0"),
        ("?cabinet.n.01_1", "?cabinet.n.01_2", 8, 66, "no variable is bound as '?cabinet.n.01_2'"),
        ("(forn (1)", "(forn 1", 9, 23, "'forn' needs a number in parentheses, not '1'"),
        ("(forn (1)", f"(forn ({'9' * 20})", 9, 24, "'forn' counts up to 1000"),
        (
            "(forall (?cup.n.01 - cup.n.01)",
            "(forall (?cup.n.01 - mug.n.01)",
            8,
            38,
            "no object is declared as 'mug.n.01'",
        ),
        ("cabinet.n.01_1 - cabinet.n.01\n", "cabinet.n.01_1 -\n", 5, 28, "'-' needs objects before it"),
        ("(:init", "(:int", 6, 5, "':int' is not a section"),
        ("(not (open", "(not (open ?x) (open", 6, 44, "'not' takes one atom, not 2"),
        ("(problem tidy-0)", "(domain tidy-0)", 1, 9, "'(problem NAME)' is expected"),
        ("(ontop cup.n.01_1 f", "(ontop ?cup.n.01_1 f", 6, 12, "written without '?'"),
        (
            "agent.n.01_1 - agent.n.01)",
            "agent.n.01_1 - agent.n.01 cup.n.01_1 - mug.n.04)",
            5,
            67,
            "is declared as 'cup.n.01'",
        ),
    ],
)
def test_errors_have_their_place(old: str, new: str, line: int, column: int, message: str) -> None:
    assert old in SMALL
    with pytest.raises(InputErrors) as caught:
        parse_activity(SMALL.replace(old, new, 1), "tidy.bddl")
    found = [each for each in caught.value.errors if message in each.message]
    assert found, [str(each) for each in caught.value.errors]
    location = found[0].location
    assert location is not None
    assert (location.path, location.line, location.column) == ("tidy.bddl", line, column)


def test_a_misspelling_gets_a_hint() -> None:
    with pytest.raises(InputErrors) as caught:
        parse_activity(SMALL.replace("(inside ?", "(insde ?"))
    assert caught.value.errors[0].hint == "did you mean 'inside'?"


def test_slips_that_change_nothing_are_remarks() -> None:
    """Each of them is in the published files."""
    text = SMALL.replace("(:goal", "\\ (:goal").replace("- cup.n.01\n", "cup.n.01_1 - cup.n.01\n", 1)
    text = text.replace("?cup.n.01_1))))", "?cup.n.01_1))) (open ?cabinet.n.01_1))")
    activity = parse_activity(text)
    assert sorted(each.message.split("'")[0] for each in activity.remarks) == [
        "a lone backslash",
        "only the first condition of the goal counts, ",
        "the object ",
    ]
    assert len(activity.unread) == 1
    assert activity.instances("cup.n.01") == ("cup.n.01_1", "cup.n.01_2")


def test_damaged_files_give_errors_with_places_and_never_crash() -> None:
    rng = np.random.Generator(np.random.PCG64(7))
    refused = 0
    for _ in range(2000):
        version, name = ALL[int(rng.integers(len(ALL)))]
        text = write_activity(shipped_activity(name, version))
        for _ in range(int(rng.integers(1, 4))):
            text = damaged(text, rng)
        try:
            parse_activity(text, "damaged.bddl")
        except (InputErrors, LimitError) as error:
            refused += 1
            errors = error.errors if isinstance(error, InputErrors) else (error,)
            assert all(
                each.location is not None and each.location.line for each in errors if "more errors" not in each.message
            )
    assert refused > 1500


def damaged(text: str, rng: np.random.Generator) -> str:
    """A text with one thing wrong."""
    words = [match.span() for match in re.finditer(r"[^\s()]+", text)]
    if not words:
        return text
    at, kind = int(rng.integers(len(text))), int(rng.integers(6))
    start, end = words[int(rng.integers(len(words)))]
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + "()?:-;\\é\0\n"[int(rng.integers(10))] + text[at:]
    if kind == 2:
        return text[:start] + text[end:]
    if kind == 3:
        other = words[int(rng.integers(len(words)))]
        return text[:start] + text[slice(*other)] + text[end:]
    if kind == 4:
        return text[:at]
    return text[:start] + text[start:end][::-1] + text[end:]


@pytest.mark.parametrize(("version", "name"), ALL[:: len(ALL) // 60])
def test_goals_mean_what_a_brute_force_finds(version: str, name: str) -> None:
    """On states in which each ground atom is true by chance; the brute force follows the language's description."""
    activity = shipped_activity(name, version)
    domain = domain_of(activity)
    universe = Universe.of(domain, activity_problem(activity, domain))
    formula = lower_condition(activity.goal, activity)
    atoms = sorted(ground_atoms(activity))
    rng = np.random.Generator(np.random.PCG64(1))
    for number in range(25):
        chance = (0.5, 0.8, 0.95, 0.2, 0.05)[number % 5]
        true = {atom for atom in atoms if rng.random() < chance}
        state = frozenset(tuple(map(pddl_name, atom)) for atom in true)
        assert holds(formula, state, universe) == brute_force(activity.goal, activity, true, {})


def ground_atoms(activity: Activity) -> set[tuple[str, ...]]:
    found = set()
    for atom in atoms_of(activity.goal):
        ranges = [activity.instances(constant(each)) or (constant(each),) for each in atom.terms]
        if len(ranges) == 1:
            found |= {(atom.predicate, x) for x in ranges[0]}
        else:
            found |= {(atom.predicate, x, y) for x in ranges[0] for y in ranges[1]}
    return found


def brute_force(condition: Condition, activity: Activity, true: set[tuple[str, ...]], bound: dict[str, str]) -> bool:
    match condition:
        case Atom(predicate, terms):
            return (predicate, *(bound.get(each, constant(each)) for each in terms)) in true
        case Connective(word, operands):
            values = [brute_force(each, activity, true, bound) for each in operands]
            return {"and": all(values), "or": any(values), "not": not values[0], "imply": not values[0] or values[-1]}[
                word
            ]
        case Quantified(word, variables, body, count):
            ranges = [activity.instances(each.types[0]) for each in variables]
            names = [each.name for each in variables]
            if len(names) == 1:
                values = [brute_force(body, activity, true, {**bound, names[0]: x}) for x in ranges[0]]
                return {"forall": all(values), "exists": any(values), "forn": sum(values) == count}[word]
            pairs = {
                (x, y): x != y and brute_force(body, activity, true, {**bound, names[0]: x, names[1]: y})
                for x in ranges[0]
                for y in ranges[1]
            }
            least = min(map(len, ranges)) if word == "forpairs" else count or 0
            first = sum(any(pairs[x, y] for y in ranges[1]) for x in ranges[0])
            second = sum(any(pairs[x, y] for x in ranges[0]) for y in ranges[1])
            return first >= least and second >= least
    raise AssertionError(condition)


@pytest.mark.parametrize(
    "name", ["cup.n.01", "cup.n.01_12", "t-shirt.n.01_2", "jelly__jar.n.01", "floor.n.01_*", "kitchen"]
)
def test_names_come_back(name: str) -> None:
    assert bddl_name(pddl_name(name)) == name
    assert "." not in pddl_name(name)
