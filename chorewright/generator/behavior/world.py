"""The world of BEHAVIOR: its domain with all synsets, and its activities: as scenes, solved, scored and said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations
from pathlib import Path
from typing import TypeAlias

import numpy as np

from chorewright.domains.behavior import syntax
from chorewright.domains.behavior.reader import parse_activity, write_condition
from chorewright.domains.evaluation import holds
from chorewright.domains.facts import Facts, Universe
from chorewright.domains.pddl.parser import parse_problem
from chorewright.domains.pddl.syntax import Atom, Domain, Problem, State
from chorewright.domains.vocabulary import Vocabulary
from chorewright.domains.vocabulary_files import vocabulary_of_domain
from chorewright.errors import UsageError
from chorewright.files.english import did_you_mean
from chorewright.files.lazily import LazySequence
from chorewright.generator.behavior.options import SUFFIX
from chorewright.generator.dataset.episode import Episode, Instruction
from chorewright.generator.dataset.store.dataset import Dataset
from chorewright.generator.pddl.world import PddlWorld
from chorewright.generator.production.attempts import Attempt
from chorewright.generator.production.solving import PlannerCall, Solution, annotate, solve_and_carry_out
from chorewright.planner.plan import Limits, Unsolvable
from chorewright.planner.planning import solve
from chorewright.planner.stages import solve_with_parts
from chorewright.problems.behavior.activity_problem import DOMAIN, behavior_domain, domain_of, in_domain
from chorewright.problems.behavior.kinds import VERSIONS, activity_names, kinds, load_own, shipped_activity, version_of
from chorewright.problems.behavior.scenes import AGENT, ActivityScene, activity_scene
from chorewright.problems.pddl.scenes import PddlScene
from chorewright.replay.games.game import PddlGame
from chorewright.rsa.behavior.conditions import TOLD, ActivitySpeaker, say_goal
from chorewright.rsa.behavior.names import ActivityNames, say_step


class BehaviorWorld(PddlWorld):
    """A household of synsets, without geometry. Its scenes are the starts of the activities."""

    name = "behavior"
    folder = DOMAIN.parent

    def __init__(self, domain: Domain | None = None) -> None:
        """Make the world of all shipped synsets, or of a domain made for one activity."""
        self._own = domain

    def domain(self) -> Domain:
        """Return the domain."""
        return self._own or behavior_domain()

    def vocabulary(self) -> Vocabulary:
        """Return the synsets as kinds."""
        return self._kinds

    def scenes(self) -> Sequence[str]:
        """Return the names of the activities, ``100/NAME`` and ``1k/NAME``."""
        return tuple(f"{version}/{name}" for version in VERSIONS for name in activity_names(version))

    def scene(self, name: str | None, seed: int) -> PddlScene:
        """Return the start of an activity, given by name or as a file; without one, of any of BEHAVIOR-1K."""
        if name is None:
            names = activity_names("1k")
            name = f"1k/{names[int(np.random.Generator(np.random.PCG64(seed)).integers(len(names)))]}"
        activity = find_activity(name)
        return PddlScene.of(activity_scene(activity, seed).problem(self.domain()), activity.name)

    @cached_property
    def _kinds(self) -> Vocabulary:
        return vocabulary_of_domain(self.domain())


def find_activity(name: str) -> syntax.Activity:
    """Return an activity: ``100/NAME``, ``1k/NAME``, ``NAME`` (of BEHAVIOR-1K if it has it), or a ``.bddl`` file.

    Raises:
        UsageError: There is none, or the file cannot be read.
        InputErrors: The file has errors.
    """
    if name.endswith(SUFFIX):
        return load_own(Path(name))
    version, slash, plain = name.partition("/")
    if slash and version in VERSIONS:
        return shipped_activity(plain, version)
    for each in reversed(VERSIONS):
        if name in activity_names(each):
            return shipped_activity(name, each)
    known = [each for version in VERSIONS for each in activity_names(version)]
    hint = did_you_mean(name.rpartition("/")[2], known) or f"give 100/NAME, 1k/NAME or a {SUFFIX} file"
    raise UsageError(f"there is no activity {name!r}", hint=hint)


# BEHAVIOR's activities as text games.


def activity_game(
    activity: syntax.Activity, name: str, seed: int = 0, distractors: int = 0, hands: int = 1
) -> PddlGame:
    """Return the game of an activity, with fixtures, tools and supplies if it cannot be done without.

    Args:
        activity: The activity.
        name: What the game is called.
        seed: Which distractors there are, and where.
        distractors: How many things lie about that the activity does not name.
        hands: How many things the robot can hold, 1 or 2.
    """
    scene = activity_scene(activity, seed, distractors, hands)
    domain = scene.domain()
    problem = scene.problem(domain)
    if isinstance(solve(domain, problem, Limits(evaluations=1)), Unsolvable):
        scene = scene.with_supplies()
        domain = scene.domain()
        problem = scene.problem(domain)
    return _game(scene.activity, domain, problem, name)


def draw_games(version: str, hands: int = 1, distractors: int = 0) -> Callable[[np.random.Generator], PddlGame]:
    """Return what draws a game of any activity of a version."""
    names = activity_names(version)

    def draw(rng: np.random.Generator) -> PddlGame:
        name = f"{version}/{names[int(rng.integers(len(names)))]}"
        return activity_game(find_activity(name), name, int(rng.integers(2**31)), distractors, hands)

    return draw


def read_activity(episode: Episode) -> syntax.Activity:
    """Return the activity of an episode, with everything that was added.

    Raises:
        DatasetCorrupt: It has none.
    """
    return parse_activity(episode.extra("activity"), f"the activity of episode {episode.index}")


def read_problem(episode: Episode) -> tuple[Domain, Problem]:
    """Return the domain of an episode's synsets, and its problem.

    Raises:
        DatasetCorrupt: It has none.
    """
    domain = domain_of(read_activity(episode))
    return domain, parse_problem(episode.extra("problem"), domain, f"the problem of episode {episode.index}")


def read_game_of_episode(episode: Episode) -> PddlGame:
    """Return the game of an episode."""
    return _game(read_activity(episode), *read_problem(episode), episode.task)


def _game(activity: syntax.Activity, domain: Domain, problem: Problem, name: str) -> PddlGame:
    """The game of a problem; the player is the activity's agent, which is no thing to be gone to."""
    agents = {syntax.pddl_name(each.name) for each in activity.objects if each.types[0] == AGENT}
    init = tuple(atom for atom in problem.init if agents.isdisjoint(atom))
    speaker = ActivitySpeaker(names_of(activity), title_of(activity, name))
    return PddlGame(domain, replace(problem, init=init), speaker, name, lambda atom: atom[0] in TOLD)


