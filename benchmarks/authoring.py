"""Forty authored tasks: whether they can be solved, and what their episodes are like.

    python -m benchmarks.authoring [--episodes N] [--rooms K] [--workers W] [--rows FILE] [--portion P]
                                    [--save] [--json FILE]

The templates are those of ``tests/corpus/authoring``; nobody's benchmark has them. ``expected.json`` there says which
cannot be solved and why, and what the sentences of the others take for granted of the start.

- Rooms: each template in K rooms that suit it, 8 attempts in each at most, as ``check-task`` makes them.
- Episodes: N of all templates together, as ``generate`` makes them, one of each filling and room.
- A sentence is false of its episode if what ``expected.json`` says of its template does not hold at the start, if a
  quantifier of the goal ranges over nothing there, or if a condition of the goal does not hold at the end.
- Handled too often: an item is picked up more often than the goal needs plus one. The goal needs one, and one more for
  each treatment that it asks for (two for boiling).
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.command import ROOT, benchmark_parser, keep
from benchmarks.results import Figure, Report, Table, Target, table
from chorewright.domains.formulas import Universe, derive, holds
from chorewright.domains.library import household_domain, household_vocabulary
from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.templates.goal_templates import GoalTemplate, instantiate
from chorewright.domains.templates.parser import parse_template
from chorewright.errors import UsageError
from chorewright.generator.dataset.config import Assignment, GenerateConfig
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.household.handling import count_pick_ups, oddities_of
from chorewright.generator.household.remarks import vacuous
from chorewright.generator.household.spawning import room_of
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.generator.production.trying import attempts_of
from chorewright.problems.household.problem import household_problem

FOLDER = ROOT / "tests" / "corpus" / "authoring"
ATTEMPTS = 8
ANNOTATORS = 3
ABORTED = "aborted: "


@dataclass(frozen=True, slots=True)
class Row:
    """What came of an episode.

    Attributes:
        index: Its number.
        task: Its template.
        reason: Why it is rejected; empty if it is accepted.
        attempts: How many were made.
        handled: Whether an item is picked up more often than needed plus one.
        odd: What else is odd about its plan: kinds of oddities.
        false: What its sentences take for granted and is not so.
        held: How many parts of its goal hold at the start.
        goals: What the annotators say of the goal.
        actions: The number of actions of the plan.
    """

    index: int
    task: str
    reason: str
    attempts: int
    handled: bool = False
    odd: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    held: int = 0
    goals: tuple[str, ...] = ()
    actions: int = 0


@dataclass(frozen=True, slots=True)
class Rooms:
    """What came of a template in rooms.

    Attributes:
        task: The template.
        asked: How many rooms were asked for.
        solved: In how many an attempt was accepted.
        tried: In how many there were attempts.
        told: Why attempts were rejected; if all were, what check-task remarks.
    """

    task: str
    asked: int
    solved: int
    tried: int
    told: tuple[str, ...]


@lru_cache(maxsize=1)
def expected() -> Mapping[str, Mapping[str, str]]:
    """Return what each template must give, and what its sentences take for granted."""
    found: Mapping[str, Mapping[str, str]] = json.loads((FOLDER / "expected.json").read_text("utf-8"))
    return found


def names() -> list[str]:
    """Return the templates' names."""
    return sorted(path.stem for path in FOLDER.glob("*.task"))


@lru_cache(maxsize=1)
def configuration() -> GenerateConfig:
    """Return the configuration of one dataset of all templates."""
    files = tuple((f"{name}.task", (FOLDER / f"{name}.task").read_text("utf-8")) for name in names())
    return GenerateConfig("alfred", 1, 0, task_files=files, options=(("demonstrations", 1),))


