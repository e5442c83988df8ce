"""A planning problem with its plan and a sentence, what all questions are made of; and its goal as literals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from chorewright.domains.evaluation import holds, satisfying
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl import syntax
from chorewright.domains.pddl.parser import load_domain, load_problem
from chorewright.domains.rewriting import substitute
from chorewright.errors import InputError, InputErrors, Location, UsageError
from chorewright.files.json_source import load_json
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.production.benchmark import BENCHMARKS
from chorewright.planner.plan import GroundAction, Limits, Plan
from chorewright.planner.planning import solve
from chorewright.planner.progression import states_along
from chorewright.planner.validation import PlanWorld, validate
from chorewright.rsa.words.verbaliser import Verbaliser

EVALUATIONS = 50_000


@dataclass(frozen=True, slots=True)
class EaiTask:
    """A task.

    Attributes:
        name: What it is called; part of its questions' identifiers.
        domain: The domain.
        problem: The problem.
        plan: A valid plan.
        sentence: What to do, in words.
    """

    name: str
    domain: syntax.Domain
    problem: syntax.Problem
    plan: tuple[GroundAction, ...]
    sentence: str


def task_of(episode: Episode) -> EaiTask | None:
    """Return the task of an accepted episode; None if no valid plan of its problem is known.

    The plan is the episode's where the problem takes it, else the planner's.

    Raises:
        MissingPlugin: The benchmark is not installed.
        InputError: The benchmark's episodes hold no planning problem.
    """
    domain, problem = BENCHMARKS.find(episode.benchmark).planning_task(episode)
    name = re.sub(r"[^A-Za-z0-9_]+", "_", f"{episode.task.rpartition('/')[2]}_{episode.index}")
    said = next((each.text for each in episode.instructions if each.level in ("goal", "utterance")), None)
    return make_task(name, domain, problem, episode.plan, said)


def make_task(
    name: str,
    domain: syntax.Domain,
    problem: syntax.Problem,
    plan: tuple[GroundAction, ...] = (),
    sentence: str | None = None,
) -> EaiTask | None:
    """Return the task of a problem; None if there is no plan.

    Args:
        name: What it is called.
        domain: The domain.
        problem: The problem.
        plan: A plan; if it is not valid, the planner's is taken.
        sentence: What to do; by default the goal in words.
    """
    if not plan or not validate(domain, problem, plan).valid:
        found = solve(domain, problem, Limits(evaluations=EVALUATIONS))
        if not isinstance(found, Plan) or not found.actions:
            return None
        plan = found.actions
    said = sentence or Verbaliser.of(domain, problem.objects).goal(problem.goal)
    return EaiTask(name, domain, replace(problem, name=name.lower().replace("_", "-")), plan, said)


# The interface's own files: ``NAME.pddl``, ``problem_pddl/**/*.pddl`` and ``gold_pddl_plan.json``.
#
# The files of ``eai-eval`` are read as they are, and written alike. Their plans spell some names with underscores where
# the domain has dashes.


PROBLEMS, PLANS, SENTENCES = "problem_pddl", "gold_pddl_plan.json", "sentences.json"
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class EaiFolder:
    """The tasks of a folder, and the problems that are left out with the reason of each."""

    tasks: tuple[EaiTask, ...]
    left_out: tuple[tuple[str, str], ...]


def read_folder(folder: Path) -> EaiFolder:
    """Read a folder of the interface's files.

    A problem that breaks its own domain, or that has no plan, is left out and named.

    Raises:
        UsageError: It is no such folder.
        InputError: The plans or sentences cannot be read.
        InputErrors: The domain has errors.
    """
    problems = sorted((folder / PROBLEMS).rglob("*.pddl"))
    if not problems:
        hint = "export --format eai makes such a folder, eai-eval has two"
        raise UsageError(f"{folder} has no {PROBLEMS} with problems", hint=hint)
    domain = load_domain(_domain_file(folder))
    plans, sentences = _object(folder / PLANS), _object(folder / SENTENCES)
    tasks, left_out = [], []
    for path in problems:
        try:
            problem = load_problem(path, domain)
        except InputErrors as error:
            left_out.append((path.stem, str(error).splitlines()[0]))
            continue
        plan = _plan(plans.get(path.stem, []), domain, folder / PLANS, path.stem)
        said = sentences.get(path.stem)
        task = make_task(path.stem, domain, problem, plan, said if isinstance(said, str) else None)
        if task is None:
            left_out.append((path.stem, "the planner finds no plan, or nothing is to be done"))
        else:
            tasks.append(task)
    return EaiFolder(tuple(tasks), tuple(left_out))


def _domain_file(folder: Path) -> Path:
    found = sorted(each for each in folder.glob("*.pddl") if not each.stem.endswith("_pd"))
    if len(found) != 1:
        names = ", ".join(each.name for each in found) or "none"
        raise UsageError(f"{folder} must hold one domain, but holds {names}")
    return found[0]


def _object(path: Path) -> Mapping[str, object]:
    if not path.exists():
        return {}
    value = load_json(path, MOST_BYTES).value
    if not isinstance(value, dict):
        raise InputError("an object with a value for each problem is expected", location=Location(str(path)))
    return value


def _plan(lines: object, domain: syntax.Domain, path: Path, name: str) -> tuple[GroundAction, ...]:
    if not isinstance(lines, list) or not all(isinstance(each, str) and each.split() for each in lines):
        raise InputError(
            "a plan is a list of texts like 'open cabinet_1'", location=Location(str(path), json_path=f"$.{name}")
        )
    spelling = {each.name.replace("-", "_"): each.name for each in domain.actions}
    actions = [line.lower().split() for line in lines]
    return tuple(
        GroundAction(spelling.get(name.replace("-", "_"), name), tuple(arguments)) for name, *arguments in actions
    )


# Goals as literals: which ground literals make a goal true in a state.


@dataclass(frozen=True, slots=True, order=True)
class GoalLiteral:
    """A ground atom, with whether it holds."""

    atom: syntax.GroundAtom
    positive: bool = True

    def __str__(self) -> str:
        text = f"{self.atom[0]}({', '.join(self.atom[1:])})"
        return text if self.positive else f"not {text}"


def goal_literals(task: EaiTask) -> tuple[GoalLiteral, ...]:
    """Return the literals that make a task's goal true where its plan ends, sorted."""
    world = PlanWorld.of(task.domain, task.problem)
    return ground(task.problem.goal, states(task)[-1], world.universe)