def games_of(folder: Path) -> Sequence[PddlGame]:
    """Return the games of a dataset's episodes.

    Raises:
        UsageError: There is no dataset.
        DatasetCorrupt: It is damaged.
    """
    return LazySequence(Dataset(folder), read_game_of_episode)


# One activity from its scene to its words: solved, with supplies if it needs them, and said.

ANNOTATORS = 3
"""How many wordings of goal and steps an episode has."""


Shares = dict[int, int]
"""For each number of literals of a way, the most of them that hold."""

MOST_WAYS = 20_000
"""Matchings of pairs that are tried one by one; of more, greedy ones."""


def partial_score(activity: syntax.Activity, state: State, universe: Universe) -> float:
    """Return the BEHAVIOR challenge's score q of a state, from 0 to 1; 1 where the goal holds.

    A goal can be met in several ways: by either part of a disjunction, by any object of an existential quantifier, by
    any matching of pairs. Each way is a set of literals; q is the largest share of such a set that holds.

    Args:
        activity: Whose goal it is.
        state: Atoms in PDDL's names, derived ones included.
        universe: The objects.
    """
    facts = Facts(state)
    if holds(syntax.lower_condition(activity.goal, activity, in_domain), facts, universe):
        return 1.0  # Pairs are matched one to one below, and need not be for the goal.
    found = _Scorer(activity, facts, universe).shares(activity.goal, {}, True)
    return max((met / total if total else 1.0 for total, met in found.items()), default=0.0)


class _Scorer:
    def __init__(self, activity: syntax.Activity, facts: Facts, universe: Universe) -> None:
        self.activity, self.facts, self.universe = activity, facts, universe

    def shares(self, condition: syntax.Condition, bound: dict[str, str], positive: bool) -> Shares:
        match condition:
            case Atom(predicate, terms):
                ground = Atom(predicate, tuple(bound.get(each, syntax.constant(each)) for each in terms))
                formula = syntax.lower_condition(ground, self.activity, in_domain)
                return {1: int(holds(formula, self.facts, self.universe) == positive)}
            case syntax.Connective("not", (operand,)):
                return self.shares(operand, bound, not positive)
            case syntax.Connective("imply", (first, second)):
                options = [self.shares(first, bound, not positive), self.shares(second, bound, positive)]
                return _either(options) if positive else _all(options)
            case syntax.Connective(word, operands):
                options = [self.shares(each, bound, positive) for each in operands]
                return _all(options) if (word == "and") == positive else _either(options)
            case syntax.Quantified():
                return self._quantified(condition, bound, positive)

    def _quantified(self, condition: syntax.Quantified, bound: dict[str, str], positive: bool) -> Shares:
        names = [each.name for each in condition.variables]
        objects = [self.activity.instances(each.types[0]) for each in condition.variables]
        if len(names) == 1:
            options = [self.shares(condition.body, {**bound, names[0]: each}, positive) for each in objects[0]]
            if condition.word == "forn":
                return _either([_all(list(each)) for each in combinations(options, condition.count or 0)])
            return _all(options) if (condition.word == "forall") == positive else _either(options)
        first, second = objects
        table = [
            [self.shares(condition.body, {**bound, names[0]: x, names[1]: y}, positive) for y in second] for x in first
        ]
        count = min(len(first), len(second)) if condition.word == "forpairs" else condition.count or 0
        return _either([_all([table[x][y] for x, y in each]) for each in _matchings(table, count)])


