"""What a relaxation proves of a ground task: atoms that never hold together, and atoms that no plan does without.

What is not proven here may be so all the same; both take polynomial time, however many states there are.
"""

from __future__ import annotations

from dataclasses import replace

from chorewright.planner.numeric.relaxation import bits_of, may_reach
from chorewright.planner.numeric.task import NumericTask


def companions(task: NumericTask) -> list[int]:
    """Return for each atom the atoms that may hold together with it, as bits; itself if it may ever hold.

    Two atoms that are no companions never hold in the same reachable state: pairs are reached by the fixpoint h² of
    Haslum and Geffner (AIPS 2000). Numbers, disjunctions and what must not hold are taken for true.
    """
    initial = task.initial[0]
    found = [initial if initial >> bit & 1 else 0 for bit in range(len(task.atoms))]
    moves = []
    for operator in task.operators:
        first, possible = operator.outcomes[0], 0
        for outcome in operator.outcomes[1:]:
            possible |= outcome.added
        for outcome in operator.outcomes:
            needs = operator.condition.true | outcome.condition.true
            added = first.added | outcome.added
            kept = ~(first.deleted | outcome.deleted)
            moves.append((needs, list(bits_of(needs)), kept, added, list(bits_of(added)), possible))
    grown = True
    while grown:
        grown = False
        possible_atoms = sum(1 << bit for bit, others in enumerate(found) if others >> bit & 1)
        for needs, needed, kept, added, made, possible in moves:
            common = possible_atoms
            for bit in needed:
                common &= found[bit]
            if common & needs != needs:
                continue
            after = (common & kept) | added
            for bit in made:
                new = (after | possible) & ~found[bit]
                if new:
                    grown = True
                    found[bit] |= new
                    for other in bits_of(new):
                        found[other] |= 1 << bit
    return found


def is_landmark(task: NumericTask, bit: int) -> bool:
    """Whether the goal cannot be reached without making an atom true, even when nothing is ever deleted."""
    without = tuple(each for each in task.operators if not (each.outcomes[0].added | each.condition.true) >> bit & 1)
    return not may_reach(replace(task, operators=without), task.initial)
