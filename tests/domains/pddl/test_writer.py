"""What is written is read as the same value, and ``at-least`` is expanded to what it means."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorewright.domains.pddl import (
    parse_domain,
    parse_formula,
    parse_problem,
    write_domain,
    write_formula,
    write_problem,
)
from chorewright.domains.pddl.subformulas import expanded, rename
from chorewright.domains.pddl.syntax import (
    Action,
    AddEffect,
    And,
    AndEffect,
    AtLeast,
    Atom,
    Axiom,
    DeleteEffect,
    Domain,
    Effect,
    Equals,
    Exists,
    Forall,
    ForallEffect,
    Formula,
    FunctionTerm,
    FunctionValue,
    Imply,
    IncreaseCost,
    Not,
    Or,
    Problem,
    Signature,
    Typed,
    WhenEffect,
)
from chorewright.errors import LimitError

TYPES = (Typed("thing"), Typed("cup", ("thing",)), Typed("box", ("thing", "room")), Typed("room"))
TYPE_NAMES = st.sampled_from(["object", "thing", "cup", "box", "room"])
EITHER = st.lists(TYPE_NAMES, min_size=1, max_size=2, unique=True).map(tuple)
OBJECTS = (Typed("k1", ("cup",)), Typed("k2", ("cup",)), Typed("b", ("box",)), Typed("r", ("cup", "room")), Typed("o"))
PREDICATES = (
    Signature("empty", ()),
    Signature("p", (Typed("?x"),)),
    Signature("near", (Typed("?x"), Typed("?y"))),
    Signature("d", (Typed("?x"),)),
)
FUNCTIONS = (Signature("total-cost", ()), Signature("far", (Typed("?x"),)))


@st.composite
def variable_lists(draw: st.DrawFn, least: int = 0) -> tuple[Typed, ...]:
    names = draw(st.lists(st.sampled_from(["?x", "?y", "?z-1"]), min_size=least, max_size=3, unique=True))
    return tuple(Typed(name, draw(EITHER)) for name in names)


@st.composite
def atoms(draw: st.DrawFn, scope: tuple[str, ...], predicates: tuple[Signature, ...] = PREDICATES) -> Atom:
    signature = draw(st.sampled_from(predicates))
    terms = st.sampled_from((*scope, *(entry.name for entry in OBJECTS)))
    return Atom(signature.name, tuple(draw(terms) for _ in signature.parameters))


@st.composite
def formulas(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 3) -> Formula:
    kind = draw(st.integers(0, 8 if depth else 1))
    terms = st.sampled_from((*scope, *(entry.name for entry in OBJECTS)))
    if kind == 0:
        return draw(atoms(scope))
    if kind == 1:
        return Equals(draw(terms), draw(terms))
    deeper = formulas(scope, depth - 1)
    if kind == 2:
        return Not(draw(deeper))
    if kind in (3, 4):
        operands = tuple(draw(st.lists(deeper, max_size=3)))
        return And(operands) if kind == 3 else Or(operands)
    if kind == 5:
        return Imply(draw(deeper), draw(deeper))
    bound = draw(variable_lists(least=1 if kind == 8 else 0))
    body = draw(formulas((*scope, *(entry.name for entry in bound)), depth - 1))
    if kind == 8:
        return AtLeast(draw(st.integers(0, 3)), bound, body)
    return Forall(bound, body) if kind == 6 else Exists(bound, body)


@st.composite
def effects(draw: st.DrawFn, scope: tuple[str, ...], depth: int = 3, conditional: bool = False) -> Effect:
    kind = draw(st.integers(0, (4 if conditional else 5) if depth else 1))
    if kind < 2:
        atom = draw(atoms(scope, PREDICATES[:3]))
        return AddEffect(atom) if kind else DeleteEffect(atom)
    if kind == 2:
        return AndEffect(tuple(draw(st.lists(effects(scope, depth - 1, conditional), max_size=3))))
    if kind == 3:
        bound = draw(variable_lists())
        return ForallEffect(bound, draw(effects((*scope, *(entry.name for entry in bound)), depth - 1, True)))
    if kind == 4:
        return WhenEffect(draw(formulas(scope, depth - 1)), draw(effects(scope, depth - 1, True)))
    amounts = st.floats(0, 1e12) | st.integers(0, 99).map(float)
    terms = st.sampled_from((*scope, *(entry.name for entry in OBJECTS)))
    return IncreaseCost(draw(amounts | terms.map(lambda term: FunctionTerm("far", (term,)))))


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    actions = []
    for number in range(draw(st.integers(0, 3))):
        parameters = draw(variable_lists())
        scope = tuple(entry.name for entry in parameters)
        actions.append(Action(f"a{number}", parameters, draw(formulas(scope)), draw(effects(scope))))
    axiom = Axiom(Signature("d", (Typed("?x"),)), Exists((Typed("?y"),), Atom("near", ("?x", "?y"))))
    constants = draw(st.sampled_from([(), OBJECTS[:2]]))
    axioms = draw(st.sampled_from([(), (axiom, axiom)]))
    requirements = draw(st.sampled_from([(), (":adl",), (":strips", ":action-costs")]))
    missing = OBJECTS[len(constants) :]
    return Domain("d", requirements, TYPES, (*constants, *missing), PREDICATES, FUNCTIONS, axioms, tuple(actions))


@settings(max_examples=150, deadline=None)
@given(domains())
def test_domains(domain: Domain) -> None:
    assert parse_domain(write_domain(domain)) == domain


@settings(max_examples=150, deadline=None)
@given(formulas(), st.booleans(), st.floats(0, 1e15), st.integers(0, 3), st.integers(0, 2))
def test_problems(goal: Formula, minimize: bool, value: float, atoms: int, known: int) -> None:
    domain = Domain("d", (), TYPES, OBJECTS[:1], PREDICATES, FUNCTIONS, (), ())
    init = (("p", "b"), ("near", "k1", "r"), ("empty",))[:atoms]
    values = (FunctionValue("far", ("o",), value), FunctionValue("total-cost", (), 0.0))[:known]
    problem = Problem("p", "d", OBJECTS[1:], init, values, goal, minimize)
    assert "(:init" in write_problem(problem)  # not every planner reads a problem without it
    assert parse_problem(write_problem(problem), domain) == problem


@settings(max_examples=150, deadline=None)
@given(formulas((), 4), st.integers(0, 90))
def test_formulas(formula: Formula, indentation: int) -> None:
    domain = Domain("d", (), TYPES, OBJECTS, PREDICATES, FUNCTIONS, (), ())
    assert parse_formula(write_formula(formula, indentation), domain) == formula


@settings(max_examples=150, deadline=None)
@given(formulas(("?x", "?free"), 4))
def test_renamed_is_what_the_text_is_with_the_names_replaced(formula: Formula) -> None:
    text = write_formula(formula)
    assert write_formula(rename(formula, {"?free": "?next"})) == text.replace("?free", "?next")
    assert rename(formula, {"?nowhere": "?new"}) == formula


def test_what_a_quantifier_binds_keeps_its_name() -> None:
    inner = Forall((Typed("?x"),), And((Atom("near", ("?x", "?y")), Equals("?x", "?y"))))
    formula = Imply(Atom("p", ("?x",)), Or((Not(inner), AtLeast(2, (Typed("?y"),), Atom("near", ("?x", "?y"))))))
    bound = Forall((Typed("?x"),), And((Atom("near", ("?x", "?b")), Equals("?x", "?b"))))
    expected = Imply(Atom("p", ("?a",)), Or((Not(bound), AtLeast(2, (Typed("?y"),), Atom("near", ("?a", "?y"))))))
    assert rename(formula, {"?x": "?a", "?y": "?b"}) == expected


# The meaning of formulas over two objects of each kind, written as directly as possible.
KINDS = {"thing": ("k1", "k2", "b"), "cup": ("k1", "k2"), "box": ("b",), "room": ("b",), "object": ("k1", "k2", "b")}


def true(formula: Formula, state: frozenset[tuple[str, ...]], binding: Mapping[str, str]) -> bool:
    match formula:
        case Atom(predicate, terms):
            return (predicate, *(binding.get(term, term) for term in terms)) in state
        case Equals(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(operand):
            return not true(operand, state, binding)
        case And(operands):
            return all(true(operand, state, binding) for operand in operands)
        case Or(operands):
            return any(true(operand, state, binding) for operand in operands)
        case Imply(antecedent, consequent):
            return not true(antecedent, state, binding) or true(consequent, state, binding)
    columns = [dict.fromkeys(item for kind in entry.types for item in KINDS[kind]) for entry in formula.variables]
    names = [entry.name for entry in formula.variables]
    count = total = 0
    for items in itertools.product(*columns):
        total += 1
        count += true(formula.body, state, {**binding, **dict(zip(names, items, strict=True))})
    if isinstance(formula, AtLeast):
        return count >= formula.count
    return count == total if isinstance(formula, Forall) else count > 0


@settings(max_examples=150, deadline=None)
@given(formulas((), 2), st.integers(0, 3), variable_lists(least=1), st.data())
def test_expanded_at_least_means_the_same(
    inner: Formula, count: int, bound: tuple[Typed, ...], data: st.DataObject
) -> None:
    bound = bound[:2]
    body = And((data.draw(formulas(tuple(entry.name for entry in bound), 1)), inner))
    formula = AtLeast(count, bound, body)
    ground = [
        ("empty",),
        *(("p", item) for item in KINDS["object"]),
        *(("near", "k1", item) for item in KINDS["object"]),
    ]
    state = frozenset(data.draw(st.sets(st.sampled_from(ground))))
    assert true(formula, state, {}) == true(expanded(formula), state, {})


def test_plain_pddl_has_no_at_least() -> None:
    text = "(define (problem p) (:domain d) (:goal (at-least 2 (?x - cup) (p ?x))))"
    domain = Domain("d", (), TYPES, OBJECTS, PREDICATES, FUNCTIONS, (), ())
    problem = parse_problem(text, domain)
    assert "(at-least 2 (?x - cup) (p ?x))" in write_problem(problem)
    plain = write_problem(problem, expand_at_least=True)
    assert "(exists (?x_1 ?x_2 - cup)" in plain
    assert "(and (not (= ?x_1 ?x_2)) (p ?x_1) (p ?x_2))" in plain


@pytest.mark.parametrize("hashseed", ["0", "1", "7"])
def test_the_text_does_not_depend_on_the_hash_seed(hashseed: str) -> None:
    import os
    import subprocess
    import sys

    code = (
        "from tests.domains.pddl.test_competition_files import HOUSEHOLD\n"
        "from chorewright.domains.pddl import *\nprint(write_domain(load_domain(HOUSEHOLD)), end='')"
    )
    from chorewright.domains.pddl import load_domain
    from tests.domains.pddl.test_competition_files import HOUSEHOLD

    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hashseed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == write_domain(load_domain(HOUSEHOLD))


@pytest.mark.parametrize(("count", "levels"), [(65, 1), (2, 13), (10**9, 1)])
def test_expansions_have_a_limit(count: int, levels: int) -> None:
    formula: Formula = Atom("p", ("?x",))
    for _ in range(levels):
        formula = AtLeast(count, (Typed("?x"),), formula)
    with pytest.raises(LimitError, match="the limit is"):
        expanded(formula)
