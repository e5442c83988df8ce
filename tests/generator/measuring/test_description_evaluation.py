"""Answers to descriptions, from files: each is marked by its own problem, and one to no description is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.domains.pddl import parse_domain, parse_problem, write_domain, write_problem
from chorewright.errors import InputError, UsageError
from chorewright.generator.measuring.descriptions import DescriptionsEvaluation, DescriptionsTrial

DOMAIN = parse_domain("(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :effect (p ?x)))")
A, B = (
    write_problem(parse_problem(f"(define (problem q) (:domain d) (:objects x y) (:init) (:goal {goal}))", DOMAIN))
    for goal in ("(p x)", "(and (p x) (p y))")
)


def trial(folder: Path, answers: dict[str, str]) -> DescriptionsTrial:
    rows = [{"id": name, "level": "atoms", "domain": write_domain(DOMAIN), "problem": A} for name in ("1", "2", "3")]
    (folder / "asked").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    told = [{"id": name, "problem": problem} for name, problem in answers.items()]
    (folder / "told").write_text("".join(f"{json.dumps(row)}\n" for row in told), "utf-8")
    return DescriptionsTrial(dataset=str(folder / "asked"), answers=str(folder / "told"), evaluations=1000)


def test_answers_are_read_by_their_ids(tmp_path: Path) -> None:
    episodes = DescriptionsEvaluation().open(trial(tmp_path, {"3": A, "1": B}))
    verdicts = [episodes.play(index).verdict for index in range(episodes.count)]
    assert verdicts == ["different", "missing", "equivalent"]


def test_an_answer_to_no_description_is_refused(tmp_path: Path) -> None:
    for answers, others in (
        ({"4": A}, "$"),
        ({"4": A, "5": A}, r" \(as is 1 other\)$"),
        ("456", r" \(as are 2 others\)$"),
    ):
        with pytest.raises(UsageError, match=f"no description '4', which is answered{others}"):
            DescriptionsEvaluation().open(trial(tmp_path, dict.fromkeys(answers, A)))


def test_a_description_answered_twice_is_refused(tmp_path: Path) -> None:
    asked = trial(tmp_path, {"1": A})
    told = tmp_path / "told"
    told.write_text(2 * told.read_text("utf-8"), "utf-8")
    with pytest.raises(InputError, match=r"told:2.*'1' is answered twice"):
        DescriptionsEvaluation().open(asked)
