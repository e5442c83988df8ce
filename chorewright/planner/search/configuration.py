"""How to search: which searches there are, what may lead each of them, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

from chorewright.errors import UsageError
from chorewright.planner.search.portfolio import QUEUES
from chorewright.planner.search.search import ADMISSIBLE, HEURISTICS

MOST_WEIGHT = 1000

SEARCHES = {
    "greedy": tuple(HEURISTICS),
    "ehc": tuple(name for name in HEURISTICS if name != "blind"),
    "lazy": ("ff",),
    "wastar": tuple(HEURISTICS),
    "astar": tuple(HEURISTICS),
    "anytime": ("ff",),
}
"""The searches, and the heuristics that may lead each."""

WEIGHTED = ("lazy", "wastar")
USUAL_WEIGHT = 5

RIVALLED = (("greedy", "ff", "turns"), ("anytime", "ff", "turns"))
"""Searches, heuristics and queues whose plans usually have rivals."""

_REASONS = {
    "ehc": "blind search has no hill to climb",
    "lazy": "it needs ff's preferred operators; wastar takes every heuristic",
    "anytime": "it needs ff's preferred operators; wastar and astar take every heuristic",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """How to search.

    ``search`` and ``heuristic`` are a pair of ``SEARCHES``: ``greedy`` best-first, which with ``ff`` is lazy
    and has preferred operators and the further ``queues`` of ``portfolio.QUEUES``; ``ehc``, enforced
    hill-climbing, which goes over to greedy where it is stuck; ``lazy`` and ``wastar``, lazy and eager A*
    with a ``weight``; ``astar``; and ``anytime``, which goes on improving until a limit is met or the plan is
    proven optimal. ``improve`` is how many evaluations may go into making the plan of any search but
    ``astar`` cheaper (0: none). ``rungs`` are the evaluation budgets of the tight rungs; () goes to the full
    task at once. With ``rivals``, other searches look for plans too where the first one may be dear.
    """

    search: str = "greedy"
    heuristic: str = "ff"
    weight: int = 1
    improve: int = 4000
    rungs: tuple[int, ...] = (65_000, 65_000)
    queues: str = "turns"
    rivals: bool = False

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise UsageError(f"unknown search '{self.search}'", hint=f"one of {', '.join(SEARCHES)}")
        if self.heuristic not in HEURISTICS:
            raise UsageError(f"unknown heuristic '{self.heuristic}'", hint=f"one of {', '.join(HEURISTICS)}")
        if self.heuristic not in SEARCHES[self.search]:
            may = f"{self.search} takes {', '.join(SEARCHES[self.search])}"
            raise UsageError(
                f"{self.search} search cannot be led by the heuristic {self.heuristic}",
                hint=f"{may}: {_REASONS[self.search]}",
            )
        if self.queues not in QUEUES:
            raise UsageError(f"unknown queues '{self.queues}'", hint=f"one of {', '.join(QUEUES)}")
        if self.queues != "turns" and (self.heuristic != "ff" or self.search in ("wastar", "astar")):
            raise UsageError(
                f"{self.search} search with {self.heuristic} has one queue",
                hint="greedy, ehc, lazy and anytime with ff have more",
            )
        if not 1 <= self.weight <= MOST_WEIGHT:
            raise UsageError(f"the weight must be from 1 to {MOST_WEIGHT}, but is {self.weight}")
        if self.weight != 1 and self.search not in WEIGHTED:
            raise UsageError(f"{self.search} search has no weight", hint=f"{' and '.join(WEIGHTED)} have")
        if self.improve < 0:
            raise UsageError(f"evaluations for improvement must not be negative, but are {self.improve}")

    @staticmethod
    def usual(
        search: str = "greedy",
        heuristic: str | None = None,
        weight: int | None = None,
        improve: int | None = None,
        queues: str = "turns",
    ) -> Configuration:
        """The configuration of a search, with what is usual for it where nothing is given.

        Raises:
            UsageError: the parts do not go together.
        """
        heuristic = heuristic or ("max" if search == "astar" else "ff")
        improve = improve if improve is not None else 0 if search == "astar" else DEFAULT.improve
        return Configuration(
            search,
            heuristic,
            weight if weight is not None else USUAL_WEIGHT if search in WEIGHTED else 1,
            improve,
            queues=queues,
            rivals=(search, heuristic, queues) in RIVALLED and improve > 0,
        )

    @property
    def optimal(self) -> bool:
        """Whether plans found on the full task are optimal."""
        return self.search == "astar" and self.heuristic in ADMISSIBLE

    @property
    def improving(self) -> int:
        """Evaluations that may go into improving a plan: none where A* has found it."""
        return 0 if self.search == "astar" else self.improve

    def __str__(self) -> str:
        parts = [self.search, self.heuristic]
        if self.search in WEIGHTED:
            parts.append(f"w{self.weight}")
        if self.queues != "turns":
            parts.append(self.queues)
        if self.improving:
            parts.append(f"improve{self.improve}")
        if self.rivals:
            parts.append("rivals")
        return "-".join(parts)


DEFAULT = Configuration()
"""What datasets are planned with."""

THOROUGH = Configuration.usual()
"""What ``chorewright plan`` plans with."""

OPTIMAL = Configuration(search="astar", heuristic="max", improve=0, rungs=())

__all__ = ["DEFAULT", "OPTIMAL", "SEARCHES", "THOROUGH", "WEIGHTED", "Configuration"]
