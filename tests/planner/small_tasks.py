"""Small tasks by name, for proofs: classic, unusual and random domains, competition problems, rooms cut.

A name is ``<family>-<number>``; the same name is the same task on every machine. ``python -m
tests.planner.small_tasks`` writes the golden file of their optimal costs anew, as Fast Downward finds them
(``astar(lmcut())``; ``astar(blind())`` where it refuses conditional effects or axioms under LM-cut).
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.corpora.planning_tasks import competition_task, cut
from benchmarks.corpora.reference import sample
from chorewright.domains.library import household_domain
from chorewright.domains.pddl import (
    load_domain,
    load_problem,
    parse_formula,
    parse_problem,
    write_domain,
    write_problem,
)
from chorewright.domains.pddl.syntax import Domain, GroundAtom, Problem
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room
from tests.command import ROOT
from tests.planner.carrying import GOALS as CARRYING
from tests.planner.carrying import carrying_task
from tests.planner.classic import CLASSIC, Generator, pick, shuffled
from tests.planner.fast_downward import Refused, optimal_cost_of_peer
from tests.planner.tables import random_strips
from tests.planner.unusual import ADL, STRIPS

CORPUS = ROOT / "tests" / "corpus"
GOLDEN = CORPUS / "optimal_costs.json"
GENERATORS: dict[str, Generator] = {**CLASSIC, **STRIPS, **ADL}

HOUSEHOLD = (
    ("(exists (?x - apple ?r - countertop) (and (in ?x ?r) (hot ?x)))", "apple microwave countertop"),
    ("(exists (?x - mug ?r - cabinet) (and (in ?x ?r) (not (dirty ?x))))", "mug cabinet"),
    ("(exists (?x - tomato ?r - sinkbasin) (and (in ?x ?r) (cool ?x)))", "tomato fridge sinkbasin"),
    ("(exists (?m - mug) (and (coffee ?m) (filled ?m)))", "mug coffeemachine"),
    ("(exists (?x - lettuce) (cleaned ?x))", "lettuce sinkbasin faucet"),
    ("(exists (?x - pan ?y - fork) (and (in ?y ?x) (not (holding ?x))))", "pan fork stoveburner"),
    ("(exists (?x - bread) (sliced ?x))", "bread knife countertop"),
    ("(exists (?x ?y - potato ?r - fridge) (or (in ?x ?r) (boiled ?y)))", "potato fridge pot"),
    ("(forall (?x - egg) (exists (?r - bowl) (in ?x ?r)))", "egg bowl countertop"),
    ("(and (forall (?x - cabinet) (not (is-open ?x))) (exists (?x - spoon) (holding ?x)))", "spoon cabinet"),
)
"""A goal, and the kinds of which the first three objects are kept."""

ROOMS = ("FloorPlan1", "FloorPlan4", "FloorPlan13", "FloorPlan28")

COMPETITION = {
    "blocks": "probBLOCKS-4-1 probBLOCKS-4-2 probBLOCKS-5-2",
    "gripper": "prob01 prob02",
    "miconic-simpleadl": "s1-0 s1-1 s1-2",
    "miconic-fulladl": "f1-0 f1-1 f1-2",
    "visitall-opt11-strips": "problem02-full problem02-half problem03-half",
    "tpp": "p01 p02 p03",
    "zenotravel": "p01 p02",
    "depot": "p01",
    "rovers": "p01 p02",
    "trucks": "p01",
    "transport-opt08-strips": "p01",
    "schedule": "probschedule-2-0 probschedule-2-1",
    "openstacks-opt08-adl": "p01",
    "satellite": "p01-pfile1",
    "psr-middle": "p01-s17-n2-l2-f30",
    "airport-adl": "p01-airport1-p1",
    "logistics00": "probLOGISTICS-4-0",
}
"""The smallest competition problems."""

NAMES = (
    *(f"{family}-{number}" for family in (*CLASSIC, *STRIPS) for number in range(14)),
    *(f"{family}-{number}" for family in ADL for number in range(8)),
    *(f"bits-{number}" for number in range(120)),
    *(f"carrying-{number}" for number in range(len(CARRYING))),
    *(f"handmethat-{number}" for number in range(60)),
    *(f"household-{number}" for number in range(len(HOUSEHOLD) * len(ROOMS))),
    *(f"{domain}/{file}" for domain, files in COMPETITION.items() for file in files.split()),
)


@lru_cache(maxsize=64)
def corpus_domain(name: str) -> Domain:
    """A domain of the corpus."""
    return load_domain(CORPUS / "planning" / f"{name}.pddl")


def small_task(name: str) -> tuple[Domain, Problem]:
    """The task of a name; skips the running test if it needs reference data that is not here."""
    if "/" in name:
        domain_name, file = name.split("/")
        return competition_task(domain_name, f"{file}.pddl")
    family, _, number = name.rpartition("-")
    if family == "bits":
        return random_strips(int(number))
    if family == "carrying":
        return carrying_task(30, int(number))
    if family == "handmethat":
        return handmethat(int(number))
    if family == "household":
        return household(int(number))
    domain = corpus_domain(family)
    return domain, parse_problem(GENERATORS[family](np.random.default_rng(int(number))), domain)


def household(number: int) -> tuple[Domain, Problem]:
    """A room as it stands, cut to what one goal is about."""
    text, kinds = HOUSEHOLD[number % len(HOUSEHOLD)]
    domain = household_domain()
    scene = load_room(ROOMS[number // len(HOUSEHOLD)])
    problem = household_problem(scene, parse_formula(text, domain)).problem
    keep: dict[str, None] = {}
    for kind in kinds.split():
        keep.update(dict.fromkeys([x.name for x in problem.objects if x.types == (kind,)][:3]))
    for atom in problem.init:
        if (atom[0] == "in" and atom[1] in keep) or (atom[0] == "controls" and {*atom[1:]} & {*keep}):
            keep.update(dict.fromkeys(atom[1:]))
    near = {name: [atom[2] for atom in problem.init if atom[:2] == ("near", name)][:2] for name in keep}
    start = next(atom[1] for atom in problem.init if atom[0] == "at")
    return domain, cut(problem, {*keep, *(pose for poses in near.values() for pose in poses), start})


@lru_cache(maxsize=8)
def _large(place: int) -> tuple[Domain, Problem]:
    folder = sample("planner/a")
    domain = load_domain(folder / "domain.pddl")
    return domain, load_problem(sorted(folder.glob("p*.pddl"))[place], domain)


def handmethat(number: int) -> tuple[Domain, Problem]:
    """A large room cut to five places and what stands in three of them, with a goal over two things."""
    domain, problem = _large(number % 6)
    rng = np.random.default_rng(number)
    kinds = {thing.name: thing.types[0] for thing in problem.objects}
    facts = frozenset(problem.init)
    places = shuffled(rng, [name for name, kind in kinds.items() if kind == "location"])[:5]
    lies = [atom for atom in problem.init if atom[0] in ("inside", "ontop")]
    things = shuffled(rng, [atom[1] for atom in lies if atom[2] in places[:3]])[:8]
    agent = next(name for name, kind in kinds.items() if kind == "agent")
    start = next(atom[2] for atom in problem.init if atom[0] == "at")
    goals = [_wish(rng, thing, places, facts) for thing in things[: int(rng.integers(1, 3))]]
    goal = parse_formula(f"(and {' '.join(goals)})", domain, problem.objects)
    smaller = cut(replace(problem, goal=goal), {*places, *things, agent, start})
    return domain, smaller


def _wish(rng: np.random.Generator, thing: str, places: list[str], facts: frozenset[GroundAtom]) -> str:
    """Something to ask of a thing: to be somewhere, or a state that it can come to."""
    states = {"sliceable": "sliced", "cookable": "cooked", "freezable": "frozen", "soakable": "soaked"}
    able = [state for ability, state in states.items() if (ability, thing) in facts]
    if able and rng.random() < 0.3:
        return f"({pick(rng, able)} {thing})"
    sides = [f"({'inside' if has == 'has-inside' else 'ontop'} {thing} {place})"
             for place in places for has in ("has-inside", "has-ontop") if (has, place) in facts]  # fmt: skip
    return pick(rng, sides) if sides else f"(forall (?a - agent) (holding ?a {thing}))"


@dataclass(frozen=True, slots=True)
class Golden:
    """Fast Downward's optimal cost (None: no plan) of a task with this digest, by this search.

    ``search`` is empty where Fast Downward does not read the task.
    """

    digest: str
    cost: float | None
    search: str


def digest(domain: Domain, problem: Problem) -> str:
    """Of a task's text."""
    text = write_domain(domain, expand_at_least=True) + write_problem(problem, expand_at_least=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@lru_cache(maxsize=1)
def golden() -> dict[str, Golden]:
    """The golden file."""
    return {name: Golden(**entry) for name, entry in json.loads(GOLDEN.read_text()).items()}


def measured(name: str, folder: Path) -> Golden:
    """What Fast Downward finds."""
    domain, problem = small_task(name)
    try:
        cost, search = optimal_cost_of_peer(domain, problem, folder)
    except Refused:
        cost, search = None, ""
    return Golden(digest(domain, problem), cost, search)


def main() -> None:
    """Write the golden file."""
    entries: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            entries[name] = asdict(measured(name, Path(folder)))
            print(name, entries[name], file=sys.stderr, flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    GOLDEN.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
