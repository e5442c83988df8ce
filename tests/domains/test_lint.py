"""Lint: each mistake in sound files is found by its rule, at its place, with a hint; sound files are silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chorewright.domains.lint.remarks import RULES, choose_rules
from chorewright.domains.lint.rules import lint_domain, lint_problem
from chorewright.domains.pddl.parser import domain_with_remarks, task_with_remarks
from chorewright.domains.pddl.source import Remark, read_source
from chorewright.errors import UsageError
from tests.command import ROOT, invoke

DOMAIN = """(define (domain mail)
  (:requirements :strips :typing :negative-preconditions :numeric-fluents)
  (:types
    place thing - object
    van parcel - thing)
  (:constants depot - place)
  (:predicates
    (at ?t - thing ?p - place)
    (inside ?t - parcel ?v - van)
    (road ?a ?b - place)
    (closed ?p - place))
  (:functions
    (fuel ?v - van)
    (length ?a ?b - place))
  (:action drive
    :parameters (?v - van ?a ?b - place)
    :precondition (and (at ?v ?a) (road ?a ?b) (not (closed ?b)) (>= (fuel ?v) (length ?a ?b)))
    :effect (and (not (at ?v ?a)) (at ?v ?b) (decrease (fuel ?v) (length ?a ?b))))
  (:action load
    :parameters (?t - parcel ?v - van ?p - place)
    :precondition (and (at ?t ?p) (at ?v ?p))
    :effect (and (not (at ?t ?p)) (inside ?t ?v)))
  (:action unload
    :parameters (?t - parcel ?v - van ?p - place)
    :precondition (and (inside ?t ?v) (at ?v ?p))
    :effect (and (at ?t ?p) (not (inside ?t ?v))))
  (:action refuel
    :parameters (?v - van)
    :precondition (at ?v depot)
    :effect (increase (fuel ?v) 5)))
"""
PROBLEM = """(define (problem two)
  (:domain mail)
  (:objects
    home shop - place
    truck - van
    letter - parcel)
  (:init
    (at truck depot) (at letter shop) (road depot shop) (road shop home)
    (= (fuel truck) 9) (= (length depot shop) 2) (= (length shop home) 3))
  (:goal (at letter home)))
