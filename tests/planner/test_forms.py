"""Competition PDDL as it really is: about a hundred small tasks, each of which exercises a form or an idea.

The files of ``tests/corpus/forms`` hold a domain, a problem and what is expected: the cost of an optimal plan
as Fast Downward finds it (or that there is none), or the errors, each with its place. Where Fast Downward
refuses a form, the cost follows from the definition.
"""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from chorewright.domains.pddl import load_domain, load_task, parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.plain import write_plain
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.errors import InputErrors
from chorewright.planner.plan import GroundAction, Plan, Unsolvable
from chorewright.planner.planning import DEFAULT, OPTIMAL, solve
from chorewright.planner.validation import validate
from tests.command import ROOT
from tests.planner.fast_downward import BLIND, NO_PLAN, driver
from tests.planner.plain_simulator import PlainSimulator
from tests.planner.test_validation_mutations import mutants

FOLDER = ROOT / "tests" / "corpus" / "forms"
FILES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.pddl"))}
SPLIT = ";; problem\n"
COST = re.compile(r"^; (?:cost (\S+)|no plan)$", re.MULTILINE)
ERROR = re.compile(r"^; (domain|problem) (\d+):(\d+) (.*)$", re.MULTILINE)
SOLVED = [name for name, text in FILES.items() if COST.search(text)]
REFUSED = [name for name, text in FILES.items() if ERROR.search(text)]
THEIRS = [name for name in SOLVED if "; Fast Downward" not in FILES[name]]
MUTANTS = 15


def texts(name: str) -> tuple[str, str]:
    domain, problem = FILES[name].split(SPLIT)
    return domain, problem


def task(name: str) -> tuple[Domain, Problem]:
    domain_text, problem_text = texts(name)
    domain = parse_domain(domain_text)
    return domain, parse_problem(problem_text, domain)


def cost(name: str) -> float | None:
    found = COST.search(FILES[name])
    assert found
    return None if found[1] is None else float(found[1])


def test_each_form_is_either_taken_or_refused() -> None:
    assert {*SOLVED} | {*REFUSED} == {*FILES}
    assert not {*SOLVED} & {*REFUSED}
    assert (len(SOLVED) > 70, len(THEIRS) > 60, len(REFUSED) > 15) == (True, True, True)


@pytest.mark.parametrize("name", SOLVED)
def test_optimal_costs_and_verdicts(name: str) -> None:
    domain, problem = task(name)
    plain = PlainSimulator(domain, problem)
    best, usual = (solve(domain, problem, configuration=each) for each in (OPTIMAL, DEFAULT))
    if cost(name) is None:
        assert isinstance(best, Unsolvable)
        assert isinstance(usual, Unsolvable)
        actions: tuple[GroundAction, ...] = ()
    else:
        assert isinstance(best, Plan)
        assert isinstance(usual, Plan)
        assert best.cost == cost(name)
        assert usual.cost >= best.cost
        for plan in (best, usual):
            assert plain.valid(plan.actions)
            assert validate(domain, problem, plan.actions).cost == plan.cost
        actions = usual.actions
    assert validate(domain, problem, actions).valid == plain.valid(actions)
    objects = [thing.name for thing in (*domain.constants, *problem.objects)]
    if actions and objects:
        for changed in islice(mutants(actions, objects, 5), MUTANTS):
            assert validate(domain, problem, changed).valid == plain.valid(changed), changed


@pytest.mark.parametrize("name", SOLVED)
def test_written_in_full_and_plainly_it_is_the_same_task(name: str) -> None:
    domain, problem = task(name)
    again = parse_domain(write_domain(domain))
    assert again == domain
    assert parse_problem(write_problem(problem), again) == problem
    domain_text, problem_text = write_plain(domain, problem)
    assert "(either" not in domain_text + problem_text
    plain_domain = parse_domain(domain_text)
    plain_problem = parse_problem(problem_text, plain_domain)
    answer = solve(plain_domain, plain_problem, configuration=OPTIMAL)
    assert (answer.cost if isinstance(answer, Plan) else None) == cost(name)
    if isinstance(answer, Plan):
        assert validate(domain, problem, answer.actions).cost == answer.cost


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_said_where_it_is(name: str, tmp_path: Path) -> None:
    domain_text, problem_text = texts(name)
    (tmp_path / "domain.pddl").write_text(domain_text, encoding="utf-8")
    (tmp_path / "problem.pddl").write_text(problem_text, encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        load_task(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    found = [
        (Path(error.location.path or "").stem, str(error.location.line), str(error.location.column), error.message)
        for error in caught.value.errors
        if error.location
    ]
    assert found == [match.groups() for match in ERROR.finditer(FILES[name])]


BYTES = {
    "mark, returns and tabs": (b"\xef\xbb\xbf(define (domain d)\r\n\t(:predicates\t(p)))\r\n", None),
    "a comment in Latin-1": (b"(define (domain d) ; caf\xe9\n (:predicates (p)))", None),
    "a name in Latin-1": (b"(define (domain d)\n (:predicates (caf\xe9)))", (2, 19)),
    "a name in UTF-8": ("(define (domain d)\n (:predicates (café)))".encode(), (2, 19)),
    "a zero byte": (b"(define (domain d)\n (:predicates (p\0)))", (2, 17)),
    "UTF-16": ("(define (domain d) (:predicates (p)))".encode("utf-16"), (1, 1)),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes(name: str, tmp_path: Path) -> None:
    data, wrong = BYTES[name]
    path = tmp_path / "domain.pddl"
    path.write_bytes(data)
    if wrong is None:
        assert [predicate.name for predicate in load_domain(path).predicates] == ["p"]
        return
    with pytest.raises(InputErrors) as caught:
        load_domain(path)
    place = caught.value.errors[0].location
    assert place is not None
    assert (place.line, place.column) == wrong


def of_peer(domain: str, problem: str, folder: Path) -> float | None:
    """What an optimal plan of Fast Downward costs."""
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")
    command = [sys.executable, str(driver()), "domain.pddl", "problem.pddl", "--search", BLIND]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r"Plan cost: (\d+)", done.stdout)
    if found:
        return float(found[1])
    assert done.returncode in NO_PLAN, done.stdout + done.stderr
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", THEIRS)
def test_fast_downward_says_the_same_of_the_file(name: str, tmp_path: Path) -> None:
    assert of_peer(*texts(name), tmp_path) == cost(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_fast_downward_says_the_same_of_the_plain_text(name: str, tmp_path: Path) -> None:
    assert of_peer(*write_plain(*task(name)), tmp_path) == cost(name)
