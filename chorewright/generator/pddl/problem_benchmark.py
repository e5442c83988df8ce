"""Problems of any domain as a benchmark: each planned, carried out and said, none twice, in bands of difficulty."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chorewright.domains.arithmetic import constant_values
from chorewright.domains.pddl.subformulas import conjuncts
from chorewright.domains.pddl.syntax import Domain, Problem
from chorewright.domains.pddl.writer import write_formula_line, write_problem
from chorewright.errors import LimitError, UnsupportedError, UsageError
from chorewright.files.english import did_you_mean, say_count
from chorewright.files.processes import Timed
from chorewright.generator.dataset.config import EFFORTS, Assignment, GenerateConfig, text_sha256
from chorewright.generator.dataset.episode import Episode, Instruction
from chorewright.generator.dataset.options import read_options
from chorewright.generator.pddl.options import TRIES, PddlOptions
from chorewright.generator.pddl.sources import DOMAIN, PROBLEM, SCENE, WORDINGS, ProblemSource, source_of
from chorewright.generator.production.attempts import Attempt, Rejection
from chorewright.generator.production.benchmark import Benchmark
from chorewright.generator.production.sampling import splits_in_shares
from chorewright.generator.production.solving import Solution, annotate, planner_of, solve_and_carry_out
from chorewright.planner.plan import Answer, Limits, Plan, Unsolvable
from chorewright.planner.search.configuration import DEFAULT, Configuration
from chorewright.problems.pddl.rules import Band
from chorewright.problems.pddl.scenes import NoScene, renaming_key

if TYPE_CHECKING:
    from chorewright.generator.pddl.moments import WorldMoments


START, OPTIMAL = "start", "optimal"
"""The extras of an episode besides its problem: the start's atoms as JSON, and whether the plan is proven optimal."""

SPLITS = (("train", 0.8), ("valid", 0.1), ("test", 0.1))
BAND, DRAWN, DUPLICATES = "band", "drawn", "duplicates"
"""The parameters of an assignment: its band, how many problems are drawn, and which of them were there before."""

DRAWS = 4
"""Draws for each try: those that give a problem that was there before are no tries."""

PROVING = Configuration(search="astar", heuristic="lmcut", improve=0, rungs=())
"""How optimal plans are found: landmark cuts prove more with the same evaluations than the maximum heuristic."""

ALIKE = "equal to an earlier problem but for the names of objects"

LEADS = {"start": "trivial: ", "plan": "unsolvable: "}
"""What goes before the reasons of problems that are no task."""


@dataclass(frozen=True, slots=True)
class ProblemCandidate:
    """A problem to try.

    Attributes:
        name: The file's name; of a drawn problem, the template's with its numbers.
        seed: What a template's problem is drawn by; empty for a given problem.
        band: The band that its cost must be in; None for any.
        duplicate: Why it is not tried if an earlier problem of the dataset is the same but for names; else empty.
    """

    name: str
    seed: tuple[int, ...]
    band: Band | None
    duplicate: str = ""


ProblemAttempt: TypeAlias = Attempt[ProblemCandidate, Solution]