def states(task: EaiTask) -> tuple[syntax.State, ...]:
    """Return the states before, between and after the actions of a task's plan, derived atoms included."""
    return states_along(task.domain, task.problem, task.plan)


def ground(goal: syntax.Formula, state: syntax.State, universe: Universe) -> tuple[GoalLiteral, ...]:
    """Return ground literals that hold in a state and make a goal true there, few of them, sorted.

    Args:
        goal: A goal that holds.
        state: The state, derived atoms included.
        universe: The objects.
    """
    return tuple(sorted(_literals(goal, True, Facts(state), universe)))


def _literals(formula: syntax.Formula, positive: bool, facts: Facts, universe: Universe) -> frozenset[GoalLiteral]:
    """The literals that make a formula true, or false."""
    match formula:
        case syntax.Atom(predicate, terms):
            return frozenset([GoalLiteral((predicate, *terms), positive)])
        case syntax.Equals() | syntax.Comparison():
            return frozenset()
        case syntax.Not(operand):
            return _literals(operand, not positive, facts, universe)
        case syntax.Imply(antecedent, consequent):
            return _literals(syntax.Or((syntax.Not(antecedent), consequent)), positive, facts, universe)
        case syntax.And(operands) | syntax.Or(operands):
            if isinstance(formula, syntax.And) == positive:
                return frozenset[GoalLiteral]().union(
                    *(_literals(each, positive, facts, universe) for each in operands)
                )
            true = [each for each in operands if holds(each, facts, universe) == positive]
            ways = [_literals(each, positive, facts, universe) for each in true]
            return min(ways, key=lambda each: (len(each), sorted(each)))
        case syntax.Exists(variables, body) | syntax.Forall(variables, body):
            if isinstance(formula, syntax.Exists) == positive:
                asked = syntax.Exists(variables, body if positive else syntax.Not(body))
                binding = next(satisfying(asked, facts, universe))
                return _literals(substitute(body, binding), positive, facts, universe)
            every = satisfying(syntax.Exists(variables, syntax.And(())), facts, universe)
            parts = [_literals(substitute(body, dict(each)), positive, facts, universe) for each in every]
            return frozenset[GoalLiteral]().union(*parts)
        case syntax.AtLeast(count, variables, body):
            if positive:
                found = islice(satisfying(syntax.Exists(variables, body), facts, universe), count)
                parts = [_literals(substitute(body, dict(each)), True, facts, universe) for each in found]
            else:
                every = satisfying(syntax.Exists(variables, syntax.Not(body)), facts, universe)
                parts = [_literals(substitute(body, dict(each)), False, facts, universe) for each in every]
            return frozenset[GoalLiteral]().union(*parts)
