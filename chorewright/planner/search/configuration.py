"""How to search: which searches there are, what leads each, what is refused; and satisficing searches by turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from chorewright.errors import UsageError
from chorewright.files.stopping import promptly
from chorewright.planner.plan import Limit
from chorewright.planner.search.heuristics.landmarks import Landmarks, find_landmarks, goals_only
from chorewright.planner.search.search import ADMISSIBLE, HEURISTICS, Budget, Prepared, SearchResult

# Satisficing searches, the lazy ones by turns: none is best everywhere, and together they rarely fail.
#
# The first turn is led by h_FF and its preferred operators alone, which is fastest where the task is easy;
# every other one also counts landmarks and tells novel states, which finds the way across plateaus. Each round
# has more evaluations than the last, so a problem is solved within a small multiple of what the best of them
# needs. A third turn takes no notice of costs, and its landmarks are disjunctions too: few steps are often
# easier to find than cheap ones (Richter and Westphal, "The LAMA planner", 2010). Where actions differ in cost
# it is in the first round and begins the second; elsewhere the second is its first. Greedy search has a turn of
# width search besides, for tasks on which h_FF leads nowhere; it ends the first round.


FIRST, MORE = 1000, 10
"""Evaluations of the first turn, and how many times more there are in the next round."""

PATIENCE = 3
"""How many times more evaluations a turn with landmarks has."""

WIDTH = 2
"""How many times more evaluations a turn of width search has from the second round on."""

QUEUES = ("turns", "ff", "goal-count", "landmarks", "novelty")
"""By turns; the queues of h_FF alone; these with one of goals, of landmarks, of landmarks and of novelty."""

Marking = Callable[[Prepared], Landmarks | None]


class SearchTurn(NamedTuple):
    """A search of a round: what leads it, its landmarks, whether it tells novel states, and for how long.

    ``ahead`` counts successors' landmarks, ``wide`` is best-first width search.
    """

    led: Prepared
    marks: Marking
    novel: bool
    times: int
    ahead: bool = False
    wide: bool = False


def satisfice(
    prepared: Prepared, search: str, heuristic: str, queues: str, weight: int, bound: int, budget: Budget
) -> SearchResult:
    """Find a plan by greedy search, enforced hill-climbing or lazy search.

    Args:
        prepared: The task.
        search: ``greedy``, ``ehc`` or ``lazy``.
        heuristic: A key of ``HEURISTICS``.
        queues: What leads greedy and lazy search by ``ff``, besides it; see ``Configuration``.
        weight: Of the heuristic, in lazy search.
        bound: What the plan has to stay below, in integer units.
        budget: What the searches may use together.
    """
    if search == "ehc":
        found = prepared.hill_climb(heuristic, bound, budget)
        if found.operators is not None or found.limit is not None:
            return found
        rest = replace(budget, evaluations=budget.evaluations - found.evaluations)
        more = satisfice(prepared, "greedy", heuristic, queues, 1, bound, rest)
        return replace(more, evaluations=more.evaluations + found.evaluations)
    if heuristic != "ff":
        return prepared.search("greedy", heuristic, 1, bound, budget)
    kind = "lazy" if search == "lazy" else "greedy"
    if queues != "turns":
        with promptly():
            marks = _marks(prepared, queues)
        return prepared.search(kind, "ff", weight, bound, budget, marks, queues == "novelty")
    return _by_turns(prepared, kind, weight, bound, budget)


def _by_turns(prepared: Prepared, search: str, weight: int, bound: int, budget: Budget) -> SearchResult:
    spent = 0
    most = FIRST
    costs: tuple[SearchTurn, ...] = (
        SearchTurn(prepared, lambda prepared: None, False, 1),
        SearchTurn(prepared, _landmarks, True, PATIENCE),
    )
    steps: tuple[SearchTurn, ...] = (
        (SearchTurn(prepared.by_steps(), disjunctions, False, PATIENCE, ahead=True),) if search == "greedy" else ()
    )
    wide = tuple(each._replace(wide=True, times=WIDTH) for each in steps)
    turns = (*costs, *(steps if prepared.costs_differ else ()), *(each._replace(times=1) for each in wide))
    marks: dict[Marking, Landmarks | None] = {}
    while True:
        for turn in turns:
            if turn.marks not in marks:
                with promptly():
                    marks[turn.marks] = turn.marks(turn.led)
            limited = replace(budget, evaluations=min(most * turn.times, budget.evaluations - spent))
            found = _take_turn(turn, search, weight, bound, limited, marks[turn.marks])
            spent += found.evaluations
            if turn.wide and found.operators is None and found.limit is None:
                wide = ()  # it has looked at all that is new to it
            elif found.limit is not Limit.EVALUATIONS or spent >= budget.evaluations:
                return replace(found, evaluations=spent)
        first, rest = (steps, ()) if prepared.costs_differ and most == FIRST else ((), steps)
        turns = (*first, costs[0], *wide, *rest, *costs[1:])
        most *= MORE


def _take_turn(
    turn: SearchTurn, search: str, weight: int, bound: int, budget: Budget, marks: Landmarks | None
) -> SearchResult:
    if turn.wide:
        assert marks is not None
        return turn.led.widen(bound, budget, marks)
    return turn.led.search(search, "ff", weight, bound, budget, marks, turn.novel, turn.ahead)


def _landmarks(prepared: Prepared) -> Landmarks:
    return _with_orders(prepared, find_landmarks(prepared.initial, prepared.guide, prepared.thorough))


def disjunctions(prepared: Prepared) -> Landmarks:
    """Landmarks that may be disjunctions, with reasonable orders.

    Args:
        prepared: The task.
    """
    from chorewright.planner.search.heuristics.disjunctive_landmarks import with_disjunctions

    found = find_landmarks(prepared.initial, prepared.guide, prepared.thorough)
    return _with_orders(prepared, with_disjunctions(prepared.initial, prepared.task, prepared.guide, found))


def _with_orders(prepared: Prepared, found: Landmarks) -> Landmarks:
    from chorewright.planner.search.heuristics.disjunctive_landmarks import with_reasonable_orders

    return with_reasonable_orders(prepared.task, prepared.guide, found)


def _marks(prepared: Prepared, queues: str) -> Landmarks | None:
    if queues == "ff":
        return None
    if queues == "goal-count":
        return goals_only(prepared.guide)
    return find_landmarks(prepared.initial, prepared.guide, prepared.thorough)


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

TIMES = 3.0
"""How many times the first plan's work usually goes into cheaper ones."""

