"""Chains of CALVIN's tasks to any goal on its table, by planning over the domain of the 34 tasks.

``chain_to_goal`` plans one; for datasets, ``goal_tasks`` are the templates that are asked for, ``ChainGoal`` is
what an index gets of them, and ``target_chains`` draws among the shortest chains to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Universe
from chorewright.domains.library import find_template, load_shipped_library
from chorewright.domains.pddl.syntax import Formula
from chorewright.domains.pddl.writer import write_formula_line
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate, candidates, instantiate
from chorewright.domains.templates.parser import parse_template
from chorewright.domains.vocabulary_files import SUFFIX
from chorewright.errors import LimitError, UsageError
from chorewright.generator.calvin.options import INSTRUCTIONS, REPLAYS, CalvinOptions, read_speeds
from chorewright.generator.calvin.records import BENCHMARK
from chorewright.generator.calvin.starts import StartSpace
from chorewright.generator.dataset.config import GenerateConfig
from chorewright.generator.dataset.options import RETREAT, read_options
from chorewright.generator.production.worlds import refuse_start
from chorewright.planner.plan import UNLIMITED, Limits, OutOfLimits, Plan, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.search.configuration import DEFAULT, Configuration
from chorewright.problems.calvin import LENGTH
from chorewright.problems.calvin.chains import Chain, check_length
from chorewright.problems.calvin.published import ShortestChains
from chorewright.problems.calvin.scenes import TabletopState, initial_states, scene
from chorewright.problems.calvin.tasks import CORRECT, atoms_of, problem, task_of
from chorewright.problems.calvin.tasks import tasks as tabletop_tasks
from chorewright.replay.calvin.motion import USUAL, Manner
from chorewright.replay.calvin.real import check_checkout
from chorewright.rsa.calvin.instructions import Instructions, own_instructions, parse_instructions

OPTIMAL_EVALUATIONS = 20_000
"""How long the shortest chain is looked for before a short one has to do."""
EVALUATIONS = 100_000
"""How long any chain is looked for when data are made."""
TRIES = 4
"""So many chains are tried for an index."""


@dataclass(frozen=True, slots=True)
class GoalChain:
    """A chain to a goal, whether it is certainly a shortest one, and the plan it is made of."""

    chain: Chain
    optimal: bool
    plan: Plan


def chain_to_goal(
    start: TabletopState, goal: Formula, variant: str = CORRECT, limits: Limits = UNLIMITED
) -> GoalChain | Unsolvable | OutOfLimits:
    """Plan a chain of tasks after which a goal holds.

    Each task can be done in just one way when its turn comes, as the domain asks; unlike in the chains of the
    evaluation, tasks of one category may repeat.

    Args:
        start: Where the chain starts.
        goal: A formula over the predicates and constants of the domain.
        variant: The domain.
        limits: What the search for a chain that need not be the shortest may use.
    """
    domain = load_shipped_library().domain(variant)
    given = problem(start, goal, variant)
    shortest = Configuration.usual("astar", None, None, None, "turns")
    effort = replace(limits, evaluations=min(OPTIMAL_EVALUATIONS, limits.evaluations or OPTIMAL_EVALUATIONS))
    answer = solve(domain, given, effort, shortest)
    if isinstance(answer, OutOfLimits):
        answer = solve(domain, given, limits, DEFAULT)
    if not isinstance(answer, Plan):
        return answer
    sequence = tuple(task_of(action.name, action.arguments) for action in answer.actions)
    return GoalChain(Chain(start, sequence), answer.optimal, answer)


@dataclass(frozen=True, slots=True)
class ChainGoal:
    """What an index is to reach: a filled template, and the number of the initial state to reach it from."""

    task: str
    binding: Binding
    state: int


def goal_tasks(config: GenerateConfig) -> Mapping[str, GoalTemplate]:
    """Return the templates that a dataset is made of, by name: named ones, then the user's ``.task`` files.

    Raises:
        UsageError: There is no such template, or it is of another domain, or nothing fills its slots.
        InputError: A file has errors.
    """
    shipped = load_shipped_library()
    domain, vocabulary = shipped.domain(CORRECT), shipped.vocabulary(CORRECT)
    found = [find_template(name) for name in read_options(CalvinOptions, config).tasks]
    found += [
        parse_template(text, domain, vocabulary, path=name) for name, text in config.task_files if name.endswith(SUFFIX)
    ]
    for template in found:
        if template.domain != CORRECT:
            message = f"{template.name} is a task of the domain {template.domain}, not of the {CORRECT}"
            raise UsageError(message, hint=f"write (:domain {CORRECT}) into its file")
        refuse_start(template, template.domain)
        if not bindings(template):
            raise UsageError(f"nothing fills the slots of {template.name}")
    names = [template.full_name for template in found]
    if len(set(names)) < len(names):
        raise UsageError(f"a task is given twice: {', '.join(sorted(names))}")
    return dict(zip(names, found, strict=True))


def target(config: GenerateConfig, index: int, order: Sequence[int]) -> ChainGoal:
    """Return what an index is to reach: the templates in turn, then their fillings, then the initial states.

    Args:
        config: The configuration; it has templates.
        index: The index.
        order: The numbers of the initial states in the order of their turns; one in which the goal holds
            already gives its turn to the next.

    Raises:
        UsageError: The goal holds in all of them.
    """
    known = settings_of(config).tasks
    round_, place = divmod(index, len(known))
    name = tuple(known)[place]
    every = bindings(known[name])
    binding = every[round_ % len(every)]
    goal, universe = _goal(known[name], binding), Universe.of(load_shipped_library().domain(CORRECT))
    turns = [order[(index + turn) % len(order)] for turn in range(len(order))]
    for number in turns:
        if not holds(goal.goal, atoms_of(initial_states()[number]), universe):
            return ChainGoal(name, binding, number)
    filled = ", ".join(f"{slot} {value}" for slot, value in binding)
    raise UsageError(
        f"the goal of {name}{f' ({filled})' if filled else ''} holds in every initial state",
        hint="there is nothing to demonstrate; ask for what is not so at the start",
    )


def target_chains(
    config: GenerateConfig, wanted: ChainGoal, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield chains to what an index is to reach, each with a sentence for the whole; none if there is none.

    They are drawn uniformly from the shortest chains; where the goal asks for too much of the past to list
    them, one is planned.
    """
    goal = _goal(settings_of(config).tasks[wanted.task], wanted.binding)
    start = initial_states()[wanted.state]
    try:
        shortest = ShortestChains(start, goal.goal)
    except LimitError:
        planned = chain_to_goal(start, goal.goal, limits=Limits(evaluations=EVALUATIONS))
        found = [planned.chain] if isinstance(planned, GoalChain) else []
    else:
        found = [shortest.draw(rng) for _ in range(TRIES)] if shortest.length else []
    for chain in found:
        yield chain.sequence, goal.sentences[int(rng.integers(len(goal.sentences)))]