class ProblemBenchmark(Benchmark[ProblemCandidate, Solution]):
    """Episodes of any PDDL domain: problems of a template or a folder, planned, carried out, and said in words."""

    name = "pddl"
    options: type = PddlOptions
    stages = ("draw", "duplicate", "start", "plan", "band", "replay", "goal")
    efforts = tuple(EFFORTS)

    def __init__(self) -> None:
        """Make the benchmark; it remembers the files of the last configuration as they were parsed."""
        self._known: tuple[GenerateConfig, PddlOptions, ProblemSource, tuple[Band, ...]] | None = None

    def assign(self, config: GenerateConfig, count: int) -> Sequence[Assignment]:
        """Return the assignments of the indices 0 to ``count - 1``: bands and problems in turn.

        All problems that may be tried are drawn, so that no two have the same but for names.

        Raises:
            UsageError: There is no such domain, template, band or split, or there are too few problems.
            InputErrors: A file has errors.
        """
        asked, source, bands = self._read(config)
        splits = splits_in_shares(dict(SPLITS), asked.splits)
        seen: set[str] = set()
        if source.template is None:
            return _give(source, bands, count, splits, seen)
        task = f"{source.domain.name}/{source.template.name}"
        found = []
        for index in range(count):
            band = bands[index % len(bands)] if bands else None
            tries = asked.tries or TRIES[bool(bands) and index % len(bands) > 0]
            old, fresh, number = [], 0, 0
            while fresh < tries and number < DRAWS * tries:
                candidate = self._candidate(config, source, index, number, band)
                with suppress(NoScene):
                    key = renaming_key(source.domain, problem_of(source, candidate))
                    if key in seen:
                        old.append(str(number))
                    else:
                        fresh += 1
                    seen.add(key)
                number += 1
            parameters = ((BAND, band.name if band else ""), (DRAWN, str(number)), (DUPLICATES, " ".join(old)))
            found.append(Assignment(index, task, parameters, "", next(splits)))
        return found

    def candidates(
        self, config: GenerateConfig, assignment: Assignment, rng: np.random.Generator, tried: Sequence[ProblemAttempt]
    ) -> Iterator[ProblemCandidate]:
        """Yield the problems of an index, one after the other."""
        _, source, bands = self._read(config)
        number = assignment.index // config.effort.plans
        given = dict(assignment.parameters)
        band = next((each for each in bands if each.name == given[BAND]), None)
        old, drawn = {int(each) for each in given[DUPLICATES].split()}, int(given[DRAWN])
        if source.template is None:
            yield ProblemCandidate(assignment.scene, (), band, ALIKE if old else "")
            return
        for draw in range(drawn):
            why = ALIKE if draw in old else ""
            if why and len(old) == drawn == draw + 1:
                why = f"all {drawn} draws are {ALIKE}: the template has hardly any others"
            yield self._candidate(config, source, number, draw, band, why)

    def attempt(self, config: GenerateConfig, candidate: ProblemCandidate) -> ProblemAttempt:
        """Draw the problem, solve it, and carry the plan out if its cost is in the candidate's band."""
        asked, source, _ = self._read(config)
        if candidate.duplicate:
            return Attempt(candidate, None, Rejection("duplicate", candidate.duplicate))
        try:
            problem = problem_of(source, candidate)
        except NoScene as error:
            return Attempt(candidate, None, Rejection("draw", error.message))

        several: list[Plan] = []
        effort = config.effort

        def fits(plan: Plan) -> Rejection | None:
            if several and effort.plan >= len(several):
                return Rejection("plan", f"there are no more plans than {len(several)}")
            cost = several[0].cost if several else plan.cost
            if candidate.band is None or candidate.band.includes(cost):
                return None
            return Rejection("band", f"a plan costs {cost:g}, outside {candidate.band}")

        def demonstrate(domain: Domain, problem: Problem, limits: Limits) -> Answer:
            several.extend(_differing_plans(domain, problem, limits, effort.plans, asked.optimal))
            if not several:
                return Unsolvable("all reachable states were visited")
            return several[min(effort.plan, len(several) - 1)]

        parts = [(write_formula_line(part), part) for part in conjuncts(problem.goal)]
        limits, how = effort.limits(asked.evaluations), PROVING if asked.optimal else DEFAULT
        planner = planner_of(config) if effort.engine else demonstrate if effort.plans > 1 else None
        try:
            found = solve_and_carry_out(
                source.domain, problem, limits, parts, configuration=how, fits=fits, planner=planner
            )
        except (LimitError, UnsupportedError) as error:
            if planner is not demonstrate:
                raise
            return Attempt(candidate, None, Rejection("plan", error.message))
        why = found.rejection
        if why is not None and why.stage in LEADS and not why.evaluated:
            why = replace(why, reason=LEADS[why.stage] + why.reason)
        return Attempt(candidate, found, why)

    def further_attempt(
        self, config: GenerateConfig, assignment: Assignment, first: ProblemAttempt, shown: Episode, number: int
    ) -> tuple[Sequence[ProblemAttempt], Episode]:
        """Return the attempt and the episode of a start's further plan: of our own planner's the cheapest next one."""
        if config.effort.engine or not first.accepted:
            return super().further_attempt(config, assignment, first, shown, number)
        attempt, episode = self.attempt_plan(config, assignment, first, number)
        return [attempt], episode

    def speak(
        self, config: GenerateConfig, blank: Episode, attempt: ProblemAttempt, rng: np.random.Generator
    ) -> Episode:
        """Say the start, the goal and the steps."""
        asked, source, _ = self._read(config)
        made, band, domain = attempt.made, dict(blank.parameters)[BAND], text_sha256(source.text)
        blank = replace(blank, parameters=((BAND, band),) if band else (), domain_sha256=domain)
        if made is None or made.plan is None:
            return blank if made is None else made.record(blank)
        return replace(
            made.record(blank),
            domain_sha256=domain,
            instructions=sentences(source, made, made.plan, asked.wordings, rng),
            extras=(
                (SCENE, made.problem.name),
                (DOMAIN, source.text),
                (WORDINGS, source.words),
                (PROBLEM, write_problem(made.problem)),
                (START, json.dumps([list(atom) for atom in sorted(made.start)], separators=(",", ":"))),
                (OPTIMAL, "true" if made.plan.optimal else "false"),
            ),
        )

    def moments(self) -> WorldMoments:
        """Return what runs episodes again and draws their states."""
        from chorewright.generator.pddl.moments import EpisodeWorld, state_moments

        return state_moments(EpisodeWorld)

    def _candidate(
        self,
        config: GenerateConfig,
        source: ProblemSource,
        index: int,
        number: int,
        band: Band | None,
        duplicate: str = "",
    ) -> ProblemCandidate:
        assert source.template is not None
        own = int.from_bytes(hashlib.sha256(config.benchmark.encode()).digest()[:8], "big")
        name = f"{source.template.name}-{index}" + (f"-{number}" if number else "")
        return ProblemCandidate(name, (config.seed, own, index, number), band, duplicate)

    def _read(self, config: GenerateConfig) -> tuple[PddlOptions, ProblemSource, tuple[Band, ...]]:
        """Return the options, and the files that they name as they are parsed."""
        if self._known is None or self._known[0] != config:
            asked = read_options(PddlOptions, config)
            source = source_of(config, asked.domain, asked.template)
            self._known = config, asked, source, _bands(source, asked.bands)
        return self._known[1:]


