"""The problems that planners are measured on: six sets.

No planner takes part in making them: a room is scattered for a goal, and whatever comes of it is the problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks import handmethat_like
from benchmarks.classical.generators import classical_problems
from benchmarks.corpora.planning_tasks import competition_problems, competition_task
from benchmarks.corpora.reference import reference
from chorewright.domains.formulas import Universe, holds
from chorewright.domains.library import find_template, household_domain, household_vocabulary
from chorewright.domains.pddl import parse_domain, parse_problem
from chorewright.domains.pddl.syntax import Domain, Formula, Problem
from chorewright.domains.templates.goal_templates import GoalTemplate, instantiate
from chorewright.domains.templates.parser import parse_template
from chorewright.generator.alfred.benchmark import AlfredBenchmark
from chorewright.generator.alfred.options import settings
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.household.possibilities import possible_choices, room_facts
from chorewright.generator.household.spawning import appliances, elsewhere, spawn_request
from chorewright.problems.household.kinds import shipped_kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import load_room, room_names
from chorewright.problems.household.spawn import NoRoom, SpawnRequest, spawn

SETS = ("planner/a", "handmethat-like", "alfred", "teach-like", "ipc", "classical")
HOUSEHOLD = SETS[:-2]
SEED = 7
HANDMETHAT_LIKE = 21
"""Problems of the set ``handmethat-like``."""
TEACH_LIKE = Path(__file__).parent / "teach_like"


@dataclass(frozen=True, slots=True)
class Given:
    """A problem of a set."""

    group: str
    name: str
    domain: Domain
    problem: Problem


def given(sets: Sequence[str], size: int = 12, each: int = 3) -> Iterator[Given]:
    """The problems of the sets, in order.

    Args:
        sets: which, of ``SETS``.
        size: how many of ``alfred``, and at most of ``teach-like`` (one for each of its tasks).
        each: how many of each competition domain.
    """
    if "planner/a" in sets:
        yield from handmethat()
    if "handmethat-like" in sets:
        for name, domain, problem in handmethat_like.problems(HANDMETHAT_LIKE, SEED):
            yield Given("handmethat-like", name, domain, problem)
    if "alfred" in sets:
        yield from alfred(size)
    if "teach-like" in sets:
        yield from teach_like(size)
    if "ipc" in sets:
        counts: dict[str, int] = {}
        for domain_name, file in competition_problems():
            counts[domain_name] = counts.get(domain_name, 0) + 1
            if counts[domain_name] <= each:
                yield Given("ipc", f"{domain_name}/{Path(file).stem}", *competition_task(domain_name, file))
    if "classical" in sets:
        for name, domain, problem in classical_problems(SEED):
            yield Given("classical", name, domain, problem)


def handmethat() -> Iterator[Given]:
    """HandMeThat-like problems of the reference data: 16 places, 207 to 231 things."""
    folder = reference("planner/a")
    domain = parse_domain((folder / "domain.pddl").read_text())
    for path in sorted(folder.glob("p*.pddl")):
        yield Given("planner/a", path.stem, domain, parse_problem(path.read_text(), domain))


def alfred(count: int) -> Iterator[Given]:
    """Tuples that our ALFRED benchmark would demonstrate, each in its room, scattered as it does."""
    benchmark = AlfredBenchmark()
    copies = settings().demonstrations
    config = GenerateConfig("alfred", count * copies, SEED)
    vocabulary = household_vocabulary()
    for one in benchmark.assign(config, count * copies)[::copies]:
        goal = instantiate(find_template(one.task), one.parameters, vocabulary).goal
        name = f"{one.index // copies:02}-{one.task.split('/')[-1]}-{one.scene}"
        yield Given("alfred", name, household_domain(), scattered(one.scene, goal, one.index))


def teach_like(count: int) -> Iterator[Given]:
    """Longer goals over the same domain, as TEACh's tasks are: one problem for each file of the folder."""
    for number, path in enumerate(sorted(TEACH_LIKE.glob("*.task"))[:count]):
        template = parse_template(path.read_text(), household_domain(), household_vocabulary(), path=str(path.name))
        rooms = suited_rooms(template)
        scene = rooms[int(_random(number).integers(len(rooms)))]
        problem = scattered(scene, template.goal, number, dirty=True)
        yield Given("teach-like", f"{path.stem}-{scene}", household_domain(), problem)


def suited_rooms(template: GoalTemplate) -> list[str]:
    """The rooms that have the things for a template without slots."""
    facts = [room_facts(name, shipped_kinds()) for name in room_names()]
    banned = appliances(template.goal, elsewhere(), shipped_kinds())
    choices = possible_choices(template.name, template, shipped_kinds(), facts, banned)
    return list(dict.fromkeys(scene for choice in choices for scene in choice.scenes))


def scattered(scene: str, goal: Formula, number: int, *, dirty: bool = False) -> Problem:
    """The problem of a goal in a room, by the first seed with room for all things and the goal still open."""
    room = load_room(scene)
    request = spawn_request(room, goal, elsewhere())
    if dirty:
        request = replace(request, dirty_and_empty=True)
    for turn in range(100):
        problem = _problem(scene, goal, request, number, turn)
        if problem is not None:
            return problem
    raise AssertionError(f"nothing to do in {scene}")


def _problem(scene: str, goal: Formula, request: SpawnRequest, number: int, turn: int) -> Problem | None:
    try:
        now = spawn(load_room(scene), _random(number, turn), request)
    except NoRoom:
        return None
    problem = household_problem(now, goal).problem
    begun = holds(goal, frozenset(problem.init), Universe.of(household_domain(), problem))
    return None if begun else problem


def _random(*numbers: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((SEED, *numbers))))


__all__ = ["HOUSEHOLD", "SETS", "Given", "alfred", "given", "handmethat", "scattered", "teach_like"]
