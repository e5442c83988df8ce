"""First-order evaluation against brute force, and rewriting against evaluation."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chorewright.domains.formulas import (
    Facts,
    Universe,
    conjunction,
    conjuncts,
    count_needed_copies,
    derive,
    expanded,
    free_variables,
    holds,
    rename_types,
    satisfying,
    substitute,
    support,
    types_mentioned_in,
)
from chorewright.domains.pddl.syntax import (
    And,
    AtLeast,
    Atom,
    Axiom,
    Domain,
    Equals,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Problem,
    Signature,
    State,
    Typed,
)
from chorewright.errors import InputError

OBJECTS = ("a", "b", "c", "d")
BY_TYPE = {"object": OBJECTS, "t": ("a", "b", "c"), "u": ("c", "d"), "none": ()}
VARIABLES = ("?x", "?y", "?z")
ARITIES = {"p": 1, "q": 2, "r": 0}
TYPES = [("object",), ("t",), ("u",), ("t", "u"), ("none",)]


def brute_force(formula: Formula, state: State, by_type: dict[str, tuple[str, ...]], env: dict[str, str]) -> bool:
    """The textbook's definition, word by word."""

    def bindings(variables: tuple[Typed, ...]) -> list[dict[str, str]]:
        ranges = [[o for o in by_type["object"] if any(o in by_type[t] for t in v.types)] for v in variables]
        return [dict(zip([v.name for v in variables], values, strict=True)) for values in product(*ranges)]

    match formula:
        case Atom(predicate, terms):
            return (predicate, *(env.get(term, term) for term in terms)) in state
        case Equals(left, right):
            return env.get(left, left) == env.get(right, right)
        case Not(operand):
            return not brute_force(operand, state, by_type, env)
        case And(operands):
            return all(brute_force(operand, state, by_type, env) for operand in operands)
        case Or(operands):
            return any(brute_force(operand, state, by_type, env) for operand in operands)
        case Imply(before, after):
            return not brute_force(before, state, by_type, env) or brute_force(after, state, by_type, env)
        case Forall(variables, body):
            return all(brute_force(body, state, by_type, {**env, **each}) for each in bindings(variables))
        case Exists(variables, body):
            return any(brute_force(body, state, by_type, {**env, **each}) for each in bindings(variables))
        case AtLeast(count, variables, body):
            return sum(brute_force(body, state, by_type, {**env, **each}) for each in bindings(variables)) >= count


terms = st.sampled_from((*VARIABLES, *OBJECTS))
atoms = st.sampled_from(sorted(ARITIES)).flatmap(
    lambda name: st.tuples(*[terms] * ARITIES[name]).map(lambda args: Atom(name, args))
)
typed = st.lists(
    st.builds(Typed, st.sampled_from(VARIABLES), st.sampled_from(TYPES)),
    min_size=1,
    max_size=2,
    unique_by=lambda v: v.name,
).map(tuple)


def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Imply, inner, inner),
        st.builds(Forall, typed, inner),
        st.builds(Exists, typed, inner),
        st.builds(AtLeast, st.integers(0, 3), typed, inner),
    )


formulas = st.recursive(st.one_of(atoms, st.builds(Equals, terms, terms)), larger, max_leaves=8)
ground = [("r",), *(("p", o) for o in OBJECTS), *(("q", o, other) for o in OBJECTS for other in OBJECTS)]
states = st.frozensets(st.sampled_from(ground))
environments = st.fixed_dictionaries({name: st.sampled_from(OBJECTS) for name in VARIABLES})


@given(formulas, states, environments, st.booleans())
@settings(max_examples=600, deadline=None)
def test_holds_is_the_definition(formula: Formula, state: State, env: dict[str, str], indexed: bool) -> None:
    facts = Facts(state)
    if indexed:
        facts.of("p")
    assert holds(formula, facts, Universe(BY_TYPE), env) == brute_force(formula, state, BY_TYPE, env)


