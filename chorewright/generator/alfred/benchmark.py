"""ALFRED's recipe: a tuple of task, parameters and room becomes a planned, replayed, described demonstration.

Room, spawn, problem, plan, subgoals, low-level actions in the THOR world, goal conditions, directives. What
fails on the way rejects the attempt with a reason; then another spawn is tried, then other parameters in the
same room.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

from chorewright.domains.library import household_domain, household_vocabulary, templates
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, instantiate
from chorewright.errors import UsageError
from chorewright.generator.alfred.records import legs, segment_records, step_records
from chorewright.generator.alfred.spawning import appliances, spawn_request
from chorewright.generator.episode import Episode, Instruction, Outcome
from chorewright.generator.household.demonstration import Demonstration, Rejection, demonstrate
from chorewright.generator.household.possibilities import possible_choices, room_facts
from chorewright.generator.household.sight import Sight
from chorewright.generator.options import asked_rooms, asked_templates, check_option_names
from chorewright.generator.recipe import Assignment, GenerateConfig, random_for
from chorewright.generator.sampling import Fold, folds, sample_tuples
from chorewright.generator.store.digests import domain_sha256, text_sha256
from chorewright.planner.plan import Limits
from chorewright.problems.thor.rooms import load_room, room_names
from chorewright.problems.thor.scene import Scene
from chorewright.problems.thor.spawn import NoRoom, spawn
from chorewright.replay.thor.world import ThorWorld
from chorewright.rsa.directives import directives

OPTIONS = ("tasks", "scenes", "splits", "annotations")
"""The options that the recipe knows (``GenerateConfig.options``)."""

COLLECTION = "alfred"
"""The shipped templates that are used where the user names none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The benchmark's figures, from ``data/alfred.json``.

    ``plan_failures`` are how many attempts without a plan end a tuple's turn, and an index's. One whose
    search ran out of ``evaluations`` counts twice. A tuple of ALFRED's always has a plan, so this spares time
    where a user's template asks for what cannot be done.
    """

    demonstrations: int
    seeds_per_tuple: int
    candidates: int
    evaluations: int
    plan_failures: Mapping[str, int]
    annotations: int
    elsewhere: Mapping[str, str]
    folds: Mapping[str, tuple[str, ...]]
    split_shares: Mapping[str, float]
    task_shares: Mapping[str, float]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the benchmark's figures."""
    source = resources.files("chorewright.generator.alfred") / "data" / "figures.json"
    return Settings(**json.loads(source.read_text("utf-8")))


