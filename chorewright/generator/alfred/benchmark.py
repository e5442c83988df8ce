"""ALFRED's benchmark: a tuple of task, parameters and room becomes a planned, replayed, described demonstration.

Room, spawn, problem, plan, subgoals, low-level actions in the THOR world, goal conditions, directives. What
fails on the way rejects the attempt with a reason; then another spawn is tried, then other parameters in the
same room.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chorewright.domains.library import HOUSEHOLD
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.templates.goal_templates import Goal, GoalTemplate, instantiate
from chorewright.errors import UsageError
from chorewright.generator.alfred import demonstration
from chorewright.generator.alfred.options import AlfredOptions, settings, shares_of
from chorewright.generator.alfred.recorded import COLLECTION, effort_extras, few_wordings, limits_for, speak
from chorewright.generator.dataset.config import EFFORTS, Assignment, GenerateConfig, library_of, text_sha256
from chorewright.generator.dataset.episode import Episode
from chorewright.generator.dataset.options import read_options
from chorewright.generator.household.demonstration import STAGES, Demonstration, instructions_of, legs_of
from chorewright.generator.household.knobs import Pairs, choose, read_pairs, read_shares
from chorewright.generator.household.noise import noise_extras
from chorewright.generator.household.outlook import Stands, all_shown, facts_in_sight, stands_extras
from chorewright.generator.household.own_scenes import find_kinds, find_scenes, scene_facts, scene_of
from chorewright.generator.household.possibilities import not_granted, possible_choices, why_no_room
from chorewright.generator.household.remarks import oddities, scene_map, unreachable_part, vacuous
from chorewright.generator.household.scene_names import some_scenes, trials_in_rooms, with_houses
from chorewright.generator.household.spawning import appliances, elsewhere, read_task
from chorewright.generator.production.attempts import Attempt, Rejection, TaskTrials, with_plan
from chorewright.generator.production.benchmark import Benchmark, FirstLook, PaperFigure
from chorewright.generator.production.sampling import AT_ONCE, Choice, folds, sample_in_turn, sample_tuples
from chorewright.generator.production.solving import planner_named
from chorewright.generator.production.worlds import find_templates
from chorewright.problems.household.kinds import Kinds
from chorewright.problems.household.problem import household_problem
from chorewright.problems.household.rooms import building_extras, room_names
from chorewright.problems.household.scene import Scene, is_house_name
from chorewright.problems.household.spawn import NoRoom, spawn
from chorewright.replay.household.pixels.renderer import Renderer
from chorewright.replay.household.room import ALFRED_SETTINGS
from chorewright.replay.household.world import ThorWorld

if TYPE_CHECKING:
    from chorewright.generator.household.moments import HouseholdMoments
    from chorewright.generator.training.chat import Conversations


SPAWN_FAILURES = 2
"""Spawns without room for something after which other parameters are tried."""

_DIRECTIVES, _DEMONSTRATIONS = 25_743, 8_055
_STEPS, _SUBGOALS, _CONDITIONS, _SLICED = 49.69, 7.50, 2.551, 13.8
"""Means of the 7,080 released demonstrations that have a plan; of sliced objects per cent."""


def paper_figures(episodes: Sequence[Episode]) -> Sequence[PaperFigure]:
    """Return the figures of some episodes beside Shridhar et al. 2020 and counts of its released demonstrations."""
    every = list(episodes)
    told = fmean(len({text.annotation for text in each.instructions if text.level == "goal"}) for each in every)
    sliced = 100 * fmean("sliced" in each.task for each in every)
    return [
        PaperFigure("demonstrations", f"{len(every):,}", f"{_DEMONSTRATIONS:,}"),
        PaperFigure("actions a demonstration", f"{fmean(len(each.steps) for each in every):.1f}", f"{_STEPS:.1f}"),
        PaperFigure("sub-goals, the end among them", _mean([len(each.segments) for each in every]), f"{_SUBGOALS:.1f}"),
        PaperFigure("goal conditions", _mean([len(each.outcome.conditions) for each in every]), f"{_CONDITIONS:.1f}"),
        PaperFigure("tasks with a sliced object", f"{sliced:.1f} %", f"{_SLICED:.1f} %"),
        PaperFigure("directives a demonstration", f"{told:.1f}", f"{_DIRECTIVES / _DEMONSTRATIONS:.1f}"),
    ]


def _mean(counts: Sequence[int]) -> str:
    return f"{fmean(counts):.1f}"


@dataclass(frozen=True, slots=True)
class AlfredCandidate:
    """A filled template in a room, scattered from a seed."""

    task: str
    parameters: tuple[tuple[str, str], ...]
    scene: str
    seed: int


@dataclass(frozen=True, slots=True)
class AlfredResult:
    """What came of an attempt: the room, as scattered if it could be, the goal, any demonstration and drawn poses."""

    scene: Scene
    goal: Goal
    demonstration: Demonstration | None = None
    stands: Stands = ()


AlfredAttempt: TypeAlias = Attempt[AlfredCandidate, AlfredResult]


class AlfredBenchmark(Benchmark[AlfredCandidate, AlfredResult]):
    """Episodes like ALFRED's; with task files, episodes of the user's goal templates by the same line."""

    name = "alfred"
    world = "household"
    options = AlfredOptions
    paper_figures = staticmethod(paper_figures)
    stages = ("spawn", *STAGES, "goal")
    efforts = tuple(EFFORTS)
    first_look = FirstLook(1, 7, {"demonstrations": 1})

    def __init__(self) -> None:
        self._renderer = Renderer()  # keeps the shapes of a room's furniture from one attempt to the next

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: one tuple for every few of them.

        Raises:
            UsageError: an option is unknown or matches nothing, or nothing is possible in the rooms.
        """
        asked = read_options(AlfredOptions, config)
        each = asked.demonstrations
        tasks = _tasks(config)
        kinds = find_kinds(config)
        rooms = find_scenes(config, asked.scenes, kinds)

        def choices(scenes: Sequence[str]) -> list[Choice]:
            return [choice for template in tasks.values() for choice in _choices(config, template, scenes, kinds)]

        known = tuple(dict.fromkeys((*room_names(), *rooms)))
        splits = settings().split_shares
        splits = read_shares(asked.split_shares, splits, "--split-shares") or splits
        split_folds = folds(asked.splits, splits, with_houses(settings().folds, rooms), known)
        shares = {**shares_of(tuple(tasks)), **read_shares(asked.shares, tasks, "--shares")}
        seed, needed = (config.seed, 1), -(-count // each)
        if sum(map(is_house_name, rooms)) > AT_ONCE:  # they are generated as they are needed
            tuples = sample_in_turn(choices, split_folds, rooms, needed, seed, shares)
        else:
            tuples = sample_tuples(choices(rooms), split_folds, needed, seed, shares)
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

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[AlfredAttempt]
    ) -> Iterator[AlfredCandidate]:
        """Yield the assignment, then other parameters of its task in its room, each with several spawns.

        There are fewer spawns where there is no plan, and where the room has no place for what is to start in it.
        """
        patience = settings().plan_failures
        for parameters in _fillings(config, assignment, rng):
            before = _without_plan(tried)
            if before >= patience["index"]:
                return
            end = min(patience["index"], before + patience["tuple"])
            for _ in range(read_options(AlfredOptions, config).seeds):
                if _without_room(tried, parameters) >= SPAWN_FAILURES:
                    break
                yield AlfredCandidate(assignment.task, parameters, assignment.scene, int(rng.integers(2**31)))
                if _without_plan(tried) >= end:
                    break

    def attempt(self, config: GenerateConfig, candidate: AlfredCandidate) -> AlfredAttempt:
        """Spawn, compile, plan, lower, replay, look on, and check the goal's conditions."""
        kinds = find_kinds(config)
        template = _tasks(config)[candidate.task]
        goal = instantiate(template, candidate.parameters, kinds.vocabulary)
        room = scene_of(config, candidate.scene, kinds)
        request = demonstration.request_for(room, goal)
        try:
            scene = spawn(room, np.random.Generator(np.random.PCG64(candidate.seed)), request)
        except NoRoom as error:
            return Attempt(candidate, AlfredResult(room, goal), Rejection("spawn", error.message))
        asked = read_options(AlfredOptions, config)
        varied = [kind for _, kind in candidate.parameters] if asked.vary_stands else []
        outlook = demonstration.look_around(room, scene, request, self._renderer, candidate.seed, varied)
        scene = outlook.scene
        if met := demonstration.conditions_met_at_start(candidate.task, candidate.parameters, scene):
            return Attempt(candidate, AlfredResult(scene, goal), Rejection("start", met))
        own = template.collection != COLLECTION
        limits = limits_for(config, template)
        found = demonstration.demonstrate_in(
            outlook,
            goal,
            candidate.seed,
            self._renderer,
            freely=own,
            limits=limits,
            planner=planner_named(config.effort.engine, config.origin),
            number=config.effort.plan,
            noise=asked.noise,
        )
        if isinstance(found, Rejection):
            return Attempt(candidate, AlfredResult(scene, goal), found)
        missed = [name for name, met in found.conditions if not met]
        rejection = Rejection("goal", f"{', '.join(missed)} not met") if missed else None
        stands = tuple(outlook.chosen.items()) if asked.vary_stands else ()
        return Attempt(candidate, AlfredResult(scene, goal, found, stands), rejection)

    def label(self, candidate: AlfredCandidate) -> str:
        """Return task and parameters."""
        return " ".join((candidate.task, *(f"{name}={kind}" for name, kind in candidate.parameters)))

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: AlfredAttempt, rng: np.random.Generator
    ) -> Episode:
        """Let each annotator word the demonstration."""
        candidate, made = attempt.candidate, attempt.made
        assert made is not None
        scene, found, goal = made.scene, made.demonstration, made.goal
        told = replace(
            blank,
            seed=candidate.seed,
            parameters=candidate.parameters,
            scene=replace(scene, building=None),  # of it tell the extras
            domain_sha256=scene.kinds.domain_sha256,
            goal=write_formula(goal.goal),
            extras=building_extras(scene),
        )
        if found is None:
            return told
        template, asked = _tasks(config)[candidate.task], read_options(AlfredOptions, config)
        legs = legs_of(found.subgoals, found.actions, found.household, scene.agent)
        said = speak(template, goal, legs, scene, rng, asked.annotations)
        return replace(
            with_plan(told, found.plan),
            extras=(
                *told.extras,
                *noise_extras(asked.noise),
                *stands_extras(made.stands),
                *effort_extras(config, template),
            ),
            problem_sha256=text_sha256(write_problem(found.household.problem)),
            segments=demonstration.segment_records(found, scene),
            steps=demonstration.step_records(found),
            instructions=instructions_of(said),
            outcome=replace(blank.outcome, conditions=found.conditions),
        )

    def remarks(self, config: GenerateConfig, attempt: AlfredAttempt) -> tuple[str, ...]:
        """Return which parts of the goal are vacuous or unreachable, and what the plan handles too often."""
        made = attempt.made
        if made is None or (attempt.rejection is not None and attempt.rejection.stage == "spawn"):
            return ()
        goal, kinds = made.goal.goal, made.scene.kinds
        problem = household_problem(made.scene, goal).problem
        found = list(vacuous(goal, kinds.domain, problem))
        found += [
            f"untrue at the start, so not used: {sentence!r} ({why})"
            for sentence in made.goal.sentences
            for why in not_granted(sentence, goal, made.scene)[:1]
        ]
        if made.demonstration is not None:
            found += oddities(made.demonstration.plan.actions, problem, kinds.vocabulary)
        elif attempt.rejection is not None and attempt.rejection.stage == "plan" and not attempt.rejection.evaluated:
            found += filter(None, [unreachable_part(goal, kinds.domain, problem, kinds.vocabulary)])
        return tuple(dict.fromkeys(found))

    def map_of(self, config: GenerateConfig, attempt: AlfredAttempt) -> NDArray[np.uint8] | None:
        """Return a map of the room with what the goal is about."""
        return None if attempt.made is None else scene_map(attempt.made.scene, attempt.made.goal.goal)

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return trials of the one task that is asked for, in rooms that suit it, spread evenly.

        Fillings are drawn so that kinds not seen yet come first.

        Raises:
            UsageError: No room suits the task.
        """
        ((name, template),) = _tasks(config).items()
        kinds = find_kinds(config)
        rooms = some_scenes(find_scenes(config, read_options(AlfredOptions, config).scenes, kinds), count)
        choices = _choices(config, template, rooms, kinds)
        if not choices:
            why = why_no_room(
                template, kinds, [scene_facts(config, each, kinds) for each in dict.fromkeys((*room_names(), *rooms))]
            )
            raise UsageError(
                f"no room has what {name} needs{f': {why}' if why else ''}",
                hint="check its :rooms and :needs, and that the kinds of its slots occur together in a room",
            )
        note = few_wordings(template, read_options(AlfredOptions, config).annotations)
        return replace(trials_in_rooms(name, choices, count, config.seed), note=note)

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the household's domain, and an episode's problem; see ``read_task``."""
        return read_task(episode, demonstration.read_problem)

    def moments(self) -> HouseholdMoments:
        """Return what runs episodes again and draws the agent's view."""
        from chorewright.generator.household.moments import HouseholdMoments, action_names

        return HouseholdMoments(world_for_alfred, action_names(__package__), demonstration.read_problem)

    def conversations(self) -> Conversations:
        """Return what tells episodes as text games."""
        from chorewright.generator.alfred.games import AlfredConversations

        return AlfredConversations()