@given(typed, formulas, states, environments, st.booleans())
@settings(max_examples=300, deadline=None)
def test_satisfying_yields_exactly_the_witnesses_in_order(
    variables: tuple[Typed, ...], body: Formula, state: State, env: dict[str, str], indexed: bool
) -> None:
    facts = Facts(state)
    if indexed:
        facts.of("p")
    universe = Universe(BY_TYPE)
    found = list(satisfying(Exists(variables, body), facts, universe, env))
    names = [each.name for each in variables]
    expected = [
        dict(zip(names, values, strict=True))
        for values in product(*(universe.members(each.types) for each in variables))
        if brute_force(body, state, BY_TYPE, {**env, **dict(zip(names, values, strict=True))})
    ]
    assert found == expected


@given(formulas, states, environments)
@settings(max_examples=600, deadline=None)
def test_support_is_true_and_enough(formula: Formula, state: State, env: dict[str, str]) -> None:
    """The formula stays true however the atoms change that its support does not mention."""
    universe = Universe(BY_TYPE)
    wanted = formula if holds(formula, state, universe, env) else Not(formula)
    literals = dict(support(wanted, Facts(state), universe, env))
    assert all((atom in state) == value for atom, value in literals.items())
    fewest = frozenset(atom for atom, value in literals.items() if value)
    most = frozenset(ground) - {atom for atom, value in literals.items() if not value}
    flipped = frozenset(atom for atom in ground if literals.get(atom, atom not in state))
    for changed in (fewest, most, flipped):
        assert brute_force(wanted, changed, BY_TYPE, env)


@given(formulas, states, environments)
@settings(max_examples=300, deadline=None)
def test_expanding_at_least_keeps_the_meaning(formula: Formula, state: State, env: dict[str, str]) -> None:
    plain = expanded(formula)
    assert "AtLeast" not in repr(plain)
    assert free_variables(plain) <= free_variables(formula)
    assert holds(plain, state, Universe(BY_TYPE), env) == holds(formula, state, Universe(BY_TYPE), env)


@given(formulas, states, environments, st.dictionaries(st.sampled_from(VARIABLES), terms))
@settings(max_examples=400, deadline=None)
def test_substitution_is_rebinding(
    formula: Formula, state: State, env: dict[str, str], mapping: dict[str, str]
) -> None:
    """Replacing variables by terms is the same as giving them the terms' values: nothing is captured."""
    rebound = {**env, **{name: env.get(term, term) for name, term in mapping.items()}}
    universe = Universe(BY_TYPE)
    assert holds(substitute(formula, mapping), state, universe, env) == holds(formula, state, universe, rebound)


@given(formulas, states, environments)
@settings(max_examples=200, deadline=None)
def test_conjuncts_together_are_the_formula(formula: Formula, state: State, env: dict[str, str]) -> None:
    universe = Universe(BY_TYPE)
    parts = conjuncts(formula)
    assert all(not isinstance(part, And) for part in parts)
    whole = holds(formula, state, universe, env)
    assert all(holds(part, state, universe, env) for part in parts) == whole
    assert holds(conjunction(parts), state, universe, env) == whole


def test_types_are_listed_and_renamed() -> None:
    formula = Exists((Typed("?x", ("?slot", "u")),), AtLeast(2, (Typed("?y", ("?slot",)),), Atom("q", ("?x", "?y"))))
    assert types_mentioned_in(formula) == ("?slot", "u")
    renamed = rename_types(formula, {"?slot": "u"})
    assert types_mentioned_in(renamed) == ("u",)
    assert count_needed_copies(renamed) == {"u": 2}


def test_a_free_variable_needs_a_value() -> None:
    with pytest.raises(ValueError, match=r"\?x"):
        holds(Atom("p", ("?x",)), frozenset(), Universe(BY_TYPE))


def domain_of(*axioms: Axiom, **more: Any) -> Domain:
    return Domain("d", (), (Typed("t"), Typed("u", ("t",))), (Typed("k", ("u",)),), (), (), axioms, (), **more)


def test_the_universe_has_constants_and_subtypes() -> None:
    problem = Problem("p", "d", (Typed("a", ("t",)), Typed("b", ("u",)), Typed("c")), (), (), And(()))
    universe = Universe.of(domain_of(), problem)
    assert universe.objects == ("k", "a", "b", "c")
    assert universe.members(("t",)) == ("k", "a", "b")
    assert universe.members(("u",)) == ("k", "b")
    assert universe.members(("u", "t")) == ("k", "a", "b")
    assert universe.members(("unknown",)) == ()