"""

# What is changed, in the domain or the problem; the rule, the line, the word where it is, and what is said.
SEEDED = [
    ("(?v - van)\n    :precondition (at", "(?v - van ?x - place)\n    :precondition (at",
     "unused-parameter", 28, "?x", "'refuel' does not use its parameter '?x'"),
    ("?v - van ?p - place)\n    :precondition (and (at",
     "?v ?z - van ?p - place)\n    :precondition (and (at",
     "unused-parameter", 20, "?z", "its parameter '?z'"),
    ("(road ?a ?b - place)", "(road ?a ?b - place) (bridge ?a - place)", "unused-predicate", 10, "bridge", "'bridge'"),
    ("    (closed ?p - place))", "    (closed ?p - place)\n    (night))", "unused-predicate", 12, "night", "'night'"),
    ("(fuel ?v - van)", "(fuel ?v - van) (oil ?v - van)", "unused-function", 13, "oil", "'oil'"),
    ("(:constants depot - place)", "(:constants depot yard - place)", "unused-constant", 6, "yard", "'yard'"),
    ("    place thing - object", "    place thing colour - object", "unused-type", 4, "colour", "'colour'"),
    ("van parcel - thing", "van parcel - thing bike - machine", "unused-type", 5, "bike", "'bike'"),
    ("home shop - place", "home shop school - place", "unused-object", 4, "school", "'school'"),
    ("    truck - van", "    truck lorry - van", "unused-object", 5, "lorry", "'lorry'"),
    ("(>= (fuel ?v) (length ?a ?b)))", "(>= (fuel ?v) (length ?a ?b)) (licensed ?v))|(closed ?p - place))|"
     "(closed ?p - place) (licensed ?v - van))",
     "never-true", 11, "licensed", "'licensed', which no action makes true"),
    ("(road depot shop) (road shop home)", "", "never-true", 10, "road", "'road'"),
    ("(inside ?t ?v)))\n  (:action unload", "))\n  (:action unload", "never-true", 9, "inside", "'inside'"),
    ("(at letter home)))", "(closed home)))", "never-true", 10, "(closed", "the goal needs 'closed'"),
    ("(= (length depot shop) 2) (= (length shop home) 3)", "", "never-set", 14, "length", "'length'"),
    ("(= (fuel truck) 9)", "", "never-set", 13, "fuel", "'fuel'"),
    ("(:goal (at letter home))", "(:goal (and (at letter home) (>= (length home shop) 1)))", "never-set", 10,
     "(length", "(length home shop) is read"),
    ("(:goal (at letter home)))", "(:goal (at letter home)) (:metric minimize (length home home)))", "never-set", 10,
     "(length", "(length home home)"),
    ("(:goal (at letter home)))", "(:goal (and (at letter home) (preference soon (at truck depot))))\n"
     "  (:metric minimize (+ (is-violated soon) (is-violated son))))", "never-set", 11,
     "(is-violated son)", "violations of 'son'"),
    ("(at ?t ?p) (not (inside ?t ?v))))", "(at ?t ?p) (not (at ?t ?p)) (not (inside ?t ?v))))",
     "contradictory-effect", 26, "(at ?t ?p)) (not", "'unload' makes (at ?t ?p) true and false"),
    ("(not (at ?v ?a)) (at ?v ?b) (", "(not (at ?v ?b)) (at ?v ?b) (", "contradictory-effect", 18, "(at ?v ?b)) (at",
     "(at ?v ?b)"),
    (":effect (increase (fuel ?v) 5)", ":effect (and)", "no-effect", 27, "refuel", "'refuel' changes nothing"),
    ("    :precondition (at ?v depot)\n    :effect (increase (fuel ?v) 5)", "    :precondition (at ?v depot)",
     "no-effect", 27, "refuel", "'refuel'"),
    ("(and (inside ?t ?v) (at ?v ?p))", "(and (inside ?t ?v) (at ?v ?p) (not (at ?v ?p)))", "impossible-action", 23,
     "unload", "'unload' can never be run: (at ?v ?p) must be true and false"),
    ("(and (at ?t ?p) (at ?v ?p))", "(and (at ?t ?p) (at ?v ?p) (not (= ?t ?t)))",
     "impossible-action", 19, "load",
     "'?t' is always equal to itself"),
    ("    letter - parcel)", "    )|(at letter shop)||(at letter home)))|(at truck home)))",
     "impossible-action", 19, "load",
     "'load', 'unload' can never be run: there is no parcel"),
    ("(:goal (at letter home))", "(:goal (and (at letter shop) (at truck home)))", "goal-holds", 10, "(at letter shop)",
     "(at letter shop)"),
    ("(:goal (at letter home))", "(:goal (and (at letter home) (at truck depot)))", "goal-holds", 10,
     "(at truck depot)", "(at truck depot)"),
    (":strips :typing :negative-preconditions", ":strips :typing", "missing-requirement", 15, "(:action drive",
     ":negative-preconditions"),
    (":numeric-fluents", "", "missing-requirement", 15, "(:action drive", ":numeric-fluents"),
    (":strips :typing", ":strips :typing :conditional-effects", "unused-requirement", 2, ":conditional-effects",
     ":conditional-effects"),
    (":strips :typing", ":strips :typing :durative-actions", "unused-requirement", 2, ":durative-actions",
     ":durative-actions"),
    (":strips :typing", ":strips :typing :continuous-effects", "unsupported-requirement", 2, ":continuous-effects",
     "continuous effects"),
    ("(road ?a ?b - place)", "(road ?a ?b - place) (roads ?a ?b - place)", "similar-names", 10, "roads",
     "differs from 'road' by one letter"),
    ("(inside ?t ?v)))\n  (:action unload",
     "(insider ?t ?v)))\n  (:action unload|(closed ?p - place))|(closed ?p - place) (insider ?t ?v - thing))",
     "similar-names", 9, "inside", "'inside' is only read, and 'insider' only set"),
    ("    letter - parcel)", "    letter lettre - parcel)|(at letter shop)|(at letter shop)",
     "unused-object", 6, "lettre",
     "'lettre'"),
    ("home shop - place", "home shop shopp - place", "similar-names", 4, "shopp", "differs from 'shop'"),
]  # fmt: skip


def remarks_of(folder: Path, domain: str, problem: str) -> list[Remark]:
    files = folder / "domain.pddl", folder / "two.pddl"
    for path, text in zip(files, (domain, problem), strict=True):
        path.write_text(text)
    sources = [read_source(path) for path in files]
    parsed, asked, remarks = task_with_remarks(*files)
    return [*remarks, *lint_domain(parsed, sources[0]), *lint_problem(parsed, asked, *sources)]


def test_sound_files_are_silent(tmp_path: Path) -> None:
    assert remarks_of(tmp_path, DOMAIN, PROBLEM) == []


@pytest.mark.parametrize(
    ("old", "new", "rule", "line", "word", "said"), SEEDED, ids=[f"{each[2]}-{each[4]}" for each in SEEDED]
)
def test_each_mistake_is_found(tmp_path: Path, old: str, new: str, rule: str, line: int, word: str, said: str) -> None:
    domain, problem = DOMAIN, PROBLEM
    new, *more = new.split("|")
    for one, other in ((old, new), *zip(more[::2], more[1::2], strict=True)):
        assert (domain + problem).count(one) == 1, one
        domain, problem = domain.replace(one, other), problem.replace(one, other)
    found = [each for each in remarks_of(tmp_path, domain, problem) if each.rule == rule and said in each.message]
    assert len(found) == 1, remarks_of(tmp_path, domain, problem)
    place = found[0].location
    assert place is not None
    assert place.line == line
    assert place.source_line is not None
    assert place.column is not None
    assert place.source_line[place.column - 1 :].startswith(word)
    assert found[0].hint


def test_every_rule_is_seeded() -> None:
    assert {each[2] for each in SEEDED} | {"lenient"} == set(RULES)
    assert len(SEEDED) >= 30


def test_shipped_domains_say_what_is_true() -> None:
    """Constants of shipped domains are for their problems; nothing else is said."""
    for path in sorted((ROOT / "chorewright" / "domains" / "classic").glob("*.pddl")):
        source = read_source(path)
        domain, remarks = domain_with_remarks(source.text, source.path)
        assert [each for each in (*remarks, *lint_domain(domain, source)) if "requirement" not in each.rule] == []


def test_rules_are_chosen_by_name() -> None:
    assert choose_rules([], []) == frozenset(RULES)
    assert choose_rules(["no-effect,never-set"], ["never-set"]) == {"no-effect"}
    with pytest.raises(UsageError, match="there is no rule 'no-efect'") as caught:
        choose_rules([], ["no-efect"])
    assert caught.value.hint == "did you mean 'no-effect'?"


def test_the_command_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("domain.pddl").write_text(DOMAIN.replace(":strips", ":strips :equality"))
    Path("two.pddl").write_text(PROBLEM.replace("home shop", "home shop school"))
    done = invoke(["check", "."])
    assert done.exit_code == 0
    assert (
        "domain.pddl:2:26: nothing in this domain needs the requirement :equality [unused-requirement]" in done.stderr
    )
    assert "2 files: no errors, 2 warnings" in done.stderr
    rows = json.loads(invoke(["check", ".", "--json"]).stdout)
    assert [(row["path"], row["rule"]) for row in rows] == [
        ("domain.pddl", "unused-requirement"),
        ("two.pddl", "unused-object"),
    ]
    log = json.loads(invoke(["check", ".", "--format", "sarif", "--select", "unused-object"]).stdout)
    assert [each["level"] for each in log["runs"][0]["results"]] == ["warning"]
    assert invoke(["check", ".", "--ignore", "unused-object,unused-requirement"]).stderr == "2 files: no errors\n"
    assert invoke(["check", ".", "--ignore", "unused"]).exit_code == 2