def goal_text(config: GenerateConfig, wanted: ChainGoal) -> str:
    """Return in PDDL what an index is to reach."""
    return write_formula_line(_goal(settings_of(config).tasks[wanted.task], wanted.binding).goal)


def bindings(template: GoalTemplate) -> tuple[Binding, ...]:
    shipped = load_shipped_library()
    return candidates(template, shipped.vocabulary(CORRECT), objects=Universe.of(shipped.domain(CORRECT)))


def _goal(template: GoalTemplate, binding: Binding) -> Goal:
    return instantiate(template, binding, load_shipped_library().vocabulary(CORRECT))


# What a user asks of CALVIN's benchmark: its options and files, checked.


@dataclass(frozen=True, slots=True)
class CalvinSettings:
    """The options that are ``asked`` for, and what they mean; ``singles`` are the tasks of which there are single
    episodes, and there are ``starts`` where these or play are asked for."""

    asked: CalvinOptions
    scenes: tuple[str, ...]
    checkout: Path | None
    replays: tuple[str, ...]
    singles: tuple[str, ...]
    starts: StartSpace | None
    manner: Manner
    tasks: Mapping[str, GoalTemplate]
    instructions: Instructions

    @property
    def plain(self) -> bool:
        """Whether the expert moves in the usual way and draws back after each task."""
        return self.asked.segments == RETREAT and self.manner == USUAL


def instructions_of(config: GenerateConfig) -> Instructions:
    """Return what is said for each task: our own sentences, or those of the user's files.

    Raises:
        UsageError: There are other files.
        InputError: A file is not in CALVIN's format.
    """
    files = {name: text for name, text in config.task_files if not name.endswith(SUFFIX)}
    if strange := [name for name in files if name not in INSTRUCTIONS]:
        raise UsageError(
            f"the benchmark {BENCHMARK} takes no task file such as {strange[0]!r}",
            hint=f"its files are {SUFFIX} files of the table, {' and '.join(INSTRUCTIONS)}",
        )
    if not files:
        return own_instructions()
    training, validation = (files.get(name) for name in INSTRUCTIONS)
    if training is None:
        raise UsageError(f"{INSTRUCTIONS[1]} goes with {INSTRUCTIONS[0]}, which is missing")
    return parse_instructions(training, INSTRUCTIONS[0], validation, INSTRUCTIONS[1])


def _singles(asked: Mapping[str, GoalTemplate]) -> tuple[str, ...]:
    """Return the tasks that are to be done singly: those of shipped templates that are one of the 34, or all.

    Raises:
        UsageError: A template is none of them.
    """
    for name, template in asked.items():
        if name != f"{BENCHMARK}/{template.name}" or template.name not in tabletop_tasks():
            raise UsageError(f"{name} is a goal, not one of the 34 tasks", hint="leave --per-task out for chains to it")
    return tuple(each.name for each in asked.values()) or tuple(tabletop_tasks())


@lru_cache(maxsize=16)
def settings_of(config: GenerateConfig) -> CalvinSettings:
    """Return the options of a configuration.

    Raises:
        UsageError: An option is unknown or has a value that it cannot have.
        InputError: One of the user's files has errors.
    """
    asked = read_options(CalvinOptions, config)
    said, tasks = instructions_of(config), goal_tasks(config)
    check_length(asked.length, any_category=asked.play)
    if (tasks or asked.per_task) and asked.length != LENGTH:
        raise UsageError("--length is of chains that are drawn; those to a goal are as short as can be")
    if asked.play and (asked.tasks or config.task_files or asked.per_task):
        raise UsageError("--play walks over all tasks", hint="leave --tasks and --per-task out")
    names = tuple(scene(name).name for name in asked.scenes or ("D",))
    checkout = check_checkout(Path(asked.calvin_env)) if asked.calvin_env else None
    return CalvinSettings(
        asked,
        scenes=names,
        checkout=checkout,
        replays=REPLAYS[asked.replays],
        singles=_singles(tasks) if asked.per_task else (),
        starts=StartSpace() if asked.play or asked.per_task else None,
        manner=Manner(asked.noise, read_speeds(asked.speed), asked.holds, asked.vary),
        tasks=tasks,
        instructions=said,
    )
