"""What becomes of an activity's things, dealt out by hand."""

from __future__ import annotations

import pytest

from chorewright.problems.behavior.kinds import changes, kinds
from chorewright.problems.behavior.transitions import transitions

WHOLE, (HALF, COUNT) = next((whole, next(iter(halves.items()))) for whole, halves in changes("slicing"))


@pytest.mark.parametrize(
    ("wholes", "halves", "dealt"),
    [
        (1, 2, [0, 0]),
        (2, 4, [0, 0, 1, 1]),
        (3, 4, [0, 0, 1, 1]),
        (2, 3, [0, 0, 1]),
        (2, 6, [0, 0, 1, 1, 1, 1]),  # what is left over is the last one's
        (0, 2, []),
    ],
)
def test_halves_are_dealt_out_in_order(wholes: int, halves: int, dealt: list[int]) -> None:
    assert COUNT == 2
    names = [f"whole-{number}" for number in range(wholes)], [f"half-{number}" for number in range(halves)]
    synsets = {**dict.fromkeys(names[0], WHOLE), "present": HALF, **dict.fromkeys(names[1], HALF)}
    found = transitions(synsets, frozenset(names[1]), kinds("1k"))
    own = [atom for atom in found.atoms if atom[0] == "half-of"]
    assert own == [("half-of", names[1][number], names[0][whole]) for number, whole in enumerate(dealt)]
    assert not transitions(synsets, frozenset(names[1]), kinds("100")).atoms