class AlfredRecipe:
    """Episodes like ALFRED's; with task files, episodes of the user's goal templates by the same line."""

    name = "alfred"

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: one tuple for every three of them.

        Raises:
            UsageError: an option is unknown or matches nothing, or nothing is possible in the rooms.
        """
        _check_options(config)
        each = settings().demonstrations
        tasks = _tasks(config)
        facts = [room_facts(name) for name in asked_rooms(config)]
        vocabulary = household_vocabulary()
        choices = [
            choice
            for name, template in tasks.items()
            for choice in possible_choices(
                name, template, vocabulary, facts, appliances(template.goal, settings().elsewhere)
            )
        ]
        tuples = sample_tuples(choices, _folds(config), -(-count // each), (config.seed, 1), _shares(tuple(tasks)))
        if count and not tuples:
            raise UsageError(
                "none of the tasks is possible in any of the rooms",
                hint="choose other scenes, splits or tasks; `chorewright tasks` lists the tasks",
            )
        found = []
        for index in range(count):
            one = tuples[index // each]
            choice = one.choice
            found.append(Assignment(index, choice.task, choice.parameters, one.scene, one.split, index % each))
        return found

    def episode(self, index: int, config: GenerateConfig, assignment: Assignment) -> Episode:
        """Return the demonstration of an index: the first accepted attempt, else the last.

        Candidates are the assignment itself, then other parameters of its task in its room; each is tried
        with several spawns, fewer if there is no plan.
        """
        patience = settings().plan_failures
        without_plan = 0
        rng = random_for(config, index)
        rejections: list[str] = []
        attempt = None
        for candidate in _candidates(config, assignment, rng):
            if without_plan >= patience["index"]:
                break
            end = min(patience["index"], without_plan + patience["tuple"])
            for _ in range(settings().seeds_per_tuple):
                attempt = _attempt(candidate, int(rng.integers(2**31)))
                if not attempt.reason:
                    return _episode(index, config, assignment, attempt, rejections, rng)
                rejections.append(f"{candidate.parameters_text}: {attempt.reason}")
                without_plan += attempt.without_plan
                if without_plan >= end:
                    break
        assert attempt is not None
        return _episode(index, config, assignment, attempt, rejections, rng)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A filled template in a room."""

    task: str
    template: GoalTemplate
    parameters: tuple[tuple[str, str], ...]
    scene: str

    @property
    def parameters_text(self) -> str:
        return " ".join((self.task, *(f"{name}={kind}" for name, kind in self.parameters)))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One try of a candidate; ``reason`` says why it is rejected, ``without_plan`` counts if there is no
    plan."""

    candidate: _Candidate
    seed: int
    scene: Scene
    goal: Goal
    demonstration: Demonstration | None
    reason: str
    without_plan: int = 0


def _attempt(candidate: _Candidate, seed: int) -> _Attempt:
    """Spawn, plan and replay once."""
    vocabulary = household_vocabulary()
    goal = instantiate(candidate.template, candidate.parameters, vocabulary)
    room = load_room(candidate.scene)
    request = spawn_request(room, goal.goal, vocabulary, settings().elsewhere)
    try:
        scene = spawn(room, np.random.Generator(np.random.PCG64(seed)), request)
    except NoRoom as error:
        return _Attempt(candidate, seed, room, goal, None, f"spawn: {error.message}")
    world, limits = ThorWorld(), Limits(evaluations=settings().evaluations)
    found = demonstrate(scene, goal, household_domain(), world, limits, sight=Sight(world))
    if isinstance(found, Rejection):
        without_plan = (2 if found.evaluated else 1) if found.stage == "plan" else 0
        return _Attempt(candidate, seed, scene, goal, None, str(found), without_plan)
    missed = [name for name, met in found.conditions if not met]
    reason = f"goal: {', '.join(missed)} not met" if missed else ""
    return _Attempt(candidate, seed, scene, goal, found, reason)


def _candidates(config: GenerateConfig, assignment: Assignment, rng: np.random.Generator) -> Iterator[_Candidate]:
    """Yield the assignment, then other parameters in its room, those first that share most with it."""
    template = _tasks(config)[assignment.task]
    yield _Candidate(assignment.task, template, assignment.parameters, assignment.scene)
    others = possible_choices(
        assignment.task,
        template,
        household_vocabulary(),
        [room_facts(assignment.scene)],
        appliances(template.goal, settings().elsewhere),
    )
    order = rng.permutation(len(others))
    ranked = sorted(order, key=lambda place: -len({*others[place].parameters} & {*assignment.parameters}))
    left = [others[place].parameters for place in ranked if others[place].parameters != assignment.parameters]
    for parameters in left[: settings().candidates]:
        yield _Candidate(assignment.task, template, parameters, assignment.scene)


def _episode(
    index: int,
    config: GenerateConfig,
    assignment: Assignment,
    attempt: _Attempt,
    rejections: Sequence[str],
    rng: np.random.Generator,
) -> Episode:
    """Write an attempt down."""
    scene, found, goal = attempt.scene, attempt.demonstration, attempt.goal
    instructions: list[Instruction] = []
    if found is not None:
        speakers = int(next(iter(config.option("annotations")), settings().annotations))
        spoken = directives(goal.sentences, legs(found, scene.agent), scene, rng, annotations=speakers)
        for number, annotation in enumerate(spoken):
            instructions.append(Instruction(annotation.goal, "goal", number))
            instructions += [
                Instruction(text, "step", number, segment) for segment, text in enumerate(annotation.steps)
            ]
    return Episode(
        recipe=config.recipe,
        index=index,
        seed=attempt.seed,
        task=attempt.candidate.task,
        parameters=attempt.candidate.parameters,
        split=assignment.split,
        scene=scene,
        domain_sha256=domain_sha256(household_domain().name),
        problem_sha256=text_sha256(write_problem(found.household.problem)) if found else "",
        goal=write_formula(goal.goal),
        plan=found.plan.actions if found else (),
        plan_cost=found.plan.cost if found else 0.0,
        planner=found.plan.planner if found else "",
        planner_configuration=found.plan.configuration if found else "",
        segments=segment_records(found, scene) if found else (),
        steps=step_records(found) if found else (),
        instructions=tuple(instructions),
        outcome=Outcome(not attempt.reason, attempt.reason, found.conditions if found else ()),
        attempts=len(rejections) + (not attempt.reason),
        rejections=tuple(rejections),
    )


def _check_options(config: GenerateConfig) -> None:
    check_option_names(config, OPTIONS)
    for value in config.option("annotations"):
        if not value.isdigit() or not 1 <= int(value) <= 20:
            raise UsageError(f"annotations must be a number from 1 to 20, not {value!r}")


def _folds(config: GenerateConfig) -> tuple[Fold, ...]:
    return folds(config.option("splits"), settings().split_shares, settings().folds, room_names())


def _shares(names: Sequence[str]) -> Mapping[str, float]:
    """Return the benchmark's shares of its tasks; the user's own tasks come in equal parts."""
    known = settings().task_shares
    return {name: known[name] for name in names} if set(names) <= set(known) else {}


@lru_cache(maxsize=16)
def _tasks(config: GenerateConfig) -> Mapping[str, GoalTemplate]:
    """Return the templates by their names: the user's files and the named ones, or else all of ALFRED's."""
    found = asked_templates(config, household_domain().name)
    if not found:
        found = tuple(template for template in templates() if template.collection == COLLECTION)
    return {template.name: template for template in found}
