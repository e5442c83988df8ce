"""What a component's objects are in the planning problem: their types, and whether they may be cut away."""

from __future__ import annotations

import pytest

from chorewright.domains.library import household_vocabulary
from chorewright.domains.pddl.subformulas import subformulas
from chorewright.domains.pddl.syntax import Atom
from chorewright.domains.teach.compiler import describe
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
