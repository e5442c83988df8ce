"""What the objects of a component are in the planning problem, whether they may be cut away, and what lies in what."""

from __future__ import annotations

import pytest

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import TRUE, Atom, Problem, Typed
from chorewright.domains.teach.compiler import describe, inside
from chorewright.domains.teach.definition import AtomicComponent


@pytest.mark.parametrize(
    ("wanted", "types", "may_be_cut"),
    [
        ("Tomato", {"tomato"}, True),
        ("TomatoSliced", {"tomatosliced"}, True),
        ("Mug", {"mug"}, False),
        ("Sink", {"sink", "sinkbasin"}, False),
    ],
)
def test_only_what_may_be_cut_has_to_be_present(wanted: str, types: set[str], may_be_cut: bool) -> None:
    part = AtomicComponent("it", "a", "objectType", False, (("objectType", wanted),))
    found = describe(part, household_vocabulary())
    assert set(found.types) == types
    present = Atom("present", ("?x",)) in subformulas(found.formula)
    assert present == may_be_cut


@pytest.mark.parametrize(
    ("kind", "affordance", "able"),
    [
        ("Tomato", "sliceable", True),
        ("Mug", "sliceable", False),
        ("Mug", "pickupable", True),
        ("Sink", "moveable", False),
    ],
)
def test_what_is_afforded_leaves_the_kinds_that_do_or_the_others(kind: str, affordance: str, able: bool) -> None:
    for wanted in (0, 1):
        part = AtomicComponent("it", "a", "objectType", False, (("objectType", kind), (affordance, wanted)))
        assert (kind.lower() in describe(part, household_vocabulary()).types) == (able == bool(wanted))


@pytest.mark.parametrize(
    ("facts", "without", "within"),
    [
        ("in cup table", True, True),
        ("in cup stove", False, False),
        ("in cup pan, in pan table", True, True),
        ("in cup stove, upon stove table", False, True),
        ("in cup pan, in pan stove, upon stove table", False, True),
        ("in pan stove, upon stove table", False, False),
        ("in cup stove, upon table stove", False, False),
    ],
)
def test_a_thing_lies_in_what_holds_what_holds_it(facts: str, without: bool, within: bool) -> None:
    """Fixtures that stand on others count only where they may."""
    kinds = {"cup": "cup", "pan": "pan", "stove": "toaster", "table": "countertop"}
    things = tuple(Typed(name, (kind,)) for name, kind in kinds.items())
    universe = Universe.of(household_domain(), Problem("p", "household", things, (), (), TRUE))
    state = Facts(tuple(fact.split()) for fact in facts.split(", "))
    assert holds(inside("cup", "table", stands=False), state, universe) == without
    assert holds(inside("cup", "table"), state, universe) == within
