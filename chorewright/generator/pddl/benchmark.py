"""A ready-made benchmark for any world that has scenes: plans, carried out and said in words.

Tasks take turns, and so do the fillings of each task's slots. Each episode's scene is a named one, or sampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_formula, write_problem
from chorewright.domains.templates.goal_templates import Binding, Goal, GoalTemplate, candidates
from chorewright.domains.templates.slots import count_fillings, in_order, random_fillings, slot_groups
from chorewright.errors import UsageError
from chorewright.files.plugins import Origin
from chorewright.generator.dataset.config import EFFORTS, Assignment, GenerateConfig, random_for
from chorewright.generator.dataset.episode import Episode, Instruction
from chorewright.generator.dataset.options import option, read_options
from chorewright.generator.pddl.world import fill, misfits
from chorewright.generator.production.attempts import Attempt, Rejection, TaskTrials
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.production.sampling import splits_in_shares
from chorewright.generator.production.solving import STAGES, Solution, planner_of, solve_and_carry_out
from chorewright.generator.production.worlds import World, find_world, tasks_option, world_templates
from chorewright.problems.pddl.scenes import NoScene, PddlScene

if TYPE_CHECKING:
    from chorewright.generator.pddl.moments import WorldMoments

SCENE, PROBLEM = "scene", "problem"
"""The extras of an episode: the scene's name, and the planning problem as PDDL."""


PLACING = ("scene", "compile", "start")
"""Stages that fail where a scene does not suit a task, or has it done already; another seed has another scene."""


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """The options of a benchmark of any world. Further ones are fields of a dataclass that extends this one.

    Attributes:
        scenes: Only this scene; may be repeated. Without it, scenes are sampled.
        splits: Only this split; may be repeated.
    """

    tasks: tuple[str, ...] = tasks_option()
    scenes: tuple[str, ...] = option((), flags=("--scene",), metavar="SCENE")
    splits: tuple[str, ...] = option((), metavar="SPLIT")


@dataclass(frozen=True, slots=True)
class WorldCandidate:
    """A filled template in a scene.

    Attributes:
        template: The task.
        binding: Its filled slots.
        scene: The scene's name; None for a sampled one.
        seed: Of the scene.
    """

    template: GoalTemplate
    binding: Binding
    scene: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class WorldResult:
    """What came of an attempt: where it took place, the filled template, and its problem as far as it is solved."""

    scene: PddlScene
    goal: Goal
    solution: Solution


WorldAttempt: TypeAlias = Attempt[WorldCandidate, WorldResult]


