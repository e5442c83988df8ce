"""All errors of a file, and of a problem with its domain, are found in one run.

Each change of a sound domain or problem stands in a line of its own and has its errors; any two changes
together must have the errors of both, and no more: none hides another, and none follows from another.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from chorewright.domains.pddl import load_task
from chorewright.errors import InputErrors, Location

DOMAIN = """(define (domain kitchen)
  (:requirements :adl :derived-predicates :action-costs)
  (:types food container - object
    jar box - container)
  (:constants shelf - container)
  (:predicates (in ?x - food ?c - container)
    (open ?c - container)
    (clean ?j - jar)
    (near ?a ?b - container)
    (reachable ?x - food))
  (:functions (effort ?c - container) - number
    (total-cost) - number)
  (:derived (reachable ?x - food)
    (exists (?c - container) (and (in ?x ?c) (open ?c))))
  (:action move
    :parameters (?x - food ?from ?to - container)
    :precondition (and (in ?x ?from)
      (open ?to)
      (forall (?j - jar) (imply (near ?j ?to) (clean ?j)))
      (not (= ?from ?to)))
    :effect (and (in ?x ?to)
      (not (in ?x ?from))
      (forall (?j - jar)
        (when (near ?j ?to) (not (clean ?j))))
      (increase (total-cost) (effort ?to))))
  (:action shut
    :parameters (?j - jar)
    :precondition (or (open ?j)
      (clean ?j))
    :effect (not (open ?j)))
)
"""
PROBLEM = """(define (problem bottling)
  (:domain kitchen)
  (:objects apple pear - food
    big small - jar)
  (:init (in apple shelf)
    (in pear shelf)
    (open big)
    (not (clean big))
    (= (effort big) 2)
    (= (effort small) 1))
  (:goal (and (in apple big)
    (exists (?j - jar) (in pear ?j))
    (open big)))
  (:metric minimize (total-cost))
)
"""

# What is replaced and by what, and the lines and beginnings of the errors.
IN_DOMAIN = [
    (":adl :derived", ":adll :derived", [(2, "the requirement ':adll'")]),
    ("food container - object", "food, container - object", [(3, "a type is expected here, not 'food,'")]),
    ("jar box - container", "jar box - continer", [(4, "the type 'continer'")]),
    ("jar box - container", "jar jar - container", [(4, "the type 'jar' is declared twice")]),
    ("(:constants shelf - container", "(:constants shelf - (container)", [(5, "a type is expected here")]),
    ("(:constants shelf", "(:constant shelf", [(5, "':constant' is not a section")]),
    ("(:constants shelf", "(:const shelf", [(5, "':const' is not a section")]),
    ("(:constants shelf", "(constants shelf", [(5, "a section of the domain is expected here")]),
    ("(:predicates (in ?x - food", "(:predicats (in ?x - food", [(6, "':predicats' is not a section")]),
    ("(open ?c - container)\n", "(open ?c - contaner)\n", [(7, "the type 'contaner'")]),
    ("(clean ?j - jar)\n", "(clean j - jar)\n", [(8, "a variable is expected here, not 'j'")]),
    ("(clean ?j - jar)\n", "clean\n", [(8, "a predicate in parentheses is expected here")]),
    ("(clean ?j - jar)\n", "(clean ?j - jar) (clean)\n", [(8, "the predicate 'clean' is declared twice")]),
    ("(near ?a ?b - container)\n", "(near ?a ?b -)\n", [(9, "a type is missing after '-'")]),
    ("(near ?a ?b - container)\n", "(not ?a ?b - container)\n",
     [(9, "'not' has a meaning"), (19, "the predicate 'near'")]),
    ("(effort ?c - container)", "(effort ?c - contaner)", [(11, "the type 'contaner'")]),
    ("(total-cost) - number)", "(total-cost) - object)", [(12, "object fluents")]),
    ("(:derived (reachable ?x - food)", "(:derived (reachable ?x - jar)",
     [(13, "'?x' is a jar, not a food"), (14, "'?x' is a jar, but 'in' takes")]),
    ("(:derived (reachable ?x - food)", "(:derived (reachable ?x ?y)", [(13, "'reachable' takes 1")]),
    ("(exists (?c - container) (and", "(exists ?c (and", [(14, "'exists' needs its variables")]),
    ("(and (in ?x ?c) (open ?c))", "(and (in ?x ?c) (opn ?c))", [(14, "the predicate 'opn'")]),
    ("(:action move", "(:action", [(16, "the name of the action is expected")]),
    ("(?x - food ?from ?to - container)", "(?x - foo ?from ?to - container)", [(16, "the type 'foo'")]),
    (":parameters (?x - food", ":paramters (?x - food", [(16, "':paramters' is not a part")]),
    (":parameters (?x - food", ":vars (?x - food", [(16, "PDDL 1.2 variables")]),
    (":parameters (?x - food ?from ?to - container)", ":parameters ?x",
     [(16, "':parameters' needs its variables")]),
    (":precondition (and (in ?x ?from)", ":preconditon (and (in ?x ?frm)",
     [(17, "':preconditon' is not a part"), (17, "the variable '?frm'")]),
    ("(open ?to)\n", "(open ?to ?x)\n", [(18, "'open' takes 1 argument")]),
    ("(open ?to)\n", "open\n", [(18, "a condition in parentheses is expected here")]),
    ("(open ?to)\n", "(open, ?t)\n", [(18, "a predicate is expected here"), (18, "the variable '?t'")]),
    ("(open ?to)\n", "(< (efort ?to) 3)\n", [(18, "the function 'efort'")]),
    ("(open ?to)\n", "((open ?t))\n",
     [(18, "a predicate is expected after '('"), (18, "the variable '?t'")]),
    ("(imply (near ?j ?to) (clean ?j))", "(imply (near ?j ?x))",
     [(19, "'imply' takes 2"), (19, "'?x' is a food")]),
    ("(forall (?j - jar) (imply", "(forall (?j - jr) (imply", [(19, "the type 'jr'")]),
    ("(not (= ?from ?to))", "(not (= ?from ?tu))", [(20, "the variable '?tu'")]),
    ("(not (= ?from ?to))", "(not (= ?from) (open ?tu))",
     [(20, "'not' takes 1"), (20, "'=' takes 2"), (20, "the variable '?tu'")]),
    (":effect (and (in ?x ?to)", ":effects (and (in ?to ?x)",
     [(21, "':effects' is not a part"), (21, "'?to' is a container")]),
    ("(not (in ?x ?from))\n", "(not (not (in ?x ?form)))\n",
     [(22, "an effect can only negate"), (22, "the variable '?form'")]),
    ("(not (in ?x ?from))\n", "(reachable ?x)\n", [(22, "'reachable' is derived")]),
    ("(forall (?j - jar)\n", "(forall (?j - jar) (clean ?x)\n",
     [(23, "'?x' is a food, but 'clean'"), (24, "'forall' takes one effect")]),
    ("(when (near ?j ?to) (not (clean ?j)))", "(when (near ?j ?to) (not (cleam ?j)))",
     [(24, "the predicate 'cleam'")]),
    ("(increase (total-cost) (effort ?to))", "(increase (total-cost) (efort ?to))",
     [(25, "the function 'efort'")]),
    ("(increase (total-cost) (effort ?to))", "(increase (fuel) 1)", [(25, "the function 'fuel' is not declared")]),
    ("(effort ?to))", "(effort ?to)) (assign (total-cost) 1e400)", [(25, "'1e400' is too large for a number")]),
    ("(open ?to)\n", "(= total-cost 1e400)\n", [(18, "'1e400' is too large for a number")]),
    ("(not (= ?from ?to))", "(not (= 2 2))", [(20, "'=' compares objects, or a number with a function")]),
    ("(:action shut\n", "(:action move\n", [(26, "the action 'move' is declared twice")]),
    (":parameters (?j - jar)", ":parameters (?j - jar) (?k - food)", [(27, "a keyword is expected here")]),
    ("(or (open ?j)\n", "(or (open ?j) (at ?i)\n", [(28, "the predicate 'at'"), (28, "the variable '?i'")]),
    ("(clean ?j))\n", "(clean jr))\n", [(29, "the object 'jr'")]),
    (":effect (not (open ?j)))", ":duration 3)", [(30, "only durative actions")]),
    ("(open ?j)))\n)", "(open ?j)))\n", [(1, "'(define' is not closed")]),
    ("(open ?j)))\n)", "(opem ?j))\n)",
     [(26, "'(:action' is not closed before ')' in line 31"), (30, "the predicate 'opem'")]),
]  # fmt: skip
IN_PROBLEM = [
    ("(:domain kitchen)", "(:domain kichen)", [(2, "this problem is for the domain 'kichen'")]),
    ("(:objects apple pear - food", "(:objects apple pear - foot", [(3, "the type 'foot'")]),
    ("(:objects apple pear - food", "(:object apple pear - food", [(3, "':object' is not a section")]),
    ("(:objects apple pear - food", "(:objects apple,pear - food", [(3, "an object is expected here")]),
    ("big small - jar", "big small big - box", [(4, "the object 'big' is declared twice")]),
    ("big small - jar", "big shelf small - jar", [(4, "'shelf' is a constant")]),
    ("(in apple shelf)", "(in apple shelv)", [(5, "the object 'shelv'")]),
    ("(in pear shelf)", "(in shelf)", [(6, "'in' takes 2")]),
    ("(in pear shelf)", "in (in ?x shelv2)",
     [(6, "an atom in parentheses"), (6, "a variable cannot stand"), (6, "the object 'shelv2'")]),
    ("(open big)\n", "(opn big)\n", [(7, "the predicate 'opn'")]),
    ("(open big)\n", "(and (open apple))\n", [(7, "'and' cannot stand"), (7, "'apple' is a food")]),
    ("(not (clean big))", "(not (clean apple))", []),
    ("(= (effort big) 2)", "(= (effort big) two)", [(9, "a number is expected here")]),
    ("(= (effort big) 2)", "(= (effort big) -1e400)", [(9, "'-1e400' is too large for a number")]),
    ("(= (effort big) 2)", "(= (efort pear) 2)", [(9, "the function 'efort'")]),
    ("(= (effort small) 1)", "(= (effort small) -1)", [(10, "(effort small) is negative")]),
    ("(:goal (and (in apple big)", "(:goal (and (in big apple)", [(11, "'big' is a jar")]),
    ("(:goal (and (in apple big)", "(:gaol (and (in big apple)",
     [(11, "':gaol' is not a section"), (11, "'big' is a jar")]),
    ("(exists (?j - jar) (in pear ?j))", "(exists (?j - jar) (in pear ?i))", [(12, "the variable '?i'")]),
    ("(exists (?j - jar) (in pear ?j))", "(preference p (in pear j7))",
     [(12, "the object 'j7'")]),
    ("(open big)))", "(open big)) (open huge))", [(13, "':goal' takes one"), (13, "the object 'huge'")]),
    ("(open big)))", "(open huge))",
     [(11, "'(:goal' is not closed before '(:metric'"), (13, "the object 'huge'")]),
    ("(:metric minimize (total-cost))", "(:metric minimize (effort))",
     [(14, "'effort' takes 1 argument")]),
    ("(:metric minimize (total-cost))", "(:metrik minimize (total-cost))", [(14, "':metrik' is not")]),
]  # fmt: skip

# A change, and what it may hide in other lines because it cannot be decided any more.
HIDES = [
    ("food, container - object", " is a "),
    ("jar box - continer", " is a "),
    ("(open ?c - contaner)", "'contaner'|'open' takes"),
    ("(effort ?c - contaner)", "'contaner'"),
    ("(clean j - jar)", "'clean' takes"),
    ("clean\n", "'clean' takes"),
    ("(clean ?j - jar) (clean)", "'clean' takes"),
    ("(near ?a ?b -)", "'near' takes"),
    ("(not ?a ?b - container)", "'near' takes"),
    ("(exists ?c (and", " is a "),
    ("(opn ?c)", "'opn'"),
    ("(efort ?to)", "'efort'|is negative"),
    ("(increase (fuel) 1)", "is negative"),
    ("(?x - foo ?from", "'\\?x' is a "),
    (":parameters ?x", "not bound| is a "),
    ("(:action", "declared twice"),
    ("(:action move\n", "'shut'"),
    ("(opem ?j)", "declared twice|a keyword|not bound"),
    ("apple pear - foot", "'apple' is a "),
    ("apple,pear", "'apple' is a "),
    ("(open huge)", " is a |not bound|preferences|not closed|not a section|'huge'"),
    ("big small big - box", "'big' is a "),
    (":metrik", "not closed"),
    (":gaol", "not closed"),
]
CHANGES = [(0, *each) for each in IN_DOMAIN] + [(1, *each) for each in IN_PROBLEM]
TEXTS = (DOMAIN, PROBLEM)
Change = tuple[int, str, str, list[tuple[int, str]]]
Error = tuple[int, int, str]


def errors_with(folder: Path, *changes: Change) -> set[Error]:
    texts = list(TEXTS)
    for file, old, new, _ in changes:
        assert texts[file].count(old) == 1, old
        texts[file] = texts[file].replace(old, new)
    for name, text in zip("01", texts, strict=True):
        (folder / name).write_text(text)
    try:
        load_task(folder / "0", folder / "1")
    except InputErrors as errors:
        places = [(error.location or Location(), error.message) for error in errors.errors]
        return {(int((place.path or "")[-1]), place.line or 0, message) for place, message in places}
    return set()


def line_of(change: Change) -> tuple[int, int]:
    file, old, *_ = change
    return file, TEXTS[file][: TEXTS[file].index(old)].count("\n")


def hidden(change: Change, message: str) -> bool:
    return any(text in change[2] and re.search(what, message) for text, what in HIDES)


@pytest.mark.parametrize("change", CHANGES, ids=[each[2].strip() for each in CHANGES])
def test_each_change_has_its_errors(tmp_path: Path, change: Change) -> None:
    file, _, _, expected = change
    found = sorted(errors_with(tmp_path, change))
    assert len(found) == len(expected), found
    for line, beginning in expected:
        assert any(error[:2] == (file, line) and error[2].startswith(beginning) for error in found), found


def pairs() -> list[tuple[Change, Change]]:
    return [(one, two) for one, two in combinations(CHANGES, 2) if line_of(one) != line_of(two)]


def check_pairs(folder: Path, chosen: list[tuple[Change, Change]]) -> None:
    single = {change[:3]: errors_with(folder, change) for change in CHANGES}
    for one, two in chosen:
        found = errors_with(folder, one, two)
        first, second = single[one[:3]], single[two[:3]]
        missing = [e for e in first - found if not hidden(two, e[2])]
        missing += [e for e in second - found if not hidden(one, e[2])]
        assert not missing, (one[2], two[2])
        # What is said of a line may become another thing, but no line gets errors that had none.
        lines = {e[:2] for e in first | second}
        assert [e for e in found - first - second if e[:2] not in lines] == [], (one[2], two[2])


def test_no_error_hides_or_makes_another(tmp_path: Path) -> None:
    assert errors_with(tmp_path) == set()
    check_pairs(tmp_path, pairs()[::23])


@pytest.mark.slow
def test_no_error_hides_or_makes_another_in_any_pair(tmp_path: Path) -> None:
    check_pairs(tmp_path, pairs())