def world_for_alfred() -> tuple[ThorWorld, ThorWorld]:
    """Return the THOR world as ALFRED's agent sees it and turns in it; it is its own simulator."""
    world = ThorWorld(ALFRED_SETTINGS)
    return world, world


def _without_room(tried: Sequence[AlfredAttempt], parameters: Sequence[tuple[str, str]]) -> int:
    """Return how many spawns failed of these parameters, or of others that bring the same carrier to the same place."""
    slots = dict(parameters)
    shared = {name: kind for name, kind in slots.items() if name != "object" or "movable" not in slots}
    failed = (each for each in tried if each.rejection is not None and each.rejection.stage == "spawn")
    return sum(shared.items() <= dict(each.candidate.parameters).items() for each in failed)


def _without_plan(tried: Sequence[AlfredAttempt]) -> int:
    """Return how many attempts had no plan; one whose search ran out of evaluations counts twice."""
    failed = [each.rejection for each in tried if each.rejection is not None and each.rejection.stage == "plan"]
    return sum(2 if each.evaluated else 1 for each in failed)


def _choices(config: GenerateConfig, template: GoalTemplate, rooms: Sequence[str], kinds: Kinds) -> tuple[Choice, ...]:
    """Return the fillings of a template that are possible in some of the rooms."""
    facts = [facts_in_sight(config, name, kinds) for name in rooms]
    banned = appliances(template.goal, elsewhere(), kinds)
    found = all_shown(possible_choices(template.name, template, kinds, facts, banned), template.goal)
    return choose(found, *_pairs(config, kinds))