class WorldBenchmark(Benchmark[WorldCandidate, WorldResult]):
    """Episodes of a world: a task in a scene, planned, carried out in the simulator, and said in words.

    A benchmark of your own extends it and says at least its name and its world.

    Attributes:
        name: The benchmark's name.
        world: Its world's name.
        options: Its options; a dataclass that extends ``WorldOptions`` if there are more.
        shares: The splits with their shares of the episodes.
        tries: How many seeds are tried for an index.
        evaluations: The planner's limit for an attempt.
    """

    options: type = WorldOptions
    shares: tuple[tuple[str, float], ...] = (("train", 0.8), ("valid", 0.1), ("test", 0.1))
    tries: int = 8
    evaluations: int = 20_000
    stages = (*PLACING[:2], *STAGES, "say")
    efforts = tuple(EFFORTS)

    @cached_property
    def the_world(self) -> World:
        """The world itself."""
        return find_world(self.world, origin=Origin.PERSON)

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: tasks, fillings, scenes and splits in turn.

        Raises:
            UsageError: There is no such task, scene or split.
        """
        asked = self._asked(config)
        for name in asked.scenes:
            self.the_world.scene(name, config.seed)
        tasks = self._templates(config)
        rng = random_for(config, 0, stream=1)
        fillings = [self._fillings(template, -(-count // len(tasks)), rng) for template in tasks]
        splits, times = splits_in_shares(dict(self.shares), asked.splits), Counter[tuple[str, Binding, str]]()
        found = []
        for index in range(count):
            turn, place = divmod(index, len(tasks))
            binding = fillings[place][turn]
            scene = asked.scenes[index % len(asked.scenes)] if asked.scenes else ""
            key = (tasks[place].full_name, binding, scene)
            found.append(Assignment(index, key[0], binding, scene, next(splits), times[key]))
            times[key] += 1
        return found

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[WorldAttempt]
    ) -> Iterator[WorldCandidate]:
        """Yield the assignment in scenes of other seeds; after half of the tries also with other fillings."""
        template = next(each for each in self._templates(config) if each.full_name == assignment.task)
        others = self._fillings(template, self.tries, rng)
        for number in range(self.tries):
            binding = assignment.parameters if 2 * number <= self.tries else others[number]
            yield WorldCandidate(template, binding, assignment.scene or None, int(rng.integers(2**31)))

    def attempt(self, config: GenerateConfig, candidate: WorldCandidate) -> WorldAttempt:
        """Run all stages for a candidate, or up to the first that fails.

        Raises:
            UsageError: The world has no scenes, or none of this name.
            InputErrors: Its scene is not of its domain.
        """
        world, template, binding = self.the_world, candidate.template, candidate.binding
        domain, vocabulary = world.domain(), world.vocabulary()
        try:
            scene = world.scene(candidate.scene, candidate.seed)
        except NoScene as error:
            return Attempt(candidate, None, Rejection("scene", error.message))
        reasons = misfits(domain, vocabulary, template, binding, scene)
        if reasons:
            return Attempt(candidate, None, Rejection("compile", "; ".join(reasons)))
        goal, problem = fill(domain, vocabulary, template, binding, scene)
        found = solve_and_carry_out(
            domain,
            problem,
            config.effort.limits(self.evaluations, template.effort),
            goal.conditions,
            simulator=world.simulator,
            scene=scene,
            lower=world.lower,
            planner=planner_of(config),
        )
        return Attempt(candidate, WorldResult(scene, goal, found), found.rejection)

    def speak(self, config: GenerateConfig, blank: Episode, attempt: WorldAttempt, rng: np.random.Generator) -> Episode:
        """Say the whole, each way an annotation, then each action if the world says that."""
        made, candidate, world = attempt.made, attempt.candidate, self.the_world
        blank = replace(blank, seed=candidate.seed, parameters=candidate.binding)
        if made is None:
            return replace(blank, goal=write_formula(candidate.template.goal))
        said = [Instruction(text, "goal", number) for number, text in enumerate(made.goal.sentences)]
        if made.solution.plan is not None:
            steps = enumerate(map(world.say, made.solution.plan.actions))
            said += [Instruction(text, "step", 0, number) for number, text in steps if text]
        return replace(
            made.solution.record(blank),
            instructions=tuple(said) if attempt.accepted else (),
            extras=((SCENE, made.scene.name), (PROBLEM, write_problem(made.solution.problem))),
        )

    def trials(self, config: GenerateConfig, count: int) -> TaskTrials:
        """Return the attempts of one task that ``generate`` makes first for each index."""
        tasks = self._templates(config)
        if len(tasks) != 1:
            raise UsageError("give one task to check")
        return TaskTrials(
            tasks[0].full_name,
            "scenes",
            len(self._asked(config).scenes) or count,
            count_fillings(tasks[0], self.the_world.vocabulary()),
            self.assign(config, count),
            uncounted=PLACING,
        )

    def moments(self) -> WorldMoments:
        """Return what runs episodes again and draws what the simulator shows."""
        from chorewright.generator.pddl.moments import WorldMoments

        return WorldMoments(lambda episode: self.the_world)

    def planning_task(self, episode: Episode) -> tuple[Domain, Problem]:
        """Return the world's domain, and an episode's problem.

        Raises:
            DatasetCorrupt: It has none.
        """
        domain = self.the_world.domain()
        return domain, parse_problem(episode.extra(PROBLEM), domain, f"the problem of episode {episode.index}")

    def _asked(self, config: GenerateConfig) -> WorldOptions:
        """Return the options.

        Raises:
            UsageError: They are no ``WorldOptions``.
        """
        asked: object = read_options(self.options, config)
        if not isinstance(asked, WorldOptions):
            raise UsageError(f"the options of the benchmark {self.name} do not extend WorldOptions")
        return asked

    def _templates(self, config: GenerateConfig) -> tuple[GoalTemplate, ...]:
        return world_templates(self.the_world, config, self._asked(config).tasks)

    def _fillings(self, template: GoalTemplate, count: int, rng: np.random.Generator) -> list[Binding]:
        """Return so many fillings of a template, each as often as any other (up to one).

        Raises:
            UsageError: There is none.
        """
        vocabulary = self.the_world.vocabulary()
        groups = [candidates(group, vocabulary) for group in slot_groups(template)]
        if not all(groups):
            raise UsageError(f"nothing fills the slots of {template.full_name}")
        found: list[Binding] = []
        while len(found) < count:
            found += islice(random_fillings(groups, rng), count - len(found))
        return [in_order(each, template) for each in found]