MOST_TIMES = 1_000_000

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
    and has preferred operators and the further ``queues`` of ``QUEUES``; ``ehc``, enforced
    hill-climbing, which goes over to greedy where it is stuck; ``lazy`` and ``wastar``, lazy and eager A*
    with a ``weight``; ``astar``; and ``anytime``, which goes on improving until a limit is met or the plan is
    proven optimal. ``improve`` is how many evaluations may go into making the plan of any search but
    ``astar`` cheaper (0: none). ``rungs`` are the evaluation budgets of the tight rungs; () goes to the full
    task at once. With ``rivals``, other searches look for plans too where the first one may be dear. ``times`` bounds
    improvement in all, by so many times the work that the first plan took. ``at_once`` goes without tight rungs where
    the full task turns out to be small, tries the full one early where it is not large, and finds landmarks of larger
    tasks.
    """

    search: str = "greedy"
    heuristic: str = "ff"
    weight: int = 1
    improve: int = 4000
    rungs: tuple[int, ...] = (65_000, 65_000)
    queues: str = "turns"
    rivals: bool = False
    times: float | None = None
    at_once: bool = False

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
        if self.times is not None and not 0 < self.times <= MOST_TIMES:
            raise UsageError(f"the improvement limit must be positive, at most {MOST_TIMES:,}, but is {self.times:g}")

    @staticmethod
    def usual(
        search: str = "greedy",
        heuristic: str | None = None,
        weight: int | None = None,
        improve: int | None = None,
        queues: str = "turns",
        times: float | None = None,
    ) -> Configuration:
        """The configuration of a search, with what is usual for it where nothing is given.

        Raises:
            UsageError: the parts do not go together.
        """
        heuristic = heuristic or ("max" if search == "astar" else "ff")
        usual_times = TIMES if improve is None and search not in ("astar", "anytime") else None
        improve = improve if improve is not None else 0 if search == "astar" else DEFAULT.improve
        return Configuration(
            search,
            heuristic,
            weight if weight is not None else USUAL_WEIGHT if search in WEIGHTED else 1,
            improve,
            queues=queues,
            rivals=(search, heuristic, queues) in RIVALLED and improve > 0,
            times=usual_times if times is None else times,
            at_once=True,
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
        if self.times is not None and self.improving:
            parts.append(f"{self.times:g}x")
        return "-".join(parts)


DEFAULT = Configuration()
"""What datasets are planned with."""

THOROUGH = Configuration.usual()
"""What ``chorewright plan`` plans with."""

OPTIMAL = Configuration(search="astar", heuristic="max", improve=0, rungs=())