def _differing_plans(domain: Domain, problem: Problem, limits: Limits, count: int, optimal: bool) -> list[Plan]:
    """The plans of a small problem that its demonstrations show.

    Raises:
        LimitError: The problem is not small.
        UnsupportedError: It has numbers that change, preferences or durations.
    """
    from chorewright.planner.equivalence.cheapest_plans import cheapest_plans, different_plans  # rarely asked for

    with limits.alarm() as alarm:
        plans = cheapest_plans(domain, problem, alarm)
        wanted = takewhile(lambda each: each.optimal, plans) if optimal else plans
        return different_plans(wanted, count)


def _give(
    source: ProblemSource, bands: Sequence[Band], count: int, splits: Iterator[str], seen: set[str]
) -> list[Assignment]:
    """Return the assignments of given problems, in their order.

    Raises:
        UsageError: There are fewer problems than episodes.
    """
    if count > len(source.problems):
        hint = "give fewer --episodes, or a template"
        there = say_count(len(source.problems), "problem")
        raise UsageError(f"there are not enough problems for {count} starts: {there}", hint=hint)
    found = []
    for (name, problem), index in zip(source.problems.items(), range(count), strict=False):
        key = renaming_key(source.domain, problem)
        band = bands[0].name if bands else ""
        parameters = ((BAND, band), (DRAWN, "1"), (DUPLICATES, "0" if key in seen else ""))
        seen.add(key)
        found.append(Assignment(index, f"{source.domain.name}/{problem.name}", parameters, name, next(splits)))
    return found


def _bands(source: ProblemSource, asked: Sequence[str]) -> tuple[Band, ...]:
    """Return the bands that are asked for: of the template, or ``NAME=LOW-HIGH``.

    Raises:
        UsageError: There is no such band.
    """
    known = {each.name: each for each in (source.template.bands if source.template is not None else ())}
    found: dict[str, Band] = {}
    for word in asked:
        name, equals, span = word.partition("=")
        if equals:
            found[name] = _span(name, span)
        elif word in known:
            found[word] = known[word]
        else:
            hint = did_you_mean(word, known) or (f"bands: {', '.join(known)}" if known else "write easy=1-8")
            raise UsageError(f"there is no band {word!r}", hint=hint)
    return tuple(found.values())


def _span(name: str, span: str) -> Band:
    low, dash, high = span.partition("-")
    try:
        band = Band(name, float(low), float(high) if high else float("inf") if dash else float(low))
    except ValueError:
        band = None
    if band is None or not band.low <= band.high or not name:
        raise UsageError(f"{name}={span!r} is no band", hint="write easy=1-8, or hard=20- without an upper end")
    return band


@Timed("spawn")
def problem_of(source: ProblemSource, candidate: ProblemCandidate) -> Problem:
    """Return the problem of a candidate.

    Raises:
        NoScene: The template has none for its seed.
    """
    if source.drawer is None:
        return source.problems[candidate.name]
    numbers = candidate.band.numbers if candidate.band is not None else ()
    return replace(source.drawer.draw(candidate.seed, numbers), name=candidate.name)


def sentences(
    source: ProblemSource, made: Solution, plan: Plan, annotators: int, rng: np.random.Generator
) -> tuple[Instruction, ...]:
    """Return what is said: the start, the goal and the steps each in several ways, and what each step changed."""
    says = source.says.with_problem(made.problem)
    known = made.start.union(constant_values(source.domain, made.problem))
    found = [Instruction(says.state(known), "state")]
    goal = made.problem.goal
    found += annotate(plan, annotators, lambda: says.goal(goal, rng), lambda action: says.step(action, rng))
    found += [
        Instruction(says.change(step.added, step.removed), "change", 0, place) for place, step in enumerate(made.steps)
    ]
    return tuple(found)


def try_problems(
    benchmark: ProblemBenchmark, config: GenerateConfig, tell: Callable[[int], object] = lambda done: None
) -> list[Episode]:
    """Return the episodes that ``generate`` would write, the rejected ones among them, for the author of a domain.

    Args:
        benchmark: The benchmark.
        config: Its configuration.
        tell: Hears how many episodes are done.
    """
    made = []
    for assignment in benchmark.assign(config, config.episodes):
        made.append(benchmark.episode(assignment.index, config, assignment))
        tell(len(made))
    return made


def band_of(episode: Episode) -> str:
    """Return the band of an episode; empty if there are none."""
    return dict(episode.parameters).get(BAND, "")
