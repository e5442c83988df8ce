"""What a cost-to-go says, and what it may take to find."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost-to-go of a state; ``inf`` if no plan was found.

    ``optimal`` says that no plan of the problem costs less, ``lower_bound`` that none costs less than that.
    """

    cost: float
    optimal: bool
    lower_bound: float


@dataclass(frozen=True, slots=True)
class Effort:
    """What one state may take, in evaluations of states: the same answer on every machine.

    ``provable`` is the longest relaxed plan, in steps, of states whose costs are tried to prove, with
    ``proof`` evaluations (of a task with 800 operators: smaller ones count for less); 0 leaves proofs
    out. With a ``pool``, the proofs of all states that the service is for may take so many together.
    ``greedy`` goes into finding any plan, ``improve`` into making it cheaper where its cost is not proven.
    """

    greedy: int = 20_000
    provable: int = 14
    proof: int = 1_000
    pool: int | None = None
    improve: int = 200


OPTIMAL = Effort()
SATISFICING = Effort(provable=0, improve=0)


__all__ = ["OPTIMAL", "SATISFICING", "Cost", "Effort"]
