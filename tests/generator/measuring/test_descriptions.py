"""Descriptions of problems: what is said of all things at once means the same; pairs, and problems that are marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chorewright.domains.formulas import Universe, conjuncts
from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.domains.pddl.syntax import And, Atom, Domain, Forall, Formula, GroundAtom, Problem
from chorewright.errors import ExitCode
from chorewright.generator.measuring.descriptions import LEVELS, abstract_atoms, abstract_goal, describe, judge
from chorewright.planner.equivalence import Likeness, compare_problems
from chorewright.planner.plan import Limits
from chorewright.problems.pddl.scenes import NoScene
from chorewright.problems.pddl.template_files import FOLDER, classic_domain, classic_names, classic_template, draw
from chorewright.rsa.words.files import load_wordings
from tests.command import chorewright


def problems(name: str, count: int) -> Iterator[tuple[Domain, Problem]]:
    domain, template = classic_domain(name), classic_template(name)
    numbers = template.bands[0].numbers if template.bands else ()
    for seed in range(30):
        if count == 0:
            return
        try:
            yield domain, draw(template, domain, (seed, 7), numbers)
        except NoScene:
            continue
        count -= 1


def atoms_of(formula: Formula, universe: Universe) -> Iterator[GroundAtom]:
    """The atoms that a formula of ours stands for."""
    if isinstance(formula, Forall):
        (variable,) = formula.variables
        assert isinstance(formula.body, Atom)
        for name in universe.members(variable.types):
            yield (formula.body.predicate, *[name if term == variable.name else term for term in formula.body.terms])
    else:
        assert isinstance(formula, Atom)
        yield (formula.predicate, *formula.terms)


@pytest.mark.parametrize("name", classic_names())
def test_what_is_said_of_all_things_means_the_same(name: str) -> None:
    for domain, problem in problems(name, 4):
        universe = Universe.of(domain, problem)
        told = abstract_atoms(domain, universe, problem.init)
        assert sorted(atom for each in told for atom in atoms_of(each, universe)) == sorted(problem.init)
        goal = abstract_goal(domain, universe, problem.goal)
        if all(isinstance(part, Atom) for part in conjuncts(problem.goal)):
            wanted = sorted((part.predicate, *part.terms) for part in conjuncts(problem.goal) if isinstance(part, Atom))
            assert sorted({a for part in conjuncts(goal) for a in atoms_of(part, universe)}) == sorted(set(wanted))


@pytest.mark.parametrize("name", classic_names())
def test_each_level_says_all_things(name: str) -> None:
    for domain, problem in problems(name, 2):
        words = load_wordings(FOLDER / f"{domain.name}.say", domain)
        texts = [describe(domain, problem, level, words) for level in LEVELS]
        assert all("Nothing else holds." in text and "?" not in text for text in texts)
        assert texts[0].count(".") > len(problem.init)
        assert texts == [describe(domain, problem, level, words) for level in LEVELS]


def test_an_abstract_goal_is_equivalent() -> None:
    domain = classic_domain("gripper")
    text = """(define (problem p) (:domain gripper) (:objects r s - room a b - ball left - hand)
     (:init (robot-in r) (free left) (in a r) (in b r)) (:goal (and (in a s) (in b s))))"""
    problem = parse_problem(text, domain)
    abstract = replace(problem, goal=abstract_goal(domain, Universe.of(domain, problem), problem.goal))
    assert isinstance(abstract.goal, Forall)
    assert compare_problems(domain, problem, abstract).likeness is Likeness.EQUIVALENT
    said = describe(domain, problem, "abstract", load_wordings(FOLDER / f"{domain.name}.say", domain))
    assert "There are two balls." in said
    assert "Every ball is in r." in said
    with pytest.raises(ValueError, match="no level"):
        describe(domain, problem, "none")


def test_values_and_metrics_are_said() -> None:
    text = """(define (domain d) (:types town) (:predicates (at ?t - town)) (:functions (far ?a ?b - town) (total-cost))
     (:action go :parameters (?a ?b - town) :precondition (at ?a)
      :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (far ?a ?b)))))"""
    domain = parse_domain(text)
    problem = parse_problem(
        """(define (problem p) (:domain d) (:objects x y - town) (:init (at x) (= (far x y) 2.5)) (:goal (at y))
        (:metric minimize (total-cost)))""",
        domain,
    )
    said = describe(domain, problem, "grouped")
    assert "The far of x and y is 2.5." in said
    assert said.endswith("Keep the total cost as low as possible.")


def test_answers_are_judged_by_what_they_mean() -> None:
    domain, problem = next(problems("blocks", 1))
    row = {"id": "a", "level": "atoms", "domain": write_domain(domain), "problem": write_problem(problem)}
    rows = [row, {**row, "id": "b"}, {**row, "id": "c"}, {**row, "id": "d"}]
    less = replace(problem, goal=And(conjuncts(problem.goal)[:1]))
    renamed = write_problem(problem).replace("block", "cube").replace("cube)", "block)").replace("- cube", "- block")
    answers = {"a": renamed.replace("(:domain cubes)", "(:domain blocks)"), "b": write_problem(less), "c": "(define (p"}
    verdicts = [judge(each, answers, Limits(evaluations=5000)) for each in rows]
    assert [each.verdict for each in verdicts] == ["equivalent", "different", "unreadable", "missing"]


def test_from_a_dataset_to_marks(tmp_path: Path) -> None:
    words = ("--domain", "blocks", "--episodes", "3", "--workers", "1")
    made = chorewright("generate", "pddl", *words, "--out", tmp_path / "d")
    assert made.returncode == 0, made.stderr
    export = ("export", tmp_path / "d", "--format", "descriptions", "--out")
    done = chorewright(*export, tmp_path / "e", "--level", "grouped", "--level", "atoms")
    assert done.returncode == 0, done.stderr
    rows = [
        json.loads(line)
        for path in sorted((tmp_path / "e" / "data").iterdir())
        for line in path.read_text().splitlines()
    ]
    assert len(rows) == 6
    assert {row["level"] for row in rows} == {"grouped", "atoms"}
    (tmp_path / "a").write_text("".join(json.dumps({"id": r["id"], "problem": r["problem"]}) + "\n" for r in rows[:5]))
    done = chorewright("evaluate", "descriptions", tmp_path / "e", tmp_path / "a", "--json")
    assert done.returncode == 0, done.stderr
    levels = json.loads(done.stdout)["levels"]
    assert sum(count["equivalent"] for count in levels.values()) == 5
    assert sum(count.get("missing", 0) for count in levels.values()) == 1
    done = chorewright(*export, tmp_path / "f", "--level", "deep")
    assert done.returncode == ExitCode.USAGE
    assert "atoms, grouped, abstract" in done.stderr