def row_of(assignment: Assignment) -> Row:
    """Make an episode and look at it."""
    try:
        made = BENCHMARKS.find("alfred").episode(assignment.index, configuration(), assignment)
    except Exception as error:  # what ends a run of generate is what is counted here
        return Row(assignment.index, assignment.task, f"{ABORTED}{type(error).__name__}: {error}", 0)
    if not made.outcome.accepted:
        return Row(assignment.index, made.task, made.outcome.reason, made.attempts)
    domain, goal = household_domain(), filled_goal(made)
    problem = household_problem(room_of(made), goal).problem
    counts = Counter(action.arguments[0] for action in made.plan if action.name == "pick-up")
    told = list(vacuous(goal, domain, problem))
    false = [each for each in told if each.startswith("speaks of nothing")]
    false += untrue(made)
    if not all(met for _, met in made.outcome.conditions):
        false.append("the goal does not hold at the end")
    return Row(
        assignment.index,
        made.task,
        "",
        made.attempts,
        max(counts.values(), default=0) > count_pick_ups(goal) + 1,
        tuple(sorted({each.what for each in oddities_of(made.plan, problem)})),
        tuple(false),
        len(told) - sum(each.startswith("speaks of nothing") for each in told),
        tuple(each.text for each in made.instructions if each.level == "goal"),
        len(made.plan),
    )


def filled_goal(made: Episode) -> Formula:
    """Return the filled goal of an episode."""
    return instantiate(template(made.task), made.parameters, household_vocabulary()).goal


@lru_cache(maxsize=64)
def template(name: str) -> GoalTemplate:
    """Return a template of the folder."""
    text = (FOLDER / f"{name}.task").read_text("utf-8")
    return parse_template(text, household_domain(), household_vocabulary())


def untrue(made: Episode) -> Iterator[str]:
    """Yield what the template's sentences take for granted, by ``expected.json``, and the start does not hold."""
    presumed = expected()["presumes"].get(made.task)
    if presumed is None:
        return
    for slot, value in made.parameters:
        kind = household_vocabulary().kinds.get(value)
        presumed = presumed.replace(f"?{slot}", value if kind is None else kind.pddl_type)
    text = f'(define (task presumed) (:domain household) (:goal {presumed}) (:say "So."))'
    formula = parse_template(text, household_domain(), household_vocabulary()).goal
    problem = household_problem(room_of(made), formula).problem
    universe = Universe.of(household_domain(), problem)
    if not holds(formula, derive(household_domain(), frozenset(problem.init), universe), universe):
        yield f"does not hold at the start: {presumed}"


def rooms_of(task: tuple[str, int]) -> Rooms:
    """Try a template in so many rooms."""
    name, rooms = task
    try:
        trials = attempts_of(str(FOLDER / f"{name}.task"), rooms, 0, {}, attempts=ATTEMPTS)
    except UsageError as error:
        return Rooms(name, rooms, 0, 0, (error.message,))
    report = trials.run()
    told = report.reasons if report.solved else report.remarks
    return Rooms(name, rooms, report.solved, len(report.trials), tuple(text for text, _ in told))


def figures(rooms: Sequence[Rooms], rows: Sequence[Row]) -> tuple[Figure, ...]:
    """Return the key figures."""
    fails = expected()["fails"]
    good = sum(each.solved >= 0.95 * each.tried > 0 for each in rooms if each.task not in fails)
    right = sum(not each.solved and fails[each.task] in each.told for each in rooms if each.task in fails)
    accepted = [row for row in rows if not row.reason]
    could = [row for row in rows if row.task not in fails]
    wordings: dict[str, set[str]] = {}
    for row in accepted:
        wordings.setdefault(row.task, set()).update(row.goals)
    repeated = sum(len(set(row.goals)) < ANNOTATORS for row in accepted)
    return (
        Figure("solvable", "templates solved in at least 95 % of the rooms tried", good, target=Target("at least", 36)),
        Figure("right_reason", "templates that must fail, and do so with the right reason", right, of=len(fails)),
        Figure("accepted", "episodes accepted, of templates that can be solved",
               sum(not row.reason for row in could), of=len(could), digits=1),
        Figure("aborted", "episodes that ended the run", sum(row.reason.startswith(ABORTED) for row in rows),
               target=Target("at most", 0)),
        Figure("false", "episodes with a sentence that is false of them", sum(bool(row.false) for row in accepted),
               target=Target("at most", 0)),
        Figure("held", "episodes in which a part of the goal holds at the start",
               sum(row.held > 0 for row in accepted), of=len(accepted), digits=1),
        Figure("wordings", "distinct goal wordings of the template that has fewest",
               min(map(len, wordings.values())), target=Target("at least", 3)),
        Figure("repeated", "episodes in which an annotator repeats another's goal", repeated,
               target=Target("at most", 0)),
        Figure("handled", "episodes in which nothing is picked up more often than the goal needs, plus one",
               sum(not row.handled for row in accepted), of=len(accepted), digits=2, target=Target("at least", 99.0)),
        Figure("not_odd", "episodes whose plan has no oddity that check-task tells",
               sum(not row.odd for row in accepted), of=len(accepted), digits=1),
        Figure("actions", "actions of a plan, on average",
               sum(row.actions for row in accepted) / max(1, len(accepted)), digits=2),
    )  # fmt: skip


