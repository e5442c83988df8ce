"""Plans cut into subgoals: ALFRED's macros, doors, odd orders, and nothing lost."""

from __future__ import annotations

import itertools

import pytest

from chorewright.domains.pddl.syntax import TRUE, Problem
from chorewright.planner.plan import GroundAction
from chorewright.rsa.household.segments import Subgoal, segments

INIT = """
at p0; in apple countertop; in knife countertop; in mug cabinet; in spoon mug; in egg fridge; in laptop desk
openable fridge; openable oven; openable cabinet; openable laptop; heats oven; chills fridge; rinses faucet
controls faucet sinkbasin; controls oven oven; controls stoveknob stoveburner; piece-of slice apple
in bowl fridge; fits apple bowl; fits apple fridge; in pan stoveburner
"""

PROBLEM = Problem(
    name="kitchen",
    domain="household",
    objects=(),
    init=tuple(tuple(atom.split()) for line in INIT.strip().splitlines() for atom in line.split(";") if atom.strip()),
    values=(),
    goal=TRUE,
)

VERBS = ("Pickup", "Put", "Open", "Close", "Slice", "Clean", "Heat", "Cool", "Toggle", "Pour")
SUBGOALS = ("GotoLocation", "NoOp", *(f"{verb}Object" for verb in VERBS))
SHORT = {
    "go": "go-to",
    "take": "pick-up",
    "put": "put",
    "open": "open",
    "shut": "close",
    "on": "toggle-on",
    "off": "toggle-off",
    "cut": "slice",
    "pour": "pour",
}


def plan(text: str) -> tuple[GroundAction, ...]:
    """Read ``take apple countertop; go p1``: all but go-tos take place at the last pose gone to."""
    pose, actions = "p0", []
    for step in text.split(";"):
        name, *terms = step.split()
        if name == "go":
            terms = [pose, *terms]
            pose = terms[-1]
        else:
            terms.append(pose)
        actions.append(GroundAction(SHORT[name], tuple(terms)))
    return tuple(actions)


def show(found: tuple[Subgoal, ...]) -> str:
    assert found[-1].action == "NoOp"
    assert all(subgoal.action in SUBGOALS for subgoal in found)
    names = {name: name.removesuffix("Object").removesuffix("Location") for name in SUBGOALS}
    return "; ".join(" ".join((names[subgoal.action], *subgoal.arguments)) for subgoal in found[:-1])


