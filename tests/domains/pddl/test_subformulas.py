"""What formulas are made of, compared with the text that they were read from."""

from __future__ import annotations

import re

import pytest

from chorewright.domains.pddl import write_formula
from chorewright.domains.pddl.subformulas import atoms_with_signs, subformulas, variables_in
from chorewright.domains.pddl.syntax import And, AtLeast, Atom, Equals, Exists, Forall, Formula, Imply, Not, Or, Typed

P, Q, R = (Atom(name, ("?x", "?y")) for name in ("p", "q", "r"))
X, Z = Typed("?x", ("thing",)), Typed("?z", ("thing",))

FORMULAS: list[tuple[Formula, str]] = [
    (P, "+p"),
    (Equals("?x", "a"), ""),
    (Not(P), "-p"),
    (Not(Not(P)), "+p"),
    (And((P, Not(Q))), "+p -q"),
    (Imply(P, Or((Q, Not(R)))), "-p +q -r"),
    (Not(Imply(P, Q)), "+p -q"),
    (Forall((X,), Imply(P, Exists((Z,), Q))), "-p +q"),
    (AtLeast(2, (X, Z), And((P, Not(Equals("?x", "?z")), Not(Or((Q, P)))))), "+p -q -p"),
    (And(()), ""),
]


@pytest.mark.parametrize(("formula", "signs"), FORMULAS)
def test_atoms_have_the_sign_of_their_negations(formula: Formula, signs: str) -> None:
    found = [f"{'+' if positive else '-'}{atom.predicate}" for atom, positive in atoms_with_signs(formula)]
    assert found == signs.split()


@pytest.mark.parametrize("formula", [formula for formula, _ in FORMULAS])
def test_subformulas_are_the_brackets_of_the_text(formula: Formula) -> None:
    words = r"\((and|or|not|imply|forall|exists|at-least|=|p|q|r)(?=[ )])"
    names = {Equals: "=", AtLeast: "at-least"}
    found = [
        part.predicate if isinstance(part, Atom) else names.get(type(part), type(part).__name__.lower())
        for part in subformulas(formula)
    ]
    text = write_formula(formula)
    assert found == re.findall(words, text)
    assert variables_in(formula) == set(re.findall(r"\?\w+", text))