def main() -> None:
    """Run the benchmark."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=1000, metavar="N", help="how many episodes")
    parser.add_argument("--rooms", type=int, default=20, metavar="K", help="rooms for each template")
    parser.add_argument("--workers", type=int, default=2, metavar="W", help="processes")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="figures of single episodes, to go on from")
    parser.add_argument("--portion", type=int, metavar="P", help="make P more episodes for --rows, and end")
    arguments = parser.parse_args()
    rows, rooms = read_rows(arguments.rows)
    assigned = BENCHMARKS.find("alfred").assign(configuration(), arguments.episodes)
    tasks = [(name, arguments.rooms) for name in names()]
    left = [each for each in assigned if each.index not in rows][: arguments.portion]
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for row in pool.imap_unordered(row_of, left, chunksize=5):
            rows[row.index] = row
            add_row(arguments.rows, row)
        if arguments.portion is not None:
            return
        for one in pool.imap_unordered(rooms_of, [each for each in tasks if each not in rooms]):
            rooms[one.task, one.asked] = one
            add_row(arguments.rows, one)
    report = report_of([rooms[each] for each in tasks], [rows[each.index] for each in assigned], arguments.rooms)
    console = Console()
    for figure in report.figures:
        console.print(f"{figure.label}: {figure.text}", highlight=False)
    for one in (rooms[each] for each in tasks):
        console.print(
            f"{one.task}: {one.solved} of {one.tried}{'' if one.solved >= 0.95 * one.tried else one.told[:3]}"
        )
    for row in rows.values():
        if row.false or row.handled or row.reason.startswith(ABORTED):
            console.print(row)
    keep(arguments, report)


def report_of(rooms: Sequence[Rooms], rows: Sequence[Row], count: int) -> Report:
    """Return what there is to say of a run."""
    explanation = (
        f"{len(rows):,} episodes of the templates in tests/corpus/authoring, and each template in {count} rooms: "
        "whether they are solved, what they say is true, and things are handled as a person would."
    )
    title = "Forty authored tasks"
    return Report(
        "authoring", "Rooms and pictures", title, explanation, figures(rooms, rows), (by_template(rooms, rows),)
    )


def by_template(rooms: Sequence[Rooms], rows: Sequence[Row]) -> Table:
    """Return the table of the templates."""
    lines = []
    for one in rooms:
        own = [row for row in rows if row.task == one.task]
        accepted = [row for row in own if not row.reason]
        goals = {goal for row in accepted for goal in row.goals}
        average = f"{sum(row.actions for row in accepted) / len(accepted):.1f}" if accepted else "-"
        cells = (f"{one.solved} of {one.tried}", f"{len(accepted)} of {len(own)}", average, str(len(goals)))
        lines.append((one.task, *cells))
    return table(("task", "rooms solved", "episodes accepted", "actions", "goal wordings"), lines, "By template")


def add_row(path: Path | None, row: Row | Rooms) -> None:
    """Append what was found out to a file, if there is one."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")


def read_rows(path: Path | None) -> tuple[dict[int, Row], dict[tuple[str, int], Rooms]]:
    """Return what an interrupted run has found out."""
    rows: dict[int, Row] = {}
    rooms: dict[tuple[str, int], Rooms] = {}
    for line in path.read_text("utf-8").splitlines() if path is not None and path.exists() else ():
        raw: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(line).items()
        }
        if "index" in raw:
            rows[raw["index"]] = Row(**raw)
        else:
            rooms[raw["task"], raw["asked"]] = Rooms(**raw)
    return rows, rooms


if __name__ == "__main__":
    main()