def _matchings(table: Sequence[Sequence[Shares]], count: int) -> list[list[tuple[int, int]]]:
    """Ways to pair so many rows with columns of their own; where there are too many, the best by greed."""
    rows, columns = len(table), len(table[0]) if table else 0
    ways = 1
    for each in range(count):
        ways *= max(rows, columns) - each
    if ways <= MOST_WAYS:
        if rows <= columns:
            return [
                list(zip(chosen, order, strict=True))
                for chosen in combinations(range(rows), count)
                for order in permutations(range(columns), count)
            ]
        return [
            list(zip(order, chosen, strict=True))
            for chosen in combinations(range(columns), count)
            for order in permutations(range(rows), count)
        ]
    ranked = sorted(
        ((row, column) for row in range(rows) for column in range(columns)),
        key=lambda pair: -max(met / total for total, met in table[pair[0]][pair[1]].items()),
    )
    taken: list[tuple[int, int]] = []
    for row, column in ranked:
        if len(taken) < count and all(row != x and column != y for x, y in taken):
            taken.append((row, column))
    return [taken]


def _all(options: Sequence[Shares]) -> Shares:
    """All of the parts: numbers of literals add up."""
    found: Shares = {0: 0}
    for option in options:
        longer: Shares = {}
        for total, met in found.items():
            for more, also in option.items():
                longer[total + more] = max(longer.get(total + more, 0), met + also)
        found = longer
    return found


def _either(options: Sequence[Shares]) -> Shares:
    """One of the parts."""
    found: Shares = {}
    for option in options:
        for total, met in option.items():
            found[total] = max(found.get(total, 0), met)
    return found


@dataclass(frozen=True, slots=True)
class ActivityCandidate:
    """An activity, a seed for what lies about, and how it is carried out."""

    name: str
    activity: syntax.Activity
    seed: int
    distractors: int
    hands: int


@dataclass(frozen=True, slots=True)
class ActivityResult:
    """What came of an attempt.

    Attributes:
        scene: The activity with everything that was added.
        solution: Its problem, as far as it is solved.
        scores: The score q at the start and at the end; empty if the plan was not carried out.
    """

    scene: ActivityScene
    solution: Solution
    scores: tuple[float, ...] = ()


ActivityAttempt: TypeAlias = Attempt[ActivityCandidate, ActivityResult]


def attempt(candidate: ActivityCandidate, limits: Limits, planner: PlannerCall = solve_with_parts) -> ActivityAttempt:
    """Solve an activity, with fixtures, tools and supplies if it cannot be done without, and carry the plan out."""
    scene = activity_scene(candidate.activity, candidate.seed, candidate.distractors, candidate.hands)
    made = _solve(scene, limits, planner)
    why = made.solution.rejection
    if why is not None and why.stage == "plan" and not why.evaluated:
        made = _solve(scene.with_supplies(), limits, planner)
    return Attempt(candidate, made, made.solution.rejection)


def _solve(scene: ActivityScene, limits: Limits, planner: PlannerCall) -> ActivityResult:
    domain, activity = scene.domain(), scene.activity
    parts = [(write_condition(e), syntax.lower_condition(e, activity, in_domain)) for e in goal_parts(activity.goal)]
    problem = scene.problem(domain)
    found = solve_and_carry_out(domain, problem, limits, parts, planner=planner)
    if not found.conditions:
        return ActivityResult(scene, found)
    universe = Universe.of(domain, problem)
    return ActivityResult(scene, found, tuple(partial_score(activity, e, universe) for e in (found.start, found.end)))


def goal_parts(goal: syntax.Condition) -> tuple[syntax.Condition, ...]:
    """Return the conjuncts of a goal."""
    return goal.operands if isinstance(goal, syntax.Connective) and goal.word == "and" else (goal,)


def sentences(name: str, made: ActivityResult, rng: np.random.Generator) -> tuple[Instruction, ...]:
    """Return what is said of an episode: goals and steps, each way an annotation of its own; nothing without a plan."""
    plan = made.solution.plan
    if plan is None:
        return ()
    goal, names = made.scene.activity.goal, names_of(made.scene.activity)
    return tuple(
        annotate(
            plan, ANNOTATORS, lambda: say_goal(goal, names, name, rng), lambda action: say_step(action, names, rng)
        )
    )


def substances_of(activity: syntax.Activity) -> frozenset[str]:
    """Return the synsets of an activity that are substances."""
    known = kinds(version_of(activity))
    return frozenset(each for each in activity.synsets() if known.is_substance(each))


def names_of(activity: syntax.Activity) -> ActivityNames:
    """Return what the things of an activity are called."""
    known = kinds(version_of(activity))
    vessels = frozenset(each for each in activity.synsets() if known.has(each, "fillable"))
    return ActivityNames(activity, substances_of(activity), vessels)


def title_of(activity: syntax.Activity, name: str) -> str:
    """Return what an activity is called: by its name where that only differs in capitals, else as it calls itself."""
    own = activity.name.rstrip("-_0123456789")
    plain = name.rpartition("/")[2]
    return plain if plain.lower() == own.lower() else own