TABLE = """
go p1; take apple countertop
    = Goto countertop; Pickup apple countertop
go p1; go p2; take apple countertop
    = Goto countertop; Pickup apple countertop
open fridge; take egg fridge; shut fridge
    = Pickup egg fridge
open cabinet; take spoon mug; shut cabinet
    = Pickup spoon mug
open fridge; take egg fridge; put egg countertop; shut fridge
    = Pickup egg fridge; Put egg countertop
shut laptop; take laptop desk
    = Pickup laptop desk
open fridge; shut fridge
    = Open fridge; Close fridge
open fridge; shut fridge; open fridge; take egg fridge; shut fridge
    = Open fridge; Close fridge; Pickup egg fridge
put apple sinkbasin; on faucet; off faucet; take apple sinkbasin
    = Clean apple sinkbasin faucet
put apple sinkbasin; on faucet; take apple sinkbasin; off faucet
    = Clean apple sinkbasin faucet
on faucet; put apple sinkbasin; take apple sinkbasin; off faucet
    = Clean apple sinkbasin faucet
on faucet; put apple sinkbasin; off faucet; take apple sinkbasin; go p2; put apple countertop
    = Clean apple sinkbasin faucet; Goto countertop; Put apple countertop
put apple sinkbasin; on faucet; off faucet
    = Put apple sinkbasin; Toggle faucet
on faucet; off faucet; put apple sinkbasin; take apple sinkbasin
    = Toggle faucet; Put apple sinkbasin; Pickup apple sinkbasin
open oven; put mug oven; shut oven; on oven; off oven; open oven; take mug oven; shut oven
    = Heat mug oven
open fridge; put apple fridge; shut fridge; open fridge; take apple fridge; shut fridge
    = Cool apple fridge
open fridge; put apple fridge; shut fridge; open fridge; take apple fridge; put apple countertop; shut fridge
    = Cool apple fridge; Put apple countertop
open fridge; put apple fridge; shut fridge; open fridge; take egg fridge; shut fridge
    = Put apple fridge; Pickup egg fridge
open fridge; put apple bowl; shut fridge; open fridge; take apple bowl; shut fridge
    = Cool apple fridge
open fridge; put mug bowl; shut fridge; open fridge; take mug bowl; shut fridge
    = Put mug bowl; Pickup mug bowl
open oven; put mug oven; shut oven; on oven; off oven
    = Put mug oven; Toggle oven
take knife countertop; cut apple knife countertop; put knife countertop; take slice countertop
    = Pickup knife countertop; Slice apple knife; Put knife countertop; Pickup slice countertop
go p3; cut apple knife countertop
    = Goto apple; Slice apple knife
go p1; on stoveknob; off stoveknob; pour mug sinkbasin; on desklamp
    = Goto stoveknob; Toggle stoveknob; Pour mug sinkbasin; Toggle desklamp
off faucet
    = Toggle faucet
on toaster; put bread toaster; take bread toaster; off toaster
    = Toggle toaster; Put bread toaster; Pickup bread toaster; Toggle toaster
put bread toaster; on toaster; take bread toaster; off toaster
    = Put bread toaster; Toggle toaster; Pickup bread toaster
on faucet; put apple sinkbasin; take apple sinkbasin; put apple countertop; off faucet
    = Clean apple sinkbasin faucet; Put apple countertop
on faucet; put apple sinkbasin; take apple sinkbasin; put mug sinkbasin; off faucet
    = Toggle faucet; Put apple sinkbasin; Pickup apple sinkbasin; Put mug sinkbasin; Toggle faucet
on desklamp; put apple countertop; off desklamp
    = Toggle desklamp; Put apple countertop
on stoveknob; cut apple knife pan; off stoveknob
    = Toggle stoveknob; Slice apple knife; Toggle stoveknob
on stoveknob; put apple pan; take pan stoveburner; off stoveknob
    = Toggle stoveknob; Put apple pan; Pickup pan stoveburner; Toggle stoveknob
on stoveknob; cut apple knife countertop; off stoveknob
    = Toggle stoveknob; Slice apple knife
"""
LINES = [line.strip().removeprefix("= ") for line in TABLE.strip().splitlines()]
CASES = list(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_table(text: str, expected: str) -> None:
    assert show(segments(plan(text), PROBLEM)) == expected


@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_nothing_is_lost(text: str) -> None:
    actions = plan(text)
    found = segments(actions, PROBLEM)
    places = sorted(itertools.chain.from_iterable(subgoal.places for subgoal in found))
    assert places == list(range(len(actions)))
    for subgoal in found:
        assert subgoal.actions == tuple(actions[place] for place in subgoal.places)


def test_any_sequence_of_actions_is_read_without_loss() -> None:
    """Every sequence of up to four actions at the fridge and sink, sensible or not."""
    steps = [
        "open fridge", "put apple fridge", "shut fridge", "take apple fridge",
        "on faucet", "off faucet", "go p1",
    ]  # fmt: skip
    for length in range(5):
        for chosen in itertools.product(steps, repeat=length):
            actions = plan("; ".join(chosen)) if chosen else ()
            found = segments(actions, PROBLEM)
            places = sorted(itertools.chain.from_iterable(subgoal.places for subgoal in found))
            assert places == list(range(length)), chosen
            assert found[-1].action == "NoOp"


def test_doors_of_a_subgoal() -> None:
    found = segments(plan("open cabinet; take spoon mug; shut cabinet"), PROBLEM)
    assert found[0].doors == ("cabinet",)
    found = segments(plan("open fridge; put mug fridge; take spoon mug; shut fridge"), PROBLEM)
    assert [subgoal.doors for subgoal in found] == [("fridge",), ("fridge",), ()]