def task_choices(config: GenerateConfig) -> Mapping[str, tuple[GoalTemplate, tuple[Choice, ...]]]:
    """Return each task that is asked for, with its possible fillings and their rooms; raises as ``assign``."""
    kinds = find_kinds(config)
    rooms = find_scenes(config, read_options(AlfredOptions, config).scenes, kinds)
    return {name: (each, _choices(config, each, rooms, kinds)) for name, each in _tasks(config).items()}


def _pairs(config: GenerateConfig, kinds: Kinds) -> tuple[Pairs, Pairs]:
    """Return the fillings that are wanted, and those that are left out."""
    asked = read_options(AlfredOptions, config)
    slots = [name for template in _tasks(config).values() for name in template.slot_names]
    wanted = read_pairs(asked.fillings, slots, kinds.vocabulary, "--fillings")
    return wanted, read_pairs(asked.without, slots, kinds.vocabulary, "--without")


def _fillings(
    config: GenerateConfig, assignment: Assignment, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the assigned parameters, then others in its room, those first that share most with them.

    Where there are too few others, the assigned ones come again, for more spawns.
    """
    yield assignment.parameters
    others = _choices(config, _tasks(config)[assignment.task], [assignment.scene], find_kinds(config))
    order = rng.permutation(len(others))
    ranked = sorted(order, key=lambda place: -len({*others[place].parameters} & {*assignment.parameters}))
    left = [others[place].parameters for place in ranked if others[place].parameters != assignment.parameters]
    yield from left[: settings().candidates]
    yield from [assignment.parameters] * (settings().candidates - len(left))


def _tasks(config: GenerateConfig) -> Mapping[str, GoalTemplate]:
    """Return the templates by their names: the user's files and the named ones, or else all of the collection."""
    found = find_templates(config, read_options(AlfredOptions, config).tasks, HOUSEHOLD)
    if not found:
        found = library_of(config).collection(COLLECTION)
    return {template.name: template for template in found}