X, Y, Z = Typed("?x"), Typed("?y"), Typed("?z")
ABOVE = Axiom(
    Signature("above", (X, Y)),
    Or((Atom("on", ("?x", "?y")), Exists((Z,), And((Atom("on", ("?x", "?z")), Atom("above", ("?z", "?y"))))))),
)
FREE = Axiom(Signature("free", (X,)), Not(Exists((Y,), Atom("above", ("?y", "?x")))))


def test_axioms_reach_their_fixpoint_stratum_by_stratum() -> None:
    names = tuple(f"b{number}" for number in range(12))
    problem = Problem("p", "d", tuple(map(Typed, names)), (), (), And(()))
    domain = domain_of(FREE, ABOVE)
    state = frozenset(("on", above, below) for above, below in pairwise(names))
    derived = derive(domain, state, Universe.of(domain, problem))
    above = {("above", names[i], names[j]) for i in range(12) for j in range(i + 1, 12)}
    assert derived == state | above | {("free", "b0"), ("free", "k")}


def test_axioms_through_their_own_negation_are_refused() -> None:
    odd = Axiom(Signature("odd", ()), Not(Atom("even", ())))
    even = Axiom(Signature("even", ()), Not(Atom("odd", ())))
    with pytest.raises(InputError, match="negation"):
        derive(domain_of(odd, even), frozenset(), Universe(BY_TYPE))


derived_atoms = st.one_of(
    st.tuples(terms).map(lambda args: Atom("d", args)), st.tuples(terms, terms).map(lambda args: Atom("e", args))
)


def larger_positive(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Forall, typed, inner),
        st.builds(Exists, typed, inner),
        st.builds(AtLeast, st.integers(0, 2), typed, inner),
    )


positive = st.recursive(
    st.one_of(atoms, derived_atoms, st.builds(Not, atoms), st.builds(Equals, terms, terms)),
    larger_positive,
    max_leaves=8,
)


@given(positive, positive, formulas, states)
@settings(max_examples=250, deadline=None)
def test_axioms_derive_the_least_fixpoint(first: Formula, second: Formula, top: Formula, state: State) -> None:
    heads = {"d": (Typed("?x", ("t",)),), "e": (Typed("?x", ("object",)), Typed("?y", ("u",))), "f": (X,)}
    # The top one negates what is below it.
    bodies = {"d": first, "e": second, "f": And((top, Not(Atom("e", ("?x", "?x")))))}

    def closed(name: str) -> Formula:
        free = sorted(free_variables(bodies[name]) - {each.name for each in heads[name]})
        return Exists(tuple(map(Typed, free)), bodies[name]) if free else bodies[name]

    axioms = tuple(Axiom(Signature(name, heads[name]), closed(name)) for name in ("f", "d", "e"))
    expected = set(state)
    for stratum in (("d", "e"), ("f",)):
        before = None
        while before != expected:
            before = set(expected)
            for name in stratum:
                ranges = [Universe(BY_TYPE).members(each.types) for each in heads[name]]
                for values in product(*ranges):
                    env = dict(zip([each.name for each in heads[name]], values, strict=True))
                    if brute_force(closed(name), frozenset(before), BY_TYPE, env):
                        expected.add((name, *values))
    assert derive(domain_of(*axioms), state, Universe(BY_TYPE)) == expected


def test_short_loops_do_not_index_the_state() -> None:
    """Goals over a few objects of narrow types must not pay for a look at every atom of a household state."""
    kinds = {f"k{kind}": tuple(f"k{kind}_{number}" for number in range(4)) for kind in range(25)}
    universe = Universe({"object": tuple(name for names in kinds.values() for name in names), **kinds})
    variables = (Typed("?o", ("k1",)), Typed("?m", ("k2",)), Typed("?r", ("k3",)))
    goal = Exists(variables, And((Atom("in", ("?o", "?m")), Atom("in", ("?m", "?r")), Atom("hot", ("?o",)))))
    facts = Facts(frozenset({("in", "k1_3", "k2_3"), ("in", "k2_3", "k3_3"), ("hot", "k1_3")}))
    assert holds(goal, facts, universe)
    assert not facts.is_indexed
    wide = Exists(tuple(Typed(name, ("object",)) for name in ("?o", "?m", "?r")), goal.body)
    assert holds(wide, facts, universe)
    assert facts.is_indexed
