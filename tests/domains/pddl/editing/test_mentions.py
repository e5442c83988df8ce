"""The names of PDDL files, against what the parser declares and against the text itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import chorewright
from chorewright.domains.pddl.editing.mentions import BUILT_IN, FileNames, Sort, outline
from chorewright.domains.pddl.parser import parse_domain

DOMAINS = sorted((Path(chorewright.__file__).parent / "domains").rglob("*.pddl"))


def outlines(path: Path) -> tuple[str, FileNames]:
    text = path.read_text("utf-8")
    return text, outline(text)


@pytest.mark.parametrize("path", DOMAINS, ids=lambda path: path.stem)
def test_every_name_is_in_the_text_and_declared_once(path: Path) -> None:
    text, found = outlines(path)
    assert found.kind == "domain"
    declared = {(each.name, each.sort, each.scope) for each in found.declarations()}
    for each in found.mentions:
        assert text[each.offset : each.end].lower() == each.name
        if each.name not in ("=", "total-cost"):
            assert (each.name, each.sort, each.scope) in declared, (each, path)
    assert len({each.offset for each in found.mentions}) == len(found.mentions)


@pytest.mark.parametrize("path", DOMAINS, ids=lambda path: path.stem)
def test_what_is_declared_is_what_the_parser_reads(path: Path) -> None:
    text, found = outlines(path)
    domain = parse_domain(text)

    def names(sort: Sort) -> set[str]:
        return {each.name for each in found.declarations(sort)}

    assert found.name == domain.name
    assert names(Sort.TYPE) == {each.name for each in domain.types} - BUILT_IN
    assert names(Sort.PREDICATE) == {each.name for each in domain.predicates}
    assert names(Sort.FUNCTION) == {each.name for each in domain.functions}
    assert names(Sort.OBJECT) == {each.name for each in domain.constants}
    assert names(Sort.ACTION) == {each.name for each in (*domain.actions, *domain.durative_actions)}
    parameters = {parameter.name for each in domain.actions for parameter in each.parameters}
    assert names(Sort.VARIABLE) >= parameters


def test_a_variable_is_that_of_the_innermost_list_that_binds_it() -> None:
    text = """(define (domain d) (:predicates (p ?x) (q ?x ?y))
      (:action a :parameters (?x ?y) :precondition (and (p ?x) (forall (?x) (p ?x)) (exists (?z) (q ?x ?z)))
        :effect (when (p ?y) (not (q ?y ?x)))))"""
    found = outline(text)
    parameter = next(each for each in found.declarations(Sort.VARIABLE) if each.offset > text.index(":parameters"))
    assert parameter.name == "?x"
    uses = [each.offset for each in found.alike(parameter)]
    inner = text.index("(forall (?x) (p ?x))")
    assert len(uses) == 4
    assert not any(inner <= each < inner + 20 for each in uses)


def test_a_predicate_called_at_is_no_time() -> None:
    text = """(define (domain d) (:predicates (at ?x ?y)) (:functions (fuel ?x))
      (:durative-action go :parameters (?x ?y ?z) :duration (= ?duration (fuel ?x))
        :condition (and (at start (at ?x ?y)) (over all (at ?x ?y)))
        :effect (and (at end (at ?x ?z)) (at start (not (at ?x ?y))) (at end (decrease (fuel ?x) 2)))))"""
    found = outline(text)
    assert {each.name for each in found.mentions if each.sort is Sort.OBJECT} == set()
    assert len([each for each in found.mentions if each.name == "at"]) == 5
    assert len([each for each in found.mentions if each.name == "fuel"]) == 3


def test_texts_with_mistakes_have_the_names_that_can_be_read() -> None:
    for text in ("", "(", "(define", "(define (domain d)", "(define (domain d) (:predicates (p ?x)", ")))", "(a b)"):
        assert outline(text).kind in ("", "domain")
    broken = outline("(define (domain d) (:predicates (p ?x) (:action a :parameters (?x - ) :effect (p ?x)")
    assert "p" in {each.name for each in broken.declarations(Sort.PREDICATE)}


def test_a_declaration_tells_its_signature_and_the_comment_behind_it() -> None:
    text = "(define (domain d) (:types b - a)\n (:predicates\n  (on ?x ?y - b) ; x lies on y\n  (clear ?x - b)))"
    told = {each.name: each.told for each in outline(text).declarations()}
    assert told["on"] == "(on ?x ?y - b)\nx lies on y"
    assert told["clear"] == "(clear ?x - b)"
    assert told["b"] == "b - a"
